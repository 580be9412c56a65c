"""Settled postures and the ways to make more of them: movements, blends, small changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from writhe.arrays import Floats
from writhe.collision import certify
from writhe.postures.builtin.anatomical_angles import SIDES
from writhe.postures.builtin.key_pose import KeyPose, support_terms
from writhe.postures.builtin.pose_setting import Place
from writhe.postures.builtin.settle import LIMIT_RAD, Settler
from writhe.skeleton import forward
from writhe.skeleton.kinematics import integrate, interpolate
from writhe.skeleton.limits import limit_excess
from writhe.skeleton.mirror import mirrored
from writhe.terms import stay_near

_AGAIN = 10  # iterations to settle a posture that is nearly right
_UPPER = ("spine", "chest", "neck", "head", "clavicle", "shoulder", "elbow", "wrist")


@dataclass(frozen=True)
class Posture:
    """A posture that keeps all the rules, with what bears it and where it comes from."""

    name: str
    q: Floats
    support: tuple[str, ...] = ()


@dataclass
class Tally:
    """How many postures and movements were tried, and what became of them."""

    authored: int = 0
    tried: int = 0
    kept: int = 0
    movements: int = 0
    certified: int = 0
    dropped: list[str] = field(default_factory=list[str])  # authored poses that had to go


class Workshop:
    """Makes postures in one place and drops those that leave limits or penetrate."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.settler = Settler(place)
        self.tally = Tally()

    def authored(self, pose: KeyPose) -> Posture | None:
        """The settled key pose; None if it cannot be had without breaking a rule."""
        start = pose.start(self.place)
        q = self.settler.settle(start, pose.terms(self.place, start))
        self.tally.authored += 1
        if not self.sound(q):
            q = self.again(q, pose.support, 3 * _AGAIN)
        if not self.sound(q):
            self.tally.dropped.append(pose.name)
            return None
        return Posture(pose.name, q, pose.support)

    def sound(self, q: Floats) -> bool:
        """Whether a posture is within limits and penetrates nothing."""
        excess = limit_excess(self.place.figure.skeleton, q)
        good = max(excess.values(), default=0.0) <= 2 * LIMIT_RAD and bool(self.place.clear(q)[0])
        self.tally.tried += 1
        self.tally.kept += good
        return good

    def again(self, q: Floats, support: tuple[str, ...], iterations: int = _AGAIN) -> Floats:
        """q with its supports back on the floor, settled a little."""
        planted = support_terms(self.place, q, support)[1]
        near = stay_near(self.place.skeleton, q, weight=0.6)
        return self.settler.settle(q, [*near, *planted], iterations)

    def movement(self, start: Posture, end: Posture, steps: int) -> list[Posture]:
        """Postures on the way from one to the other, ends excluded; none unless certified."""
        skeleton = self.place.figure.skeleton
        common = tuple(s for s in start.support if s in end.support)
        way: list[Floats] = []
        for t in np.arange(1, steps) / steps:
            q = interpolate(skeleton, start.q, end.q, float(t))
            if start.support and end.support:
                q = self.again(q, common) if common else self.lowered(q)
            way.append(q)
        self.tally.movements += 1
        if not all(self.sound(q) for q in way):
            return []
        frames = np.array([start.q, *way, end.q])
        if not certify(self.place.table, frames).certified:
            return []
        self.tally.certified += 1
        name = f"{start.name} > {end.name}"
        return [Posture(f"{name} {i + 1}/{steps}", q, common) for i, q in enumerate(way)]

    def lowered(self, q: Floats) -> Floats:
        """q moved up or down until its lowest capsule touches the floor."""
        figure = self.place.figure
        frames = forward(figure.skeleton, q)
        lowest = min(
            float(frames.point(c.joint, end)[1]) - c.radius_m
            for c in figure.capsules
            for end in (c.start_in_joint, c.end_in_joint)
        )
        out = q.copy()
        out[1] -= lowest
        return out

    def blend(self, above: Posture, below: Posture) -> Posture | None:
        """Trunk and arms of one posture on the pelvis and legs of another."""
        skeleton = self.place.figure.skeleton
        q = below.q.copy()
        for joint in skeleton.names:
            if joint.removeprefix("left_").removeprefix("right_") in _UPPER:
                q[skeleton.q_slice(joint)] = above.q[skeleton.q_slice(joint)]
        return self._checked(f"{above.name} + {below.name}", q, below.support)

    def changed(self, posture: Posture, number: int, size: float = 1.0) -> Posture | None:
        """A small structured change: trunk, head, arms and legs each go along their own way."""
        skeleton = self.place.figure.skeleton
        step = np.zeros(skeleton.dof_count)
        for row, (names, radians) in enumerate(_CHANGES):
            for k, name in enumerate(names):
                at = skeleton.v_slice(name)
                width = at.stop - at.start
                spread = [_halton(number + 1, 3 * (row + 2 * k) + c) for c in range(width)]
                step[at] = size * radians * (2.0 * np.array(spread) - 1.0)
        q = integrate(skeleton, posture.q, step)
        return self._checked(f"{posture.name} ~{number}", q, posture.support)

    def _checked(self, name: str, q: Floats, support: tuple[str, ...]) -> Posture | None:
        q = self.again(q, support)
        return Posture(name, q, support) if self.sound(q) else None

    def mirrored(self, postures: Iterable[Posture]) -> list[Posture]:
        """The mirror images; places are symmetric, so they keep the rules too."""
        out: list[Posture] = []
        for p in postures:
            swapped = tuple(_other_side(s) for s in p.support)
            out.append(
                Posture(f"{p.name} (mirrored)", mirrored(self.place.figure.skeleton, p.q), swapped)
            )
        return out


_CHANGES: tuple[tuple[tuple[str, ...], float], ...] = (
    (("spine", "chest"), 0.12),
    (("neck", "head"), 0.16),
    (("left_shoulder", "right_shoulder", "left_elbow", "right_elbow"), 0.30),
    (("left_hip", "right_hip", "left_knee", "right_knee"), 0.12),
    (("left_wrist", "right_wrist"), 0.20),
)
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)


def _halton(number: int, dimension: int) -> float:
    """The Halton sequence: evenly spread numbers in 0 .. 1 without any chance in them."""
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


def nearest(place: Place, postures: Sequence[Posture], count: int) -> list[tuple[int, int]]:
    """Pairs (i < j) of each posture with the `count` most like it, by joint positions."""
    positions = forward(place.figure.skeleton, np.array([p.q for p in postures])).positions
    flat = (positions - positions[:, :1] * np.array([1.0, 0.0, 1.0])).reshape(len(postures), -1)
    square = ((flat[:, None] - flat[None]) ** 2).sum(axis=2)
    np.fill_diagonal(square, np.inf)
    order = np.argsort(square, axis=1, kind="stable")[:, :count]
    return sorted({(min(i, int(j)), max(i, int(j))) for i, row in enumerate(order) for j in row})
