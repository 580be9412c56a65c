"""The result of `certify`. Its tolerance of 1 mm is `certificate_slack.SLACK_M`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.collision.folds import FoldedJoint
from writhe.collision.verdict import Verdict, worst_verdict


@dataclass(frozen=True, slots=True)
class DeepOverlap:
    """An interval in which two parts overlap by more than half the smaller radius.

    `time_s` is the time of the greatest depth; `cut`: whether the clip starts or ends within it.
    """

    time_s: float
    a: str
    b: str
    interval_s: tuple[float, float]
    depth_m: float
    cores_meet: bool
    pass_through: bool
    cut: tuple[bool, bool]

    def as_dict(self) -> dict[str, Any]:
        """An object of the lists `deep_overlaps` and `pass_throughs` of `writhe certify --json`."""
        return {
            "time_s": self.time_s,
            "a": self.a,
            "b": self.b,
            "interval_s": list(self.interval_s),
            "depth_m": self.depth_m,
            "cores_meet": self.cores_meet,
        }


@dataclass(frozen=True, slots=True)
class PairWorst:
    """The smallest clearance (gap + allowance; negative in penetration) of two parts, and its
    time."""

    a: str
    b: str
    clearance_m: float
    proven_m: float
    allowance_m: float
    time_s: float
    violates: bool
    started_in_violation: bool


@dataclass(frozen=True)
class Certificate:
    """The result of `certify` for one motion; docs/certificate.md defines the terms.

    `start_depth_m` and `end_depth_m` are the deepest penetrations at the first and last frame;
    `jumps` counts the instants at which the pose changes without motion (glTF STEP),
    `untested_pairs` the shape pairs that `ContactPolicy.skip_joint_zones` excludes.
    """

    verdict: Verdict
    pass_throughs: tuple[DeepOverlap, ...]
    deep_overlaps: tuple[DeepOverlap, ...]
    penetration_witnessed_m: float
    penetration_upper_bound_m: float
    min_clearance_m: float | None
    undecided: int
    interpolation: str
    frames: int
    seconds: float
    worst_pairs: tuple[PairWorst, ...]
    evaluations: int
    start_depth_m: float
    end_depth_m: float
    jumps: int = 0
    untested_pairs: int = 0
    folded_joints: tuple[FoldedJoint, ...] = ()

    @property
    def certified(self) -> bool:
        """Whether at no time anything penetrates by more than the slack, overlaps deeply, or folds.

        docs/certificate.md, Definitions.
        """
        return self.verdict is Verdict.CERTIFIED

    def as_dict(self) -> dict[str, Any]:
        """The JSON object of `writhe certify --json`."""
        return {
            "certified": self.certified,
            "verdict": self.verdict.value,
            "pass_throughs": [event.as_dict() for event in self.pass_throughs],
            "deep_overlaps": [event.as_dict() for event in self.deep_overlaps],
            "penetration_m": {
                "witnessed": self.penetration_witnessed_m,
                "upper_bound": self.penetration_upper_bound_m,
            },
            "start_depth_m": self.start_depth_m,
            "end_depth_m": self.end_depth_m,
            "min_clearance_m": self.min_clearance_m,
            "undecided": self.undecided,
            "folded_joints": [folded.as_dict() for folded in self.folded_joints],
            "jumps": self.jumps,
            "untested_pairs": self.untested_pairs,
            "interpolation": self.interpolation,
            "frames": self.frames,
            "seconds": self.seconds,
        }


def worst_certificate(
    found: list[Certificate], interpolation: str, times_s: Floats, seconds: float
) -> Certificate:
    """The worst values over the certificates of several interpolations of rows at `times_s`."""
    clearances = [c.min_clearance_m for c in found if c.min_clearance_m is not None]
    deepest = max(found, key=lambda c: c.penetration_upper_bound_m)
    events = (
        _union([c.deep_overlaps for c in found], times_s)
        if len(found) > 1
        else found[0].deep_overlaps
    )
    return Certificate(
        verdict=worst_verdict(c.verdict for c in found),
        pass_throughs=tuple(e for e in events if e.pass_through),
        deep_overlaps=events,
        penetration_witnessed_m=deepest.penetration_witnessed_m,
        penetration_upper_bound_m=deepest.penetration_upper_bound_m,
        min_clearance_m=min(clearances) if clearances else None,
        undecided=sum(c.undecided for c in found),
        interpolation=interpolation,
        frames=found[0].frames,
        seconds=seconds,
        worst_pairs=deepest.worst_pairs,
        evaluations=sum(c.evaluations for c in found),
        start_depth_m=max(c.start_depth_m for c in found),
        end_depth_m=max(c.end_depth_m for c in found),
        jumps=max(c.jumps for c in found),
        untested_pairs=found[0].untested_pairs,
        folded_joints=_deepest_folds(found),
    )


def _deepest_folds(found: list[Certificate]) -> tuple[FoldedJoint, ...]:
    """The folded joints of several interpolations, each where it exceeds its limit most."""
    worst: dict[str, FoldedJoint] = {}
    for folded in (f for one in found for f in one.folded_joints):
        known = worst.get(folded.joint)
        if known is None or folded.beyond_rad > known.beyond_rad:
            worst[folded.joint] = folded
    return tuple(worst.values())


def _union(lists: list[tuple[DeepOverlap, ...]], times_s: Floats) -> tuple[DeepOverlap, ...]:
    """Deep overlaps of all interpolations, without duplicates.

    Two of the same parts that share an interval between rows are duplicates: a pass-through is
    kept, else the deeper one.
    """
    kept: list[tuple[DeepOverlap, int, int]] = []
    for event in sorted(
        (e for one in lists for e in one), key=lambda e: (not e.pass_through, -e.depth_m)
    ):
        first = int(np.searchsorted(times_s, event.interval_s[0] + 1e-9)) - 1
        last = int(np.searchsorted(times_s, event.interval_s[1] - 1e-9))
        if not any(
            (event.a, event.b) == (other.a, other.b) and first < end and begin < last
            for other, begin, end in kept
        ):
            kept.append((event, first, last))
    return tuple(sorted((e for e, _, _ in kept), key=lambda e: (e.time_s, e.a, e.b)))
