"""Anatomical roles of joints, and the kinds of joints of a rig.

The roles of the body are the joint names of the built-in human. Fingers have roles of their own
(`left_index_1` is the knuckle), which are optional.
"""

from __future__ import annotations

from enum import StrEnum

from writhe.skeleton.limbs import ARM, LEG, SIDES

MIDLINE = ("hips", "spine", "chest", "neck", "head")
SIDED = (*ARM, *LEG)
ROLES = (*MIDLINE, *(f"{side}_{part}" for side in SIDES for part in SIDED))
FINGERS = ("thumb", "index", "middle", "ring", "pinky")
FINGER_ROLES = tuple(
    f"{side}_{finger}_{number}" for side in SIDES for finger in FINGERS for number in (1, 2, 3)
)
# required of a person's skeleton
ESSENTIAL = (
    "hips",
    *(f"{s}_{p}" for s in SIDES for p in ("shoulder", "elbow", "hip", "knee", "ankle")),
)


class RigKind(StrEnum):
    """What a joint of a rig is for."""

    CONTAINER = "container"  # world, armature or trajectory node above the hips
    BODY = "body"  # a joint with a role, or between two of them (further vertebrae)
    HELPER = "helper"  # twist, roll, inverse kinematics, correction
    END = "end"  # marks the end of a bone and moves nothing
    FINGER = "finger"
    TOE = "toe"  # the ball of the foot has a role; these are joints beyond it
    FACE = "face"
    HAIR = "hair"
    CLOTH = "cloth"
    ATTACHMENT = "attachment"  # weapons, tails, wings, accessories
    UNKNOWN = "unknown"
