"""Posers for the sessions: methods by name, with the posture database where there is one."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from writhe.database import PostureDatabase
from writhe.errors import WritheError
from writhe.skeleton import Figure
from writhe.skeleton.figures import figure
from writhe.solvers.posing import Poser, make_poser, method_names
from writhe.solvers.posing.default import DefaultPoser
from writhe.solvers.posing.place import ActorPlace

_NEED_DATABASE = frozenset({"paper", "local-pca"})


class Posers:
    """Makes posers. The database is of the human; other figures are posed without one."""

    def __init__(self, database: Path | None = None) -> None:
        self._path = database

    @cached_property
    def database(self) -> PostureDatabase | None:
        """The postures that make poses natural."""
        if self._path is None:
            return None
        return PostureDatabase.load(self._path, figure("human"))

    def methods(self) -> list[str]:
        """The methods that can be used here, the best first."""
        return [n for n in method_names() if self._path is not None or n not in _NEED_DATABASE]

    def make(self, method: str, body: Figure, place: ActorPlace | None = None) -> Poser:
        """A poser of its own for one puppet (posers keep state between steps)."""
        database = self.database if body.name == "human" else None
        if database is None and method in _NEED_DATABASE:
            raise WritheError(
                f"the method {method!r} needs a posture database, which there is only for the human"
                " when the studio is started with --database"
            )
        if method == "default":
            return DefaultPoser(body, database, place=place)
        return make_poser(method, body, database)
