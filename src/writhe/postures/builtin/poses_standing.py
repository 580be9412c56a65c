"""Standing key poses: gestures and work with the hands."""

from __future__ import annotations

from writhe.postures.builtin.anatomical_angles import ArmAngles as A
from writhe.postures.builtin.anatomical_angles import LegAngles as L
from writhe.postures.builtin.anatomical_angles import PelvisPose as P
from writhe.postures.builtin.anatomical_angles import TrunkAngles as T
from writhe.postures.builtin.key_pose import (
    DirectionGoal,
    KeyPose,
    PointGoal,
    hand,
    hands,
    key,
)

_WIDE = L(abduct=11, rotate=10)
_UP = A(flex=165, abduct=8, rotate=0, elbow=12)
_AT_CHEST = A(flex=35, abduct=18, rotate=45, elbow=100)
# the right forearm lies on the body, its hand under the left upper arm; the left one lies on it,
# its hand on the right upper arm
FOLDED_LEFT = A(flex=38, abduct=10, rotate=62, elbow=108)
FOLDED_RIGHT = A(flex=22, abduct=14, rotate=62, elbow=104)
FOLDED: tuple[PointGoal | DirectionGoal, ...] = (
    *hand("left", (-0.165, 0.05, 0.02), "right_shoulder", weight=6.0),
    DirectionGoal("left_wrist", (0.0, -1.0, 0.0), (-0.5, -0.2, -1.0), "chest", 2.5),
    *hand("right", (0.12, -0.04, 0.09), "chest", palm=(-0.4, 0, -1), weight=6.0),
    DirectionGoal("right_wrist", (-1.0, 0.0, 0.0), (1.0, 0.3, -0.5), "chest"),
)

IDLE: tuple[KeyPose, ...] = (
    key("stand"),
    key("stand wide", legs=_WIDE),
    key("attention", arms=A(abduct=7, elbow=6, rotate=0), legs=L(abduct=1, rotate=12)),
    key(
        "contrapposto",
        left_leg=L(flex=20, abduct=9, rotate=18, knee=30),
        right_leg=L(abduct=-3),
        pelvis=P(roll=6, left_m=-0.06),
        trunk=T(lean=-6, turn=6, look=15),
        left_arm=A(abduct=8, elbow=25),
        right_arm=A(abduct=16),
    ),
    key("slouch", arms=A(flex=10, rotate=25), trunk=T(bend=22, nod=12), pelvis=P(pitch=-6)),
    key("look left", trunk=T(turn=20, look=55)),
    key("look up", trunk=T(bend=-8, nod=-38)),
    key("look down", trunk=T(bend=12, nod=36)),
    key(
        "shrug",
        arms=A(flex=8, abduct=26, rotate=-38, elbow=62, pronate=-70, raise_=16),
        trunk=T(tilt=10),
    ),
    key(
        "hands on hips",
        arms=A(flex=-14, abduct=45, rotate=62, elbow=102),
        goals=hands((0.155, 0.055, 0.045), "hips", palm=(-1, -0.3, 0)),
    ),
    key(
        "one hand on hip",
        left_arm=A(flex=-14, abduct=45, rotate=62, elbow=102),
        left_leg=L(flex=18, abduct=9, rotate=18, knee=26),
        pelvis=P(roll=5, left_m=-0.05),
        goals=hand("left", (0.155, 0.055, 0.045), "hips", palm=(-1, -0.3, 0)),
    ),
    key(
        "hands behind back",
        arms=A(flex=-30, abduct=14, rotate=65, elbow=70),
        goals=hand("left", (-0.01, 0.02, -0.165), "hips", palm=(0, 0, -1))
        + hand("right", (0.01, -0.06, -0.20), "hips", palm=(0, 0, -1)),
    ),
    key(
        "forearms behind back",
        arms=A(flex=-32, abduct=16, rotate=72, elbow=92),
        goals=hand("left", (-0.10, 0.06, -0.15), "spine", point="wrist")
        + hand("right", (0.10, 0.00, -0.19), "spine", point="wrist"),
    ),
    key(
        "hands behind head",
        arms=A(flex=20, abduct=118, rotate=-88, elbow=132),
        goals=hands((0.045, 0.08, -0.135), "head", palm=(0, 0, 1)),
    ),
    key(
        "hand on neck",
        right_arm=A(flex=40, abduct=100, rotate=-70, elbow=138),
        goals=hand("right", (-0.03, 0.03, -0.09), "neck", palm=(0, 0, 1)),
        trunk=T(nod=15),
    ),
    key(
        "hands clasped low",
        arms=A(flex=16, abduct=10, rotate=35, elbow=35),
        goals=hand("left", (0.02, -0.10, 0.19), "hips", palm=(0, 0, -1))
        + hand("right", (-0.02, -0.08, 0.24), "hips", palm=(0, 0, -1)),
    ),
    key(
        "arms folded",
        left_arm=FOLDED_LEFT,
        right_arm=FOLDED_RIGHT,
        goals=FOLDED,
        firm_trunk=True,
    ),
    key(
        "arms folded low",
        left_arm=A(flex=34, abduct=10, rotate=60, elbow=85),
        right_arm=A(flex=12, abduct=14, rotate=62, elbow=88),
        goals=hand("left", (-0.12, 0.04, 0.245), "spine", point="wrist")
        + hand("right", (0.13, 0.00, 0.17), "spine", point="wrist"),
        legs=_WIDE,
    ),
    key(
        "legs crossed",
        left_leg=L(flex=-2, abduct=-4, rotate=2),
        right_leg=L(flex=14, abduct=-17, rotate=10, knee=14),
    ),
    key(
        "legs crossed arms folded",
        left_leg=L(flex=-2, abduct=-4, rotate=2),
        right_leg=L(flex=14, abduct=-17, rotate=10, knee=14),
        left_arm=FOLDED_LEFT,
        right_arm=FOLDED_RIGHT,
        goals=FOLDED,
        firm_trunk=True,
    ),
)

