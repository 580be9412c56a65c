"""Entry points of commands that write a motion: `animate`, `refine`, `plan --lead-in`."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from writhe.io import save
from writhe.planning.ground_assumptions import with_floor
from writhe.postures.preset_poses import LIBRARIES, preset_names
from writhe.research.evaluation.export_mechanism import export_mechanism
from writhe.research.evaluation.independent import Mechanism
from writhe.research.fuzzing.case import Case
from writhe.research.fuzzing.entry_points.figures import figure_table
from writhe.research.fuzzing.entry_points.scenes import random_poses
from writhe.research.fuzzing.entry_points.steps import clear_posture
from writhe.research.fuzzing.entry_points.stored_bodies import (
    StoredScene,
    command,
    contents,
    near_contact,
    read_stored,
)
from writhe.scene import Scene
from writhe.skeleton import Motion

_LIBRARY = LIBRARIES[0]
_ROD = {"type": "capsule", "start": [-0.4, 0, 0], "end": [0.4, 0, 0], "radius_m": 0.03}
_BOX = {"type": "box", "size": [0.3, 0.2, 0.4]}


def key_file(rng: np.random.Generator) -> Case:
    """`writhe animate keys.json`: the human alone, or among objects of which one follows keys."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        output = folder / f"out.{rng.choice(['bvh', 'glb'])}"
        keys = _keys(rng)
        start_s = keys["keys"][0]["time_s"]
        in_scene = rng.random() < 0.7
        rod: tuple[np.ndarray, np.ndarray] | None = None
        if in_scene:
            rod = _write_scene(rng, folder / "room.json", start_s, keys["keys"][-1]["time_s"])
            keys["scene"] = "room.json"
        else:
            keys["floor"] = float(rng.normal(-0.3, 0.2)) if rng.random() < 0.5 else False
        (folder / "keys.json").write_text(json.dumps(keys))
        code, said = command("animate", folder / "keys.json", "-o", output, "--json")
        if in_scene:
            mechanism = export_mechanism(Scene.load(folder / "room.json").layout.table)
        else:
            mechanism = _on_floor(keys["floor"])
        stored = StoredScene(mechanism)
        stored.add_file(read_stored(output), "p." if in_scene else "")
        if rod is not None:
            stored.add_poses("rod", *rod, shift_s=start_s)
        if (code == 0) != (said["status"] == "done" and said["file_certified"]):
            raise AssertionError("the exit code and the JSON differ")
        note = f"file {said['file_verdict']}, motion {said['verdict']}"
        return Case("key file", stored.mechanism, stored.motions(), code == 0, None, note,
                    contents(folder))  # fmt: skip


def _keys(rng: np.random.Generator) -> dict[str, Any]:
    """Keys of preset poses and poses near them; the first at any time."""
    times = np.cumsum(rng.uniform(0.1, 0.5, int(rng.integers(1, 4))))
    times = times - times[0] + (rng.uniform(0, 2) if rng.random() < 0.5 else 0.0)
    rows: list[dict[str, Any]] = []
    names = preset_names(_LIBRARY)
    for time_s in times:
        row: dict[str, Any] = {"time_s": float(time_s)}
        if not rows or rng.random() < 0.5:
            row |= {"pose": str(rng.choice(names)), "library": _LIBRARY}
        row["ease"] = str(rng.choice(["smooth", "linear", "hold", "ease_in_out"]))
        if rng.random() < 0.5:
            row["shift_m"] = rng.normal(0, 0.05, 3).tolist()
            row["turn_degrees"] = float(rng.normal(0, 20))
        rows.append(row)
    out: dict[str, Any] = {"writhe_keys": 1, "keys": rows}
    out["fps"] = float(rng.choice([10.0, 24.0, 29.97, 60.0]))
    if rng.random() < 0.5:
        out["pins"] = []
    return out


