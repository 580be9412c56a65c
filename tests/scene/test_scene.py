"""Scenes: one layout for actors and objects, and the scene file."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from writhe.cleaning.clean import clean
from writhe.collision import ball, box, capsule, certify, half_space
from writhe.errors import FileFormatError, WritheError
from writhe.io import load_figure, save_figure
from writhe.research.evaluation.generated_characters import STYLES, generate
from writhe.retargeting.motion_on_figure import on_figure
from writhe.scene import Actor, KeyMotion, ObjectKind, Scene, SceneObject
from writhe.scene.objects import BUILT_IN, built_in
from writhe.skeleton import Capsule, Figure, Motion, Skeleton, forward
from writhe.skeleton.configurations import same_joints
from writhe.skeleton.figures import figure

TURN_BACK = np.array([0.0, 0.0, 1.0, 0.0])


def simple_figure() -> Figure:
    """The human's joints with a ball at each wrist and a trunk."""
    skeleton = figure("human").skeleton
    capsules = [
        Capsule(name, np.zeros(3), np.zeros(3), 0.05) for name in ("left_wrist", "right_wrist")
    ]
    capsules.append(Capsule("spine", np.zeros(3), np.array([0, 0.2, 0]), 0.12))
    return Figure("simple", skeleton, tuple(capsules))


def two_people() -> Scene:
    figure = simple_figure()
    return Scene(
        actors=(
            Actor("anna", figure),
            Actor("ben", figure, np.array([0.0, 0.0, 1.5]), TURN_BACK, driven=True),
        ),
        objects=(
            SceneObject("floor", (half_space((0, 0, 0), (0, 1, 0)),)),
            SceneObject(
                "ball",
                (ball((0, 0, 0), 0.1),),
                ObjectKind.ANIMATED,
                keys=KeyMotion(
                    np.array([0.0, 1.0]),
                    np.array([[-1.0, 1.15, 0.0], [1.0, 1.15, 0.0]]),
                    np.tile([1.0, 0, 0, 0], (2, 1)),
                ),
            ),
            SceneObject(
                "crate", (box((0, 0.2, 0), (0.4,) * 3),), ObjectKind.MOVED, np.array([3.0, 0, 0])
            ),
        ),
    )


def test_actors_keep_their_motions_and_stand_where_they_are_placed():
    scene = two_people()
    layout = scene.layout
    skeleton = scene.actors[0].figure.skeleton
    q = np.tile(skeleton.rest_configuration, (3, 1))
    q[:, 0] = [0.0, 0.1, 0.2]
    whole = layout.motion({"ben": Motion(skeleton, q, fps=30.0)})
    frames = forward(layout.skeleton, whole.q[2])
    alone = forward(skeleton, q[2]).position("left_wrist")
    np.testing.assert_allclose(
        frames.position("ben.left_wrist"), alone * [-1, 1, -1] + [0, 0, 1.5], atol=1e-12
    )
    np.testing.assert_allclose(frames.position("crate"), [3, 0, 0])


def test_only_posed_actors_are_variables():
    layout = two_people().layout
    expected = np.zeros(layout.skeleton.dof_count, dtype=bool)
    expected[layout.actor_v["anna"]] = True
    np.testing.assert_array_equal(layout.variables, expected)
    slices = [*layout.actor_q.values(), *layout.object_q.values()]
    covered = np.concatenate([np.arange(s.start, s.stop) for s in slices])
    np.testing.assert_array_equal(np.sort(covered), np.arange(layout.skeleton.configuration_size))


def test_an_animated_object_that_flies_through_an_actor_is_found():
    scene = two_people()
    layout = scene.layout
    motion = layout.motion({}, fps=2.0)
    assert len(motion) == 3
    found = certify(layout.table, motion.q, motion.fps)
    assert [(e.a, e.b) for e in found.pass_throughs] == [("anna.spine", "ball")]
    assert found.pass_throughs[0].interval_s[0] < 0.5 < found.pass_throughs[0].interval_s[1]