GESTURES: tuple[KeyPose, ...] = (
    key("t-pose", arms=A(flex=0, abduct=86, rotate=0, elbow=6)),
    key("arms wide", arms=A(flex=18, abduct=74, rotate=-15, elbow=28, pronate=-40)),
    key("arms forward", arms=A(flex=84, abduct=8, rotate=10, elbow=10)),
    key("arms raised", arms=_UP),
    key("cheer", arms=A(flex=150, abduct=28, rotate=-20, elbow=35), trunk=T(bend=-8, nod=-20)),
    key("surrender", arms=A(flex=10, abduct=82, rotate=-86, elbow=88)),
    key("wave in", right_arm=A(flex=20, abduct=72, rotate=-88, elbow=112), trunk=T(tilt=5)),
    key("wave out", right_arm=A(flex=20, abduct=80, rotate=-82, elbow=58), trunk=T(tilt=-5)),
    key("wave high", right_arm=A(flex=150, abduct=20, rotate=-30, elbow=40)),
    key(
        "salute",
        right_arm=A(flex=45, abduct=72, rotate=-25, elbow=128),
        goals=hand("right", (-0.085, 0.125, 0.085), "head", point="tips", fingers=(1, 0.45, 0.0)),
        legs=L(abduct=1, rotate=12),
    ),
    key(
        "phone",
        right_arm=A(flex=50, abduct=28, rotate=-10, elbow=138),
        goals=hand("right", (-0.115, 0.06, 0.02), "head", palm=(1, 0, 0), fingers=(0, 1, -0.3)),
        trunk=T(tilt=-8),
    ),
    key(
        "drink",
        right_arm=A(flex=55, abduct=20, rotate=20, elbow=125),
        goals=hand("right", (-0.04, -0.03, 0.19), "head", point="fist"),
        trunk=T(nod=-14),
    ),
    key(
        "think",
        right_arm=A(flex=38, abduct=4, rotate=35, elbow=132),
        left_arm=A(flex=28, abduct=10, rotate=62, elbow=92),
        goals=hand("right", (-0.01, -0.02, 0.13), "head", point="tips", fingers=(0, 1, -0.2))
        + hand("left", (-0.13, 0.06, 0.20), "spine", point="palm"),
        trunk=T(nod=12),
    ),
    key(
        "scratch head",
        left_arm=A(flex=60, abduct=78, rotate=-50, elbow=132),
        goals=hand("left", (0.06, 0.20, 0.0), "head", point="tips"),
        trunk=T(tilt=6),
    ),
    key(
        "wash hair",
        arms=A(flex=70, abduct=60, rotate=-40, elbow=122),
        goals=hands((0.075, 0.19, -0.02), "head", point="tips"),
        trunk=T(nod=20),
    ),
    key(
        "cover face",
        arms=A(flex=65, abduct=5, rotate=25, elbow=132),
        goals=hands((0.045, 0.06, 0.15), "head", palm=(0, 0, -1), fingers=(0, 1, 0)),
        trunk=T(bend=14, nod=26),
    ),
    key(
        "cover ears",
        arms=A(flex=45, abduct=58, rotate=-30, elbow=135),
        goals=hands((0.115, 0.06, 0.01), "head", palm=(-1, 0, 0), fingers=(0, 1, 0)),
    ),
    key("point ahead", right_arm=A(flex=86, abduct=4, rotate=5, elbow=4), trunk=T(turn=8)),
    key("point aside", right_arm=A(flex=10, abduct=84, rotate=0, elbow=4), trunk=T(look=-50)),
    key("point up", left_arm=A(flex=150, abduct=14, rotate=0, elbow=6), trunk=T(nod=-30)),
    key("point down", left_arm=A(flex=34, abduct=14, elbow=6), trunk=T(nod=26, look=10)),
    key(
        "applaud",
        arms=_AT_CHEST,
        goals=hands((0.04, 0.02, 0.33), "chest", palm=(-1, 0, 0), fingers=(-0.2, 0.5, 1)),
    ),
    key(
        "applaud open",
        arms=A(flex=35, abduct=26, rotate=20, elbow=92),
        goals=hands((0.17, 0.03, 0.32), "chest", palm=(-1, 0, 0), fingers=(0, 0.5, 1)),
    ),
    key(
        "prayer",
        arms=_AT_CHEST,
        goals=hands((0.026, 0.08, 0.26), "chest", palm=(-1, 0, 0), fingers=(0, 1, 0.2)),
        trunk=T(nod=12),
    ),
    key(
        "hug self",
        left_arm=A(flex=64, abduct=-14, rotate=38, elbow=118),
        right_arm=A(flex=48, abduct=-8, rotate=45, elbow=114),
        goals=hand("left", (-0.17, 0.15, 0.15), "chest", palm=(0.3, 0, -1))
        + hand("right", (0.17, 0.10, 0.13), "chest", palm=(-0.3, 0, -1)),
        legs=L(flex=14, abduct=0, rotate=2, knee=22, ankle=8),
        trunk=T(bend=26, nod=18),
        firm_trunk=True,
    ),
    key(
        "embrace",
        arms=A(flex=72, abduct=22, rotate=35, elbow=48, forward=14),
        trunk=T(bend=8),
        goals=hands((0.07, 0.04, 0.48), "chest", palm=(-0.3, 0, -1), fingers=(-1, 0.2, 0.1)),
    ),
    key(
        "hand on heart",
        right_arm=A(flex=32, abduct=14, rotate=55, elbow=112),
        goals=hand("right", (0.06, 0.08, 0.135), "chest", palm=(0, 0, -1), fingers=(1, 0.3, 0)),
    ),
    key(
        "hand on shoulder",
        right_arm=A(flex=68, abduct=-18, rotate=30, elbow=120),
        goals=hand("right", (0.165, 0.235, 0.05), "chest", palm=(-0.2, -1, 0)),
        trunk=T(look=20),
    ),
    key(
        "look at watch",
        left_arm=A(flex=42, abduct=22, rotate=52, elbow=98),
        trunk=T(nod=26, look=10),
    ),
    key("beckon", right_arm=A(flex=50, abduct=10, rotate=0, elbow=70, pronate=-80)),
    key("explain", arms=A(flex=28, abduct=16, rotate=8, elbow=78, pronate=-60), trunk=T(turn=8)),
    key("stop", right_arm=A(flex=82, abduct=2, rotate=-10, elbow=22, wrist=-62, pronate=40)),
    key(
        "hands on thighs",
        legs=L(flex=52, abduct=10, rotate=10, knee=42, ankle=14),
        pelvis=P(pitch=32, height_m=0.85),
        trunk=T(bend=32, nod=-22),
        arms=A(flex=48, abduct=16, rotate=30, elbow=24),
        goals=hand("left", (0.02, -0.32, 0.09), "left_hip", palm=(0, 0, -1))
        + hand("right", (-0.02, -0.32, 0.09), "right_hip", palm=(0, 0, -1)),
    ),
    key(
        "bow",
        pelvis=P(pitch=36),
        legs=L(flex=40, knee=4),
        trunk=T(bend=20, nod=12),
        arms=A(flex=30),
    ),
    key(
        "bow deep",
        pelvis=P(pitch=62),
        legs=L(flex=68, knee=6),
        trunk=T(bend=34, nod=18),
        arms=A(flex=60, elbow=8),
    ),
    key(
        "curtsy",
        left_leg=L(flex=34, abduct=2, knee=46, ankle=16),
        right_leg=L(flex=0, abduct=-14, knee=62, toes=30),
        arms=A(flex=10, abduct=36, elbow=30),
        support=("left_foot", "right_ball"),
        trunk=T(nod=16),
    ),
)

