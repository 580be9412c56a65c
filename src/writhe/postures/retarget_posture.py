"""Postures of the built-in human on another person's body.

A posture is retargeted by roles, moved vertically until its supports touch the ground, and then
solved for like an authored key pose: feet stay on the ground, hands that touched the body or an
object touch it again, and nothing penetrates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from writhe.arrays import Floats
from writhe.collision import ContactPolicy, half_space
from writhe.postures.builtin.pose_setting import (
    ACTOR,
    CONTACT_M,
    FLOOR,
    TOUCHING,
    PoseSetting,
)
from writhe.postures.builtin.pose_solver import PoseSolver
from writhe.postures.hand_contacts import (
    HandContact,
    contact_gaps,
    contact_terms,
    hand_contacts,
    nearest_contacts,
)
from writhe.postures.seats import SEAT, is_seated, on_seat
from writhe.quantities import Direction, Point
from writhe.recognition.body_map import BodyMap
from writhe.retargeting.retarget import retarget
from writhe.scene import Actor, Layout, Scene, SceneObject
from writhe.scene.objects import built_in
from writhe.skeleton import Figure, Motion, forward
from writhe.skeleton.frozen_joints import FrozenFigure, frozen
from writhe.skeleton.limbs import SIDES
from writhe.skeleton.move_root import moved_roots
from writhe.terms import Term, stay_near

_ON_FLOOR_M = 0.03  # feet, knees and hands with shapes nearer than this stand on the floor
_PRESSED_M = 0.002  # depth of soles in the floor
_MAX_SOLE_M = 0.04  # the shapes of a foot may reach this far below its skin
_SUPPORTS = ("ankle", "toe", "knee", "wrist")
_POSTURE, _GROUND = 0.15, 30.0  # weights
_FLAT = 6.0  # weight of the direction of a foot, with ground terms of weight _GROUND
_UPRIGHT = 0.85  # cosine of the angle to its rest orientation up to which a foot stands on its sole
_HANGING = 8.0  # weight of the angles of legs that hang from a seat, which hands must not lift
_FIRMER = (
    1.0,
    3.0,
    10.0,
    10.0,
)  # factors on the weight of contacts that are still apart, round by round
_FAR_M = 0.5  # gaps of contacts are not told apart beyond this
_RELAXED = 0.01  # weight of a posture that is only moved out of overlaps
# of joints that keep their angles more than others: the trunk stays upright, and ball joints that
# act as hinges must not use up their play sideways
_WEIGHT_OF = dict.fromkeys(("hips", "spine", "chest", "neck", "head"), 1.5) | {
    "elbow": 5.0,
    "knee": 2.0,
}


@dataclass(frozen=True)
class BodySetting(PoseSetting):
    """Any person on the floor, alone or with a built-in object; parts are found by roles."""

    sole_m: float = 0.0  # how far the shapes of the feet reach below the soles

    @cached_property
    def layout(self) -> Layout:
        part_of = {c.joint: c.part_name for c in self.figure.capsules}
        by_role = {role: part_of[j] for role, j in self.figure.roles if j in part_of}
        soles = {p for r, p in by_role.items() if r.endswith(("ankle", "toe"))}
        objects = [SceneObject(FLOOR, (half_space((0, 0, 0), (0, 1, 0)),))]
        below = self._depths_below_soles()
        contacts = {
            (f"{ACTOR}.{part}", FLOOR): (
                self.sole_m + _PRESSED_M if part in soles else max(CONTACT_M, below.get(part, 0.0))
            )
            for part in self.parts
        }
        if self.object_name:
            shapes, strands = built_in(self.object_name)
            name = self.object_name
            objects.append(SceneObject(name, shapes, strands=strands, source=name))
            touching = {by_role[r] for r in TOUCHING[name] if r in by_role}
            contacts |= {(f"{ACTOR}.{part}", name): CONTACT_M for part in touching}
        return Scene((Actor(ACTOR, self.figure),), tuple(objects), ContactPolicy(contacts)).layout

    def _depths_below_soles(self) -> dict[str, float]:
        """By part of the shanks: how far its shapes reach below the soles at rest, metres."""
        low = _lowest(self, self.figure.skeleton.rest_configuration)
        feet = {joint for role, joint in self.figure.roles if role.endswith(("ankle", "toe"))}
        floor = min((low[joint] for joint in feet if joint in low), default=-np.inf) + self.sole_m
        shanks = {joint for role, joint in self.figure.roles if role.endswith("knee")}
        return {
            c.part_name: floor - low[c.joint] + _PRESSED_M
            for c in self.figure.capsules
            if c.joint in shanks
        }


@dataclass(frozen=True)
class _Start:
    """A retargeted posture placed on the floor or on its seat, before it is solved for."""

    held: FrozenFigure
    setting: BodySetting
    posture: Floats  # of the joints that are solved for
    supports: list[str]  # roles on the floor
    soles: list[str]  # sides whose foot stands on its sole
    feet_hang: bool
    seat: list[Term]


def posture_on_body(
    mapping: BodyMap, q: Floats, object_name: str = "", iterations: int = 40
) -> Floats:
    """(nq,) the reference's posture q (nq of the reference) on the map's body.

    q stands on the floor y = 0, with the built-in object `object_name`, if any, at the origin. The
    position of the hips relative to it is scaled by leg length; on a chair they lie on its seat.
    """
    body, start = mapping.body, _start(mapping, np.asarray(q), object_name)
    setting, posture, held = start.setting, start.posture, start.held
    weights = _WEIGHT_OF | (dict.fromkeys(("hip", "knee"), _HANGING) if start.feet_hang else {})
    goals = stay_near(
        setting.skeleton,
        posture,
        weight=_POSTURE,
        weight_of={
            f"{ACTOR}.{joint}": weights[kind]
            for role, joint in body.roles
            if (kind := role.rsplit("_", 1)[-1]) in weights
        },
    )
    skin = _lowest_skin(body, held.complete(posture), start.supports)
    goals += [*start.seat, *_ground_terms(mapping, start, skin)]
    contacts = hand_contacts(mapping, np.asarray(q), held.figure)
    solver = PoseSolver(setting)
    solved = solver.solve(posture, [*goals, *contact_terms(contacts)], iterations)

    def relaxed(q: Floats) -> Floats:
        """q out of overlaps that goals which contradict each other may lead to."""
        if setting.clear(q)[0]:
            return q
        near = stay_near(setting.skeleton, q, weight=_RELAXED)
        feet = _ground_terms(mapping, start, skin, weight=10.0 * _RELAXED)
        return solver.solve(q, [*near, *feet], 2 * iterations)

    tried, gap = solved, _worst_gap(contacts, held.figure, solved)
    for firmer in _FIRMER:
        nearer = nearest_contacts(contacts, held.figure, tried)
        if not nearer:
            break
        tried = relaxed(solver.solve(tried, [*goals, *contact_terms(nearer, firmer)], iterations))
        clear, now = setting.clear(tried)[0], _worst_gap(contacts, held.figure, tried)
        if firmer > 1.0 and not clear:
            break  # the posture of the round before may be clear
        if now < gap or (clear and not setting.clear(solved)[0]):
            solved, gap = tried, now
    solved = relaxed(solved)
    if not setting.clear(solved)[0]:  # hands that meet may have locked the body in an overlap
        apart = solver.solve(posture, goals, 2 * iterations)
        nearer = nearest_contacts(contacts, held.figure, apart) or contacts
        together = solver.solve(apart, [*goals, *contact_terms(nearer)], iterations)
        solved = together if setting.clear(together)[0] else apart
    return held.complete(solved)


def _worst_gap(contacts: Sequence[HandContact], figure: Figure, q: Floats) -> float:
    return max(contact_gaps(contacts, figure, q, _FAR_M), default=0.0)


def standing_sides(mapping: BodyMap, q: Floats, object_name: str = "") -> list[str]:
    """The sides whose foot stands on its sole when the reference's posture q is on the body."""
    return _start(mapping, np.asarray(q), object_name).soles


