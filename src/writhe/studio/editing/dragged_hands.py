"""The hands of the dragged character: what they hold stays level, palms are laid on surfaces.

A hand dragged onto a surface opens, its palm turns to the surface, and what it holds touches first.
When it is released there, its fingers bend until they touch. A hand that holds an object keeps it
upright as the forearm turns; both hands on one object do not tilt it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from writhe.arrays import Floats, Quaternion, Vector3, floats, unit, vector3
from writhe.collision import Gate
from writhe.hands import Hand, close_fingers, hands_of
from writhe.hands.hand import set_finger
from writhe.hands.laying import laid_hand, objects_in_hand, reach_beyond_palm
from writhe.hands.poses import finger_goal
from writhe.scene import SceneObject
from writhe.skeleton import Figure, Frames, JointKind, forward
from writhe.skeleton.heading import heading_of, yaw_matrix
from writhe.skeleton.kinematics import difference, integrate
from writhe.skeleton.limits import within_limits
from writhe.skeleton.quaternions import quaternion_of, rotation_about, rotation_matrix
from writhe.solvers.posing import Hold, Target
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.studio.editing.figure_cache import per_figure

_PALM_GAP_M = 0.004  # between a surface and the palm that is laid on it
_TURN_WITHIN_M = 0.3  # nearer than this to its target, the palm turns to the surface
_TURN_TOLERANCE_RAD = 0.4  # deviation from the orientation of a laid hand that is left as it is
_BEYOND_RAD = 0.5  # the goal may exceed the limit of the wrist by this: the forearm turns then
_MOST_TURN_RAD = 0.25  # largest angle between the orientation of a hand and its goal
# fingers that open by less than this share of the way are opened again after this many steps
_OPEN_ENOUGH, _AGAIN = 0.5, 15
_ALIKE_RAD = 0.1  # fingers whose joints differ by less from a hand pose are in it


@per_figure
def wrists_of(figure: Figure) -> dict[str, Hand]:
    """The hands with fingers of a figure, by wrist."""
    return {hand.wrist: hand for hand in hands_of(figure).values()}


class DraggedHands:
    """The hands of one actor during one gesture."""

    def __init__(
        self,
        figure: Figure,
        q: Floats,
        in_scene: ActorInScene | None,
        holding: set[str],
        own_holds: Sequence[Hold],
    ) -> None:
        """holding: the joints that hold something; own_holds: on the body or on what it carries."""
        self._figure, self._in_scene, self._holding = figure, in_scene, holding
        self._hands = wrists_of(figure)
        frames = forward(figure.skeleton, q)
        self._level: dict[str, Quaternion] = {
            joint: quaternion_of(frames.rotation(joint))
            for hold in own_holds
            for joint in (hold.joint, hold.on)
        }
        self._reach: dict[str, float] = {}  # by wrist, how far what it holds protrudes
        self._upright: dict[str, tuple[Floats, Floats]] = {}
        for wrist, hand in self._hands.items():
            items: list[SceneObject] = []
            if in_scene is not None and in_scene.scene is not None:
                items = objects_in_hand(in_scene.scene, in_scene.root, hand)
            if items and wrist not in self._level:
                turn = frames.rotation(wrist)
                self._reach[wrist] = reach_beyond_palm(items, hand)
                # the vertical in the hand, and the hand in the forearm
                self._upright[wrist] = turn[1].copy(), self._forearm(frames, wrist).T @ turn
        self._laid: set[str] = set()  # hands that turned to a surface
        self._waited = _AGAIN  # steps since fingers were last opened, or could not be
        self._opening: set[str] = set()  # hands whose relaxed fingers open at a surface
        self._opened: set[str] = set()  # those that did

    def palm_target(self, q: Floats, target: Target, normal: Vector3 | None) -> Target:
        """The target of a dragged part of a hand, as one of the hand or of its palm.

        A finger of a hand that holds something moves the hand. On a surface (`normal`), the palm
        of a hand, or what it holds, goes there. Other targets stay as they are.
        """
        if target.orientation_in_world is not None:
            return target
        if self._holding:
            target = _on_closed_hand(self._figure, q, target, self._holding)
        hand = self._hands.get(target.joint)
        if hand is None or normal is None:
            return target
        out, at = _unit(normal), np.array(target.position_in_world)
        point = hand.palm + self._reach.get(hand.wrist, 0.0) * hand.axes[:, 1]
        return Target(target.joint, vector3(at + _PALM_GAP_M * out), vector3(point))

    def with_orientations(
        self, q: Floats, targets: Sequence[Target], normals: Mapping[str, Vector3]
    ) -> list[Target]:
        """The targets with the orientations of hands: level, upright, or facing a surface."""
        if not self._upright and not self._level and not normals:
            return list(targets)
        frames = forward(self._figure.skeleton, q)
        return [
            self._with_orientation(q, frames, target, normals.get(target.joint))
            for target in targets
        ]

    def _with_orientation(
        self, q: Floats, frames: Frames, target: Target, normal: Vector3 | None
    ) -> Target:
        wrist = target.joint
        if target.orientation_in_world is not None:
            return target
        if wrist in self._level:
            return replace(target, orientation_in_world=self._level[wrist])
        if wrist not in self._hands:
            return target
        turn: Floats | None = None
        if normal is not None:
            away = frames.point(wrist, np.array(target.point_in_joint))
            away = away - np.array(target.position_in_world)
            if wrist in self._laid or np.linalg.norm(away) < _TURN_WITHIN_M:
                self._laid.add(wrist)
                hand, ahead = self._hands[wrist], yaw_matrix(heading_of(self._figure, q))[:, 2]
                forearm = frames.position(wrist) - frames.position(self._elbow(wrist))
                upright = self._upright[wrist][0] if wrist in self._upright else None
                turn = laid_hand(hand, forearm, _unit(normal), ahead, upright)
        elif wrist in self._upright:
            up, in_forearm = self._upright[wrist]
            turn = _set_upright(self._forearm(frames, wrist) @ in_forearm, up)
        if turn is None:
            return target
        turn = self._attainable(frames, wrist, turn)
        goal = _towards(frames.rotation(wrist), turn, _TURN_TOLERANCE_RAD, _MOST_TURN_RAD)
        # rounded, so that the goal of a hand at rest stays the same
        w, x, y, z = (round(value, 2) for value in quaternion_of(goal))
        return replace(target, orientation_in_world=(w, x, y, z))

    def _attainable(self, frames: Frames, wrist: str, wanted: Floats) -> Floats:
        """The rotation nearest to a wanted one that the wrist has with the forearm as it is.

        The goal may lie a little beyond that, so that the forearm turns, but not the whole body.
        """
        skeleton = self._figure.skeleton
        joint = skeleton.joints[skeleton.index(wrist)]
        if joint.kind is not JointKind.BALL or joint.limits is None or joint.parent is None:
            return wanted
        parent = frames.rotation(joint.parent) @ skeleton.tree.rest[skeleton.index(wrist)]
        local = np.array(quaternion_of(parent.T @ wanted))
        within = parent @ rotation_matrix(within_limits(local, joint.limits))
        return _towards(within, wanted, 0.0, _BEYOND_RAD)

    def open_on(self, q: Floats, normals: Mapping[str, Vector3]) -> Floats:
        """The configuration with the relaxed fingers of hands on surfaces opened."""
        relaxed = [
            w
            for w in normals
            if w in self._hands
            and w not in self._opened
            and w not in self._holding
            and (w in self._opening or self._is_relaxed(q, self._hands[w]))
        ]
        self._waited += 1
        if not relaxed or self._waited < _AGAIN:
            return q
        self._waited = 0
        for wrist in relaxed:
            self._opening.add(wrist)
            q, share = self._with_fingers(q, self._hands[wrist], "flat")
            if share > _OPEN_ENOUGH:
                self._opened.add(wrist)
        return q

    def close_opened_fingers(self, q: Floats) -> Floats:
        """The configuration with the opened fingers bent until they touch, or relaxed again."""
        for wrist in self._opening:
            q, _ = self._with_fingers(q, self._hands[wrist], "relaxed")
        return q

    def _with_fingers(self, q: Floats, hand: Hand, pose: str) -> tuple[Floats, float]:
        """The fingers on the way to a hand pose, as far as is certified, and that share of it."""
        actor = self._in_scene or ActorInScene.alone(self._figure)
        skeleton, start = actor.skeleton, actor.full_configuration(q).copy()
        goal = close_fingers(actor.table, start, hand, pose, prefix=actor.prefix).q
        share = Gate(actor.table).fraction(start, goal)
        moved = integrate(skeleton, start, share * difference(skeleton, start, goal))
        return moved[actor.q], share

    def _is_relaxed(self, q: Floats, hand: Hand) -> bool:
        skeleton, posed = self._figure.skeleton, q.copy()
        for finger in hand.fingers:
            set_finger(skeleton, posed, finger, *finger_goal(finger, "relaxed"))
        return float(np.abs(posed - q).max()) < _ALIKE_RAD

    def _elbow(self, wrist: str) -> str:
        parent = self._figure.skeleton.joints[self._figure.skeleton.index(wrist)].parent
        roles = dict(self._figure.roles)
        side = self._hands[wrist].side
        return roles.get(f"{side}_elbow", parent or wrist)

    def _forearm(self, frames: Frames, wrist: str) -> Floats:
        return frames.rotation(self._elbow(wrist))


def _towards(now: Floats, wanted: Floats, tolerance_rad: float, most_rad: float) -> Floats:
    """A rotation (3, 3) on the way from one to another, up to a tolerance from it."""
    turn = wanted @ now.T
    axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    sine, cosine = 0.5 * float(np.linalg.norm(axis)), 0.5 * (float(np.trace(turn)) - 1.0)
    angle = float(np.arctan2(sine, cosine))
    if sine < 1e-6:
        return now
    step = min(max(angle - tolerance_rad, 0.0), most_rad)
    return rotation_about(axis / (2.0 * sine), step) @ now


def _set_upright(turn: Floats, up: Floats) -> Floats:
    """The rotation (3, 3), turned by the least angle that makes the vector up (3,) vertical."""
    x, y, z = turn @ up
    sine = float(np.hypot(x, z))
    if sine < 1e-9:
        return turn
    axis = np.array([-z, 0.0, x]) / sine
    return rotation_about(axis, float(np.arctan2(sine, y))) @ turn


def _unit(normal: Vector3) -> Floats:
    return unit(floats(normal, (3,), "the normal of the surface"))


def _on_closed_hand(figure: Figure, q: Floats, target: Target, wrists: set[str]) -> Target:
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