WORK: tuple[KeyPose, ...] = (
    key(
        "carry box",
        arms=A(flex=26, abduct=14, rotate=16, elbow=84),
        goals=hands((0.17, -0.06, 0.36), "spine", palm=(-1, 0, 0), fingers=(0, 0.1, 1)),
        trunk=T(bend=-6),
    ),
    key(
        "carry low",
        arms=A(flex=18, abduct=10, rotate=14, elbow=32),
        goals=hands((0.17, -0.10, 0.30), "hips", palm=(-1, 0.2, 0), fingers=(0, -0.5, 1)),
        legs=L(flex=14, abduct=8, rotate=8, knee=20, ankle=8),
        trunk=T(bend=6),
    ),
    key(
        "carry on shoulder",
        right_arm=A(flex=70, abduct=50, rotate=-60, elbow=125),
        goals=hand("right", (-0.24, 0.36, 0.06), "chest", palm=(0, 1, 0)),
        trunk=T(lean=5),
    ),
    key(
        "carry bag",
        left_arm=A(flex=2, abduct=14, elbow=4, raise_=-4),
        right_arm=A(abduct=22, elbow=20),
        trunk=T(lean=-10),
    ),
    key("hold overhead", arms=A(flex=158, abduct=14, rotate=-6, elbow=22), trunk=T(nod=-16)),
    key(
        "push",
        arms=A(flex=72, abduct=10, rotate=12, elbow=34, wrist=-60),
        left_leg=L(flex=44, knee=48, ankle=12),
        right_leg=L(flex=-18, knee=8, ankle=14),
        pelvis=P(pitch=14),
        trunk=T(bend=14, nod=-12),
        support=("left_foot", "right_ball"),
    ),
    key(
        "pull",
        arms=A(flex=60, abduct=4, rotate=10, elbow=16),
        left_leg=L(flex=50, knee=36, ankle=2),
        right_leg=L(flex=34, knee=52, ankle=26),
        pelvis=P(pitch=-4),
        trunk=T(bend=4, nod=-6),
        balanced=False,
    ),
    key(
        "lift from floor",
        legs=L(flex=100, abduct=16, rotate=14, knee=104, ankle=26),
        pelvis=P(pitch=40, height_m=0.55),
        trunk=T(bend=34, nod=-20),
        arms=A(flex=62, abduct=6, rotate=10, elbow=16),
    ),
    key(
        "pick up",
        legs=L(flex=86, abduct=8, rotate=8, knee=58, ankle=18),
        pelvis=P(pitch=58, height_m=0.75),
        trunk=T(bend=48, nod=-4),
        right_arm=A(flex=88, abduct=0, elbow=6),
        left_arm=A(flex=40, abduct=16, elbow=30),
    ),
    key(
        "tie shoe",
        left_leg=L(flex=92, knee=92, ankle=12),
        right_leg=L(flex=14, knee=104, toes=50),
        support=("left_foot", "right_ball", "right_knee"),
        pelvis=P(pitch=10, height_m=0.5),
        trunk=T(bend=62, nod=10),
        goals=hand("left", (0.07, 0.06, 0.06), "left_ankle", point="tips")
        + hand("right", (-0.07, 0.06, 0.06), "left_ankle", point="tips"),
    ),
    key(
        "sweep",
        left_arm=A(flex=36, abduct=0, rotate=48, elbow=66),
        right_arm=A(flex=30, abduct=18, rotate=14, elbow=38),
        pelvis=P(pitch=10),
        trunk=T(bend=18, turn=-14, nod=18),
        legs=L(flex=14, abduct=8, knee=14, ankle=4),
        goals=hand("left", (-0.04, 0.02, 0.30), "spine", point="fist")
        + hand("right", (-0.16, -0.18, 0.34), "spine", point="fist"),
    ),
    key(
        "wipe table",
        right_arm=A(flex=56, abduct=16, rotate=10, elbow=26),
        pelvis=P(pitch=26),
        legs=L(flex=30, knee=8),
        trunk=T(bend=24, turn=10, nod=6),
    ),
    key("steer", arms=A(flex=50, abduct=10, rotate=28, elbow=58)),
    key(
        "saw",
        right_arm=A(flex=-28, abduct=14, rotate=6, elbow=92),
        left_arm=A(flex=40, abduct=10, rotate=30, elbow=52),
        left_leg=L(flex=28, knee=24, ankle=4),
        right_leg=L(flex=-12, abduct=8, rotate=20, knee=10),
        trunk=T(bend=22, turn=-10),
    ),
    key("hammer up", right_arm=A(flex=120, abduct=26, rotate=-20, elbow=104), trunk=T(turn=-14)),
    key(
        "hammer down",
        right_arm=A(flex=48, abduct=2, rotate=10, elbow=34),
        trunk=T(bend=20, turn=14, nod=10),
    ),
    key(
        "put on jacket",
        left_arm=A(flex=-22, abduct=40, rotate=20, elbow=42),
        right_arm=A(flex=62, abduct=-14, rotate=25, elbow=110),
        trunk=T(turn=14, look=20),
        goals=hand("right", (0.16, 0.13, 0.14), "chest", point="fist"),
    ),
    key(
        "reach own back",
        left_arm=A(flex=-34, abduct=8, rotate=78, elbow=108),
        right_arm=A(flex=60, abduct=110, rotate=-86, elbow=138),
        goals=hand("left", (0.02, 0.04, -0.16), "spine", point="wrist", weight=6.0)
        + hand("right", (-0.07, 0.24, -0.13), "chest", point="tips", weight=6.0),
    ),
    key(
        "wash arm",
        left_arm=A(flex=58, abduct=10, rotate=20, elbow=52),
        right_arm=A(flex=42, abduct=-2, rotate=52, elbow=72),
        goals=hand("right", (0.12, 0.055, 0.02), "left_elbow"),
        trunk=T(nod=14, look=15),
    ),
    key(
        "wash leg",
        left_leg=L(flex=72, abduct=12, rotate=14, knee=66),
        support=("right_foot",),
        pelvis=P(pitch=16),
        trunk=T(bend=40, nod=10),
        arms=A(flex=52, elbow=26),
        goals=hand("left", (0.06, -0.20, 0.03), "left_knee")
        + hand("right", (-0.065, -0.12, 0.04), "left_knee"),
    ),
)

