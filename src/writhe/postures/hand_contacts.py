"""Contacts of the hands with the body in a posture, and the same contacts on another body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.collision import CollisionTable, NearPairs
from writhe.postures.builtin.pose_setting import ACTOR
from writhe.quantities import Point
from writhe.recognition.body_map import BodyMap
from writhe.skeleton import Figure, Frames, forward
from writhe.skeleton.shape_fitting.fit_points import depths
from writhe.terms import Term

_TOUCH_M = 0.012  # hands nearer than this to another part touch it
_APART_M = 0.006  # parts farther from each other are brought together at their nearest points,
_REACH_M = 0.06  # unless they are farther than this
_COVERED = 10.0  # cost of the depth of a touching point below the surface, against its distance
_WEIGHT = 20.0


@dataclass(frozen=True)
class HandContact:
    """Two points that touch in the reference posture, each fixed to a joint of the body."""

    a: str
    point_a: Floats
    b: str
    point_b: Floats


def contact_terms(contacts: Sequence[HandContact], firmer: float = 1.0) -> list[Term]:
    """Goals that bring the points of contacts together, with `firmer` times the usual weight."""
    terms: list[Term] = []
    for contact in contacts:
        x, y, z = contact.point_a.tolist()
        point = Point(f"{ACTOR}.{contact.a}", (x, y, z), f"{ACTOR}.{contact.b}")
        at, label = contact.point_b, f"touch {contact.a} {contact.b}"
        terms.append(Term(point, at, at, firmer * _WEIGHT, label=label))
    return terms


def nearest_contacts(contacts: Sequence[HandContact], body: Figure, q: Floats) -> list[HandContact]:
    """The contacts at the nearest points of their parts where these are apart; else empty.

    Points that correspond to those of the reference may not meet on a body of other proportions,
    though the parts can.
    """
    frames, near = forward(body.skeleton, q), NearPairs(CollisionTable.of_figure(body))
    nearest, names = _nearest_rows(near, body, frames, _REACH_M), body.skeleton.names
    parts = _parts(body)
    out, changed = list[HandContact](), False
    for contact in contacts:
        found = nearest.get(_key(contact, parts))
        if found is None or near.rows.gap[found] < _APART_M:
            out.append(contact)
            continue
        changed = True
        joints = [names[int(j)] for j in near.rows.joints[found]]
        surface = near.rows.surface_a[found], near.rows.surface_b[found]
        first, second = (
            frames.rotation(j).T @ (at - frames.position(j))
            for j, at in zip(joints, surface, strict=True)
        )
        out.append(HandContact(joints[0], first, joints[1], second))
    return out if changed else []


def contact_gaps(
    contacts: Sequence[HandContact], body: Figure, q: Floats, reach_m: float
) -> list[float]:
    """Gaps between the two parts of each contact, at most reach_m, metres; fingers are of hands."""
    frames, near = forward(body.skeleton, q), NearPairs(CollisionTable.of_figure(body))
    nearest = _nearest_rows(near, body, frames, reach_m)
    parts = _parts(body)
    rows = (nearest.get(_key(contact, parts)) for contact in contacts)
    return [reach_m if i is None else float(near.rows.gap[i]) for i in rows]


def _nearest_rows(
    near: NearPairs, body: Figure, frames: Frames, reach_m: float
) -> dict[tuple[str, str], int]:
    """By pair of parts, in order of their names, the row of their nearest shapes."""
    near.find(frames.positions, frames.rotations, reach_m)
    nearest: dict[tuple[str, str], int] = {}
    parts, names = _parts(body), body.skeleton.names
    for i in range(near.count):
        a, b = sorted(parts[names[int(j)]] for j in near.rows.joints[i])
        if (a, b) not in nearest or near.rows.gap[i] < near.rows.gap[nearest[a, b]]:
            nearest[a, b] = i
    return nearest


def _parts(body: Figure) -> dict[str, str]:
    """The part of the shapes of each joint."""
    return {c.joint: c.part_name for c in body.capsules}


def _key(contact: HandContact, parts: dict[str, str]) -> tuple[str, str]:
    a, b = sorted(parts.get(joint, joint) for joint in (contact.a, contact.b))
    return a, b


def hand_contacts(mapping: BodyMap, q: Floats, body: Figure) -> list[HandContact]:
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
    out: list[HandContact] = []
    for (a, b), i in best.items():
        points = [
            _on_surface(mapping, body, role, surface, frames)
            for role, surface in ((a, rows.surface_a[i]), (b, rows.surface_b[i]))
        ]
        out.append(HandContact(body_roles[a], points[0], body_roles[b], points[1]))
    return out


def _on_surface(mapping: BodyMap, body: Figure, role: str, point: Floats, frames: Frames) -> Floats:
    """A surface point of the reference on the surface of the body's joint.

    That is the nearest point of a capsule which no other capsule of the joint covers.
    """
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
