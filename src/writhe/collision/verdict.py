"""The verdicts of a certificate, and which one a motion gets."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class Verdict(StrEnum):
    """What a certificate says about a motion, from best to worst; docs/certificate.md.

    Only `CERTIFIED` is a guarantee. A motion that is proven to penetrate is never `UNDECIDED`.
    """

    CERTIFIED = "certified"  # no penetration above the slack, no deep overlap, no fold
    # starts in violation, provably never gets deeper, and ends shallower by more than DIP_M
    # (`kernels/collision/clip_sweep.py`)
    IMPROVING = "improving"
    UNDECIDED = "undecided"  # no violation was found, but none could be excluded either
    PENETRATING = "penetrating"  # in violation at some time
    PASSES_THROUGH = "passes through"  # parts pass through each other


_FROM_BEST = tuple(Verdict)


def motion_verdict(
    *,
    passes_through: bool,
    overlaps_deeply: bool,
    fails: bool,
    starts_in_violation: bool,
    ends_shallower: bool,
    decided: bool,
) -> Verdict:
    """The verdict of a motion under one interpolation.

    overlaps_deeply: one core is inside the other shape; for thin shapes this is a penetration even
        if it is within the slack.
    fails: a pair gets deeper than allowed, or a joint is folded.
    ends_shallower: the penetration of the last frame is smaller than that of the first.
    decided: every pair is proven clear or in violation at all times.
    """
    if passes_through:
        return Verdict.PASSES_THROUGH
    if fails or (overlaps_deeply and not starts_in_violation):
        return Verdict.PENETRATING
    if starts_in_violation:
        return Verdict.IMPROVING if decided and ends_shallower else Verdict.PENETRATING
    return Verdict.CERTIFIED if decided else Verdict.UNDECIDED


def worst_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of several verdicts; `UNDECIDED` if there is none."""
    return max(verdicts, key=_FROM_BEST.index, default=Verdict.UNDECIDED)
