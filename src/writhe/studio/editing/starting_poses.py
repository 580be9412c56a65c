"""Starting poses and pins of figures; mirrored poses; limbs reset."""

from __future__ import annotations

import re

import numpy as np

from writhe.arrays import Floats, vector3
from writhe.skeleton import Figure, JointKind, Skeleton, forward
from writhe.skeleton.limbs import ANKLES
from writhe.skeleton.quaternions import quaternion_of
from writhe.solvers.posing.controls import moving_root
from writhe.studio.document.rows import PinRow
from writhe.studio.editing.contact_defaults import clearance
from writhe.studio.editing.figure_cache import per_figure

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
_SIDES = (("left", "right"), ("Left", "Right"), ("_l", "_r"), ("_L", "_R"), (".L", ".R"))


def _turn(degrees: tuple[float, float, float]) -> Floats:
    """The quaternion of a rotation vector in degrees."""
    vector = np.radians(np.array(degrees))
    angle = float(np.linalg.norm(vector))
    if angle == 0.0:
        return np.array([1.0, 0.0, 0.0, 0.0])
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * vector / angle])


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


def counterpart(figure: Figure, name: str) -> str:
    """The joint on the other side, by roles or names; the joint itself on the mid-line."""
    skeleton, roles = figure.skeleton, dict(figure.roles)
    for role, joint in figure.roles:
        if joint == name:
            swapped = role.replace("left", "\0").replace("right", "left").replace("\0", "right")
            return roles.get(swapped, name)
    for left, right in _SIDES:
        for mine, other in ((left, right), (right, left)):
            at_end = mine.startswith(("_", "."))
            pattern = re.escape(mine) + ("$" if at_end else "")
            swapped = re.sub(pattern, other, name)
            if swapped != name and swapped in skeleton:
                return swapped
    return name


def mirrored(figure: Figure, q: Floats) -> Floats:
    """The pose mirrored at the body's sagittal plane, at the same place and heading.

    Each joint takes its counterpart's rotation D from rest, reflected: D' = M D M with
    M = diag(-1, 1, 1), after the root's heading is removed. Hinges, whose axes are mirrored, swap
    their angles.
    """
    skeleton = figure.skeleton
    tree = skeleton.tree
    rest = forward(skeleton, skeleton.rest_configuration).rotations
    posed = forward(skeleton, q).rotations
    from_rest = np.einsum("jab,jcb->jac", posed, rest)
    root = skeleton.index(moving_root(figure))
    forwards = from_rest[root] @ np.array([0.0, 0.0, 1.0])
    heading = np.arctan2(forwards[0], forwards[2])
    c, s = np.cos(heading), np.sin(heading)
    yaw = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    mirror = np.diag([-1.0, 1.0, 1.0])
    out = q.copy()
    rotations = np.empty_like(posed)
    for j, joint in enumerate(skeleton.joints):
        other = skeleton.index(counterpart(figure, joint.name))
        at, end = int(tree.q_start[j]), int(tree.q_start[j + 1])
        target = yaw @ mirror @ (yaw.T @ from_rest[other]) @ mirror @ rest[j]
        parent = int(tree.parent[j])
        frame = tree.rest[j] if parent < 0 else rotations[parent] @ tree.rest[j]
        if joint.kind in (JointKind.BALL, JointKind.FREE):
            out[end - 4 : end] = quaternion_of(frame.T @ target)
            rotations[j] = target
            continue
        if end > at:
            out[at:end] = q[tree.q_start[other] : tree.q_start[other + 1]]
        # a hinge can only turn about its axis: its children need its actual rotation
        rotations[j] = forward(skeleton, out).rotations[j]
    return out


def limb_of(figure: Figure, joint: str) -> tuple[str, ...]:
    """The joints of the limb that a joint belongs to: its strand, or everything below it."""
    skeleton = figure.skeleton
    for name, chain in figure.strands:
        names = [n for n in chain if n in skeleton]
        if joint in names and name != "torso":
            return tuple(names)
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