def test_a_scene_round_trips_through_its_file(tmp_path):
    human = figure("human")
    scene = Scene(
        actors=(Actor("anna", human, np.array([1.0, 0, 2.0]), TURN_BACK),),
        objects=(
            *two_people().objects,
            SceneObject("seat", *built_in("chair")[:1], strands=built_in("chair")[1]),
            SceneObject("steps", built_in("ladder")[0], strands=built_in("ladder")[1]),
            SceneObject(
                "rod", (capsule((0, 0, 0), (1, 0, 0), 0.1),), position_m=np.array([0.0, 0, 7.0])
            ),
        ),
    )
    scene = Scene(scene.actors, scene.objects, scene.policy.allow("ball", "crate", 0.007))
    path = tmp_path / "scene.json"
    scene.save(path)
    again = Scene.load(path)
    assert [a.name for a in again.actors] == ["anna"]
    assert again.actors[0].figure is human
    assert again.policy.declared("crate", "ball") == 0.007
    ours, theirs = scene.layout.table, again.layout.table
    np.testing.assert_allclose(ours.shapes.points, theirs.shapes.points)
    np.testing.assert_allclose(ours.shapes.radius, theirs.shapes.radius)
    np.testing.assert_allclose(ours.pairs.allowance, theirs.pairs.allowance)
    np.testing.assert_allclose(scene.layout.rest(), again.layout.rest())
    for before, after in zip(scene.objects, again.objects, strict=True):
        assert before.kind is after.kind
        assert before.strands.keys() == after.strands.keys()


def base() -> dict:
    return {
        "writhe_scene": 1,
        "actors": [{"name": "anna", "figure": "human"}],
        "objects": [
            {"name": "post", "shapes": [{"type": "capsule", "start": [0, 0, 0], "end": [0, 1, 0],
                                         "radius_m": 0.1}]},
            {"name": "seat", "built_in": "chair", "position_m": [0, 0, 2]},
        ],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "location"),
    [
        (lambda s: s.update(writhe_scene=9), "version 9"),
        (lambda s: s.update(colour="red"), "unknown key 'colour'"),
        (lambda s: s["actors"][0].update(figure="../../etc/passwd"), r"actors\[0\].*outside"),
        (lambda s: s["actors"][0].update(figure="/etc/passwd"), r"actors\[0\].*outside"),
        (lambda s: s["actors"][0].update(figure="no.bvh"), r"actors\[0\].*neither a built-in"),
        (lambda s: s["objects"][0].update(name="anna"), "repeated: anna"),
        (lambda s: s["objects"][0].update(kind="floating"), r"objects\[0\].*'floating'"),
        (lambda s: s["objects"][0].update(kind="animated"), r"objects\[0\].*need keys"),
        (
            lambda s: s["objects"][0]["shapes"][0].update(radius_m=-1),
            r"objects\[0\]\.shapes\[0\].*no radius",
        ),
        (
            lambda s: s["objects"][0]["shapes"][0].update(end=[0, 1]),
            r"objects\[0\]\.shapes\[0\]\.end: expected 3 numbers",
        ),
        (
            lambda s: s["objects"][0]["shapes"][0].update(end=[0, "x", 0]),
            r"objects\[0\]\.shapes\[0\]\.end\[1\]: expected a finite number",
        ),
        (lambda s: s["objects"][1].update(built_in="sofa"), "chair, ladder"),
        (
            lambda s: s.update(contacts=[{"a": "anna.tail", "b": "post", "allowance_m": 0.01}]),
            "anna.tail",
        ),
    ],
)
def test_errors_name_the_file_and_the_location(tmp_path, change, location):
    document = base()
    change(document)
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(document))
    with pytest.raises(FileFormatError, match=location) as caught:
        Scene.load(path)
    assert "bad.json" in str(caught.value)


def test_broken_json_has_a_line(tmp_path):
    path = tmp_path / "bad.json"
    path.write_text('{"writhe_scene": 1,\n "actors": [}')
    with pytest.raises(FileFormatError) as caught:
        Scene.load(path)
    assert caught.value.line == 2


