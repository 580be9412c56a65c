"""The scene in which postures are solved for: the human on a floor, alone or with an object."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from writhe.arrays import Bools, Floats
from writhe.collision import CollisionTable, ContactPolicy, NearPairs, half_space
from writhe.collision.certificate_slack import SLACK_M
from writhe.scene import Actor, Layout, Scene, SceneObject
from writhe.scene.object_strands import object_bundle
from writhe.scene.objects import built_in
from writhe.skeleton import Figure, Skeleton, forward
from writhe.topology import Bundle

ACTOR, FLOOR = "human", "floor"
CONTACT_M = 0.010  # allowance of soft parts that press on the floor, a seat or a rung
SOLE_M = 0.020  # the capsules of a foot reach below its sole
# parts that may press on the object; the back may not, because its skin protrudes from its shapes
TOUCHING = {
    "chair": (
        "hips",
        *(f"{s}_{p}" for s in ("left", "right") for p in ("hip", "knee", "elbow", "wrist")),
    ),
    "ladder": tuple(f"{s}_{p}" for s in ("left", "right") for p in ("wrist", "ankle", "toe")),
}


@dataclass(frozen=True)
class PoseSetting:
    """A figure on the floor with at most one built-in object.

    The layout's configuration is the figure's own, since everything else is fixed.
    """

    figure: Figure
    object_name: str = ""  # name of a built-in object, or ""

    @cached_property
    def layout(self) -> Layout:
        objects = [SceneObject(FLOOR, (half_space((0, 0, 0), (0, 1, 0)),))]
        contacts = {
            (f"{ACTOR}.{part}", FLOOR): SOLE_M if part.endswith(("ankle", "toe")) else CONTACT_M
            for part in self.parts
        }
        if self.object_name:
            shapes, strands = built_in(self.object_name)
            objects.append(
                SceneObject(self.object_name, shapes, strands=strands, source=self.object_name)
            )
            contacts |= {
                (f"{ACTOR}.{part}", self.object_name): CONTACT_M
                for part in TOUCHING[self.object_name]
            }
        scene = Scene((Actor(ACTOR, self.figure),), tuple(objects), ContactPolicy(contacts))
        return scene.layout

    @property
    def parts(self) -> tuple[str, ...]:
        """The figure's body parts."""
        return tuple(dict.fromkeys(c.part_name for c in self.figure.capsules))

    @property
    def skeleton(self) -> Skeleton:
        """The layout's skeleton; the figure's joints are called "human.joint"."""
        return self.layout.skeleton

    @property
    def table(self) -> CollisionTable:
        """Shapes and pairs of figure, floor and object."""
        return self.layout.table

    @cached_property
    def _near(self) -> NearPairs:
        return NearPairs(self.table)

    def clearance(self, q: Floats) -> Floats:
        """(N,) the smallest gap plus allowance of each posture (N, nq), at most 0.1 m."""
        postures = np.atleast_2d(q)
        out = np.full(len(postures), 0.1)
        for i, posture in enumerate(postures):
            # one at a time: for a few postures, starting threads takes longer than the work
            frames = forward(self.skeleton, posture)
            if self._near.find(frames.positions, frames.rotations, 0.0):
                out[i] = self._near.clearance.min()
        return out

    def clear(self, q: Floats) -> Bools:
        """(N,) whether postures penetrate nothing beyond the allowances."""
        return self.clearance(q) >= -SLACK_M

    @cached_property
    def _object_bundle(self) -> Bundle:
        return object_bundle(self.layout.scene, ACTOR, self.object_name)

    def object_linking(self, q: Floats) -> Floats:
        """(N, body strands x object strands) linking of postures (N, nq) with the object."""
        if not self.object_name:
            return np.zeros((len(q), 0))
        return self._object_bundle.linking(q)
