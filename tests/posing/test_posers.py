"""What every poser owes the user, whatever its method."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.errors import UnknownNameError
from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.solvers.posing import Target, make_poser, method_names
from writhe.solvers.posing.handles import pin_here


@pytest.mark.parametrize("method", method_names())
def test_a_dragged_hand_arrives_while_pinned_feet_stay(method):
    human = figure("human")
    poser = make_poser(method, human)
    q = human.skeleton.rest_configuration
    pins = [pin_here(human.skeleton, q, foot) for foot in ("left_ankle", "right_ankle")]
    rest = forward(human.skeleton, q)
    goal = np.array([0.35, 1.1, 0.45])
    start = rest.position("left_wrist")
    for t in np.minimum(np.arange(1, 61) / 40, 1.0):
        x, y, z = start + t * (goal - start)
        result = poser.step(q, [Target("left_wrist", (x, y, z))], pins)
        q = result.q
    assert result.reached
    assert result.target_error_m["left_wrist"] < 0.01
    frames = forward(human.skeleton, q)
    for foot in ("left_ankle", "right_ankle"):
        assert np.linalg.norm(frames.position(foot) - rest.position(foot)) < 0.005


def test_an_unknown_method_names_the_known_ones():
    with pytest.raises(UnknownNameError, match="plain"):
        make_poser("magic", figure("human"))
