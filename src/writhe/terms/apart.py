"""Terms that keep body parts apart or bound the linking of strands."""

from __future__ import annotations

import numpy as np

from writhe.quantities import Gap, Linking
from writhe.skeleton import Capsule
from writhe.terms.term import HARD, Term
from writhe.topology import Strand


def keep_apart(
    first: Capsule, second: Capsule, *, clearance_m: float = 0.0, weight: float = HARD
) -> Term:
    """Keep the surfaces of two capsules at least `clearance_m` apart."""
    label = f"apart {first.part_name} {second.part_name}"
    return Term(Gap(first, second), clearance_m, np.inf, weight, label=label)


def keep_linking(
    first: Strand, second: Strand, lower: float, upper: float, *, weight: float = 1.0
) -> Term:
    """Keep the linking of two strands within [lower, upper]."""
    label = f"linking {first.name} {second.name}"
    return Term(Linking(first, second), lower, upper, weight, label=label)
