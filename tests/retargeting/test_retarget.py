"""Retargeting: bone directions kept, hinges flexed, feet planted, no spinning."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from writhe import figure_of, load
from writhe.errors import WritheError
from writhe.research.evaluation.rigs import STYLES
from writhe.retargeting.planted_feet import planted_spans
from writhe.retargeting.retarget import retarget
from writhe.skeleton import (
    Figure,
    Joint,
    JointKind,
    Motion,
    Skeleton,
    Skin,
    Tip,
    forward,
    quaternions,
)
from writhe.skeleton import kinematics as kin
from writhe.skeleton.figures import figure

BONES = [
    *(("spine", "chest"), ("chest", "neck"), ("neck", "head")),
    *(
        (f"{s}_{a}", f"{s}_{b}")
        for s in ("left", "right")
        for a, b in (
            *(("clavicle", "shoulder"), ("shoulder", "elbow"), ("elbow", "wrist")),
            *(("hip", "knee"), ("knee", "ankle"), ("ankle", "toe")),
        )
    ),
]


def human() -> Figure:
    return figure("human")


def waving(skeleton: Skeleton, frames: int = 90, size: float = 0.35) -> Motion:
    """All joints in smooth motion; hinges flex in the anatomical direction."""
    rng = np.random.default_rng(5)
    amount = rng.uniform(0.3, 1.0, skeleton.dof_count) * size
    phase = rng.uniform(0, 6, skeleton.dof_count)
    q = []
    for t in np.arange(frames) / 30.0:
        step = amount * np.sin(2 * t + phase)
        q.append(kin.integrate(skeleton, skeleton.rest_configuration, step))
    motion = np.array(q)
    for name in skeleton.names:
        joint = skeleton.joints[skeleton.index(name)]
        if joint.kind is JointKind.HINGE and "toe" not in name:
            motion[:, skeleton.q_slice(name)] = np.abs(motion[:, skeleton.q_slice(name)]) + 0.6
    return Motion(skeleton, motion, 30.0, "waving")


def directions(motion: Motion, roles: dict[str, str], a: str, b: str) -> np.ndarray:
    frames = motion.frames()
    bone = frames.position(roles[b]) - frames.position(roles[a])
    return bone / np.linalg.norm(bone, axis=1, keepdims=True)


def worst_direction(source: Motion, result: Motion, target: Figure) -> dict[str, float]:
    """The largest angle in degrees between the bones of both bodies, by bone."""
    mine, theirs = dict(figure_of(source).roles), dict(target.roles)
    out = {}
    for a, b in BONES:
        if {a, b} <= set(mine) and {a, b} <= set(theirs):
            u, v = directions(source, mine, a, b), directions(result, theirs, a, b)
            out[a] = float(np.degrees(np.arctan2(np.linalg.norm(np.cross(u, v), axis=1),
                                                 (u * v).sum(axis=1))).max())  # fmt: skip
    return out


def steps(motion: Motion) -> np.ndarray:
    """(F - 1, nv) tangent steps from frame to frame."""
    return np.array(
        [
            kin.difference(motion.skeleton, a, b)
            for a, b in zip(motion.q[:-1], motion.q[1:], strict=True)
        ]
    )


@pytest.mark.parametrize("keep_feet", [True, False])
def test_onto_itself_a_motion_stays_what_it_was(keep_feet):
    source = waving(human().skeleton)
    result = retarget(source, human(), keep_feet=keep_feet)
    np.testing.assert_allclose(result.frames().positions, source.frames().positions, atol=1e-6)
    np.testing.assert_allclose(result.frames().rotations, source.frames().rotations, atol=1e-6)


def renamed(family: str) -> Skeleton:
    """The human with the joint names of another family, all joints balls as files have them."""
    style = STYLES[family]
    names = {role: name for role, name in (*style.trunk, *style.neck) if role is not None}
    for side in ("left", "right"):
        for part, pattern in (*style.arm, *style.leg):
            if part is not None:
                fill = {"S": side.title(), "l": side, "s": side[0], "C": side[0].upper()}
                names[f"{side}_{part}"] = pattern.format(**fill)
    joints = [
        Joint(
            names[j.name],
            None if j.parent is None else names[j.parent],
            JointKind.FREE if j.parent is None else JointKind.BALL,
            j.offset_in_parent,
        )
        for j in human().skeleton.joints
    ]
    tips = [Tip(t.name, names[t.joint], t.offset_in_joint) for t in human().skeleton.tips]
    return Skeleton(joints, tips)


@pytest.mark.parametrize("family", ["cmu", "mixamo", "smpl", "rigify", "unreal 4", "biped"])
def test_every_naming_family_reaches_the_human_exactly(family):
    """The same body under other names: hinges are recovered from ball joints."""
    truth = waving(human().skeleton)
    frames = truth.frames()
    skeleton = renamed(family)
    roles = dict(figure_of(skeleton).roles)
    q = np.tile(skeleton.rest_configuration, (len(truth), 1))
    for role, name in roles.items():
        turn = quaternions.from_matrices(frames.rotation(role))
        parent = human().skeleton.joints[human().skeleton.index(role)].parent
        if parent is not None:
            above = quaternions.from_matrices(frames.rotation(parent))
            turn = quaternions.multiply(quaternions.conjugate(above), turn)
        part = skeleton.q_slice(name)
        q[:, part.stop - 4 : part.stop] = turn
    root = skeleton.q_slice(roles["hips"])
    q[:, root.start : root.start + 3] = truth.q[:, :3]
    result = retarget(Motion(skeleton, q, fps=30.0), human())
    np.testing.assert_allclose(result.frames().positions, frames.positions, atol=1e-6)


def rested(skeleton: Skeleton, posture: np.ndarray, turn: Rotation) -> tuple[Skeleton, np.ndarray]:
    """The same bones with another rest pose: frames aligned with the world in `posture`.

    Returns the skeleton and the world rotations (n, 3, 3) of the old joints in its rest pose.
    """
    rest = forward(skeleton, posture)
    joints = []
    for j, joint in enumerate(skeleton.joints):
        parent = int(skeleton.tree.parent[j])
        offset = rest.positions[j] - (rest.positions[parent] if parent >= 0 else 0)
        kind = JointKind.FREE if parent < 0 else JointKind.BALL
        joints.append(Joint(joint.name, joint.parent, kind, turn.apply(offset)))
    tips = [
        Tip(t.name, t.joint, turn.apply(rest.rotation(t.joint) @ t.offset_in_joint))
        for t in skeleton.tips
    ]
    return Skeleton(joints, tips), turn.as_matrix() @ rest.rotations


def arms_down() -> np.ndarray:
    skeleton = human().skeleton
    q = skeleton.rest_configuration.copy()
    for side, sign in (("left", -1), ("right", 1)):
        part = skeleton.q_slice(f"{side}_shoulder")
        q[part] = np.roll(Rotation.from_euler("Z", sign * 70, degrees=True).as_quat(), 1)
        q[skeleton.q_slice(f"{side}_elbow")] = 0.3
    return q


def folded() -> np.ndarray:
    """Every limb along the spine, as in files whose bones all lie on one axis."""
    skeleton = human().skeleton
    q = skeleton.rest_configuration.copy()
    for side, sign in (("left", 1), ("right", -1)):
        for joint, angle in (("shoulder", sign * 90), ("hip", 180)):
            part = skeleton.q_slice(f"{side}_{joint}")
            axis = "Z" if joint == "shoulder" else "X"
            q[part] = np.roll(Rotation.from_euler(axis, angle, degrees=True).as_quat(), 1)
    return q


@pytest.mark.parametrize(
    ("posture", "turn"),
    [
        (arms_down(), Rotation.identity()),
        (arms_down(), Rotation.from_euler("Y", 90, degrees=True)),
        (human().skeleton.rest_configuration, Rotation.from_euler("X", 90, degrees=True)),
        (folded(), Rotation.from_euler("Z", -90, degrees=True)),
    ],
    ids=["arms down", "facing sideways", "z up at rest", "folded"],
)
def test_other_rest_poses_make_no_difference(posture, turn):
    truth = waving(human().skeleton)
    frames = truth.frames()
    skeleton, rest = rested(human().skeleton, posture, turn)
    # the world rotation of a joint, seen from the new rest pose
    world = np.einsum("fjab,jcb->fjac", frames.rotations, rest)
    q = np.tile(skeleton.rest_configuration, (len(truth), 1))
    for j, name in enumerate(skeleton.names):
        parent = int(skeleton.tree.parent[j])
        local = world[:, j] if parent < 0 else world[:, parent].transpose(0, 2, 1) @ world[:, j]
        part = skeleton.q_slice(name)
        q[:, part.stop - 4 : part.stop] = quaternions.from_matrices(local)
    q[:, :3] = frames.position("hips") - skeleton.joints[0].offset_in_parent
    source = Motion(skeleton, q, fps=30.0)
    np.testing.assert_allclose(source.frames().positions, frames.positions, atol=1e-9)
    result = retarget(source, human(), keep_feet=False)
    assert max(worst_direction(source, result, human()).values()) < 1.0
    apart = np.linalg.norm(result.frames().positions - frames.positions, axis=2)
    assert apart.max() < 0.03


@pytest.mark.parametrize("clip", ["arm/124_13", "basic/49_10", "chair/75_19", "pairs/22_04"])
def test_a_captured_motion_keeps_its_directions_and_its_feet(mocap, clip):
    source = load(mocap / f"{clip}.bvh")
    loose = retarget(source, human(), keep_feet=False)
    result = retarget(source, human())
    errors = worst_direction(source, loose, human())
    assert max(errors.values()) < 6.0, errors
    # a straight leg that becomes 1 % shorter bends by 16 degrees: both soles are on the ground
    assert max(worst_direction(source, result, human()).values()) < 12.0
    report = result.source["retarget"]
    assert report["planted_frames"] > 20
    assert report["foot_slide_after_m"] < 0.005 < report["foot_slide_before_m"]
    assert report["off_ground_after_m"] < 0.001 < report["off_ground_before_m"]
    # nothing spins: no joint turns faster than in the source, plus what the hinges need
    fastest = np.abs(steps(source)).max()
    assert np.abs(steps(result)).max() < min(1.2, fastest + 0.4)


def test_locked_feet_do_not_pop(mocap):
    source = load(mocap / "basic/02_06.bvh")
    loose, locked = retarget(source, human(), keep_feet=False), retarget(source, human())
    for foot in ("left_toe", "right_toe"):
        jerk = [
            np.abs(np.diff(m.frames().position(foot), 2, axis=0)).max() for m in (loose, locked)
        ]
        assert jerk[1] < jerk[0] + 0.01
    apart = np.linalg.norm(locked.frames().positions - loose.frames().positions, axis=2)
    assert apart.max() < 0.06


def standing_on(height_m: float) -> Motion:
    """The human at rest, sinking and rising a little, with its hips this much too high."""
    q = np.tile(human().skeleton.rest_configuration, (60, 1))
    q[:, 1] += height_m + 0.01 * np.sin(np.linspace(0.0, 2.0 * np.pi, 60))
    return Motion(human().skeleton, q, 30.0)


def skin_heights(result: Motion) -> np.ndarray:
    """The height of the lowest point of the skin in each frame."""
    frames, skin = result.frames(), human().skin
    assert skin is not None
    return skin.deform(result.skeleton, frames.positions, frames.rotations)[:, :, 1].min(axis=1)


@pytest.mark.parametrize("height_m", [0.04, -0.05])
def test_soles_lie_on_the_ground_that_is_asked_for(height_m: float):
    """A source that hovers or sinks: the skin of the result stands on the ground in all frames."""
    result = retarget(standing_on(height_m), human(), floor_m=0.0)
    assert np.abs(skin_heights(result)).max() < 0.002


@pytest.mark.parametrize("degrees", [35.0, -35.0])
def test_who_stands_on_toes_or_heels_stands_on_the_ground(degrees: float):
    motion = standing_on(0.0)
    turn = quaternions.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.radians(degrees))
    for ankle in ("left_ankle", "right_ankle"):
        motion.q[:, motion.skeleton.q_slice(ankle)] = turn
    result = retarget(motion, human(), floor_m=0.0)
    assert np.abs(skin_heights(result)).max() < 0.002


def test_soles_of_another_body_lie_on_the_ground():
    """Feet twice as thick: the body is higher, its soles are where those of the source were."""
    tall = human()
    skin = tall.skin
    assert skin is not None
    foot = [tall.skeleton.index(f"{s}_{j}") for s in ("left", "right") for j in ("ankle", "toe")]
    vertices = skin.vertices.copy()
    low = np.isin(skin.joints[:, 0], foot) & (vertices[:, 1] < vertices[:, 1].min() + 0.02)
    vertices[low, 1] -= 0.05
    thick_skin = Skin(vertices, skin.triangles, skin.joints, skin.weights, skin.twist)
    thick = replace(tall, skin=thick_skin)
    result = retarget(standing_on(0.0), thick, floor_m=0.0)
    frames = result.frames()
    deformed = thick_skin.deform(result.skeleton, frames.positions, frames.rotations)
    assert np.abs(deformed[:, :, 1].min(axis=1)).max() < 0.002


def test_planted_spans_are_where_the_foot_rests():
    rest, swing = np.zeros((30, 3)), np.zeros((20, 3))
    swing[:, 2] = np.linspace(0, 0.6, 20)
    swing[:, 1] = 0.15 * np.sin(np.linspace(0, np.pi, 20))
    ball = np.concatenate([rest, swing, rest + np.array([0, 0, 0.6])])
    spans = planted_spans(ball, 30.0)
    assert len(spans) == 2
    assert spans[0][0] == 0
    assert abs(spans[0][1] - 30) <= 1
    assert abs(spans[1][0] - 50) <= 1
    assert spans[1][1] == 80


def test_onto_a_file_s_own_skeleton(mocap):
    """From the human back onto a captured skeleton with helpers between the roles."""
    target = figure_of(load(mocap / "basic/02_06.bvh"))
    source = waving(human().skeleton)
    result = retarget(source, target)
    errors = worst_direction(source, result, target)
    assert max(errors[a] for a in errors if "_" in a) < 1.0, errors


def test_a_body_without_limbs_is_refused():
    snake = Skeleton([Joint("hips", None, JointKind.FREE), Joint("tail", "hips", JointKind.BALL)])
    target = figure_of(snake, partial=True)
    with pytest.raises(WritheError, match="left_shoulder"):
        retarget(waving(human().skeleton, 3), target)
