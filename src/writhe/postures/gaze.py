"""The gaze follows a hand: neck and head turn part of the way towards a point."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton import Figure, JointKind, forward, quaternions
from writhe.skeleton.limits import within_limits
from writhe.skeleton.quaternions import quaternion_of

_SHARE = 0.6  # of the angle to the point
_MAX_RAD = (0.8, 0.55)  # by which the head is turned aside, and up or down
_SEEN_RAD = 1.9  # points farther aside than this are not looked at


def gaze_joints(figure: Figure) -> tuple[str, ...]:
    """Neck and head of a figure; empty if it has none that turn freely."""
    roles, skeleton = dict(figure.roles), figure.skeleton
    found = tuple(roles[role] for role in ("neck", "head") if role in roles)
    kinds = {skeleton.joints[skeleton.index(joint)].kind for joint in found}
    return found if len(found) == 2 and kinds == {JointKind.BALL} else ()


def looking_at(figure: Figure, q: Floats, point: Floats, step_rad: float = np.pi) -> Floats:
    """The pose q (nq) with neck and head turned towards a point of the world (3,).

    The head turns by 60 % of the angles, aside and up or down, by which the point is away from
    straight ahead of the chest; neck and head share them. step_rad: the most by which a joint turns
    in this call, so that the head follows smoothly. A figure without these joints, or a point
    behind the body, leaves q as it is.
    """
    joints, skeleton = gaze_joints(figure), figure.skeleton
    if not joints:
        return q
    frames, rest = forward(skeleton, q), forward(skeleton, skeleton.rest_configuration)
    chest = skeleton.joints[skeleton.index(joints[0])].parent
    assert chest is not None
    trunk = frames.rotation(chest) @ rest.rotation(chest).T
    direction = trunk.T @ (np.asarray(point) - frames.position(joints[1]))
    aside, up = (
        float(np.arctan2(direction[0], direction[2])),
        float(np.arctan2(direction[1], np.hypot(*direction[::2]))),
    )
    if abs(aside) > _SEEN_RAD:
        return q
    aside, up = (
        float(np.clip(_SHARE * a, -m, m)) for a, m in zip((aside, up), _MAX_RAD, strict=True)
    )
    out = q.copy()
    above = frames.rotation(chest)
    for joint, share in zip(joints, (0.5, 1.0), strict=True):
        wanted = trunk @ _turn(share * aside, share * up) @ rest.rotation(joint)
        j = skeleton.index(joint)
        base = above @ skeleton.tree.rest[j]
        turn, limits = np.array(quaternion_of(base.T @ wanted)), skeleton.joints[j].limits
        if limits is not None:
            turn = within_limits(turn, limits)
        at = skeleton.q_slice(joint)
        out[at] = _towards(q[at], turn, step_rad)
        above = base @ quaternions.rotation_matrix(out[at])
    return out


def head_towards(figure: Figure, q: Floats, goal: Floats, step_rad: float) -> Floats:
    """The pose q (nq) with neck and head turned by up to step_rad towards those of goal (nq)."""
    out = q.copy()
    for joint in gaze_joints(figure):
        at = figure.skeleton.q_slice(joint)
        out[at] = _towards(q[at], goal[at], step_rad)
    return out


def _turn(aside: float, up: float) -> Floats:
    """The rotation (3, 3) that turns +Z aside, towards +X, and up."""
    c, s = np.cos(aside), np.sin(aside)
    e, f = np.cos(up), np.sin(up)
    yaw = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    return yaw @ np.array([[1.0, 0.0, 0.0], [0.0, e, f], [0.0, -f, e]])


def _towards(now: Floats, goal: Floats, step_rad: float) -> Floats:
    """The rotation (4,) between the two that is at most step_rad away from the first."""
    goal = goal if now @ goal >= 0.0 else -goal
    angle = 2.0 * float(np.arccos(np.clip(now @ goal, -1.0, 1.0)))
    share = min(1.0, step_rad / max(angle, 1e-9))
    return quaternions.normalised((1.0 - share) * now + share * goal)
