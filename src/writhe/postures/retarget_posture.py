"""Postures of the built-in human on another person's body.

A posture is retargeted by roles, moved vertically until its supports touch the ground, and then
solved for like an authored key pose: feet stay on the ground, hands that touched the body or an
object touch it again, and nothing penetrates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from writhe.arrays import Floats
from writhe.collision import CollisionTable, ContactPolicy, NearPairs, half_space
from writhe.postures.builtin.pose_setting import (
    ACTOR,
    CONTACT_M,
    FLOOR,
    TOUCHING,
    PoseSetting,
)
from writhe.postures.builtin.pose_solver import PoseSolver
from writhe.quantities import Direction, Point
from writhe.recognition.body_map import BodyMap
from writhe.retargeting.retarget import retarget
from writhe.scene import Actor, Layout, Scene, SceneObject
from writhe.scene.objects import built_in
from writhe.skeleton import Figure, Motion, forward
from writhe.skeleton.frozen_joints import frozen
from writhe.skeleton.move_root import moved_roots
from writhe.skeleton.shape_fitting.fit_points import depths
from writhe.terms import Term, stay_near

_TOUCH_M = 0.012  # hands nearer than this to another part touch it
_ON_FLOOR_M = 0.03  # feet, knees and hands with shapes nearer than this stand on the floor
_PRESSED_M = 0.002  # depth of soles in the floor
_MAX_SOLE_M = 0.02  # the shapes of a foot may reach this far below its skin
SEAT, SEAT_M = "chair", 0.45  # the built-in chair, and the height of its seat
_FITTING = (0.8, 1.2)  # leg length / that of the human: other bodies do not fit a chair
_SUPPORTS = ("ankle", "toe", "knee", "wrist")
_COVERED = 10.0  # cost of the depth of a touching point below the surface, against its distance
_POSTURE, _TOUCH, _GROUND = 0.15, 20.0, 30.0  # weights
_FLAT = 6.0  # weight of the direction of a foot, with ground terms of weight _GROUND
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
class _Touch:
    """Two points that touch in the reference posture, each fixed to a joint of the body.

    `b` is empty for a point of the world.
    """

    a: str
    point_a: Floats
    b: str
    point_b: Floats


def posture_on_body(
    mapping: BodyMap, q: Floats, object_name: str = "", iterations: int = 40
) -> Floats:
    """(nq,) the reference's posture q (nq of the reference) on the map's body.

    q stands on the floor y = 0, with the built-in object `object_name`, if any, at the origin. The
    position of the hips relative to it is scaled by leg length.
    """
    body, reference = mapping.body, mapping.reference
    source = Motion(reference.skeleton, np.atleast_2d(q), 30.0, "posture", {})
    start = retarget(source, body, keep_feet=False, source_figure=reference).q[0]
    movable = set(dict(body.roles).values())
    held = frozen(body, start, movable)
    setting = BodySetting(held.figure, object_name, sole_depth(body))
    posture = held.reduced(start)
    supports = _supports(mapping, np.asarray(q))
    if object_name == SEAT and _is_seated(mapping, np.asarray(q)) and not _fits_seat(mapping):
        posture = _on_seat(setting, mapping, np.asarray(q), posture)
        if mapping.scale < 1.0:  # the feet do not reach the floor
            supports = [role for role in supports if not role.endswith(("ankle", "toe", "knee"))]
    elif supports:
        posture = _on_ground(setting, posture)
    goals = stay_near(
        setting.skeleton,
        posture,
        weight=_POSTURE,
        weight_of={
            f"{ACTOR}.{joint}": _WEIGHT_OF[kind]
            for role, joint in body.roles
            if (kind := role.rsplit("_", 1)[-1]) in _WEIGHT_OF
        },
    )
    goals += _ground_terms(setting, mapping, supports, posture)
    for touch in _touches(mapping, np.asarray(q), held.figure):
        on = f"{ACTOR}.{touch.b}" if touch.b else None
        x, y, z = touch.point_a.tolist()
        goals.append(
            Term(
                Point(f"{ACTOR}.{touch.a}", (x, y, z), on),
                touch.point_b,
                touch.point_b,
                _TOUCH,
                label=f"touch {touch.a} {touch.b}",
            )
        )
    solver = PoseSolver(setting)
    solved = solver.solve(posture, goals, iterations)
    if not setting.clear(solved)[0]:  # goals that contradict each other may outweigh contacts
        near = stay_near(setting.skeleton, solved, weight=_RELAXED)
        feet = _ground_terms(setting, mapping, supports, posture, weight=10.0 * _RELAXED)
        solved = solver.solve(solved, [*near, *feet], 2 * iterations)
    return held.complete(solved)


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


def _is_seated(mapping: BodyMap, q: Floats) -> bool:
    """Whether the hips of the reference posture are on the seat of a chair at the origin."""
    hips = forward(mapping.reference.skeleton, q).position(mapping.reference.joint_of("hips"))
    return bool(np.abs(hips[[0, 2]]).max() < 0.25 and hips[1] < SEAT_M + 0.25)


def _fits_seat(mapping: BodyMap) -> bool:
    return _FITTING[0] < mapping.scale < _FITTING[1]


def _on_seat(setting: BodySetting, mapping: BodyMap, q: Floats, posture: Floats) -> Floats:
    """The posture moved onto the seat: hips on it, knees beyond its edge as in the reference."""
    own, known = dict(mapping.body.roles), dict(mapping.reference.roles)
    frames = forward(setting.figure.skeleton, posture)
    reference = forward(mapping.reference.skeleton, q)
    knees = ("left_knee", "right_knee")
    shift = np.mean([reference.position(known[k]) - frames.position(own[k]) for k in knees], axis=0)
    low = _lowest(setting, posture)
    seated = [low[own[role]] for role in ("hips", "left_hip", "right_hip") if own[role] in low]
    shift[1] = SEAT_M - _PRESSED_M - min(seated, default=SEAT_M)
    return _moved(setting, posture, shift)


def _moved(setting: BodySetting, posture: Floats, shift: Floats) -> Floats:
    """The posture with the body moved by `shift` (3,) in the world."""
    skeleton = setting.figure.skeleton
    return moved_roots(skeleton, posture[None], np.eye(3), shift)[0]


def _ground_terms(
    setting: BodySetting,
    mapping: BodyMap,
    supports: Sequence[str],
    posture: Floats,
    weight: float = _GROUND,
) -> list[Term]:
    """Supports keep their horizontal position, lowest point on the floor; feet stay flat.

    A foot that stands on heel and toes in the reference stands as in the body's rest pose, its skin
    on the floor.
    """
    skeleton = setting.figure.skeleton
    frames = forward(skeleton, posture)
    low, own = _lowest(setting, posture), dict(mapping.body.roles)
    terms: list[Term] = []
    weights = weight * np.array([0.25, 1.0, 0.25])
    for role in supports:
        joint = own.get(role, "")
        if joint not in low:
            continue
        side, part = role.split("_", 1)
        flat = part in ("ankle", "toe") and {f"{side}_ankle", f"{side}_toe"} <= set(supports)
        target = frames.position(joint).copy()
        if flat:
            target[1] = _standing_height(mapping.body, side, joint)
        else:
            target[1] -= low[joint] + (setting.sole_m if part in ("ankle", "toe") else _PRESSED_M)
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


def _touches(mapping: BodyMap, q: Floats, body: Figure) -> Iterator[_Touch]:
    """Contacts of the hands in the reference posture, as points of the body's joints."""
    reference = mapping.reference
    table = CollisionTable.of_figure(reference)
    frames, near = forward(reference.skeleton, q), NearPairs(table)
    near.find(frames.positions, frames.rotations, _TOUCH_M)
    rows = near.rows
    role_of = {j: r for r, j in reference.roles}
    body_roles = dict(body.roles)
    best: dict[tuple[str, str], int] = {}
    for i in range(near.count):
        names = [reference.skeleton.names[int(j)] for j in rows.joints[i]]
        roles = [role_of.get(n, "") for n in names]
        if not any(r.endswith("_wrist") for r in roles) or not all(r in body_roles for r in roles):
            continue
        if {"wrist", "elbow"} == {r.rsplit("_", 1)[-1] for r in roles} and (
            roles[0].split("_")[0] == roles[1].split("_")[0]
        ):
            continue  # a hand and its own forearm
        key = (roles[0], roles[1])
        if key not in best or rows.gap[i] < rows.gap[best[key]]:
            best[key] = i
    for (a, b), i in best.items():
        points = [
            _on_surface(mapping, body, role, surface, frames)
            for role, surface in ((a, rows.surface_a[i]), (b, rows.surface_b[i]))
        ]
        yield _Touch(body_roles[a], points[0], body_roles[b], points[1])


