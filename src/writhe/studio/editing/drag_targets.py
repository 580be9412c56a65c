"""What a drag message asks of the poser: targets, their mirror images, and parts turned alone."""

from __future__ import annotations

import numpy as np

from writhe.animation.mirror import counterpart, heading_of, yaw_matrix
from writhe.arrays import Floats, Vector3, floats, vector3
from writhe.collision import CollisionTable, Gate
from writhe.errors import WritheError
from writhe.hands import hands_of
from writhe.skeleton import Figure, JointKind, forward, quaternions
from writhe.skeleton.kinematics import difference, integrate
from writhe.skeleton.limits import within_limits
from writhe.skeleton.quaternions import quaternion_of, rotation_matrix
from writhe.solvers.posing import Target
from writhe.studio import protocol
from writhe.studio.editing.figure_cache import per_figure
from writhe.studio.editing.scene_builder import FARTHEST_M

_PALM_GAP_M = 0.004  # between a surface and the palm that is laid on it


def target_of(handle: protocol.DragHandle, figure: Figure) -> Target:
    """The target of a handle, checked."""
    names = figure.skeleton.names
    if not 0 <= handle.joint < len(names):
        raise WritheError(f"this figure has no joint number {handle.joint}")
    point = floats(handle.point_in_joint, (3,), "the dragged point")
    position = floats(handle.position_in_world, (3,), "the target position")
    if np.abs(position).max() > FARTHEST_M or np.abs(point).max() > FARTHEST_M:
        raise WritheError("the target position must be within 1000 m of the origin")
    turn = handle.orientation_in_world
    if turn is not None:
        quaternion = floats(turn, (4,), "the orientation")
        norm = float(np.linalg.norm(quaternion))
        if not 0.5 < norm < 2.0:
            raise WritheError("the target orientation must be a unit quaternion")
        w, x, y, z = (float(v) for v in quaternion / norm)
        turn = (w, x, y, z)
    return Target(names[handle.joint], handle.position_in_world, handle.point_in_joint, turn)


def on_closed_hand(figure: Figure, q: Floats, target: Target, wrists: set[str]) -> Target:
    """The target of a finger of a hand that holds something, as one of the hand."""
    skeleton = figure.skeleton
    if target.orientation_in_world is not None:
        return target
    for wrist in wrists & {skeleton.names[j] for j in skeleton.ancestors(target.joint)}:
        if wrist != target.joint:
            frames = forward(skeleton, q)
            point = frames.point(target.joint, target.point_in_joint) - frames.position(wrist)
            point = vector3(frames.rotation(wrist).T @ point)
            return Target(wrist, target.position_in_world, point)
    return target


def on_surface(figure: Figure, target: Target, normal: Vector3 | None) -> Target:
    """The target of a hand on a surface with this normal: its palm there.

    Contacts and postures turn the palm to it. Targets of fingers, of other parts and of figures
    without fingers stay as they are.
    """
    if normal is None or target.orientation_in_world is not None:
        return target
    palm = _palms(figure).get(target.joint)
    if palm is None:
        return target
    out = floats(normal, (3,), "the normal of the surface")
    away = _PALM_GAP_M * out / max(float(np.linalg.norm(out)), 1e-6)
    at = vector3(np.array(target.position_in_world) + away)
    return Target(target.joint, at, palm)


@per_figure
def _palms(figure: Figure) -> dict[str, Vector3]:
    """By wrist, the middle of the palm in its frame."""
    return {hand.wrist: vector3(hand.palm) for hand in hands_of(figure).values()}


Plane = tuple[Floats, Floats]  # a point (3,) and the unit normal (3,)


def sagittal_plane(figure: Figure, q: Floats) -> Plane:
    """The plane that mirrors left and right at q."""
    middle = forward(figure.skeleton, q).positions[0].copy()
    return middle, yaw_matrix(heading_of(figure, q))[:, 0]


def mirror_images(figure: Figure, plane: Plane, targets: list[Target]) -> list[Target]:
    """Targets of the joints on the other side, reflected at a plane.

    A joint on the mid-line, or one whose counterpart is dragged itself, has none.
    """
    skeleton = figure.skeleton
    taken = {target.joint for target in targets}
    rest = forward(skeleton, skeleton.rest_configuration)
    middle, across = plane
    mirror = np.diag([-1.0, 1.0, 1.0])
    out: list[Target] = []
    for target in targets:
        other = counterpart(figure, target.joint)
        if other in taken:
            continue
        point = rest.rotation(target.joint) @ np.array(target.point_in_joint)
        point = rest.rotation(other).T @ mirror @ point
        at = np.array(target.position_in_world)
        at = at - 2.0 * float((at - middle) @ across) * across
        out.append(Target(other, vector3(at), vector3(point)))
    return out


def turned_alone(
    figure: Figure, q: Floats, target: Target, table: CollisionTable, whole: Floats, actor_q: slice
) -> Floats:
    """The pose q (nq) with one joint turned towards an orientation; what is below it turns along.

    Limits of the joint are kept, and the step is taken as far as it is certified. whole: the
    configuration of the model of the table, in which `actor_q` are the figure's entries.
    """
    skeleton = figure.skeleton
    joint = skeleton.joints[skeleton.index(target.joint)]
    assert target.orientation_in_world is not None
    wanted = rotation_matrix(np.array(target.orientation_in_world))
    posed = forward(skeleton, q)
    at, out = skeleton.q_slice(target.joint), q.copy()
    parent = np.eye(3) if joint.parent is None else posed.rotation(joint.parent)
    frame = parent @ skeleton.tree.rest[skeleton.index(target.joint)]
    local = frame.T @ wanted
    if joint.kind is JointKind.HINGE:
        axis = np.asarray(joint.axis)
        w, *part = quaternion_of(local)
        angle = 2.0 * np.arctan2(float(np.array(part) @ axis), w)
        angle = float((angle - q[at.start] + np.pi) % (2.0 * np.pi) - np.pi + q[at.start])
        if joint.limits is not None:
            low, high = float(joint.limits.lower[0]), float(joint.limits.upper[0])
            angle = min(max(angle, low), high)
        out[at] = angle
    elif joint.kind in (JointKind.BALL, JointKind.FREE):
        turn = np.array(quaternion_of(local))
        if joint.limits is not None:
            turn = within_limits(turn, joint.limits)
        before = q[at.stop - 4 : at.stop]
        out[at.stop - 4 : at.stop] = quaternions.normalised(turn if turn @ before >= 0 else -turn)
    goal = whole.copy()
    goal[actor_q] = out
    start = whole.copy()
    start[actor_q] = q
    share = Gate(table).fraction(start, goal)
    return integrate(skeleton, q, share * difference(skeleton, q, out))
