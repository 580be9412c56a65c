"""The contact policy decides how far each pair of parts, given by name, may overlap.

`CollisionTable` asks it for every pair and stores the answers in arrays.

A part is never tested against that of its nearest ancestor with a shape; joints without shapes
(helpers, zero-length bones) are skipped. All other pairs are tested.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from writhe.arguments import check_fields, checked
from writhe.arrays import Bools, Floats, number
from writhe.errors import WritheError

NEIGHBOUR_EXTRA_M = 0.005
NEIGHBOUR_STEPS = 3
# Allowances stay this far below half the smaller radius, so that a certified overlap (at most 1 mm
# beyond the allowance) is never a deep overlap; for thin shapes the cap is a quarter of the radius.
BELOW_HALF_M = 0.0015


def max_allowance(half_smaller_radius_m: Floats) -> Floats:
    """The largest allowance of shape pairs, given half of their smaller radius."""
    return np.maximum(half_smaller_radius_m - BELOW_HALF_M, 0.5 * half_smaller_radius_m)


class Reason(Enum):
    """Why a pair of parts has the allowance it has."""

    DEFAULT = "default"
    NEIGHBOUR = "near neighbours"
    DECLARED = "declared"
    PARENT_CHILD = "parent and child"
    FIXED = "both fixed"
    IGNORED = "ignored"


# sentinel: the allowance of shape pairs that are not tested, metres
LEFT_OUT_M = 1e9


@dataclass(frozen=True, slots=True)
class PairRule:
    """The allowance of one pair of parts; None if the pair is not tested.

    `capped` says that for some of its shape pairs the allowance was reduced to stay below half the
    smaller radius; `left_out` counts its deep rest pairs, which are not tested
    (see `ContactPolicy`); `too_deep_at_rest` says that some of them penetrate in the
    rest pose, so that no motion near it can be certified.
    """

    a: str
    b: str
    reason: Reason
    allowance_m: float | None
    capped: bool = False
    left_out: int = 0
    too_deep_at_rest: bool = False


def _key(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a <= b else (b, a)


@dataclass(frozen=True)
class ContactPolicy:
    """Which pairs of parts are tested, and how far each pair may overlap, in metres.

    An undeclared pair has no allowance, except near neighbours on a skeleton (up to
    `neighbour_steps` shape-carrying joints apart), which may overlap by their overlap at rest plus
    `neighbour_extra_m`. Declared contacts (a seat, a hand on a thigh) are usually 5 to 10 mm.

    A figure whose near neighbours overlap at rest by more than half the smaller radius can never be
    certified; its shapes should be changed. If that is not possible (shapes fitted to an imported
    skeleton), `skip_joint_zones` excludes exactly those *shape* pairs and the rules count them;
    the other shapes of the same parts are still tested.
    """

    declared_m: Mapping[tuple[str, str], float] = field(
        default_factory=dict[tuple[str, str], float]
    )
    neighbour_extra_m: float = NEIGHBOUR_EXTRA_M
    neighbour_steps: int = NEIGHBOUR_STEPS
    skip_joint_zones: bool = False
    ignored: frozenset[tuple[str, str]] = frozenset()  # pairs that are not tested

    def __post_init__(self) -> None:
        check_fields(self)
        number(self.neighbour_extra_m, "neighbour_extra_m", minimum=0.0, maximum=0.1)
        for (a, b), metres in self.declared_m.items():
            if not 0 <= metres <= 0.1:
                raise WritheError(
                    f"the allowance of {a!r} and {b!r} must be 0 to 0.1 m, not {metres}"
                )
        ordered = {_key(a, b): float(m) for (a, b), m in self.declared_m.items()}
        object.__setattr__(self, "declared_m", ordered)

    @checked
    def allow(self, a: str, b: str, metres: float) -> ContactPolicy:
        """The policy with an allowance declared for one more pair."""
        return replace(self, declared_m={**self.declared_m, _key(a, b): metres})

    @checked
    def ignore(self, a: str, b: str) -> ContactPolicy:
        """The policy without tests of this pair, e.g. two objects moved by the user."""
        return replace(self, ignored=self.ignored | {_key(a, b)})

    def ignores(self, a: str, b: str) -> bool:
        """Whether the pair is excluded by `ignore`."""
        return _key(a, b) in self.ignored

    def declared(self, a: str, b: str) -> float | None:
        """The declared allowance of two parts in metres, or None."""
        return self.declared_m.get(_key(a, b))

    def allowance(self, a: str, b: str, rest_gaps: Sequence[Floats]) -> tuple[float, Reason]:
        """How far two parts may overlap, in metres, and why; their shape pairs may cap it.

        rest_gaps: gaps of their shape pairs at rest; empty unless they are near neighbours.
        """
        declared = self.declared(a, b)
        if declared is not None:
            return declared, Reason.DECLARED
        if not rest_gaps:
            return 0.0, Reason.DEFAULT
        overlap = -min(float(gaps.min()) for gaps in rest_gaps)
        allowed = max(0.0, overlap + self.neighbour_extra_m)
        return allowed, Reason.NEIGHBOUR if allowed > 0 else Reason.DEFAULT

    def shape_allowances(
        self, part_allowance_m: float, half_smaller_radius_m: Floats, rest_gaps: Floats | None
    ) -> tuple[Floats, Bools]:
        """(k,) allowances of shape pairs of two parts, and which of them are not tested.

        rest_gaps (k,): their gaps in the rest pose; None unless the parts are near neighbours.
        """
        maximum = max_allowance(half_smaller_radius_m)
        allowed = np.minimum(part_allowance_m, maximum)
        zone: Bools = np.zeros(len(maximum), dtype=np.bool_)
        if rest_gaps is not None and self.skip_joint_zones:
            zone = rest_gaps < -maximum
            allowed[zone] = LEFT_OUT_M
        return allowed, zone
