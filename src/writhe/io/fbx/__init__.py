"""FBX files: read with ufbx in a process of its own, written by Blender."""
