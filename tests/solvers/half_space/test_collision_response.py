"""What is moved into a character: it gives way, smoothly and certified, or stops what comes."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.collision import ball, box, certify, cylinder, half_space
from writhe.research.evaluation.drags import standing
from writhe.research.evaluation.smoothness import mean_squared_jerk
from writhe.scene import Actor, ObjectKind, Scene, SceneObject
from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.skeleton.limits import limit_excess
from writhe.solvers.half_space import Response, ResponseOptions
from writhe.solvers.posing import Target, make_poser, pin_here
from writhe.terms import keep_distance, keep_relative

HUMAN, HAND = figure("human"), figure("hand")
STILL = (1.0, 0.0, 0.0, 0.0)


def scene_with(shape, at, body=HUMAN) -> Scene:
    thing = SceneObject("thing", (shape,), ObjectKind.MOVED, position_m=np.array(at, float))
    return Scene((Actor("a", body),), (thing,))


def sweep(scene, end, frames, pose=None, relations=(), hold=10, **options):
    """The object goes straight to `end`; configurations, results, response."""
    layout = scene.layout
    q = layout.rest()
    q[layout.actor_q["a"]] = standing(HUMAN) if pose is None else pose
    response = Response(scene, ResponseOptions(**options))
    response.keep(relations)
    start = scene.object("thing").position_m
    rows, results = [q], []
    for k in range(frames + hold):
        place = start + min(1.0, (k + 1) / frames) * (np.array(end) - start)
        result = response.step(q, objects={"thing": np.concatenate([place, STILL])})
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
def test_the_back_gives_way_to_what_is_pushed_into_it(shape):
    scene = scene_with(shape, [0.1, 1.35, -0.7])
    rows, results, _ = sweep(scene, [0.05, 1.35, -0.16], 60)
    assert certify(scene.layout.table, rows, 60.0).certified
    assert results[-1].lag_m < 1e-3 and not results[-1].blocked
    before, after = (forward(scene.layout.skeleton, q) for q in (rows[0], rows[-1]))
    assert after.position("a.chest")[2] > before.position("a.chest")[2] + 0.01
    np.testing.assert_array_equal(after.position("a.hips"), before.position("a.hips"))
    own = rows[-1][scene.layout.actor_q["a"]]
    assert max(limit_excess(HUMAN.skeleton, own).values(), default=0.0) < 0.02


def test_what_cannot_be_avoided_is_stopped_and_says_so():
    scene = scene_with(ball([0, 0, 0], 0.1), [0.0, 0.95, 0.7])
    rows, results, _ = sweep(scene, [0.0, 0.95, 0.0], 60)
    assert results[-1].blocked == ("thing",)
    assert results[-1].lag_m > 0.1
    assert certify(scene.layout.table, rows, 60.0).certified


def test_a_stuck_object_waits_without_effort_and_can_be_drawn_back():
    start, end = np.array([0.0, 0.95, 0.7]), np.array([0.0, 0.95, 0.0])
    scene = scene_with(ball([0, 0, 0], 0.1), start)
    rows, results, response = sweep(scene, end, 60, hold=120)
    late = [result for result in results[-20:] if result.effort.rounds == 0]
    assert late and all(result.blocked == ("thing",) for result in late)
    assert late[-1].lag_m == pytest.approx(results[-1].lag_m)
    # drawn back, it comes along at once, though it was asked the same in vain for long
    q, at = rows[-1], scene.layout.object_q["thing"]
    for k in range(30):
        place = end + (k + 1) / 30 * (start - end)
        q = response.step(q, objects={"thing": np.concatenate([place, STILL])}).q
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
    thing = int(np.flatnonzero(response.table.shapes.joint == response.skeleton.index("thing"))[0])
    assert thing in touching
    q = results[-1].q
    for k in range(30):
        place = np.array([0.05, 1.35, -0.16 - 0.03 * k])
        q = response.step(q, objects={"thing": np.concatenate([place, STILL])}).q
    count = int(response.objective.spaces.used[0])
    assert thing not in {int(s) for s in response.objective.spaces.shapes[:count, 1]}
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


def test_fingers_give_way():
    scene = scene_with(ball([0, 0, 0], 0.02), [0.03, -0.02, 0.25], HAND)
    rest = HAND.skeleton.rest_configuration
    rows, results, _ = sweep(scene, [0.02, 0.045, 0.15], 60, pose=rest)
    assert certify(scene.layout.table, rows, 60.0).certified
    assert results[-1].lag_m < 1e-3


def test_two_characters_give_way_to_each_other():
    turned = np.array([0.0, 0.0, 1.0, 0.0])
    scene = Scene((Actor("a", HUMAN), Actor("b", HUMAN, np.array([0.0, 0.0, 0.75]), turned)))
    layout = scene.layout
    q = layout.rest()
    q[layout.actor_q["a"]] = q[layout.actor_q["b"]] = standing(HUMAN)
    response = Response(scene)
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
    poser = make_poser(method, HUMAN, scene=scene, actor="ann")
    q = standing(HUMAN)
    at = forward(HUMAN.skeleton, q)
    apart = float(np.linalg.norm(at.position("left_wrist") - at.position("right_wrist")))
    poser.keep([keep_distance("ann.left_wrist", "ann.right_wrist", apart)])
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
    poser = make_poser(method, HUMAN, scene=scene, actor="ann")
    poser.keep([stay_beyond("ann.left_wrist", [0, 0, 0], [0, 0, 0.3], [0, 0, -1])])
    q = standing(HUMAN)
    pins = [pin_here(HUMAN.skeleton, q, f"{side}_ankle") for side in ("left", "right")]
    start = forward(HUMAN.skeleton, q).position("left_wrist")
    for t in np.linspace(0, 1, 50):
        x, y, z = start + t * (np.array([0.3, 1.2, 0.5]) - start)
        q = poser.step(q, [Target("left_wrist", (x, y, z))], pins).q
    reached = forward(HUMAN.skeleton, q).position("left_wrist")
    assert 0.25 < reached[2] < 0.3 + 1e-3


def test_the_floor_holds():
    ground = SceneObject("floor", (half_space([0, 0, 0], [0, 1, 0]),))
    scene = Scene((Actor("a", HUMAN),), (ground,))
    layout = scene.layout
    q = layout.rest()
    q[layout.actor_q["a"]] = standing(HUMAN)
    response = Response(scene, ResponseOptions(root_free=True))
    pins = [pin_here(layout.skeleton, q, f"a.{side}_ankle") for side in ("left", "right")]
    start, rows = forward(layout.skeleton, q).position("a.right_wrist"), [q]
    for t in np.linspace(0, 1, 90):
        x, y, z = start + t * (np.array([-0.2, -0.2, 0.4]) - start)
        q = response.step(q, [Target("a.right_wrist", (x, y, z))], pins).q
        rows.append(q)
    assert certify(layout.table, np.array(rows), 60.0).certified
    assert forward(layout.skeleton, q).position("a.right_wrist")[1] < 0.25