def _start(mapping: BodyMap, q: Floats, object_name: str) -> _Start:
    body, reference = mapping.body, mapping.reference
    source = Motion(reference.skeleton, np.atleast_2d(q), 30.0, "posture", {})
    retargeted = retarget(source, body, keep_feet=False, source_figure=reference).q[0]
    held = frozen(body, retargeted, set(dict(body.roles).values()))
    setting = BodySetting(held.figure, object_name, sole_depth(body))
    posture, supports = held.reduced(retargeted), _supports(mapping, q)
    hang, seat = False, list[Term]()
    if object_name == SEAT and is_seated(mapping, q):
        ankle = min(_standing_height(body, side, body.joint_of(f"{side}_ankle")) for side in SIDES)
        seated = on_seat(mapping, held.figure, q, posture, ankle)
        posture, hang, seat = seated.posture, seated.feet_hang, seated.goals
        if hang:
            supports = [role for role in supports if not role.endswith(("ankle", "toe", "knee"))]
    elif supports:
        posture = _on_ground(setting, posture)
    soles = [side for side in SIDES if _stands_on_sole(mapping, q, side, supports)]
    return _Start(held, setting, posture, supports, soles, hang, seat)


def sole_depth(body: Figure) -> float:
    """How far the shapes of the feet reach below the skin, in the rest pose, metres."""
    if body.skin is None:
        return 0.0
    rest = body.skeleton.rest_configuration
    feet = {joint for role, joint in body.roles if role.endswith(("ankle", "toe"))}
    low = [height for joint, height in _lowest(BodySetting(body), rest).items() if joint in feet]
    frames = forward(body.skeleton, rest)
    points = body.skin.deform(body.skeleton, frames.positions, frames.rotations)
    return float(np.clip(points[:, 1].min() - min(low, default=0.0), 0.0, _MAX_SOLE_M))


