"""Strands on skeletons: their vertices, the linking vector, its Jacobian, motions."""

from __future__ import annotations

import json

import numpy as np
import pytest

from writhe.errors import MissingExtraError, UnknownNameError, WritheError
from writhe.skeleton import Figure, Joint, JointKind, Motion, Skeleton, Tip, forward
from writhe.skeleton import kinematics as kin
from writhe.skeleton.figures import figure
from writhe.topology import (
    Bundle,
    Strand,
    body_bundle,
    linking,
    linking_jacobian,
    linking_over_time,
    linking_vector,
    measure_motion,
    pair_names,
)

STEP = 1e-6


def random_q(skeleton, rng, spread=0.7):
    return kin.integrate(
        skeleton, skeleton.rest_configuration, rng.normal(0, spread, skeleton.dof_count)
    )


def two_actors():
    """A forest: two roots with all kinds of joints, and a tip."""
    axis = np.array([0.6, 0.0, 0.8])
    a = np.array([0.1, 0.4, -0.2])
    return Skeleton(
        [
            Joint("root", None, JointKind.FREE, a),
            Joint("ball", "root", JointKind.BALL, a),
            Joint("hinge", "ball", JointKind.HINGE, a, axis=axis),
            Joint("slide", "root", JointKind.PRISMATIC, -a, axis=axis),
            Joint("weld", "slide", JointKind.FIXED, a),
            Joint("other", None, JointKind.FREE, -a),
            Joint("loose", "other", JointKind.FREE, a),
            Joint("fin", "loose", JointKind.BALL, np.array([0.3, 0.1, 0.2])),
        ],
        [Tip("fin_tip", "fin", np.array([0.2, 0.3, 0.1]))],
    )


def bundle_of_two_actors():
    skeleton = two_actors()
    strands = [
        Strand.between(skeleton, "hinge", "weld", name="across"),
        Strand.between(skeleton, "other", "fin_tip", name="fin"),
        Strand.along(np.array([[0, 0, 0], [1, 0.2, 0], [0.4, 1, 0.9]]), name="frame", closed=True),
        Strand.along(np.eye(3), joint="slide", name="hoop", closed=True),
    ]
    return skeleton, Bundle.compile(skeleton.tree, skeleton.index, strands)


def assert_jacobian(skeleton, value_at, jacobian, q):
    for k in range(skeleton.dof_count):
        v = np.zeros(skeleton.dof_count)
        v[k] = STEP
        after = value_at(kin.integrate(skeleton, q, v))
        before = value_at(kin.integrate(skeleton, q, -v))
        np.testing.assert_allclose(jacobian[:, k], (after - before) / (2 * STEP), atol=1e-7)


def test_jacobian_of_the_human_matches_finite_differences(rng):
    human = figure("human")
    for _ in range(4):
        q = random_q(human.skeleton, rng)
        value, jacobian = linking_jacobian(human, q)
        np.testing.assert_allclose(value, linking_vector(human, q), atol=1e-14)
        assert np.abs(value).max() > 0.05
        assert_jacobian(human.skeleton, lambda x: linking_vector(human, x), jacobian, q)


def test_jacobian_of_a_forest_with_objects_matches_finite_differences(rng):
    skeleton, bundle = bundle_of_two_actors()
    assert bundle.pair_names[0] == "across:fin"
    for _ in range(4):
        q = random_q(skeleton, rng)
        value, jacobian = bundle.linking_with_jacobian(q)
        assert np.abs(jacobian[0]).max() > 1e-3
        assert_jacobian(skeleton, bundle.linking, jacobian, q)
        # two closed strands: a whole number that no motion changes
        closed = bundle.pair_names.index("frame:hoop")
        assert value[closed] == pytest.approx(round(value[closed]), abs=1e-12)
        np.testing.assert_allclose(jacobian[closed], 0, atol=1e-12)


def test_vertices_follow_joints_tips_and_the_world(rng):
    skeleton, bundle = bundle_of_two_actors()
    q = random_q(skeleton, rng)
    frames, points = forward(skeleton, q), bundle.vertices(q)
    names = ["hinge", "ball", "root", "slide", "weld"]
    np.testing.assert_allclose(points["across"], [frames.position(n) for n in names])
    np.testing.assert_allclose(points["fin"][-1], frames.tip("fin_tip"))
    np.testing.assert_allclose(points["frame"][1], [1, 0.2, 0])
    np.testing.assert_allclose(points["hoop"][0], points["hoop"][-1])
    np.testing.assert_allclose(points["hoop"][1], frames.point("slide", [0, 1, 0]))


