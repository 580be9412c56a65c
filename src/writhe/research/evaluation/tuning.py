"""Tune a poser's parameters by leave-out reconstruction, as in section 8 of the paper.

"Topology aware data-driven inverse kinematics" holds out random postures of the database, gives the
poser only their end-effector positions, and tunes the parameters one by one to reduce the joint
error, until a round brings no improvement. A value must also keep a frame within a time limit. The
poser starts from the nearest remaining neighbour of the posture.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from writhe.arrays import Floats, Ints
from writhe.database import PostureDatabase
from writhe.database.posture import posture_features
from writhe.errors import UnknownNameError, WritheError
from writhe.progress import Progress
from writhe.skeleton import forward
from writhe.solvers.posing import Poser, Target
from writhe.solvers.posing.alternatives.latent_posers import LatentOptions, LatentPoser
from writhe.solvers.posing.default_poser import DefaultPoser
from writhe.solvers.posing.options import DefaultPoserOptions

EFFECTORS = ("left_ankle", "right_ankle", "left_wrist", "right_wrist", "head")
_FRAMES = 10  # steps per posture
_MIN_GAIN = 0.002  # relative decrease of the error that counts as an improvement

# the parameters named in the paper, and their counterparts in the default method. The paper does
# not give the linking radius; `local-pca` does not search by linking.
_PUBLISHED: dict[str, Sequence[float]] = {
    "neighbours": (20, 35, 50, 75, 100),
    "dimensions": (10, 20, 30, 40),
    "iterations": (1, 2, 3, 5),
}
_RADII = (0.06, 0.12, 0.25, 0.5, 1.0)
GRIDS: dict[str, dict[str, Sequence[float]]] = {
    "paper": {**_PUBLISHED, "linking_radius": _RADII},
    "local-pca": _PUBLISHED,
    "default": {
        "prior_weight": (1.0, 2.0, 4.0, 8.0),
        "offset_decay_m": (0.15, 0.3, 0.6, 1.2),
        "linking_radius": _RADII,
        "iterations": (1, 2, 3, 5),
    },
}


@dataclass(frozen=True)
class Trial:
    """One set of parameter values with its error and time."""

    values: dict[str, float]
    error_cm: float
    frame_ms: float

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            **self.values,
            "joint_error_cm": round(self.error_cm, 3),
            "frame_ms": round(self.frame_ms, 3),
        }


@dataclass(frozen=True)
class TuningResult:
    """All trials in order, and the best within the time limit."""

    method: str
    start: Trial
    best: Trial
    trials: tuple[Trial, ...]
    rounds: int


class LeaveOut:
    """Postures held out of a database, to be reconstructed from their end effectors."""

    def __init__(self, database: PostureDatabase, count: int, seed: int = 0) -> None:
        if not 1 <= count < len(database):
            raise WritheError(f"1 to {len(database) - 1} postures can be left out, not {count}")
        chosen = np.random.default_rng(seed).choice(len(database), count, replace=False)
        outside = np.zeros(len(database), dtype=np.bool_)
        outside[chosen] = True
        whole = database.without_object()
        self.truth = whole.take(np.sort(chosen).astype(np.int64))
        self.database = whole.take(~outside)
        self._start = self._nearest()

    def _nearest(self) -> Ints:
        skeleton, search = self.database.figure.skeleton, self.database.search
        features = posture_features(skeleton, self.truth.q)
        return np.array(
            [
                search.query(f, linking, 1, 1e9)[0][0]
                for f, linking in zip(features, self.truth.linking, strict=True)
            ],
            dtype=np.int64,
        )

    def error(self, poser: Poser) -> tuple[float, float]:
        """Mean joint error (cm) and median time per frame (ms of CPU time) of a poser."""
        figure = self.database.figure
        joints = [figure.joint_of(role) for role in EFFECTORS]
        errors: list[float] = []
        times: list[float] = []
        for truth, start in zip(self.truth.q, self._start, strict=True):
            true_frames = forward(figure.skeleton, truth)
            targets = [_target(joint, true_frames.position(joint)) for joint in joints]
            q = self.database.q[int(start)].copy()
            for _ in range(_FRAMES):
                before = time.thread_time()
                q = poser.step(q, targets).q
                times.append(1e3 * (time.thread_time() - before))
            apart = forward(figure.skeleton, q).positions - true_frames.positions
            errors.append(float(np.linalg.norm(apart, axis=1).mean()))
        return 100 * float(np.mean(errors)), float(np.median(times))


def _target(joint: str, position: Floats) -> Target:
    x, y, z = (float(c) for c in position)
    return Target(joint, (x, y, z))


def tune(
    method: str,
    database: PostureDatabase,
    *,
    count: int = 40,
    max_ms: float = 33.0,
    max_rounds: int = 3,
    seed: int = 0,
    grids: Mapping[str, Sequence[float]] | None = None,
    progress: Progress | None = None,
) -> TuningResult:
    """Tune a method's parameters one by one until a round brings no improvement."""
    if method not in GRIDS:
        raise UnknownNameError("method to tune", method, list(GRIDS))
    task = LeaveOut(database, count, seed)
    values = grids or GRIDS[method]
    known: dict[tuple[float, ...], Trial] = {}

    def attempt(chosen: dict[str, float]) -> Trial:
        key = tuple(chosen.values())
        if key not in known:
            if progress:
                progress(None, ", ".join(f"{name} {value:g}" for name, value in chosen.items()))
            with threadpool_limits(limits=1, user_api="blas"):
                found = task.error(_make(method, task.database, chosen))
            known[key] = Trial(dict(chosen), *found)
        return known[key]

    best = start = attempt({name: _default(method, name) for name in values})
    rounds = 0
    for _ in range(max_rounds):
        rounds += 1
        before = best.error_cm
        for name, grid in values.items():
            for value in grid:
                trial = attempt({**best.values, name: float(value)})
                good = trial.error_cm < best.error_cm * (1.0 - _MIN_GAIN)
                if good and trial.frame_ms <= max_ms:
                    best = trial
        if best.error_cm >= before:
            break
    return TuningResult(method, start, best, tuple(known.values()), rounds)


def _default(method: str, name: str) -> float:
    if method != "default":
        return float(getattr(LatentOptions(), name))
    options = DefaultPoserOptions()
    return float(getattr(options if hasattr(options, name) else options.prior, name))


_INTEGERS = ("neighbours", "dimensions", "iterations")


def _make(method: str, database: PostureDatabase, values: Mapping[str, float]) -> Poser:
    given: dict[str, Any] = {n: int(v) if n in _INTEGERS else v for n, v in values.items()}
    if method != "default":
        options = replace(LatentOptions(), **given)
        return LatentPoser(method, database, options, topology=method == "paper")
    base = DefaultPoserOptions()
    of_prior = {n: v for n, v in given.items() if not hasattr(base, n)}
    own = {n: v for n, v in given.items() if hasattr(base, n)}
    full = replace(base, **own, prior=replace(base.prior, **of_prior))
    return DefaultPoser(database.figure, database, full)
