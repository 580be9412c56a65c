"""Convex decomposition of meshes: the pieces cover the solid and little else."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls
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
    # hulls whose corners were not thinned are inflated by the rounding alone
    assert max(piece.radius_m for piece in pieces) == pytest.approx(0.002)
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    weights = rng.dirichlet([1, 1, 1], (len(triangles), 40))
    surface = np.einsum("tsk,tkc->tsc", weights, np.stack([a, b, c], 1)).reshape(-1, 3)
    covered = np.zeros(len(surface), bool)
    for piece in pieces:
        centre = piece.points_in_joint.mean(axis=0)
        grown = centre + (piece.points_in_joint - centre) * (1 + 1e-6)
        covered |= Delaunay(grown).find_simplex(surface) >= 0
    assert covered.all()


def sphere(radius, rows=20):
    """A closed mesh of a sphere."""
    theta = np.pi * np.arange(1, rows) / rows
    phi = np.pi * np.arange(2 * rows) / rows
    ring = np.stack(
        [np.outer(np.sin(theta), np.cos(phi)), np.outer(np.sin(theta), np.sin(phi))], -1
    )
    height = np.repeat(np.cos(theta)[:, None], 2 * rows, axis=1)[..., None]
    points = np.concatenate([ring, height], -1).reshape(-1, 3)
    points = radius * np.concatenate([points, [[0, 0, 1], [0, 0, -1]]])
    at = np.arange((rows - 1) * 2 * rows).reshape(rows - 1, 2 * rows)
    after = np.roll(at, -1, axis=1)
    top, bottom = at.size, at.size + 1
    faces = [[top, a, b] for a, b in zip(at[0], after[0], strict=True)]
    faces += [[bottom, b, a] for a, b in zip(at[-1], after[-1], strict=True)]
    for a, b, c, d in zip(
        at[:-1].ravel(), after[:-1].ravel(), at[1:].ravel(), after[1:].ravel(), strict=True
    ):
        faces += [[a, c, d], [a, d, b]]
    return points, np.array(faces)


def torus(major, minor, rows=24):
    """A closed mesh of a torus."""
    u, v = np.meshgrid(*[2 * np.pi * np.arange(rows) / rows] * 2, indexing="ij")
    ring = major + minor * np.cos(v)
    points = np.stack([ring * np.cos(u), ring * np.sin(u), minor * np.sin(v)], -1).reshape(-1, 3)
    at = np.arange(rows * rows).reshape(rows, rows)
    b, d = np.roll(at, -1, axis=0), np.roll(at, -1, axis=1)
    c = np.roll(b, -1, axis=1)
    quads = np.stack([at, b, c, d], -1).reshape(-1, 4)
    return points, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def blob(rng):
    """A sphere with random bumps and dents."""
    points, faces = sphere(1.0, 16)
    waves = rng.normal(0.0, 1.5, (6, 3))
    size = 0.6 + 0.06 * np.sin(points @ waves.T + rng.uniform(0, 6, 6)).sum(axis=1)
    return points * size[:, None] * rng.uniform(0.5, 1.5, 3), faces


def plate():
    """A disc of 1 m and 2 mm with a hole."""
    points, faces = torus(0.4, 0.1)
    points[:, 2] *= 0.01
    return points, faces


MESHES = {
    "sphere 0.5 m": lambda rng: sphere(0.5),
    "sphere 2 m": lambda rng: sphere(2.0),
    "torus": lambda rng: torus(0.3, 0.12),
    "thin torus": lambda rng: torus(0.5, 0.01),
    "plate": lambda rng: plate(),
    **{f"blob {i}": blob for i in range(4)},
}


@pytest.mark.parametrize("name", MESHES)
@pytest.mark.parametrize("max_pieces", [1, 6])
def test_every_point_of_a_mesh_is_inside_of_a_shape(name, max_pieces, rng):
    vertices, triangles = MESHES[name](rng)
    pieces = split_mesh(vertices, triangles, max_pieces=max_pieces)
    weights = rng.dirichlet([0.5, 0.5, 0.5], (len(triangles), 3))
    inner = np.einsum("tsk,tkc->tsc", weights, vertices[triangles]).reshape(-1, 3)
    surface = np.concatenate([vertices, inner[rng.permutation(len(inner))[:400]]])
    # the shapes reach beyond the surface by their rounding of 2 mm
    depth = np.min([_distance(p.points_in_joint, surface) - p.radius_m for p in pieces], axis=0)
    assert depth.max() <= -0.002 + 1e-5


def _distance(corners, points):
    """Distances of points from a hull (0 inside), by non-negative least squares."""
    hull = ConvexHull(corners)
    out = np.zeros(len(points))
    heights = points @ hull.equations[:, :3].T + hull.equations[:, 3]
    heavy = 1e4  # weight of the condition that the shares of the corners sum to one
    for i in np.flatnonzero(heights.max(axis=1) > 0):
        system = np.vstack([corners.T, np.full(len(corners), heavy)])
        shares, _ = nnls(system, np.append(points[i], heavy))
        out[i] = np.linalg.norm(corners.T @ shares - points[i])
    return out


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
