"""Film strips show where something happens."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.render.frame_choice import frames_by_motion, frames_by_time
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.skeleton.figures import figure

HUMAN = figure("human")


def raised(angles) -> np.ndarray:
    """Standing, the left upper arm turned by these angles (rad)."""
    q = np.tile(standing(HUMAN), (len(angles), 1))
    half = np.asarray(angles) / 2
    at = HUMAN.skeleton.q_slice("left_shoulder")
    q[:, at] = np.stack([np.cos(half), 0 * half, 0 * half, np.sin(half)], axis=1)
    return q


def test_a_long_pause_gets_few_frames():
    q = raised(np.concatenate([np.linspace(0, 1.2, 30), np.full(270, 1.2)]))
    chosen = frames_by_motion(HUMAN.skeleton, [q], 7)
    assert len(chosen) == 7
    assert (chosen[0], chosen[-1]) == (0, 299)
    assert sum(frame < 30 for frame in chosen) >= 5
    assert sum(frame < 30 for frame in frames_by_time(300, 7)) == 1


def test_between_frames_the_body_moves_about_equally_far():
    angles = 1.2 * np.linspace(0, 1, 200) ** 2
    chosen = frames_by_motion(HUMAN.skeleton, [raised(angles)], 6)
    steps = np.diff(angles[chosen])
    assert steps.max() < 1.5 * steps.min()


def test_rows_of_a_comparison_share_their_frames():
    early = raised(np.concatenate([np.linspace(0, 1.2, 30), np.full(70, 1.2)]))
    late = raised(np.concatenate([np.zeros(70), np.linspace(0, 1.2, 30)]))
    chosen = frames_by_motion(HUMAN.skeleton, [early, late], 9)
    assert sum(frame < 30 for frame in chosen) >= 3
    assert sum(frame >= 70 for frame in chosen) >= 3


@pytest.mark.parametrize("length", [1, 3])
def test_short_and_still_motions_are_shown(length):
    still = raised(np.zeros(length))
    assert frames_by_motion(HUMAN.skeleton, [still], 5) == list(range(length))
    assert len(frames_by_motion(HUMAN.skeleton, [raised(np.zeros(40))], 5)) == 5


def test_a_leap_does_not_cost_panels():
    q = raised(np.concatenate([np.zeros(50), np.full(50, 1.5)]))
    chosen = frames_by_motion(HUMAN.skeleton, [q], 6)
    assert len(set(chosen)) == 6
    assert {49, 50} & set(chosen)
