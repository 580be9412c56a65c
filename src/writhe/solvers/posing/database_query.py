"""The query vector of a posture database: the body's linking, and its linking with an object.

A database with an object stores, for each posture, the linking of the body's strands with the
object's. In a scene that has this object the two vectors are concatenated, which gives the sum of
squares of Eq. 3 of "Topology aware data-driven inverse kinematics"; otherwise the query is the
body's own linking vector alone.
"""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.database import NeighbourSearch, PostureDatabase
from writhe.scene import Scene, SceneObject
from writhe.scene.object_strands import object_bundle
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.topology import Bundle, body_bundle


class DatabaseQuery:
    """The search index of a database for one actor, and the linking vector to query it with."""

    def __init__(self, database: PostureDatabase, actor: ActorInScene | None = None) -> None:
        self.body = body_bundle(database.figure)
        self.object_name: str | None = None
        self._actor = actor
        self._with_object: Bundle | None = None
        scene_object = (
            None if actor is None or actor.scene is None else _object(database, actor.scene)
        )
        if actor is not None and actor.scene is not None and scene_object is not None:
            self.object_name = scene_object.name
            self._with_object = object_bundle(actor.scene, actor.root, scene_object.name)
        self.database = database if scene_object is not None else database.without_object()

    @property
    def search(self) -> NeighbourSearch:
        """The search index over posture features and linking vectors."""
        return self.database.search

    def linking(self, q: Floats, reference: Floats | None = None) -> Floats:
        """(pairs,) the linking vector of the actor at its configuration q.

        reference: the corresponding configuration of the database's figure, if it is another one.
        """
        own = self.body.linking(q if reference is None else reference)
        if self._with_object is None or self._actor is None:
            return own
        return np.concatenate([own, self._with_object.linking(self._actor.full_configuration(q))])

    def linking_jacobian(self, q: Floats) -> Floats:
        """(pairs, nv) its derivative by the actor's tangent step."""
        own = self.body.linking_with_jacobian(q)[1]
        if self._with_object is None or self._actor is None:
            return own
        jacobian = self._with_object.linking_with_jacobian(self._actor.full_configuration(q))[1]
        return np.concatenate([own, jacobian[:, self._actor.v]])


def _object(database: PostureDatabase, scene: Scene) -> SceneObject | None:
    """The scene's object that the database was built with, by name and number of strands."""
    columns = database.object_linking.shape[1]
    strands = len(database.figure.strands)
    for candidate in scene.objects:
        known = database.object_name in (candidate.source, candidate.name)
        if columns and known and len(candidate.strands) * strands == columns:
            return candidate
    return None
