"""Runs inside Blender's Python (bpy): prints what Blender reads from glTF files, one line each."""

import json
import sys

import bpy  # pyright: ignore[reportMissingImports]


def reading(path: str, animation: str, frames: list[float]) -> dict:
    """Bone positions (Y up) at times in seconds, with counts of images and materials."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=path)
    scene = bpy.context.scene
    rigs = [o for o in bpy.data.objects if o.type == "ARMATURE"]
    for rig in rigs:
        # imported animations become NLA tracks of their names
        data = rig.animation_data
        for track in data.nla_tracks if data else []:
            if track.name == animation:
                data.use_nla = False
                data.action = track.strips[0].action
                data.action_slot = track.strips[0].action_slot
    rate = scene.render.fps / scene.render.fps_base
    places = []
    for time_s in frames:
        at = time_s * rate
        scene.frame_set(int(at), subframe=at - int(at))
        row = {}
        for rig in rigs:
            for bone in rig.pose.bones:
                x, y, z = rig.matrix_world @ bone.head
                row[bone.name] = [x, z, -y]
        places.append(row)
    images = [i.name for i in bpy.data.images if i.size[0] > 0 and i.users]
    return {
        "positions": places,
        "images": len(images),
        "materials": len([m for m in bpy.data.materials if m.users]),
        "morphs": sum(len(k.key_blocks) - 1 for k in bpy.data.shape_keys),
        "meshes": len(bpy.data.meshes),
    }


for line in sys.stdin:
    print("READ " + json.dumps(reading(**json.loads(line))), flush=True)
