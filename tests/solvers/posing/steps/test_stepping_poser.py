"""A standing body steps towards targets out of reach: certified, in balance, feet on the floor."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.collision import certify
from writhe.collision.shapes import box
from writhe.postures.builtin import builtin_database
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.research.evaluation.generated_characters import STYLES, generate
from writhe.scene import Actor, Scene, SceneObject
from writhe.skeleton import Frames, forward
from writhe.skeleton.figures import figure
from writhe.skeleton.limbs import ANKLES
from writhe.solvers.posing import Controls, Target, make_poser, pin_here
from writhe.solvers.posing.steps.stepping_poser import SteppingPoser

HUMAN = figure("human")


class Drag:
    """A drag of the left hand to a goal within a second, then held, with feet that may step."""

    def __init__(self, goal, *, figure=HUMAN, q=None, subject=None, frames=200, finish=False):
        self.q = standing(figure) if q is None else q
        body = figure.skeleton
        self.ankles = [figure.joint_of(role) for role in ANKLES]
        self.hand = figure.joint_of("left_wrist")
        self.figure, self.before = figure, forward(body, self.q)
        controls = Controls.for_drag(figure, [self.hand])
        database = builtin_database("basic")
        actor = None if subject is None else "a"
        poser = make_poser("default", subject or figure, database, controls=controls, actor=actor)
        pins = [pin_here(body, self.q, ankle, orientation=True) for ankle in self.ankles]
        self.stepping = SteppingPoser(poser, self.q, pins)
        start = self.before.position(self.hand)
        rows = [self.q]
        for t in np.minimum(np.arange(1, frames + 1) / 30.0, 1.0):
            x, y, z = (float(value) for value in start + t * (np.asarray(goal) - start))
            targets = [Target(self.hand, (x, y, z))]
            self.result = self.stepping.step(rows[-1], targets, pins)
            rows.append(self.result.q)
        if finish:
            rows.append(self.stepping.finish(rows[-1], targets, pins))
        self.rows = np.array(rows)
        self.after: Frames = forward(body, self.rows[-1])

    def feet(self, frames):
        return np.array([frames.position(ankle) for ankle in self.ankles])


def test_a_hand_reaches_beyond_the_body_with_steps_only():
    for goal in ([-0.1, 1.2, 1.8], [1.4, 1.0, 0.2], [-1.3, 1.1, 0.1], [0.3, 0.3, 1.4]):
        moved = Drag(goal)
        assert moved.result.reached, goal
        assert certify(HUMAN, moved.rows, fps=60).certified
        feet, began = moved.feet(moved.after), moved.feet(moved.before)
        np.testing.assert_allclose(feet[:, 1], began[:, 1], atol=1e-3)
        assert np.linalg.norm(feet[0] - feet[1]) < 0.6
        assert (moved.result.off_balance_m or 0.0) < 0.01
        lowest = np.min([moved.feet(forward(HUMAN.skeleton, q))[:, 1] for q in moved.rows])
        assert lowest > began[:, 1].min() - 2e-3


def test_feet_stay_while_leaning_or_bending_suffices():
    for goal in ([0.2, 1.3, 0.6], [0.2, 0.1, 0.4], [0.3, 1.9, 0.2], [0.0, 1.25, -0.05]):
        moved = Drag(goal, frames=100)
        assert not moved.stepping.moved, goal
        np.testing.assert_allclose(moved.feet(moved.after), moved.feet(moved.before), atol=1e-3)


def test_the_feet_turn_to_what_is_behind_the_body():
    moved = Drag([0.3, 1.0, -1.6], frames=260)
    assert moved.result.reached
    ahead = [moved.after.rotation(ankle) for ankle in moved.ankles]
    began = [moved.before.rotation(ankle) for ankle in moved.ankles]
    turns = [np.arccos((np.trace(a @ b.T) - 1.0) / 2.0) for a, b in zip(ahead, began, strict=True)]
    assert min(turns) > 0.3
    for a, b in zip(ahead, began, strict=True):
        np.testing.assert_allclose((a @ b.T)[1], [0.0, 1.0, 0.0], atol=1e-2)  # still level


def test_a_foot_that_is_stopped_goes_back():
    step = SceneObject("step", (box((0.0, 0.2, 0.42), (2.0, 0.4, 0.2)),))
    scene = Scene((Actor("a", HUMAN),), (step,))
    moved = Drag([0.3, 1.2, 1.6], subject=scene, frames=160)
    np.testing.assert_allclose(moved.feet(moved.after), moved.feet(moved.before), atol=5e-3)
    whole = np.array([scene.layout.rest()] * len(moved.rows))
    whole[:, scene.layout.actor_q["a"]] = moved.rows
    assert certify(scene, whole, fps=60).certified


def test_a_foot_in_the_air_lands_when_the_drag_ends():
    for frames in (30, 36, 42, 48):
        moved = Drag([-0.1, 1.2, 1.8], frames=frames, finish=True)
        heights = moved.feet(moved.after)[:, 1] - moved.feet(moved.before)[:, 1]
        assert np.abs(heights).max() < 2e-3


def test_a_seated_body_does_not_step():
    moved = standing(HUMAN)
    poser = make_poser("default", HUMAN, builtin_database("basic"))
    pins = [pin_here(HUMAN.skeleton, moved, joint) for joint in ("hips", *ANKLES)]
    stepping, q = SteppingPoser(poser, moved, pins), moved
    for _ in range(60):
        q = stepping.step(q, [Target("left_wrist", (0.3, 1.2, 1.6))], pins).q
    assert not stepping.moved


@pytest.mark.parametrize("style", STYLES[:2], ids=lambda style: style.name)
def test_a_character_from_elsewhere_steps(style):
    body = generate(style).figure
    q = body.skeleton.rest_configuration
    frames = forward(body.skeleton, q)
    hand, ankle = (frames.position(body.joint_of(r)) for r in ("left_wrist", "left_ankle"))
    size = float(np.ptp(frames.positions[:, 1])) / 1.6
    goal = ankle + size * np.array([0.2, 1.0, 1.5])
    moved = Drag(goal, figure=body, q=q)
    assert moved.stepping.moved, hand
    assert moved.result.reached
    assert certify(body, moved.rows, fps=60).certified
