"""Habits find the joints and coordinates of a body, whatever axes its file has."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from writhe import figure, load_figure
from writhe.research.evaluation.generated_characters import STYLES, generate
from writhe.skeleton import Figure, forward
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.solvers.posing.habit_joints import HabitJoints

CHARACTERS = Path(__file__).parents[4] / "shared" / "characters"


def check_height(body: Figure) -> None:
    """The coordinate of the hips' height moves the hips vertically."""
    found = HabitJoints(body, ActorInScene.alone(body)).hips_height()
    if found is None:
        return
    skeleton, hips = body.skeleton, body.joint_of("hips")
    q = skeleton.rest_configuration
    before = forward(skeleton, q).position(hips)
    q[found[0]] += 0.1
    moved = forward(skeleton, q).position(hips) - before
    assert abs(moved[1]) > 0.99 * np.linalg.norm(moved) > 0.0
    assert found[0] - skeleton.q_slice(hips).start == found[1] - skeleton.v_slice(hips).start


def test_the_height_of_the_hips_is_vertical_on_generated_bodies():
    human = figure("human")
    assert HabitJoints(human, ActorInScene.alone(human)).hips_height() is not None
    for body in (human, *(generate(style).figure for style in STYLES)):
        check_height(body)


@pytest.mark.parametrize("name", ["CesiumMan.glb", "RiggedFigure.glb"])
def test_the_height_of_the_hips_is_vertical_where_the_file_turns_the_root(name):
    if not (CHARACTERS / name).exists():
        pytest.skip("the characters from elsewhere are not beside this checkout")
    check_height(load_figure(CHARACTERS / name))
