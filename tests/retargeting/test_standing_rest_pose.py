"""Files whose rest pose has all bones along one axis and arbitrary joint frames."""

from __future__ import annotations

import numpy as np
import pytest

from generated_characters import SHARED
from writhe import load
from writhe.arrays import Floats
from writhe.retargeting.retarget import retarget
from writhe.skeleton import Joint, JointKind, Motion, Skeleton, Tip, forward, quaternions
from writhe.skeleton.figures import figure

HUMAN = figure("human")


def bow(frames: int = 40) -> Motion:
    """Standing with hanging arms, bending at the waist, and back."""
    skeleton = HUMAN.skeleton
    q = np.tile(skeleton.rest_configuration, (frames, 1))
    angle = 0.5 * (1.0 - np.cos(np.linspace(0.0, 2.0 * np.pi, frames)))
    for name, axis, most in (
        *(("spine", (1, 0, 0), 0.5), ("chest", (1, 0, 0), 0.5), ("neck", (1, 0, 0), 0.3)),
        *(("left_hip", (1, 0, 0), -0.3), ("right_hip", (1, 0, 0), -0.3)),
    ):
        q[:, skeleton.q_slice(name)] = quaternions.from_axis_angle(
            np.array(axis, float), most * angle
        )
    for side, sign in (("left", -1.0), ("right", 1.0)):
        hanging = quaternions.from_axis_angle(np.array([0, 0, 1.0]), sign * (1.2 - 0.3 * angle))
        q[:, skeleton.q_slice(f"{side}_shoulder")] = hanging
    return Motion(skeleton, q, 30.0, "bow")


def with_bones_along_x(motion: Motion) -> Motion:
    """The motion on joints whose first axis is the bone, the others being arbitrary."""
    skeleton, rng = motion.skeleton, np.random.default_rng(3)
    rest = forward(skeleton, skeleton.rest_configuration)
    own: list[Floats] = []
    for j, name in enumerate(skeleton.names):
        children = [k for k in range(len(skeleton)) if skeleton.tree.parent[k] == j]
        tips = [rest.point(t.joint, t.offset_in_joint) for t in skeleton.tips if t.joint == name]
        ends = [rest.positions[k] for k in children] + tips
        bone = (ends[0] if ends else rest.positions[j] + [0, 0.1, 0]) - rest.positions[j]
        side = np.cross(bone, rng.normal(size=3))
        axes = np.stack([bone, side, np.cross(bone, side)], axis=1)
        own.append(axes / np.linalg.norm(axes, axis=0))
    joints, tips = [], []
    for j, joint in enumerate(skeleton.joints):
        parent = int(skeleton.tree.parent[j])
        offset = rest.positions[j] if parent < 0 else rest.positions[j] - rest.positions[parent]
        turned = offset if parent < 0 else own[parent].T @ offset
        kind = JointKind.FREE if parent < 0 else JointKind.BALL
        joints.append(Joint(joint.name, joint.parent, kind, turned))
    for tip in skeleton.tips:
        at = own[skeleton.index(tip.joint)].T @ rest.rotation(tip.joint) @ tip.offset_in_joint
        tips.append(Tip(tip.name, tip.joint, at))
    folded = Skeleton(joints, tips)
    frames = motion.frames()
    world = np.einsum("fjab,jcb,jcd->fjad", frames.rotations, rest.rotations, np.array(own))
    q = np.tile(folded.rest_configuration, (len(motion), 1))
    for j, name in enumerate(folded.names):
        parent = int(folded.tree.parent[j])
        local = world[:, j] if parent < 0 else world[:, parent].transpose(0, 2, 1) @ world[:, j]
        part = folded.q_slice(name)
        q[:, part.stop - 4 : part.stop] = quaternions.from_matrices(local)
    q[:, :3] = frames.position("hips") - folded.joints[0].offset_in_parent
    return Motion(folded, q, motion.fps, motion.name)


def test_a_rest_pose_of_arbitrary_joint_frames_twists_nothing() -> None:
    truth = bow()
    source = with_bones_along_x(truth)
    np.testing.assert_allclose(source.frames().positions, truth.frames().positions, atol=1e-9)
    result = retarget(source, HUMAN, keep_feet=False)
    for name in ("spine", "chest", "neck", "head", "left_clavicle", "right_hip", "left_ankle"):
        between = np.einsum(
            "fab,fac->fbc", result.frames().rotation(name), truth.frames().rotation(name)
        )
        angle = np.degrees(np.arccos(np.clip((np.trace(between, axis1=1, axis2=2) - 1) / 2, -1, 1)))
        assert angle.max() < 12.0, name
    apart = np.linalg.norm(result.frames().positions - truth.frames().positions, axis=2)
    assert apart.max() < 0.03


@pytest.mark.parametrize("name", ["bandai_bow.bvh", "rokoko_jesse.bvh"])
def test_trunks_of_recordings_from_elsewhere_are_not_twisted(name: str) -> None:
    if not (SHARED / name).exists():
        pytest.skip("the characters from elsewhere are not beside this checkout")
    frames = retarget(load(SHARED / name), HUMAN).frames()
    for first, second in (("hips", "chest"), ("chest", "head"), ("chest", "right_clavicle")):
        facing = (frames.rotation(first)[:, :, 2] * frames.rotation(second)[:, :, 2]).sum(axis=1)
        assert np.median(facing) > 0.7, (first, second)
