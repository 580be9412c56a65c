"""Solved postures and their variants: intermediate postures, blends, perturbations, mirrors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from writhe.arrays import Floats
from writhe.collision import certify
from writhe.postures.builtin.anatomical_angles import SIDES
from writhe.postures.builtin.key_pose import KeyPose, support_terms
from writhe.postures.builtin.pose_setting import PoseSetting
from writhe.postures.builtin.pose_solver import LIMIT_RAD, PoseSolver
from writhe.skeleton import forward
from writhe.skeleton.kinematics import integrate, interpolate
from writhe.skeleton.limits import limit_excess
from writhe.skeleton.mirror import mirrored
from writhe.terms import stay_near

_REPAIR_ITERATIONS = 10  # iterations for settling a nearly valid posture
_UPPER = ("spine", "chest", "neck", "head", "clavicle", "shoulder", "elbow", "wrist")


@dataclass(frozen=True)
class SolvedPosture:
    """A posture within limits and clear of collisions, with its supports and origin."""

    name: str
    q: Floats
    support: tuple[str, ...] = ()


@dataclass
class BuildTally:
    """Counts of postures and movements that were tried, kept and certified."""

    authored: int = 0
    tried: int = 0
    kept: int = 0
    movements: int = 0
    certified: int = 0
    dropped: list[str] = field(
        default_factory=list[str]
    )  # names of authored poses that could not be solved for


class PostureBuilder:
    """Generates postures in one setting; drops those beyond joint limits or with penetration."""

    def __init__(self, setting: PoseSetting) -> None:
        self.setting = setting
        self.solver = PoseSolver(setting)
        self.tally = BuildTally()

    def authored(self, pose: KeyPose) -> SolvedPosture | None:
        """The solved key pose; None if the solution has a limit violation or a penetration."""
        start = pose.start(self.setting)
        q = self.solver.solve(start, pose.terms(self.setting, start))
        self.tally.authored += 1
        if not self.is_valid(q):
            q = self.repaired(q, pose.support, 3 * _REPAIR_ITERATIONS)
        if not self.is_valid(q):
            self.tally.dropped.append(pose.name)
            return None
        return SolvedPosture(pose.name, q, pose.support)

    def is_valid(self, q: Floats) -> bool:
        """Whether a posture is within limits and penetrates nothing."""
        excess = limit_excess(self.setting.figure.skeleton, q)
        good = max(excess.values(), default=0.0) <= 2 * LIMIT_RAD and bool(self.setting.clear(q)[0])
        self.tally.tried += 1
        self.tally.kept += good
        return good

    def repaired(
        self, q: Floats, support: tuple[str, ...], iterations: int = _REPAIR_ITERATIONS
    ) -> Floats:
        """q with its supports back on the floor, after a few iterations of the solver."""
        planted = support_terms(self.setting, q, support)[1]
        near = stay_near(self.setting.skeleton, q, weight=0.6)
        return self.solver.solve(q, [*near, *planted], iterations)

    def movement(self, start: SolvedPosture, end: SolvedPosture, steps: int) -> list[SolvedPosture]:
        """Postures between two others, ends excluded; empty unless the movement is certified."""
        skeleton = self.setting.figure.skeleton
        common = tuple(s for s in start.support if s in end.support)
        between: list[Floats] = []
        for t in np.arange(1, steps) / steps:
            q = interpolate(skeleton, start.q, end.q, float(t))
            if start.support and end.support:
                q = self.repaired(q, common) if common else self.grounded_posture(q)
            between.append(q)
        self.tally.movements += 1
        if not all(self.is_valid(q) for q in between):
            return []
        frames = np.array([start.q, *between, end.q])
        if not certify(self.setting.table, frames, fps=1.0).certified:
            return []
        self.tally.certified += 1
        name = f"{start.name} > {end.name}"
        return [SolvedPosture(f"{name} {i + 1}/{steps}", q, common) for i, q in enumerate(between)]

    def grounded_posture(self, q: Floats) -> Floats:
        """q moved vertically until its lowest capsule touches the floor."""
        figure = self.setting.figure
        frames = forward(figure.skeleton, q)
        lowest = min(
            float(frames.point(c.joint, end)[1]) - c.radius_m
            for c in figure.capsules
            for end in (c.start_in_joint, c.end_in_joint)
        )
        out = q.copy()
        out[1] -= lowest
        return out

    def blend(self, above: SolvedPosture, below: SolvedPosture) -> SolvedPosture | None:
        """Trunk and arms of one posture with the pelvis and legs of another."""
        skeleton = self.setting.figure.skeleton
        q = below.q.copy()
        for joint in skeleton.names:
            if joint.removeprefix("left_").removeprefix("right_") in _UPPER:
                q[skeleton.q_slice(joint)] = above.q[skeleton.q_slice(joint)]
        return self._checked(f"{above.name} + {below.name}", q, below.support)

    def perturbed(
        self, posture: SolvedPosture, number: int, size: float = 1.0
    ) -> SolvedPosture | None:
        """The posture perturbed by the Halton point `number`, with an amplitude per body part."""
        skeleton = self.setting.figure.skeleton
        step = np.zeros(skeleton.dof_count)
        for row, (names, radians) in enumerate(_PERTURBATIONS):
            for k, name in enumerate(names):
                at = skeleton.v_slice(name)
                width = at.stop - at.start
                spread = [_halton(number + 1, 3 * (row + 2 * k) + c) for c in range(width)]
                step[at] = size * radians * (2.0 * np.array(spread) - 1.0)
        q = integrate(skeleton, posture.q, step)
        return self._checked(f"{posture.name} ~{number}", q, posture.support)

    def _checked(self, name: str, q: Floats, support: tuple[str, ...]) -> SolvedPosture | None:
        q = self.repaired(q, support)
        return SolvedPosture(name, q, support) if self.is_valid(q) else None

    def mirrored(self, postures: Iterable[SolvedPosture]) -> list[SolvedPosture]:
        """The mirror images, which are valid too, since the setting is symmetric."""
        out: list[SolvedPosture] = []
        for p in postures:
            swapped = tuple(_other_side(s) for s in p.support)
            out.append(
                SolvedPosture(
                    f"{p.name} (mirrored)", mirrored(self.setting.figure.skeleton, p.q), swapped
                )
            )
        return out


_PERTURBATIONS: tuple[tuple[tuple[str, ...], float], ...] = (
    (("spine", "chest"), 0.12),
    (("neck", "head"), 0.16),
    (("left_shoulder", "right_shoulder", "left_elbow", "right_elbow"), 0.30),
    (("left_hip", "right_hip", "left_knee", "right_knee"), 0.12),
    (("left_wrist", "right_wrist"), 0.20),
)
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)


def _halton(number: int, dimension: int) -> float:
    """The Halton sequence in one dimension: deterministic, evenly spread numbers in 0..1."""
    base = _PRIMES[dimension % len(_PRIMES)]
    n, share, out = number + 17 * (dimension // len(_PRIMES)), 1.0, 0.0
    while n > 0:
        share /= base
        out += share * (n % base)
        n //= base
    return out


def _other_side(name: str) -> str:
    side, _, rest = name.partition("_")
    return f"{SIDES[1 - SIDES.index(side)]}_{rest}" if side in SIDES else name


def nearest_pairs(
    setting: PoseSetting, postures: Sequence[SolvedPosture], count: int
) -> list[tuple[int, int]]:
    """Pairs (i < j) of each posture with its `count` nearest, by joint positions."""
    positions = forward(setting.figure.skeleton, np.array([p.q for p in postures])).positions
    flat = (positions - positions[:, :1] * np.array([1.0, 0.0, 1.0])).reshape(len(postures), -1)
    square = ((flat[:, None] - flat[None]) ** 2).sum(axis=2)
    np.fill_diagonal(square, np.inf)
    order = np.argsort(square, axis=1, kind="stable")[:, :count]
    return sorted({(min(i, int(j)), max(i, int(j))) for i, row in enumerate(order) for j in row})
