"""Requirements that every poser meets, and those of the default one."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from writhe.arrays import vector3
from writhe.collision import CollisionTable, certify, violating_parts
from writhe.database import PostureDatabase
from writhe.errors import UnknownNameError, WritheError
from writhe.research.evaluation.drags.drag_scenes import make_drag_scene
from writhe.research.evaluation.drags.run_drags import run_drag
from writhe.research.evaluation.drags.scripted_drag import scripted_drags, standing
from writhe.scene import Actor, Scene, SceneObject
from writhe.skeleton import forward, quaternions
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import integrate
from writhe.skeleton.limits import limit_excess
from writhe.solvers.posing import Controls, Target, make_poser, method_names, pin_here
from writhe.solvers.posing.default_poser import DefaultPoser

HUMAN = figure("human")
SKELETON = HUMAN.skeleton


@pytest.fixture(scope="module")
def database() -> PostureDatabase:
    """Postures around a standing one: arms anywhere within reach, body leaning a little."""
    rng = np.random.default_rng(3)
    rows = []
    while len(rows) < 300:
        spread = np.full(SKELETON.dof_count, 0.12)
        for side in ("left", "right"):
            spread[SKELETON.v_slice(f"{side}_shoulder")] = 0.6
            spread[SKELETON.v_slice(f"{side}_elbow")] = 0.6
        q = integrate(SKELETON, standing(HUMAN), rng.normal(0, 1, len(spread)) * spread)
        if max(limit_excess(SKELETON, q).values(), default=0.0) < 0.1:
            rows.append(q)
    return PostureDatabase.from_postures(HUMAN, np.array(rows))


def drag(poser, joint, goal, frames=60, held=("left_ankle", "right_ankle"), pause=20):
    """Drag a joint straight to a goal and hold it there."""
    q = standing(HUMAN)
    pins = [pin_here(SKELETON, q, name) for name in held]
    start = forward(SKELETON, q).position(joint)
    rows = [q]
    for t in np.minimum(np.arange(1, frames + pause) / frames, 1.0):
        x, y, z = start + t * (np.asarray(goal) - start)
        result = poser.step(q, [Target(joint, (x, y, z))], pins)
        q = result.q
        rows.append(q)
    return result, np.array(rows)


@pytest.mark.parametrize("method", method_names())
def test_a_dragged_hand_arrives_while_pinned_feet_stay(method, database):
    poser = make_poser(method, HUMAN, database)
    result, rows = drag(poser, "left_wrist", [0.35, 1.1, 0.45])
    assert result.reached
    assert result.target_error_m["left_wrist"] < 0.01
    before, after = forward(SKELETON, rows[0]), forward(SKELETON, rows[-1])
    for foot in ("left_ankle", "right_ankle"):
        assert np.linalg.norm(after.position(foot) - before.position(foot)) < 0.005


def test_the_default_is_certified_where_plain_passes_through(database):
    """Drags aimed into, through and around the body: never a penetration, not even on the way."""
    table = CollisionTable.of_figure(HUMAN)
    plain, default = make_poser("plain", HUMAN), make_poser("default", HUMAN, database)
    passed = 0
    for name in ("through a held chest, brisk", "behind the shoulder, fast", "fold and swap, fast"):
        script = next(d for d in scripted_drags(HUMAN) if d.name == name)
        for poser in (plain, default):
            q = standing(HUMAN)
            pins = [pin_here(SKELETON, q, foot) for foot in script.pinned]
            rows = [q]
            for points in script.path:
                targets = [
                    Target(j, vector3(p)) for j, p in zip(script.joints, points, strict=True)
                ]
                q = poser.step(q, targets, pins).q
                rows.append(q)
            certificate = certify(table, np.array(rows), 60.0)
            if poser is plain:
                passed += len(certificate.pass_throughs)
            else:
                assert certificate.certified
                assert not any(violating_parts(table, np.array(rows)))
    assert passed > 0  # the drags do lead through the body


def test_a_warmed_up_poser_steps_like_another(database):
    posers = [DefaultPoser(HUMAN, database) for _ in range(2)]
    q = standing(HUMAN)
    posers[0].warm_up(q)
    targets = [Target("left_wrist", (0.3, 1.1, 0.3))]
    first, second = (poser.step(q, targets) for poser in posers)
    np.testing.assert_array_equal(first.q, second.q)


def test_a_pause_changes_nothing_and_returns_the_same_result(database):
    poser, q = DefaultPoser(HUMAN, database), standing(HUMAN)
    pins = [pin_here(SKELETON, q, foot) for foot in ("left_ankle", "right_ankle")]
    targets = [Target("left_wrist", (0.3, 1.1, 0.3))]
    for _ in range(60):
        result = poser.step(q, targets, pins)
        q = result.q
    again = poser.step(q, targets, pins)
    np.testing.assert_array_equal(again.q, q)
    assert again.reached and again.target_error_m == result.target_error_m
    moved = poser.step(q, [Target("left_wrist", (0.3, 1.2, 0.3))], pins)
    assert np.abs(moved.q - q).max() > 1e-3


def test_limits_hold_throughout_a_drag(database):
    _, rows = drag(make_poser("default", HUMAN, database), "right_wrist", [-0.1, 1.9, -0.2])
    # a straight step within linearised limits may leave a limit ellipse slightly
    assert max(max(limit_excess(SKELETON, q).values(), default=0.0) for q in rows) < 0.02


def test_a_penetrating_start_is_pushed_out_and_never_gets_deeper(database):
    poser = make_poser("default", HUMAN, database)
    q = standing(HUMAN)
    q[SKELETON.q_slice("left_shoulder")] = [1.0, 0.0, 0.0, -1.25]
    q[SKELETON.q_slice("left_shoulder")] /= np.linalg.norm(q[SKELETON.q_slice("left_shoulder")])
    assert violating_parts(poser.table, q)[0]
    depth = []
    where = forward(SKELETON, q).position("head")
    for _ in range(40):
        result = poser.step(q, [Target("head", vector3(where))])
        q = result.q
        depth.append(result.clearance_m)
    assert not violating_parts(poser.table, q)[0]
    assert all(b >= a - 2e-4 for a, b in pairwise(depth) if a < 0)


def test_a_chair_in_the_way_is_not_entered(database):
    from writhe.collision import box

    block = SceneObject("block", (box([0.25, 0.9, 0.45], [0.15, 0.15, 0.1]),))
    scene = Scene(actors=(Actor("ann", HUMAN),), objects=(block,))
    poser = make_poser("default", scene, database, actor="ann")
    _, rows = drag(poser, "left_wrist", [0.25, 0.9, 0.45])
    whole = np.tile(scene.layout.rest(), (len(rows), 1))
    whole[:, scene.layout.actor_q["ann"]] = rows
    assert certify(scene.layout.table, whole, 60.0).certified
    free, _ = drag(make_poser("default", HUMAN, database), "left_wrist", [0.25, 0.9, 0.45])
    assert free.reached  # without the block the hand gets there


def test_an_unfamiliar_posture_is_reported(database):
    poser = make_poser("default", HUMAN, database)
    q = standing(HUMAN)
    hand = vector3(forward(SKELETON, q).position("left_wrist"))
    usual = poser.step(q, [Target("left_wrist", hand)]).unfamiliar
    q[3:7] = [np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0]  # lying on the back
    odd = poser.step(q, [Target("left_wrist", hand)]).unfamiliar
    assert usual is not None and odd is not None
    assert usual < 1.0 < odd


def test_an_unknown_method_names_the_known_ones():
    with pytest.raises(UnknownNameError, match="plain"):
        make_poser("magic", HUMAN)
    with pytest.raises(WritheError, match="database"):
        make_poser("paper", HUMAN)


def test_an_unreachable_orientation_is_approached_without_shaking(database):
    """The head cannot be bent that far: the body settles, and stays where it settled."""
    poser = make_poser("default", HUMAN, database)
    q = standing(HUMAN)
    pins = [pin_here(SKELETON, q, foot) for foot in ("left_ankle", "right_ankle")]
    position = vector3(forward(SKELETON, q).position("head"))
    target = Target("head", position, orientation_in_world=(np.cos(0.9), np.sin(0.9), 0.0, 0.0))
    rows = []
    for _ in range(120):
        q = poser.step(q, [target], pins).q
        rows.append(q)
    late = forward(SKELETON, np.array(rows[60:])).positions
    assert np.abs(np.diff(late, axis=0)).max() < 1e-3


_DRAG_AFTER_WARM_UP = """
from writhe import Controls, Target, builtin_database, figure, make_poser, pin_here
from writhe.machine_code import kernel_cache
human = figure("human")
poser = make_poser("default", human, builtin_database("basic"), controls=Controls.standing())
q = human.skeleton.rest_configuration
feet = [pin_here(human.skeleton, q, f"{side}_ankle") for side in ("left", "right")]
poser.warm_up(q)
kernel_cache.record_loads()
for k in range(5):
    q = poser.step(q, [Target("left_wrist", (0.3, 1.1 + 0.02 * k, 0.3))], feet).q
