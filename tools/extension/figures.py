"""Measure the extension on a character: python tools/extension/figures.py FILE.glb (or .fbx).

Run by a Python with bpy and writhe. Prints the times of registration, set-up, drags, certificates
and cleaning, in seconds of CPU time and of wall-clock time, and checks the cleaned action as
Blender evaluates it, eight times a frame.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import bpy  # pyright: ignore[reportMissingImports]
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "blender"))

FRAMES = 1000


class Clock:
    """CPU time and wall time of a block."""

    def __enter__(self) -> Clock:
        self._start = time.process_time(), time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self.processor_s = time.process_time() - self._start[0]
        self.wall_s = time.perf_counter() - self._start[1]

    def rounded(self) -> list[float]:
        """Both, to three figures."""
        return [float(f"{s:.3g}") for s in (self.processor_s, self.wall_s)]


def opened(path: Path) -> Any:
    """The armature of a file."""
    if path.suffix.lower() == ".fbx":
        bpy.ops.import_scene.fbx(filepath=str(path))
    else:
        bpy.ops.import_scene.gltf(filepath=str(path))
    found = [item for item in bpy.context.scene.objects if item.type == "ARMATURE"]
    bpy.context.view_layer.objects.active = found[0]
    return found[0]


def repeat_action(armature: Any, frames: int) -> int:
    """Play the action to and fro until it has this many frames, a key at each; its first frames."""
    from writhe_blender import fcurves  # pyright: ignore[reportMissingImports]

    curves = fcurves.curves_of(armature)
    first = min(c.keyframe_points[0].co[0] for c in curves)
    count = int(max(c.keyframe_points[-1].co[0] for c in curves) - first) + 1
    there = np.arange(frames) % (2 * (count - 1))
    there = first + np.minimum(there, 2 * (count - 1) - there)
    for curve in list(curves):
        values = np.array([curve.evaluate(float(frame)) for frame in there])
        path, index = curve.data_path, curve.array_index
        group = curve.group.name if curve.group else ""
        fcurves.write_linear(curves, path, index, group, 1.0 + np.arange(frames), values)
    return count


def swing_hand(armature: Any, frames: int) -> None:
    """A body that stands; every 100 frames its left hand goes to the middle of the chest."""
    bones = armature.pose.bones
    roles = {row.role: bones[row.bone] for row in armature.writhe.roles if row.bone}
    shoulder, wrist, chest = (roles[f] for f in ("left_shoulder", "left_wrist", "chest"))
    armature.animation_data_clear()
    assert bpy.ops.writhe.preset_pose(pose="stand") == {"FINISHED"}
    for bone in bones:
        bone.keyframe_insert("rotation_quaternion", frame=1)
        bone.keyframe_insert("location", frame=1)
    bpy.context.view_layer.update()
    stands, rng = shoulder.rotation_quaternion.copy(), np.random.default_rng(1)
    nearest, inside = np.inf, stands
    for _ in range(400):
        turn = rng.normal(size=4)
        shoulder.rotation_quaternion = turn / np.linalg.norm(turn)
        bpy.context.view_layer.update()
        apart = (wrist.head - chest.head).length
        if apart < nearest:
            nearest, inside = apart, shoulder.rotation_quaternion.copy()
    if np.dot(inside, stands) < 0.0:  # the same rotation, without a turn through the other half
        inside = -inside
    for frame in range(1, frames - 60, 100):
        for turn, at in ((stands, frame), (inside, frame + 20), (stands, frame + 40)):
            shoulder.rotation_quaternion = turn
            shoulder.keyframe_insert("rotation_quaternion", frame=at)
    shoulder.keyframe_insert("rotation_quaternion", frame=frames)


def cleaning_speed(armature: Any) -> list[float]:
    """Frames a second of processor time and of the clock, after a first run that loads kernels."""
    saved = armature.animation_data.action.copy()
    for _ in range(2):
        armature.animation_data.action = saved.copy()
        if hasattr(armature.animation_data, "action_slot"):
            armature.animation_data.action_slot = armature.animation_data.action.slots[0]
        with Clock() as clock:
            bpy.ops.writhe.clean()
    return [float(f"{FRAMES / s:.3g}") for s in (clock.processor_s, clock.wall_s)]


def drag_times(armature: Any, bone: str) -> list[float]:
    """Milliseconds of the steps of a hand drawn across the chest, with the pose written."""
    from writhe_blender import dragging  # pyright: ignore[reportMissingImports]

    hand = armature.pose.bones[bone]
    drag = dragging.BoneDrag(bpy.context, armature, [(bone, armature.matrix_world @ hand.head)])
    goal = drag.start * [-0.2, 0.95, 1.0] + [0.0, 0.0, 0.25]
    times: list[float] = []
    for share in np.linspace(0.01, 1.0, 150):
        began = time.perf_counter()
        drag.move(drag.start + share * (goal - drag.start))
        times.append(1e3 * (time.perf_counter() - began))
    drag.undo()
    return times


def evaluated_verdict(armature: Any, frames: int) -> str:
    """The certificate of the poses that Blender evaluates, eight for each frame."""
    from writhe_blender import engine, scene_sync  # pyright: ignore[reportMissingImports]

    from writhe.collision import certify

    scene = bpy.context.scene
    rows = []
    for k in range(8 * (frames - 1) + 1):
        scene.frame_set(1 + k // 8, subframe=(k % 8) / 8)
        rows.append(scene_sync.poses(bpy.context)[armature.name])
    character = engine.drags()._session.stage.character(armature.name)
    return certify(
        character.figure, character.configurations(np.array(rows)), fps=8 * 24.0
    ).verdict.value


def main(path: Path) -> dict[str, Any]:
    """Everything."""
    import writhe_blender  # pyright: ignore[reportMissingImports]

    bpy.ops.wm.read_factory_settings(use_empty=True)
    out: dict[str, Any] = {"blender": bpy.app.version_string, "file": path.name}
    with Clock() as clock:
        writhe_blender.register()
    out["registration_ms"] = [1e3 * s for s in clock.rounded()]
    armature = opened(path)
    with Clock() as clock:
        bpy.ops.writhe.set_up()
    out["set_up_s"], out["summary"] = clock.rounded(), armature.writhe.summary
    settings = bpy.context.scene.writhe
    out["source_frames"] = repeat_action(armature, FRAMES)
    for label in ("certify_first", "certify"):
        with Clock() as clock:
            bpy.ops.writhe.certify()
        out[f"{label}_{FRAMES}_frames_s"] = clock.rounded()
    out["verdict"], out["note"] = settings.verdict, settings.note
    out["clean_frames_per_s"] = cleaning_speed(armature)
    out["cleaned"] = settings.verdict
    bpy.ops.writhe.certify()
    out["certified_again"] = settings.verdict
    out["evaluated_by_blender"] = evaluated_verdict(armature, 120)
    swing_hand(armature, FRAMES)
    bpy.ops.writhe.certify()
    out["swings"] = settings.verdict
    out["swings_clean_frames_per_s"] = cleaning_speed(armature)
    out["swings_cleaned"] = settings.verdict
    armature.animation_data_clear()
    bpy.ops.writhe.preset_pose(pose="stand")
    bpy.context.view_layer.update()
    wrist = next(r.bone for r in armature.writhe.roles if r.role == "left_wrist")
    times = drag_times(armature, wrist)
    out["drag_ms"] = {"median": float(np.median(times)), "p95": float(np.quantile(times, 0.95))}
    return out


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1])), indent=1), flush=True)
    os._exit(0)  # bpy may hang when the interpreter ends
