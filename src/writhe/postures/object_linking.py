"""Postures beside an object: how they are linked with it, and where it stands."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.database import PostureDatabase
from writhe.database.posture import object_seen_from
from writhe.errors import WritheError
from writhe.postures.object_tracks import Places, place_at
from writhe.scene import Actor, ObjectKind, Scene, SceneObject
from writhe.scene.object_strands import object_bundle
from writhe.scene.objects import built_in
from writhe.skeleton import Figure, quaternions

_ACTOR = "body"


def find_object(named: str) -> SceneObject:
    """A built-in object by its name, or SCENE.json:NAME for one of a scene file."""
    file, colon, name = named.rpartition(":")
    if colon and file.endswith(".json"):
        return Scene.load(Path(file)).object(name)
    shapes, strands = built_in(named)
    return SceneObject(named, shapes, strands=strands, source=named)


class Beside:
    """Tells how postures of clips are linked with an object that stood in them."""

    def __init__(self, figure: Figure, thing: SceneObject, places: Places) -> None:
        if not thing.strands:
            raise WritheError(
                f"the object {thing.name!r} has no strands to be linked with:"
                " `writhe scene strands` proposes some"
            )
        self.name, self.places = thing.source or thing.name, places
        still = replace(
            thing,
            kind=ObjectKind.FIXED,
            keys=None,
            position_m=np.zeros(3),
            rotation=np.array([1.0, 0.0, 0.0, 0.0]),
        )
        scene = Scene((Actor(_ACTOR, figure),), (still,))
        self._bundle = object_bundle(scene, _ACTOR, still.name)

    def told(
        self, database: PostureDatabase, q: Floats, clip: str, scale: float
    ) -> PostureDatabase:
        """The records of a clip with what they have to do with the object.

        q (N, nq) are the same postures where they were in the clip, which was scaled by `scale`.
        """
        if clip not in self.places:
            raise WritheError(
                f"nothing tells where the {self.name} of {clip} stands: add the clip to the places"
            )
        placed, poses = np.array(q), np.empty((len(q), 7))
        frames: Ints = database.frame
        for row, pose, frame in zip(placed, poses, frames, strict=True):
            place = place_at(self.places[clip], int(frame))
            origin, turn = place.origin_m(scale), place.turn_rad
            pose[:] = object_seen_from(row, origin, turn)
            c, s = np.cos(turn), np.sin(turn)
            x, y, z = row[:3] - origin
            row[:3] = c * x - s * z, y, s * x + c * z
            back = np.array([np.cos(0.5 * turn), 0.0, -np.sin(0.5 * turn), 0.0])
            row[3:7] = quaternions.multiply(back, row[3:7])
        return replace(
            database,
            object_linking=self._bundle.linking(placed),
            object_pose=poses,
            object_name=self.name,
        )
