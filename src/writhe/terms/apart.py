"""Keeping body parts apart, and keeping how strands are linked."""

from __future__ import annotations

import numpy as np

from writhe.quantities import Gap, Linking
from writhe.skeleton import Capsule
from writhe.terms.term import HARD, Term
from writhe.topology import Strand


def keep_apart(
    first: Capsule, second: Capsule, *, clearance_m: float = 0.0, weight: float = HARD
) -> Term:
    """The surfaces of two capsules are to stay `clearance_m` or more apart."""
    label = f"apart {first.part_name} {second.part_name}"
    return Term(Gap(first, second), clearance_m, np.inf, weight, label=label)


def keep_linking(
    first: Strand, second: Strand, lower: float, upper: float, *, weight: float = 1.0
) -> Term:
    """The linking of two strands is to stay within [lower, upper]."""
    label = f"linking {first.name} {second.name}"
    return Term(Linking(first, second), lower, upper, weight, label=label)
