"""Distances, normals and witness points of all shapes; convex ones against coal."""

from __future__ import annotations

import numpy as np
import pytest
from bodies import free, free_sticks, rod
from dense_sampling import segment_distance
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from writhe.collision import Shape, ball, box, capsule, cylinder, half_space, hull
from writhe.collision.shapes import Core
from writhe.errors import WritheError
from writhe.kernels.collision.shape_gaps import gap, place_shapes
from writhe.skeleton import forward


def gap_of(a: Shape, b: Shape, q: np.ndarray) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
    """Gap, normal and core witness points of two free shapes at a configuration."""
    table = free_sticks(a, b)
    frames = forward(table.skeleton, q)
    placed, out = table.empty_placed_shapes(), np.zeros(9)
    place_shapes(table.shapes, table.bodies, frames.positions, frames.rotations, placed)
    g = gap(table.shapes, placed, 0, 1, out)
    return g, out[:3], out[3:6], out[6:]


coordinate = st.floats(-1, 1)
point = st.tuples(coordinate, coordinate, coordinate).map(np.array)


@given(point, point, point, point, st.sampled_from(["any", "parallel", "point", "touching"]))
def test_segments_have_the_right_distance_and_witness_points(a0, a1, b0, b1, how):
    if how == "parallel":
        b1 = b0 + 0.7 * (a1 - a0)
    elif how == "point":
        b1 = b0
    elif how == "touching":
        b0 = 0.5 * (a0 + a1)
    g, n, on_a, on_b = gap_of(
        capsule(a0, a1, 0.05), capsule(b0, b1, 0.03), free((0, 0, 0), (0, 0, 0))
    )
    distance = float(segment_distance(a0, a1, b0, b1))
    assert g + 0.08 == pytest.approx(distance, abs=1e-7)
    assert np.linalg.norm(n) == pytest.approx(1)
    np.testing.assert_allclose(on_a - on_b, (g + 0.08) * n, atol=1e-9)


def test_crossing_segments_have_distance_zero_and_a_normal_across_both():
    g, n, *_ = gap_of(rod(0.05, axis=0), rod(0.03, axis=2), free((0, 0, 0), (0.1, 0, 0.05)))
    assert g == pytest.approx(-0.08)
    assert abs(n[1]) == pytest.approx(1)


def solids() -> list[Shape]:
    rng = np.random.default_rng(5)
    return [
        box((0, 0, 0), (0.4, 0.2, 0.6)),
        cylinder((0, -0.2, 0), (0, 0.2, 0), 0.15),
        hull(rng.normal(0, 0.15, (20, 3)), 0.01),
        rod(0.03, 0.25),
        ball((0, 0, 0), 0.04),
    ]


def coal_distance(a: Shape, b: Shape, poses: list[tuple[np.ndarray, np.ndarray]]) -> float:
    """Signed distance of the cores by coal."""
    coal = pytest.importorskip("coal")

    def geometry(shape: Shape):
        if shape.core is Core.SEGMENT:
            return None
        points = coal.StdVec_Vec3s()
        for p in shape.points_in_joint:
            points.append(p)
        return coal.Convex.convexHull(points, False, "")

    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.gjk_tolerance = request.epa_tolerance = 1e-9
    objects, less = [], 0.0
    for shape, (position, rotation) in zip((a, b), poses, strict=True):
        solid = geometry(shape)
        if solid is None:
            # coal's segments are capsules: give them a small radius and take it off again
            p, q = shape.points_in_joint
            length = float(np.linalg.norm(q - p))
            solid = coal.Capsule(1e-3, length) if length > 0 else coal.Sphere(1e-3)
            less += 1e-3
            if length > 0:
                align, *_ = Rotation.align_vectors([(q - p) / length], [[0, 0, 1]])
                position = position + rotation @ (0.5 * (p + q))
                rotation = rotation @ align.as_matrix()
        objects += [solid, coal.Transform3s(rotation, position)]
    return coal.distance(*objects, request, result) + less


@pytest.mark.parametrize("second", range(5))
@pytest.mark.parametrize("first", range(3))
def test_convex_shapes_agree_with_coal(first, second, rng):
    a, b = solids()[first], solids()[second]
    seen = set()
    for reach in (0.1, 0.3, 0.6, 1.0):
        for _ in range(12):
            turns = Rotation.random(2, rng.integers(2**31))
            q = free((0, 0, 0), tuple(rng.normal(0, reach, 3)))
            q[3:7], q[10:14] = np.roll(turns.as_quat(), 1, axis=1)
            g, n, on_a, on_b = gap_of(a, b, q)
            core = g + a.radius_m + b.radius_m
            expected = coal_distance(
                a, b, list(zip(q.reshape(2, 7)[:, :3], turns.as_matrix(), strict=True))
            )
            if a.core is Core.CONVEX or core > 0:
                assert core == pytest.approx(expected, abs=2e-6)
            np.testing.assert_allclose(on_a - on_b, core * n, atol=1e-6)
            seen.add(core > 0)
    assert seen == {True, False}


def test_a_half_space_measures_depth_along_its_normal():
    from writhe.collision import CollisionTable
    from writhe.skeleton import Joint, JointKind, Skeleton

    skeleton = Skeleton([Joint("f", None, JointKind.FIXED), Joint("s", None, JointKind.FREE)])
    for shape, lowest in ((rod(0.05, 0.3, axis=1), 0.35), (box((0, 0, 0), (1, 0.5, 1)), 0.25)):
        table = CollisionTable(
            skeleton, [half_space((0, 0.2, 0), (0, 2, 0)).on("f", "f"), shape.on("s", "s")]
        )
        frames = forward(skeleton, free((3, 0.3, 1)))
        placed, out = table.empty_placed_shapes(), np.zeros(9)
        place_shapes(table.shapes, table.bodies, frames.positions, frames.rotations, placed)
        _, a, b = table.shape_pairs[0]
        assert table.part_of_shape(b) == "f"
        assert gap(table.shapes, placed, a, b, out) == pytest.approx(0.1 - lowest)
        np.testing.assert_allclose(out[:3], [0, 1, 0])


def test_faces_of_boxes_and_cylinders_are_exact():
    for solid in (box((0, 0, 0), (0.4, 0.4, 0.4)), cylinder((0, -0.2, 0), (0, 0.2, 0), 0.2)):
        g, *_ = gap_of(ball((0, 0, 0), 0.05), solid, free((0, 0.5, 0), (0, 0, 0)))
        assert g == pytest.approx(0.25, abs=1e-9)
    g, *_ = gap_of(
        ball((0, 0, 0), 0.05),
        cylinder((0, -0.2, 0), (0, 0.2, 0), 0.2),
        free((0.5, 0, 0), (0, 0, 0)),
    )
    assert 0.25 - 0.02 * 0.2 <= g <= 0.25 + 1e-9


def test_invalid_shapes_raise():
    with pytest.raises(WritheError, match="no radius"):
        capsule((0, 0, 0), (1, 0, 0), 0.0)
    with pytest.raises(WritheError, match="flat"):
        free_sticks(hull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], 0.01), rod())
    with pytest.raises(WritheError, match="can turn"):
        free_sticks(half_space((0, 0, 0), (0, 1, 0)), rod())
    with pytest.raises(WritheError, match="corners"):
        hull(np.zeros((1000, 3)), 0.01)