def test_the_linking_vector_is_the_sum_of_the_writhe_matrices_in_the_documented_order(rng):
    human = figure("human")
    q = random_q(human.skeleton, rng)
    assert pair_names(human) == (
        "torso:left_arm",
        "torso:right_arm",
        "torso:left_leg",
        "torso:right_leg",
        "left_arm:right_arm",
        "left_arm:left_leg",
        "left_arm:right_leg",
        "right_arm:left_leg",
        "right_arm:right_leg",
        "left_leg:right_leg",
    )
    vector, bundle = linking_vector(human, q), body_bundle(human)
    for value, name in zip(vector, pair_names(human), strict=True):
        first, second = name.split(":")
        assert value == pytest.approx(bundle.writhe_matrix(q, first, second).sum(), abs=1e-13)
    assert bundle.writhe_matrix(q, "torso", "left_leg").shape == (5, 4)


def test_moving_the_root_changes_nothing(rng):
    human = figure("human")
    q = random_q(human.skeleton, rng)
    v = np.zeros(human.skeleton.dof_count)
    v[:6] = rng.normal(0, 1, 6)
    moved = kin.integrate(human.skeleton, q, v)
    np.testing.assert_allclose(linking_vector(human, moved), linking_vector(human, q), atol=1e-12)
    np.testing.assert_allclose(linking_jacobian(human, q)[1][:, :6], 0, atol=1e-12)


def test_mirroring_the_posture_swaps_sides_and_signs(rng):
    # hinges about x (knees) turn alike on both sides; the mirror image negates y and z of turns
    human = figure("human")
    skeleton = human.skeleton
    q = skeleton.rest_configuration.copy()
    mirrored = q.copy()
    for name in skeleton.names:
        other = name.replace("left", "?").replace("right", "left").replace("?", "right")
        here, there = skeleton.q_slice(name), skeleton.q_slice(other)
        kind = skeleton.joints[skeleton.index(name)].kind
        if kind is JointKind.HINGE:
            q[here] = rng.uniform(0, 1)
            mirrored[there] = q[here]
        elif kind is JointKind.BALL:
            quaternion = rng.normal(size=4) * 0.4 + [1, 0, 0, 0]
            q[here] = quaternion / np.linalg.norm(quaternion)
            mirrored[there] = q[here] * [1, 1, -1, -1]
    value = dict(zip(pair_names(human), linking_vector(human, q), strict=True))
    image = dict(zip(pair_names(human), linking_vector(human, mirrored), strict=True))
    assert image["torso:left_arm"] == pytest.approx(-value["torso:right_arm"], abs=1e-12)
    assert image["left_arm:left_leg"] == pytest.approx(-value["right_arm:right_leg"], abs=1e-12)
    assert image["left_arm:right_arm"] == pytest.approx(-value["left_arm:right_arm"], abs=1e-12)


def test_batches_equal_single_postures(rng):
    human = figure("human")
    many = np.array([random_q(human.skeleton, rng) for _ in range(37)])
    bundle = Bundle.compile(
        human.skeleton.tree,
        human.skeleton.index,
        [Strand.through(human.skeleton, names, name=name) for name, names in human.strands],
    )
    values, jacobians = bundle.linking_with_jacobian(many)
    np.testing.assert_allclose(bundle.linking(many), values, atol=1e-14)
    for q, value, jacobian in zip(many, values, jacobians, strict=True):
        one, slope = bundle.linking_with_jacobian(q)
        np.testing.assert_allclose(value, one, atol=1e-14)
        np.testing.assert_allclose(jacobian, slope, atol=1e-14)


def test_a_hand_held_in_front_or_behind_links_with_opposite_signs():
    """An arm swept across the chest, or as far behind the back."""
    human = figure("human")
    skeleton = human.skeleton
    values = []
    for sign in (1.0, -1.0):
        v = np.zeros(skeleton.dof_count)
        v[skeleton.v_slice("left_shoulder")] = [0, -sign * 1.2, 0]
        v[skeleton.v_slice("left_elbow")] = sign * 1.2  # backwards no elbow bends: only geometry
        q = kin.integrate(skeleton, skeleton.rest_configuration, v)
        # the arm's linking with a line up through the body: the torso itself is not straight
        bundle = Bundle.compile(
            skeleton.tree,
            skeleton.index,
            [
                Strand.between(skeleton, "left_shoulder", "left_hand_tip", name="arm"),
                Strand.along([[0, 0.5, -0.02], [0, 2.0, -0.02]], name="axis"),
            ],
        )
        values.append(bundle.linking(q)[0])
    assert values[0] * values[1] < 0
    assert min(abs(v) for v in values) > 0.2


