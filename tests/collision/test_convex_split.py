"""Convex decomposition of meshes: the pieces cover the solid and little else."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull, Delaunay

from writhe.collision import split_mesh
from writhe.errors import WritheError


def prism(profile, ears, depth=1.0):
    """A closed mesh: a counter-clockwise profile in x, y, drawn out along z."""
    n = len(profile)
    profile = np.array(profile, float)
    back = np.column_stack([profile, np.zeros(n)])
    front = np.column_stack([profile, np.full(n, depth)])
    faces = [[a, c, b] for a, b, c in ears] + [[a + n, b + n, c + n] for a, b, c in ears]
    for i in range(n):
        j = (i + 1) % n
        faces += [[i, j, j + n], [i, j + n, i + n]]
    return np.concatenate([back, front]), np.array(faces)


def angle():
    return prism(
        [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)],
        [(0, 1, 2), (0, 2, 3), (0, 3, 5), (3, 4, 5)],
    )


def table():
    return prism(
        [(0, 0), (0.2, 0), (0.2, 1), (1.8, 1), (1.8, 0), (2, 0), (2, 1.2), (0, 1.2)],
        [(0, 1, 2), (0, 2, 7), (2, 3, 6), (2, 6, 7), (3, 4, 5), (3, 5, 6)],
    )


@pytest.mark.parametrize(
    ("mesh", "volume"), [(angle(), 3.0), (table(), 0.8)], ids=["angle", "table"]
)
def test_pieces_cover_the_solid_and_little_else(mesh, volume, rng):
    vertices, triangles = mesh
    pieces = split_mesh(vertices, triangles)
    total = sum(ConvexHull(p.points_in_joint).volume for p in pieces)
    assert volume - 1e-9 <= total <= 1.03 * volume + 1e-9
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    weights = rng.dirichlet([1, 1, 1], (len(triangles), 40))
    surface = np.einsum("tsk,tkc->tsc", weights, np.stack([a, b, c], 1)).reshape(-1, 3)
    covered = np.zeros(len(surface), bool)
    for piece in pieces:
        centre = piece.points_in_joint.mean(axis=0)
        grown = centre + (piece.points_in_joint - centre) * (1 + 1e-6)
        covered |= Delaunay(grown).find_simplex(surface) >= 0
    assert covered.all()


def test_a_convex_mesh_stays_whole():
    vertices, triangles = prism([(0, 0), (1, 0), (1, 1), (0, 1)], [(0, 1, 2), (0, 2, 3)])
    assert len(split_mesh(vertices, triangles)) == 1


def test_an_inside_out_mesh_raises():
    vertices, triangles = angle()
    with pytest.raises(WritheError, match="counter-clockwise"):
        split_mesh(vertices, triangles[:, ::-1])


def test_a_scene_file_takes_a_mesh(tmp_path):
    import json

    from writhe.scene import Scene

    vertices, triangles = angle()
    mesh = {"type": "mesh", "vertices": vertices.tolist(), "triangles": triangles.tolist()}
    path = tmp_path / "mesh.json"
    path.write_text(json.dumps({"writhe_scene": 1, "objects": [{"name": "l", "shapes": [mesh]}]}))
    assert len(Scene.load(path).object("l").shapes) == 2
    mesh["triangles"] = triangles[:, ::-1].tolist()
    path.write_text(json.dumps({"writhe_scene": 1, "objects": [{"name": "l", "shapes": [mesh]}]}))
    with pytest.raises(WritheError, match=r"objects\[0\].shapes\[0\].*counter-clockwise"):
        Scene.load(path)
