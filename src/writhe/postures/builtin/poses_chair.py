"""Key poses on the built-in chair: combinations of legs, hands and trunk."""

from __future__ import annotations

from dataclasses import dataclass, replace

from writhe.postures.builtin.anatomical_angles import ArmAngles as A
from writhe.postures.builtin.anatomical_angles import BodyAngles
from writhe.postures.builtin.anatomical_angles import LegAngles as L
from writhe.postures.builtin.anatomical_angles import PelvisPose as P
from writhe.postures.builtin.anatomical_angles import TrunkAngles as T
from writhe.postures.builtin.key_pose import (
    BOTH_FEET,
    DirectionGoal,
    KeyPose,
    PointGoal,
    Vector,
    hand,
    hands,
    key,
)
from writhe.postures.builtin.poses_standing import FOLDED_LEFT, FOLDED_RIGHT

SEAT_M = 0.605  # pelvis height when sitting
_THIGH_TOP: Vector = (0.0, -0.27, 0.10)
_UPRIGHT = T(bend=4)
_REST = A(flex=24, abduct=10, rotate=22, elbow=52)


@dataclass(frozen=True)
class Seated:
    """Leg angles of a seated pose."""

    name: str
    left: L
    right: L
    support: tuple[str, ...] = BOTH_FEET
    forward_m: float = 0.04
    goals: tuple[PointGoal | DirectionGoal, ...] = ()


_SIT = L(flex=82, abduct=7, rotate=6, knee=86, ankle=2)
LEGS: tuple[Seated, ...] = (
    Seated("sit", _SIT, _SIT),
    Seated("sit wide", replace(_SIT, abduct=22), replace(_SIT, abduct=22)),
    Seated("sit together", replace(_SIT, abduct=1, rotate=0), replace(_SIT, abduct=1, rotate=0)),
    Seated("sit feet ahead", replace(_SIT, knee=60, ankle=-10), replace(_SIT, knee=56, ankle=-10)),
    Seated(
        "sit feet back",
        replace(_SIT, knee=108, ankle=12, toes=24),
        replace(_SIT, knee=104, ankle=12, toes=24),
        ("left_ball", "right_ball"),
    ),
    Seated(
        "sit one foot ahead",
        replace(_SIT, knee=40, flex=76, ankle=-6),
        replace(_SIT, knee=98, ankle=10),
        ("left_heel", "right_foot"),
    ),
    Seated("sit stretched", L(flex=68, knee=24), L(flex=68, knee=24), ("left_heel", "right_heel")),
    Seated(
        "sit ankles crossed",
        replace(_SIT, abduct=2, knee=66),
        replace(_SIT, abduct=2, knee=60),
        (),
        goals=(
            PointGoal("left_ankle", (0, 0, 0), (-0.07, 0.08, 0.52), weight=6.0),
            PointGoal("right_ankle", (0, 0, 0), (0.07, 0.10, 0.63), weight=6.0),
        ),
    ),
    Seated(
        "sit legs crossed",
        replace(_SIT, flex=100, abduct=-16, rotate=-4, knee=82, ankle=-20),
        _SIT,
        ("right_foot",),
        goals=(PointGoal("left_knee", (0, 0, 0), (-0.10, 0.66, 0.43), weight=6.0),),
    ),
    Seated(
        "sit ankle on knee",
        replace(_SIT, flex=86, abduct=34, rotate=56, knee=104),
        _SIT,
        ("right_foot",),
        goals=(PointGoal("left_ankle", (0, -0.02, 0), (0.03, 0.02, 0.15), "right_knee", 6.0),),
    ),
    Seated(
        "sit on edge",
        replace(_SIT, flex=74, knee=92),
        replace(_SIT, flex=66, knee=102),
        BOTH_FEET,
        0.15,
    ),
    Seated("sit turned", replace(_SIT, abduct=24), replace(_SIT, abduct=-10, rotate=0)),
)


@dataclass(frozen=True)
class UpperBody:
    """Trunk and arm angles of a seated pose."""

    name: str
    left: A = _REST
    right: A = _REST
    trunk: T = _UPRIGHT
    pitch: float = -4.0
    goals: tuple[PointGoal | DirectionGoal, ...] = ()
    firm_trunk: bool = False


