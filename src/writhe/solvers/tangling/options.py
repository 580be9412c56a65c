"""Options of steps in topology space."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from writhe.arguments import check_fields


@dataclass(frozen=True, slots=True)
class TangleOptions:
    """Options of one step in topology space. Lengths in metres, angles in radians."""

    writhe_weight: float = 30.0  # relative to the motion metric
    centre_weight: float = 20.0
    density_weight: float = 10.0
    writhe_stride: float = 0.05  # largest change of a coordinate aimed for in one step
    centre_stride: float = 0.05
    density_stride: float = 0.06
    # below this writhe (or the target's, if less) the weights of centre and density fade
    fade_writhe: float = 0.25
    min_fade: float = 0.1  # smallest factor of the fading weights
    sigma: float | None = None  # the bound of Eq. 7 on every pair of bones of a tangle
    max_step: float = 0.12  # per degree of freedom and step
    near_m: float = 0.06  # pairs nearer than this become inequalities
    margin_m: float = 0.002  # clearance that contact rows aim to keep
    approach: float = 0.5  # fraction of the clearance that one step may use up
    recovery_m: float = 0.01  # how far one step pushes out an initial overlap at most
    pull: float = 0.0  # preferred step: fraction of the difference to the reference posture
    pull_limit: float = 0.06  # largest preferred step per degree of freedom
    gate: bool = True  # certify every step
    contacts: bool = True  # near pairs of shapes are inequalities of the QP
    # rows of a tangle: its "coordinates", or the entries of its "matrix" (Eq. 9 as printed)
    tracking: Literal["coordinates", "matrix"] = "coordinates"
    # a chain counts as through a loop from this writhe on; None: by crossing the loop's disc
    through_writhe: float | None = None
    # of an entry, with tracking "matrix"; printed without one, but at 1 chains of ten segments
    # stop at half the writhe
    matrix_weight: float = 10.0

    def __post_init__(self) -> None:
        check_fields(self)

    def as_published(self) -> TangleOptions:
        """The same strides with the rows and the bound of the paper (Eqs. 5 to 11).

        The desired matrix is tracked entry by entry, |T| <= sigma = 0.2 is the only protection from
        passing through each other (a goal that breaks it is not reached), the writhe of loops and
        bundles has a weight of 1, and a chain is through a loop when their writhe exceeds 0.95.
        Nothing is known of shapes: no contacts, no gate.

        The paper's cost of motion is the plain norm: pass no metric. Different from the paper are
        the weight of the matrix entries, the limit `max_step` (the paper prints none), the rows of
        a bundle (each strand moves towards the mean writhe; Eq. 11 minimises the deviations from
        it), and a broken bound, of which one step takes back 30 %.
        """
        return replace(
            self,
            tracking="matrix",
            sigma=0.2,
            writhe_weight=1.0,
            contacts=False,
            gate=False,
            through_writhe=0.95,
        )
