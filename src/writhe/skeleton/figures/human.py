"""The human figure: joints, capsules, skin, strands and roles."""

from __future__ import annotations

from writhe.skeleton.figure import Figure, GeneratedSkin, Skin
from writhe.skeleton.figures.human_capsules import human_capsules
from writhe.skeleton.figures.human_folds import human_folds
from writhe.skeleton.figures.human_joints import STATURE_M, human_skeleton
from writhe.skeleton.modelling.store import stored_skin

STRANDS = (
    ("torso", ("hips", "spine", "chest", "neck", "head", "head_top")),
    ("left_arm", ("left_shoulder", "left_elbow", "left_wrist", "left_hand_tip")),
    ("right_arm", ("right_shoulder", "right_elbow", "right_wrist", "right_hand_tip")),
    ("left_leg", ("left_hip", "left_knee", "left_ankle", "left_toe", "left_toe_tip")),
    ("right_leg", ("right_hip", "right_knee", "right_ankle", "right_toe", "right_toe_tip")),
)


def _skin() -> Skin:
    from writhe.skeleton.figures.human_blobs import make_human_skin

    return stored_skin("human", make_human_skin)


def build_human(profile: str = "everyday") -> Figure:
    """The human figure with the limits of a named profile."""
    skeleton = human_skeleton(profile)
    return Figure(
        name="human",
        skeleton=skeleton,
        capsules=human_capsules(),
        skin=GeneratedSkin(_skin),
        strands=STRANDS,
        roles=tuple((name, name) for name in skeleton.names),
        folds=human_folds(skeleton),
    )


__all__ = ["STATURE_M", "STRANDS", "build_human", "human_skeleton"]
