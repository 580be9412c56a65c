"""How a poser asks its database: by the linking of the body, and with an object where there is one.

A database with an object holds, for each posture, the linking of the body's strands with the
object's. In a scene that has this object the two vectors are asked about together, which is the sum
of squares of Eq. 3 of "Topology aware data-driven inverse kinematics"; elsewhere the postures are
searched by the body's own linking alone.
"""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.database import NeighbourSearch, PostureDatabase
from writhe.scene import Scene, SceneObject
from writhe.scene.object_strands import object_bundle
from writhe.solvers.posing.actor_in_scene import ActorPlace
from writhe.topology import Bundle, body_bundle


class Asking:
    """The search index of a database for an actor at its place, and what to ask it with."""

    def __init__(self, database: PostureDatabase, place: ActorPlace | None = None) -> None:
        self.body = body_bundle(database.figure)
        self.thing: str | None = None
        self._place = place
        self._with_object: Bundle | None = None
        found = None if place is None or place.scene is None else _object(database, place.scene)
        if place is not None and place.scene is not None and found is not None:
            self.thing = found.name
            self._with_object = object_bundle(place.scene, place.root, found.name)
        self.database = database if found is not None else database.without_object()

    @property
    def search(self) -> NeighbourSearch:
        """The index over all that is asked about."""
        return self.database.search

    def linking(self, q: Floats) -> Floats:
        """(pairs,) the linking vector of the actor at its configuration q."""
        own = self.body.linking(q)
        if self._with_object is None or self._place is None:
            return own
        return np.concatenate([own, self._with_object.linking(self._place.whole(q))])

    def linking_jacobian(self, q: Floats) -> Floats:
        """(pairs, nv) its derivative by the actor's tangent step."""
        own = self.body.linking_with_jacobian(q)[1]
        if self._with_object is None or self._place is None:
            return own
        slope = self._with_object.linking_with_jacobian(self._place.whole(q))[1]
        return np.concatenate([own, slope[:, self._place.v]])


def _object(database: PostureDatabase, scene: Scene) -> SceneObject | None:
    """The scene's object that the database was made with: of its name and as many strands."""
    columns = database.object_linking.shape[1]
    strands = len(database.figure.strands)
    for thing in scene.objects:
        known = database.object_name in (thing.source, thing.name)
        if columns and known and len(thing.strands) * strands == columns:
            return thing
    return None
