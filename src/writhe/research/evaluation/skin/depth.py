"""Penetration depth of skin meshes, independent of the collision shapes of the solvers.

The skin of a figure is posed by skinning and split into parts: a vertex belongs to the joint with
its largest weight. A vertex is inside another part if it lies behind that part's nearest surface
point and inside the whole skin without its own part; its depth is the distance to that point.
Excluded are a vertex's own part, the part's parent and children, and every part whose skin begins
within `CREASE` times the figure's size along the surface at rest, because the skin in folds of
armpit, groin and elbow always overlaps. Objects are tested as meshes of their solid shapes, both
ways, without allowances.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from scipy.sparse import coo_array

from writhe.arrays import Bools, Floats, Ints
from writhe.collision.mesh_pieces.surfaces import surface
from writhe.errors import WritheError
from writhe.kernels.mesh.mesh_depth import MeshParts, deepest_of_frames
from writhe.scene import Actor, Scene
from writhe.scene.mesh_graph import path_lengths
from writhe.skeleton import Figure, Skin, forward

CREASE = 0.10  # of the figure's largest extent: 17 cm on the human, half of its upper arm
FOLD = 0.045  # of the largest extent: 8 cm on the human; skin nearer to a joint folds in every pose
CLUSTER = 16  # triangles
_FRAMES = 64  # posed in one call


@dataclass(frozen=True)
class _MeshPiece:
    """One mesh of a scene: an actor's skin, or one shape of an object."""

    vertices: Floats
    triangles: Ints
    part_of_vertex: Ints  # within the piece
    parts: tuple[str, ...]
    tested: Bools  # (v, own parts)
    closed: bool


class SkinDepth:
    """Measures the penetration depth of actors' skins in each other and in objects."""

    def __init__(self, scene: Scene, steps: int | None = None, joint: str | None = None) -> None:
        """By default, everything except the folds of a skin is tested.

        steps: test only parts of one skin that are this many joints apart, including their folds.
        joint: test only the skin of this joint against that of its parent, farther than `FOLD` from
        the joint.
        """
        self.scene = scene
        self.layout = scene.layout
        self._actors = [actor for actor in scene.actors if actor.figure.skin is not None]
        if not self._actors:
            raise WritheError("no actor of the scene has a skin")
        self._solid: list[tuple[str, Floats]] = []
        pieces = [_skin_piece(actor, steps, joint) for actor in self._actors]
        for scene_object in scene.objects:
            for shape in scene_object.shapes:
                vertices, triangles = surface(shape)
                own = np.zeros(len(vertices), dtype=np.int64)
                untested = np.zeros((len(vertices), 1), dtype=np.bool_)
                pieces.append(
                    _MeshPiece(vertices, triangles, own, (scene_object.name,), untested, True)
                )
                self._solid.append((scene_object.name, vertices))
        self.part_names = tuple(name for piece in pieces for name in piece.parts)
        self._parts = _compile(pieces, len(self._actors))

    @classmethod
    def of_figure(
        cls, figure: Figure, steps: int | None = None, joint: str | None = None
    ) -> SkinDepth:
        """Skin depth of one figure; parts are named after their joints."""
        # names of actors have no full stop; those of files may
        return cls(Scene((Actor(figure.name.replace(".", "_"), figure),)), steps, joint)

    def depths(self, q: Floats, beyond_m: float = 0.0) -> tuple[Floats, list[tuple[str, str]]]:
        """(frames,) the largest depth at q (frames, nq), and the names of the two parts.

        Depths up to `beyond_m` count as 0, which is faster; the names are empty there.
        """
        rows = np.ascontiguousarray(np.atleast_2d(q))
        depth = np.empty(len(rows))
        pair = np.empty((len(rows), 2), dtype=np.int64)
        for start in range(0, len(rows), _FRAMES):
            at = slice(start, start + _FRAMES)
            deepest_of_frames(self._parts, self._posed(rows[at]), beyond_m, depth[at], pair[at])
        name = self.part_names
        return depth, [(name[int(a)], name[int(b)]) if a >= 0 else ("", "") for a, b in pair]

    def depths_at(self, positions: Floats, rotations: Floats) -> Floats:
        """(frames,) the largest depth of one figure, its joints at these frames.

        positions (frames, n, 3), rotations (frames, n, 3, 3), as `forward` gives them.
        """
        (actor,) = self._actors
        assert actor.figure.skin is not None
        mesh = actor.figure.skin.deform(actor.figure.skeleton, positions, rotations)
        depth, pair = np.empty(len(mesh)), np.empty((len(mesh), 2), dtype=np.int64)
        deepest_of_frames(self._parts, np.ascontiguousarray(mesh), 0.0, depth, pair)
        return depth

    def _posed(self, q: Floats) -> Floats:
        frames = forward(self.layout.skeleton, q)
        meshes: list[Floats] = []
        for actor in self._actors:
            skeleton = actor.figure.skeleton
            first = self.layout.skeleton.index(actor.name) + 1
            own = slice(first, first + len(skeleton))
            assert actor.figure.skin is not None
            meshes.append(
                actor.figure.skin.deform(
                    skeleton, frames.positions[:, own], frames.rotations[:, own]
                )
            )
        for name, vertices in self._solid:
            turned = np.einsum("fij,vj->fvi", frames.rotation(name), vertices)
            meshes.append(turned + frames.position(name)[:, None])
        return np.ascontiguousarray(np.concatenate(meshes, axis=1))