def _on_surface(mapping: BodyMap, body: Figure, role: str, point: Floats, frames: object) -> Floats:
    """A surface point of the reference on the surface of the body's joint.

    That is the nearest point of a capsule which no other capsule of the joint covers.
    """
    from writhe.skeleton import Frames

    assert isinstance(frames, Frames)
    joint = mapping.reference.joint_of(role)
    local = frames.rotation(joint).T @ (point - frames.position(joint))
    guess = mapping.point_on_body(role, local)
    mine = [c for c in body.capsules if c.joint == body.joint_of(role)]
    rows = np.array([[*c.start_in_joint, *c.end_in_joint, c.radius_m] for c in mine])
    best, found = np.inf, guess
    for c in mine:
        axis = c.end_in_joint - c.start_in_joint
        t = float(np.clip((guess - c.start_in_joint) @ axis / (axis @ axis + 1e-12), 0.0, 1.0))
        centre = c.start_in_joint + t * axis
        away = guess - centre
        distance = float(np.linalg.norm(away))
        if distance < 1e-6:
            continue
        candidate = centre + c.radius_m * away / distance
        covered = max(0.0, float(depths(candidate[None], rows)[0]))
        cost = abs(distance - c.radius_m) + _COVERED * covered
        if cost < best:
            best, found = cost, candidate
    return found
