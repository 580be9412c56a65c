"""Starting poses and pins of figures; limbs reset."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats, vector3
from writhe.hands import hand_pose, hands_of
from writhe.skeleton import Figure, JointKind, Skeleton, forward
from writhe.skeleton.heading import heading_of, yaw_matrix
from writhe.skeleton.limbs import ANKLES
from writhe.skeleton.move_root import moved_roots
from writhe.skeleton.quaternions import from_rotation_vectors, quaternion_of
from writhe.studio.document.row_types import PinRow
from writhe.studio.editing.figure_cache import per_figure
from writhe.studio.editing.scene.contact_defaults import clearance

# A relaxed standing pose: arms hanging, elbows and knees slightly bent (a straight knee is
# singular: its bending direction is undefined). Degrees about x, y, z or about the hinge.
_STAND: dict[str, tuple[float, float, float] | float] = {
    "left_elbow": 16.0,
    "right_elbow": 16.0,
    "left_hip": (-5.0, 0.0, 3.0),
    "right_hip": (-5.0, 0.0, -3.0),
    "left_knee": 10.0,
    "right_knee": 10.0,
    "left_ankle": (-5.0, 0.0, -3.0),
    "right_ankle": (-5.0, 0.0, 3.0),
}
# shoulder angles in degrees, tried in this order until the arms are clear of the body
_ARMS_DOWN = (74.0, 70.0, 66.0, 62.0, 58.0, 54.0, 50.0, 46.0, 40.0, 30.0)
_CLEAR_M = 0.003


def _turn(degrees: tuple[float, float, float]) -> Floats:
    """The quaternion of a rotation vector in degrees."""
    return from_rotation_vectors(np.radians(degrees))


def starting_pose(figure: Figure) -> Floats:
    """The initial pose of an actor: relaxed, standing, free of self-penetration."""
    return _starting_pose(figure).copy()


@per_figure
def _starting_pose(figure: Figure) -> Floats:
    skeleton = figure.skeleton
    q = skeleton.rest_configuration.copy()
    if not all(_has_joint(skeleton, name, turn) for name, turn in _STAND.items()):
        return q
    floor = forward(skeleton, q).position(ANKLES[0])[1]
    for name, turn in _STAND.items():
        if isinstance(turn, tuple):
            q[skeleton.q_slice(name)] = _turn(turn)
        else:
            q[skeleton.q_slice(name)] = np.radians(turn)
    q[1] += floor - forward(skeleton, q).position(ANKLES[0])[1]
    for degrees in _ARMS_DOWN:
        q[skeleton.q_slice("left_shoulder")] = _turn((0.0, 0.0, -degrees))
        q[skeleton.q_slice("right_shoulder")] = _turn((0.0, 0.0, degrees))
        if clearance(figure, q) > _CLEAR_M:
            break
    for side in hands_of(figure):
        q = hand_pose(figure, q, side, "relaxed")
    return q


def _has_joint(skeleton: Skeleton, name: str, turn: float | tuple[float, float, float]) -> bool:
    """Whether a joint takes this rotation: three angles for a ball joint, one for a hinge."""
    if name not in skeleton:
        return False
    kind = skeleton.joints[skeleton.index(name)].kind
    return kind is (JointKind.BALL if isinstance(turn, tuple) else JointKind.HINGE)


def pin_here(figure: Figure, q: Floats, joint: str, *, orientation: bool) -> PinRow:
    """A pin that holds a joint where it is at q."""
    frames = forward(figure.skeleton, q)
    turn = quaternion_of(frames.rotation(joint)) if orientation else None
    return PinRow(joint, vector3(frames.position(joint)), turn)


def starting_pins(figure: Figure, q: Floats) -> tuple[PinRow, ...]:
    """Initial pins: both feet in position and orientation, or the root of a figure without feet."""
    roles = dict(figure.roles)
    feet = [roles[role] for role in ANKLES if role in roles]
    if feet:
        return tuple(pin_here(figure, q, joint, orientation=True) for joint in feet)
    return (pin_here(figure, q, figure.skeleton.names[0], orientation=True),)


def between_feet(figure: Figure, q: Floats) -> Floats:
    """(3,) the middle of the ankles."""
    frames = forward(figure.skeleton, q)
    feet = [frames.position(joint) for role, joint in figure.roles if role in ANKLES]
    return np.mean(feet, axis=0)


def standing_here(figure: Figure, q: Floats) -> Floats:
    """The starting pose where the feet are at q, with the heading of q."""
    upright = starting_pose(figure)
    turn = yaw_matrix(heading_of(figure, q) - heading_of(figure, upright))
    away = between_feet(figure, q) - turn @ between_feet(figure, upright)
    return moved_roots(figure.skeleton, upright[None], turn, away)[0]


def limb_of(figure: Figure, joint: str) -> tuple[str, ...]:
    """The joints of the limb that a joint belongs to, with fingers, or everything below it."""
    skeleton = figure.skeleton
    for name, chain in figure.strands:
        names = [n for n in chain if n in skeleton]
        if joint in names and name != "torso":
            first = skeleton.index(names[0])  # with the fingers
            return skeleton.names[first : int(skeleton.tree.subtree_end[first])]
    at = skeleton.index(joint)
    return skeleton.names[at : int(skeleton.tree.subtree_end[at])]


def limb_reset(figure: Figure, q: Floats, joint: str) -> Floats:
    """The pose with one limb back in its starting pose."""
    start, out = starting_pose(figure), q.copy()
    for name in limb_of(figure, joint):
        if figure.skeleton.tree.parent[figure.skeleton.index(name)] >= 0:
            part = figure.skeleton.q_slice(name)
            out[part] = start[part]
    return out
