"""Arms, legs and feet of a person by anatomical role (`Figure.roles`)."""

from __future__ import annotations

SIDES = ("left", "right")
ARM = ("clavicle", "shoulder", "elbow", "wrist")
LEG = ("hip", "knee", "ankle", "toe")
# name: roles from the trunk outwards
LIMBS: dict[str, tuple[str, ...]] = {
    f"{side}_{limb}": tuple(f"{side}_{part}" for part in parts)
    for limb, parts in (("arm", ARM), ("leg", LEG))
    for side in SIDES
}
ANKLES = ("left_ankle", "right_ankle")
END_EFFECTORS = ("left_wrist", "right_wrist", *ANKLES, "head")
TOES = ("left_toe", "right_toe")
FEET = tuple(zip(ANKLES, TOES, strict=True))  # of each side: ankle and toe
FOOT_ROLES = (*ANKLES, *TOES)
