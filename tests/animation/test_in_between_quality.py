"""Between keys: limits and balance are kept, and every span ends in its keys."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from writhe.animation import AnimateOptions, AnimationStatus, Key, KeyBlend, animate
from writhe.animation.body.turn_joint import turned
from writhe.arrays import Floats
from writhe.hands import hand_pose
from writhe.kernels.animation.key_blend import key_steps
from writhe.kernels.skeleton.mass import centre_of_mass
from writhe.postures.builtin.pose_setting import PoseSetting
from writhe.postures.preset_poses import posture_of, preset_pose, relative_to_object
from writhe.skeleton import Figure, Motion, forward
from writhe.skeleton.configuration_paths import path_rows
from writhe.skeleton.figures import figure
from writhe.skeleton.limits import limit_excess
from writhe.solvers.posing.support_polygon import distance_outside, support_polygon

SEAT_M = 0.08  # hips nearer than this to their height on the seat are about to touch it


def preset(name: str, library: str = "basic") -> Floats:
    database, number = preset_pose(library, name)
    if library == "chair":
        return relative_to_object(database, number, np.array([0, 0, 0, 1.0, 0, 0, 0]))
    return database.q[number].copy()


def worst_excess(human: Figure, rows: Floats) -> float:
    """The largest angle beyond a joint limit, rad."""
    skeleton = human.skeleton
    return max(max(limit_excess(skeleton, q).values(), default=0.0) for q in rows)


def test_an_arm_goes_where_its_joint_allows_it(human: Figure):
    """The shortest rotation between two postures of a shoulder is 85 degrees beyond its limits."""
    start, goal = (human.skeleton.rest_configuration.copy() for _ in range(2))
    shoulder = human.skeleton.q_slice("left_shoulder")
    start[shoulder], goal[shoulder] = [0.6, -0.7, 0.16, -0.35], [0.63, 0.42, -0.56, 0.34]
    for q in (start, goal):
        q[shoulder] /= np.linalg.norm(q[shoulder])
    shortest = path_rows(human.skeleton, np.array([start, goal]), np.linspace(0.0, 1.0, 9))
    assert worst_excess(human, shortest) > 1.4
    found = animate(human, [Key(0.0, start), Key(1.0, goal)], fps=30.0, pins=(), floor=False)
    assert found.status is AnimationStatus.DONE
    assert worst_excess(human, found.motion.q) < 1e-3


def test_a_span_with_pins_ends_exactly_in_its_keys(human: Figure):
    """One leg is free: solved from the first key alone, it ended in another pose than the key."""
    keys = [Key(0.0, preset("bow deep")), Key(1.5, preset("quad stretch"))]
    found = animate(human, keys, fps=30.0)
    assert len(found.pins) == 1
    assert found.certificate.certified
    moved = max((key.distance_m for key in found.moved_keys), default=0.0)
    for frame, key in ((0, keys[0]), (-1, keys[1])):
        q = np.array([found.motion.q[frame], np.asarray(key.q)])
        ends = forward(human.skeleton, q).positions
        assert np.abs(ends[0] - ends[1]).max() <= moved + 1e-6
    steps = np.linalg.norm(np.diff(found.motion.frames().positions, axis=0), axis=2).max(axis=1)
    assert steps[-1] < 1.5 * steps.max(initial=0.0, where=np.arange(len(steps)) < len(steps) - 1)


def off_feet_m(human: Figure, motion: Motion) -> Floats:
    """(F,) distance of the centre of mass from the support polygon of the feet, over the ground."""
    skeleton, out = human.skeleton, np.zeros(len(motion))
    for f, q in enumerate(motion.q):
        frames, centre = forward(skeleton, q), np.zeros(3)
        centre_of_mass(
            frames.positions, frames.rotations, skeleton.mass, skeleton.centre_of_mass, centre
        )
        out[f] = distance_outside(support_polygon(human, frames), centre[[0, 2]])
    return out


def test_the_body_leans_forward_to_sit_down_and_to_stand_up(human: Figure):
    chair = PoseSetting(human, "chair").layout.scene
    stand, sit = preset("stand before chair", "chair"), preset("sit, arms folded", "chair")
    keys = [Key(0.0, stand), Key(1.5, sit), Key(2.0, sit), Key(3.5, stand)]
    found = animate(chair, keys, fps=30.0)
    assert found.status is AnimationStatus.DONE
    seated = found.motion.q[45, 1]
    on_feet = found.motion.q[:, 1] > seated + SEAT_M
    assert on_feet.sum() > 40
    assert off_feet_m(human, found.motion)[on_feet].max() < 0.03
    tipping = animate(chair, keys, fps=30.0, options=AnimateOptions(balance=False))
    on_feet = tipping.motion.q[:, 1] > seated + SEAT_M
    assert off_feet_m(human, tipping.motion)[on_feet].max() > 0.22
    # it leans: halfway up, the head is well ahead of the hips
    frames = found.motion.frames()
    half = int(np.argmin(np.abs(found.motion.q[45:, 1] - 0.5 * (seated + stand[1])))) + 45
    ahead = frames.position("head")[:, 2] - frames.position("hips")[:, 2]
    assert ahead[half] > ahead[0] + 0.15


def test_the_head_goes_ahead_of_the_hips_when_the_body_rises(human: Figure):
    chair = PoseSetting(human, "chair").layout.scene
    stand, sit = preset("stand before chair", "chair"), preset("sit, arms folded", "chair")
    found = animate(chair, [Key(0.0, sit), Key(1.5, stand)], fps=30.0)
    head, hips = (found.motion.frames().position(joint) for joint in ("head", "hips"))
    assert hips[7, 1] - hips[0, 1] < 0.03
    assert head[12, 2] - head[0, 2] > hips[12, 2] - hips[0, 2] + 0.3


def pitch_degrees(motion: Motion) -> Floats:
    """(F,) forward lean of the trunk of a body that faces +z."""
    frames = motion.frames()
    trunk = frames.position("chest") - frames.position("hips")
    return np.degrees(np.arctan2(trunk[:, 2], trunk[:, 1]))


def test_the_trunk_leans_until_the_seat_is_touched_and_then_straightens_up(human: Figure):
    chair = PoseSetting(human, "chair").layout.scene
    stand, sit = preset("stand before chair", "chair"), preset("sit, arms folded", "chair")
    found = animate(chair, [Key(0.0, stand), Key(2.0, sit)], fps=30.0)
    lean, hips = pitch_degrees(found.motion), found.motion.q[:, 1]
    touches = int(np.argmax(hips < sit[1] + 0.04))
    assert lean.max() > 25.0
    assert lean[touches] > 0.9 * lean.max()
    upright = int(np.argmax(lean[touches:] < 5.0))
    assert upright / 30.0 > 0.4
    assert np.abs(np.diff(lean)).max() * 30.0 < 100.0


def test_arms_fold_on_a_seat_without_a_detour_and_above_the_thighs() -> None:
    body = figure("human_with_fingers")
    chair = PoseSetting(body, "chair").layout.scene
    place = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    start = body.skeleton.rest_configuration
    for side in ("left", "right"):
        start = hand_pose(body, start, side, "relaxed")
    stand, sit = (
        posture_of(body, "chair", name, start, place)
        for name in ("stand before chair", "sit, arms folded")
    )
    keys = [Key(0.0, stand), Key(3.0, sit), Key(6.0, stand)]
    found = animate(chair, keys, fps=30.0, options=AnimateOptions(plan=False))
    assert found.status is AnimationStatus.DONE
    for side in ("left", "right"):  # unhurried, without a hard stop at the key
        speed = 30.0 * np.linalg.norm(
            np.diff(found.motion.frames().position(f"{side}_wrist"), axis=0), axis=1
        )
        assert speed.max() < 1.5
        assert speed[87:91].max() < 0.7
    assert found.certificate.certified
    frames = found.motion.frames()
    for side in ("left", "right"):
        wrist, knee = (frames.position(f"{side}_{joint}") for joint in ("wrist", "knee"))
        over = wrist[:, 2] < knee[:, 2]  # behind the knees, so over the thighs, of a seated body
        seated = frames.position("hips")[:, 1] < sit[1] + 0.1
        assert (wrist[over & seated, 1] > knee[over & seated, 1] + 0.1).all()


def test_an_arm_that_keeps_its_posture_stays_folded_while_the_body_sits_down(human: Figure):
    chair = PoseSetting(human, "chair").layout.scene
    stand = preset("stand before chair folded", "chair")
    sit = preset("sit, arms folded", "chair")
    found = animate(chair, [Key(0.0, stand), Key(2.0, sit)], fps=30.0)
    frames = found.motion.frames()
    reach = frames.position("left_wrist") - frames.position("chest")
    assert np.linalg.norm(reach, axis=1).max() < 0.4


def test_the_body_leans_with_every_easing(human: Figure):
    chair = PoseSetting(human, "chair").layout.scene
    stand, sit = preset("stand before chair", "chair"), preset("sit, arms folded", "chair")
    for ease in ("linear", "ease_in_out"):
        found = animate(chair, [Key(0.0, stand, ease), Key(2.0, sit)], fps=30.0)
        assert pitch_degrees(found.motion).max() > 25.0


def test_a_detour_takes_its_time(human: Figure):
    """No joint of a detour turns much faster than in the blend of the keys."""
    chair = PoseSetting(human, "chair").layout.scene
    start = preset("sit ankle on knee, hands in lap", "chair")
    goal = preset("sit ankles crossed, hands in lap", "chair")
    keys = [Key(0.0, start), Key(1.5, goal)]
    found = animate(chair, keys, fps=30.0)
    assert found.planned and found.certificate.certified
    blend = KeyBlend(human.skeleton, np.array([0.0, 1.5]), np.stack([start, goal]), ("smooth",) * 2)
    usual = largest_turn(human, blend.sample(np.arange(46) / 30.0))
    assert largest_turn(human, found.motion.q) < 1.2 * usual


def test_a_key_that_overlaps_moves_out_if_it_may_and_the_first_one_stays(human: Figure):
    stand = preset("stand")
    inwards = turned(human.skeleton, stand, "left_shoulder", np.array([0.0, 0.0, 1.0]), -0.3)
    keys = [Key(0.0, stand), Key(1.0, inwards)]
    options = AnimateOptions(plan=False, clear_keys=True)
    left_there = animate(human, keys, fps=30.0, options=replace(options, clear_keys=False))
    assert not left_there.certificate.certified
    found = animate(human, keys, fps=30.0, options=options)
    assert found.certificate.certified
    np.testing.assert_array_equal(found.motion.q[0], stand)


def largest_turn(human: Figure, rows: Floats) -> float:
    """The largest rotation of a joint from one row (nq) to the next, rad."""
    steps = np.zeros((len(rows) - 1, human.skeleton.dof_count))
    key_steps(human.skeleton.tree, np.ascontiguousarray(rows), steps)
    return float(np.abs(steps * human.skeleton.tree.dof_turns).max())
