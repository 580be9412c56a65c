"""Anatomical roles: finds, for example, the left knee of a skeleton by its joint names.

The roles are the joint names of the built-in human. Helper, twist and finger bones have no role.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from writhe.arguments import checked
from writhe.errors import WritheError
from writhe.skeleton.limbs import ARM, LEG

MIDLINE = ("hips", "spine", "chest", "neck", "head")
SIDED = (*ARM, *LEG)
ROLES = (*MIDLINE, *(f"{side}_{part}" for side in ("left", "right") for part in SIDED))
# a person's skeleton has all of these
ESSENTIAL = (
    "hips",
    *(f"{s}_{p}" for s in ("left", "right") for p in ("shoulder", "elbow", "hip", "knee", "ankle")),
)

# For each naming family: role without its side to joint names, the best first. {S} stands for
# Left/Right, {s} for l/r. Names are compared without case, spaces, dots, dashes, underscores.
_SAME_ARMS_AND_LEGS = {
    "clavicle": ("{S}Shoulder",),
    "shoulder": ("{S}Arm",),
    "elbow": ("{S}ForeArm",),
    "wrist": ("{S}Hand",),
    "hip": ("{S}UpLeg",),
    "knee": ("{S}Leg",),
    "ankle": ("{S}Foot",),
}
FAMILIES: dict[str, dict[str, tuple[str, ...]]] = {
    "human": {role: (role,) for role in MIDLINE} | {part: ("{S}" + part,) for part in SIDED},
    # Neck is where the clavicles start and Neck1 the base of the neck; the joint called Hand only
    # twists the lower forearm, and the wrist is the joint of the fingers' base
    "cmu": _SAME_ARMS_AND_LEGS
    | {
        "wrist": ("{S}FingerBase", "{S}Hand"),
        "hips": ("Hips",),
        "spine": ("Spine",),
        "chest": ("Spine1",),
        "neck": ("Neck1",),
        "head": ("Head",),
        "toe": ("{S}ToeBase",),
        "_sign": ("LowerBack", "LHipJoint", "RHipJoint"),
    },
    "mixamo": _SAME_ARMS_AND_LEGS
    | {
        "hips": ("Hips",),
        "spine": ("Spine",),
        "chest": ("Spine2", "Spine1"),
        "neck": ("Neck",),
        "head": ("Head",),
        "toe": ("{S}ToeBase",),
    },
    "lafan1": _SAME_ARMS_AND_LEGS
    | {
        "hips": ("Hips",),
        "spine": ("Spine",),
        "chest": ("Spine2",),
        "neck": ("Neck",),
        "head": ("Head",),
        "toe": ("{S}Toe",),
    },
    "smpl": {
        "hips": ("pelvis",),
        "spine": ("spine1",),
        "chest": ("spine3",),
        "neck": ("neck",),
        "head": ("head",),
        "clavicle": ("{S}_collar",),
        "shoulder": ("{S}_shoulder",),
        "elbow": ("{S}_elbow",),
        "wrist": ("{S}_wrist",),
        "hip": ("{S}_hip",),
        "knee": ("{S}_knee",),
        "ankle": ("{S}_ankle",),
        "toe": ("{S}_foot",),
    },
    "rigify": {
        "hips": ("spine", "torso"),
        "spine": ("spine.001",),
        "chest": ("spine.003", "spine.002"),
        "neck": ("spine.004", "neck"),
        "head": ("spine.006", "spine.005", "head"),
        "clavicle": ("shoulder.{s}",),
        "shoulder": ("upper_arm.{s}",),
        "elbow": ("forearm.{s}",),
        "wrist": ("hand.{s}",),
        "hip": ("thigh.{s}",),
        "knee": ("shin.{s}",),
        "ankle": ("foot.{s}",),
        "toe": ("toe.{s}",),
    },
    "unreal": {
        "hips": ("pelvis",),
        "spine": ("spine_01",),
        "chest": ("spine_05", "spine_03", "spine_02"),
        "neck": ("neck_01",),
        "head": ("head",),
        "clavicle": ("clavicle_{s}",),
        "shoulder": ("upperarm_{s}",),
        "elbow": ("lowerarm_{s}",),
        "wrist": ("hand_{s}",),
        "hip": ("thigh_{s}",),
        "knee": ("calf_{s}",),
        "ankle": ("foot_{s}",),
        "toe": ("ball_{s}",),
    },
}


@dataclass(frozen=True)
class RoleMatch:
    """The best naming family of a set of joint names: role to joint, and missing roles."""

    family: str
    roles: dict[str, str]
    missing: tuple[str, ...]

    @property
    def is_person(self) -> bool:
        """Whether hips, arms and legs were all found."""
        return not any(role in self.missing for role in ESSENTIAL)


def _plain(name: str) -> str:
    """A name without namespace ('mixamorig:'), Rigify's DEF-/ORG- prefix, case and separators."""
    bare = re.sub(r"^(DEF|ORG|MCH)-", "", name.rsplit(":", 1)[-1])
    bare = re.sub(r"^mixamorig\d*_?", "", bare, flags=re.IGNORECASE)
    return re.sub(r"[\s._\-]+", "", bare).lower()


def _candidates(family: str, role: str) -> tuple[str, ...]:
    side, _, part = role.partition("_")
    table = FAMILIES[family]
    if part not in SIDED:
        return tuple(_plain(n) for n in table.get(role, ()))
    return tuple(_plain(n.format(S=side.title(), s=side[0])) for n in table.get(part, ()))


@checked
def match_roles(names: Iterable[str]) -> RoleMatch:
    """Find the naming family that matches most roles.

    Ties go to a family whose characteristic joints are present (CMU), then to the order of
    FAMILIES. A `DEF-` bone is preferred to other copies of it.
    """
    given = sorted(names, key=lambda n: not n.startswith("DEF-"))
    by_plain: dict[str, str] = {}
    for name in given:
        by_plain.setdefault(_plain(name), name)
    best: tuple[tuple[int, int, int], RoleMatch] | None = None
    for rank, family in enumerate(FAMILIES):
        roles: dict[str, str] = {}
        for role in ROLES:
            found = next((c for c in _candidates(family, role) if c in by_plain), None)
            if found is not None and by_plain[found] not in roles.values():
                roles[role] = by_plain[found]
        signs = FAMILIES[family].get("_sign", ())
        telling = int(bool(signs) and all(_plain(s) in by_plain for s in signs))
        if signs and not telling:
            continue
        missing = tuple(role for role in ROLES if role not in roles)
        score = (len(roles), telling, -rank)
        if best is None or score > best[0]:
            best = (score, RoleMatch(family, roles, missing))
    assert best is not None
    return best[1]


def require_person(names: Iterable[str], what: str) -> RoleMatch:
    """`match_roles`; raises with the missing roles if the skeleton is not that of a person."""
    listed = list(names)
    match = match_roles(listed)
    if not match.is_person:
        lost = ", ".join(r for r in match.missing if r in ESSENTIAL)
        shown = ", ".join(listed[:30]) + (", ..." if len(listed) > 30 else "")
        raise WritheError(
            f"{what}: no joint could be matched to {lost} (best family: {match.family}, "
            f"{len(match.roles)} of {len(ROLES)} roles); its joints are: {shown}. "
            "Rename them after one of the families "
            f"{', '.join(FAMILIES)}, or pass the roles explicitly"
        )
    return match
