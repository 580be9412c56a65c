"""The independent check: its answers where they are known, and that it is independent."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from writhe.research.evaluation import independent
from writhe.research.evaluation.independent import (
    ChannelMotion,
    CurveMotion,
    Mechanism,
    RigidShape,
    SampledMotion,
    Track,
    check,
)
from writhe.research.evaluation.independent.distances import hull_distance
from writhe.research.evaluation.independent.rotations import of_vector

X, Y, Z = np.eye(3)
IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
PACKAGE = "writhe.research.evaluation.independent"


def rods(radius: float = 0.05) -> Mechanism:
    """A rod along x that stands, and one along z on a joint at the origin."""
    solids = (
        RigidShape(0, "segment", np.array([-0.3 * X, 0.3 * X]), radius, "still"),
        RigidShape(1, "segment", np.array([-0.3 * Z, 0.3 * Z]), radius, "moving"),
    )
    return Mechanism(
        ("a", "b"), (-1, -1), np.zeros((2, 3)), np.tile(IDENTITY, (2, 1)), solids,
        np.array([[0, 1]]), np.zeros(1),
    )  # fmt: skip


def moved(*heights: float) -> SampledMotion:
    """The second rod at these heights."""
    shift = np.zeros((len(heights), 2, 3))
    shift[:, 1, 1] = heights
    return SampledMotion(shift, np.tile(IDENTITY, (len(heights), 2, 1)))


def test_it_imports_nothing_of_writhe():
    for file in Path(independent.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [n.name for n in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [n for n in names if n.startswith("writhe") and not n.startswith(PACKAGE)]


def test_rods_that_pass_through_each_other_between_two_frames_are_found():
    found = check(rods(), moved(0.5, -0.7))
    assert found.cores_met
    assert found.depth_m == pytest.approx(0.1, abs=1e-4)
    assert found.time == pytest.approx(0.5 / 1.2, abs=1e-3)


def test_a_single_frame_has_the_depth_of_its_pose():
    found = check(rods(), moved(0.07))
    assert found.depth_m == pytest.approx(0.03, abs=1e-9)
    assert not found.cores_met
    assert check(rods(), moved(0.2)).depth_m == 0.0


def test_a_half_turn_is_checked_both_ways_round():
    arm = RigidShape(1, "segment", np.array([0.2 * X, 0.5 * X]), 0.02, "arm")
    pairs, allowance = np.array([[0, 1]]), np.zeros(1)
    rest = np.tile(IDENTITY, (2, 1))
    half = np.array([[[0, 0, 0], [0, 0, 0]], [[0, 0, 0], np.pi * Y]])
    for side in (-0.35, 0.35):  # a post on either side of the arm's plane of motion
        post = RigidShape(0, "segment", np.array([side * Z - Y, side * Z + Y]), 0.02, "post")
        mechanism = Mechanism(
            ("w", "a"), (-1, -1), np.zeros((2, 3)), rest, (post, arm), pairs, allowance
        )
        assert check(mechanism, SampledMotion(np.zeros((2, 2, 3)), of_vector(half))).cores_met
        angles = np.zeros((2, 2, 3))
        angles[1, 1, 0] = np.pi
        assert check(mechanism, ChannelMotion(((), (1,)), angles, np.zeros((2, 2, 3)))).cores_met


def test_curves_follow_the_specification_of_gltf():
    times = np.array([0.0, 1.0])
    nodes = np.zeros((2, 3)), np.tile(IDENTITY, (2, 1))
    ends = np.array([[0, 0.5, 0], [0, 0.6, 0]], float)

    def deepest(values: np.ndarray, interpolation: str) -> float:
        tracks = (Track(1, "translation", times, values, interpolation),)
        return check(rods(), CurveMotion(*nodes, tracks)).depth_m

    assert deepest(ends, "LINEAR") == 0.0
    # tangents of 4 m/s downwards and upwards again: the spline passes the other rod
    dive = np.stack([np.tile(4 * Y, (2, 1)), ends, np.tile(-4 * Y, (2, 1))], axis=1)
    assert deepest(dive, "CUBICSPLINE") == pytest.approx(0.1, abs=1e-3)
    jump = np.array([[0, 0.5, 0], [0, -0.5, 0]], float)
    assert deepest(jump, "LINEAR") == pytest.approx(0.1, abs=1e-3)
    assert deepest(jump, "STEP") == 0.0


def test_a_stepped_track_holds_its_last_value_after_its_last_key():
    times, values = np.array([0.0, 1.0]), np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    track = Track(0, "translation", times, values, "STEP")
    at = np.array([0.0, 0.5, 1.0, 1.5])
    assert track.at(at)[:, 0].tolist() == [0.0, 0.0, 1.0, 1.0]
    assert track.at(at, backward=True)[:, 0].tolist() == [0.0, 0.0, 0.0, 1.0]


def test_hull_distances_agree_with_boxes(rng):
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    for _ in range(50):
        half_a, half_b = rng.uniform(0.05, 0.5, (2, 3))
        apart = rng.uniform(-1.5, 1.5, 3)
        outside = np.maximum(np.abs(apart) - half_a - half_b, 0.0)
        found = hull_distance(signs * half_a, signs * half_b + apart)
        assert found == pytest.approx(np.linalg.norm(outside), abs=1e-6)
