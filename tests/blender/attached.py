"""Runs in a Python with bpy and without writhe; writhe runs elsewhere.

Usage: attached.py python PYTHON, or attached.py address ADDRESS. Prints one line of JSON.
"""

import sys
import time

import bpy  # pyright: ignore[reportMissingImports]
from blender_checkout import add_human, new_scene
from blender_runs import drag_to, print_result
from extension.sample import hand_through_chest  # pyright: ignore[reportMissingImports]
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
    context = new_scene()
    out: dict = {"problem": engine.problem()}
    engine.use(**{sys.argv[1]: sys.argv[2]})
    assert bpy.ops.writhe.check_engine() == {"FINISHED"}
    out["where"] = engine.where()
    armature = add_human()
    hand = armature.pose.bones["left_wrist"]
    drag = dragging.BoneDrag(context, armature, [(hand.name, hand.head)])
    goal = drag.start * [-0.2, 0.9, 1.0] + [0.0, 0.0, 0.3]
    answer, out["drag_ms"] = drag_to(drag, goal, 60)
    out["error_m"] = answer["error_m"][hand.name]
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
