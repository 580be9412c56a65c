"""Entry point `writhe batch`: verdicts of a folder, also after files in it were changed."""

from __future__ import annotations

import base64
import json
import tempfile
from pathlib import Path

import numpy as np

from writhe.batch import BatchOptions, Settings, find_sources, run_batch
from writhe.batch.result_row import Row
from writhe.io import save
from writhe.research.evaluation.independent.stored_files import read_gltf
from writhe.research.fuzzing.case import Case
from writhe.research.fuzzing.entry_points.figures import figure_table
from writhe.research.fuzzing.entry_points.steps import clear_posture
from writhe.research.fuzzing.entry_points.stored_bodies import (
    StoredScene,
    contents,
    near_contact,
    read_stored,
)
from writhe.skeleton import Motion

BUFFER = "clip.bin"  # beside clip.gltf


def batch(rng: np.random.Generator) -> Case:
    """A clip certified or cleaned by a batch, replaced by another one, and the batch run again."""
    table, mechanism = figure_table("human")
    operation = str(rng.choice(["certify", "clean"], p=[0.7, 0.3]))
    kind = str(rng.choice(["bvh", "glb", "gltf"]))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        clips, results = folder / "clips", folder / "results"
        clips.mkdir()
        settings = Settings(operation, suffix=str(rng.choice([".bvh", ".glb"])))
        frames = int(rng.integers(1, 6))
        row: Row | None = None
        for _ in range(int(rng.integers(1, 3))):
            start = clear_posture(rng) if rng.random() < 0.7 else None
            q = near_contact(table, rng, frames, start)
            _write(Motion(table.skeleton, q, 30.0, "clip"), clips / f"clip.{kind}")
            (row,) = run_batch(find_sources([clips]), settings, BatchOptions(results))
        assert row is not None
        if row.error is not None and row.error_kind != "input":
            raise AssertionError(row.error)
        judged = clips / f"clip.{kind}" if operation == "certify" else Path(str(row.output))
        stored = StoredScene(mechanism)
        if judged.suffix == ".gltf":
            stored.add_file(read_gltf(_embedded(judged)))
        else:
            stored.add_file(read_stored(judged))
        bound = None if row.penetration_mm is None else 1e-3 * row.penetration_mm
        if row.verdict == "undecided":
            bound = None
        return Case("batch", stored.mechanism, stored.motions(), bool(row.certified), bound,
                    f"{operation} {kind}: {row.verdict}", contents(folder))  # fmt: skip


def _write(motion: Motion, path: Path) -> None:
    """Write a clip; the buffer of a .gltf file lies beside it, as most programs write it."""
    save(motion, path)
    if path.suffix == ".gltf":
        document = json.loads(path.read_text())
        (buffer,) = document["buffers"]
        (path.parent / BUFFER).write_bytes(base64.b64decode(buffer["uri"].partition(",")[2]))
        buffer["uri"] = BUFFER
        path.write_text(json.dumps(document))


def _embedded(path: Path) -> bytes:
    """A .gltf file with its buffer inside."""
    document = json.loads(path.read_text())
    text = base64.b64encode((path.parent / BUFFER).read_bytes()).decode()
    document["buffers"][0]["uri"] = "data:application/octet-stream;base64," + text
    return json.dumps(document).encode()
