"""writhe inside other programs: characters, poses and actions as plain arrays, in and out.

An extension of an animation program (the one for Blender is in `blender/`) describes its armatures
by names and arrays and calls `Session.request`, in its own process, or in another one through its
pipes (`engine`) or a connection (`serve`). Nothing here knows the program.
"""

from writhe.plugin.session import Session

__all__ = ["Session"]
