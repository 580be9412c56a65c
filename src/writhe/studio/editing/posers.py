"""Makes posers for the sessions: by method name, with a posture database where one exists."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from writhe.database import PairDatabase, PostureDatabase
from writhe.errors import WritheError
from writhe.postures.builtin import builtin_database
from writhe.postures.pairs import builtin_pairs
from writhe.postures.preset_poses import is_person
from writhe.skeleton import Figure
from writhe.skeleton.figures import figure
from writhe.solvers.half_space import HalfSpacePoser
from writhe.solvers.posing import Controls, Poser, make_poser
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.solvers.posing.idle_fingers import default_poser
from writhe.studio.document.solver_settings import FROM_FILE, SolverSettings
from writhe.studio.files.shared_files import SharedFiles

_NEED_DATABASE = frozenset({"paper", "local-pca"})


class Posers:
    """Makes posers. Databases hold postures of people; other figures are posed without one.

    Without `database` the built-in, synthetic postures are used; without `pairs` the built-in
    interactions of two people.
    """

    def __init__(
        self,
        database: Path | None = None,
        shared_files: SharedFiles | None = None,
        pairs: Path | None = None,
    ) -> None:
        self.given = database
        self._given_pairs = pairs
        self.shared_files = shared_files or SharedFiles()

    @cached_property
    def _given(self) -> PostureDatabase:
        if self.given is None:
            raise WritheError(
                "the server was started without --database, so it has no database of its own"
            )
        return PostureDatabase.load(self.given, figure("human"))

    @cached_property
    def pairs(self) -> PairDatabase:
        """The postures of two people that partners react by: the built-in and the given ones."""
        if self._given_pairs is None:
            return builtin_pairs()
        return PairDatabase.load(self._given_pairs, figure("human")).merged(builtin_pairs())

    def postures(self, settings: SolverSettings) -> PostureDatabase | None:
        """The posture database that the settings select; None for none."""
        match settings.postures:
            case "none":
                return None
            case "given":
                return self._given
            case None:
                return builtin_database() if self.given is None else self._given
            case kind if kind.startswith(FROM_FILE):
                name = kind.removeprefix(FROM_FILE)
                # a document from another machine may name a file that this server lacks
                known = name in self.shared_files.postures.names()
                return self.shared_files.postures.get(name) if known else builtin_database()
            case kind:
                return builtin_database(kind)

    def make(
        self,
        method: str,
        body: Figure,
        in_scene: ActorInScene | None = None,
        settings: SolverSettings | None = None,
    ) -> Poser:
        """A new poser for one actor (posers keep state between steps)."""
        chosen = settings or SolverSettings()
        database = self.postures(chosen) if is_person(body) else None
        if database is None and method in _NEED_DATABASE:
            raise WritheError(
                f"the method {method!r} needs a posture database, which exists for people only;"
                " choose postures in the settings, or another method"
            )
        if method == "default":
            controls = Controls.for_drag(body, balance=chosen.balance, gaze=chosen.gaze)
            return default_poser(
                body, database, chosen.options(), actor=in_scene, controls=controls
            )
        if method == "half-space":
            return HalfSpacePoser(body, actor=in_scene)
        return make_poser(method, body, database)
