"""Runs in a Python with bpy and writhe: documents of the studio opened, changed and written.

Usage: exchange.py FOLDER. Prints one line of JSON.
"""

import sys
from pathlib import Path

import bpy  # pyright: ignore[reportMissingImports]
import numpy as np
from blender_checkout import add_human, new_scene
from blender_runs import print_result
from extension.sample import hand_through_chest  # pyright: ignore[reportMissingImports]
from writhe_blender import fcurves, scene_sync  # pyright: ignore[reportMissingImports]

from writhe.skeleton import forward
from writhe.studio.document import Document
from writhe.studio.editing.scene import object_edits

FOLDER = Path(sys.argv[1])


def make_document(path: Path) -> dict:
    """Ann with two keys, Bob with fingers who stands, a box and a ball that moves."""
    with Document.create(path, "Shot") as document:
        ann = document.add_actor("human", "Ann")
        document.add_actor("human_with_fingers", "Bob")
        with document.edit("Objects") as edit:
            object_edits.add_object(document, edit, "box")
            ball = object_edits.add_object(document, edit, "ball")
            object_edits.key_object(document, edit, ball, 0.0)
            still = (1.0, 0.0, 0.0, 0.0)
            object_edits.place_object(document, edit, ball, (3.0, 0.5, 2.0), still, 1.0)
        skeleton = document.figure("human").skeleton
        q = document.actor(ann).configuration
        document.set_key(ann, 0.0, q)
        q[skeleton.q_slice("left_elbow")] += 0.7
        document.set_key(ann, 1.0, q)
        frames = forward(skeleton, document.motion(ann).q)
        return {"wrist": frames.position("left_wrist")[15].tolist()}


def content(path: Path) -> list:
    """All rows of a document."""
    with Document.open(path) as document:
        tracks = document.all_tracks()
        keys = [key for track in tracks for key in document.keys(track.id)]
        return [document.actors(), document.objects(), tracks, keys]


def keys_of(armature) -> dict:
    """Everything that the curves of an armature hold."""
    return {
        (curve.data_path, curve.array_index): [
            (*key.co, *key.handle_left, *key.handle_right, key.interpolation, key.handle_left_type)
            for key in curve.keyframe_points
        ]
        for curve in fcurves.curves_of(armature)
    }


def main() -> dict:
    new_scene()
    out: dict = {}
    shot, copy, own = (FOLDER / f"{name}.writhe" for name in ("shot", "copy", "own"))
    expected = make_document(shot)
    assert bpy.ops.writhe.open_document(filepath=str(shot)) == {"FINISHED"}
    scene = bpy.context.scene
    ann = scene.objects["Ann"]
    scene.frame_set(16)
    wrist = scene_sync.poses(bpy.context)["Ann"][scene_sync.body(ann).bones.index("left_wrist")]
    out["apart_m"] = float(np.abs(wrist[:3, 3] - expected["wrist"]).max())
    out["people"] = [item.name for item in scene_sync.characters(bpy.context)]
    out["obstacles"] = [item.name for item in scene_sync.obstacles(bpy.context)]
    bpy.context.view_layer.objects.active = ann
    assert bpy.ops.writhe.certify() == {"FINISHED"}
    out["verdict"] = scene.writhe.verdict
    assert bpy.ops.writhe.write_document(filepath=str(copy)) == {"FINISHED"}
    out["unchanged"] = content(copy) == content(shot)
    scene.objects["Box"].location.x += 0.5
    for curve in fcurves.curves_of(ann):
        if "right_shoulder" in curve.data_path and curve.array_index == 1:
            for key in curve.keyframe_points:
                key.co[1] += 0.1
            curve.update()
    assert bpy.ops.writhe.write_document(filepath=str(copy)) == {"FINISHED"}
    with Document.open(copy) as document:
        out["tracks"] = [(str(track.kind), track.actor) for track in document.all_tracks()]
        out["box_x"] = document.objects()[0].data.position[0]
        document.undo()
    out["undone"] = content(copy) == content(shot)
    # a character of Blender's: away, and into another file
    bpy.ops.wm.read_factory_settings(use_empty=True)
    human = add_human()
    hand_through_chest(human)
    before = keys_of(human)
    bpy.context.scene.frame_set(15)
    pose = scene_sync.poses(bpy.context)["Human"]
    assert bpy.ops.writhe.write_document(filepath=str(own)) == {"FINISHED"}
    bpy.ops.wm.read_factory_settings(use_empty=True)
    assert bpy.ops.writhe.open_document(filepath=str(own)) == {"FINISHED"}
    human = bpy.context.scene.objects["Human"]
    out["same_curves"] = keys_of(human) == before
    bpy.context.scene.frame_set(15)
    out["same_pose_m"] = float(np.abs(scene_sync.poses(bpy.context)["Human"] - pose).max())
    # changed in the studio, opened again over what is here
    with Document.open(own) as document:
        actor = document.actors()[0]
        q = document.motion(actor.id).q[10]
        q[1] += 0.2
        document.set_key(actor.id, 0.5, q)
    assert bpy.ops.writhe.open_document(filepath=str(own)) == {"FINISHED"}
    out["armatures"] = sum(item.type == "ARMATURE" for item in bpy.context.scene.objects)
    out["studios_motion"] = keys_of(human) != before and len(keys_of(human)) > len(before)
    return out


print_result(main)
