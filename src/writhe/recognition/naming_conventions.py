"""Naming conventions: which program or data set a skeleton's joint names come from.

The words of joint names are in `joint_name_words`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from writhe.recognition.roles import FINGER_ROLES, ROLES

# family to alternatives; all parts of one alternative must occur among the names, which are
# compared without case and separators
_SIGNS: dict[str, tuple[tuple[str, ...], ...]] = {
    "human": (("left_clavicle", "left_wrist", "chest", "left_toe"),),
    "cmu": (("LHipJoint", "LowerBack", "LeftUpLeg"),),
    "asf": (("lfemur", "ltibia", "lhumerus"),),
    "vroid": (("J_Bip_L_UpperArm",),),
    "mmd": (("左腕", "左ひじ"),),
    "character creator": (("CC_Base_L_Thigh",),),
    "daz": (("lThighBend",), ("lShldr", "lForeArm", "lThigh")),
    "auto-rig pro": (("arm_stretch.l", "thigh_stretch.l"),),
    "bandai-namco": (("joint_Root", "UpperArm_L", "LowerLeg_L"),),
    "rokoko": (("LeftThigh", "LeftShin", "LeftForeArm"), ("LeftInHandIndex", "LeftForeArm")),
    "xsens": (("L5", "L3", "T12", "T8"), ("Chest4", "LeftCollar", "LeftElbow")),
    "smpl-x": (("left_collar", "left_hip", "spine3", "left_index1"),),
    "smpl": (
        ("left_collar", "left_hip", "spine3"),
        ("L_Collar", "L_Hip", "Spine3"),
    ),
    "unreal": (("upperarm_l", "lowerarm_l", "calf_l"),),
    "rigify": (("upper_arm.L", "shin.L"), ("upperarm.L", "shin.L")),
    "vrm": (("leftUpperArm", "leftUpperLeg", "leftShoulder", "upperChest"),),
    "unity": (("LeftUpperLeg", "LeftLowerLeg", "LeftUpperArm"),),
    "ready player me": (("LeftUpLeg", "LeftToeBase", "LeftEye", "HeadTop_End"),),
    "mixamo": (("LeftUpLeg", "LeftForeArm", "LeftToeBase"),),
    "lafan1": (("LeftUpLeg", "LeftForeArm", "LeftToe"),),
}
_BIPED = re.compile(r"^(valvebiped)?bip\d+lthigh$")

# bones of the VRM humanoid table (both versions) to roles
VRM_PARTS = {
    "Shoulder": "clavicle",
    "UpperArm": "shoulder",
    "LowerArm": "elbow",
    "Hand": "wrist",
    "UpperLeg": "hip",
    "LowerLeg": "knee",
    "Foot": "ankle",
    "Toes": "toe",
}


def _plain(name: str) -> str:
    bare = re.split(r"[:|]", name)[-1]
    bare = re.sub(r"^(DEF|ORG)-", "", bare)
    bare = re.sub(r"^(mixamorig\d*_?|character\d*_|m_avg_|f_avg_)", "", bare, flags=re.IGNORECASE)
    return re.sub(r"[\s._\-]+", "", bare).lower()


def family_of(names: Iterable[str]) -> str:
    """The naming family of a skeleton, or `unknown`."""
    listed = list(names)
    plain = {_plain(n) for n in listed}
    if any("mixamorig" in n.lower() for n in listed):
        return "mixamo"
    if any(_BIPED.match(n) for n in plain):
        return "biped"
    for family, alternatives in _SIGNS.items():
        for signs in alternatives:
            if all(_plain(s) in plain for s in signs):
                return family
    return "unknown"


def roles_of_vrm(table: Mapping[str, str]) -> dict[str, str]:
    """Roles of a VRM humanoid table (bone of the specification to joint name), version 0 or 1.

    The thumb's bones differ between the versions: the first one is the metacarpal in version 1,
    called proximal in version 0.
    """
    roles: dict[str, str] = {}
    for role in ("hips", "spine", "chest", "neck", "head"):
        if role in table:
            roles[role] = table[role]
    if "upperChest" in table:  # where the clavicles start
        roles["chest"] = table["upperChest"]
    for side in ("left", "right"):
        for bone, part in VRM_PARTS.items():
            if side + bone in table:
                roles[f"{side}_{part}"] = table[side + bone]
        for finger in ("Thumb", "Index", "Middle", "Ring", "Little"):
            first = "Metacarpal" if side + finger + "Metacarpal" in table else "Proximal"
            middle = "Proximal" if first == "Metacarpal" else "Intermediate"
            ours = "pinky" if finger == "Little" else finger.lower()
            for number, bone in enumerate((first, middle, "Distal"), start=1):
                joint = table.get(side + finger + bone)
                if joint is not None:
                    roles[f"{side}_{ours}_{number}"] = joint
    allowed = {*ROLES, *FINGER_ROLES}
    return {role: joint for role, joint in roles.items() if role in allowed}