STRETCHES: tuple[KeyPose, ...] = (
    key(
        "stretch overhead",
        arms=A(flex=168, abduct=0, rotate=0, elbow=8, raise_=8),
        trunk=T(bend=-10, nod=-14),
        goals=hands((0.05, 0.62, 0.02), "chest", point="palm"),
    ),
    key(
        "side stretch",
        right_arm=A(flex=20, abduct=158, rotate=0, elbow=18),
        trunk=T(lean=32, tilt=10),
        legs=_WIDE,
    ),
    key(
        "forward bend",
        pelvis=P(pitch=68),
        legs=L(flex=72, knee=6),
        trunk=T(bend=66, nod=24),
        arms=A(flex=118, abduct=6, elbow=8),
    ),
    key("back bend", trunk=T(bend=-28, nod=-24), arms=A(flex=-12, abduct=20), pelvis=P(pitch=-8)),
    key("trunk twist", arms=A(flex=40, abduct=62, rotate=10, elbow=62), trunk=T(turn=42, look=30)),
    key(
        "quad stretch",
        left_leg=L(flex=-10, abduct=4, rotate=0, knee=132, ankle=-40),
        support=("right_foot",),
        left_arm=A(flex=-36, abduct=10, rotate=10, elbow=14),
        right_arm=A(abduct=58, elbow=14),
        goals=hand("left", (0.0, -0.01, 0.055), "left_ankle", point="fist"),
    ),
    key(
        "hamstring stretch",
        left_leg=L(flex=72, knee=2, ankle=12),
        right_leg=L(flex=30, knee=22, ankle=14),
        support=("left_heel", "right_foot"),
        pelvis=P(pitch=34),
        trunk=T(bend=34, nod=8),
        arms=A(flex=62, elbow=10),
        goals=hand("left", (0.0, -0.24, 0.075), "left_knee"),
        balanced=False,
    ),
    key(
        "chest arm stretch",
        left_arm=A(flex=84, abduct=-34, rotate=10, elbow=14),
        right_arm=A(flex=52, abduct=0, rotate=30, elbow=110),
        goals=hand("right", (-0.02, 0.0, 0.075), "left_elbow", point="wrist"),
    ),
    key(
        "triceps stretch",
        left_arm=A(flex=160, abduct=24, rotate=-40, elbow=136),
        right_arm=A(flex=150, abduct=10, rotate=0, elbow=110),
        goals=hand("right", (-0.02, 0.04, 0.0), "left_elbow", point="palm"),
    ),
    key(
        "lunge",
        left_leg=L(flex=82, knee=84, ankle=4),
        right_leg=L(flex=-16, knee=36, ankle=20, toes=40),
        support=("left_foot", "right_ball"),
        pelvis=P(pitch=6, height_m=0.7),
        balanced=False,
    ),
    key(
        "side lunge",
        left_leg=L(flex=64, abduct=30, rotate=22, knee=94, ankle=24),
        right_leg=L(flex=22, abduct=42, rotate=6, knee=4),
        pelvis=P(pitch=26, height_m=0.62, left_m=0.2),
        trunk=T(bend=18),
        arms=A(flex=58, rotate=34, elbow=64),
    ),
    key(
        "knee hug",
        left_leg=L(flex=112, knee=126),
        support=("right_foot",),
        arms=A(flex=44, abduct=4, rotate=38, elbow=62),
        goals=hand("left", (0.02, -0.06, 0.075), "left_knee")
        + hand("right", (-0.04, -0.10, 0.07), "left_knee"),
    ),
    key(
        "side bend low",
        pelvis=P(roll=10, pitch=14),
        trunk=T(lean=36, bend=20, turn=10),
        legs=_WIDE,
        right_arm=A(flex=40, abduct=140, rotate=0, elbow=40),
        left_arm=A(flex=30, abduct=8, elbow=10),
    ),
    key(
        "flat back",
        pelvis=P(pitch=76),
        legs=L(flex=80, knee=6),
        trunk=T(bend=8, nod=-30),
        arms=A(flex=62, elbow=6),
    ),
    key(
        "hang down",
        pelvis=P(pitch=84),
        legs=L(flex=92, knee=14, ankle=6),
        trunk=T(bend=72, nod=30),
        arms=A(flex=150, abduct=10, elbow=10),
    ),
    key(
        "long side lunge",
        left_leg=L(flex=62, abduct=34, rotate=30, knee=78, ankle=16),
        right_leg=L(flex=0, abduct=50, rotate=16, knee=4),
        pelvis=P(height_m=0.6, left_m=0.16),
        trunk=T(bend=6, turn=14),
        left_arm=A(flex=-6, abduct=30, elbow=60),
        right_arm=A(flex=70, abduct=24, elbow=50),
        balanced=False,
    ),
    key("one arm high", left_arm=_UP, right_arm=A(flex=70, abduct=50, rotate=-40, elbow=80)),
    key("calf raise", legs=L(ankle=-34, toes=34), support=("left_ball", "right_ball")),
    key(
        "toe touch crossed",
        pelvis=P(pitch=62),
        legs=L(flex=66, abduct=14, knee=6),
        trunk=T(bend=56, turn=26, nod=10),
        right_arm=A(flex=112, abduct=-14, elbow=6),
        left_arm=A(flex=10, abduct=76, rotate=0, elbow=6),
    ),
    key(
        "foot over knee",
        right_leg=L(flex=44, knee=54, ankle=18),
        left_leg=L(flex=76, abduct=34, rotate=58, knee=102),
        support=("right_foot",),
        pelvis=P(pitch=20, height_m=0.75),
        trunk=T(bend=12),
        arms=A(flex=44, rotate=34, elbow=72),
        goals=(PointGoal("left_ankle", (0.0, 0.0, 0.0), (0.0, 0.10, 0.12), "right_knee"),),
    ),
)
