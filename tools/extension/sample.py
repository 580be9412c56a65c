"""Write a sample .blend: the built-in human, set up, whose hand goes through its chest.

Run by a Python with bpy and writhe: python tools/extension/sample.py FILE.blend, or by Blender:
blender -b -P tools/extension/sample.py -- FILE.blend (with the extension installed).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

LAST_FRAME = 40
_HALF_WIDTH_M = {
    "spine.004": 0.05, "spine.005": 0.05, "spine": 0.12, "thigh": 0.08, "shin": 0.055,
    "forearm": 0.04, "upper_arm": 0.045,
}  # fmt: skip


def hand_through_chest(armature) -> None:
    """Three Bezier keys: the left hand goes into the chest and back."""
    from mathutils import Euler  # pyright: ignore[reportMissingImports]

    armature.animation_data_clear()
    for bone in armature.pose.bones:
        bone.matrix_basis.identity()
    shoulder, elbow = (armature.pose.bones[f"left_{name}"] for name in ("shoulder", "elbow"))
    for frame, share in ((1, 0.0), (LAST_FRAME // 2, 1.0), (LAST_FRAME, 0.0)):
        for bone, angle in ((shoulder, 1.7), (elbow, 2.1)):  # about the vertical, inwards
            own = bone.bone.matrix_local.to_3x3().inverted()
            turn = own @ Euler((0.0, 0.0, -share * angle)).to_matrix() @ own.inverted()
            bone.rotation_quaternion = turn.to_quaternion()
            bone.keyframe_insert("rotation_quaternion", frame=frame)


def box_body(armature):
    """A mesh with a box around every bone that deforms, bound to it; it is the armature's body."""
    import bpy  # pyright: ignore[reportMissingImports]
    from mathutils import Vector  # pyright: ignore[reportMissingImports]

    corners, faces, groups = [], [], []
    quads = ((0, 1, 2, 3), (7, 6, 5, 4), (0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 4, 0))
    for bone in armature.data.bones:
        if not bone.use_deform or "breast" in bone.name:
            continue
        wide = next((w for name, w in _HALF_WIDTH_M.items() if name in bone.name), 0.04)
        start = len(corners)
        for y in (0.0, bone.length):
            for x, z in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                corners.append(tuple(bone.matrix_local @ Vector((x * wide, y, z * wide))))
                groups.append(bone.name)
        faces += [tuple(start + k for k in quad) for quad in quads]
    data = bpy.data.meshes.new("Body")
    data.from_pydata(corners, [], faces)
    item = bpy.data.objects.new("Body", data)
    bpy.context.collection.objects.link(item)
    for vertex, name in enumerate(groups):
        group = item.vertex_groups.get(name) or item.vertex_groups.new(name=name)
        group.add([vertex], 1.0, "REPLACE")
    item.parent = armature
    item.modifiers.new("Armature", "ARMATURE").object = armature
    return item


def main(target: Path) -> None:
    """Make the file."""
    import bpy  # pyright: ignore[reportMissingImports]

    bpy.ops.wm.read_factory_settings(use_empty=True)
    if not hasattr(bpy.types, "WRITHE_OT_set_up"):
        sys.path.insert(0, str(Path(__file__).parents[2] / "blender"))
        import writhe_blender  # pyright: ignore[reportMissingImports]

        writhe_blender.register()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, LAST_FRAME
    bpy.ops.writhe.add_human(fingers=True)
    bpy.ops.writhe.set_up()
    hand_through_chest(bpy.context.object)
    bpy.ops.wm.save_as_mainfile(filepath=str(target.resolve()), compress=True)


if __name__ == "__main__":
    _given = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]
    main(Path(_given[0]))
    sys.stdout.flush()
    os._exit(0)  # bpy may hang when the interpreter ends
