"""Runs in a Python with bpy and writhe: roles and shapes corrected, pins, several handles, cursor.

Prints one line of JSON.
"""

import bpy  # pyright: ignore[reportMissingImports]
import numpy as np
from blender_checkout import add_human, new_scene
from blender_runs import drag_to, print_result
from writhe_blender import dragging, scene_sync  # pyright: ignore[reportMissingImports]


def choose(armature, *names: str) -> None:
    """Select these bones; the first is the active one."""
    for bone in armature.pose.bones:
        owner = bone if hasattr(bone, "select") else bone.bone  # Blender 5 selects pose bones
        owner.select = bone.name in names
    armature.data.bones.active = armature.data.bones[names[0]]


def shapes_of(armature, bone: str) -> list[float]:
    """The radii of the shapes of a bone, m."""
    found = scene_sync.required(bpy.context, armature).info["capsules"]
    return [float(r) for joint, r in zip(found["joint"], found["radius"], strict=True)
            if joint == bone]  # fmt: skip


def heads(armature, *names: str) -> np.ndarray:
    """Where bones begin, in the world."""
    bpy.context.view_layer.update()
    return np.array([armature.matrix_world @ armature.pose.bones[name].head for name in names])


def corrected_roles(armature) -> dict:
    """The bone of a role set by hand, kept by *Set Up Again*, found again by *Find Again*."""
    rows = armature.writhe.roles
    found = rows["left_wrist"].bone
    rows["left_wrist"].bone = "left_elbow"
    assert bpy.ops.writhe.set_up() == {"FINISHED"}
    kept = rows["left_wrist"].bone
    assert bpy.ops.writhe.reset_role(role="left_wrist") == {"FINISHED"}
    return {"found": found, "kept": kept, "again": armature.writhe.roles["left_wrist"].bone}


def main() -> dict:
    context, out = new_scene(), {}
    human = add_human()
    out["roles"] = corrected_roles(human)
    assert bpy.ops.writhe.preset_pose(pose="stand") == {"FINISHED"}
    bpy.ops.object.mode_set(mode="POSE")
    out["radii"] = {}
    for factor in (1.0, 0.5, 0.0):
        choose(human, "left_knee")
        assert bpy.ops.writhe.scale_shapes(factor=factor) == {"FINISHED"}
        out["radii"][str(factor)] = shapes_of(human, "left_knee")
    # one hand is pinned while the head is dragged; then it is not
    out["pinned_moves_m"] = []
    for mode in ("FULL", "FREE"):
        choose(human, "right_wrist")
        assert bpy.ops.writhe.pin(mode=mode) == {"FINISHED"}
        before = heads(human, "right_wrist")
        drag = dragging.BoneDrag(context, human, [("head", heads(human, "head")[0])])
        drag_to(drag, drag.start + np.array([0.1, -0.15, 0.15]), 80)
        moved = np.linalg.norm(heads(human, "right_wrist") - before)
        out["pinned_moves_m"].append(float(moved))
        drag.undo()
    # both hands together
    both = ("left_wrist", "right_wrist")
    drag = dragging.BoneDrag(context, human, list(zip(both, heads(human, *both), strict=True)))
    shift = np.array([[-0.1, 0.3, 0.3], [0.1, 0.3, 0.3]])
    answer, _ = drag_to(drag, drag.start + shift, 120)
    out["both_left_m"] = [answer["error_m"][name] for name in both]
    drag.undo()
    # the active bone to the 3D cursor
    choose(human, "left_wrist")
    goal = heads(human, "left_wrist")[0] + [0.05, -0.25, 0.3]
    context.scene.cursor.location = goal
    assert bpy.ops.writhe.move_to_cursor() == {"FINISHED"}
    out["cursor_left_m"] = float(np.linalg.norm(heads(human, "left_wrist")[0] - goal))
    assert bpy.ops.writhe.remove() == {"FINISHED"}
    out["character_after_remove"] = human.writhe.is_character
    return out


print_result(main)
