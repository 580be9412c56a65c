"""What a rig of a program or data set is called and how it is arranged.

In patterns {S} is Left/Right, {l} left/right, {s} l/r, {C} L/R, {F} Thumb/Index/..., {f} the same
in lower case, {n} the number of a finger joint; {J}, {G}, {E}, {K} and {R} are the sides in
Japanese, German, Spanish, Korean and Russian.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class RigStyle:
    """The names and the arrangement of one rig.

    trunk, neck: (role or None, name) from the hips to the last joint below the neck, and above.
    arm, leg: (role or None, pattern) from the trunk outwards; None is a joint without a role.
    fingers: a pattern with {n} from 1 to `finger_joints`; the joints after the third are tips.
    twists: patterns of helper leaves, by the role whose bone they lie on.
    ends: patterns of end markers, by the role that they follow.
    extra: (parent role, pattern) of joints that have no role: hair, cloth, eyes, weapons.
    """

    family: str
    trunk: tuple[tuple[str | None, str], ...]
    neck: tuple[tuple[str | None, str], ...]
    arm: tuple[tuple[str | None, str], ...]
    leg: tuple[tuple[str | None, str], ...]
    fingers: str = ""
    finger_joints: int = 3
    finger_names: tuple[str, ...] = ("Thumb", "Index", "Middle", "Ring", "Pinky")
    metacarpals: str = ""
    containers: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()  # children of the last container, beside the hips
    twists: dict[str, str] = field(default_factory=dict[str, str])
    ends: dict[str, str] = field(default_factory=dict[str, str])
    extra: tuple[tuple[str, str], ...] = ()
    legs_on: str | None = None  # name of the trunk joint that carries the legs, if not the hips
    arms_on: str | None = None  # name of the joint that carries the arms, if not the last of trunk
    arms_down_deg: float = 0.0  # A-pose
    metres_per_unit: float = 1.0
    z_up: bool = False
    facing_back: bool = False  # VRM 0: towards -Z
    bone_axis: str | None = None  # joint frames turned so that bones run along this axis


def arm_joints(
    clavicle: str, shoulder: str, elbow: str, wrist: str
) -> tuple[tuple[str | None, str], ...]:
    return (("clavicle", clavicle), ("shoulder", shoulder), ("elbow", elbow), ("wrist", wrist))


def leg_joints(hip: str, knee: str, ankle: str, toe: str) -> tuple[tuple[str | None, str], ...]:
    return (("hip", hip), ("knee", knee), ("ankle", ankle), ("toe", toe))


def trunk_joints(*names: str) -> tuple[tuple[str | None, str], ...]:
    """Hips, spine, joints without a role, chest."""
    roles: list[str | None] = [None] * len(names)
    roles[0], roles[1], roles[-1] = "hips", "spine", "chest"
    return tuple(zip(roles, names, strict=True))


def neck_joints(*names: str) -> tuple[tuple[str | None, str], ...]:
    roles: list[str | None] = [None] * len(names)
    roles[0], roles[-1] = "neck", "head"
    return tuple(zip(roles, names, strict=True))
