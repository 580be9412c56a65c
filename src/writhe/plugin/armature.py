"""A character of another program: its armature as arrays, and the figure made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from writhe.arrays import Bools, Floats, Ints, floats
from writhe.errors import WritheError
from writhe.io.figure_from_skeleton import figure_of
from writhe.io.mesh_skin import four_strongest, merged_skin
from writhe.io.shape_overrides import with_overrides
from writhe.io.world_frames import configurations_of, skeleton_and_motion, skin_in_rest_pose
from writhe.recognition import Recognition, recognise
from writhe.skeleton import Capsule, Figure, JointKind, Skeleton, Skin


@dataclass(frozen=True)
class SkinnedMesh:
    """A mesh bound to an armature, in the rest pose: metres, Y up.

    weight_vertex, weight_bone, weight: (w,) each, one entry for every weight of a vertex.
    """

    vertices: Floats  # (v, 3)
    triangles: Ints  # (t, 3)
    weight_vertex: Ints
    weight_bone: Ints
    weight: Floats


@dataclass(frozen=True)
class Armature:
    """Bones of an armature in metres and Y up, parents before their children.

    rest, pose: (n, 4, 4) world matrices at rest and in the present pose; scales are ignored.
    moving: which bones can move; free: names of the bones whose location is animated; connected:
    of those that are attached to their parent and cannot be displaced.
    roles: roles that the user corrected; overrides: corrections of the fitted shapes.
    capsules: shapes fitted earlier, so that they are not fitted again.
    """

    name: str
    bones: tuple[str, ...]
    parent: tuple[int, ...]
    rest: Floats
    pose: Floats
    moving: tuple[bool, ...]
    free: frozenset[str] = frozenset()
    connected: frozenset[str] = frozenset()
    meshes: tuple[SkinnedMesh, ...] = ()
    roles: Mapping[str, str | None] = field(default_factory=dict[str, str | None])
    overrides: Mapping[str, object] = field(default_factory=dict[str, object])
    capsules: tuple[Capsule, ...] | None = None

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> Armature:
        """An armature from names, numbers and arrays, as another program sends it."""
        bones = tuple(str(name) for name in data["bones"])
        n = len(bones)
        if n == 0:
            raise WritheError(f"the armature {data['name']!r} has no bones")
        if len(set(bones)) != n:
            raise WritheError(f"bones of {data['name']!r} share a name")
        parent = tuple(int(p) for p in data["parent"])
        if len(parent) != n or any(p >= j for j, p in enumerate(parent)):
            raise WritheError(f"{data['name']!r}: parents must come before their children")
        return cls(
            str(data["name"]),
            bones,
            parent,
            floats(data["rest"], (n, 4, 4), "rest matrices"),
            floats(data["pose"], (n, 4, 4), "pose matrices"),
            tuple(bool(m) for m in data["moving"]),
            frozenset(data.get("free", ())),
            frozenset(data.get("connected", ())),
            tuple(mesh_from_plain(mesh) for mesh in data.get("meshes", ())),
            dict(data.get("roles") or {}),
            dict(data.get("overrides") or {}),
            capsules_from_plain(data["capsules"]) if data.get("capsules") is not None else None,
        )


@dataclass(frozen=True)
class Character:
    """An armature with the figure made of it."""

    armature: Armature
    figure: Figure
    recognition: Recognition

    @classmethod
    def of(cls, armature: Armature) -> Character:
        """Recognise the roles of the bones and fit collision shapes to the meshes."""
        skeleton = _skeleton(armature)
        skin = None if armature.capsules is not None else skin_of(armature, skeleton)
        found = figure_of(
            skeleton,
            name=armature.name,
            roles=armature.roles or None,
            skin=skin,
            partial=True,
            anatomy=True,
        )
        if armature.capsules is not None:
            found = replace(found, capsules=armature.capsules)
        elif armature.overrides:
            found = with_overrides(found, armature.overrides)
        return cls(armature, found, recognise(skeleton, armature.roles or None))

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton of the figure; its joints are the bones."""
        return self.figure.skeleton

    def configurations(self, matrices: Floats) -> Floats:
        """(frames, nq) of world matrices (frames, n, 4, 4) of the bones."""
        return configurations_of(self.skeleton, self.armature.bones, matrices)

    def local(self, q: Floats) -> tuple[Floats, Floats]:
        """Quaternions (..., n, 4) and displacements in metres (..., n, 3) of bones at (..., nq).

        Both are in the frame of the bone at rest. Bones that cannot move are not turned.
        """
        n = len(self.armature.bones)
        rotation = np.zeros((*q.shape[:-1], n, 4))
        rotation[..., 0] = 1.0
        location = np.zeros((*q.shape[:-1], n, 3))
        turned, moved = self._columns
        rotation[..., turned[0], :] = q[..., turned[1]]
        location[..., moved[0], :] = q[..., moved[1]]
        return rotation, location

    @cached_property
    def turns(self) -> Bools:
        """(n,) which bones can turn."""
        out = np.zeros(len(self.armature.bones), dtype=np.bool_)
        out[self._columns[0][0]] = True
        return out

    @cached_property
    def shifts(self) -> Bools:
        """(n,) which bones can be displaced."""
        out = np.zeros(len(self.armature.bones), dtype=np.bool_)
        out[self._columns[1][0]] = True
        return out

    @cached_property
    def _columns(self) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints]]:
        """Bones that turn with their entries of q (k, 4), and bones that move with theirs."""
        turned: list[tuple[int, int]] = []
        moved: list[tuple[int, int]] = []
        for j, name in enumerate(self.armature.bones):
            joint = self.skeleton.joints[self.skeleton.index(name)]
            part = self.skeleton.q_slice(name)
            if joint.kind in (JointKind.BALL, JointKind.FREE):
                turned.append((j, part.stop - 4))
            if joint.kind is JointKind.FREE:
                moved.append((j, part.start))
        return _entries(turned, 4), _entries(moved, 3)


