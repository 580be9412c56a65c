"""Random drags that detect stalls: consecutive frames in which the gate refuses the step.

A drag moves one or two joints, with some others pinned, along random waypoints near the body (or in
it) and then back to where it began. A second run replays the positions that the joints reached in
the first one, with pins at the positions that the pinned joints had at its end: a target out of
reach pulls them off their pins, and they return only when it is let go. So the last target of the
second run is feasible together with the pins, and joined to the start by a certified motion.

A frame is refused if the body does not move although a target is farther away than FAR_M, and
stalled if no target gets nearer by NEARER_M. Consecutive refused frames are counted for every drag,
stalled ones only for replays, because an infeasible target may legitimately stall.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from writhe.arrays import Floats, vector3
from writhe.research.evaluation.drags.drag_scenes import DragScene
from writhe.skeleton import Frames, forward
from writhe.skeleton.limbs import END_EFFECTORS
from writhe.solvers.posing import Pin, Poser, Target

DRAGGED = (*END_EFFECTORS, "left_elbow", "right_elbow", "left_knee", "right_knee", "hips", "chest")
MAX_IN_A_ROW = 10  # frames
NEARER_M = 0.0005
STILL = 1e-4  # change of q, radians or metres
FAR_M = 0.02
WAYPOINTS, REST_FRAMES = 3, 15
FRAMES = 90  # of one drag
HELD_FRAMES = 30
LONG_FRAMES = 150  # enough for a body that goes back along its way
REACH_M = 0.45  # standard deviation of a waypoint from the joint's position at the start


@dataclass(frozen=True)
class RandomDrag:
    """Joints dragged along paths (frames, joints, 3), with others pinned at positions (pins, 3)."""

    seed: int
    joints: tuple[str, ...]
    path: Floats
    pinned: tuple[str, ...]
    pinned_at: Floats


@dataclass(frozen=True)
class RandomDragResult:
    """The result of one random drag. Runs are numbers of consecutive frames."""

    drag: RandomDrag
    longest_refusal: int
    longest_stall: int
    end_error_m: float  # distance from the feasible last target
    worst_clearance_m: float
    reached: Floats  # (frames, joints, 3) positions of the dragged joints
    end: Frames  # the last posture

    @property
    def frozen(self) -> bool:
        """Whether the gate refused too many frames in a row."""
        return self.longest_refusal > MAX_IN_A_ROW

    @property
    def replay(self) -> RandomDrag:
        """The drag along the reached positions; the last is held, and feasible with the pins."""
        return self.replay_held(HELD_FRAMES)

    def replay_held(self, frames: int) -> RandomDrag:
        """The replay with the last target held for so many frames."""
        held = np.repeat(self.reached[-1:], frames, axis=0)
        return replace(
            self.drag,
            path=np.concatenate([self.reached, held]),
            pinned_at=_positions(self.end, self.drag.pinned),
        )


def random_drag(setting: DragScene, seed: int) -> RandomDrag:
    """The random drag of this seed: out along random waypoints, and back to the start."""
    rng = np.random.default_rng(seed)
    frames = forward(setting.figure.skeleton, setting.start)
    names = [str(n) for n in rng.choice(DRAGGED, size=int(rng.integers(1, 3)), replace=False)]
    pinned = tuple(n for n in END_EFFECTORS if n not in names and rng.random() < 0.5)
    here = _positions(frames, names)
    away = rng.normal(0.0, REACH_M, (WAYPOINTS, *here.shape)) * np.array([1.0, 0.7, 1.0])
    points = [here, *(here + away), here]
    moving = FRAMES - REST_FRAMES
    at = np.linspace(0.0, len(points) - 1.0, moving + 1)[1:]
    low = np.minimum(at.astype(int), len(points) - 2)
    share = (at - low)[:, None, None]
    stacked = np.array(points)
    path = (1.0 - share) * stacked[low] + share * stacked[low + 1]
    path = np.concatenate([path, np.repeat(here[None], REST_FRAMES, axis=0)])
    return RandomDrag(seed, tuple(names), path, pinned, _positions(frames, pinned))


def _positions(frames: Frames, joints: Sequence[str]) -> Floats:
    """(joints, 3)"""
    return np.array([frames.position(name) for name in joints]).reshape(-1, 3)


def run_random_drag(poser: Poser, setting: DragScene, drag: RandomDrag) -> RandomDragResult:
    """Run a random drag and look for refused and stalled frames."""
    skeleton, q = setting.figure.skeleton, setting.start
    pins = [Pin(j, vector3(p)) for j, p in zip(drag.pinned, drag.pinned_at, strict=True)]
    here, frames = drag.path[0], forward(skeleton, q)
    refused, stalled, clearance, error = _Run(), _Run(), np.inf, 0.0
    reached: list[Floats] = []
    for points in drag.path:
        targets = [Target(j, vector3(p)) for j, p in zip(drag.joints, points, strict=True)]
        before = float(np.linalg.norm(points - here, axis=1).max())
        result = poser.step(q, targets, pins)
        still = float(np.abs(result.q - q).max()) < STILL
        q, error = result.q, max(result.target_error_m.values())
        frames = forward(skeleton, q)
        here = _positions(frames, drag.joints)
        reached.append(here)
        far = error > FAR_M
        refused.add(far and still and result.gate.fraction < 1.0)
        stalled.add(far and before - error < NEARER_M)
        clearance = min(clearance, np.inf if result.clearance_m is None else result.clearance_m)
    return RandomDragResult(
        drag, refused.longest, stalled.longest, error, float(clearance), np.array(reached), frames
    )


class _Run:
    """The longest run of consecutive true values."""

    def __init__(self) -> None:
        self.now = self.longest = 0

    def add(self, happened: bool) -> None:
        self.now = self.now + 1 if happened else 0
        self.longest = max(self.longest, self.now)
