"""Plans whose feet stand elsewhere in the goal: they step instead of gliding."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.collision import certify, half_space
from writhe.kernels.posing.nearest_in_polygon import nearest_in_polygon
from writhe.planning import Timing, plan, to_motion
from writhe.planning.ground_assumptions import FLOOR
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.scene import Actor, Scene, SceneObject
from writhe.skeleton import Motion, forward
from writhe.skeleton.heading import yaw_matrix
from writhe.skeleton.limbs import ANKLES
from writhe.skeleton.move_root import moved_roots
from writhe.solvers.posing.support_polygon import support_polygon

WAYS = [((0.0, 0.0, 0.35), 0.0), ((0.3, 0.0, 0.0), 0.0), ((0.2, 0.0, 0.9), 1.2)]


def moved(figure, way, turn):
    """The standing figure, and the same elsewhere."""
    start = standing(figure)
    return start, moved_roots(figure.skeleton, start[None], yaw_matrix(turn), np.array(way))[0]


def assert_steps(motion: Motion) -> None:
    """Feet travel in the air, and one of them stands still in every frame."""
    frames = motion.frames()
    moves: list[np.ndarray] = []
    for foot in ANKLES:
        path = frames.position(foot)
        low = path[:, 1] < path[0, 1] + 0.01
        moves.append(np.linalg.norm(np.diff(path, axis=0), axis=1))
        flat = np.linalg.norm(np.diff(path[:, [0, 2]], axis=0), axis=1)
        travelled = np.linalg.norm(path[-1] - path[0])
        assert flat[low[1:] & low[:-1]].sum() < max(0.02, 0.05 * travelled)
        assert path[:, 1].max() > path[0, 1] + 0.05
    assert np.min(moves, axis=0).max() < 0.004


@pytest.mark.parametrize(("way", "turn"), WAYS)
def test_feet_step_to_their_places_one_after_the_other(human, way, turn):
    start, goal = moved(human, way, turn)
    found = plan(human, start, goal)
    assert found.solved and found.legs and found.certificate.certified
    assert any("step" in note for note in found.notes)
    assert found.path[-1] == pytest.approx(goal, abs=1e-6)
    motion = to_motion(found, Timing(fps=30.0))
    assert certify(found.problem.table, motion.q, motion.fps).certified
    assert_steps(motion)


def test_the_weight_is_over_the_standing_foot_while_the_other_is_in_the_air(human):
    found = plan(human, *moved(human, *WAYS[1]))
    skeleton, mass = human.skeleton, human.skeleton.mass
    centres = np.array([joint.centre_of_mass for joint in skeleton.joints])
    for leg in found.legs:
        if len(leg.problem.planted) != 1:
            continue
        frames = forward(skeleton, leg.path[len(leg.path) // 2])
        swinging = frozenset(ANKLES) - {leg.problem.planted[0].joint}
        feet = support_polygon(human, frames, lifted=swinging)
        points = frames.positions + np.einsum("nrc,nc->nr", frames.rotations, centres)
        x, _, z = mass @ points / mass.sum()
        assert np.hypot(*(np.array(nearest_in_polygon(feet, x, z)) - [x, z])) < 0.03


def test_an_actor_steps_in_its_scene(human):
    start, goal = moved(human, *WAYS[0])
    low = float(min(plan(human, start, goal).path[0][1] * 0.0 - 0.03, 0.0))
    floor = SceneObject(FLOOR, (half_space((0, low, 0), (0, 1, 0)),))
    found = plan(Scene((Actor("ann", human),), (floor,)), start, goal)
    assert found.legs and found.certificate.certified


def test_planted_parts_that_are_given_are_kept_and_nothing_steps(human):
    start, goal = moved(human, *WAYS[0])
    assert plan(human, start, goal, planted=()).legs == ()
