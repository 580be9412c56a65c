"""Holds at places on surfaces: where a hand lies, how its palm faces, whether it touches.

`writhe.Hold` is the constraint. `hold_on` makes one from a place on the surface of a part,
`hold_terms` are its terms for solvers other than the posers, `hold_state` measures it in a
configuration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from writhe.arguments import checked
from writhe.arrays import Floats, floats, vector3
from writhe.collision import CollisionTable, ContactPolicy, NearPairs, Shape
from writhe.collision.shapes import Core, from_capsule
from writhe.errors import WritheError
from writhe.hands.hand import Hand, hands_of
from writhe.quantities import Direction, Point
from writhe.scene import Scene
from writhe.skeleton import Frames, Joint, JointKind, Skeleton, forward
from writhe.skeleton.configurations import configuration
from writhe.skeleton.quaternions import angle_of, quaternion_of, rotation_matrix
from writhe.solvers.posing import Hold
from writhe.terms import Term

HOLD_TOUCHES_M = 0.006  # parts nearer than this touch
_FAR_M = 10.0


@dataclass(frozen=True)
class HoldState:
    """How a configuration meets a hold.

    `apart_m` is the distance of the held point from its place, `turned_rad` the angle from the
    orientation (0 without one), `gap_m` the least gap between what is held together (negative:
    overlap), `facing` the cosine between the palm and the direction to the surface (None for a
    part that is no hand; 1: the palm faces what it holds).
    """

    apart_m: float
    turned_rad: float
    gap_m: float
    facing: float | None

    @property
    def touching(self) -> bool:
        """Whether the two parts touch."""
        return self.gap_m < HOLD_TOUCHES_M


@checked
def hold_on(
    scene: Scene,
    q: Floats,
    actor: str,
    joint: str,
    on: str,
    *,
    at: ArrayLike | None = None,
    side: ArrayLike | None = None,
    fingers: ArrayLike | None = None,
    clear_m: float = 0.0,
) -> Hold:
    """The hold of a joint laid on the surface of a part: palm, sole or bone against it.

    on: a joint of the actor, of another one ("ben.neck"), or an object. Where on its surface: next
    to the point `at`, or farthest towards the direction `side`, both in the frame of `on` ((0, 0,
    -1) is the back of a person); by default where it is nearest to the joint at q. A hand with
    fingers lies with its palm on the surface, its fingers along `fingers` (in the frame of `on`;
    by default as they point at q). clear_m lifts it off the surface.
    """
    layout = scene.layout
    frames = forward(layout.skeleton, configuration(layout.skeleton, q))
    other = _name_in_layout(scene, actor, on)
    base = frames.rotation(other)
    shapes = _shapes_on(scene, other)
    if not shapes:
        raise WritheError(f"{on!r} has no shape to lay a hand on")
    own = f"{actor}.{joint}"
    if side is not None and at is not None:
        raise WritheError("give the place of a hold by 'at' or by 'side', not both")
    if side is not None:
        place, normal = _outermost(shapes, floats(side, (3,), "the side of a hold"))
    else:
        if at is None:
            near = base.T @ (frames.position(own) - frames.position(other))
        else:
            near = floats(at, (3,), "the place of a hold")
        place, normal = _nearest(shapes, near)
    turn = base.T @ frames.rotation(own)
    hand = _hand(scene, actor, joint)
    orientation = None
    if hand is not None:
        along = turn @ hand.axes[:, 0] if fingers is None else floats(fingers, (3,), "fingers")
        turn = _palm_down(hand, normal, along)
        point, orientation = hand.palm, quaternion_of(turn)
    else:
        mine = [s for s in _shapes_on(scene, own) if s.core is not Core.HALF_SPACE]
        point = _outermost(mine, -turn.T @ normal)[0] if mine else np.zeros(3)
    return Hold(joint, on, vector3(place + clear_m * normal), vector3(point), orientation)


def hold_terms(
    actor: str,
    hold: Hold,
    *,
    weight: float = 4.0,
    turned: Sequence[tuple[ArrayLike, ArrayLike]] = (),
    turn_weight: float = 1.0,
) -> tuple[Term, ...]:
    """Soft terms of an actor's hold in a scene: place and directions in the frame of `hold.on`.

    `hold.on` is a name of the scene ("ben.neck", "chair"). turned: pairs of a direction in the held
    joint, such as that of the palm or the fingers, and where it points in the other's frame; all
    three axes if the hold has an orientation.
    """
    joint, goal = f"{actor}.{hold.joint}", np.array(hold.position_in_other)
    place = Point(joint, hold.point_in_joint, hold.on)
    out = [Term(place, goal, goal, weight, label=f"{joint} on {hold.on}")]
    pairs = [(floats(a, (3,), "a direction"), floats(b, (3,), "a direction")) for a, b in turned]
    if hold.orientation_in_other is not None:
        turn = rotation_matrix(np.array(hold.orientation_in_other))
        pairs += [(axis, turn @ axis) for axis in np.eye(3)]
    for own, there in pairs:
        direction = there / np.linalg.norm(there)
        quantity = Direction(joint, vector3(own), hold.on)
        out.append(
            Term(quantity, direction, direction, turn_weight, label=f"{joint} turned to {hold.on}")
        )
    return tuple(out)


@checked
def hold_state(scene: Scene, q: Floats, actor: str, hold: Hold) -> HoldState:
    """How far a configuration of the scene is from a hold of one of its actors."""
    layout = scene.layout
    frames = forward(layout.skeleton, configuration(layout.skeleton, q))
    own, other = f"{actor}.{hold.joint}", _name_in_layout(scene, actor, hold.on)
    base, turn = frames.rotation(other), frames.rotation(own)
    goal = frames.position(other) + base @ np.array(hold.position_in_other)
    apart = float(np.linalg.norm(frames.point(own, hold.point_in_joint) - goal))
    turned = 0.0
    if hold.orientation_in_other is not None:
        wanted = base @ rotation_matrix(np.array(hold.orientation_in_other))
        turned = angle_of(wanted.T @ turn)
    gap, towards = _gap(scene, frames, own, other)
    hand = _hand(scene, actor, hold.joint)
    facing = None
    if hand is not None and np.isfinite(gap):
        facing = float(turn @ hand.axes[:, 1] @ towards)
    return HoldState(apart, turned, gap, facing)


def _name_in_layout(scene: Scene, actor: str, on: str) -> str:
    names, own = scene.layout.skeleton.names, f"{actor}.{on}"
    if own in names:
        return own
    if on not in names:
        raise WritheError(
            f"{on!r} is neither a joint of {actor!r}, nor a joint of another actor ('ben.neck'),"
            " nor an object of the scene"
        )
    return on


def _hand(scene: Scene, actor: str, joint: str) -> Hand | None:
    found = hands_of(scene.actor(actor).figure).values()
    return next((hand for hand in found if hand.wrist == joint), None)


def _shapes_on(scene: Scene, name: str) -> list[Shape]:
    """The shapes of a joint "anna.neck" or of an object, in its frame."""
    owner, _, own = name.partition(".")
    if not own:
        return list(scene.object(owner).shapes)
    return [from_capsule(c) for c in scene.actor(owner).figure.capsules if c.joint == own]


def _outermost(shapes: list[Shape], direction: Floats) -> tuple[Floats, Floats]:
    """The point (3,) of the shapes' surface farthest in a direction, and the unit direction."""
    length = float(np.linalg.norm(direction))
    if length < 1e-9:
        raise WritheError("the side of a hold must be a direction, not zero")
    unit = direction / length
    best, point = -np.inf, np.zeros(3)
    for shape in shapes:
        if shape.core is Core.HALF_SPACE:
            raise WritheError("a floor or wall has one side: give a place with 'at'")
        heights = shape.points_in_joint @ unit
        top = float(heights.max())
        if top + shape.radius_m > best:
            level = shape.points_in_joint[heights > top - 1e-6]  # a side that faces there: middle
            best, point = top + shape.radius_m, level.mean(axis=0) + shape.radius_m * unit
    return point, unit