anything = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(anything, st.sampled_from(["actors", "objects", "contacts", "shape", "keys", "top"]))
def test_malformed_files_raise_only_writhe_errors(tmp_path_factory, value, where):
    document = base()
    if where == "shape":
        document["objects"][0]["shapes"] = [value]
    elif where == "keys":
        document["objects"][0].update(kind="animated", keys=value)
    elif where == "top":
        document = value
    else:
        document[where] = value
    path = tmp_path_factory.mktemp("scene") / "s.json"
    path.write_text(json.dumps(document))
    with contextlib.suppress(WritheError):
        Scene.load(path)


@pytest.mark.parametrize(("name", "strands"), [("chair", 10), ("ladder", 8)])
def test_built_in_objects_are_solid_along_their_strands(name, strands):
    assert name in BUILT_IN
    shapes, lines = built_in(name)
    assert len(lines) == strands
    for points in lines.values():
        for share in (0.1, 0.5, 0.9):
            point = points[0] + share * (points[-1] - points[0])
            ends = [s.points_in_joint for s in shapes if len(s.points_in_joint) == 2]
            away = [
                np.linalg.norm(np.cross(point - a, (b - a) / np.linalg.norm(b - a)))
                for a, b in ends
            ]
            assert min(away) < 1e-9
    lowest = min(s.points_in_joint[:, 1].min() - s.radius_m for s in shapes)
    assert lowest == pytest.approx(0, abs=1e-9)


def test_motions_must_fit_the_scene():
    scene = two_people()
    skeleton = scene.actors[0].figure.skeleton
    short = Motion(skeleton, skeleton.rest_configuration[None], fps=30.0)
    long = Motion(skeleton, np.tile(skeleton.rest_configuration, (4, 1)), fps=30.0)
    with pytest.raises(WritheError, match="share rate and length"):
        scene.layout.motion({"anna": short, "ben": long})
    with pytest.raises(WritheError, match="not a moved object"):
        scene.layout.motion({}, {"floor": np.zeros((1, 7))}, fps=30.0)
    with pytest.raises(WritheError, match="frame rate must be given"):
        scene.layout.motion({})
    with pytest.raises(WritheError, match=r"without '\.'"):
        Actor("an.na", scene.actors[0].figure)


def test_a_character_in_a_scene_file_has_the_shapes_of_its_mesh(tmp_path):
    save_figure(generate(STYLES[0]).figure, tmp_path / "hero.glb")
    actors = [{"name": "hero", "figure": "hero.glb"}]
    (tmp_path / "scene.json").write_text(json.dumps({"writhe_scene": 1, "actors": actors}))
    found = Scene.load(tmp_path / "scene.json").actors[0].figure

    def radii(body: Figure) -> list[float]:
        return [capsule.radius_m for capsule in body.capsules]

    assert radii(found) == radii(load_figure(tmp_path / "hero.glb"))


@pytest.mark.parametrize("changed", ["bones", "rest pose"])
def test_a_motion_of_a_body_with_other_bones_or_rest_pose_is_refused(changed):
    # the same joint names, as in clips of several people: the angles are other poses
    human = figure("human")
    tilt = np.array([np.cos(0.2), 0.0, 0.0, np.sin(0.2)])
    other = Skeleton(
        [
            replace(joint, offset_in_parent=1.2 * joint.offset_in_parent)
            if changed == "bones"
            else replace(joint, rest=tilt)
            for joint in human.skeleton.joints
        ]
    )
    motion = Motion(other, np.tile(other.rest_configuration, (2, 1)), 30.0)
    for use in (
        lambda: certify(human, motion),
        lambda: clean(human, motion),
        lambda: Scene((Actor("anna", human),)).layout.motion({"anna": motion}),
    ):
        with pytest.raises(WritheError, match="another skeleton"):
            use()
    assert same_joints(on_figure(motion, human).skeleton, human.skeleton)