print([name for name, _ in kernel_cache.loaded])
"""


def test_no_drag_waits_for_a_kernel_after_the_warm_up():
    """In a process of its own: kernels that other tests have loaded would not count."""
    run = subprocess.run(
        [sys.executable, "-c", _DRAG_AFTER_WARM_UP], capture_output=True, text=True, check=True
    )
    assert run.stdout.splitlines()[-1] == "[]"


def test_a_new_drag_forgets_where_the_body_stood_in_the_last_one(database):
    """The same handles on a body that was turned and moved meanwhile."""
    moved = standing(HUMAN)
    moved[:3] += (0.1, 0.0, -0.05)
    moved[3:7] = quaternions.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.array(0.3))

    def last_of(poser, q, frames):
        at = forward(SKELETON, q)
        feet = [pin_here(SKELETON, q, f"{side}_ankle") for side in ("left", "right")]
        goal = at.position("left_wrist") + at.rotation("hips") @ np.array([0.0, 0.2, 0.25])
        for _ in range(frames):
            q = poser.step(q, [Target("left_wrist", vector3(goal))], feet).q
        return q

    used, fresh = (
        make_poser("default", HUMAN, database, controls=Controls.standing()) for _ in range(2)
    )
    last_of(used, standing(HUMAN), 30)
    assert last_of(used, moved, 30) == pytest.approx(last_of(fresh, moved, 30), abs=1e-9)


def test_a_foot_that_a_rung_stops_is_not_led_around_it():
    """Only a body that is its own obstacle goes back; the way around objects is the user's."""
    setting = make_drag_scene("ladder")
    drag = next(d for d in setting.drags(1) if d.name == "foot between the rungs, slow")
    path = np.concatenate([drag.path, np.repeat(drag.path[-1:], 20, axis=0)])
    held = replace(drag, path=path)
    rows = run_drag(setting.poser("default"), setting.figure, held, setting.start).q
    foot = [forward(setting.figure.skeleton, q).position(drag.joints[0]) for q in rows[-30:]]
    assert np.linalg.norm(np.diff(foot, axis=0), axis=1).max() < 0.05
