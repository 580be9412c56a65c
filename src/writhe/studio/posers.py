"""Posers for the sessions: methods by name, with the posture database where there is one."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from writhe.database import PostureDatabase
from writhe.errors import WritheError
from writhe.motion.library import builtin_database
from writhe.skeleton import Figure
from writhe.skeleton.figures import figure
from writhe.solvers.half_space import HalfSpacePoser
from writhe.solvers.posing import Poser, make_poser
from writhe.solvers.posing.default import DefaultPoser
from writhe.solvers.posing.place import ActorPlace

_NEED_DATABASE = frozenset({"paper", "local-pca"})


class Posers:
    """Makes posers. The database is of the human; other figures are posed without one.

    Without a file the built-in, synthetic postures are used.
    """

    def __init__(self, database: Path | None = None) -> None:
        self._path = database

    @cached_property
    def database(self) -> PostureDatabase:
        """The postures that make poses natural."""
        if self._path is None:
            return builtin_database()
        return PostureDatabase.load(self._path, figure("human"))

    def make(self, method: str, body: Figure, place: ActorPlace | None = None) -> Poser:
        """A poser of its own for one puppet (posers keep state between steps)."""
        database = self.database if body is figure("human") else None
        if database is None and method in _NEED_DATABASE:
            raise WritheError(
                f"the method {method!r} needs a database of postures, which there is for the human"
                " only; choose another method"
            )
        if method == "default":
            return DefaultPoser(body, database, place=place)
        if method == "half-space":
            return HalfSpacePoser(body, place=place)
        return make_poser(method, body, database)
