"""Runs inside Blender's Python (bpy): sets up, certifies, cleans and poses an armature.

The armature is the built-in human; prints one line of JSON.
"""

import tempfile
from pathlib import Path

import bpy  # pyright: ignore[reportMissingImports]
import numpy as np
from blender_checkout import new_scene, writhe_blender
from blender_runs import drag_to, print_result
from mathutils import Quaternion, Vector  # pyright: ignore[reportMissingImports]
from writhe_blender import action, axes, dragging, engine, fcurves, scene_sync  # pyright: ignore[reportMissingImports]
from writhe_blender import armature as armatures  # pyright: ignore[reportMissingImports]

from writhe import forward
from writhe.collision import certify

FRAMES = 30


def distance(character, armature, frame: float) -> float:
    """Metres between Blender's evaluation of the bones and the action as writhe reads it."""
    scene = bpy.context.scene
    scene.frame_set(int(frame), subframe=frame - int(frame))
    matrices = scene_sync.poses(bpy.context)[armature.name]
    span = action.ActionRange(bpy.context, armature)
    body = scene_sync.body(armature)
    from writhe.plugin.action import Action

    plain = action.tracks(bpy.context, armature, body.bones, body.info["shifts"], span)
    q = Action.from_plain(plain).at(character, np.array([span.seconds(frame)]))[0]
    frames = forward(character.skeleton, q)
    here = np.array([frames.position(name) for name in body.bones])
    return float(np.abs(here - matrices[:, :3, 3]).max())


def wind(context, armature) -> dict:
    """The arms wound by the slider, and a motion to it by a tangle key."""
    armature.scale = (1.0, 1.0, 1.0)
    context.view_layer.update()
    armature.animation_data_clear()
    context.scene.tool_settings.use_keyframe_insert_auto = False
    context.scene.frame_set(1)
    assert bpy.ops.writhe.preset_pose(pose="stand") == {"FINISHED"}
    hand = armature.pose.bones["left_wrist"]
    context.view_layer.update()
    before = hand.head.copy()
    tangle = context.scene.writhe.tangle
    tangle.first = tangle.second = armature
    tangle.writhe = 0.2
    context.scene.frame_set(20)
    assert bpy.ops.writhe.key_tangle() == {"FINISHED"}
    assert bpy.ops.writhe.wind_keys() == {"FINISHED"}
    out = {"verdict": context.scene.writhe.verdict, "why": context.scene.writhe.sentence}
    context.scene.frame_set(1)
    context.view_layer.update()
    out["start_m"] = (hand.head - before).length
    context.scene.frame_set(20)
    context.view_layer.update()
    out["moved_m"] = (hand.head - before).length
    armature.animation_data_clear()
    bpy.ops.writhe.preset_pose(pose="stand")
    context.view_layer.update()
    assert bpy.ops.writhe.wind() == {"FINISHED"}
    out["writhe"] = tangle.measured
    return out


def follow_curve(context, armature) -> dict:
    """The left hand along a curve object, up and to the side."""
    armature.animation_data_clear()
    assert bpy.ops.writhe.preset_pose(pose="stand") == {"FINISHED"}
    context.view_layer.update()
    hand = armature.pose.bones["left_wrist"]
    begin = armature.matrix_world @ hand.head
    turn = armature.matrix_world.to_3x3().normalized()
    data = bpy.data.curves.new("Path", "CURVE")
    data.dimensions = "3D"
    line = data.splines.new("POLY")
    line.points.add(3)
    places = ((0.0, -0.15, 0.1), (0.0, -0.35, 0.25), (0.1, -0.45, 0.4), (0.2, -0.45, 0.45))
    for point, place in zip(line.points, places, strict=True):
        point.co = (*(begin + turn @ Vector(place)), 1.0)
    path = bpy.data.objects.new("Path", data)
    context.collection.objects.link(path)
    settings = context.scene.writhe
    settings.curve, settings.curve_limb, settings.curve_frames = path, "left_arm", 24
    context.scene.frame_set(10)
    assert bpy.ops.writhe.follow_curve() == {"FINISHED"}
    context.scene.frame_set(34)
    context.view_layer.update()
    goal = begin + turn @ Vector(places[-1])
    away = (armature.matrix_world @ hand.head - goal).length
    return {"away_m": away, "verdict": settings.verdict}


def reloaded(context, armature) -> dict:
    """The file saved and loaded: the character is posed with the shapes that were stored in it."""
    name, fitted = armature.name, armature.writhe.fitted
    with tempfile.TemporaryDirectory() as folder:
        target = str(Path(folder) / "saved.blend")
        bpy.ops.wm.save_as_mainfile(filepath=target)
        bpy.ops.wm.open_mainfile(filepath=target)
    armature = context.scene.objects[name]
    hand = armature.pose.bones["left_wrist"]
    read_meshes, scene_sync.armatures.skinned_meshes = scene_sync.armatures.skinned_meshes, None
    drag = dragging.BoneDrag(context, armature, [(hand.name, armature.matrix_world @ hand.head)])
    scene_sync.armatures.skinned_meshes = read_meshes  # nothing was fitted again
    drag.move(drag.start)
    return {"same_shapes": armature.writhe.fitted == fitted}


