"""Poses of a walking body: hips over the standing leg, swinging arms, legs that reach the feet."""

from __future__ import annotations

import numpy as np

from writhe.animation.body.turn_joint import turned
from writhe.animation.walking.footsteps import GroundPose
from writhe.animation.walking.gait import Gait
from writhe.animation.walking.rolling_feet import RollingFeet, lateral_axis, moved_on_ground
from writhe.arrays import Floats
from writhe.skeleton import Figure, Frames, JointKind, forward
from writhe.skeleton.heading import heading_of, yaw_matrix
from writhe.skeleton.limbs import SIDES
from writhe.skeleton.move_root import free_root, moved_roots
from writhe.skeleton.quaternions import quaternion_of, rotation_matrix

_FORWARD_RAD, _BACK_RAD, _ELBOW_RAD = 0.2, 0.3, 0.15  # swing of the arms; bend of the forward elbow
# turn of the hips with the leading leg; of the chest against them; lean of the trunk
_HIPS_RAD, _CHEST_RAD, _LEAN_RAD = 0.12, 0.24, 0.04
_TILT_RAD, _SWAY_M = 0.07, 0.02  # in the middle of a step: hips tilt, and move over the leg
_LEG = ("hip", "knee", "ankle")


class WalkingBody:
    """A body that stands in the pose q (nq), and how it is posed while it walks.

    feet: the joints of the left and the right foot. busy: joints that hold or carry something;
    their arms do not swing.
    """

    def __init__(self, figure: Figure, q: Floats, feet: list[str], busy: set[str]) -> None:
        self.figure, self.skeleton, self.q, self.busy = figure, figure.skeleton, q, busy
        self.frames: Frames = forward(self.skeleton, q)
        self.root = self.frames.positions[free_root(self.skeleton)]
        middle = np.mean([self.frames.position(foot) for foot in feet], axis=0)
        self.origin = GroundPose(middle[[0, 2]], heading_of(figure, q))
        self.leg_m = float(self.root[1] - middle[1])
        self.feet = RollingFeet(figure, self.frames, self.origin, feet)

    def pose(self, gait: Gait, q: Floats, time_s: float) -> Floats:
        """The pose at a time; q is that of the body at its start."""
        body = gait.body(time_s)
        q = self.at(q, body)
        down = np.array([0.0, -gait.lower_m(time_s), 0.0])
        q = moved_roots(self.skeleton, q[None], np.eye(3), down)[0]
        q = self._leant(q, body, gait.speed(time_s))
        q = self._swayed(q, body, gait.sway(time_s))
        q = self._wound(q, gait.swing(time_s), gait.turns_ahead(time_s))
        q = self._arms_swung(q, body, gait.swing(time_s))
        for foot in range(2):
            (position, rotation), pitch = self.feet.at(gait.steps, foot, time_s)
            q = self._leg_reaching(q, SIDES[foot], body, position, rotation)
            if pitch > 0.0:  # the toes stay flat
                q = self._turned(q, f"{SIDES[foot]}_toe", lateral_axis(body), -pitch)
        return q

    def at(self, q: Floats, pose: GroundPose) -> Floats:
        """The pose q at another place on the ground."""
        turn, root = moved_on_ground(self.root, self.origin, pose)
        return moved_roots(self.skeleton, q[None], turn, root - turn @ self.root)[0]

    def leg_lengths_m(self) -> tuple[float, float]:
        """Lengths of a straight leg, and of the leg that stands, from the hip to the ankle."""
        names = [self.figure.joint_of(f"left_{part}") for part in ("hip", "knee", "ankle")]
        hip, knee, ankle = (self.frames.position(name) for name in names)
        straight = np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee)
        return float(straight), float(hip[1] - ankle[1])

    def _leg_reaching(
        self, q: Floats, side: str, body: GroundPose, position: Floats, rotation: Floats
    ) -> Floats:
        """The pose with the leg of a side bent so that its ankle is at a position and rotation."""
        hip, knee, ankle = (self.figure.joint_of(f"{side}_{part}") for part in _LEG)
        across = lateral_axis(body)
        for _ in range(3):
            frames = forward(self.skeleton, q)
            thigh = frames.position(knee) - frames.position(hip)
            shin = frames.position(ankle) - frames.position(knee)
            a, b = float(np.linalg.norm(thigh)), float(np.linalg.norm(shin))
            reach = min(float(np.linalg.norm(position - frames.position(hip))), 0.9995 * (a + b))
            wanted = np.arccos(np.clip((reach**2 - a**2 - b**2) / (2.0 * a * b), -1.0, 1.0))
            bend = np.arccos(np.clip(float(thigh @ shin) / (a * b), -1.0, 1.0))
            # a leg that is bent backwards past straight has a negative bend
            bend = bend if float(np.cross(thigh, shin) @ across) > 0.0 else -bend
            q = self._turned(q, f"{side}_knee", across, float(wanted - bend))
            frames = forward(self.skeleton, q)
            now = frames.position(ankle) - frames.position(hip)
            there = position - frames.position(hip)
            axis = np.cross(now, there)
            sine = float(np.linalg.norm(axis))
            if sine > 1e-9:
                angle = float(np.arctan2(sine, float(now @ there)))
                q = self._turned(q, f"{side}_hip", axis / sine, angle)
        frames, at = forward(self.skeleton, q), self.skeleton.index(ankle)
        if self.skeleton.joints[at].kind is JointKind.BALL:
            turn = self.skeleton.q_slice(ankle)
            base = frames.rotations[at] @ rotation_matrix(q[turn]).T
            q[turn] = quaternion_of(base.T @ rotation)
        return q

    def _leant(self, q: Floats, pose: GroundPose, speed: float) -> Floats:
        """The trunk forward in proportion to the speed; the head looks ahead."""
        for role, angle in (("spine", 0.5), ("chest", 0.5), ("neck", -1.0)):
            q = self._turned(q, role, lateral_axis(pose), speed * angle * _LEAN_RAD)
        return q

    def _wound(self, q: Floats, swing: float, ahead: tuple[float, float]) -> Floats:
        """Hips turned with the leading leg, the right one for a positive swing, chest against them.

        ahead: turns of the chest and of the head into the direction of a turn. Otherwise the head
        looks ahead.
        """
        up = np.array([0.0, 1.0, 0.0])
        chest, head = ahead
        for role, angle in (
            ("hips", swing * _HIPS_RAD),
            ("spine", -swing * (_HIPS_RAD + 0.5 * _CHEST_RAD) + 0.5 * chest),
            ("chest", -swing * 0.5 * _CHEST_RAD + 0.5 * chest),
            ("neck", swing * _CHEST_RAD + head - chest),
        ):
            q = self._turned(q, role, up, angle)
        return q

    def _swayed(self, q: Floats, pose: GroundPose, sign: float) -> Floats:
        """Hips over the standing leg, the right one with a positive sign, lower on the other side.

        The trunk stays upright.
        """
        left, ahead = (yaw_matrix(pose.heading) @ np.eye(3)[k] for k in (0, 2))
        q = moved_roots(self.skeleton, q[None], np.eye(3), -sign * _SWAY_M * left)[0]
        q = self._turned(q, "hips", ahead, -sign * _TILT_RAD)
        return self._turned(q, "spine", ahead, sign * _TILT_RAD)

    def _arms_swung(self, q: Floats, pose: GroundPose, swing: float) -> Floats:
        """The arms swung about the lateral axis, the left one forwards for a positive swing."""
        roles = dict(self.figure.roles)
        for side, back in (("left", -swing), ("right", swing)):
            shoulder = roles.get(f"{side}_shoulder")
            if shoulder is not None and not self._is_busy(shoulder):
                angle = back * (_BACK_RAD if back > 0.0 else _FORWARD_RAD)
                q = self._turned(q, f"{side}_shoulder", lateral_axis(pose), angle)
                bend = -_ELBOW_RAD * max(-back, 0.0)
                q = self._turned(q, f"{side}_elbow", lateral_axis(pose), bend)
        return q

    def _is_busy(self, shoulder: str) -> bool:
        """Whether a joint of the arm below a shoulder holds or carries something."""
        at = self.skeleton.index(shoulder)
        return not self.busy.isdisjoint(
            self.skeleton.names[at : int(self.skeleton.tree.subtree_end[at])]
        )

    def _turned(self, q: Floats, role: str, axis: Floats, angle: float) -> Floats:
        """The pose with the joint of a role, if there is one, turned about an axis in the world."""
        return turned(self.skeleton, q, dict(self.figure.roles).get(role), axis, angle)
