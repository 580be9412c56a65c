"""Runs in a Python with bpy and without writhe: installs the zip as a user does, and uses it.

Usage: installed.py ZIP FOLDER CHARACTER (Blender's user folder; a .glb, .gltf or .fbx file of a
Mixamo character). Its hand is dragged across the chest, keyed and certified. Prints one line of
JSON.
"""

import logging
import os
import sys
import time
from pathlib import Path

ZIP, FOLDER, CHARACTER = sys.argv[1:4]
os.environ["BLENDER_USER_RESOURCES"] = FOLDER
os.environ["WRITHE_CACHE_DIR"] = str(Path(FOLDER) / "cache")  # empty: kernels come with the zip
import bpy  # noqa: E402  # pyright: ignore[reportMissingImports]
import numpy as np  # noqa: E402
from blender_runs import drag_to, print_result  # noqa: E402


class Compiled(logging.Handler):
    """Collects the kernels that are compiled."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.names.append(record.getMessage())


def imported():
    """The armature of the character, active, in its rest pose."""
    reader = bpy.ops.import_scene.fbx if CHARACTER.endswith(".fbx") else bpy.ops.import_scene.gltf
    assert reader(filepath=CHARACTER) == {"FINISHED"}
    armature = next(o for o in bpy.context.scene.objects if o.type == "ARMATURE")
    armature.animation_data_clear()
    for bone in armature.pose.bones:
        bone.matrix_basis.identity()
    bpy.context.view_layer.objects.active = armature
    armature.select_set(True)
    return armature


def across_the_chest(context, armature, dragging, axes) -> dict:
    """Drag the left hand before the right shoulder, from frame 1 to frame 20, by automatic keys."""
    bones = armature.pose.bones
    hand, shoulder = (
        next(b for b in bones if b.name.endswith(name)) for name in ("LeftHand", "RightArm")
    )
    bpy.ops.object.mode_set(mode="POSE")
    context.scene.tool_settings.use_keyframe_insert_auto = True
    context.scene.frame_start, context.scene.frame_end = 1, 20
    context.scene.frame_set(1)
    for bone in bones:
        bone.keyframe_insert("rotation_quaternion")
        bone.keyframe_insert("location")
    context.scene.frame_set(20)
    world = armature.matrix_world
    before = world @ hand.head
    drag = dragging.BoneDrag(context, armature, [(hand.name, before)])
    there = world @ shoulder.head
    front = np.array([before.x, before.y - 0.35, before.z, 1.0])
    goal = np.array([there.x, there.y - 0.18, there.z - 0.1, 1.0])
    to_writhe = axes.to_writhe(context.scene)
    before_chest, across = ((to_writhe @ point)[None, :3] for point in (front, goal))
    drag_to(drag, before_chest, 50)
    answer, drag_ms = drag_to(drag, across, 50, start=before_chest)
    context.view_layer.update()
    return {
        "drag_ms": drag_ms,
        "error_m": answer["error_m"][hand.name],
        "moved_m": (world @ hand.head - before).length,
        "keyed": drag.key(),
    }


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
    context, armature = bpy.context, imported()
    began = time.perf_counter()
    assert bpy.ops.writhe.set_up() == {"FINISHED"}
    out["set_up_s"] = time.perf_counter() - began
    out["bones"], out["summary"] = len(armature.data.bones), armature.writhe.summary
    for tool in ("dragging", "axes"):
        __import__(f"{name}.{tool}")
    tools = (sys.modules[f"{name}.{tool}"] for tool in ("dragging", "axes"))
    out |= across_the_chest(context, armature, *tools)
    settings = context.scene.writhe
    assert bpy.ops.writhe.certify() == {"FINISHED"}
    out["verdict"], out["sentence"] = settings.verdict, settings.sentence
    assert bpy.ops.writhe.clean() == {"FINISHED"}
    out["cleaned"] = settings.verdict
    import writhe

    out["from_wheel"] = Path(writhe.__file__).is_relative_to(FOLDER)
    out["compiled"] = compiled.names
    return out


print_result(main)
