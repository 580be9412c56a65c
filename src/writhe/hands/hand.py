"""The hand of a figure: its finger joints by role, the axes they bend about, and its palm.

Everything is read from the rest pose, so that a hand of any recognised character can be posed. The
palm is spanned by the wrist and the knuckles of the outermost fingers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from writhe.arrays import Floats
from writhe.errors import UnknownNameError, WritheError
from writhe.recognition import recognise
from writhe.recognition.roles import FINGERS
from writhe.skeleton import Figure, JointKind, Skeleton, forward, quaternions
from writhe.skeleton.limbs import SIDES
from writhe.skeleton.limits import within_limits

# where the thumb bends to: components along the fingers, out of the palm, towards the thumb's side
_THUMB_BENDS_TO = (0.25, 0.45, -0.75)
_PALM_REACH = 0.55  # of the way from the wrist to the knuckles: the middle of the palm


@dataclass(frozen=True)
class Finger:
    """A finger: joints from the knuckle on; axes are unit vectors in the joints' frames.

    A positive angle about `bend_axes` flexes the finger, one about `spread_axis` moves it towards
    the thumb's side. `rest_rad` is the flexion of each joint in the rest pose.
    """

    name: str
    joints: tuple[str, ...]
    bend_axes: Floats  # (k, 3)
    spread_axis: Floats  # (3,)
    rest_rad: Floats  # (k,)


@dataclass(frozen=True)
class Hand:
    """A hand of a figure.

    `axes` (3, 3) has as columns, in the frame of the wrist, the directions along the fingers, out
    of the palm and towards the thumb's side; `palm` (3,) is the middle of the palm's surface.
    """

    side: str
    wrist: str
    fingers: tuple[Finger, ...]
    axes: Floats
    palm: Floats
    length_m: float  # from the wrist to the knuckle of the middle finger

    @property
    def joints(self) -> tuple[str, ...]:
        """All joints of the fingers."""
        return tuple(joint for finger in self.fingers for joint in finger.joints)

    def finger(self, name: str) -> Finger:
        """A finger by name."""
        for finger in self.fingers:
            if finger.name == name:
                return finger
        raise UnknownNameError("finger", name, [f.name for f in self.fingers])


def hands_of(figure: Figure) -> dict[str, Hand]:
    """The hands of a figure that have fingers, by side."""
    found = {
        side: _hand(figure.skeleton, side, dict(figure.roles).get(f"{side}_wrist", ""))
        for side in SIDES
    }
    return {side: _with_palm(figure, hand) for side, hand in found.items() if hand is not None}


def hand_of(figure: Figure, side: str) -> Hand:
    """A hand of a figure by its side, `left` or `right`."""
    if side not in SIDES:
        raise UnknownNameError("hand", side, list(SIDES))
    hands = hands_of(figure)
    if side not in hands:
        raise WritheError(
            f"{figure.name!r} has no {side} hand with fingers: use figure('human_with_fingers'), or"
            " a character with finger joints (`writhe character FILE` lists what was recognised)"
        )
    return hands[side]


@lru_cache(maxsize=64)
def _hand(skeleton: Skeleton, side: str, wrist: str) -> Hand | None:
    if not wrist:
        return None
    match = _roles(skeleton)
    chains: dict[str, tuple[str, ...]] = {}
    for name in FINGERS:
        roles = [f"{side}_{name}_{i}" for i in (1, 2, 3)]
        chain = tuple(match[r] for r in roles if r in match)
        if chain:
            chains[name] = chain
    knuckles = [chains[n][0] for n in FINGERS[1:] if n in chains]
    if len(knuckles) < 2:
        return None
    rest = forward(skeleton, skeleton.rest_configuration)
    at = {name: rest.positions[j] for j, name in enumerate(skeleton.names)}
    first, last = at[knuckles[0]] - at[wrist], at[knuckles[-1]] - at[wrist]
    out = np.cross(last, first) if side == "left" else np.cross(first, last)
    middle = chains.get("middle", chains.get("index", (knuckles[0],)))[0]
    along = at[middle] - at[wrist]
    length = float(np.linalg.norm(along))
    axes = _axes(along, out, at[knuckles[0]] - at[knuckles[-1]])
    fingers = tuple(
        _finger(skeleton, name, chain, axes, rest.positions, rest.rotations)
        for name, chain in chains.items()
    )
    turn = rest.rotation(wrist)
    return Hand(side, wrist, fingers, turn.T @ axes, np.zeros(3), length)


@lru_cache(maxsize=64)
def _roles(skeleton: Skeleton) -> dict[str, str]:
    return recognise(skeleton).roles


def _axes(along: Floats, out: Floats, across: Floats) -> Floats:
    """Orthonormal columns: along the fingers, out of the palm, towards the thumb's side."""
    x = along / np.linalg.norm(along)
    y = out - x * (x @ out)
    y /= np.linalg.norm(y)
    z = np.cross(x, y)
    return np.stack([x, y, z if z @ across > 0 else -z], axis=1)


