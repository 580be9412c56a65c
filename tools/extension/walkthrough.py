"""A walk-through of the extension in a window of Blender, with pictures: `make blender-pictures`.

Run by Blender itself: in_window.sh walkthrough.py FOLDER PYTHON (a Python of the version of
Blender's, with writhe and NumPy 1). Pictures and `result.json` are written into FOLDER.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

_FOLDER, _PYTHON = sys.argv[sys.argv.index("--") + 1 :]
_ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(_ROOT / folder) for folder in ("blender", "tools", "src")]
_FIND = "import sysconfig; print(sysconfig.get_path('purelib'))"
sys.path.append(subprocess.check_output([_PYTHON, "-c", _FIND], text=True).strip())
import bpy  # noqa: E402  # pyright: ignore[reportMissingImports]
from extension.sample import LAST_FRAME, hand_through_chest  # noqa: E402
from extension.window import (  # noqa: E402
    Window,
    arrange,
    drag,
    finished,
    keyed_bones,
    run,
)


def steps(window: Window) -> Iterator[float]:
    """The walk-through; each value is a time to wait."""
    import writhe_blender  # pyright: ignore[reportMissingImports]
    import writhe_blender.operators.drag as tool  # pyright: ignore[reportMissingImports]

    out = window.result
    context = bpy.context
    scene = context.scene
    for name in ("Cube", "Light", "Camera"):
        if name in bpy.data.objects:
            bpy.data.objects.remove(bpy.data.objects[name])
    began = time.perf_counter()
    writhe_blender.register()
    out["registration_ms"] = 1e3 * (time.perf_counter() - began)
    scene.frame_start, scene.frame_end = 1, LAST_FRAME
    window.space.show_region_ui = True
    yield 0.5
    yield from arrange(window)
    with window.context():
        bpy.ops.writhe.add_human(fingers=True)
    armature = context.view_layer.objects.active
    window.look(2.7, (1.35, 0.0, 0.45), (0.2, 0.0, 0.93))
    yield 0.5
    window.picture("select")
    with window.context():
        bpy.ops.writhe.set_up("INVOKE_DEFAULT")
    yield from finished(context)
    scene.writhe.show_shapes = True
    yield 0.6
    window.picture("shapes")
    scene.writhe.show_shapes = False
    with window.context():
        bpy.ops.writhe.preset_pose(pose="stand")
        bpy.ops.object.mode_set(mode="POSE")
        bpy.ops.wm.tool_set_by_id(name="writhe.drag_tool")
    scene.tool_settings.use_keyframe_insert_auto = True
    scene.frame_set(1)
    with window.context():
        bpy.ops.pose.select_all(action="SELECT")
        bpy.ops.anim.keyframe_insert_menu(type="LocRotScale")
        bpy.ops.pose.select_all(action="DESELECT")
    scene.frame_set(20)
    yield 0.5
    hand = armature.pose.bones["left_wrist"]
    here = armature.matrix_world @ hand.head
    chest = armature.matrix_world @ armature.pose.bones["chest"].head
    other = armature.matrix_world @ armature.pose.bones["right_shoulder"].head
    front = here.copy()
    front.z = chest.z
    with window.context():
        bpy.ops.ed.undo_push(message="Keys")  # operators that a script calls push nothing
    goals = [front, 0.25 * chest + 0.75 * other]
    yield from drag(window, armature, "left_wrist", goals, tool.last_times_ms)
    out["moved_m"] = (armature.matrix_world @ hand.head - here).length
    out["keyed"] = keyed_bones(armature, 20)
    window.send("Z", "PRESS", ctrl=True)  # the drag and its keys are one step
    yield 0.8
    scene, armature = bpy.context.scene, bpy.context.scene.objects["Human"]
    hand = armature.pose.bones["left_wrist"]
    out["undo_restores_m"] = (armature.matrix_world @ hand.head - here).length
    out["undo_unkeys"] = keyed_bones(armature, 20) == 0
    window.send("Z", "PRESS", ctrl=True, shift=True)
    yield 0.8
    scene, armature = bpy.context.scene, bpy.context.scene.objects["Human"]
    hand = armature.pose.bones["left_wrist"]
    with window.context():
        bpy.ops.writhe.certify("INVOKE_DEFAULT")
    yield from finished(context)
    out["dragged"] = scene.writhe.verdict
    window.picture("certified")
    hand_through_chest(armature)
    with window.context():
        bpy.ops.writhe.certify("INVOKE_DEFAULT")
    yield from finished(context)
    out["through"], out["markers"] = scene.writhe.verdict, len(scene.timeline_markers)
    if len(scene.writhe.marks):
        bpy.ops.writhe.go_to(index=0)
    yield 0.5
    window.picture("passes_through")
    with window.context():
        bpy.ops.writhe.clean("INVOKE_DEFAULT")
    yield 0.5
    out["was_working"] = scene.writhe.working
    window.send("ESC", "PRESS", window.pixel(armature.matrix_world @ hand.head))
    yield 0.8
    out["cancelled"] = not scene.writhe.working and scene.writhe.verdict == out["through"]
    began = time.perf_counter()
    with window.context():
        bpy.ops.writhe.clean("INVOKE_DEFAULT")
    yield 1.0
    window.picture("cleaning")
    yield from finished(context)
    out["clean_s"], out["cleaned"] = time.perf_counter() - began, scene.writhe.verdict
    window.picture("cleaned")
    scene.frame_set(LAST_FRAME // 2 + 2)
    before = [tuple(bone.rotation_quaternion) for bone in armature.pose.bones]
    yield 0.3
    window.send("MOUSEMOVE", "NOTHING", window.pixel(armature.matrix_world @ hand.head))
    window.send("LEFTMOUSE", "PRESS")
    yield 0.3
    for k in range(10):
        x, y = window.pixel(armature.matrix_world @ hand.head)
        window.send("MOUSEMOVE", "NOTHING", (x + 6 * k, y + 4 * k))
        yield 0.05
    window.send("ESC", "PRESS")
    yield 0.5
    out["escape_restores"] = before == [tuple(b.rotation_quaternion) for b in armature.pose.bones]
    yield from _wind(window, armature)


def _wind(window: Window, armature) -> Iterator[float]:
    """The arms wound around each other by the slider, kept."""
    scene, out = bpy.context.scene, window.result
    armature.animation_data_clear()
    scene.tool_settings.use_keyframe_insert_auto = False
    tangle = scene.writhe.tangle
    tangle.first = tangle.second = armature
    with window.context():
        bpy.ops.writhe.clear_result()
        bpy.ops.writhe.preset_pose(pose="stand")
    yield 0.3
    yield from _along_axis(window, armature)
    with window.context():
        bpy.ops.writhe.wind("INVOKE_DEFAULT")
    yield 0.5
    tangle.writhe = 0.45
    for _ in range(40):
        yield 0.25
        if abs(tangle.measured - tangle.writhe) < 0.03:
            break
    out["wound"] = tangle.measured
    window.picture("winding")
    bpy.ops.writhe.keep_winding()
    yield 0.5
    out["kept"] = not tangle.live
    yield from _control_rig(window, armature)


def _along_axis(window: Window, armature) -> Iterator[float]:
    """The pointer moves obliquely, the hand only along the axis that is chosen by its key."""
    hand = armature.pose.bones["left_wrist"]
    before = armature.matrix_world @ hand.head
    x, y = window.pixel(before)
    window.send("MOUSEMOVE", "NOTHING", (x, y))
    yield 0.3
    window.send("LEFTMOUSE", "PRESS")
    yield 0.3
    for value in ("PRESS", "RELEASE"):
        window.send("X", value)
        yield 0.1
    for k in range(1, 16):
        window.send("MOUSEMOVE", "NOTHING", (x + 5 * k, y + 5 * k))
        yield 0.05
    yield 0.8
    window.result["along_x_m"] = list(armature.matrix_world @ hand.head - before)
    window.send("ESC", "PRESS")
    yield 0.5


def _control_rig(window: Window, armature) -> Iterator[float]:
    """A rig that Rigify generates, its hand dragged to the other shoulder."""
    context, out = bpy.context, window.result
    for item in [*armature.children, armature]:
        bpy.data.objects.remove(item)
    with window.context():
        bpy.ops.preferences.addon_enable(module="rigify")
        bpy.ops.object.armature_basic_human_metarig_add()
        metarig = context.view_layer.objects.active
        bpy.ops.pose.rigify_generate()
    rig = next(o for o in context.scene.objects if o.type == "ARMATURE" and o != metarig)
    bpy.data.objects.remove(metarig)
    import writhe_blender.operators.drag as tool  # pyright: ignore[reportMissingImports]
    from extension.sample import box_body

    box_body(rig)
    context.view_layer.objects.active = rig
    rig.select_set(True)
    window.look(2.9, (1.35, 0.0, 0.45), (0.25, 0.0, 0.93))
    with window.context():
        bpy.ops.writhe.set_up("INVOKE_DEFAULT")
    yield from finished(context)
    out["rig"] = rig.writhe.summary
    with window.context():
        bpy.ops.object.mode_set(mode="POSE")
        bpy.ops.wm.tool_set_by_id(name="writhe.drag_tool")
    yield 0.5
    hand = rig.pose.bones["ORG-hand.L"]
    here = hand.head.copy()
    front = here.copy()
    front.y -= 0.3
    goal = rig.pose.bones["ORG-upper_arm.R"].head.copy()
    goal.y -= 0.15
    yield from drag(window, rig, "ORG-hand.L", [front, goal], tool.last_times_ms, "rig")
    out["rig_moved_m"] = (rig.pose.bones["ORG-hand.L"].head - here).length


run(Path(_FOLDER), steps)
