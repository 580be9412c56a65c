"""Runs in a Python with bpy and without writhe; writhe runs in another Python.

Usage: attached.py PYTHON. Prints one line of JSON.
"""

import json
import os
import sys
import traceback
from pathlib import Path

import bpy  # pyright: ignore[reportMissingImports]
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "blender"))
import writhe_blender  # pyright: ignore[reportMissingImports]
from writhe_blender import dragging, engine  # pyright: ignore[reportMissingImports]


def main() -> dict:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    writhe_blender.register()
    out: dict = {"problem": engine.problem()}
    engine.use_python(sys.argv[1])
    assert bpy.ops.writhe.add_human() == {"FINISHED"}
    assert bpy.ops.writhe.set_up() == {"FINISHED"}
    context, armature = bpy.context, bpy.context.object
    hand = armature.pose.bones["left_wrist"]
    drag = dragging.BoneDrag(context, armature, [(hand.name, hand.head)])
    goal = drag.start * [-0.2, 0.9, 1.0] + [0.0, 0.0, 0.3]
    for share in np.linspace(0.02, 1.0, 60):
        answer = drag.move(drag.start + share * (goal - drag.start))
    out["error_m"] = answer["error_m"][hand.name]
    assert bpy.ops.writhe.certify() == {"FINISHED"}
    out["verdict"] = context.scene.writhe.verdict
    out["loaded"] = [name for name in sys.modules if name.split(".")[0] in ("writhe", "numba")]
    engine.stop()
    return out


try:
    print("RESULT " + json.dumps(main()), flush=True)
except BaseException:
    traceback.print_exc()
finally:  # bpy may hang when the interpreter ends
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
