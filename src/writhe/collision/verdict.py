"""The verdicts of a certificate; `collision.certify._verdict` decides which one a motion gets."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class Verdict(StrEnum):
    """What a certificate says about a motion, from best to worst; docs/certificate.md.

    Only `CERTIFIED` is a guarantee. A motion that is proven to penetrate is never `UNDECIDED`.
    """

    CERTIFIED = "certified"  # no penetration above the slack, no deep overlap, no fold
    # starts in violation, provably never gets deeper, and ends shallower by more than DIP_M
    IMPROVING = "improving"
    UNDECIDED = "undecided"  # no violation was found, but none could be excluded either
    PENETRATING = "penetrating"  # in violation at some time
    PASSES_THROUGH = "passes through"  # parts pass through each other


_FROM_BEST = tuple(Verdict)


def worst_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of several verdicts; `UNDECIDED` if there is none."""
    return max(verdicts, key=_FROM_BEST.index, default=Verdict.UNDECIDED)
