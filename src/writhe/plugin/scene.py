"""The scene of another program: characters, obstacles and a floor, rebuilt when they change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from writhe.arrays import Floats, Ints, floats
from writhe.collision import ContactPolicy, Shape, half_space
from writhe.collision.mesh_pieces.convex_split import split_mesh
from writhe.errors import UnknownNameError, WritheError
from writhe.io.world_frames import positions_and_rotations
from writhe.plugin.armature import Armature, Character
from writhe.scene import Actor, ObjectKind, Scene, SceneObject
from writhe.skeleton import forward, quaternions
from writhe.solvers.posing.actor_in_scene import ActorInScene

FLOOR = "floor"
_BELOW_SOLES_M = 0.003  # a floor lies this far below the lowest shape
_LARGEST_SINK_M = 0.2  # a body that is lower than this does not stand on the floor


@dataclass(frozen=True)
class Obstacle:
    """A solid object: shapes in its own frame (its scale applied), and its placement."""

    name: str
    shapes: tuple[Shape, ...]
    placement: Floats  # (7,) position and quaternion


def label(name: str) -> str:
    """The name with dots replaced: names in a scene must not contain any."""
    return name.replace(".", "_")[:100] or "_"


class Stage:
    """Characters by name, obstacles by name, and the scene made of them."""

    def __init__(self) -> None:
        self.characters: dict[str, Character] = {}
        self.obstacles: dict[str, Obstacle] = {}
        self.floor_m: float | None = 0.0
        self._scenes: dict[float | None, Scene] = {}  # by height of the floor

    def set_character(self, armature: Armature) -> Character:
        """Add a character, or replace the one of the same name."""
        found = Character.of(armature)
        self.characters[armature.name] = found
        self._scenes.clear()
        return found

    def set_obstacle(
        self, name: str, vertices: Floats, triangles: Ints, matrix: Floats, *, split: bool
    ) -> Obstacle:
        """Add a solid mesh (vertices in its own frame), or replace the one of the same name.

        The convex hull stands for the mesh, or with `split` several convex pieces.
        """
        world = floats(matrix, (4, 4), f"the matrix of {name!r}")
        placement = placement_of(world)
        # what the matrix has beyond a rotation and a shift belongs to the shape
        own = quaternions.rotation_matrix(placement[3:]).T @ world[:3, :3]
        points = floats(vertices, (None, 3), f"the vertices of {name!r}") @ own.T
        faces = np.asarray(triangles, dtype=np.int64).reshape(-1, 3)
        if len(points) < 4 or not len(faces):
            raise WritheError(f"{name!r} has no volume: an obstacle needs a mesh with faces")
        found = Obstacle(name, _solid(points, faces, split=split), placement)
        self.obstacles[name] = found
        self._scenes.clear()
        return found

    def keep(self, characters: set[str], obstacles: set[str]) -> None:
        """Remove everything that is not named."""
        for table, names in ((self.characters, characters), (self.obstacles, obstacles)):
            for name in set(table) - names:
                del table[name]
                self._scenes.clear()

    def character(self, name: str) -> Character:
        """A character by name."""
        if name not in self.characters:
            raise UnknownNameError("character", name, list(self.characters))
        return self.characters[name]

    @property
    def scene(self) -> Scene:
        """All characters with shapes, the obstacles and the floor at `floor_m` (None: without)."""
        if self.floor_m not in self._scenes:
            self._scenes[self.floor_m] = self._build()
        return self._scenes[self.floor_m]

    def _build(self) -> Scene:
        actors = tuple(
            Actor(label(name), c.figure) for name, c in self.characters.items() if c.figure.capsules
        )
        objects = [
            SceneObject(label(f"{o.name} (obstacle)"), o.shapes, ObjectKind.MOVED)
            for o in self.obstacles.values()
        ]
        level = self._floor_level()
        if level is not None:
            plane = half_space((0.0, level, 0.0), (0.0, 1.0, 0.0))
            objects.append(SceneObject(FLOOR, (plane,)))
        policy = ContactPolicy()
        for one, other in combinations([item.name for item in objects], 2):
            policy = policy.ignore(one, other)  # pairs of objects are not tested
        return Scene(actors, tuple(objects), policy)

    def _floor_level(self) -> float | None:
        """Height of the floor below the soles of all characters that stand on it."""
        if self.floor_m is None:
            return None
        level = self.floor_m
        for character in self.characters.values():
            frames = forward(character.skeleton, character.skeleton.rest_configuration)
            lowest = min(
                (
                    float(frames.point(c.joint, end)[1]) - c.radius_m
                    for c in character.figure.capsules
                    for end in (c.start_in_joint, c.end_in_joint)
                ),
                default=level,
            )
            if lowest > self.floor_m - _LARGEST_SINK_M:
                level = min(level, lowest - _BELOW_SOLES_M)
        return level

    def part_name(self, part: str) -> str:
        """A part of the scene's table as the other program calls it."""
        actor, dot, rest = part.partition(".")
        known = {label(name): name for name in self.characters}
        if dot and actor in known:
            return rest if len(self.characters) == 1 else f"{known[actor]}: {rest}"
        objects = {label(f"{name} (obstacle)"): name for name in self.obstacles}
        return objects.get(part, part)

    def object_entries(self, obstacle: str) -> slice:
        """The entries of an obstacle in a configuration of the scene."""
        return self.scene.layout.object_q[label(f"{obstacle} (obstacle)")]

    def state(
        self, poses: Mapping[str, Floats], placements: Mapping[str, Floats] | None = None
    ) -> Floats:
        """(nq,) the scene with characters at configurations by name, others at rest.

        placements: (7,) of obstacles that are elsewhere than where they were set.
        """
        layout = self.scene.layout
        q = layout.rest()
        for name, pose in poses.items():
            if label(name) in layout.actor_q:
                q[layout.actor_q[label(name)]] = pose
        for name, obstacle in self.obstacles.items():
            q[self.object_entries(name)] = (placements or {}).get(name, obstacle.placement)
        return q

    def actor_in_scene(self, name: str, state: Floats) -> ActorInScene:
        """A character to pose, with everything else where it is in `state`."""
        found = ActorInScene.in_scene(self.scene, self.actor_name(name))
        found.state[:] = state
        return found

    def actor_name(self, name: str) -> str:
        """The name of a character in the scene, in which those without shapes are missing."""
        who = label(name)
        if who not in self.scene.layout.actor_q:
            raise WritheError(
                f"{name!r} has no collision shapes: it needs a mesh that follows its bones, or"
                " bones of some length"
            )
        return who


def placement_of(matrix: Floats) -> Floats:
    """(7,) position and quaternion of a matrix (4, 4)."""
    at, turn = positions_and_rotations(matrix)
    return np.concatenate([at, quaternions.from_matrices(turn)])


def _solid(points: Floats, faces: Ints, *, split: bool) -> tuple[Shape, ...]:
    if split:
        return split_mesh(points, faces)
    from scipy.spatial import ConvexHull, QhullError

    try:
        found = ConvexHull(points)
    except QhullError:
        raise WritheError("a flat mesh has no volume: give the obstacle some thickness") from None
    corners = points[found.simplices]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = (normal * found.equations[:, :3]).sum(axis=1) < 0
    outer = np.where(inward[:, None], found.simplices[:, ::-1], found.simplices)
    return split_mesh(points, outer.astype(np.int64), max_pieces=1)
