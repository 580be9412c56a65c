"""The scripted drags: standing, sitting on the chair, climbing the ladder."""

from __future__ import annotations

from writhe.research.evaluation.drags.scripted_drag import Script
from writhe.skeleton.limbs import ANKLES, END_EFFECTORS

_LEFT, _RIGHT, _HANDS = ("left_wrist",), ("right_wrist",), ("left_wrist", "right_wrist")

STANDING = (
    Script(
        "across the chest",
        _LEFT,
        ANKLES,
        True,
        (((0.2, 1.1, 0.35),), ((-0.12, 1.25, 0.3),), ((-0.22, 1.38, 0.2),), ((0.3, 1.0, 0.3),)),
    ),
    Script(
        "behind the shoulder",
        _LEFT,
        ANKLES,
        False,
        (((0.0, 1.3, 0.35),), ((-0.25, 1.45, 0.1),), ((-0.2, 1.4, -0.15),), ((0.3, 1.1, 0.3),)),
    ),
    Script(
        "behind the back",
        _HANDS,
        ANKLES,
        True,
        (
            ((0.35, 0.95, -0.1), (-0.35, 0.95, -0.1)),
            ((0.1, 0.98, -0.24), (-0.1, 1.02, -0.26)),
            ((0.35, 0.95, -0.05), (-0.35, 0.95, -0.05)),
        ),
    ),
    Script(
        "fold and swap",
        _HANDS,
        ANKLES,
        True,
        (
            ((0.2, 1.2, 0.35), (-0.2, 1.1, 0.35)),
            ((-0.1, 1.22, 0.3), (0.1, 1.1, 0.24)),
            ((0.25, 1.15, 0.38), (-0.25, 1.15, 0.38)),
            ((-0.1, 1.1, 0.24), (0.1, 1.22, 0.3)),
        ),
    ),
    Script(
        "foot over the knee",
        ("left_ankle",),
        ("right_ankle",),
        True,
        (((0.15, 0.45, 0.3),), ((-0.02, 0.58, 0.3),), ((0.12, 0.12, 0.05),)),
    ),
    Script(
        "into the body",
        _LEFT,
        ANKLES,
        False,
        (((0.2, 1.15, 0.3),), ((0.0, 1.15, 0.0),), ((0.3, 1.1, 0.2),)),
    ),
    Script(
        "through the body",
        _RIGHT,
        ANKLES,
        False,
        (((-0.35, 1.1, 0.05),), ((0.4, 1.1, 0.0),), ((-0.35, 1.1, 0.1),)),
    ),
    Script(
        "through a held chest",
        _RIGHT,
        (*ANKLES, "chest", "hips"),
        False,
        (((-0.35, 1.2, 0.15),), ((0.35, 1.25, -0.2),), ((-0.3, 1.0, 0.2),)),
    ),
)

# first setup of the paper: one body part is dragged, no joint is pinned
CHAIR_FREE = (
    Script(
        "wave",
        _LEFT,
        (),
        True,
        (((0.35, 1.0, 0.35),), ((0.45, 1.3, 0.1),), ((0.2, 0.75, 0.35),)),
    ),
    Script(
        "foot under the seat",
        ("left_ankle",),
        (),
        True,
        (((0.12, 0.1, 0.35),), ((0.12, 0.12, 0.15),), ((0.1, 0.08, 0.43),)),
    ),
    Script(
        "foot around the chair's leg",
        ("left_ankle",),
        (),
        False,
        (((0.36, 0.12, 0.4),), ((0.36, 0.12, 0.05),), ((0.1, 0.12, 0.05),), ((0.1, 0.1, 0.43),)),
    ),
    Script(
        "ankle over the knee",
        ("left_ankle",),
        (),
        True,
        (((0.12, 0.45, 0.55),), ((-0.1, 0.58, 0.45),), ((0.12, 0.1, 0.45),)),
    ),
    Script(
        "hand behind the back rest",
        _LEFT,
        (),
        False,
        (((0.45, 0.75, 0.15),), ((0.4, 0.8, -0.35),), ((0.0, 0.8, -0.35),), ((0.3, 0.8, 0.35),)),
    ),
    Script(
        "hand through the seat",
        _RIGHT,
        (),
        False,
        (((-0.1, 0.75, 0.4),), ((-0.1, 0.25, 0.0),), ((-0.3, 0.75, 0.35),)),
    ),
)

# second setup: feet pinned, upper body dragged
CHAIR_PINNED = (
    Script(
        "lean",
        ("head",),
        ANKLES,
        True,
        (((0.0, 1.1, 0.3),), ((0.25, 1.15, 0.1),), ((0.0, 1.2, -0.05),)),
    ),
    Script(
        "rise and sit down",
        ("hips",),
        ANKLES,
        True,
        (((0.0, 0.72, 0.25),), ((0.0, 0.9, 0.36),), ((0.0, 0.62, 0.06),)),
    ),
    Script(
        "hand to the floor",
        _LEFT,
        ANKLES,
        True,
        (((0.35, 0.6, 0.4),), ((0.32, 0.22, 0.5),), ((0.2, 0.75, 0.35),)),
    ),
    Script(
        "hold the seat",
        _HANDS,
        ANKLES,
        True,
        (
            ((0.38, 0.65, 0.15), (-0.38, 0.65, 0.15)),
            ((0.31, 0.52, 0.08), (-0.31, 0.52, 0.08)),
            ((0.2, 0.72, 0.3), (-0.2, 0.72, 0.3)),
        ),
    ),
    Script(
        "hand around the upright",
        _RIGHT,
        ANKLES,
        False,
        (((-0.42, 0.8, 0.0),), ((-0.3, 0.75, -0.4),), ((0.1, 0.75, -0.1),), ((-0.2, 0.75, 0.3),)),
    ),
)

# one of the five end effectors is dragged, the others are pinned


def _others(joint: str) -> tuple[str, ...]:
    return tuple(name for name in END_EFFECTORS if name != joint)


LADDER = (
    Script(
        "hand up the rail",
        _LEFT,
        _others("left_wrist"),
        True,
        (((0.32, 1.35, 0.1),), ((0.3, 1.45, 0.24),), ((0.28, 1.28, 0.2),)),
    ),
    Script(
        "foot up a rung",
        ("left_ankle",),
        _others("left_ankle"),
        True,
        (
            ((0.1, 0.25, -0.38),),
            ((0.09, 0.36, -0.2),),
            ((0.1, 0.2, -0.35),),
            ((0.09, 0.08, -0.24),),
        ),
    ),
    Script(
        "hand between the rungs",
        _RIGHT,
        _others("right_wrist"),
        True,
        (((-0.1, 1.38, 0.1),), ((-0.08, 1.38, 0.32),), ((-0.28, 1.28, 0.18),)),
    ),
    Script(
        "foot between the rungs",
        ("right_ankle",),
        _others("right_ankle"),
        False,
        (((-0.1, 0.42, -0.3),), ((-0.08, 0.42, 0.3),), ((-0.09, 0.08, -0.24),)),
    ),
    Script(
        "lean out",
        ("head",),
        _others("head"),
        True,
        (((0.2, 1.45, -0.2),), ((-0.15, 1.4, -0.22),), ((0.0, 1.48, -0.15),)),
    ),
    Script(
        "hand through the rail",
        _LEFT,
        _others("left_wrist"),
        False,
        (((0.42, 1.2, 0.1),), ((-0.05, 1.2, 0.3),), ((0.3, 1.25, 0.15),)),
    ),
)