_THIGHS = hand("left", _THIGH_TOP, "left_hip", palm=(0, 0, -1)) + hand(
    "right", _THIGH_TOP, "right_hip", palm=(0, 0, -1)
)
# as in `poses_standing.FOLDED`, lower, and with level shoulders a little ahead
_FOLDED: tuple[PointGoal | DirectionGoal, ...] = (
    *hand("left", (-0.21, 0.05, 0.02), "right_shoulder", weight=6.0),
    DirectionGoal("left_wrist", (0.0, -1.0, 0.0), (-0.5, -0.2, -1.0), "chest", 2.5),
    *hand("right", (0.12, -0.08, 0.09), "chest", palm=(-0.4, 0, -1), weight=6.0),
    DirectionGoal("right_wrist", (-1.0, 0.0, 0.0), (1.0, 0.3, -0.5), "chest"),
    DirectionGoal("left_clavicle", (0.98, 0.18, -0.08), (0.95, 0.19, 0.22), "chest", 8.0),
    DirectionGoal("right_clavicle", (-0.98, 0.18, -0.08), (-0.95, 0.19, 0.22), "chest", 8.0),
)
ABOVE: tuple[UpperBody, ...] = (
    UpperBody("hands on thighs", goals=_THIGHS, firm_trunk=True),
    UpperBody(
        "arms folded",
        FOLDED_LEFT,
        FOLDED_RIGHT,
        goals=_FOLDED,
        firm_trunk=True,
    ),
    UpperBody("leaning ahead", trunk=T(bend=34, nod=-18), pitch=14, goals=_THIGHS),
    UpperBody(
        "elbows on thighs",
        A(flex=40, abduct=8, rotate=30, elbow=72),
        A(flex=40, abduct=8, rotate=30, elbow=72),
        T(bend=48, nod=-24),
        20,
        (
            PointGoal("left_elbow", (0, 0, 0), (0.01, -0.34, 0.125), "left_hip", 6.0),
            PointGoal("right_elbow", (0, 0, 0), (-0.01, -0.34, 0.125), "right_hip", 6.0),
        ),
    ),
    UpperBody(
        "leaning back",
        trunk=T(bend=-6, nod=8),
        pitch=-16,
        left=A(flex=10, elbow=40),
        right=A(flex=10, elbow=40),
    ),
    UpperBody(
        "reaching ahead", A(flex=78, abduct=8, elbow=16), trunk=T(bend=22, turn=-10), pitch=8
    ),
    UpperBody(
        "reaching up",
        A(flex=146, abduct=14, rotate=0, elbow=14),
        trunk=T(bend=-2, lean=-6, nod=-24),
    ),
    UpperBody("reaching aside", A(flex=14, abduct=76, elbow=14), trunk=T(lean=16, look=40)),
    UpperBody("reaching down", A(flex=62, abduct=12, elbow=8), trunk=T(bend=62, lean=8), pitch=22),
    UpperBody("reaching beside", A(flex=6, abduct=46, elbow=4), trunk=T(lean=36, bend=8, look=20)),
    UpperBody(
        "turned round",
        A(flex=0, abduct=36, elbow=30),
        A(flex=52, abduct=-6, rotate=30, elbow=52),
        T(turn=38, look=40),
    ),
    UpperBody(
        "hands behind head",
        A(flex=20, abduct=118, rotate=-88, elbow=132),
        A(flex=20, abduct=118, rotate=-88, elbow=132),
        T(bend=-4),
        -10,
        hands((0.045, 0.08, -0.135), "head", palm=(0, 0, 1)),
    ),
    UpperBody(
        "chin in hand",
        A(flex=30, abduct=6, rotate=40, elbow=134),
        _REST,
        T(bend=36, nod=-8),
        14,
        hand("left", (0.02, -0.02, 0.12), "head", point="tips"),
    ),
    UpperBody(
        "holding the seat",
        A(flex=-8, abduct=18, rotate=20, elbow=14),
        A(flex=-8, abduct=18, rotate=20, elbow=14),
        T(bend=10, nod=4),
        2,
        hands((0.26, 0.47, 0.0), palm=(-1, -0.4, 0)),
    ),
    UpperBody(
        "typing",
        A(flex=26, abduct=10, rotate=22, elbow=78),
        A(flex=26, abduct=10, rotate=22, elbow=78),
        T(bend=10, nod=8),
        2,
    ),
    UpperBody(
        "drinking",
        A(flex=50, abduct=18, rotate=22, elbow=124),
        goals=hand("left", (0.04, -0.02, 0.19), "head", point="fist"),
    ),
    UpperBody(
        "explaining",
        A(flex=30, abduct=22, rotate=-6, elbow=82),
        A(flex=34, abduct=10, rotate=18, elbow=70),
        T(bend=6, turn=10),
    ),
    UpperBody(
        "hands in lap",
        A(flex=14, abduct=8, rotate=42, elbow=62),
        A(flex=14, abduct=8, rotate=42, elbow=62),
        T(bend=8, nod=14),
        goals=hand("left", (0.03, 0.03, 0.20), "hips", palm=(0, -1, 0), fingers=(-1, 0, 0.5))
        + hand("right", (-0.03, 0.075, 0.22), "hips", palm=(0, -1, 0), fingers=(1, 0, 0.5)),
        firm_trunk=True,
    ),
)


