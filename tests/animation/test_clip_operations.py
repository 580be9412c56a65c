"""Trim, stretch, loop, mirror and layer of clips."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.animation import layer, loop, mirrored_clip, stretch, trim
from writhe.errors import WritheError
from writhe.skeleton import Motion
from writhe.skeleton.figures import figure

FPS = 30.0


@pytest.fixture(scope="module")
def walking() -> Motion:
    """A body that moves 1 m forwards and turns by 0.3 rad within 1 s, bending its left elbow."""
    human = figure("human")
    u = np.linspace(0.0, 1.0, 31)
    q = np.tile(human.skeleton.rest_configuration, (31, 1))
    q[:, 2] += u
    q[:, 0] += 0.2 * u
    q[:, 3], q[:, 5] = np.cos(0.15 * u), np.sin(0.15 * u)
    q[:, human.skeleton.q_slice("left_elbow")] = (1.5 * u)[:, None]
    return Motion(human.skeleton, q, FPS, "walk")


def test_trim_keeps_a_part(walking: Motion) -> None:
    part = trim(walking, 0.2, 0.7)
    assert len(part) == 16 and part.fps == FPS
    np.testing.assert_allclose(part.q[0], walking.q[6], atol=1e-9)
    np.testing.assert_allclose(part.q[-1], walking.q[21], atol=1e-9)
    with pytest.raises(WritheError, match="start before it ends"):
        trim(walking, 0.8, 0.2)


def test_stretch_changes_the_time_only(walking: Motion) -> None:
    slow = stretch(walking, 2.0)
    assert slow.duration_s == pytest.approx(2.0) and slow.fps == FPS
    np.testing.assert_allclose(slow.q[::2], walking.q, atol=1e-9)


def test_a_loop_walks_on_without_a_jump(walking: Motion) -> None:
    times, join = 3, 6
    repeated = loop(walking, times, join_s=join / FPS)
    assert len(repeated) == times * 31 - (times - 1) * (join + 1)
    root = repeated.frames().positions[:, 0]
    steps = np.linalg.norm(np.diff(root, axis=0), axis=1)
    assert steps.max() < 1.3 * np.linalg.norm(np.diff(walking.q[:2, :3], axis=0))
    assert root[-1, 2] - root[0, 2] > 2.2  # it went on, and turned a little
    heading = 2.0 * np.arctan2(repeated.q[:, 5], repeated.q[:, 3])
    assert heading[-1] == pytest.approx(times * 0.3 - (times - 1) * 0.3 * join / 30, abs=0.01)
    np.testing.assert_allclose(repeated.q[:24], walking.q[:24], atol=1e-9)


def test_mirroring_twice_gives_the_clip_again(walking: Motion) -> None:
    human = figure("human")
    other = mirrored_clip(human, walking)
    left, right = (human.skeleton.q_slice(f"{side}_elbow") for side in ("left", "right"))
    np.testing.assert_allclose(other.q[:, right], walking.q[:, left], atol=1e-9)
    before, after = walking.frames(), other.frames()
    np.testing.assert_allclose(
        after.position("right_wrist"), before.position("left_wrist") * [-1, 1, 1], atol=1e-6
    )
    again = mirrored_clip(human, other).frames()
    np.testing.assert_allclose(again.positions, before.positions, atol=1e-6)


def test_a_layer_moves_its_joints_only(walking: Motion) -> None:
    human = figure("human")
    raised = walking.q[:1].repeat(31, axis=0)
    at = human.skeleton.q_slice("right_elbow")
    raised[:, at] = 1.0
    wave = Motion(human.skeleton, raised, FPS, "wave")
    both = layer(walking, wave, joints=["right_shoulder"], fade_s=0.2)
    np.testing.assert_allclose(both.q[6:25, at], 1.0, atol=1e-9)
    np.testing.assert_allclose(both.q[[0, -1]], walking.q[[0, -1]], atol=1e-9)
    others = np.ones(walking.q.shape[1], dtype=bool)
    others[at] = False
    np.testing.assert_allclose(both.q[:, others], walking.q[:, others], atol=1e-9)
    added = layer(walking, walking, joints=["left_elbow"], fade_s=0.0, additive=True)
    elbow = human.skeleton.q_slice("left_elbow")
    np.testing.assert_allclose(added.q[:, elbow], 2.0 * walking.q[:, elbow], atol=1e-9)
