"""Solver settings of a document: posture database and weights of the default method."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from writhe.solvers.posing.options import DefaultPoserOptions
from writhe.studio.document.document import Document

Factor = Annotated[float, Meta(ge=0.1, le=10.0)]  # factor of a default weight
FROM_FILE = "file:"  # prefix of a database in the server's shared files
BUILT_IN = ("basic", "chair", "ladder")
Postures = Annotated[str, Meta(max_length=80)]  # one of BUILT_IN, "given", "none" or a file


class SolverSettings(msgspec.Struct, frozen=True):
    """Posture database and factors of the default method's weights.

    "given" is the database that the server was started with (`--database`).
    """

    postures: Postures | None = None  # None: "given" if there is one, else "basic"
    naturalness: Factor = 1.0
    grip: Factor = 1.0
    steadiness: Factor = 1.0
    # soft pins on; documents store it as `placed_stay`
    soft_pins: bool = msgspec.field(name="placed_stay", default=True)
    gaze: bool = True  # the head turns towards a dragged hand
    balance: bool = True  # the centre of mass stays over the feet while the upper body is dragged
    steps: bool = False  # standing feet step towards targets out of reach

    @classmethod
    def of(cls, document: Document) -> SolverSettings:
        """The settings stored in a document."""
        return document.setting("solving", cls, cls())

    def options(self) -> DefaultPoserOptions:
        """Options of the default method: its default weights times the factors."""
        defaults = DefaultPoserOptions()
        return DefaultPoserOptions(
            prior_weight=defaults.prior_weight * self.naturalness,
            target_weight=defaults.target_weight * self.grip,
            root_weight=defaults.root_weight * self.steadiness,
        )