def _lowest(setting: BodySetting, q: Floats) -> dict[str, float]:
    """By joint, the height of the lowest point of its capsules."""
    frames = forward(setting.figure.skeleton, q)
    out: dict[str, float] = {}
    for c in setting.figure.capsules:
        for end in (c.start_in_joint, c.end_in_joint):
            height = float(frames.point(c.joint, end)[1]) - c.radius_m
            out[c.joint] = min(out.get(c.joint, np.inf), height)
    return out


def _supports(mapping: BodyMap, q: Floats) -> list[str]:
    """Roles whose shapes are near the floor in the reference posture."""
    low = _lowest(BodySetting(mapping.reference), q)
    return [
        role
        for role, joint in mapping.reference.roles
        if role.endswith(_SUPPORTS) and low.get(joint, 1.0) < _ON_FLOOR_M
    ]


def _on_ground(setting: BodySetting, posture: Floats) -> Floats:
    """The posture moved vertically until its lowest shapes touch the floor."""
    low = _lowest(setting, posture)
    return _moved(setting, posture, np.array([0.0, -min(low.values()) - setting.sole_m, 0.0]))


def _moved(setting: BodySetting, posture: Floats, shift: Floats) -> Floats:
    """The posture with the body moved by `shift` (3,) in the world."""
    skeleton = setting.figure.skeleton
    return moved_roots(skeleton, posture[None], np.eye(3), shift)[0]


def _ground_terms(
    mapping: BodyMap, start: _Start, skin: Mapping[str, float], weight: float = _GROUND
) -> list[Term]:
    """Supports keep their horizontal position, lowest point on the floor; feet stay flat.

    A foot that stands on its sole stands as in the body's rest pose, its skin on the floor. skin:
    the height of the lowest skin of other feet, by joint.
    """
    setting, posture = start.setting, start.posture
    skeleton = setting.figure.skeleton
    frames = forward(skeleton, posture)
    low, own = _lowest(setting, posture), dict(mapping.body.roles)
    terms: list[Term] = []
    weights = weight * np.array([0.25, 1.0, 0.25])
    for role in start.supports:
        joint = own.get(role, "")
        if joint not in low:
            continue
        side, part = role.split("_", 1)
        flat = part in ("ankle", "toe") and side in start.soles
        target = frames.position(joint).copy()
        if flat:
            target[1] = _standing_height(mapping.body, side, joint)
        else:
            target[1] -= skin.get(joint, low[joint] + _PRESSED_M)
        terms.append(Term(Point(f"{ACTOR}.{joint}"), target, target, weights, label=role))
        if part == "ankle":
            rest = forward(mapping.body.skeleton, mapping.body.skeleton.rest_configuration)
            turn = rest.rotation(joint) if flat else frames.rotation(joint)
            up = np.array([0.0, 1.0, 0.0])
            x, y, z = (turn.T @ up).tolist()
            how = weight * _FLAT / _GROUND
            terms.append(
                Term(Direction(f"{ACTOR}.{joint}", (x, y, z)), up, up, how, label=f"flat {role}")
            )
    return terms


def _lowest_skin(body: Figure, q: Floats, supports: Sequence[str]) -> dict[str, float]:
    """By joint of a foot among the supports: the height of the lowest point of its skin."""
    if body.skin is None:
        return {}
    frames = forward(body.skeleton, q)
    height = body.skin.deform(body.skeleton, frames.positions, frames.rotations)[:, 1]
    owner, out = body.skin.vertex_joint, dict[str, float]()
    for joint in (
        j for role, j in body.roles if role in supports and role.endswith(("ankle", "toe"))
    ):
        mine = owner == body.skeleton.index(joint)
        if mine.any():
            out[joint] = float(height[mine].min())
    return out


def _stands_on_sole(mapping: BodyMap, q: Floats, side: str, supports: Sequence[str]) -> bool:
    """Whether a foot of the reference stands on heel and toes, and not on its instep."""
    if not {f"{side}_ankle", f"{side}_toe"} <= set(supports):
        return False
    skeleton, ankle = mapping.reference.skeleton, mapping.reference.joint_of(f"{side}_ankle")
    up = forward(skeleton, skeleton.rest_configuration).rotation(ankle)[1]
    return bool((forward(skeleton, q).rotation(ankle) @ up)[1] > _UPRIGHT)


def _standing_height(body: Figure, side: str, joint: str) -> float:
    """The height of a joint of a foot above its sole in the rest pose, metres."""
    rest = forward(body.skeleton, body.skeleton.rest_configuration)
    first = body.skeleton.index(body.joint_of(f"{side}_ankle"))
    inside = range(first, int(body.skeleton.tree.subtree_end[first]))
    height = float(rest.position(joint)[1])
    if body.skin is not None:
        mine = np.isin(body.skin.vertex_joint, inside)
        if mine.any():
            return height - float(body.skin.vertices[mine, 1].min())
    names = {body.skeleton.names[j] for j in inside}
    low = _lowest(BodySetting(body), body.skeleton.rest_configuration)
    return height - min((h for name, h in low.items() if name in names), default=0.0)
