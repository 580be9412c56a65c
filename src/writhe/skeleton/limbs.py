"""Arms, legs and feet of a person by anatomical role (`Figure.roles`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from writhe.skeleton.figure import Figure

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


def arms_by_joint(figure: Figure) -> dict[str, tuple[str, float]]:
    """By joint of an arm, from the shoulder on: its side, and its distance along the bones (m)."""
    skeleton, roles = figure.skeleton, dict(figure.roles)
    found: dict[str, tuple[str, float]] = {}
    for side in SIDES:
        if f"{side}_shoulder" not in roles:
            continue
        top = skeleton.index(roles[f"{side}_shoulder"])
        length = {top: 0.0}
        for j in range(top, int(skeleton.tree.subtree_end[top])):
            if j > top:
                offset = float(np.linalg.norm(skeleton.joints[j].offset_in_parent))
                length[j] = length[int(skeleton.tree.parent[j])] + offset
            found[skeleton.names[j]] = side, length[j]
    return found
