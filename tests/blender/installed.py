"""Runs in a Python with bpy and without writhe: installs the zip as a user does, and uses it.

Usage: installed.py ZIP FOLDER (Blender's user folder). Prints one line of JSON.
"""

import json
import logging
import os
import sys
import time
import traceback
from pathlib import Path

ZIP, FOLDER = sys.argv[1:3]
os.environ["BLENDER_USER_RESOURCES"] = FOLDER
os.environ["WRITHE_CACHE_DIR"] = str(Path(FOLDER) / "cache")  # empty: kernels come with the zip
import bpy  # noqa: E402  # pyright: ignore[reportMissingImports]
import numpy as np  # noqa: E402


class Compiled(logging.Handler):
    """Collects the kernels that are compiled."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.names.append(record.getMessage())


def main() -> dict:
    out: dict = {"blender": bpy.app.version_string, "python": sys.version.split()[0]}
    bpy.ops.wm.read_factory_settings(use_empty=True)
    found = bpy.ops.extensions.package_install_files(
        repo="user_default", filepath=ZIP, enable_on_install=True
    )
    out["installed"] = "FINISHED" in found
    name = "bl_ext.user_default.writhe"
    out["enabled"] = name in bpy.context.preferences.addons
    loaded = [module for module in sys.modules if module.split(".")[0] in ("writhe", "numba")]
    out["loaded_at_registration"] = loaded
    module = sys.modules[name]
    module.unregister()
    began = time.perf_counter()
    module.register()
    out["registration_ms"] = 1e3 * (time.perf_counter() - began)
    compiled = Compiled()
    log = logging.getLogger("writhe.kernels")
    log.setLevel(logging.DEBUG)
    log.addHandler(compiled)
    began = time.perf_counter()
    assert bpy.ops.writhe.add_human(fingers=True) == {"FINISHED"}
    assert bpy.ops.writhe.set_up() == {"FINISHED"}
    out["set_up_s"] = time.perf_counter() - began
    context, armature = bpy.context, bpy.context.object
    out["bones"] = len(armature.data.bones)
    bpy.ops.object.mode_set(mode="POSE")
    for tool in ("dragging", "axes"):
        __import__(f"{name}.{tool}")
    hand = armature.pose.bones["left_wrist"]
    drag = sys.modules[f"{name}.dragging"].BoneDrag(context, armature, [("left_wrist", hand.head)])
    goal = drag.start * [-0.2, 0.9, 1.0] + [0.0, 0.0, 0.3]
    times = []
    for share in np.linspace(0.01, 1.0, 100):
        began = time.perf_counter()
        answer = drag.move(drag.start + share * (goal - drag.start))
        times.append(1e3 * (time.perf_counter() - began))
    out["drag_ms"], out["error_m"] = float(np.median(times)), answer["error_m"]["left_wrist"]
    context.scene.tool_settings.use_keyframe_insert_auto = True
    context.scene.frame_set(20)
    out["keyed"] = drag.key()
    assert bpy.ops.writhe.certify() == {"FINISHED"}
    out["verdict"] = context.scene.writhe.verdict
    import writhe

    out["from_wheel"] = Path(writhe.__file__).is_relative_to(FOLDER)
    out["compiled"] = compiled.names
    return out


try:
    print("RESULT " + json.dumps(main()), flush=True)
except BaseException:
    traceback.print_exc()
finally:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
