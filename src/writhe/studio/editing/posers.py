"""Posers for the sessions: methods by name, with the posture database where there is one."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from writhe.database import PostureDatabase
from writhe.errors import WritheError
from writhe.postures.builtin import builtin_database
from writhe.skeleton import Figure
from writhe.skeleton.figures import figure
from writhe.solvers.half_space import HalfSpacePoser
from writhe.solvers.posing import Poser, make_poser
from writhe.solvers.posing.actor_in_scene import ActorPlace
from writhe.solvers.posing.default_poser import DefaultPoser
from writhe.studio.editing.solver_settings import FROM_FILE, Solving
from writhe.studio.files.shared_files import Shelves

_NEED_DATABASE = frozenset({"paper", "local-pca"})


class Posers:
    """Makes posers. Databases are of the human; other figures are posed without one.

    Without a file the built-in, synthetic postures are used.
    """

    def __init__(self, database: Path | None = None, shelves: Shelves | None = None) -> None:
        self.given = database
        self.shelves = shelves or Shelves()

    @cached_property
    def _given(self) -> PostureDatabase:
        if self.given is None:
            raise WritheError("the server was started without a database of its own (--database)")
        return PostureDatabase.load(self.given, figure("human"))

    def postures(self, solving: Solving) -> PostureDatabase | None:
        """The postures that make poses natural."""
        match solving.postures:
            case "none":
                return None
            case "given":
                return self._given
            case None:
                return builtin_database() if self.given is None else self._given
            case kind if kind.startswith(FROM_FILE):
                name = kind.removeprefix(FROM_FILE)
                # a document may have come from a machine that has the file
                known = name in self.shelves.postures.names()
                return self.shelves.postures.get(name) if known else builtin_database()
            case kind:
                return builtin_database(kind)

    def make(
        self,
        method: str,
        body: Figure,
        place: ActorPlace | None = None,
        solving: Solving | None = None,
    ) -> Poser:
        """A poser of its own for one puppet (posers keep state between steps)."""
        wanted = solving or Solving()
        database = self.postures(wanted) if body is figure("human") else None
        if database is None and method in _NEED_DATABASE:
            raise WritheError(
                f"the method {method!r} needs a database of postures, and there is one for the"
                " human only; choose postures or another method"
            )
        if method == "default":
            return DefaultPoser(body, database, wanted.options(), place=place)
        if method == "half-space":
            return HalfSpacePoser(body, place=place)
        return make_poser(method, body, database)
