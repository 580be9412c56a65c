"""The pose in which a body touches a seat while it sits down or rises.

The hips are on the seat, the trunk leans forward over the feet, and the forearms are in front of
the body. A motion that passes through this pose sits down while leaning forward and straightens up
on the seat; played backwards it leans forward and then rises.
"""

from __future__ import annotations

import numpy as np

from writhe.animation.body.arm_order import arm_q
from writhe.animation.body.body_model import BodyModel
from writhe.animation.body.turn_joint import turned
from writhe.arrays import Floats
from writhe.kernels.skeleton.mass import centre_of_mass
from writhe.skeleton import JointKind, forward
from writhe.skeleton.configuration_paths import path_rows
from writhe.skeleton.limbs import ANKLES, SIDES

# share of the time of sitting down at which the seat is touched, and of rising at which it is left
SITS_AT, RISES_AT = 0.62, 0.36
# the same if the arms move one after the other on the seat, such as to fold and to unfold
FOLDS_AT, UNFOLDS_AT = 0.51, 0.39
_LEANS_RAD = (0.6, 0.75, 0.9, 1.05)  # of the trunk: the smallest one that suffices for balance
# of the lean: hips, spine and chest add up to 1; the neck turns back, so that the head looks ahead
_PARTS = {"hips": 0.5, "spine": 0.2, "chest": 0.3, "neck": -0.5}
_FORWARD_M = 0.1  # by which the hips are at most nearer to the feet than in the seated key
_LOWEST_SEAT = 0.4  # height of the hips on a seat, relative to their height when standing
_NEAR_M = 0.05  # hips nearer to the feet, over the ground, do not need a lean
# direction of a hanging arm when the seat is touched, from down (0) to ahead (pi / 2)
_UPPER_ARM_RAD, _FOREARM_RAD = 0.1, 1.2
_HANGS = 0.6  # least downward component of the direction of both parts of a hanging arm
_MOVES_RAD = 0.5  # an arm that turns less between the keys keeps its posture
_ARM = ("shoulder", "elbow", "wrist")


def touch_pose(
    body: BodyModel, stand: Floats, seat: Floats, bounds: Floats, share: float
) -> Floats | None:
    """The pose (nq) between a standing and a seated one, or None if there is no such pose.

    bounds (D,): of the centre of mass over the feet, as in `Balance.bounds`. share: of the way from
    standing to sitting at which arms that do not hang are taken from the blend.
    """
    world = body.world
    skeleton = world.skeleton
    hips, feet = world.joint("hips"), [world.joint(role) for role in ANKLES]
    legs = [world.joint(f"{side}_hip") for side in SIDES]
    names = [name for name in (hips, *feet, *legs) if name is not None]
    if hips is None or len(names) < 5 or not _leans(body, [hips, *names[3:]]):
        return None
    seated = forward(skeleton, seat)
    sole = min(float(seated.position(foot)[1]) for foot in names[1:3])
    low = float(seated.position(hips)[1]) - sole
    if low < _LOWEST_SEAT * (float(forward(skeleton, stand).position(hips)[1]) - sole):
        return None
    ahead = np.mean([seated.position(foot) for foot in names[1:3]], axis=0)
    ahead = (ahead - seated.position(hips)) * [1.0, 0.0, 1.0]
    far = float(np.linalg.norm(ahead))
    if far < _NEAR_M:
        return None
    ahead /= far
    left = np.cross([0.0, 1.0, 0.0], ahead)
    swinging = [side for side in SIDES if _swings(body, stand, seat, side)]
    upright = _with_arms(body, stand, seat, swinging, share)
    out, beyond, mass = upright, 0.0, body.mass
    for angle in _LEANS_RAD:
        out = _leant(body, upright, left, angle)
        for side in swinging:
            out = _arm_ahead(body, out, side, ahead, left)
        frames, centre = forward(skeleton, out), np.zeros(3)
        centre_of_mass(frames.positions, frames.rotations, mass.mass, mass.centre, centre)
        beyond = float((mass.directions @ centre[[0, 2]] - bounds).max())
        if beyond <= _FORWARD_M:
            break
    root = skeleton.q_slice(hips).start
    out[root : root + 3] += min(max(beyond, 0.0), _FORWARD_M) * ahead
    return out


def _leans(body: BodyModel, joints: list[str]) -> bool:
    """Whether hips can be turned without their legs: a free root with two ball joints."""
    skeleton = body.world.skeleton
    kinds = [skeleton.joints[skeleton.index(name)].kind for name in joints]
    return kinds == [JointKind.FREE, JointKind.BALL, JointKind.BALL]


def _leant(body: BodyModel, q: Floats, left: Floats, angle: float) -> Floats:
    """The pose with the trunk leaning forward about the lateral axis; the legs stay."""
    world = body.world
    for role, part in _PARTS.items():
        q = turned(world.skeleton, q, world.joint(role), left, part * angle)
    for side in SIDES:
        hip = world.joint(f"{side}_hip")
        q = turned(world.skeleton, q, hip, left, -_PARTS["hips"] * angle)
    return q


def _with_arms(
    body: BodyModel, stand: Floats, seat: Floats, swinging: list[str], share: float
) -> Floats:
    """The seated pose with arms of the standing key if they swing, else of the blend."""
    world, out = body.world, seat.copy()
    between = path_rows(world.skeleton, np.array([stand, seat]), np.array([share]))[0]
    for side in SIDES:
        at = arm_q(body, side)
        if at is not None:
            out[at] = (stand if side in swinging else between)[at]
    return out


def _arm_ahead(body: BodyModel, q: Floats, side: str, ahead: Floats, left: Floats) -> Floats:
    """The pose with a hanging arm held in front of the body."""
    world = body.world
    joints = [world.joint(f"{side}_{part}") or "" for part in _ARM]
    for k, goal in enumerate((_UPPER_ARM_RAD, _FOREARM_RAD)):
        frames = forward(world.skeleton, q)
        along = frames.position(joints[k + 1]) - frames.position(joints[k])
        now = float(np.arctan2(along @ ahead, -along[1]))
        q = turned(world.skeleton, q, joints[k], left, now - goal)
    return q


def _swings(body: BodyModel, stand: Floats, seat: Floats, side: str) -> bool:
    """Whether an arm hangs in the standing pose and is elsewhere in the seated one."""
    world = body.world
    skeleton = world.skeleton
    joints = [name for part in _ARM if (name := world.joint(f"{side}_{part}")) is not None]
    if len(joints) < len(_ARM):
        return False
    frames = forward(skeleton, np.array([stand, seat]))
    points = np.array([frames.position(name)[0] for name in joints])
    along = np.diff(points, axis=0)
    hangs = bool((-along[:, 1] > _HANGS * np.linalg.norm(along, axis=1)).all())
    trunk = frames.rotation(world.joint("chest") or joints[0])
    relative = [frames.rotation(name) for name in joints[:2]]
    turns = [np.trace((trunk[0].T @ turn[0]).T @ (trunk[1].T @ turn[1])) for turn in relative]
    cosine = np.clip(0.5 * (min(turns) - 1.0), -1.0, 1.0)
    return hangs and float(np.arccos(cosine)) > _MOVES_RAD
