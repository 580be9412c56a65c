"""A walk-through of the extension in a window of Blender, with pictures: `make blender-pictures`.

Run by Blender itself (see blender_walkthrough.sh):
    blender --enable-event-simulate -P tools/blender_walkthrough.py -- FOLDER PATH...
PATH... are folders that are searched for writhe and what it needs. The pointer and the keyboard are
simulated; pictures and `result.json` are written into FOLDER.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_GIVEN = sys.argv[sys.argv.index("--") + 1 :]
FOLDER = Path(_GIVEN[0])
sys.path[:0] = [
    str(Path(__file__).parents[1] / "blender"),
    str(Path(__file__).parent),
    *_GIVEN[1:],
]
import bpy  # noqa: E402  # pyright: ignore[reportMissingImports]
import numpy as np  # noqa: E402
from blender_sample import LAST_FRAME, hand_through_chest  # noqa: E402

_LONGEST_S = 900.0


class Window:
    """The main window: its 3D view, the simulated pointer, pictures."""

    def __init__(self) -> None:
        self.window = bpy.context.window_manager.windows[0]
        areas = self.window.screen.areas
        self.area = next(area for area in areas if area.type == "VIEW_3D")
        self.space = self.area.spaces.active

    def region(self, kind: str = "WINDOW") -> Any:
        """A region of the 3D view."""
        return next(region for region in self.area.regions if region.type == kind)

    def context(self) -> Any:
        """Operators run in the 3D view."""
        return bpy.context.temp_override(window=self.window, area=self.area, region=self.region())

    def send(self, kind: str, value: str, at: tuple[int, int] | None = None, **held: bool) -> None:
        """An event, with keys that are held; the pointer is where it was unless `at` is given."""
        if at is not None:
            self._at = at
        x, y = self._at
        self.window.event_simulate(type=kind, value=value, x=x, y=y, **held)

    def pixel(self, point) -> tuple[int, int]:
        """Where a point of the world is in the window."""
        from bpy_extras.view3d_utils import location_3d_to_region_2d  # pyright: ignore

        region = self.region()
        flat = location_3d_to_region_2d(region, self.space.region_3d, point)
        return int(region.x + flat[0]), int(region.y + flat[1])

    def picture(self, name: str) -> None:
        """Save the whole window."""
        with bpy.context.temp_override(window=self.window, screen=self.window.screen):
            bpy.ops.screen.screenshot(filepath=str(FOLDER / f"{name}.png"))

    def look(self, distance: float, turn: tuple[float, float, float], at) -> None:
        """Place the view."""
        from mathutils import Euler, Vector  # pyright: ignore[reportMissingImports]

        view = self.space.region_3d
        view.view_perspective = "PERSP"
        view.view_distance, view.view_location = distance, Vector(at)
        view.view_rotation = Euler(turn).to_quaternion()


def _drag(
    window: Window, armature, bone: str, way, out: dict[str, Any], name: str = "drag"
) -> Iterator[float]:
    """Press on a bone, move along points of the world, release; pictures on the way."""
    import writhe_blender.operators.drag as tool  # pyright: ignore[reportMissingImports]

    pose = armature.pose.bones[bone]
    start = armature.matrix_world @ pose.head.lerp(pose.tail, 0.3)
    at = np.array(window.pixel(start))
    window.send("MOUSEMOVE", "NOTHING", (int(at[0]), int(at[1])))
    yield 0.3
    window.send("LEFTMOUSE", "PRESS")
    yield 0.3
    goals = [np.array(window.pixel(point)) for point in way]
    for goal in goals:
        for share in np.linspace(0.04, 1.0, 25):
            x, y = (at + share * (goal - at)).astype(int)
            window.send("MOUSEMOVE", "NOTHING", (int(x), int(y)))
            yield 0.03
        at = goal
    yield 0.8
    window.picture(name)
    out[f"{name}_ms"] = float(np.median(tool.last_times_ms))
    out[f"{name}_p95_ms"] = float(np.quantile(tool.last_times_ms, 0.95))
    window.send("LEFTMOUSE", "RELEASE")
    yield 0.5


def _finished(context) -> Iterator[float]:
    """Wait for work in the background."""
    yield 0.3
    while context.scene.writhe.working:
        yield 0.2
    yield 0.3


def steps(out: dict[str, Any]) -> Iterator[float]:
    """The walk-through; each value is a time to wait."""
    import writhe_blender  # pyright: ignore[reportMissingImports]

    window = Window()
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
    yield from _arrange(window)
    with window.context():
        bpy.ops.writhe.add_human(fingers=True)
    armature = context.view_layer.objects.active
    window.look(2.7, (1.35, 0.0, 0.45), (0.2, 0.0, 0.93))
    yield 0.5
    window.picture("select")
    with window.context():
        bpy.ops.writhe.set_up("INVOKE_DEFAULT")
    yield from _finished(context)
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
    yield from _drag(window, armature, "left_wrist", [front, 0.25 * chest + 0.75 * other], out)
    out["moved_m"] = (armature.matrix_world @ hand.head - here).length
    out["keyed"] = _keyed_bones(armature, 20)
    window.send("Z", "PRESS", ctrl=True)  # the drag and its keys are one step
    yield 0.8
    scene, armature = bpy.context.scene, bpy.context.scene.objects["Human"]
    hand = armature.pose.bones["left_wrist"]
    out["undo_restores_m"] = (armature.matrix_world @ hand.head - here).length
    out["undo_unkeys"] = _keyed_bones(armature, 20) == 0
    window.send("Z", "PRESS", ctrl=True, shift=True)
    yield 0.8
    scene, armature = bpy.context.scene, bpy.context.scene.objects["Human"]
    hand = armature.pose.bones["left_wrist"]
    with window.context():
        bpy.ops.writhe.certify("INVOKE_DEFAULT")
    yield from _finished(context)
    out["dragged"] = scene.writhe.verdict
    window.picture("certified")
    hand_through_chest(armature)
    with window.context():
        bpy.ops.writhe.certify("INVOKE_DEFAULT")
    yield from _finished(context)
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
    yield from _finished(context)
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
    yield from _wind(window, armature, out)


def _wind(window: Window, armature, out: dict[str, Any]) -> Iterator[float]:
    """The arms wound around each other by the slider, kept."""
    scene = bpy.context.scene
    armature.animation_data_clear()
    scene.tool_settings.use_keyframe_insert_auto = False
    tangle = scene.writhe.tangle
    tangle.first = tangle.second = armature
    with window.context():
        bpy.ops.writhe.clear_result()
        bpy.ops.writhe.preset_pose(pose="stand")
    yield 0.3
    yield from _along_axis(window, armature, out)
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
    yield from _control_rig(window, armature, out)


def _along_axis(window: Window, armature, out: dict[str, Any]) -> Iterator[float]:
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
    out["along_x_m"] = list(armature.matrix_world @ hand.head - before)
    window.send("ESC", "PRESS")
    yield 0.5


def _control_rig(window: Window, armature, out: dict[str, Any]) -> Iterator[float]:
    """A rig that Rigify generates, its hand dragged to the other shoulder."""
    context = bpy.context
    for item in [*armature.children, armature]:
        bpy.data.objects.remove(item)
    with window.context():
        bpy.ops.preferences.addon_enable(module="rigify")
        bpy.ops.object.armature_basic_human_metarig_add()
        metarig = context.view_layer.objects.active
        bpy.ops.pose.rigify_generate()
    rig = next(o for o in context.scene.objects if o.type == "ARMATURE" and o != metarig)
    bpy.data.objects.remove(metarig)
    from blender_sample import box_body

    box_body(rig)
    context.view_layer.objects.active = rig
    rig.select_set(True)
    window.look(2.9, (1.35, 0.0, 0.45), (0.25, 0.0, 0.93))
    with window.context():
        bpy.ops.writhe.set_up("INVOKE_DEFAULT")
    yield from _finished(context)
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
    yield from _drag(window, rig, "ORG-hand.L", [front, goal], out, "rig")
    out["rig_moved_m"] = (rig.pose.bones["ORG-hand.L"].head - here).length


def _arrange(window: Window) -> Iterator[float]:
    """A timeline that is high enough for its markers; click on the tab of the extension."""
    timeline = next(a for a in window.window.screen.areas if a.type == "DOPESHEET_EDITOR")
    with bpy.context.temp_override(window=window.window, screen=window.window.screen):
        bpy.ops.screen.area_move(x=400, y=timeline.y + timeline.height, delta=50)
    inner = next(r for r in timeline.regions if r.type == "WINDOW")
    with bpy.context.temp_override(window=window.window, area=timeline, region=inner):
        bpy.ops.action.view_all()
    yield 0.5
    region = window.region("UI")
    # the first click closes the splash screen; without an object the tab is the third one
    for at in ((300, 300), (region.x + region.width - 13, region.y + region.height - 112)):
        window.send("MOUSEMOVE", "NOTHING", at)
        yield 0.3
        window.send("LEFTMOUSE", "PRESS")
        yield 0.3
        window.send("LEFTMOUSE", "RELEASE")
        yield 0.4


def _keyed_bones(armature, frame: int) -> int:
    data = armature.animation_data
    curves = data.action.fcurves if data is not None and data.action is not None else ()
    found = {
        curve.data_path.split('"')[1]
        for curve in curves
        if any(abs(key.co[0] - frame) < 0.01 for key in curve.keyframe_points)
    }
    return len(found)


def main() -> None:
    """Run the steps by a timer, write the result, end Blender."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    out: dict[str, Any] = {"blender": bpy.app.version_string}
    walk = steps(out)
    began = time.perf_counter()

    def tick() -> float | None:
        try:
            if time.perf_counter() - began > _LONGEST_S:
                raise TimeoutError(f"not done after {_LONGEST_S:.0f} s")
            return next(walk)
        except StopIteration:
            out["done"] = True
        except BaseException as error:
            traceback.print_exc()
            out["error"] = f"{type(error).__name__}: {error}"
        (FOLDER / "result.json").write_text(json.dumps(out))
        sys.stdout.flush()
        os._exit(0)

    bpy.app.timers.register(tick, first_interval=1.0)


main()
