"""The result of `animate`: motion, certificate, and which constraints could not be kept."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from writhe.animation.pins import TimedPin
from writhe.collision import Certificate
from writhe.skeleton import Motion


class AnimationStatus(StrEnum):
    """How an animation ended; misuse raises an exception instead."""

    DONE = "done"  # every constraint is kept, the motion is certified
    CONFLICT = "conflict"  # some constraints contradict each other: `Animation.conflicts`


class ConflictKind(StrEnum):
    """The constraint that is not kept."""

    PIN = "pin"
    LIMIT = "limit"
    CONTACT = "contact"
    SPEED = "speed"


@dataclass(frozen=True)
class Conflict:
    """A constraint that is not kept from `start_s` to `end_s`, worst at `at_s`.

    `amount` is by how much: metres for pins and contacts, radians for limits, radians per second
    for speeds. `against` names the constraints that it contradicts, as far as they are known.
    """

    kind: ConflictKind
    what: str
    start_s: float
    end_s: float
    at_s: float
    amount: float
    against: tuple[str, ...] = ()

    def text(self) -> str:
        """The conflict as one sentence."""
        size = {
            ConflictKind.PIN: f"is missed by {1e3 * self.amount:.0f} mm",
            ConflictKind.LIMIT: f"is exceeded by {57.2958 * self.amount:.0f} degrees",
            ConflictKind.CONTACT: f"overlap by {1e3 * self.amount:.0f} mm",
            ConflictKind.SPEED: f"turns by {57.2958 * self.amount:.0f} degrees a second too fast",
        }[self.kind]
        against = f" (against {', '.join(self.against)})" if self.against else ""
        return f"{self.start_s:.2f} to {self.end_s:.2f} s: {self.what} {size}{against}"

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "kind": self.kind.value,
            "what": self.what,
            "start_s": self.start_s,
            "end_s": self.end_s,
            "at_s": self.at_s,
            "amount": self.amount,
            "against": list(self.against),
            "text": self.text(),
        }


@dataclass(frozen=True)
class MovedKey:
    """A key that pins moved: its number, and how far a joint moved at most."""

    number: int
    time_s: float
    distance_m: float


@dataclass(frozen=True)
class Animation:
    """A motion through keys.

    `motion` is that of the actor, `scene_motion` that of everything around it too. `planned` lists
    the spans (start, end in seconds) in which the motion goes around instead of following the
    blend. `pin_error_m` is the largest distance of a pinned point from its pin.
    """

    motion: Motion
    scene_motion: Motion
    certificate: Certificate
    conflicts: tuple[Conflict, ...]
    pins: tuple[TimedPin, ...]
    moved_keys: tuple[MovedKey, ...]
    planned: tuple[tuple[float, float], ...]
    pin_error_m: float
    seconds: float

    @property
    def status(self) -> AnimationStatus:
        """Whether everything is kept."""
        clean = not self.conflicts and self.certificate.certified
        return AnimationStatus.DONE if clean else AnimationStatus.CONFLICT

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "status": self.status.value,
            "certified": self.certificate.certified,
            "verdict": self.certificate.verdict.value,
            "frames": len(self.motion),
            "fps": self.motion.fps,
            "conflicts": [conflict.as_dict() for conflict in self.conflicts],
            "moved_keys": [
                {"number": k.number, "time_s": k.time_s, "distance_m": k.distance_m}
                for k in self.moved_keys
            ],
            "planned": [list(span) for span in self.planned],
            "pin_error_m": self.pin_error_m,
            "seconds": self.seconds,
        }
