"""The contact policy: how far each pair of parts may overlap, visible and editable by part names.

Only parent and child are excluded outright: the parts of a joint and of its nearest ancestor that
carries a shape. Joints without shapes (helpers, zero-length bones) are looked through.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from writhe.arrays import Floats
from writhe.errors import WritheError

NEIGHBOUR_EXTRA_M = 0.005
NEIGHBOUR_STEPS = 3
# Allowances stay this far below half the smaller radius, so that what is certified (1 mm beyond the
# allowance at most) is not deep; thin shapes keep half of the half.
BELOW_HALF_M = 0.0015


def most_allowance(half_smaller_radius_m: Floats) -> Floats:
    """The largest allowance for shape pairs with these halves of the smaller radius."""
    return np.maximum(half_smaller_radius_m - BELOW_HALF_M, 0.5 * half_smaller_radius_m)


class Reason(Enum):
    """Why a pair of parts has the allowance it has."""

    DEFAULT = "default"
    NEIGHBOUR = "near neighbours"
    DECLARED = "declared"
    PARENT_CHILD = "parent and child"
    FIXED = "both fixed"
    IGNORED = "ignored"


# The allowance of shape pairs that are left out: no overlap reaches it.
LEFT_OUT_M = 1e9


@dataclass(frozen=True, slots=True)
class PairRule:
    """One row of the policy as it stands: the allowance is None where a pair is not tested.

    `capped` says that the allowance asked for was cut to stay below half the smaller radius for
    some shapes of the pair; `left_out` counts its shape pairs that are not tested because they lie
    in a joint zone (see `ContactPolicy`).
    """

    a: str
    b: str
    reason: Reason
    allowance_m: float | None
    capped: bool = False
    left_out: int = 0


def _key(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a <= b else (b, a)


@dataclass(frozen=True)
class ContactPolicy:
    """What is declared beyond the defaults.

    Without a declaration a pair has no allowance, except near neighbours on a skeleton (up to
    `neighbour_steps` shape-carrying joints apart), which may overlap by their overlap at rest and
    `neighbour_extra_m` more. Declared contacts (a seat, a hand on a thigh) are usually 5 to 10 mm.

    A figure whose near neighbours overlap at rest by more than half the smaller radius can never be
    certified: its shapes want another cut. Where that is out of reach (shapes fitted to a foreign
    skeleton), `skip_joint_zones` leaves out exactly those *shape* pairs and the rules count them;
    the other shapes of the same parts are still tested.
    """

    declared_m: Mapping[tuple[str, str], float] = field(
        default_factory=dict[tuple[str, str], float]
    )
    neighbour_extra_m: float = NEIGHBOUR_EXTRA_M
    neighbour_steps: int = NEIGHBOUR_STEPS
    skip_joint_zones: bool = False
    ignored: frozenset[tuple[str, str]] = frozenset()  # pairs that nobody answers for

    def __post_init__(self) -> None:
        for (a, b), metres in self.declared_m.items():
            if not 0 <= metres <= 0.1:
                raise WritheError(f"the allowance of {a!r} and {b!r} must be 0 to 0.1 m: {metres}")
        ordered = {_key(a, b): float(m) for (a, b), m in self.declared_m.items()}
        object.__setattr__(self, "declared_m", ordered)

    def allow(self, a: str, b: str, metres: float) -> ContactPolicy:
        """The policy with one more declared contact."""
        return replace(self, declared_m={**self.declared_m, _key(a, b): metres})

    def ignore(self, a: str, b: str) -> ContactPolicy:
        """The policy without the pair: two objects, say, that are moved from outside."""
        return replace(self, ignored=self.ignored | {_key(a, b)})

    def ignores(self, a: str, b: str) -> bool:
        """Whether two parts are not tested against each other."""
        return _key(a, b) in self.ignored

    def declared(self, a: str, b: str) -> float | None:
        """The allowance declared for two parts, None when there is none."""
        return self.declared_m.get(_key(a, b))
