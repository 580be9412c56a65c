"""Runs in a Python with bpy and without writhe; writhe runs elsewhere.

Usage: attached.py python PYTHON, or attached.py address ADDRESS. Prints one line of JSON.
"""

import sys
import time
from pathlib import Path

import bpy  # pyright: ignore[reportMissingImports]
import numpy as np
from blender_runs import print_result

sys.path.insert(0, str(Path(__file__).parents[2] / "blender"))
sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import writhe_blender  # pyright: ignore[reportMissingImports]
from blender_sample import hand_through_chest  # pyright: ignore[reportMissingImports]
from writhe_blender import dragging, engine, jobs, scene_sync  # pyright: ignore[reportMissingImports]
from writhe_blender.operators.action import motion_data  # pyright: ignore[reportMissingImports]


def cancelled(context, armature) -> bool:
    """Whether work in the background stops when it is cancelled, and others work on."""
    worker = engine.worker()
    scene_sync.send(context, worker)
    data, span, _ = motion_data(context, armature)
    more = {"character": armature.name, "fps": span.fps, "frames": span.frames}
    work = jobs.Work(worker, "clean", {**data, **more, "modes": scene_sync.modes(context)})
    time.sleep(0.2)
    engine.stop_worker()
    deadline = time.monotonic() + 20.0
    while not work.done and time.monotonic() < deadline:
        time.sleep(0.05)
    return work.done and "has ended" in work.error and engine.worker() is not worker


def main() -> dict:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    writhe_blender.register()
    out: dict = {"problem": engine.problem()}
    engine.use(**{sys.argv[1]: sys.argv[2]})
    assert bpy.ops.writhe.check_engine() == {"FINISHED"}
    out["where"] = engine.where()
    assert bpy.ops.writhe.add_human() == {"FINISHED"}
    assert bpy.ops.writhe.set_up() == {"FINISHED"}
    context, armature = bpy.context, bpy.context.object
    hand = armature.pose.bones["left_wrist"]
    drag = dragging.BoneDrag(context, armature, [(hand.name, hand.head)])
    goal = drag.start * [-0.2, 0.9, 1.0] + [0.0, 0.0, 0.3]
    times = []
    for share in np.linspace(0.02, 1.0, 60):
        began = time.perf_counter()
        answer = drag.move(drag.start + share * (goal - drag.start))
        times.append(1e3 * (time.perf_counter() - began))
    out["error_m"], out["drag_ms"] = answer["error_m"][hand.name], float(np.median(times))
    assert bpy.ops.writhe.certify() == {"FINISHED"}
    settings = context.scene.writhe
    out["verdict"] = settings.verdict
    hand_through_chest(armature)
    assert bpy.ops.writhe.certify() == {"FINISHED"}
    out["through"] = settings.verdict
    out["cancelled"] = cancelled(context, armature)
    assert bpy.ops.writhe.clean() == {"FINISHED"}
    out["cleaned"] = settings.verdict
    out["loaded"] = [name for name in sys.modules if name.split(".")[0] in ("writhe", "numba")]
    engine.stop()
    return out


print_result(main)
