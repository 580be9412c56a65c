"""Runs in a Python with bpy and writhe: a generated Rigify rig, set up, dragged and cleaned.

Prints one line of JSON.
"""

import time

import bpy  # pyright: ignore[reportMissingImports]
import numpy as np
from blender_checkout import new_scene
from blender_runs import drag_to, print_result
from extension.sample import box_body  # pyright: ignore[reportMissingImports]
from mathutils import Matrix  # pyright: ignore[reportMissingImports]
from writhe_blender import control_rig, dragging, engine, fcurves, scene_sync  # pyright: ignore[reportMissingImports]

from writhe.skeleton import forward


def generated_rig(out: dict):
    """The rig that Rigify generates from its basic human, which is set up before."""
    bpy.ops.preferences.addon_enable(module="rigify")
    bpy.ops.object.armature_basic_human_metarig_add()
    metarig = bpy.context.object
    assert bpy.ops.writhe.set_up() == {"FINISHED"}
    out["metarig"] = metarig.writhe.summary + metarig.writhe.warning
    metarig.writhe.is_character = False
    bpy.ops.pose.rigify_generate()
    found = [o for o in bpy.context.scene.objects if o.type == "ARMATURE" and o != metarig]
    bpy.data.objects.remove(metarig)
    bpy.context.view_layer.objects.active = found[0]
    return found[0]


def written_apart_m(armature, drag) -> float:
    """Metres between the pose that was solved and the one that the rig takes by its controls."""
    session = engine.drags()._session
    character = session.stage.character(armature.name)
    frames = forward(character.skeleton, session._drag.q)
    bpy.context.view_layer.update()
    there = scene_sync.poses(bpy.context)[armature.name][:, :3, 3]
    return float(np.abs(there - [frames.position(n) for n in character.armature.bones]).max())


def main() -> dict:
    context, out = new_scene(), {}
    rig = generated_rig(out)
    box_body(rig)
    began = time.perf_counter()
    assert bpy.ops.writhe.set_up() == {"FINISHED"}
    out["set_up_s"] = time.perf_counter() - began
    found = control_rig.stored_rig(rig)
    out["controls"], out["summary"] = found.controls, rig.writhe.summary
    out["warning"] = rig.writhe.warning
    out["roles"] = {row.role: row.bone for row in rig.writhe.roles if row.bone}
    bpy.ops.object.mode_set(mode="POSE")
    pose = rig.pose.bones
    # the arm is moved by its IK control; the pose is read from the body
    pose["hand_ik.L"].location = (0.0, -0.1, 0.25)
    context.view_layer.update()
    before = [(tuple(b.location), tuple(b.rotation_quaternion)) for b in pose]
    hand = pose["ORG-hand.L"]
    here = hand.head.copy()
    drag = dragging.BoneDrag(context, rig, [("hand_fk.L", here)])
    goal = drag.start * [-0.3, 0.95, 1.0] + [0.0, 0.0, 0.25]
    answer, out["drag_ms"] = drag_to(
        drag, goal, 100, after_first=lambda: out.update(first_step_m=written_apart_m(rig, drag))
    )
    out["apart_m"] = written_apart_m(rig, drag)
    out["error_m"], out["switched"] = answer["error_m"]["hand_fk.L"], drag.switched
    out["moved_m"] = (hand.head - here).length
    drag.undo()
    context.view_layer.update()
    out["undone_m"] = (hand.head - here).length
    out["restored"] = before == [(tuple(b.location), tuple(b.rotation_quaternion)) for b in pose]
    drag = dragging.BoneDrag(context, rig, [("hand_fk.L", hand.head)])
    drag.move(goal, steps=40)
    context.scene.tool_settings.use_keyframe_insert_auto = True
    context.scene.frame_set(1)
    out["keyed"] = drag.key()
    out["key_paths"] = sorted({curve.data_path for curve in fcurves.curves_of(rig)})
    # an arm that its IK control draws through the trunk
    context.scene.tool_settings.use_keyframe_insert_auto = False
    rig.animation_data.action = None
    _rest(rig)
    ik = pose["hand_ik.L"]
    pose["upper_arm_parent.L"]["IK_FK"] = 0.0
    chest = pose["ORG-spine.003"].head.copy()
    for frame, place in ((1, None), (20, chest), (40, None)):
        ik.matrix_basis = Matrix.Identity(4)
        context.view_layer.update()
        if place is not None:
            ik.matrix = Matrix.Translation(place - ik.head) @ ik.matrix
            context.view_layer.update()
        ik.keyframe_insert("location", frame=frame)
    assert bpy.ops.writhe.certify() == {"FINISHED"}
    settings = context.scene.writhe
    out["before"], out["note"] = settings.verdict, settings.note
    assert bpy.ops.writhe.clean() == {"FINISHED"}
    out["after"] = settings.verdict
    assert bpy.ops.writhe.certify() == {"FINISHED"}
    out["again"], out["note_after"] = settings.verdict, settings.note
    out["why"] = settings.sentence
    out["constrained"] = constrained(context)
    return out


def constrained(context) -> dict:
    """A plain armature whose arm an IK constraint moves: it is certified, and not dragged."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    assert bpy.ops.writhe.add_human() == {"FINISHED"}
    human = context.object
    target = bpy.data.objects.new("Target", None)
    context.collection.objects.link(target)
    wrist = human.pose.bones["left_wrist"]
    target.location = human.matrix_world @ wrist.head
    chain = wrist.constraints.new("IK")
    chain.target, chain.chain_count = target, 3
    assert bpy.ops.writhe.set_up() == {"FINISHED"}
    out = {"warning": human.writhe.warning, "rig": human.writhe.rig}
    try:
        dragging.BoneDrag(context, human, [("left_elbow", (0.0, 0.0, 0.0))])
    except engine.EngineError as error:
        out["refused"] = str(error)
    assert bpy.ops.writhe.certify() == {"FINISHED"}
    out["note"] = context.scene.writhe.note
    return out


def _rest(rig) -> None:
    for bone in rig.pose.bones:
        bone.matrix_basis = Matrix.Identity(4)


print_result(main)
