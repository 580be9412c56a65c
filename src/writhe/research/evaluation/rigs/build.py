"""Builds the skeleton of a rig style from the built-in human, with its true roles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.research.evaluation.rigs.rig_style import RigStyle
from writhe.skeleton import Joint, JointKind, Skeleton, Tip, quaternions
from writhe.skeleton.figures import figure
from writhe.skeleton.limbs import SIDES

_FINGERS = ("thumb", "index", "middle", "ring", "pinky")
# positions of the left knuckles relative to the wrist (T-pose, palm down), and bone lengths, m
_KNUCKLE = {
    "thumb": (0.03, -0.01, 0.03),
    "index": (0.09, 0.0, 0.025),
    "middle": (0.092, 0.0, 0.005),
    "ring": (0.088, 0.0, -0.015),
    "pinky": (0.08, 0.0, -0.033),
}
_PHALANGES = (0.04, 0.025, 0.02)
_VRM_PHALANX = ("Proximal", "Intermediate", "Distal")
_VRM_THUMB = ("Metacarpal", "Proximal", "Distal")


@dataclass(frozen=True)
class GeneratedRig:
    """A skeleton with the true joint of each role."""

    skeleton: Skeleton
    roles: dict[str, str]


@dataclass
class _RigJoint:
    name: str
    parent: str | None
    at: Floats


def build_rig(style: RigStyle, *, names_hidden: bool = False) -> GeneratedRig:
    """The rig of a style; with `names_hidden` all joints are called j0, j1, ..."""
    draft = _Draft(style)
    joints, roles = draft.joints, draft.roles
    if style.arms_down_deg:
        _lower_arms(joints, roles, np.radians(style.arms_down_deg))
    turn = np.eye(3)
    if style.facing_back:
        turn = np.diag([-1.0, 1.0, -1.0])
    if style.z_up:
        turn = np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]]) @ turn
    for joint in joints:
        joint.at = turn @ joint.at / style.metres_per_unit
    tips = [
        (t.joint, turn @ t.offset_in_joint / style.metres_per_unit)
        for t in figure("human").skeleton.tips
    ]
    label = {j.name: f"j{i}" if names_hidden else j.name for i, j in enumerate(joints)}
    skeleton = _skeleton(joints, label, style.bone_axis, tips if not style.ends else [], roles)
    return GeneratedRig(skeleton, {role: label[name] for role, name in roles.items()})


class _Draft:
    """The joints of a style in the T-pose of the human, Y up, metres."""

    def __init__(self, style: RigStyle) -> None:
        human = figure("human").skeleton
        self.style = style
        self.at = {n: human.rest_positions[j].copy() for j, n in enumerate(human.names)}
        self.joints: list[_RigJoint] = []
        self.roles: dict[str, str] = {}
        self._containers()
        self._trunk()
        for side in SIDES:
            self._limb(side, arm=True)
            self._limb(side, arm=False)
        self._extras()

    def _add(self, name: str, parent: str | None, at: Floats, role: str | None = None) -> str:
        if not any(j.name == name for j in self.joints):
            self.joints.append(_RigJoint(name, parent, at.copy()))
        if role is not None:
            self.roles[role] = name
        return name

    def _containers(self) -> None:
        parent: str | None = None
        for name in self.style.containers:
            parent = self._add(name, parent, np.zeros(3))
        self.root = parent
        for i, name in enumerate(self.style.beside):
            above = self._add(name, parent, np.array([0.02 * i, 0.0, 0.1]))
            if name.startswith("ik_"):
                for side in ("l", "r"):
                    self._add(f"{name[:-5]}_{side}", above, np.array([0.1, 0.1, 0.0]))

    def _trunk(self) -> None:
        style, at = self.style, self.at
        low = [at["hips"], at["spine"], at["chest"], np.array([0.0, 1.30, -0.01])]
        high = [at["neck"], at["head"]]
        lower = _spread(low, [r for r, _ in style.trunk])
        upper = _spread(high, [r for r, _ in style.neck])
        parent = self.root
        for (role, name), place in zip((*style.trunk, *style.neck), (*lower, *upper), strict=True):
            parent = self._add(name, parent, place, role)
        self.head = parent
        if "head" in style.ends:
            self._add(style.ends["head"], parent, at["head"] + np.array([0.0, 0.19, 0.0]))

    def _limb(self, side: str, arm: bool) -> None:
        style = self.style
        rows = style.arm if arm else style.leg
        trunk = [n for _, n in style.trunk]
        parent: str = (style.arms_on or trunk[-1]) if arm else (style.legs_on or trunk[0])
        known = [self.at[f"{side}_{role}"] if role else None for role, _ in rows]
        if arm and style.neck[0][0] is None:  # CMU's clavicles start at the joint called Neck
            known[0] = self._position(style.neck[0][1])
        for i, (role, pattern) in enumerate(rows):
            place = known[i]
            if place is None:
                place = self._between(parent, known, i, side)
            full = None if role is None else f"{side}_{role}"
            parent = self._add(_fill(pattern, side), parent, place, full)
            if role in style.twists:
                after = next((k for k in known[i + 1 :] if k is not None), place)
                spot = 0.5 * (place + after)
                self._add(_fill(style.twists[role], side), parent, spot)
            if role in style.ends:
                self._add(
                    _fill(style.ends[role], side), parent, place + np.array([0.0, -0.005, 0.07])
                )
            if role == "wrist" and style.fingers:
                self._fingers(side, parent, place)

    def _position(self, name: str) -> Floats:
        return next(j.at for j in self.joints if j.name == name)

    def _between(self, parent: str, known: list[Floats | None], i: int, side: str) -> Floats:
        """A joint without a role: midway to the next role, at its parent, or beyond the last."""
        after = next((k for k in known[i + 1 :] if k is not None), None)
        if after is None:
            before = self._position(parent)
            beyond = np.array([0.08 if side == "left" else -0.08, 0.0, 0.0])
            return before + (beyond if abs(before[0]) > 0.3 else np.array([0.0, -0.005, 0.05]))
        if i == 0:
            return self._position(parent)  # such as CMU's LHipJoint
        before = self._position(parent)
        return 0.5 * (before + after)

    def _fingers(self, side: str, wrist: str, at: Floats) -> None:
        style = self.style
        mirror = np.array([1.0 if side == "left" else -1.0, 1.0, 1.0])
        for number, finger in enumerate(_FINGERS):
            start = np.array(_KNUCKLE[finger])
            along = np.array([0.6, -0.2, 0.77]) if finger == "thumb" else np.array([1.0, 0.0, 0.0])
            parent = wrist
            if style.metacarpals and finger != "thumb":
                name = _fill(style.metacarpals, side, style.finger_names[number], 0, number)
                parent = self._add(name, parent, at + mirror * 0.3 * start)
            for k in range(style.finger_joints):
                name = _fill(style.fingers, side, style.finger_names[number], k + 1, number)
                role = f"{side}_{finger}_{k + 1}" if k < 3 else None
                parent = self._add(name, parent, at + mirror * start, role)
                start = start + along * _PHALANGES[min(k, 2)]

    def _extras(self) -> None:
        for role, pattern in self.style.extra:
            sided = pattern != _fill(pattern, "left") or role not in ("hips", "chest", "head")
            for side in SIDES if sided else ("left",):
                sign = 1.0 if side == "left" else -1.0
                full = role if role in self.roles else f"{side}_{role}"
                parent = self.roles[full]
                at = self._position(parent)
                name = _fill(pattern, side)
                off = np.array([0.03 * sign, -0.03, 0.06])
                thumb = f"{side}_thumb_1" if "thumb" in name.lower() else None
                self._add(name, parent, at + off, thumb)
                if "Hair" in pattern or "Skirt" in pattern:  # a chain as long as a limb
                    for i in range(1, 5):
                        off = off + np.array([0.01 * sign, -0.12, 0.0])
                        name = self._add(f"{name}_{i}", name, at + off)


def _spread(points: list[Floats], roles: list[str | None]) -> list[Floats]:
    """Positions of the joints of a chain: roles at their positions, the others in between."""
    named = [i for i, r in enumerate(roles) if r is not None]
    out: list[Floats] = [np.zeros(3)] * len(roles)
    for k, i in enumerate(named):
        out[i] = points[k]
    for i in range(len(roles)):
        if roles[i] is None:
            before = max((k for k in named if k < i), default=None)
            after = min(k for k in named if k > i)
            if before is None:
                out[i] = out[after] + np.array([0.0, -0.06, 0.0])
                continue
            if before == 0 and len(roles) > 2 and roles[1] is None:
                out[i] = out[0]  # such as CMU's LowerBack, at the place of the hips
                continue
            share = (i - before) / (after - before)
            out[i] = (1 - share) * out[before] + share * out[after]
    return out


def _fill(pattern: str, side: str, finger: str = "", number: int = 0, index: int = 0) -> str:
    phalanx = (_VRM_THUMB if index == 0 else _VRM_PHALANX)[min(max(number, 1), 3) - 1]
    rigify = finger.lower() if finger == "Thumb" else f"f_{finger.lower()}"
    return pattern.format(
        S=side.title(),
        l=side,
        s=side[0],
        C=side[0].upper(),
        J="左" if side == "left" else "右",
        G="links" if side == "left" else "rechts",
        E="Izq" if side == "left" else "Der",
        K="왼쪽" if side == "left" else "오른쪽",
        R="левая" if side == "left" else "правая",
        F=finger,
        f=finger.lower(),
        n=number,
        p=phalanx,
        P=_VRM_PHALANX[min(max(number, 1), 3) - 1],
        r=rigify,
        d=index,
        d1=index + 1,
        m="" if number <= 1 else number - 1,
    )


def _lower_arms(joints: list[_RigJoint], roles: dict[str, str], angle: float) -> None:
    by_name = {j.name: j for j in joints}
    for side, sign in (("left", -1.0), ("right", 1.0)):
        shoulder = by_name[roles[f"{side}_shoulder"]]
        turn = quaternions.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.array(sign * angle))
        below = {shoulder.name}
        for joint in joints:
            if joint.parent in below:
                below.add(joint.name)
                joint.at = shoulder.at + quaternions.rotate(turn, joint.at - shoulder.at)


def _skeleton(
    joints: list[_RigJoint],
    label: dict[str, str],
    bone_axis: str | None,
    tips: list[tuple[str, Floats]],
    roles: dict[str, str],
) -> Skeleton:
    """Joints with frames aligned with the world, or with an axis along the bone."""
    at = {j.name: j.at for j in joints}
    turns: dict[str, Floats] = {}
    identity = np.array([1.0, 0.0, 0.0, 0.0])
    for joint in joints:
        turns[joint.name] = identity
        children = [c for c in joints if c.parent == joint.name]
        bones = [c.at - joint.at for c in children if np.linalg.norm(c.at - joint.at) > 1e-6]
        if bone_axis is not None and bones:
            axis = np.eye(3)["xyz".index(bone_axis)]
            turns[joint.name] = _between_directions(axis, bones[0])
    made: list[Joint] = []
    for joint in joints:
        turn, offset, parent = turns[joint.name], joint.at, joint.parent
        if parent is not None:
            back = quaternions.conjugate(turns[parent])
            turn = quaternions.multiply(back, turn)
            offset = quaternions.rotate(back, joint.at - at[parent])
        kind = JointKind.FREE if parent is None else JointKind.BALL
        made.append(
            Joint(label[joint.name], None if parent is None else label[parent], kind, offset, turn)
        )
    ends = [
        Tip(
            f"tip {k}",
            label[roles[role]],
            quaternions.rotate(quaternions.conjugate(turns[roles[role]]), offset),
        )
        for k, (role, offset) in enumerate(tips)
        if role in roles
    ]
    return Skeleton(made, ends)


def _between_directions(a: Floats, b: Floats) -> Floats:
    b = b / np.linalg.norm(b)
    w = 1.0 + float(a @ b)
    if w < 1e-6:
        axis = np.eye(3)[int(np.argmin(np.abs(a)))]
        return quaternions.normalised(np.concatenate([[0.0], np.cross(a, axis)]))
    return quaternions.normalised(np.concatenate([[w], np.cross(a, b)]))
