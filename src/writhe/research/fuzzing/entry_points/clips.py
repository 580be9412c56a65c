"""Entry point `writhe convert`: clips that are trimmed, mirrored, stretched, looped, layered."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from writhe.io import save
from writhe.research.fuzzing.case import Case
from writhe.research.fuzzing.entry_points.figures import figure_table
from writhe.research.fuzzing.entry_points.steps import clear_posture
from writhe.research.fuzzing.entry_points.stored_bodies import (
    StoredScene,
    command,
    contents,
    near_contact,
    read_stored,
)
from writhe.scene import certify_file
from writhe.skeleton import Motion


def clip_operations(rng: np.random.Generator) -> Case:
    """A clip of the human through `writhe convert` with random options, then `writhe certify`."""
    table, mechanism = figure_table("human")
    fps = float(rng.choice([24.0, 29.97, 30.0, 120.0]))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / f"clip.{rng.choice(['bvh', 'glb', 'gltf'])}"
        target = folder / f"out.{rng.choice(['bvh', 'glb', 'gltf'])}"
        clips = [
            Motion(table.skeleton, near_contact(table, rng, count, clear_posture(rng)), fps)
            for count in rng.integers(1, 9, 2)
        ]
        save(clips[0], source)
        save(clips[1], folder / "layer.bvh")
        options = _options(rng, clips[0], folder)
        command("convert", source, target, *options)
        answer = certify_file(target).certificate
        told, said = command("certify", target, "--json")
        if (told == 0) != answer.certified or said["certified"] != answer.certified:
            raise AssertionError("the command and the library differ")
        stored = StoredScene(mechanism)
        stored.add_file(read_stored(target))
        note = " ".join(str(word) for word in options)
        return Case.of("clip operations", stored.mechanism, stored.motions(), answer, note,
                       contents(folder))  # fmt: skip


def _options(rng: np.random.Generator, clip: Motion, folder: Path) -> list[object]:
    out: list[object] = []
    if rng.random() < 0.4:
        start, end = np.sort(rng.uniform(0, clip.duration_s, 2))
        out += ["--trim", f"{start:.4f}:{end:.4f}"]
    if rng.random() < 0.4:
        out += ["--mirror"]
    if rng.random() < 0.3:
        out += ["--stretch", f"{rng.uniform(0.02, 0.4):.4f}"]
    if rng.random() < 0.4:
        out += ["--loop", int(rng.integers(2, 4))]
    if rng.random() < 0.3:
        out += ["--layer", folder / "layer.bvh"]
        if rng.random() < 0.7:
            out += ["--joints", str(rng.choice(["left_shoulder", "spine", "right_hip"]))]
    if rng.random() < 0.3:
        out += ["--fps", f"{rng.choice([7.0, 25.0, 60.0, 100.0])}"]
    if rng.random() < 0.3:
        out += ["--output-unit", str(rng.choice([0.01, 0.0254, 1.0]))]
    return out
