"""Recognises a person in any skeleton: roles of joints from names and structure together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from writhe.arguments import checked
from writhe.errors import WritheError
from writhe.recognition.body_search import BodyCandidate, find_body
from writhe.recognition.corrections import corrections_of
from writhe.recognition.hand_roles import finger_roles
from writhe.recognition.joint_kinds import joint_kinds
from writhe.recognition.joint_names import ParsedName
from writhe.recognition.naming_conventions import family_of
from writhe.recognition.rest_tree import LIMB_REACH, RestTree
from writhe.recognition.roles import (
    ESSENTIAL,
    FINGER_ROLES,
    ROLES,
    SIDED,
    RigKind,
)
from writhe.recognition.trunk_roles import trunk_roles
from writhe.skeleton.limbs import ARM, LEG, SIDES
from writhe.skeleton.skeleton import Skeleton

# a body with lower scores of both names and form is not taken for a person
_MIN_CONFIDENCE = 0.5
_NAMED = 0.5
_FORMED = 0.3
_SIDES_KNOWN = 0.5
# chains of roles; each joint is a descendant of the one before
CHAINS = (
    ("hips", "spine", "chest", "neck", "head"),
    *(tuple(f"{s}_{p}" for p in parts) for s in SIDES for parts in (ARM, LEG)),
)


@dataclass(frozen=True)
class Recognition:
    """What a skeleton's joints are.

    roles: role (of the body, then of fingers such as `left_index_1`) to joint name.
    confidence: 0 to 1, that these roles are right; 0 if the skeleton is not a person.
    role_confidence: the same for each role.
    kinds: joint name to its purpose in the rig.
    is_person: whether hips, arms and legs were all found with confidence.
    missing: roles of the body that were not found.
    family: the naming convention, `unknown` if no known one matches.
    limbs: chains of joints found by structure, also of animals and robots, the longest first.
    """

    roles: dict[str, str]
    confidence: float
    role_confidence: dict[str, float]
    kinds: dict[str, RigKind]
    is_person: bool
    missing: tuple[str, ...]
    family: str
    limbs: tuple[tuple[str, ...], ...] = field(default=())

    @property
    def body_roles(self) -> dict[str, str]:
        """The roles without those of fingers."""
        return {role: joint for role, joint in self.roles.items() if role in ROLES}


@checked
def recognise(skeleton: Skeleton, roles: Mapping[str, str | None] | None = None) -> Recognition:
    """Find the joint of each anatomical role, and the kind of every other joint.

    roles: known roles (role to joint name; None: the skeleton has no such joint). The other roles
    are found consistently with these and with the corrections stored for the skeleton (`writhe
    roles`).
    """
    known = corrections_of(skeleton)
    if roles:
        taken = {joint for joint in roles.values() if joint is not None}
        known = {r: j for r, j in known.items() if j is None or j not in taken} | dict(roles)
    given = _checked_roles(skeleton, known)
    absent = {role for role, joint in known.items() if joint is None}
    tree = _with_given(RestTree.of(skeleton), given)
    body = find_body(tree)
    found: dict[str, int] = {}
    confidence: dict[str, float] = {}
    if body is not None and _is_credible(body):
        found, confidence = _roles_of_body(tree, body)
    elif body is None or not body.posture.on_all_fours or body.named < _NAMED:
        found, confidence = _roles_by_name(tree)
        if body is not None and body.posture.on_all_fours:
            found, confidence = {}, {}
    found = _merged(tree, {r: j for r, j in found.items() if r not in absent}, given)
    if family_of(skeleton.names) == "cmu":
        found |= _cmu_wrists(skeleton, found, given)
    confidence |= dict.fromkeys(given, 1.0)
    fingers: set[int] = set()
    for side in SIDES:
        hand = found.get(f"{side}_wrist")
        if hand is None:
            continue
        digits, members = finger_roles(tree, side, hand)
        fingers |= members - set(found.values())
        for role, joint in digits.items():
            if role not in found and role not in absent and joint not in found.values():
                found[role] = joint
                confidence[role] = confidence[f"{side}_wrist"] * (
                    1.0 if tree.names[joint].finger else 0.7
                )
    return _recognition(tree, found, confidence, fingers)


def _cmu_wrists(
    skeleton: Skeleton, found: Mapping[str, int], given: Mapping[str, int]
) -> dict[str, int]:
    """The wrists of a CMU skeleton: its joint Hand only twists the forearm."""
    bases = {f"{side}_wrist": f"{side.title()}FingerBase" for side in SIDES}
    return {
        role: skeleton.index(name)
        for role, name in bases.items()
        if role in found and role not in given and name in skeleton.names
    }


def require_person(skeleton: Skeleton, what: str) -> Recognition:
    """`recognise`; raises with the missing roles if the skeleton is not that of a person."""
    found = recognise(skeleton)
    if found.is_person:
        return found
    names = skeleton.names
    lost = ", ".join(r for r in found.missing if r in ESSENTIAL)
    shown = ", ".join(names[:30]) + (", ..." if len(names) > 30 else "")
    problem = f"no joint could be matched to {lost}" if lost else "it does not look like a person"
    raise WritheError(
        f"{what}: {problem} ({len(found.body_roles)} of {len(ROLES)} roles found); its joints are: "
        f"{shown}. Give the roles, in Python as roles={{'left_elbow': 'joint name', ...}}, on the "
        "command line with --roles FILE"
    )


def _checked_roles(skeleton: Skeleton, roles: Mapping[str, str | None]) -> dict[str, int]:
    given: dict[str, int] = {}
    for role, joint in roles.items():
        if role not in ROLES and role not in FINGER_ROLES:
            raise WritheError(
                f"{role!r} is not a role; available: {', '.join(ROLES)}, and fingers such as "
                "left_index_1"
            )
        if joint is None:
            continue
        index = skeleton.index(joint)
        twice = next((r for r, j in given.items() if j == index), None)
        if twice is not None:
            raise WritheError(f"the joint {joint!r} is given both roles {twice!r} and {role!r}")
        given[role] = index
    return given


def _with_given(tree: RestTree, given: Mapping[str, int]) -> RestTree:
    """The tree in which the names of joints with a given role are replaced by that role."""
    if not given:
        return tree
    names = list(tree.names)
    for role, joint in given.items():
        side, part = _split(role)
        if role in FINGER_ROLES:
            finger, number = part.rsplit("_", 1)
            names[joint] = ParsedName(
                side, kind=RigKind.FINGER, number=int(number), finger=finger, plain=part
            )
        else:
            word = "trunk" if part in ("spine", "chest") else part
            names[joint] = ParsedName(side, {word: 1.0}, plain=part)
    return replace(tree, names=names)


def _split(role: str) -> tuple[str | None, str]:
    side, _, part = role.partition("_")
    return (side, part) if side in SIDES else (None, role)


def _is_credible(body: BodyCandidate) -> bool:
    if body.posture.on_all_fours:
        return False
    if body.posture.is_informative and not body.posture.standing and body.named < _NAMED:
        return False
    return body.named >= _NAMED or (body.posture.standing and body.formed >= _FORMED)


def _roles_of_body(tree: RestTree, body: BodyCandidate) -> tuple[dict[str, int], dict[str, float]]:
    found = trunk_roles(tree, body)
    for side, arm, leg in zip(SIDES, body.arms, body.legs, strict=True):
        for part, joint in (*arm.joints.items(), *leg.joints.items()):
            found[f"{side}_{part}"] = joint
    confidence: dict[str, float] = {}
    for role, joint in found.items():
        side, part = _split(role)
        value = tree.names[joint].value("trunk" if part in ("spine", "chest") else part)
        if value < 0 and tree.names[joint].kind is None:
            value = -0.3  # another word for it, such as LowerBack for hips
        sure = 1.0 - (1.0 - 0.9 * max(0.0, value)) * (1.0 - 0.85 * body.formed)
        if value < 0:
            sure *= 0.7
        if side is not None:
            sure *= 0.4 + 0.6 * body.sides
        confidence[role] = float(sure)
    if (
        body.sides <= _SIDES_KNOWN
    ):  # left and right are uncertain: no role is better than a wrong one
        found = {r: j for r, j in found.items() if _split(r)[0] is None}
    return found, {r: confidence[r] for r in found}


def _roles_by_name(tree: RestTree) -> tuple[dict[str, int], dict[str, float]]:
    """Roles of a part of a body by names alone; every joint lies below the one before it."""
    found: dict[str, int] = {}
    confidence: dict[str, float] = {}
    for chain in CHAINS:
        above = -1
        for role in chain:
            side, part = _split(role)
            word = "trunk" if part in ("spine", "chest") else part
            fits = [
                (tree.names[j].value(word), -j)
                for j in range(len(tree))
                if tree.names[j].side == side
                and tree.names[j].value(word) >= (0.9 if part in SIDED else 1.0)
                and j not in found.values()
                and (above < 0 or (tree.contains(above, j) and j != above))
            ]
            if part == "chest":
                fits = [f for f in fits if "chest" in tree.names[-f[1]].plain]
            if fits:
                value, joint = max(fits)
                found[role], above = -joint, -joint
                confidence[role] = 0.6 * value
    return found, confidence


def _merged(tree: RestTree, found: Mapping[str, int], given: Mapping[str, int]) -> dict[str, int]:
    """Given roles, and those found that agree with them."""
    merged = dict(given)
    taken = set(given.values())
    for chain in CHAINS:
        for at, role in enumerate(chain):
            if role in merged or role not in found or found[role] in taken:
                continue
            joint = found[role]
            before = [merged[r] for r in chain[:at] if r in given]
            after = [merged[r] for r in chain[at + 1 :] if r in given]
            if all(tree.contains(b, joint) for b in before) and all(
                tree.contains(joint, a) for a in after
            ):
                merged[role] = joint
                taken.add(joint)
    return merged


def _recognition(
    tree: RestTree, found: Mapping[str, int], confidence: Mapping[str, float], fingers: set[int]
) -> Recognition:
    names = tree.skeleton.names
    ordered = [r for r in (*ROLES, *FINGER_ROLES) if r in found]
    essential = [confidence[r] for r in ESSENTIAL if r in found]
    overall = 0.0
    if len(essential) == len(ESSENTIAL):
        overall = min(float(np.mean(essential)), min(essential) + 0.25)
    kinds = joint_kinds(tree, found, fingers)
    return Recognition(
        roles={r: names[found[r]] for r in ordered},
        confidence=overall,
        role_confidence={r: float(confidence[r]) for r in ordered},
        kinds=kinds,
        is_person=overall >= _MIN_CONFIDENCE,
        missing=tuple(r for r in ROLES if r not in found),
        family=family_of(names),
        limbs=_limbs(tree),
    )


def _limbs(tree: RestTree) -> tuple[tuple[str, ...], ...]:
    """Chains from a branching joint to the next one or to the end, the longest first."""
    names = tree.skeleton.names
    minimum = LIMB_REACH * tree.span
    found: list[tuple[float, tuple[str, ...]]] = []
    for joint in range(len(tree)):
        branches = [c for c in tree.children[joint] if tree.bone[c] + tree.reach[c] > minimum]
        if len(branches) < 2 and tree.parent[joint] >= 0:
            continue
        for branch in branches:
            chain = [branch]
            while True:
                below = [
                    c for c in tree.children[chain[-1]] if tree.bone[c] + tree.reach[c] > minimum
                ]
                if len(below) > 1:
                    break
                onward = below[0] if below else tree.main_child(chain[-1])
                if onward < 0 or (not below and len(tree.children[chain[-1]]) > 1):
                    break
                chain.append(onward)
            if len(chain) > 1:
                length = float(sum(tree.bone[j] for j in chain[1:]))
                found.append((length, tuple(names[j] for j in chain)))
    found.sort(key=lambda f: -f[0])
    return tuple(chain for _, chain in found)