def test_linking_over_time_uses_the_bones_of_the_motion(rng):
    human = figure("human")
    q = np.array([random_q(human.skeleton, rng, 0.3) for _ in range(20)])
    motion = Motion(human.skeleton, q, fps=10.0, name="wobble")
    values = linking_over_time(human, motion)
    np.testing.assert_allclose(values[7], linking_vector(human, q[7]), atol=1e-14)
    longer = Skeleton(
        [
            Joint(
                j.name, j.parent, j.kind, j.offset_in_parent * (2.0 if "elbow" in j.name else 1.0)
            )
            if j.kind is not JointKind.HINGE
            else Joint(j.name, j.parent, j.kind, 1.5 * j.offset_in_parent, axis=j.axis)
            for j in human.skeleton.joints
        ],
        human.skeleton.tips,
    )
    other = linking_over_time(human, Motion(longer, q, fps=30.0))
    assert np.abs(other - values).max() > 1e-3
    with pytest.raises(WritheError, match="retarget"):
        linking_over_time(
            human, Motion(two_actors(), two_actors().rest_configuration[None], fps=30.0)
        )


def test_report_sums_up_writes_csv_and_plots(rng, tmp_path):
    human = figure("human")
    q = np.array([random_q(human.skeleton, rng, 0.4) for _ in range(12)])
    report = measure_motion(human, Motion(human.skeleton, q, fps=10.0, name="wobble"))
    line = report.summaries()[4]
    assert line.pair == "left_arm:right_arm"
    assert line.minimum <= line.mean <= line.maximum
    extreme = report.values[round(line.extreme_time_s * 10), 4]
    assert abs(extreme) == max(abs(line.minimum), abs(line.maximum))
    plain = json.loads(json.dumps(report.as_dict()))
    assert plain["frames"] == 12
    assert plain["pairs"][line.pair]["max"] == line.maximum
    report.write_csv(tmp_path / "linking.csv")
    table = np.genfromtxt(tmp_path / "linking.csv", delimiter=",", skip_header=1)
    np.testing.assert_allclose(table[:, 1:], report.values, atol=1e-9)
    np.testing.assert_allclose(table[:, 0], np.arange(12) / 10, atol=1e-6)
    pytest.importorskip("matplotlib")
    report.write_plot(tmp_path / "linking.png")
    assert (tmp_path / "linking.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(WritheError, match="xyz"):
        report.write_plot(tmp_path / "linking.xyz")
    for write in (report.write_plot, report.write_csv):
        with pytest.raises(WritheError, match="cannot be written"):
            write(tmp_path / "no such folder" / "linking.png")


def test_a_plot_without_matplotlib_says_what_to_install(monkeypatch, tmp_path):
    import sys

    human = figure("human")
    report = measure_motion(
        human, Motion(human.skeleton, human.skeleton.rest_configuration[None], fps=30.0)
    )
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"writhe\[render\]"):
        report.write_plot(tmp_path / "linking.png")


def test_misuse_errors_list_the_available_names():
    skeleton = two_actors()
    with pytest.raises(UnknownNameError, match="fin_tip"):
        Strand.through(skeleton, ["root", "nose"])
    with pytest.raises(WritheError, match="two roots"):
        Strand.between(skeleton, "root", "fin")
    with pytest.raises(WritheError, match="3 or more"):
        Strand.along([[0, 0, 0], [1, 0, 0]], name="bar", closed=True)
    a = Strand.along([[0, 0, 0], [1, 0, 0]], name="bar")
    with pytest.raises(WritheError, match="different names"):
        Bundle.compile(skeleton.tree, skeleton.index, [a, a])
    with pytest.raises(UnknownNameError, match="rail"):
        Bundle.compile(skeleton.tree, skeleton.index, [a], [("bar", "rail")])
    with pytest.raises(WritheError, match="two"):
        linking_vector(Figure("bare", skeleton), skeleton.rest_configuration)
    with pytest.raises(WritheError, match="shape"):
        linking_vector(figure("human"), np.zeros(5))


def test_linking_of_strands_equals_linking_of_their_points(rng):
    skeleton, bundle = bundle_of_two_actors()
    q = random_q(skeleton, rng)
    points = bundle.vertices(q)
    for value, (first, second) in zip(bundle.linking(q), bundle.pairs, strict=True):
        assert value == pytest.approx(linking(points[first], points[second]), abs=1e-14)
