"""Drags that lead the body into a corner, and the way out.

The drags are perturbed replays of random drags that led the body into a posture at its limits, from
which no small step brings it nearer to targets that can be met. Whether a replay ends in such a
corner hinges on rounding; those that do without the way back are taken.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from writhe.research.evaluation.drags.drag_scenes import DragScene, make_drag_scene
from writhe.research.fuzzing.random_drags import RandomDrag, random_drag, run_random_drag
from writhe.scene import Actor, Scene
from writhe.solvers.posing import make_poser
from writhe.solvers.posing.retreat import Retreat

SEEDS = (7100051, 31000014, 31001220, 31000132)
PERTURBED = 8  # replays of each
SHIFT_M = 0.001
HELD = 120  # frames: the way back takes up to two seconds
TAKEN, FEWEST = 6, 3
MET_M, PIN_M = 0.02, 0.02


@pytest.fixture(scope="module")
def setting() -> DragScene:
    return make_drag_scene("basic")


@pytest.fixture(scope="module")
def stuck(setting: DragScene) -> list[RandomDrag]:
    """Drags whose last targets can be met, but are missed without a way back."""
    poser, found = setting.poser("default"), list[RandomDrag]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Retreat, "search", lambda *_: False)
        for k, seed in product(range(PERTURBED), SEEDS):
            drag = random_drag(setting, seed)
            shift = np.random.default_rng(k).normal(0.0, SHIFT_M, drag.path.shape[1:])
            first = run_random_drag(poser, setting, replace(drag, path=drag.path + shift))
            again = first.replay_held(HELD)
            if run_random_drag(poser, setting, again).end_error_m > MET_M:
                found.append(again)
            if len(found) == TAKEN:
                break
    assert len(found) >= FEWEST, "nothing gets stuck: these drags no longer show anything"
    return found


def test_a_stuck_body_goes_back_and_meets_its_targets(
    setting: DragScene, stuck: list[RandomDrag]
) -> None:
    poser = setting.poser("default")
    results = [run_random_drag(poser, setting, drag) for drag in stuck]
    assert all(result.end_error_m < MET_M for result in results)
    assert not any(result.frozen for result in results)


def test_pins_hold_while_a_stuck_drag_goes_back(
    setting: DragScene, stuck: list[RandomDrag]
) -> None:
    """Straight ways back would have swung pinned wrists by up to 83 cm."""
    poser, worst = setting.poser("default"), 0.0
    step = poser.step

    def watched(q, targets, pins=()):
        nonlocal worst
        result = step(q, targets, pins)
        worst = max(worst, *result.pin_error_m.values())
        return result

    poser.step = watched
    for drag in stuck:
        run_random_drag(poser, setting, drag)
    assert worst < PIN_M


def test_a_stuck_drag_goes_back_beside_a_second_person(
    setting: DragScene, stuck: list[RandomDrag]
) -> None:
    """Legs of somebody else that touch each other are no object that the drag was led around."""
    beside = np.array([4.0, 0.0, 0.0])
    scene = Scene((Actor("a", setting.figure), Actor("b", setting.figure, position_m=beside)))
    poser = make_poser("default", scene, setting.database, actor="a", controls=setting.controls)
    errors = [run_random_drag(poser, setting, drag).end_error_m for drag in stuck]
    assert sum(error < MET_M for error in errors) >= len(stuck) - 1


def test_a_trembling_pointer_does_not_keep_a_stuck_body_from_going_back(
    setting: DragScene, stuck: list[RandomDrag]
) -> None:
    poser, rng = setting.poser("default"), np.random.default_rng(0)
    for drag in stuck:
        path = drag.path.copy()
        path[-HELD:] += rng.uniform(-0.001, 0.001, path[-HELD:].shape)
        result = run_random_drag(poser, setting, replace(drag, path=path))
        assert result.end_error_m < MET_M