def _write_scene(
    rng: np.random.Generator, path: Path, start_s: float, end_s: float
) -> tuple[np.ndarray, np.ndarray]:
    """A scene with a box and a rod that follows keys; returns the keys of the rod."""
    box, rod = random_poses(rng, 1, 0.9)[0], random_poses(rng, 4, 0.9)
    times = np.sort(rng.uniform(start_s - 0.2, end_s + 0.3, 4))
    times += np.maximum(0.0, -times.min()) + np.arange(4) * 1e-3
    scene = {
        "writhe_scene": 1,
        "actors": [{"name": "p", "figure": "human"}],
        "objects": [
            {"name": "box", "shapes": [_BOX], "position_m": box[:3].tolist()}
            | {"rotation": box[3:].tolist()},
            {"name": "rod", "kind": "animated", "shapes": [_ROD]}
            | {
                "keys": {
                    "times_s": times.tolist(),
                    "positions_m": rod[:, :3].tolist(),
                    "rotations": rod[:, 3:].tolist(),
                }
            },
        ],
    }
    path.write_text(json.dumps(scene))
    return times, rod


def _on_floor(height: float | bool) -> Mechanism:
    """The human, on a floor at a height unless that is False."""
    table, mechanism = figure_table("human")
    return mechanism if height is False else export_mechanism(with_floor(table, float(height)))


def refined(rng: np.random.Generator) -> Case:
    """`writhe refine clip -o out`: a random stretch, timed and smoothed."""
    table, mechanism = figure_table("human")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kind = rng.choice(["bvh", "glb"])
        clip, output = folder / f"clip.{kind}", folder / f"out.{rng.choice(['bvh', 'glb'])}"
        count = int(rng.integers(5, 12))
        q = near_contact(table, rng, count, clear_posture(rng))
        fps = float(rng.choice([15.0, 29.97, 60.0]))
        save(Motion(table.skeleton, q, fps), clip)
        options: list[object] = ["--profile", str(rng.choice(["bell", "uniform", "keep"]))]
        if rng.random() < 0.5:
            options += ["--duration", f"{rng.uniform(0.5, 3) * count / fps:.4f}"]
        if rng.random() < 0.5:
            options += ["--from", int(rng.integers(0, max(1, len(q) - 5)))]
        code, said = command("refine", clip, "-o", output, *options, "--json")
        stored = StoredScene(mechanism)
        stored.add_file(read_stored(output))
        if (code == 0) != said["file_certified"]:
            raise AssertionError("the exit code and the JSON differ")
        return Case("refine", stored.mechanism, stored.motions(), code == 0, None,
                    " ".join(map(str, options)), contents(folder))  # fmt: skip


def lead_in(rng: np.random.Generator) -> Case:
    """`writhe plan --from rest --to clip@k --lead-in`: a path, then the rest of the clip."""
    table, mechanism = figure_table("human")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        clip = folder / f"clip.{rng.choice(['bvh', 'glb'])}"
        output = folder / f"out.{rng.choice(['bvh', 'glb'])}"
        count = int(rng.integers(1, 6))
        q = near_contact(table, rng, count, clear_posture(rng))
        save(Motion(table.skeleton, q, float(rng.choice([24.0, 29.97, 120.0]))), clip)
        frame = int(rng.integers(-len(q), len(q)))
        options: list[object] = []
        if rng.random() < 0.5:
            options += ["--fps", float(rng.choice([10.0, 25.0, 60.0]))]
        if rng.random() < 0.5:
            options += ["--duration", float(rng.uniform(0.1, 2.0))]
        if rng.random() < 0.3:
            options += ["--no-support"]
        code, said = command("plan", "--from", "rest", "--to", f"{clip}@{frame}", "--lead-in",
                             "-o", output, *options, "--json")  # fmt: skip
        stored = StoredScene(mechanism)
        if not output.exists():
            return Case("lead-in", mechanism, (), False, None, str(said["status"]))
        stored.add_file(read_stored(output))
        if (code == 0) != said["certified"]:
            raise AssertionError("the exit code and the JSON differ")
        bound = said["penetration_m"] if said["verdict"] != "undecided" else None
        note = f"{said['verdict']} {' '.join(map(str, options))}"
        return Case("lead-in", stored.mechanism, stored.motions(), code == 0, bound, note,
                    contents(folder))  # fmt: skip
