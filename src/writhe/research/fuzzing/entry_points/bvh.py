"""Entry point `writhe certify FILE.bvh`: random hierarchies, channels in all orders."""

from __future__ import annotations

import itertools
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from writhe.io import load
from writhe.research.evaluation.export_mechanism import export_mechanism
from writhe.research.evaluation.independent import ChannelMotion
from writhe.research.fuzzing.case import Case
from writhe.research.fuzzing.entry_points.certify_file import certify_with_table

_ORDERS = [p for k in (1, 2, 3) for p in itertools.permutations(range(3), k)]
_SPECIAL_DEG = (0.0, 90.0, -90.0, 150.0, -150.0, 180.0, -180.0, 179.9999, -179.9999, 360.0, 540.0)
_AXES = "XYZ"


def bvh_file(rng: np.random.Generator) -> Case:
    """Random bones and channels, written to a file and certified under both interpolations."""
    parents, offsets, orders = _hierarchy(rng)
    frames = int(rng.integers(1, 5))
    degrees, positions = _channels(rng, frames, orders)
    text = _text(parents, offsets, orders, degrees, positions)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.bvh"
        path.write_text(text)
        answer, table = certify_with_table(path)
        unit = float(load(path).source["metres_per_unit"])
    if table.skeleton.names != tuple(f"j{j}" for j in range(len(parents))):
        raise AssertionError("the joints of the file were read in another order")
    mechanism = replace(
        export_mechanism(table),
        parent=tuple(parents),
        offset=unit * np.round(offsets, 6),
        rest=np.tile([1.0, 0.0, 0.0, 0.0], (len(parents), 1)),
    )
    # as stored in the file, with six decimals
    angles = np.radians(np.round(degrees, 6))
    shift = np.zeros((frames, len(parents), 3))
    shift[:, 0] = unit * np.round(positions, 6)
    channels = ChannelMotion(tuple(orders), angles, shift)
    motions = [channels, channels.slerped()]
    if (np.abs(np.diff(angles, axis=0)) > np.pi).any():  # programs that do not unwrap angles
        motions.append(replace(channels, as_stored=True))
    files = {"case.bvh": text.encode()}
    return Case.of("bvh", mechanism, tuple(motions), answer, "", files)


def _hierarchy(
    rng: np.random.Generator,
) -> tuple[list[int], np.ndarray, list[tuple[int, ...]]]:
    """Two or three chains from one root, depth first, near enough to meet each other."""
    parents, offsets = [-1], [np.zeros(3)]
    for _ in range(int(rng.integers(2, 4))):
        at = 0
        for link in range(int(rng.integers(2, 4))):
            parents.append(at)
            at = len(parents) - 1
            spread = np.array([0.3, 0.15, 0.1]) if link == 0 else np.array([0.1, 0.35, 0.1])
            offsets.append(rng.uniform(-1, 1, 3) * spread + np.array([0, 0.15, 0]) * (link > 0))
    orders = [_ORDERS[int(k)] for k in rng.integers(0, len(_ORDERS), len(parents))]
    return parents, np.array(offsets), orders


def _channels(
    rng: np.random.Generator, frames: int, orders: list[tuple[int, ...]]
) -> tuple[np.ndarray, np.ndarray]:
    """Angles (frames, n, 3) in degrees, zero beyond a joint's channels; root positions."""
    n = len(orders)
    degrees = np.zeros((frames, n, 3))
    degrees[0] = rng.normal(0, rng.choice([5.0, 40.0, 120.0]), (n, 3))
    for f in range(1, frames):
        degrees[f] = degrees[f - 1] + rng.normal(0, rng.choice([1.0, 20.0, 90.0]), (n, 3))
    special = rng.random(degrees.shape) < rng.choice([0.0, 0.1])
    degrees[special] = rng.choice(_SPECIAL_DEG, int(special.sum()))
    if rng.random() < 0.4:  # most programs write angles between -180 and 180
        degrees = np.remainder(degrees + 180.0, 360.0) - 180.0
    for j, order in enumerate(orders):
        degrees[:, j, len(order) :] = 0.0
    return degrees, np.cumsum(rng.normal(0, 0.1, (frames, 3)), axis=0)


def _text(
    parents: list[int],
    offsets: np.ndarray,
    orders: list[tuple[int, ...]],
    degrees: np.ndarray,
    positions: np.ndarray,
) -> str:
    lines = ["HIERARCHY"]

    def joint(j: int) -> None:
        words = [f"{_AXES[a]}rotation" for a in orders[j]]
        if j == 0:
            words = [f"{a}position" for a in _AXES] + words
        lines.extend([f"{'ROOT' if j == 0 else 'JOINT'} j{j}", "{"])
        lines.append("OFFSET " + " ".join(f"{x:.6f}" for x in offsets[j]))
        lines.append(f"CHANNELS {len(words)} " + " ".join(words))
        children = [k for k, parent in enumerate(parents) if parent == j]
        for child in children:
            joint(child)
        if not children:
            lines.extend(["End Site", "{", "OFFSET 0 0.200000 0", "}"])
        lines.append("}")

    joint(0)
    lines += ["MOTION", f"Frames: {len(degrees)}", "Frame Time: 0.033333"]
    for f in range(len(degrees)):
        row = list(positions[f])
        for j, order in enumerate(orders):
            row += list(degrees[f, j, : len(order)])
        lines.append(" ".join(f"{x:.6f}" for x in row))
    return "\n".join(lines) + "\n"
