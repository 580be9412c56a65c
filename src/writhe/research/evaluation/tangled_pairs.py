"""Tangled pairs of postures: a test set for planners, solvable by construction.

Both postures of a pair are ends of random walks with certified steps from the rest posture, so a
path between them is known: back along one walk and out along the other. Of the pairs of many walks,
those are kept whose straight interpolation penetrates and whose linking differs. The level is the
size of that difference.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from writhe.arrays import Floats
from writhe.cache import cache_root
from writhe.collision import CollisionTable, Gate
from writhe.errors import WritheError
from writhe.files import replace_file
from writhe.progress import Progress
from writhe.skeleton import Figure
from writhe.skeleton.kinematics import interpolate
from writhe.skeleton.limits import random_configurations
from writhe.topology import linking_vector

VERSION = 1
PAIRS = 200
MIN_OVERLAP_M = 0.01  # least overlap on the straight line
STEP_SHARE = 0.96  # fraction of the distance to contact that a step of a walk covers


# range [low, high) of the largest linking difference between the ends, by level
LEVELS = ((0.10, 0.22), (0.22, 0.34), (0.34, 0.46), (0.46, 9.0))
WALKS, WALK_STEPS, PROPOSALS = 160, 4, 2
MAX_USES = 4  # uses of one walk in one level


@dataclass(frozen=True)
class TangledPair:
    """Two postures, with a certified path between them as proof of solvability."""

    level: int  # 1 to 4
    start: Floats
    goal: Floats
    witness: Floats  # (vertices, nq)
    tangle: float


def tangled_pairs(
    figure: Figure,
    count: int = PAIRS,
    seed: int = 1,
    walks: int = WALKS,
    progress: Progress | None = None,
) -> list[TangledPair]:
    """`count` pairs, equally many of each level, among the ends of `walks` random walks.

    Generated once and stored in the cache folder.
    """
    table = CollisionTable.of_figure(figure)
    name = f"tangled-{figure.name}-{_body_key(figure)}-{VERSION}-{seed}-{walks}-{count}.npz"
    stored = cache_root() / name
    if stored.is_file():
        return _load(stored)
    gate, rng = Gate(table), np.random.default_rng(seed)
    paths: list[Floats] = []
    while len(paths) < walks:
        paths.append(_walk(figure, gate, rng))
        if progress:
            progress(len(paths) / walks, "random walks")
    linking = linking_vector(figure, np.array([path[-1] for path in paths]))
    pairs: list[TangledPair] = []
    for level in range(1, len(LEVELS) + 1):
        pairs += _pairs(table, paths, linking, level, count // len(LEVELS), rng)
    _save(stored, pairs)
    return pairs


def _pairs(
    table: CollisionTable,
    walks: list[Floats],
    linking: Floats,
    level: int,
    count: int,
    rng: np.random.Generator,
) -> list[TangledPair]:
    """Pairs of one level in random order, with a bound on the uses of one walk."""
    low, high = LEVELS[level - 1]
    apart = np.abs(linking[:, None] - linking[None]).max(axis=2)
    first, second = np.nonzero(np.triu((apart >= low) & (apart < high)))
    uses = np.zeros(len(walks), dtype=np.int64)
    found: list[TangledPair] = []
    for k in rng.permutation(len(first)):
        i, j = int(first[k]), int(second[k])
        if len(found) == count:
            break
        if max(uses[i], uses[j]) >= MAX_USES:
            continue
        if not _penetrates(table, walks[i][-1], walks[j][-1]):
            continue
        uses[[i, j]] += 1
        witness = np.concatenate([walks[i][::-1], walks[j][1:]])
        tangle = float(apart[i, j])
        found.append(TangledPair(level, witness[0], witness[-1], witness, tangle))
    if len(found) < count:
        raise WritheError(f"only {len(found)} pairs of level {level} were found: try another seed")
    return found


def _body_key(figure: Figure) -> str:
    """A hash of the bones and capsules, on which the pairs depend."""
    body = hashlib.blake2b(digest_size=6)
    body.update(np.ascontiguousarray(figure.skeleton.tree.offset).tobytes())
    for capsule in figure.capsules:
        body.update(capsule.joint.encode())
        for part in (capsule.start_in_joint, capsule.end_in_joint, capsule.radius_m):
            body.update(np.asarray(part, dtype=np.float64).tobytes())
    return body.hexdigest()


def _walk(figure: Figure, gate: Gate, rng: np.random.Generator) -> Floats:
    """(vertices, nq) a certified random walk from the rest pose that prefers higher linking."""
    skeleton = figure.skeleton
    q = skeleton.rest_configuration
    rows, tangle = [q], 0.0
    for _ in range(WALK_STEPS):
        targets = random_configurations(skeleton, PROPOSALS, rng, root_turns=False)
        best: Floats | None = None
        for target in targets:
            share = STEP_SHARE * gate.fraction(q, target)
            if share < 0.05:
                continue
            reached = interpolate(skeleton, q, target, share)
            # the step must be certified in both directions
            if gate.fraction(q, reached) < 1.0 or gate.fraction(reached, q) < 1.0:
                continue
            found = float(np.abs(linking_vector(figure, reached)).max())
            if best is None or found > tangle:
                best, tangle = reached, found
        if best is not None:
            q = best
            rows.append(q)
    return np.array(rows)


def _penetrates(table: CollisionTable, start: Floats, goal: Floats) -> bool:
    from writhe.collision import violating_parts

    times = np.linspace(0.0, 1.0, 33)[1:-1]
    line = np.array([interpolate(table.skeleton, start, goal, float(t)) for t in times])
    return any(violating_parts(table, line, MIN_OVERLAP_M))


def _save(path: Path, pairs: list[TangledPair]) -> None:
    def write(part: Path) -> None:
        with part.open("wb") as file:
            np.savez(
                file,
                level=[p.level for p in pairs],
                tangle=[p.tangle for p in pairs],
                lengths=[len(p.witness) for p in pairs],
                witness=np.concatenate([p.witness for p in pairs]),
            )

    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, write)


def _load(path: Path) -> list[TangledPair]:
    with np.load(path) as stored:
        ends = np.cumsum(stored["lengths"])
        paths = np.split(stored["witness"], ends[:-1])
        return [
            TangledPair(int(level), rows[0], rows[-1], rows, float(tangle))
            for level, tangle, rows in zip(stored["level"], stored["tangle"], paths, strict=True)
        ]
