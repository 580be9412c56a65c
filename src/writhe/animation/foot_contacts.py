"""Foot contacts found in keys and clips, returned as pins with time ranges.

How `animate` keeps the pins: `animation.pins`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from writhe.animation.key_interpolation import Key, check_keys
from writhe.animation.pins import TimedPin
from writhe.arguments import checked
from writhe.arrays import Floats
from writhe.planning.ground_assumptions import floor_height
from writhe.retargeting.planted_feet import planted_spans
from writhe.skeleton import Figure, JointKind, Motion, forward
from writhe.skeleton.limbs import ANKLES, FEET
from writhe.skeleton.move_root import moved_roots
from writhe.skeleton.quaternions import angle_of
from writhe.solvers.posing import pin_here

SHARED_M = 0.2  # a foot that differs by less between two keys stays where it is
SHARED_RAD = 0.7
NEAR_M = 0.4  # feet of a pose farther from those of the previous key than this take a step
ABOVE_FLOOR_M = 0.04  # the lowest point of a standing foot, above the lowest of the keys
_ROLLS_M = 0.012  # an ankle that moves farther while the ball of the foot is planted lifts the heel


@checked
def detect_contacts(figure: Figure, source: Sequence[Key] | Motion) -> tuple[TimedPin, ...]:
    """Pins of the feet that stand on the floor in keys, or in a clip.

    In keys, a foot that is on the floor at about the same place in successive keys is pinned from
    the first of them to the last. In a clip, a foot is pinned while it stands still.
    """
    if isinstance(source, Motion):
        return _in_clip(figure, source)
    return contacts_of_keys(figure, *check_keys(figure.skeleton, source))


def contacts_of_keys(figure: Figure, times_s: Floats, poses: Floats) -> tuple[TimedPin, ...]:
    """Pins of the feet that stay on the floor from one key to the next.

    times_s (k,), poses (k, nq). A foot that is on the floor at about the same place in successive
    keys is pinned from the first of them to the last, where it is in the first.
    """
    skeleton, roles = figure.skeleton, dict(figure.roles)
    standing = [floor_height(figure, q, q) for q in poses]
    heights = [h for h in standing if h is not None]
    if not heights:
        return ()
    floor = min(heights)
    out: list[TimedPin] = []
    frames = forward(skeleton, poses)
    for role in ANKLES:
        joint = roles.get(role)
        if joint is None:
            continue
        lowest = foot_heights(figure, joint, poses)
        on_floor = lowest < floor + ABOVE_FLOOR_M
        start = 0
        for k, (a, b) in enumerate(pairwise(range(len(poses)))):
            apart = np.linalg.norm(frames.position(joint)[a] - frames.position(joint)[b])
            angle = angle_of(frames.rotation(joint)[a].T @ frames.rotation(joint)[b])
            same = on_floor[a] and on_floor[b] and apart < SHARED_M and angle < SHARED_RAD
            if not same:
                if k > start:
                    out.append(_pin(figure, joint, times_s, poses, start, k))
                start = b
        if len(poses) - 1 > start:
            out.append(_pin(figure, joint, times_s, poses, start, len(poses) - 1))
    return tuple(out)


def _in_clip(figure: Figure, motion: Motion) -> tuple[TimedPin, ...]:
    """Pins of the feet that stand still on the floor in a clip.

    The whole foot is pinned where the ankle rests too, else the ball of the foot.
    """
    roles, frames = dict(figure.roles), motion.frames()
    out: list[TimedPin] = []
    for ankle_role, toe_role in FEET:
        ankle, toe = roles.get(ankle_role), roles.get(toe_role)
        if ankle is None:
            continue
        ball = frames.position(toe or ankle)
        for first, stop in planted_spans(ball, motion.fps):
            middle = (first + stop) // 2
            moved = np.ptp(frames.position(ankle)[first:stop], axis=0).max()
            joint = ankle if toe is None or moved < _ROLLS_M else toe
            pin = pin_here(figure.skeleton, motion.q[middle], joint, orientation=joint == ankle)
            out.append(TimedPin(pin, first / motion.fps, (stop - 1) / motion.fps))
    return tuple(out)


def foot_heights(figure: Figure, ankle: str, poses: Floats) -> Floats:
    """(k,) height of the lowest point of the shapes of a foot, toes included."""
    skeleton = figure.skeleton
    first = skeleton.index(ankle)
    below = range(first, int(skeleton.tree.subtree_end[first]))
    frames = forward(skeleton, poses)
    lowest = np.full(len(poses), np.inf)
    for capsule in figure.capsules:
        if skeleton.index(capsule.joint) in below:
            for end in (capsule.start_in_joint, capsule.end_in_joint):
                height = frames.point(capsule.joint, end)[:, 1] - capsule.radius_m
                lowest = np.minimum(lowest, height)
    return lowest


def _pin(
    figure: Figure, joint: str, times_s: Floats, poses: Floats, first: int, last: int
) -> TimedPin:
    pin = pin_here(figure.skeleton, poses[first], joint, orientation=True)
    return TimedPin(pin, float(times_s[first]), float(times_s[last]))


def with_feet_near(figure: Figure, q: Floats, before: Floats) -> Floats:
    """The pose q (nq) translated horizontally so that its standing feet are near those of `before`.

    Unchanged unless both poses stand on the same feet, less than `NEAR_M` apart.
    """
    skeleton, poses = figure.skeleton, np.stack([before, q])
    floor = [floor_height(figure, pose, pose) for pose in poses]
    feet = [joint for role, joint in figure.roles if role in ANKLES]
    if None in floor or not feet or skeleton.joints[0].kind is not JointKind.FREE:
        return q
    frames = forward(skeleton, poses)
    away = np.mean([frames.position(foot)[0] - frames.position(foot)[1] for foot in feet], axis=0)
    on_floor = all(
        foot_heights(figure, foot, poses)[k] < (floor[k] or 0.0) + ABOVE_FLOOR_M
        for foot in feet
        for k in range(2)
    )
    if not on_floor or float(np.hypot(away[0], away[2])) > NEAR_M:
        return q
    return moved_roots(skeleton, q[None], np.eye(3), np.array([away[0], 0.0, away[2]]))[0]