def seated(legs: Seated, above: UpperBody) -> KeyPose:
    """The seated key pose with these legs and this upper body."""
    angles = BodyAngles(
        above.left,
        above.right,
        replace(legs.left, flex=legs.left.flex + above.pitch),
        replace(legs.right, flex=legs.right.flex + above.pitch),
        above.trunk,
        P(pitch=above.pitch, height_m=SEAT_M, forward_m=legs.forward_m),
    )
    seat = PointGoal("hips", (0.0, -0.02, 0.0), (0.0, SEAT_M - 0.02, legs.forward_m), weight=20.0)
    return KeyPose(
        f"{legs.name}, {above.name}",
        angles,
        legs.support,
        (seat, *legs.goals, *above.goals),
        balanced=False,
        grounded=False,
        firm_trunk=above.firm_trunk,
    )


def _rise(name: str, share: float) -> KeyPose:
    """Between sitting on the edge (share 0) and standing in front of the chair (1)."""
    sink = 1.0 - share
    return key(
        name,
        legs=L(
            flex=84 * sink + 34 * sink * share * 4,
            abduct=7,
            rotate=6,
            knee=92 * sink + 4,
            ankle=18 * sink * share * 4,
        ),
        pelvis=P(
            pitch=42 * 4 * sink * share + 4 * sink,
            height_m=SEAT_M + 0.345 * share,
            forward_m=0.15 + 0.26 * share,
        ),
        trunk=T(bend=14 + 26 * sink * share * 4, nod=-12 * sink),
        arms=A(flex=26 + 30 * sink * share * 4, elbow=30),
        balanced=False,
    )


RISING: tuple[KeyPose, ...] = tuple(
    _rise(f"rise {s:.2f}", s) for s in (0.12, 0.3, 0.5, 0.7, 0.85, 1.0)
)
BESIDE: tuple[KeyPose, ...] = (
    key("stand before chair", pelvis=P(forward_m=0.44)),
    key(
        "stand before chair folded",
        pelvis=P(forward_m=0.44),
        left_arm=FOLDED_LEFT,
        right_arm=FOLDED_RIGHT,
        goals=_FOLDED,
        firm_trunk=True,
    ),
    key(
        "stand behind chair",
        pelvis=P(forward_m=-0.52),
        arms=A(flex=30, abduct=12, elbow=46),
        goals=hands((0.16, 0.93, -0.21), palm=(0, -1, 0), fingers=(0, 0, 1)),
    ),
    key(
        "foot on chair",
        pelvis=P(forward_m=0.62, turn=180),
        left_leg=L(flex=70, knee=80, abduct=6),
        right_leg=L(flex=2),
        support=("right_foot",),
        trunk=T(bend=12),
        goals=(PointGoal("left_ankle", (0, -0.068, 0.06), (-0.06, 0.46, 0.16), weight=10.0),),
        balanced=False,
    ),
)


def chair_poses() -> list[KeyPose]:
    """Every leg pose with every upper-body pose, and getting up."""
    return [seated(legs, above) for legs in LEGS for above in ABOVE] + list(RISING) + list(BESIDE)
