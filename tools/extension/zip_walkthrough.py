"""The zip of `make blender` in a window of Blender: a character's hand dragged, keyed, certified.

Run by Blender itself: in_window.sh zip_walkthrough.py FOLDER ZIP CHARACTER PYTHON (a glTF file of a
character with Mixamo's bones; a Python of Blender's version with NumPy 1, which Debian's Blender
does not bring, and without writhe). Blender 3.4 installs no extensions with wheels: the zip and its
wheels are unpacked into FOLDER instead. Pictures and `result.json` are written into FOLDER.
"""

from __future__ import annotations

import importlib
import logging
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

_FOLDER, _ZIP, _CHARACTER, _PYTHON = sys.argv[sys.argv.index("--") + 1 :]
sys.path.insert(0, str(Path(__file__).parents[1]))
_FIND = "import sysconfig; print(sysconfig.get_path('purelib'))"
sys.path.append(subprocess.check_output([_PYTHON, "-c", _FIND], text=True).strip())
import bpy  # noqa: E402  # pyright: ignore[reportMissingImports]
import numpy as np  # noqa: E402
from extension.window import (  # noqa: E402
    Window,
    arrange,
    drag,
    finished,
    keyed_bones,
    run,
)

_LAST_FRAME = 20


def unpack() -> None:
    """Make the extension and its wheels importable."""
    folder = Path(_FOLDER).resolve()
    extension, packages = folder / "unpacked" / "writhe_extension", folder / "packages"
    with zipfile.ZipFile(_ZIP) as archive:
        archive.extractall(extension)
    for wheel in (extension / "wheels").glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(packages)
    os.environ["WRITHE_CACHE_DIR"] = str(folder / "cache")  # empty: kernels come with the zip
    sys.path[:0] = [str(extension.parent), str(packages)]


class _Compiled(logging.Handler):
    """Collects the kernels that are compiled."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.names.append(record.getMessage())


def imported():
    """The armature of the character, active, in its rest pose."""
    # the importer of Blender 3.4 expects NumPy before 1.24
    np.bool = bool  # pyright: ignore[reportAttributeAccessIssue]
    bpy.ops.import_scene.gltf(filepath=_CHARACTER)
    armature = next(o for o in bpy.context.scene.objects if o.type == "ARMATURE")
    armature.animation_data_clear()
    for bone in armature.pose.bones:
        bone.matrix_basis.identity()
    bpy.context.view_layer.objects.active = armature
    armature.select_set(True)
    return armature


def steps(window: Window) -> Iterator[float]:
    """Set up, key, drag across the chest, certify; each value is a time to wait."""
    out, context, scene = window.result, bpy.context, bpy.context.scene
    for name in ("Cube", "Light", "Camera"):
        bpy.data.objects.remove(bpy.data.objects[name])
    unpack()
    extension = importlib.import_module("writhe_extension")
    extension.register()
    loaded = [name for name in sys.modules if name.split(".")[0] in ("writhe", "numba")]
    out["loaded_at_registration"] = loaded
    compiled, log = _Compiled(), logging.getLogger("writhe.kernels")
    log.setLevel(logging.DEBUG)
    log.addHandler(compiled)
    window.space.show_region_ui = True
    yield 0.5
    yield from arrange(window)
    with window.context():
        armature = imported()
    window.look(2.7, (1.35, 0.0, 0.45), (0.2, 0.0, 0.93))
    yield 0.5
    with window.context():
        bpy.ops.writhe.set_up("INVOKE_DEFAULT")
    yield from finished(context)
    out["bones"], out["summary"] = len(armature.data.bones), armature.writhe.summary
    with window.context():
        bpy.ops.object.mode_set(mode="POSE")
        bpy.ops.wm.tool_set_by_id(name="writhe.drag_tool")
        scene.frame_start, scene.frame_end = 1, _LAST_FRAME
        scene.frame_set(1)
        scene.tool_settings.use_keyframe_insert_auto = True
        bpy.ops.pose.select_all(action="SELECT")
        bpy.ops.anim.keyframe_insert_menu(type="LocRotScale")
        bpy.ops.pose.select_all(action="DESELECT")
        scene.frame_set(_LAST_FRAME)
    yield 0.5
    window.picture("set_up")
    bones = armature.pose.bones
    hand, shoulder = (
        next(b for b in bones if b.name.endswith(name)) for name in ("LeftHand", "RightArm")
    )
    here = armature.matrix_world @ hand.head
    goal = armature.matrix_world @ shoulder.head
    front = here.copy()
    front.x, front.z = 0.5 * here.x, goal.z - 0.15
    goal.x, goal.z = 0.6 * goal.x, goal.z - 0.1
    times_ms = importlib.import_module("writhe_extension.operators.drag").last_times_ms
    yield from drag(window, armature, hand.name, [front, goal], times_ms)
    out["moved_m"] = (armature.matrix_world @ hand.head - here).length
    apart = np.subtract(window.pixel(armature.matrix_world @ hand.head.lerp(hand.tail, 0.3)),
                        window.pixel(goal))  # fmt: skip
    out["from_pointer_px"] = float(np.linalg.norm(apart))
    out["keyed"] = keyed_bones(armature, _LAST_FRAME)
    with window.context():
        bpy.ops.writhe.certify("INVOKE_DEFAULT")
    yield from finished(context)
    out["verdict"], out["sentence"] = scene.writhe.verdict, scene.writhe.sentence
    window.picture("certified")
    import writhe

    out["from_zip"] = Path(writhe.__file__).is_relative_to(Path(_FOLDER).resolve())
    out["compiled"] = compiled.names


run(Path(_FOLDER), steps)
