"""Entry points of scenes: fixed, moved and animated objects, scene files, meshes."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.collision import (
    CollisionTable,
    Shape,
    ball,
    box,
    capsule,
    certify,
    cylinder,
    half_space,
    split_mesh,
)
from writhe.io import save
from writhe.research.evaluation.export_mechanism import export_mechanism, export_motion
from writhe.research.evaluation.independent import Mechanism, RigidShape
from writhe.research.evaluation.independent.mechanism import HULL
from writhe.research.evaluation.independent.rotations import (
    conjugate,
    of_vector,
    product,
    to_vector,
)
from writhe.research.fuzzing.case import Case
from writhe.research.fuzzing.entry_points.certify_file import certify_with_table
from writhe.research.fuzzing.entry_points.poses import random_motion, shortened
from writhe.scene import Actor, KeyMotion, ObjectKind, Scene, SceneObject
from writhe.skeleton import Joint, JointKind, Motion, Skeleton
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import integrate, interpolate

_FPS = 30.0


def _pose(rng: np.random.Generator, near: float = 0.6) -> Floats:
    """(7,) a position around the body and a random rotation."""
    at = rng.normal(0, near, 3) + np.array([0.0, 0.9, 0.3])
    return np.concatenate([at, of_vector(rng.normal(0, 1.0, 3))])


def random_poses(rng: np.random.Generator, frames: int, near: float = 0.6) -> Floats:
    """(frames, 7) a moved object, slow or fast."""
    rows, speed = [_pose(rng, near)], float(rng.choice([0.01, 0.1, 0.4]))
    while len(rows) < frames:
        last = rows[-1].copy()
        last[:3] += rng.normal(0, speed, 3)
        last[3:] = product(last[3:], of_vector(rng.normal(0, speed, 3)))
        rows.append(last)
    return np.array(rows)


def _keyed(keys: Floats, key_times: Floats, times: Floats) -> Floats:
    """(t, 7) poses between keys: positions linear, rotations along the shortest arc."""
    i = np.clip(np.searchsorted(key_times, times, side="right") - 1, 0, len(key_times) - 2)
    share = np.clip((times - key_times[i]) / (key_times[i + 1] - key_times[i]), 0, 1)[:, None]
    at = keys[i, :3] + share * (keys[i + 1, :3] - keys[i, :3])
    arc = to_vector(product(conjugate(keys[i, 3:]), keys[i + 1, 3:]))
    return np.concatenate([at, product(keys[i, 3:], of_vector(share * arc))], axis=1)


@cache
def _object_scene() -> tuple[Scene, CollisionTable, Mechanism]:
    """The human with a floor, a pillar, two moved objects and an animated one (keys replaced)."""
    still = np.array([[0.0, 0.0, 0.0]] * 2)
    turn = np.array([[1.0, 0.0, 0.0, 0.0]] * 2)
    keys = KeyMotion(np.array([0.0, 1.0]), still, turn)
    scene = Scene(
        (Actor("p", figure("human")),),
        (
            SceneObject("floor", (half_space([0.0, -0.05, 0.0], [0.0, 1.0, 0.0]),)),
            SceneObject("pillar", (cylinder([0.3, 0, 0.5], [0.3, 2, 0.5], 0.08),)),
            SceneObject("box", (box([0, 0, 0], [0.3, 0.2, 0.4]),), ObjectKind.MOVED),
            SceneObject("ball", (ball([0, 0, 0], 0.12),), ObjectKind.MOVED),
            SceneObject(
                "rod", (capsule([-0.4, 0, 0], [0.4, 0, 0], 0.03),), ObjectKind.ANIMATED, keys=keys
            ),
        ),
    )
    table = scene.layout.table
    return scene, table, export_mechanism(table)


def scene_objects(rng: np.random.Generator) -> Case:
    """`Layout.motion` of an actor with objects that stand, are moved and follow keys."""
    scene, table, mechanism = _object_scene()
    body = figure("human").skeleton
    frames = int(rng.integers(1, 4))
    q = _clear_body(rng, frames) if rng.random() < 0.8 else random_motion(body, rng, frames)
    moved = {"box": random_poses(rng, frames), "ball": random_poses(rng, frames)}
    keys, times = random_poses(rng, 3), np.array([0.0, 0.03, 0.07])
    rod = replace(scene.object("rod"), keys=KeyMotion(times, keys[:, :3], keys[:, 3:]))
    scene = replace(scene, objects=(*scene.objects[:-1], rod))
    motion = scene.layout.motion({"p": Motion(body, q, _FPS)}, moved)
    answer = certify(table, motion.q, motion.fps)
    expected = np.concatenate(
        [q, moved["box"], moved["ball"], _keyed(keys, times, np.arange(frames) / _FPS)], axis=1
    )
    return Case.of("scene objects", mechanism, (export_motion(table.skeleton, expected),), answer)


def _clear_body(rng: np.random.Generator, frames: int) -> Floats:
    """A slow motion from the rest pose, which is clear."""
    skeleton = figure("human").skeleton
    rows = [skeleton.rest_configuration]
    while len(rows) < frames:
        rows.append(integrate(skeleton, rows[-1], rng.normal(0, 0.03, skeleton.dof_count)))
    return np.array(rows)


def _at_row(skeleton: Skeleton, q: Floats, row: float) -> Floats:
    """(nq,) the configuration at a fractional row."""
    first = min(int(row), len(q) - 2)
    return interpolate(skeleton, q[first], q[first + 1], row - first)


def scene_file(rng: np.random.Generator) -> Case:
    """`writhe certify clip.glb --scene room.json` with the built-in human."""
    frames = int(rng.integers(2, 4))
    body = figure("human").skeleton
    q = _clear_body(rng, frames)
    keys, times = random_poses(rng, 3), [0.0, *np.sort(rng.uniform(0.001, 0.09, 2)).tolist()]
    box_pose, moved_pose = _pose(rng), _pose(rng)
    scene: dict[str, Any] = {
        "writhe_scene": 1,
        "actors": [{"name": "p", "figure": "human"}],
        "objects": [
            {"name": "box", "shapes": [{"type": "box", "size": [0.3, 0.2, 0.4]}]}
            | {"position_m": box_pose[:3].tolist(), "rotation": box_pose[3:].tolist()},
            {"name": "ball", "kind": "moved", "shapes": [{"type": "ball", "radius_m": 0.1}]}
            | {"position_m": moved_pose[:3].tolist(), "rotation": moved_pose[3:].tolist()},
            {
                "name": "rod",
                "kind": "animated",
                "shapes": [
                    {"type": "capsule", "start": [-0.4, 0, 0], "end": [0.4, 0, 0], "radius_m": 0.03}
                ],
                "keys": {
                    "times_s": times,
                    "positions_m": keys[:, :3].tolist(),
                    "rotations": keys[:, 3:].tolist(),
                },
            },
        ],
    }
    with tempfile.TemporaryDirectory() as folder:
        clip, room = Path(folder) / "clip.glb", Path(folder) / "room.json"
        save(Motion(body, q, _FPS), clip)
        room.write_text(json.dumps(scene))
        answer, table = certify_with_table(clip, room)
        files = {"clip.glb": clip.read_bytes(), "room.json": room.read_bytes()}
    # the keys of the rod lie between the frames of the clip
    between = [t for t in times if t < (frames - 1) / _FPS]
    rows: Floats = np.unique([*np.arange(frames, dtype=np.float64), *(_FPS * t for t in between)])
    expected = np.concatenate(
        [
            [_at_row(body, q, float(row)) for row in rows],
            np.repeat(moved_pose[None], len(rows), axis=0),
            _keyed(keys, np.array(times), rows / _FPS),
        ],
        axis=1,
    )
    motion = export_motion(table.skeleton, expected)
    return Case.of("scene file", export_mechanism(table), (motion,), answer, "", files)


_MESHES = 8


@cache
def _split_mesh(kind: int) -> tuple[Floats, np.ndarray, tuple[Shape, ...]]:
    """One of eight ellipsoids, small or large, fine or coarse, or coarse and dented; its pieces."""
    size, level, dented = ((0.2, 2.0)[kind % 2], (2, 3, 4, 2)[kind // 2], kind >= 6)
    vertices, triangles = _sphere(level)
    vertices = vertices * np.array([1.0, 0.8, 0.6]) * size
    if dented:
        vertices = vertices * (1 - 0.3 * (vertices[:, 1] > 0.6 * size)[:, None])
    return vertices, triangles, split_mesh(vertices, triangles, max_pieces=4)


def mesh_object(rng: np.random.Generator) -> Case:
    """A ball at the surface of a mesh that is split into convex pieces, against its triangles."""
    vertices, triangles, pieces = _split_mesh(int(rng.integers(_MESHES)))
    size = float(vertices[:, 0].max())
    skeleton = Skeleton([Joint("mesh", None, JointKind.FIXED), Joint("b", None, JointKind.FREE)])
    shapes = [piece.on("mesh", "mesh") for piece in pieces] + [ball([0, 0, 0], 0.02).on("b", "b")]
    table = CollisionTable(skeleton, shapes)
    # a ball pressed onto the middle of a triangle, as far as it is certified
    face = vertices[triangles[int(rng.integers(len(triangles)))]]
    normal = np.cross(face[1] - face[0], face[2] - face[0])
    normal /= np.linalg.norm(normal)
    ends = face.mean(axis=0) + np.outer([0.1 * size + 0.03, 0.0], normal)
    q = np.array([[*end, 1.0, 0.0, 0.0, 0.0] for end in ends])
    q = shortened(table, q, halvings=12)
    near = np.linalg.norm(vertices[triangles].mean(axis=1) - face.mean(axis=0), axis=1)
    chosen = vertices[triangles][near < 0.3 * size]
    body = export_mechanism(table)
    solids = (
        next(solid for solid in body.solids if solid.part == "b"),
        *(RigidShape(0, HULL, corners, 0.0, "mesh") for corners in chosen),
    )
    pairs = np.array([[0, k] for k in range(1, len(solids))])
    mechanism = replace(body, solids=solids, pairs=pairs, allowance=np.zeros(len(pairs)))
    answer = certify(table, q, fps=30.0)
    motion = export_motion(skeleton, q)
    note = f"a mesh of {len(vertices)} vertices and size {size:g} in {len(pieces)} pieces"
    return Case("mesh", mechanism, (motion,), answer.certified, None, note)


@cache
def _sphere(level: int) -> tuple[Floats, np.ndarray]:
    """A unit sphere: an octahedron whose triangles are split `level` times."""
    vertices = np.concatenate([np.eye(3), -np.eye(3)])
    triangles = np.array(
        [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]]
    )
    for _ in range(level):
        corners = vertices[triangles]
        middle = (corners + np.roll(corners, -1, axis=1)) / 2
        a, b, c = corners.transpose(1, 0, 2)
        ab, bc, ca = middle.transpose(1, 0, 2)
        parts = np.concatenate(
            [np.stack(p, axis=1) for p in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
        )
        parts /= np.linalg.norm(parts, axis=-1, keepdims=True)
        flat, inverse = np.unique(parts.reshape(-1, 3).round(12), axis=0, return_inverse=True)
        vertices, triangles = flat, inverse.reshape(-1, 3)
    return vertices, triangles