def _skeleton(armature: Armature) -> Skeleton:
    """The skeleton of the bones; what is above a person's hips stays still if the hips can move."""

    def made(moving: Sequence[bool], free: frozenset[str]) -> Skeleton:
        pose = armature.pose[None]
        return skeleton_and_motion(
            armature.bones, armature.parent, armature.rest, pose, moving, free
        )[0]

    skeleton = made(armature.moving, armature.free)
    hips = recognise(skeleton, armature.roles or None).roles.get("hips")
    if hips is None or hips in armature.connected:
        return skeleton
    above = {skeleton.names[j] for j in skeleton.ancestors(hips)} - {hips} - armature.free
    if not above:
        return skeleton
    moving = [
        m and name not in above for name, m in zip(armature.bones, armature.moving, strict=True)
    ]
    return made(moving, armature.free | {hips})


def _entries(found: list[tuple[int, int]], width: int) -> tuple[Ints, Ints]:
    table = np.array(found, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1:] + np.arange(width)


def mesh_from_plain(data: Mapping[str, Any]) -> SkinnedMesh:
    """A mesh from arrays, as another program sends it."""
    vertices = floats(data["vertices"], (None, 3), "vertices of a mesh")
    vertex, bone = (np.asarray(data[k], dtype=np.int64) for k in ("weight_vertex", "weight_bone"))
    weight = floats(data["weight"], (len(vertex),), "weights of a mesh")
    triangles = np.asarray(data["triangles"], dtype=np.int64).reshape(-1, 3)
    if len(triangles) and triangles.max() >= len(vertices):
        raise WritheError("a triangle of a mesh refers to a vertex that does not exist")
    return SkinnedMesh(vertices, triangles, vertex, bone, weight)


def skin_of(armature: Armature, skeleton: Skeleton) -> Skin | None:
    """The meshes of an armature as one skin of its skeleton at rest; None without any."""
    parts: list[tuple[Floats, Ints, Ints, Floats]] = []
    count = 0
    index = np.array([skeleton.index(name) for name in armature.bones], dtype=np.int64)
    bind: Floats = np.asarray(np.linalg.inv(armature.rest), dtype=np.float64)
    # scales of the armature are in its matrices, those of the skeleton are 1
    scale = np.cbrt(np.abs(np.linalg.det(armature.rest[:, :3, :3])))
    bind[:, :3] *= scale[:, None, None]
    for mesh in armature.meshes:
        if not len(mesh.triangles) or not len(mesh.weight):
            continue
        influences, weights = four_strongest(
            len(mesh.vertices), mesh.weight_vertex, mesh.weight_bone, mesh.weight
        )
        posed = skin_in_rest_pose(
            skeleton, armature.bones, bind, mesh.vertices, influences, weights
        )
        parts.append((posed, mesh.triangles + count, index[influences], weights))
        count += len(mesh.vertices)
    return merged_skin(parts)


def capsules_to_plain(capsules: tuple[Capsule, ...]) -> dict[str, Any]:
    """Capsules as arrays, which `capsules_from_plain` reads."""
    ends = [[c.start_in_joint, c.end_in_joint] for c in capsules]
    return {
        "joint": [c.joint for c in capsules],
        "part": [c.part_name for c in capsules],
        "ends": np.array(ends, dtype=np.float64).reshape(-1, 2, 3),
        "radius": np.array([c.radius_m for c in capsules], dtype=np.float64),
    }


def capsules_from_plain(data: Mapping[str, Any]) -> tuple[Capsule, ...]:
    """The capsules of `capsules_to_plain`."""
    return tuple(
        Capsule(str(joint), np.array(ends[0]), np.array(ends[1]), float(radius), str(part))
        for joint, part, ends, radius in zip(
            data["joint"], data["part"], data["ends"], data["radius"], strict=True
        )
    )