def normalised(armature) -> list[str]:
    """The bones that count as changed when a quaternion of another length is normalised."""
    wrist = armature.pose.bones["right_wrist"]
    wrist.rotation_quaternion = (1.02, 0.03, 0.0, 0.0)
    saved = armatures.SavedPose(armature)
    wrist.rotation_quaternion = Quaternion((1.02, 0.03, 0.0, 0.0)).normalized()
    found = [bone.name for bone, _ in saved.changed(armature)]
    wrist.matrix_basis.identity()
    return found


def main() -> dict:
    context, out = new_scene(), {}
    assert bpy.ops.writhe.add_human() == {"FINISHED"}
    armature = context.object
    armature.rotation_euler = (0.0, 0.0, 0.4)
    armature.scale = (0.5, 0.5, 0.5)
    context.view_layer.update()
    assert bpy.ops.writhe.set_up() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="POSE")
    out["roles"] = sorted(r.role for r in armature.writhe.roles if r.bone)
    # an arm swung through the trunk, by Bezier keys in both rotation modes
    shoulder, elbow = armature.pose.bones["left_shoulder"], armature.pose.bones["left_elbow"]
    elbow.rotation_mode = "XYZ"
    armature.animation_data_clear()
    character = engine.drags()._session.stage.character(armature.name)
    chest = armature.pose.bones["chest"].head
    best, turn = 1e9, None
    hand = armature.pose.bones["left_wrist"]
    rng = np.random.default_rng(1)
    for _ in range(300):
        guess = rng.normal(size=4)
        shoulder.rotation_quaternion = guess / np.linalg.norm(guess)
        context.view_layer.update()
        away = (hand.head - chest).length
        if away < best:
            best, turn = away, tuple(shoulder.rotation_quaternion)
    # the last key lies between two frames
    for frame, value, bend in (
        (1, (1, 0, 0, 0), 0.0),
        (15, turn, 0.3),
        (FRAMES - 0.4, turn, 0.2),
    ):
        shoulder.rotation_quaternion, elbow.rotation_euler = value, (bend, 0.0, 0.0)
        shoulder.keyframe_insert("rotation_quaternion", frame=frame)
        elbow.keyframe_insert("rotation_euler", frame=frame)
    out["exact_m"] = max(distance(character, armature, f) for f in (1, 7.5, 15, 22.25, FRAMES))
    assert bpy.ops.writhe.certify() == {"FINISHED"}
    settings = context.scene.writhe
    out["before"], out["markers"] = settings.verdict, len(context.scene.timeline_markers)
    out["note"] = settings.note
    assert bpy.ops.writhe.clean() == {"FINISHED"}
    out["after"] = settings.verdict
    assert bpy.ops.writhe.certify() == {"FINISHED"}
    out["again"] = settings.verdict
    # Blender's own evaluation of what was written, eight times a frame
    rows = []
    for k in range(8 * (FRAMES - 1) + 1):
        frame = 1 + k / 8
        context.scene.frame_set(int(frame), subframe=frame - int(frame))
        rows.append(scene_sync.poses(context)[armature.name])
    q = character.configurations(np.array(rows))
    found = certify(character.figure, q, fps=24.0 * 8)
    out["evaluated"] = found.verdict.value
    # a drag in Blender, undone
    armature.animation_data_clear()
    for bone in armature.pose.bones:
        bone.matrix_basis.identity()
    context.view_layer.update()
    before = [tuple(b.rotation_quaternion) for b in armature.pose.bones]
    drag = dragging.BoneDrag(context, armature, [(hand.name, armature.matrix_world @ hand.head)])
    goal = drag.start + np.array([[0.0, -0.05, 0.08]])
    answer, _ = drag_to(drag, goal, 40)
    context.view_layer.update()
    there = axes.to_writhe(context.scene) @ np.array([*(armature.matrix_world @ hand.head), 1.0])
    out["reached_m"] = float(np.linalg.norm(there[:3] - goal[0]))
    out["error_m"] = answer["error_m"][hand.name]
    context.scene.tool_settings.use_keyframe_insert_auto = True
    out["keyed"], out["keyed_again"] = drag.key(), drag.key()
    out["curves"] = len(fcurves.curves_of(armature))
    drag.undo()
    out["undone"] = before == [tuple(b.rotation_quaternion) for b in armature.pose.bones]
    out["normalised"] = normalised(armature)
    out["wound"] = wind(context, armature)
    out["followed"] = follow_curve(context, armature)
    out["after_loading"] = reloaded(context, armature)
    armature = context.scene.objects["Human"]
    assert bpy.ops.writhe.preset_pose(pose=engine.drags().request("preset_names", {})["names"][0])
    writhe_blender.unregister()
    return out


print_result(main)
