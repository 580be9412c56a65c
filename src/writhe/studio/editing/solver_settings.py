"""How a document wants its figures posed: which postures, which weights."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from writhe.solvers.posing.options import DefaultOptions
from writhe.studio.document import Document

Factor = Annotated[float, Meta(ge=0.1, le=10.0)]  # of a default weight
FROM_FILE = "file:"  # before the title of a database on the server's shelf
BUILT_IN = ("basic", "chair", "ladder")
Postures = Annotated[str, Meta(max_length=80)]  # one of BUILT_IN, "given", "none" or a file


class Solving(msgspec.Struct, frozen=True):
    """The postures that make poses natural, and factors of the default method's weights.

    "given" is the database that the server was started with.
    """

    postures: Postures | None = None  # None: the one given, or the basic ones
    naturalness: Factor = 1.0
    grip: Factor = 1.0
    steadiness: Factor = 1.0
    placed_stay: bool = True  # parts put somewhere by hand stay, softly, while others are dragged

    @classmethod
    def of(cls, document: Document) -> Solving:
        """What the document says."""
        return document.setting("solving", cls, cls())

    def options(self) -> DefaultOptions:
        """The weights of the default method."""
        usual = DefaultOptions()
        return DefaultOptions(
            expected_weight=usual.expected_weight * self.naturalness,
            target_weight=usual.target_weight * self.grip,
            root_weight=usual.root_weight * self.steadiness,
        )
