"""Objects moved into a character: it evades them smoothly and certified, or blocks them."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.collision import ball, box, certify, cylinder, half_space
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.research.evaluation.smoothness import mean_squared_jerk
from writhe.scene import Actor, ObjectKind, Scene, SceneObject
from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.skeleton.limits import limit_excess
from writhe.solvers.half_space import CollisionResponse, ResponseOptions
from writhe.solvers.posing import SupportsRelations, Target, make_poser, pin_here
from writhe.terms import keep_distance, keep_relative

HUMAN, HAND = figure("human"), figure("hand")
STILL = (1.0, 0.0, 0.0, 0.0)


def scene_with(shape, at, body=HUMAN) -> Scene:
    item = SceneObject("object", (shape,), ObjectKind.MOVED, position_m=np.array(at, float))
    return Scene((Actor("a", body),), (item,))


def sweep(scene, end, frames, pose=None, relations=(), hold=10, **options):
    """The object goes straight to `end`; configurations, results, response."""
    layout = scene.layout
    q = layout.rest()
    q[layout.actor_q["a"]] = standing(HUMAN) if pose is None else pose
    response = CollisionResponse(scene, ResponseOptions(**options))
    response.set_relations(relations)
    start = scene.object("object").position_m
    rows, results = [q], []
    for k in range(frames + hold):
        position = start + min(1.0, (k + 1) / frames) * (np.array(end) - start)
        result = response.step(q, objects={"object": np.concatenate([position, STILL])})
        q = result.q
        rows.append(q)
        results.append(result)
    return np.array(rows), results, response


@pytest.mark.parametrize(
    "shape",
    [
        ball([0, 0, 0], 0.12),
        box([0, 0, 0], [0.2, 0.25, 0.2]),
        cylinder([0, -0.2, 0], [0, 0.2, 0], 0.1),
    ],
    ids=["ball", "box", "cylinder"],
)
def test_the_back_evades_an_object_pushed_into_it(shape):
    scene = scene_with(shape, [0.1, 1.35, -0.7])
    rows, results, _ = sweep(scene, [0.05, 1.35, -0.16], 60)
    assert certify(scene.layout.table, rows, 60.0).certified
    assert results[-1].lag_m < 1e-3 and not results[-1].blocked
    before, after = (forward(scene.layout.skeleton, q) for q in (rows[0], rows[-1]))
    assert after.position("a.chest")[2] > before.position("a.chest")[2] + 0.01
    np.testing.assert_array_equal(after.position("a.hips"), before.position("a.hips"))
    own = rows[-1][scene.layout.actor_q["a"]]
    assert max(limit_excess(HUMAN.skeleton, own).values(), default=0.0) < 0.02


def test_an_object_that_cannot_be_evaded_is_blocked():
    scene = scene_with(ball([0, 0, 0], 0.1), [0.0, 0.95, 0.7])
    rows, results, _ = sweep(scene, [0.0, 0.95, 0.0], 60)
    assert results[-1].blocked == ("object",)
    assert results[-1].lag_m > 0.1
    assert certify(scene.layout.table, rows, 60.0).certified


def test_a_blocked_object_costs_nothing_and_can_be_moved_back():
    start, end = np.array([0.0, 0.95, 0.7]), np.array([0.0, 0.95, 0.0])
    scene = scene_with(ball([0, 0, 0], 0.1), start)
    rows, results, response = sweep(scene, end, 60, hold=120)
    late = [result for result in results[-20:] if result.effort.rounds == 0]
    assert late and all(result.blocked == ("object",) for result in late)
    assert late[-1].lag_m == pytest.approx(results[-1].lag_m)
    # moved back, it follows at once
    q, at = rows[-1], scene.layout.object_q["object"]
    for k in range(30):
        position = end + (k + 1) / 30 * (start - end)
        q = response.step(q, objects={"object": np.concatenate([position, STILL])}).q
    np.testing.assert_allclose(q[at][:3], start, atol=1e-3)


def test_a_free_root_steps_back_instead():
    scene = scene_with(ball([0, 0, 0], 0.1), [0.0, 0.95, 0.7])
    rows, results, _ = sweep(scene, [0.0, 0.95, 0.0], 60, root_free=True)
    assert results[-1].lag_m < 1e-3
    assert certify(scene.layout.table, rows, 60.0).certified


def test_a_fast_object_does_not_pass_through():
    """12 m/s, 20 cm a frame: farther than the arm is thick."""
    scene = scene_with(ball([0, 0, 0], 0.03), [-0.31, 1.1, 1.2])
    rows, _, _ = sweep(scene, [-0.31, 1.1, -0.4], 8, hold=30)
    certificate = certify(scene.layout.table, rows, 60.0)
    assert certificate.certified and not certificate.pass_throughs


def test_half_spaces_are_released_when_the_object_has_gone():
    scene = scene_with(ball([0, 0, 0], 0.12), [0.1, 1.35, -0.7])
    _, results, response = sweep(scene, [0.05, 1.35, -0.16], 60)
    touching = {
        int(s) for s in response.objective.spaces.shapes[: results[-1].effort.half_spaces, 1]
    }
    item = int(np.flatnonzero(response.table.shapes.joint == response.skeleton.index("object"))[0])
    assert item in touching
    q = results[-1].q
    for k in range(30):
        position = np.array([0.05, 1.35, -0.16 - 0.03 * k])
        q = response.step(q, objects={"object": np.concatenate([position, STILL])}).q
    count = int(response.objective.spaces.used[0])
    assert item not in {int(s) for s in response.objective.spaces.shapes[:count, 1]}
    assert np.abs(response.velocity).max() < 1e-4  # and the body has come to rest


def test_blending_makes_the_movement_smoother():
    """A rod pressed against the chest and over the shoulders: contacts come and go."""
    scene = scene_with(cylinder([-0.35, 0, 0], [0.35, 0, 0], 0.07), [-0.1, 1.42, 0.6])
    jerks = []
    for blend in (0.6, 0.0):
        rows, _, _ = sweep(scene, [0.0, 1.48, 0.1], 60, blend=blend, hold=20)
        jerks.append(mean_squared_jerk(forward(scene.layout.skeleton, rows).positions[:, :-1], 60))
    assert jerks[0] < jerks[1]


def test_a_hand_that_holds_the_leg_goes_with_it():
    """Figure 4: the relation holds within a millimetre while a ball pushes the leg aside."""
    pose = standing(HUMAN)
    at = forward(HUMAN.skeleton, pose)
    local = at.rotation("left_hip").T @ (at.position("left_wrist") - at.position("left_hip"))
    scene = scene_with(ball([0, 0, 0], 0.1), [0.1, 0.6, 0.7])
    held = keep_relative("a.left_wrist", "a.left_hip", local)
    rows, results, _ = sweep(scene, [0.1, 0.6, 0.05], 60, relations=[held])
    assert max(r.relation_error[held.name] for r in results) < 1e-3
    moved = forward(scene.layout.skeleton, rows[-1]).position("a.left_wrist")
    assert np.linalg.norm(moved - at.position("left_wrist")) > 0.01
    free, _, _ = sweep(scene, [0.1, 0.6, 0.05], 60)
    lost = held.quantity.value(scene.layout.skeleton, free[-1]) - local
    assert np.linalg.norm(lost) > 0.01


def test_fingers_evade_a_ball():
    scene = scene_with(ball([0, 0, 0], 0.02), [0.03, -0.02, 0.25], HAND)
    rest = HAND.skeleton.rest_configuration
    rows, results, _ = sweep(scene, [0.02, 0.045, 0.15], 60, pose=rest)
    assert certify(scene.layout.table, rows, 60.0).certified
    assert results[-1].lag_m < 1e-3


def test_two_characters_evade_each_other():
    turned = np.array([0.0, 0.0, 1.0, 0.0])
    scene = Scene((Actor("a", HUMAN), Actor("b", HUMAN, np.array([0.0, 0.0, 0.75]), turned)))
    layout = scene.layout
    q = layout.rest()
    q[layout.actor_q["a"]] = q[layout.actor_q["b"]] = standing(HUMAN)
    response = CollisionResponse(scene)
    rows = [q]
    start = forward(layout.skeleton, q).position("a.left_wrist")
    for t in np.linspace(0, 1, 60):
        x, y, z = start + t * (np.array([0.1, 1.35, 0.6]) - start)
        q = response.step(q, [Target("a.left_wrist", (x, y, z))]).q
        rows.append(q)
    assert certify(layout.table, np.array(rows), 60.0).certified
    moved = forward(layout.skeleton, q).positions - forward(layout.skeleton, rows[0]).positions
    other = [i for i, name in enumerate(layout.skeleton.names) if name.startswith("b.")]
    assert np.linalg.norm(moved[other], axis=1).max() > 0.02


@pytest.mark.parametrize("method", ["default", "half-space"])
def test_relations_hold_in_every_poser(method):
    """Two hands on a bar: one is dragged, the other follows at its distance."""
    scene = Scene((Actor("ann", HUMAN),))
    poser = make_poser(method, scene, actor="ann")
    q = standing(HUMAN)
    at = forward(HUMAN.skeleton, q)
    apart = float(np.linalg.norm(at.position("left_wrist") - at.position("right_wrist")))
    assert isinstance(poser, SupportsRelations)
    poser.set_relations([keep_distance("ann.left_wrist", "ann.right_wrist", apart)])
    pins = [pin_here(HUMAN.skeleton, q, f"{side}_ankle") for side in ("left", "right")]
    start, worst = at.position("left_wrist"), 0.0
    for t in np.linspace(0, 1, 60):
        x, y, z = start + t * (np.array([0.3, 1.3, 0.35]) - start)
        q = poser.step(q, [Target("left_wrist", (x, y, z))], pins).q
        now = forward(HUMAN.skeleton, q)
        gap = np.linalg.norm(now.position("left_wrist") - now.position("right_wrist"))
        worst = max(worst, abs(gap - apart))
    assert worst < 1e-3
    assert np.linalg.norm(now.position("left_wrist") - [0.3, 1.3, 0.35]) < 0.02


@pytest.mark.parametrize("method", ["default", "half-space"])
def test_a_half_space_is_not_crossed_in_any_poser(method):
    from writhe.terms import half_space as stay_beyond

    scene = Scene((Actor("ann", HUMAN),))
    poser = make_poser(method, scene, actor="ann")
    assert isinstance(poser, SupportsRelations)
    poser.set_relations([stay_beyond("ann.left_wrist", [0, 0, 0], [0, 0, 0.3], [0, 0, -1])])
    q = standing(HUMAN)
    pins = [pin_here(HUMAN.skeleton, q, f"{side}_ankle") for side in ("left", "right")]
    start = forward(HUMAN.skeleton, q).position("left_wrist")
    for t in np.linspace(0, 1, 50):
        x, y, z = start + t * (np.array([0.3, 1.2, 0.5]) - start)
        q = poser.step(q, [Target("left_wrist", (x, y, z))], pins).q
    reached = forward(HUMAN.skeleton, q).position("left_wrist")
    assert 0.25 < reached[2] < 0.3 + 1e-3


def test_the_floor_holds():
    ground = SceneObject("floor", (half_space([0, -0.02, 0], [0, 1, 0]),))
    scene = Scene((Actor("a", HUMAN),), (ground,))
    layout = scene.layout
    q = layout.rest()
    q[layout.actor_q["a"]] = standing(HUMAN)
    response = CollisionResponse(scene, ResponseOptions(root_free=True))
    pins = [pin_here(layout.skeleton, q, f"a.{side}_ankle") for side in ("left", "right")]
    start, rows = forward(layout.skeleton, q).position("a.right_wrist"), [q]
    for t in np.linspace(0, 1, 90):
        x, y, z = start + t * (np.array([-0.2, -0.2, 0.4]) - start)
        q = response.step(q, [Target("a.right_wrist", (x, y, z))], pins).q
        rows.append(q)
    assert certify(layout.table, np.array(rows), 60.0).certified
    assert forward(layout.skeleton, q).position("a.right_wrist")[1] < 0.25