def _nearest(shapes: list[Shape], at: Floats) -> tuple[Floats, Floats]:
    """The point (3,) of the shapes' surface nearest to a point, and the unit normal there."""
    skeleton = Skeleton(
        [Joint("object", None, JointKind.FIXED), Joint("point", None, JointKind.FREE)]
    )
    probe = Shape(Core.SEGMENT, np.zeros((2, 3)), 1e-4, "point", "point")
    solids = [shape.on("object", "object") for shape in shapes]
    near = NearPairs(CollisionTable(skeleton, [*solids, probe], ContactPolicy()))
    frames = forward(skeleton, np.array([*at, 1.0, 0.0, 0.0, 0.0]))
    near.find(frames.positions, frames.rotations, _FAR_M)
    if near.count == 0:
        raise WritheError(
            f"the point {at.tolist()} of a hold is over {_FAR_M:g} m from what is held: give it in"
            " the frame of what is held, in metres"
        )
    rows = near.rows
    row = int(np.argmin(rows.gap[: near.count]))
    if int(rows.joints[row, 0]) == 0:  # the normal points from the second to the first
        return rows.surface_a[row].copy(), -rows.normal[row]
    return rows.surface_b[row].copy(), rows.normal[row].copy()


def _palm_down(hand: Hand, normal: Floats, along: Floats) -> Floats:
    """(3, 3) the wrist with its palm against a surface, fingers near the direction `along`."""
    flat = along - normal * float(along @ normal)
    if float(np.linalg.norm(flat)) < 1e-6:
        flat = np.cross(normal, [1.0, 0.0, 0.0] if abs(normal[0]) < 0.9 else [0.0, 0.0, 1.0])
    x, y = flat / np.linalg.norm(flat), -normal
    sign = float(np.sign(np.linalg.det(hand.axes)))
    return np.stack([x, y, sign * np.cross(x, y)], axis=1) @ hand.axes.T


def _gap(scene: Scene, frames: Frames, own: str, other: str) -> tuple[float, Floats]:
    """The least gap of what moves with two joints, and the unit direction (3,) to the other."""
    skeleton = scene.layout.skeleton
    ranges = [
        range(skeleton.index(n), int(skeleton.tree.subtree_end[skeleton.index(n)]))
        for n in (own, other)
    ]
    if own.partition(".")[0] == other.partition(".")[0] or "." not in other:
        ranges[1] = range(skeleton.index(other), skeleton.index(other) + 1)
    table = scene.layout.table.with_policy(ContactPolicy(skip_joint_zones=True))
    near = NearPairs(table)
    near.find(frames.positions, frames.rotations, _FAR_M)
    rows, best, towards = near.rows, np.inf, np.zeros(3)
    for row in range(near.count):
        a, b = (int(j) for j in rows.joints[row])
        for mine, theirs, sign in ((a, b, 1.0), (b, a, -1.0)):
            if mine in ranges[0] and theirs in ranges[1] and rows.gap[row] < best:
                best = float(rows.gap[row])
                towards = sign * (rows.surface_b[row] - rows.surface_a[row])
                if best < 1e-6:
                    towards = -sign * rows.normal[row]  # from the second to the first
    length = float(np.linalg.norm(towards))
    return best, towards / length if length > 0.0 else towards
