"""Fold limits: a joint bent into its parent's skin is a violation, between frames too."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.collision import CollisionTable, Verdict, certify
from writhe.collision.folds import TOLERANCE_RAD, find_folds
from writhe.collision.interpolated_motion import InterpolatedMotion
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.skeleton import Figure, Joint, JointKind, Skeleton
from writhe.skeleton.figures import figure
from writhe.skeleton.fold_limits import DIRECTIONS, FoldLimit
from writhe.skeleton.limits import random_configurations
from writhe.skeleton.quaternions import from_rotation_vectors

HUMAN = figure("human")


def bent(joint: str, degrees: float, axis: tuple[float, float, float] = (0, 0, 1)) -> np.ndarray:
    q, at = standing(HUMAN).copy(), HUMAN.skeleton.q_slice(joint)
    angle = np.radians(degrees)
    hinge = at.stop - at.start == 1
    q[at] = angle if hinge else from_rotation_vectors(angle * np.array([axis]))[0]
    return q


@pytest.mark.parametrize("joint", ["left_wrist", "right_wrist", "left_knee", "right_elbow"])
def test_a_part_folded_into_its_parent_is_not_certified(joint):
    straight = standing(HUMAN)
    found = certify(HUMAN, np.array([straight, bent(joint, 170), straight]), fps=30)
    assert found.verdict is Verdict.PENETRATING
    (folded,) = found.folded_joints
    assert folded.joint == joint
    assert folded.time_s == pytest.approx(1 / 30)
    assert np.degrees(folded.bend_rad) == pytest.approx(170, abs=0.1)
    assert found.as_dict()["folded_joints"][0]["limit_deg"] < 165


def test_the_whole_range_of_motion_is_within_the_fold_limits(rng):
    table = CollisionTable.of_figure(HUMAN)
    poses = random_configurations(HUMAN.skeleton, 2000, rng, root_turns=False)
    interpolated = InterpolatedMotion.of_frames("slerp", poses, 30.0)
    folded, _ = find_folds(table, interpolated, np.ones(len(poses) - 1, dtype=np.bool_))
    assert folded == ()


def arm(bend_deg: np.ndarray) -> Figure:
    """Two joints; the second bends at most by `bend_deg` in each direction."""
    skeleton = Skeleton(
        [
            Joint("a", None, JointKind.FIXED, np.zeros(3)),
            Joint("b", "a", JointKind.BALL, np.array([1.0, 0.0, 0.0])),
        ]
    )
    return Figure(
        "arm", skeleton, folds=(FoldLimit("b", np.array([1.0, 0, 0, 0]), np.radians(bend_deg)),)
    )


def test_bends_between_frames_agree_with_dense_sampling(rng):
    undecided = disagreements = caught = 0
    for _ in range(200):
        knots = rng.uniform(30, 170, 12)
        limits = np.interp(
            np.arange(DIRECTIONS), np.linspace(0, DIRECTIONS, 13), [*knots, knots[0]]
        )
        table = CollisionTable.of_figure(arm(limits))
        q = from_rotation_vectors(rng.normal(0, 0.8, (2, 3)))
        folded, left = find_folds(
            table, InterpolatedMotion.of_frames("slerp", q, 30.0), np.zeros(1, np.bool_)
        )
        undecided += left
        dense = dense_excess(limits, q)
        caught += bool(folded)
        disagreements += (
            bool(folded) != (dense > TOLERANCE_RAD) and abs(dense - TOLERANCE_RAD) > 1e-3
        )
    assert disagreements == 0
    assert undecided <= 2
    assert 20 < caught < 180


def dense_excess(limits_deg: np.ndarray, q: np.ndarray) -> float:
    """The largest excess of the bend over its limit on the arc between two rotations."""
    a, b = q / np.linalg.norm(q, axis=1, keepdims=True)
    b = b if a @ b > 0 else -b
    angle = np.arccos(np.clip(a @ b, -1, 1))
    t = np.linspace(0, 1, 4001)[:, None]
    turns = (np.sin((1 - t) * angle) * a + np.sin(t * angle) * b) / np.sin(angle)
    w, x, y, z = turns.T
    bone = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)], axis=1)
    bend = np.arccos(np.clip(bone[:, 0], -1, 1))
    across = np.cross([1.0, 0.0, 0.0], bone)  # the axis of the bend
    direction = np.degrees(np.arctan2(across[:, 2], across[:, 1])) % 360
    allowed = np.interp(direction, np.arange(DIRECTIONS + 1), [*limits_deg, limits_deg[0]])
    return float((bend - np.radians(allowed)).max())