def _finger(
    skeleton: Skeleton,
    name: str,
    chain: tuple[str, ...],
    axes: Floats,
    positions: Floats,
    rotations: Floats,
) -> Finger:
    points = [positions[skeleton.index(j)] for j in chain]
    points.append(_tip(skeleton, chain[-1], points, rotations))
    bones = np.diff(np.array(points), axis=0)
    bones /= np.maximum(np.linalg.norm(bones, axis=1, keepdims=True), 1e-9)
    towards = axes @ np.array(_THUMB_BENDS_TO) if name == "thumb" else axes[:, 1]
    bend = np.cross(bones[0], towards)
    bend /= np.linalg.norm(bend)
    spread = np.cross(bones[0], axes[:, 2])
    spread -= bend * (spread @ bend)
    spread /= np.linalg.norm(spread)
    before = np.vstack([_straight(axes, bend) if name != "thumb" else bones[0], bones[:-1]])
    flexion = [
        float(np.arctan2(np.cross(a, b) @ bend, a @ b)) for a, b in zip(before, bones, strict=True)
    ]
    turns = [rotations[skeleton.index(j)] for j in chain]
    return Finger(
        name,
        chain,
        np.array([turn.T @ bend for turn in turns]),
        turns[0].T @ spread,
        np.array(flexion),
    )


def _straight(axes: Floats, bend: Floats) -> Floats:
    """The direction of a straight finger: along the palm, in the plane that it bends in."""
    flat = axes[:, 0] - bend * (axes[:, 0] @ bend)
    return flat / np.linalg.norm(flat)


def _tip(skeleton: Skeleton, last: str, points: list[Floats], rotations: Floats) -> Floats:
    """The end of the last phalanx: a tip, a joint below it, or on along the bone before."""
    j = skeleton.index(last)
    for tip in skeleton.tips:
        if tip.joint == last and np.linalg.norm(tip.offset_in_joint) > 1e-4:
            return points[-1] + rotations[j] @ np.asarray(tip.offset_in_joint)
    for child in skeleton.children(last):
        offset = np.asarray(skeleton.joints[child].offset_in_parent)
        if np.linalg.norm(offset) > 1e-4:
            return points[-1] + rotations[j] @ offset
    if len(points) < 2:
        return points[-1] + np.array([1e-3, 0.0, 0.0])
    return points[-1] + 0.8 * (points[-1] - points[-2])


def _with_palm(figure: Figure, hand: Hand) -> Hand:
    """The hand with the middle of its palm on the surface of the hand's capsules."""
    from dataclasses import replace

    along, out = hand.axes[:, 0], hand.axes[:, 1]
    middle = _PALM_REACH * hand.length_m * along
    height = 0.0
    for capsule in figure.capsules:
        if capsule.joint != hand.wrist:
            continue
        for share in np.linspace(0.0, 1.0, 9):
            centre = capsule.start_in_joint + share * (
                capsule.end_in_joint - capsule.start_in_joint
            )
            aside = centre - middle
            flat = aside - out * (aside @ out)
            beyond = capsule.radius_m**2 - float(flat @ flat)
            if beyond > 0.0:
                height = max(height, float(aside @ out) + beyond**0.5)
    return replace(hand, palm=middle + height * out)


def set_finger(
    skeleton: Skeleton,
    q: Floats,
    finger: Finger,
    bend_rad: Floats,
    spread_rad: float = 0.0,
    *,
    prefix: str = "",
) -> None:
    """Bend a finger in q (nq,): flexion (k,) of its joints, straight is 0, and spread.

    Angles stay within the limits of the joints; `prefix` is that of the actor's joints in a scene.
    """
    for i, name in enumerate(prefix + joint for joint in finger.joints):
        joint, at = skeleton.joints[skeleton.index(name)], skeleton.q_slice(name)
        angle = float(bend_rad[i] - finger.rest_rad[i])
        if joint.kind is JointKind.HINGE:
            angle *= float(np.sign(np.asarray(joint.axis) @ finger.bend_axes[i]))
            if joint.limits is not None:
                angle = min(max(angle, float(joint.limits.lower[0])), float(joint.limits.upper[0]))
            q[at] = angle
        elif joint.kind is JointKind.BALL:
            turn = quaternions.from_axis_angle(finger.bend_axes[i], np.asarray(angle))
            if i == 0:
                aside = quaternions.from_axis_angle(finger.spread_axis, np.asarray(spread_rad))
                turn = quaternions.multiply(aside, turn)
            q[at] = turn if joint.limits is None else within_limits(turn, joint.limits)
