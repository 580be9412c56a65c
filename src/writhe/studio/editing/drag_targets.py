"""What a drag asks of the poser: targets, their mirror images, what is kept, parts turned alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from writhe.animation.mirror import counterpart
from writhe.arrays import Floats, Vector3, floats, vector3
from writhe.collision import CollisionTable, Gate
from writhe.errors import WritheError
from writhe.skeleton import Figure, JointKind, forward, quaternions
from writhe.skeleton.heading import heading_of, yaw_matrix
from writhe.skeleton.kinematics import difference, integrate
from writhe.skeleton.limits import within_limits
from writhe.skeleton.quaternions import quaternion_of, rotation_matrix, wrapped_angle
from writhe.solvers.posing import Hold, Pin, Target
from writhe.solvers.posing.steps.stepping_poser import SteppingPoser
from writhe.studio import protocol
from writhe.studio.document import Document
from writhe.studio.editing import held_joints
from writhe.studio.editing.dragged_hands import DraggedHands
from writhe.studio.editing.posed_actor import PosedActor
from writhe.studio.editing.scene.scene_builder import FARTHEST_M

Plane = tuple[Floats, Floats]  # a point (3,) and the unit normal (3,)


@dataclass
class Gesture:
    """One drag of an actor, from press to release: what it keeps, and its targets so far."""

    actor: int
    pins: list[Pin | Hold]
    own_holds: list[Hold]  # of the actor, on itself and on what it carries
    hands: DraggedHands
    stepping: SteppingPoser | None = None  # where feet may step
    targets: dict[str, Target] = field(default_factory=dict[str, Target])  # the last of each joint
    _mirror: Plane | None = None  # where the drag is symmetric
    # the joints being dragged, and the soft-pin targets of the others
    _soft: tuple[set[str], list[Target]] = field(default_factory=lambda: (set[str](), []))

    @classmethod
    def begin(
        cls, document: Document, actor: int, posed: PosedActor, pins: Sequence[Pin], time_s: float
    ) -> Gesture:
        """The gesture of an actor in its current pose; pins: its pins at this time."""
        own_holds = held_joints.on_own_tree(document, actor, time_s)
        holding = held_joints.holding_joints(document, actor, time_s)
        in_scene = posed.diagnostics.in_scene
        kept = [*pins, *held_joints.on_fixed(document, actor, time_s)]
        steps = posed.settings.steps and posed.method == "default"
        return cls(
            actor,
            kept,
            own_holds,
            DraggedHands(posed.figure, posed.q, in_scene, holding, own_holds),
            SteppingPoser(posed.poser, posed.q, kept) if steps else None,
        )

    def read(self, message: protocol.Drag, posed: PosedActor) -> list[Target]:
        """The targets of a message, with their mirror images where it is symmetric.

        Relaxed hands on a surface open.
        """
        figure, hands = posed.figure, self.hands
        targets: list[Target] = []
        normals: dict[str, Vector3] = {}
        for handle in message.handles:
            normal = handle.surface_normal
            targets.append(hands.palm_target(posed.q, target_of(handle, figure), normal))
            if normal is not None:
                normals[targets[-1].joint] = normal
        if message.handles[0].alone:
            return targets
        if message.mirrored:
            self._mirror = self._mirror or sagittal_plane(figure, posed.q)
            targets += mirror_images(figure, self._mirror, targets)
            normals = mirrored_normals(figure, self._mirror, normals)
        if normals:
            posed.q = hands.open_on(posed.q, normals)
        return hands.with_orientations(posed.q, targets, normals)

    def finish(self, posed: PosedActor) -> set[str]:
        """End the gesture: the foot on its way lands, opened fingers touch or relax again.

        Returns the joints that have been moved.
        """
        moved = set(self.targets)
        if self.stepping is not None:
            targets = list(self.targets.values())
            posed.q = self.stepping.finish(posed.q, targets, self.constraints(moved))
            moved |= self.stepping.moved
        posed.q = self.hands.close_opened_fingers(posed.q)
        return moved

    def constraints(self, dragged: set[str]) -> list[Pin | Hold]:
        """Pins and holds that stay while these joints are dragged."""
        return [*(pin for pin in self.pins if pin.joint not in dragged), *self.own_holds]

    def soft_targets(self, posed: PosedActor, dragged: set[str]) -> list[Target]:
        """Soft targets for parts placed by earlier drags (default method only).

        They are recomputed from the current pose when other joints are dragged.
        """
        if posed.method != "default" or not posed.settings.soft_pins:
            return []
        if dragged != self._soft[0]:
            pinned = {handle.joint for handle in (*self.pins, *self.own_holds)}
            soft = posed.soft_pins.targets(posed.q, dragged)
            self._soft = (dragged, [t for t in soft if t.joint not in pinned])
        return self._soft[1]


def target_of(handle: protocol.DragHandle, figure: Figure) -> Target:
    """The target of a handle, checked."""
    joint = figure.skeleton.joint_name(handle.joint)
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
    return Target(joint, handle.position_in_world, handle.point_in_joint, turn)


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


def mirrored_normals(
    figure: Figure, plane: Plane, normals: dict[str, Vector3]
) -> dict[str, Vector3]:
    """The normals of the surfaces that hands are dragged onto, with those of the mirror images."""
    across = plane[1]
    images: dict[str, Vector3] = {}
    for joint, normal in normals.items():
        out = np.array(normal)
        images[counterpart(figure, joint)] = vector3(out - 2.0 * float(out @ across) * across)
    return images | normals


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
        angle = wrapped_angle(angle - q[at.start]) + float(q[at.start])
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
