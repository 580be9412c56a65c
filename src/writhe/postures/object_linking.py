"""Linking of a clip's postures with an object in the clip, and the object's pose."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.database import PostureDatabase
from writhe.database.posture import object_in_posture_frame
from writhe.errors import WritheError
from writhe.postures.object_tracks import ObjectTracks, placement_at
from writhe.scene import Actor, ObjectKind, Scene, SceneObject
from writhe.scene.object_strands import object_bundle
from writhe.scene.objects import built_in
from writhe.skeleton import Figure, quaternions
from writhe.skeleton.heading import yaw_matrix

_ACTOR = "body"


def find_object(named: str) -> SceneObject:
    """A built-in object by name, or `SCENE.json:NAME` for an object of a scene file."""
    file, colon, name = named.rpartition(":")
    if colon and file.endswith(".json"):
        return Scene.load(Path(file)).object(name)
    shapes, strands = built_in(named)
    return SceneObject(named, shapes, strands=strands, source=named)


class ObjectLinking:
    """Computes the linking of clip postures with an object whose placement is known."""

    def __init__(self, figure: Figure, scene_object: SceneObject, placements: ObjectTracks) -> None:
        if not scene_object.strands:
            raise WritheError(
                f"the object {scene_object.name!r} has no strands:"
                " `writhe scene strands` proposes some"
            )
        self.name, self.placements = scene_object.source or scene_object.name, placements
        still = replace(
            scene_object,
            kind=ObjectKind.FIXED,
            keys=None,
            position_m=np.zeros(3),
            rotation=np.array([1.0, 0.0, 0.0, 0.0]),
        )
        scene = Scene((Actor(_ACTOR, figure),), (still,))
        self._bundle = object_bundle(scene, _ACTOR, still.name)

    def add_linking(
        self, database: PostureDatabase, q: Floats, clip: str, scale: float
    ) -> PostureDatabase:
        """The records of a clip with their linking with the object and its pose.

        q: (N, nq) the postures at their position in the clip, which was scaled by `scale`.
        """
        if clip not in self.placements:
            raise WritheError(
                f"the position of the {self.name} in {clip} is unknown:"
                " add the clip to the placements"
            )
        placed, poses = np.array(q), np.empty((len(q), 7))
        frames: Ints = database.frame
        for row, pose, frame in zip(placed, poses, frames, strict=True):
            placement = placement_at(self.placements[clip], int(frame))
            origin, turn = placement.origin_m(scale), placement.turn_rad
            pose[:] = object_in_posture_frame(row, origin, turn)
            row[:3] = yaw_matrix(-turn) @ (row[:3] - origin)
            back = np.array([np.cos(0.5 * turn), 0.0, -np.sin(0.5 * turn), 0.0])
            row[3:7] = quaternions.multiply(back, row[3:7])
        return replace(
            database,
            object_linking=self._bundle.linking(placed),
            object_pose=poses,
            object_name=self.name,
        )
