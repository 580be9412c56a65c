"""Runs in a Python with bpy and writhe: obstacles, two characters, keys connected by a path.

Prints one line of JSON.
"""

import bpy  # pyright: ignore[reportMissingImports]
import numpy as np
from blender_checkout import add_human, new_scene
from blender_runs import drag_to, print_result
from writhe_blender import dragging, overlay, scene_sync  # pyright: ignore[reportMissingImports]


def add_mesh(name: str, boxes):
    """Boxes (centre, half sizes) as one mesh object, marked as an obstacle."""
    corners, faces = [], []
    for centre, half in boxes:
        start = len(corners)
        corners += [
            tuple(c + s * h for c, s, h in zip(centre, signs, half, strict=True))
            for signs in ((-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1),
                          (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1))
        ]  # fmt: skip
        quads = ((3, 2, 1, 0), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
        faces += [tuple(start + k for k in quad) for quad in quads]
    data = bpy.data.meshes.new(name)
    data.from_pydata(corners, [], faces)
    item = bpy.data.objects.new(name, data)
    bpy.context.collection.objects.link(item)
    for other in bpy.context.selected_objects:
        other.select_set(False)
    item.select_set(True)
    assert bpy.ops.writhe.obstacle(solid=True, split=len(boxes) > 1) == {"FINISHED"}
    return item


def only(context, item) -> None:
    context.view_layer.objects.active = item
    context.view_layer.update()


def red_parts(context, frame: float) -> bool:
    """Whether parts are drawn as colliding at a frame."""
    context.scene.frame_set(int(frame), subframe=frame - int(frame))
    return overlay.COLLIDING in [colour for colour, _, _ in overlay.batches(context)]


def two_people(context, human, other) -> dict:
    """A hand dragged to another person, an arm that swings through the other's, arms wound."""
    out: dict = {}
    settings, people = context.scene.writhe, (human, other)

    def stand() -> None:
        for each in people:
            each.animation_data_clear()
            only(context, each)
            assert bpy.ops.writhe.preset_pose(pose="stand") == {"FINISHED"}
        only(context, human)

    other.location = (0.75, 0.0, 0.0)
    stand()
    hand, chest = human.pose.bones["left_wrist"], other.pose.bones["chest"]
    drag = dragging.BoneDrag(context, human, [("left_wrist", hand.head)])
    goal = other.matrix_world @ chest.head
    answer, _ = drag_to(drag, np.array([[goal.x, goal.z, -goal.y]]), 80)
    context.view_layer.update()
    out["hand_to_chest_m"] = (hand.head - goal).length
    out["clearance_m"] = answer["clearance_m"]
    drag.undo()
    shoulder = human.pose.bones["left_shoulder"]
    hanging = tuple(shoulder.rotation_quaternion)
    for frame, turn in ((1, hanging), (10, (1.0, 0.0, 0.0, 0.0)), (20, hanging)):
        shoulder.rotation_quaternion = turn
        shoulder.keyframe_insert("rotation_quaternion", frame=frame)
    assert bpy.ops.writhe.certify() == {"FINISHED"}
    out["swing"] = settings.verdict
    out["red"] = [red_parts(context, settings.marks[0].frame), red_parts(context, 1)]
    assert bpy.ops.writhe.clean() == {"FINISHED"}
    out["cleaned"] = settings.verdict
    out["other_is_keyed"] = bool(other.animation_data and other.animation_data.action)
    # face to face: the left arm of one around the right arm of the other
    other.location, other.rotation_euler = (0.0, -0.55, 0.0), (0.0, 0.0, np.pi)
    stand()
    tangle = settings.tangle
    tangle.first, tangle.first_limb = human, "left_arm"
    tangle.second, tangle.second_limb = other, "right_arm"
    tangle.writhe = 0.2
    assert bpy.ops.writhe.wind() == {"FINISHED"}
    out["wound"] = tangle.measured
    assert bpy.ops.writhe.certify() == {"FINISHED"}
    out["wound_verdict"] = settings.verdict
    return out


def main() -> dict:
    context, out = new_scene(), {}
    settings, human = context.scene.writhe, add_human()
    assert bpy.ops.writhe.preset_pose(pose="stand") == {"FINISHED"}
    # a ball's box flies through the body; the character itself does not move
    flying = add_mesh("Flying", [((0.0, 0.0, 0.0), (0.1, 0.1, 0.1))])
    for frame, y in ((1, -2.0), (20, 2.0)):
        flying.location = (0.0, y, 1.1)
        flying.keyframe_insert("location", frame=frame)
    only(context, human)
    context.scene.frame_start, context.scene.frame_end = 1, 20
    assert bpy.ops.writhe.certify() == {"FINISHED"}
    out["flying"] = settings.verdict
    out["marks"] = sorted({name for mark in settings.marks for name in (mark.a, mark.b)})
    out["markers"] = [marker.name for marker in context.scene.timeline_markers]
    bpy.data.objects.remove(flying)
    # a hand is dragged towards a point inside a wall in front of the body
    wall = add_mesh("Wall", [((0.0, -0.6, 1.0), (1.0, 0.1, 1.0))])
    only(context, human)
    hand = human.pose.bones["left_wrist"]
    drag = dragging.BoneDrag(context, human, [("left_wrist", hand.head)])
    goal = np.array([[0.1, 1.2, 0.6]])  # in writhe's axes
    answer, _ = drag_to(drag, goal, 80)
    context.view_layer.update()
    out["hand_y"], out["clearance_m"] = hand.head.y, answer["clearance_m"]
    drag.undo()
    context.view_layer.update()
    bpy.data.objects.remove(wall)
    # a post stands between two keys of the hand
    bpy.ops.object.mode_set(mode="POSE")
    for frame, x in ((1, 0.05), (30, 0.6)):
        context.scene.frame_set(frame)
        drag = dragging.BoneDrag(context, human, [("left_wrist", hand.head)])
        goal = np.array([[x, 1.15, 0.38]])
        drag_to(drag, goal, 80)
        for bone in human.pose.bones:
            bone.keyframe_insert("rotation_quaternion")
            bone.keyframe_insert("location")
        context.view_layer.update()
    bpy.ops.object.mode_set(mode="OBJECT")
    post = add_mesh(
        "Post",
        [((0.35, -0.42, 0.75), (0.03, 0.03, 0.75)), ((0.35, -0.42, 0.03), (0.15, 0.15, 0.03))],
    )
    only(context, human)
    assert bpy.ops.writhe.certify() == {"FINISHED"}
    out["pieces"] = len(scene_sync.hulls(post))
    out["straight"] = settings.verdict
    context.scene.frame_set(15)
    out["connect"] = list(bpy.ops.writhe.connect())
    out["connected"] = settings.verdict
    bpy.data.objects.remove(post)
    # a second character, so near that an arm is in the other's
    human.animation_data_clear()
    for bone in human.pose.bones:
        bone.matrix_basis.identity()
    context.scene.cursor.location = (0.9, 0.0, 0.0)
    add_human()
    assert bpy.ops.writhe.certify() == {"FINISHED"}
    out["two"] = settings.verdict
    context.object.location.y += 0.06
    context.view_layer.update()
    assert bpy.ops.writhe.certify() == {"FINISHED"}
    out["two_beside"] = settings.verdict
    out["two_marks"] = sorted({mark.a.split(":")[0] for mark in settings.marks}
                              | {mark.b.split(":")[0] for mark in settings.marks})  # fmt: skip
    return out | {"people": two_people(context, human, context.object)}


print_result(main)
