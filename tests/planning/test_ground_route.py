"""Ways over the ground around what stands on it."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.arrays import Floats
from writhe.collision import box, capsule
from writhe.planning.ground_route import CLEARANCE_M, Outline, outlines, route
from writhe.scene import Actor, Scene, SceneObject
from writhe.skeleton.figures import figure


def square(x: float, z: float, half: float) -> Outline:
    corners = np.array([[x + a * half, z + b * half] for a in (-1, 1) for b in (-1, 1)])
    return Outline(corners, np.full(4, 1e-3))


def distance(way: Floats, outline: Outline) -> float:
    """The least distance of a way from the square of an outline."""
    at = np.linspace(0.0, len(way) - 1.0, 400)
    points = np.stack([np.interp(at, np.arange(len(way)), way[:, k]) for k in range(2)], axis=1)
    low, high = outline.centres.min(axis=0), outline.centres.max(axis=0)
    apart = np.maximum(0.0, np.maximum(low - points, points - high))
    return float(np.linalg.norm(apart, axis=1).min())


def test_a_free_way_is_straight_and_a_blocked_one_keeps_its_room() -> None:
    start, goal = np.array([0.0, 0.0]), np.array([0.0, 4.0])
    assert len(route(start, goal, [square(3.0, 2.0, 0.3)])) == 2
    way = route(start, goal, [square(0.1, 2.0, 0.3)])
    assert len(way) > 2
    assert distance(way, square(0.1, 2.0, 0.3)) > CLEARANCE_M - 0.01
    assert np.linalg.norm(np.diff(way, axis=0), axis=1).sum() < 4.4
    assert way[1:-1, 0].max() < 0.0  # on the shorter side


def test_a_goal_close_to_an_obstacle_is_reached_around_it() -> None:
    """Before a chair that faces away: the last steps are nearer to it than others."""
    chair = square(0.0, 2.0, 0.22)
    way = route(np.array([0.0, 0.0]), np.array([0.0, 2.42]), [chair])
    assert len(way) > 2 and np.allclose(way[-1], [0.0, 2.42])
    assert distance(way, chair) > 0.19


def test_who_stands_inside_an_outline_walks_out_of_it() -> None:
    way = route(np.array([0.0, 2.0]), np.array([0.0, 4.0]), [square(0.0, 2.0, 0.5)])
    assert len(way) == 2


def test_outlines_are_those_of_objects_and_other_actors() -> None:
    human = figure("human")
    scene = Scene(
        (Actor("anna", human), Actor("ben", human)),
        (
            SceneObject("bench", (box((0, 0.2, 0), (1.0, 0.4, 1.0)),)),
            SceneObject("lamp", (capsule((0, 2.5, 0), (0, 3.0, 0), 0.2),)),
            SceneObject("bag", (box((0, 0, 0), (0.2, 0.2, 0.2)),), attached_to="anna.left_wrist"),
        ),
    )
    row = scene.layout.rest()
    found = outlines(scene, "anna", row)
    assert len(found) == 2  # ben and the bench; the lamp is above, the bag is carried
    bench = max(found, key=lambda one: -len(one.centres))
    assert (np.abs(bench.centres) + bench.radii[:, None]).max() == pytest.approx(0.5)
