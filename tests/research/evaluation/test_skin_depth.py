"""Penetration of skins: detected overlaps, and ignored skin folds."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.collision import CollisionTable, Gate, ball, box, capsule, half_space
from writhe.collision.mesh_pieces.surfaces import surface
from writhe.errors import WritheError
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.research.evaluation.skin.depth import SkinDepth
from writhe.scene import Actor, Scene, SceneObject
from writhe.skeleton import Figure, forward
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import integrate

HUMAN = figure("human")
SKELETON = HUMAN.skeleton


def bent(**angles):
    """Standing, with steps added to joints (three numbers for a ball, one for a hinge)."""
    step = np.zeros(SKELETON.dof_count)
    for joint, angle in angles.items():
        step[SKELETON.v_slice(joint)] = angle
    return integrate(SKELETON, standing(HUMAN), step)


@pytest.fixture(scope="module")
def alone():
    return SkinDepth.of_figure(HUMAN)


def test_standing_touches_nothing(alone):
    depth, pairs = alone.depths(standing(HUMAN))
    assert depth[0] == 0.0
    assert pairs == [("", "")]


def test_a_forearm_in_the_belly_is_seen_and_named(alone):
    q = bent(left_shoulder=[1.0, 0, 0], left_elbow=1.8)
    depth, pairs = alone.depths(q)
    assert depth[0] > 0.01
    assert {name.split(".")[1] for name in pairs[0]} & {"left_elbow", "left_wrist"}


def test_an_elbow_bent_fully_is_only_a_fold(alone):
    depth, _ = alone.depths(bent(left_elbow=2.2, left_knee=2.0, left_hip=[-0.5, 0, 0]))
    assert depth[0] < 0.01


def scene_with(*shapes):
    thing = SceneObject("thing", shapes)
    return Scene((Actor("ann", HUMAN),), (thing,))


def belly_point():
    """The foremost point of the belly, standing."""
    frames = forward(SKELETON, standing(HUMAN))
    assert HUMAN.skin is not None
    skin = HUMAN.skin.deform(SKELETON, frames.positions, frames.rotations)
    near = skin[(np.abs(skin[:, 0]) < 0.03) & (np.abs(skin[:, 1] - 1.1) < 0.03)]
    return near[near[:, 2].argmax()]


@pytest.mark.parametrize("radius", [0.03, 0.15])
def test_depth_in_an_object_is_what_it_was_pushed_in_by(radius):
    """Thin objects pass between the skin's vertices: both meshes are tested against each other."""
    for pushed in (-0.01, 0.02):
        centre = belly_point() + np.array([0.0, 0.0, radius - pushed])
        depth, pairs = SkinDepth(scene_with(ball(centre, radius))).depths(standing(HUMAN))
        assert depth[0] == pytest.approx(max(pushed, 0.0), abs=0.003)
        assert (pushed > 0) == ("thing" in pairs[0])


def test_what_lies_between_the_thighs_is_not_inside_of_them():
    sitting = {
        "left_hip": [-1.5, 0.5, 0.0],
        "right_hip": [-1.5, -0.5, 0.0],
        "left_knee": 1.5,
        "right_knee": 1.5,
    }
    # more than 3 cm away from all skin, but half enclosed by the skin of one thigh
    scene = scene_with(ball((-0.01, 0.928, 0.13), 0.01))
    depth, pairs = SkinDepth(scene).depths(bent(**sitting))
    assert depth[0] == 0.0, pairs


def test_feet_below_the_floor_are_measured():
    assert HUMAN.skin is not None
    sole = float(HUMAN.skin.vertices[:, 1].min())
    floor = half_space((0.0, sole + 0.03, 0.0), (0.0, 1.0, 0.0))
    depth, _ = SkinDepth(scene_with(floor)).depths(standing(HUMAN))
    assert depth[0] == pytest.approx(0.03, abs=0.01)


def test_depths_below_the_threshold_count_as_none(alone):
    q = np.array([bent(left_shoulder=[1.0, 0, 0], left_elbow=1.8), standing(HUMAN)])
    whole, _ = alone.depths(q)
    quick, _ = alone.depths(q, beyond_m=0.01)
    assert np.array_equal(quick, np.where(whole > 0.01, whole, 0.0))


@pytest.mark.parametrize(
    "shape",
    [capsule([0, 0, 0], [0.3, 0.1, 0], 0.02), box([0, 0, 0], [0.4, 0.05, 0.3]), ball([0] * 3, 0.1)],
)
def test_surfaces_are_closed_and_face_outwards(shape):
    vertices, triangles = surface(shape)
    edges = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    there = {tuple(e) for e in edges}
    assert len(there) == len(edges)
    assert all((b, a) in there for a, b in there)
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    assert np.einsum("ij,ij->", a, np.cross(b, c)) > 0
    assert np.linalg.norm(a - b, axis=1).max() <= 0.02


def test_a_scene_without_skins_cannot_be_judged():
    bare = Figure("bare", SKELETON, HUMAN.capsules)
    with pytest.raises(WritheError, match="skin"):
        SkinDepth(Scene((Actor("ann", bare),)))


def test_lowered_arms_do_not_enter_the_chest(rng):
    start, gate = standing(HUMAN), Gate(CollisionTable.of_figure(HUMAN))
    arms = ("clavicle", "shoulder")
    free = [SKELETON.names[j].endswith(arms) for j in SKELETON.tree.dof_joint]
    steps = np.where(free, rng.normal(0.0, 0.35, (60, SKELETON.dof_count)), 0.0)
    postures = [gate.limit(start, integrate(SKELETON, start, step)) for step in steps]
    depths, _ = SkinDepth.of_figure(HUMAN, 2).depths(np.array(postures))
    assert depths.max() < 0.01