def _skin_piece(actor: Actor, steps: int | None, joint: str | None) -> _MeshPiece:
    figure = actor.figure
    assert figure.skin is not None
    skin, skeleton = figure.skin, figure.skeleton
    joints, part = np.unique(skin.vertex_joint, return_inverse=True)
    own_names = [skeleton.names[int(j)] for j in joints]
    parent = skeleton.tree.parent
    related = (parent[joints][:, None] == joints) | (parent[joints] == joints[:, None])
    np.fill_diagonal(related, True)
    extent = float(np.ptp(skin.vertices, axis=0).max())
    away = _surface_distances(skin, part, len(joints))
    tested = (away > CREASE * extent) & ~related[part]
    if steps is not None:
        apart = np.array([[len(skeleton.path(a, b)) - 1 for b in own_names] for a in own_names])
        tested = (apart == steps)[part]
    if joint is not None:
        own = skeleton.index(joint)
        ends = (joints == own) | (joints == parent[own])
        tested = (
            (away > FOLD * extent)
            & ends[part][:, None]
            & ends
            & ~np.eye(len(joints), dtype=bool)[part]
        )
    names = tuple(f"{actor.name}.{name}" for name in own_names)
    return _MeshPiece(
        skin.vertices,
        skin.triangles,
        part.astype(np.int64),
        names,
        tested,
        closed=False,
    )


def _surface_distances(skin: Skin, part: Ints, count: int) -> Floats:
    """(v, parts) distance of each vertex from each part along the mesh edges at rest."""
    edges = np.concatenate([skin.triangles[:, [0, 1]], skin.triangles[:, [1, 2]]])
    edges = np.concatenate([edges, skin.triangles[:, [2, 0]]])
    length = np.linalg.norm(skin.vertices[edges[:, 0]] - skin.vertices[edges[:, 1]], axis=1)
    size = len(skin.vertices)
    graph = coo_array((np.maximum(length, 1e-9), (edges[:, 0], edges[:, 1])), (size, size))
    out = np.empty((size, count))
    for p in range(count):
        out[:, p] = path_lengths(graph.tocsr(), np.flatnonzero(part == p), directed=True)
    return out


def _compile(pieces: list[_MeshPiece], actors: int) -> MeshParts:
    """All pieces as one mesh: skins are tested against everything, objects against skins."""
    total_parts = sum(len(piece.parts) for piece in pieces)
    skin_parts = sum(len(piece.parts) for piece in pieces[:actors])
    triangles: list[Ints] = []
    rims: list[Bools] = []
    clusters: list[int] = [0]
    part_cluster: list[int] = [0]
    vertex_of_part: list[Ints] = []
    mesh_parts: list[tuple[int, int]] = []
    tested = np.zeros((sum(len(p.vertices) for p in pieces), total_parts), dtype=np.bool_)
    first_vertex = first_part = 0
    for number, piece in enumerate(pieces):
        vertices = slice(first_vertex, first_vertex + len(piece.vertices))
        own = slice(first_part, first_part + len(piece.parts))
        mesh_parts += [(own.start, own.stop)] * len(piece.parts)
        tested[vertices] = True
        if number >= actors:
            tested[vertices, skin_parts:] = False
        tested[vertices, own] = piece.tested
        owner = _triangle_parts(piece)
        for p in range(len(piece.parts)):
            mine = piece.triangles[owner == p]
            mine = mine[_clustered(piece.vertices[mine].mean(axis=1))]
            triangles.append(mine + first_vertex)
            rims.append(np.zeros((len(mine), 6), dtype=np.bool_) if piece.closed else _rim(mine))
            for k in range(0, len(mine), CLUSTER):
                clusters.append(clusters[-1] + min(CLUSTER, len(mine) - k))
            part_cluster.append(len(clusters) - 1)
            vertex_of_part.append(first_vertex + np.flatnonzero(piece.part_of_vertex == p))
        first_vertex += len(piece.vertices)
        first_part += len(piece.parts)
    return MeshParts(
        triangles=np.ascontiguousarray(np.concatenate(triangles)),
        rim=np.ascontiguousarray(np.concatenate(rims)),
        cluster_start=np.array(clusters, dtype=np.int64),
        part_cluster=np.array(part_cluster, dtype=np.int64),
        vertex_start=np.cumsum([0, *map(len, vertex_of_part)]).astype(np.int64),
        part_vertices=np.concatenate(vertex_of_part).astype(np.int64),
        tested=tested,
        mesh_parts=np.array(mesh_parts, dtype=np.int64),
    )


def _triangle_parts(piece: _MeshPiece) -> Ints:
    """(t,) the majority part of a triangle's corners; the first corner's if all differ."""
    a, b, c = piece.part_of_vertex[piece.triangles].T
    return cast("Ints", np.where(b == c, b, a))


def _rim(triangles: Ints) -> Bools:
    """(t, 6) whether edges 01, 12, 20 and corners 0, 1, 2 lie on the mesh boundary."""
    directed = triangles[:, [[0, 1], [1, 2], [2, 0]]]
    known = {(int(a), int(b)) for a, b in directed.reshape(-1, 2)}
    open_edge = np.array(
        [[(int(b), int(a)) not in known for a, b in edges] for edges in directed], dtype=np.bool_
    ).reshape(-1, 3)
    on_rim = np.unique(directed[open_edge])
    return np.concatenate([open_edge, np.isin(triangles, on_rim)], axis=1)


def _clustered(centres: Floats) -> Ints:
    """An order of points in which runs of CLUSTER are close together (recursive bisection)."""
    if len(centres) <= CLUSTER:
        return np.arange(len(centres), dtype=np.int64)
    axis = int(np.argmax(np.ptp(centres, axis=0)))
    order = np.argsort(centres[:, axis], kind="stable")
    # a multiple of CLUSTER on the left, so that no run crosses a cut
    half = CLUSTER * max(1, round(len(centres) / (2 * CLUSTER)))
    left, right = order[:half], order[half:]
    return np.concatenate([left[_clustered(centres[left])], right[_clustered(centres[right])]])
