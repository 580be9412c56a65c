"""The status of a pose or a motion in one word: clear, touching, overlapping, or not proven.

It is derived from a certificate: only a certified motion is clear or touching.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from writhe.collision.certificate import Certificate
from writhe.collision.verdict import Verdict

TOUCHING_M = 1e-3  # parts that come nearer than this touch


class ContactState(StrEnum):
    """What is shown to a user, from best to worst."""

    CLEAR = "clear"
    TOUCHING = "touching"
    UNDECIDED = "undecided"
    OVERLAPPING = "overlapping"


@dataclass(frozen=True)
class ContactStatus:
    """The state with the two parts that come nearest or overlap deepest, and when.

    `clearance_m` is a proven lower bound, negative in an overlap; None if nothing is near.
    """

    state: ContactState
    a: str
    b: str
    at_s: float
    clearance_m: float | None

    def text(self) -> str:
        """The status as one phrase."""
        pair = f"{self.a} and {self.b}"
        if self.state is ContactState.OVERLAPPING:
            depth = -1e3 * (self.clearance_m or 0.0)
            return f"overlapping: {pair} by {depth:.0f} mm at {self.at_s:.2f} s"
        if self.state is ContactState.UNDECIDED:
            return (
                f"not proven to be clear: {pair} at {self.at_s:.2f} s" if self.a else "not checked"
            )
        if self.state is ContactState.TOUCHING:
            return f"touching: {pair} at {self.at_s:.2f} s"
        return "clear"


def contact_status(certificate: Certificate) -> ContactStatus:
    """The status that a certificate proves."""
    worst = min(certificate.worst_pairs, key=lambda pair: pair.clearance_m, default=None)
    clearance = certificate.min_clearance_m
    if certificate.verdict is Verdict.UNDECIDED:
        state = ContactState.UNDECIDED
    elif not certificate.certified:
        state = ContactState.OVERLAPPING
    elif clearance is not None and clearance < TOUCHING_M:
        state = ContactState.TOUCHING
    else:
        state = ContactState.CLEAR
    return ContactStatus(
        state,
        "" if worst is None else worst.a,
        "" if worst is None else worst.b,
        0.0 if worst is None else worst.time_s,
        clearance,
    )
