"""The window of Blender with a simulated pointer and keyboard, and scripts that run in it.

Imported by scripts that Blender runs (see in_window.sh).
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bpy  # pyright: ignore[reportMissingImports]
import numpy as np

_LONGEST_S = 900.0


class Window:
    """The main window: its 3D view, the simulated pointer, pictures; what was found out."""

    def __init__(self, folder: Path, result: dict[str, Any]) -> None:
        self.folder, self.result = folder, result
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
            bpy.ops.screen.screenshot(filepath=str(self.folder / f"{name}.png"))

    def look(self, distance: float, turn: tuple[float, float, float], at) -> None:
        """Place the view."""
        from mathutils import Euler, Vector  # pyright: ignore[reportMissingImports]

        view = self.space.region_3d
        view.view_perspective = "PERSP"
        view.view_distance, view.view_location = distance, Vector(at)
        view.view_rotation = Euler(turn).to_quaternion()


def drag(
    window: Window, armature, bone: str, way, times_ms: list[float], name: str = "drag"
) -> Iterator[float]:
    """Press on a bone, move along points of the world, release; a picture before that.

    times_ms: those of `operators.drag`, of which this gives the figures to `window.result`.
    """
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
    window.result[f"{name}_ms"] = float(np.median(times_ms))
    window.result[f"{name}_p95_ms"] = float(np.quantile(times_ms, 0.95))
    window.send("LEFTMOUSE", "RELEASE")
    yield 0.5


def finished(context) -> Iterator[float]:
    """Wait for work in the background."""
    yield 0.3
    while context.scene.writhe.working:
        yield 0.2
    yield 0.3


def arrange(window: Window) -> Iterator[float]:
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


def keyed_bones(armature, frame: int) -> int:
    """How many bones have a key at a frame."""
    data = armature.animation_data
    curves = data.action.fcurves if data is not None and data.action is not None else ()
    found = {
        curve.data_path.split('"')[1]
        for curve in curves
        if any(abs(key.co[0] - frame) < 0.01 for key in curve.keyframe_points)
    }
    return len(found)


def run(folder: Path, steps: Callable[[Window], Iterator[float]]) -> None:
    """Run steps by a timer, write `Window.result` into result.json, end Blender.

    Each value of `steps` is a time to wait.
    """
    folder.mkdir(parents=True, exist_ok=True)
    out: dict[str, Any] = {"blender": bpy.app.version_string}
    began = time.perf_counter()

    def all_steps() -> Iterator[float]:
        yield from steps(Window(folder, out))

    walk = all_steps()

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
        (folder / "result.json").write_text(json.dumps(out))
        sys.stdout.flush()
        os._exit(0)

    bpy.app.timers.register(tick, first_interval=1.0)
