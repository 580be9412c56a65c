"""Certified segments of a clip, and their extensions beyond both ends.

Consecutive frames may each be clear and still lie on opposite sides of a limb. The clip is cut into
segments between such frames, and where the correction jumps. A segment is extended beyond either
end by a gated tracker, forwards or backwards in time, which stays on its side. It approaches the
target postures at a bounded speed; where it reaches them, it has entered another segment.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from writhe.arrays import Bools, Floats
from writhe.cleaning.leaps import excess_motion
from writhe.skeleton import forward
from writhe.skeleton.kinematics import difference, integrate, interpolate
from writhe.solvers.posture_tracking import PostureTracker

# speed of a joint relative to the source, when it leaves the source or returns to it
MAX_SPEED_M_S = 5.0
_SHORTEST_S = 0.1  # shorter segments are treated as noise
_FOOT_WEIGHT = 2.0  # cost of a displaced foot, relative to another joint
# maximum cost (m s) of an extension; beyond it a detour is used
_EXTENSION_COST_METRE_SECONDS = 0.017
_EXCESS_S = 0.1  # cost of a metre moved beyond the speed bound


@dataclass(frozen=True)
class ClipSegment:
    """Frames `first` to `last` (inclusive) of the targets; the motion between them is certified."""

    first: int
    last: int

    def __contains__(self, frame: int) -> bool:
        """Whether the segment contains the frame."""
        return self.first <= frame <= self.last

    @property
    def middle(self) -> int:
        """The middle frame."""
        return (self.first + self.last) // 2


@dataclass
class Extension:
    """Tracked postures beyond one end of a segment, ordered away from that end."""

    rows: list[Floats]  # the first is the end frame of the segment
    positions: list[Floats]  # (joints, 3) of each row
    extra_cost: list[float]  # cumulative cost up to each row, minus that of the targets
    # the segment that it entered, in which case its last row is the target
    reached: int | None = None


class SegmentedClip:
    """A clip and its pushed-out target postures, cut into certified segments.

    source, target: (frames, nq) the clip, and the clip with every frame clear where possible.
    The cost of a motion is its mean displacement from the source times its duration, m s.
    """

    def __init__(self, tracker: PostureTracker, source: Floats, target: Floats, fps: float) -> None:
        self.tracker, self.source, self.target, self.fps = tracker, source, target, fps
        self.max_step_m = MAX_SPEED_M_S / fps
        self.skeleton = tracker.figure.skeleton
        self.positions = forward(self.skeleton, source).positions
        roles = {joint for role, joint in tracker.figure.roles if role.endswith(("ankle", "toe"))}
        self.weight = np.array(
            [_FOOT_WEIGHT if name in roles else 1.0 for name in self.skeleton.names]
        )
        self.weight /= len(self.weight) * fps
        self.target_positions = forward(self.skeleton, target).positions
        self.cost = np.linalg.norm(self.target_positions - self.positions, axis=2) @ self.weight
        self.segments = self._cut()
        self._extensions: dict[tuple[int, int], Extension] = {}

    def extra_cost(self, first: int, rows: Floats) -> float:
        """The excess cost of rows from frame `first` on over the targets, with the speed penalty.

        The last row is not counted: it belongs to the next segment.
        """
        part = slice(first, first + len(rows))
        positions = np.array([forward(self.skeleton, row).positions for row in rows])
        cost = (
            np.linalg.norm(positions - self.positions[part], axis=2) @ self.weight - self.cost[part]
        )
        leaps = excess_motion(positions, self.positions[part])
        return float(cost[:-1].sum() + _EXCESS_S * np.maximum(leaps - self.max_step_m, 0.0).sum())

    def extension(
        self, segment: int, direction: int, *, min_frames: int = 0, unlimited: bool = False
    ) -> Extension:
        """Extend a segment beyond its end (direction 1) or before its start (direction -1).

        It stops at another segment, at the end of the clip, or when its cost exceeds the limit,
        which is ignored for the first `min_frames` frames, or entirely if `unlimited`. Extensions
        are cached.
        """
        base = self.segments[segment]
        edge = base.last if direction > 0 else base.first
        extension = self._extensions.get((segment, direction))
        if extension is None:
            extension = Extension([self.target[edge]], [self.target_positions[edge]], [0.0])
            self._extensions[segment, direction] = extension
        while extension.reached is None:
            frame = edge + direction * len(extension.rows)
            if not 0 <= frame < len(self.target):
                break
            if (
                not unlimited
                and extension.extra_cost[-1] > _EXTENSION_COST_METRE_SECONDS
                and len(extension.rows) > min_frames
            ):
                break
            row, arrived = self._next(extension.rows[-1], frame - direction, frame)
            positions = forward(self.skeleton, row).positions
            displacement = np.linalg.norm(positions - self.positions[frame], axis=1) @ self.weight
            leap = excess_motion(
                np.array([extension.positions[-1], positions]),
                self.positions[[frame - direction, frame]],
            )
            extra_cost = float(displacement - self.cost[frame]) + _EXCESS_S * max(
                0.0, float(leap[0]) - self.max_step_m
            )
            extension.extra_cost.append(extension.extra_cost[-1] + extra_cost)
            extension.rows.append(row)
            extension.positions.append(positions)
            if arrived:
                extension.reached = self._at(frame)
        return extension

    def _next(self, row: Floats, before: int, frame: int) -> tuple[Floats, bool]:
        """The posture at `frame`, given `row` at frame `before`, and whether it is the target."""
        skeleton, target = self.skeleton, self.target[frame]
        carried = integrate(
            skeleton, self.source[frame], difference(skeleton, self.source[before], row)
        )
        apart = forward(skeleton, carried).positions - self.target_positions[frame]
        distance = float(np.linalg.norm(apart, axis=1).max())
        if distance <= self.max_step_m:
            if self._clear[frame] and self.tracker.gate.fraction(row, target) >= 1.0:
                return target, True
        else:
            target = interpolate(skeleton, carried, target, self.max_step_m / distance)
        return self.tracker.follow(row, target, gated=True), False

    def _at(self, frame: int) -> int | None:
        for number, segment in enumerate(self.segments):
            if frame in segment:
                return number
        return None

    def _cut(self) -> list[ClipSegment]:
        tracker, count = self.tracker, len(self.target)
        self._clear: Bools = np.array(
            [tracker.clearance(row) >= -tracker.gate.slack_m for row in self.target]
        )
        leaps = excess_motion(self.target_positions, self.positions)
        joined = [
            bool(self._clear[i] and self._clear[i + 1])
            and leaps[i] <= self.max_step_m
            and tracker.gate.fraction(self.target[i], self.target[i + 1]) >= 1.0
            for i in range(count - 1)
        ]
        starts = [0, *(i + 1 for i in range(count - 1) if not joined[i]), count]
        pieces = [ClipSegment(a, b - 1) for a, b in pairwise(starts) if self._clear[a]]
        shortest = max(2, round(_SHORTEST_S * self.fps))
        kept = [p for p in pieces if p.last - p.first + 1 >= shortest]
        ends = [p for p in pieces if p not in kept and (p.first == 0 or p.last == count - 1)]
        return sorted([*kept, *ends], key=lambda p: p.first) or [ClipSegment(0, 0)]
