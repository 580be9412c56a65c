"""The benchmark's own kinematics, distances and penetration tests, independent of writhe's."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.research.peers.body import PeerBody, PeerCapsule, PeerJoint, PeerPair
from writhe.research.peers.geometry import closest_points, slerp, world_frames
from writhe.research.peers.judge import judge
from writhe.research.peers.workloads import export_body
from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.skeleton.limits import random_configurations

HUMAN = figure("human")


@pytest.fixture(scope="module")
def body() -> PeerBody:
    return export_body(HUMAN)


def test_both_kinematics_place_the_joints_alike(body, rng):
    q = random_configurations(HUMAN.skeleton, 20, rng)
    q[:, :3] += rng.normal(size=(20, 3))
    positions, rotations = world_frames(body, q)
    ours = forward(HUMAN.skeleton, q)
    assert np.abs(positions - ours.positions).max() < 1e-12
    assert np.abs(rotations - ours.rotations).max() < 1e-12


def test_a_saved_body_comes_back(body, tmp_path):
    body.save(tmp_path / "body.json")
    assert PeerBody.load(tmp_path / "body.json") == body


def test_configurations_survive_the_way_through_rotations(body, rng):
    q = random_configurations(HUMAN.skeleton, 1, rng)[0]
    back = body.configuration(q[:3], body.local_rotations(q))
    assert np.abs(world_frames(body, back[None])[0] - world_frames(body, q[None])[0]).max() < 1e-12


def test_nearest_points_are_nearest(rng):
    a0, a1, b0, b1 = rng.normal(size=(4, 300, 3))
    b1[:50] = b0[:50] + 2.0 * (a1 - a0)[:50]  # parallel
    b1[50:80] = b0[50:80]  # a point
    p, r = closest_points(a0, a1, b0, b1)
    found = np.linalg.norm(r - p, axis=1)
    share = np.linspace(0, 1, 201)
    along_a = a0[:, None] + share[:, None] * (a1 - a0)[:, None]
    along_b = b0[:, None] + share[:, None] * (b1 - b0)[:, None]
    for k in range(len(found)):
        brute = np.linalg.norm(along_a[k][:, None] - along_b[k][None], axis=-1).min()
        assert found[k] <= brute + 1e-12
        assert found[k] >= brute - 0.02


def test_slerp_takes_the_short_way():
    a = np.array([[1.0, 0.0, 0.0, 0.0]])
    b = -np.array([[np.cos(0.2), np.sin(0.2), 0.0, 0.0]])
    half = slerp(a, b, np.array([0.5]))
    assert abs(abs(half[0] @ np.array([np.cos(0.1), np.sin(0.1), 0.0, 0.0])) - 1.0) < 1e-12


def _two_bars() -> PeerBody:
    """A fixed bar along x and a movable one along z; hinges are used in place of slides."""
    joints = (
        PeerJoint("root", -1, "free", (0, 0, 0), (0, 0, 0), 0, 0),
        PeerJoint("arm", 0, "hinge", (0, 0, 0), (0, 0, 1), -4, 4),
    )
    still = PeerCapsule(0, (0.5, 0.0, -0.3), (0.5, 0.0, 0.3), 0.05)
    swung = PeerCapsule(1, (0.2, 0.0, 0.0), (0.8, 0.0, 0.0), 0.05)
    return PeerBody(joints, (still, swung), (PeerPair(0, 1, 0.0, 0.1),))


def _swing(angles: np.ndarray) -> np.ndarray:
    q = np.zeros((len(angles), 8))
    q[:, 3] = 1.0
    q[:, 7] = angles
    return q


def test_a_bar_swung_through_another_passes_through_once():
    seen = judge(_two_bars(), _swing(np.linspace(0.6, -0.6, 25)))
    assert seen.pass_throughs == 1
    assert 0 < seen.penetrating_frames < 25
    assert abs(seen.deepest_m - 0.1) < 0.01


def test_a_jump_across_is_seen_between_the_frames():
    seen = judge(_two_bars(), _swing(np.array([0.6, -0.6])))
    assert seen.penetrating_frames == 0
    assert seen.pass_throughs == 1


def test_in_and_back_out_is_no_pass_through():
    seen = judge(_two_bars(), _swing(np.concatenate([np.linspace(0.6, 0.05, 20), [0.6]])))
    assert seen.pass_throughs == 0
    assert seen.penetrating_frames > 0


def test_going_round_the_end_is_clear():
    seen = judge(_two_bars(), _swing(np.linspace(0.6, 2 * np.pi - 0.6, 60)))
    assert (seen.penetrating_frames, seen.pass_throughs) == (0, 0)
