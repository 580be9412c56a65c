"""Key poses on the built-in ladder: feet on rungs, hands on rungs or rails, trunk in between."""

from __future__ import annotations

from dataclasses import dataclass

from writhe.postures.builtin.anatomical_angles import (
    ArmAngles,
    BodyAngles,
    LegAngles,
    PelvisPose,
    TrunkAngles,
)
from writhe.postures.builtin.key_pose import DirectionGoal, KeyPose, PointGoal, Vector
from writhe.scene.objects.ladder import (
    HALF_WIDTH_M,
    HEIGHT_M,
    LEAN_M,
    RAIL_RADIUS_M,
    RUNG_RADIUS_M,
    RUNGS,
)

_SOLE: Vector = (0.0, -0.066, 0.115)  # contact point with a rung, in the ankle's frame


def _depth(height_m: float) -> float:
    """Forward position of the ladder's plane at a height, m."""
    return LEAN_M * (height_m - RAIL_RADIUS_M) / (HEIGHT_M - RAIL_RADIUS_M)


def rung_height(rung: int) -> float:
    """Height of a rung's axis, the lowest being 1; 0 is the floor."""
    if rung == 0:
        return 0.0
    return RAIL_RADIUS_M + (rung - 0.25) / (RUNGS + 0.5) * (HEIGHT_M - RAIL_RADIUS_M)


def _foot(side: str, height_m: float, rung: bool) -> tuple[PointGoal | DirectionGoal, ...]:
    x = 0.10 if side == "left" else -0.10
    up = height_m + RUNG_RADIUS_M if rung else height_m
    at = (x, up, _depth(height_m) if rung else -0.12)
    return (
        PointGoal(f"{side}_ankle", _SOLE, at, weight=20.0),
        DirectionGoal(f"{side}_ankle", (0.0, 1.0, 0.0), (0.0, 1.0, -0.15), weight=2.0),
        DirectionGoal(
            f"{side}_ankle",
            (0.0, 0.0, 1.0),
            (0.1 if side == "left" else -0.1, 0.0, 1.0),
            weight=2.0,
        ),
    )


def _grip(side: str, height_m: float, rail: bool) -> tuple[PointGoal | DirectionGoal, ...]:
    sign = 1.0 if side == "left" else -1.0
    if rail:
        at = (sign * (HALF_WIDTH_M + RAIL_RADIUS_M + 0.022), height_m, _depth(height_m))
        palm = (-sign, 0.0, 0.2)
    else:
        at = (sign * 0.12, height_m, _depth(height_m) - RUNG_RADIUS_M - 0.022)
        palm = (0.0, 0.0, 1.0)
    point = (sign * 0.085, -0.0, 0.0)
    return (
        PointGoal(f"{side}_wrist", point, at, weight=14.0),
        DirectionGoal(f"{side}_wrist", (0.0, -1.0, 0.0), palm, weight=0.4),
        DirectionGoal(f"{side}_wrist", (sign, 0.0, 0.0), (0.0, 0.8, 0.6), weight=0.5),
    )


_CLIMBING = ArmAngles(flex=70, abduct=16, rotate=18, elbow=60)


@dataclass(frozen=True)
class LadderGrip:
    """A hand position: height above the mean of the feet, on a rail or the nearest rung.

    Free hands (`height_m` below zero) follow their arm's angles.
    """

    height_m: float
    rail: bool = True
    arm: ArmAngles = _CLIMBING


FREE_ASIDE = LadderGrip(-1.0, arm=ArmAngles(flex=14, abduct=72, rotate=0, elbow=16))
FREE_DOWN = LadderGrip(-1.0, arm=ArmAngles(flex=-10, abduct=20, elbow=24))
FREE_BACK = LadderGrip(-1.0, arm=ArmAngles(flex=-34, abduct=34, elbow=20))
FREE_FACE = LadderGrip(-1.0, arm=ArmAngles(flex=44, abduct=24, rotate=10, elbow=118))


def _nearest_rung(height_m: float) -> int:
    return min(range(1, RUNGS + 1), key=lambda r: abs(rung_height(r) - height_m))


def climb(
    name: str,
    feet: tuple[float, float],
    grips: tuple[LadderGrip, LadderGrip],
    trunk: TrunkAngles,
    away_m: float = 0.34,
    left_m: float = 0.0,
) -> KeyPose:
    """A climber with feet at rungs (half numbers: in the air between them) and hands at grips."""
    heights = [_between(rung) for rung in feet]
    base = sum(heights) / 2
    # a raised knee needs space in front of the rungs
    away_m += 0.35 * abs(heights[0] - heights[1])
    pelvis_m = max(heights[0], heights[1]) * 0.35 + min(heights) * 0.65 + 0.90
    goals: list[PointGoal | DirectionGoal] = []
    for side, rung, height in zip(("left", "right"), feet, heights, strict=True):
        if rung == int(rung):
            goals += _foot(side, height, rung > 0)
        else:  # the foot swings past the rungs, behind them
            x = 0.11 if side == "left" else -0.11
            goals.append(
                PointGoal(f"{side}_ankle", (0, 0, 0), (x, height + 0.08, _depth(height) - 0.24))
            )
    arms: list[ArmAngles] = []
    for side, hold in zip(("left", "right"), grips, strict=True):
        arms.append(hold.arm)
        if hold.height_m > 0:
            top = min(base + hold.height_m, HEIGHT_M - 0.05)
            at = top if hold.rail else rung_height(_nearest_rung(top))
            goals += _grip(side, at, hold.rail)
    legs = [
        LegAngles(
            flex=10 + 120 * max(0.0, h - min(heights)) / 0.4 * 0.62,
            abduct=6 + 40 * max(0.0, h - min(heights)),
            rotate=6 + 50 * max(0.0, h - min(heights)),
            knee=14 + 120 * max(0.0, h - min(heights)) / 0.4 * 0.66,
        )
        for h in heights
    ]
    goals.append(
        PointGoal("hips", (0, 0, 0), (left_m, pelvis_m, _depth(pelvis_m) - away_m), weight=4.0)
    )
    return KeyPose(
        name,
        BodyAngles(
            arms[0],
            arms[1],
            legs[0],
            legs[1],
            trunk,
            PelvisPose(
                pitch=8, height_m=pelvis_m, forward_m=_depth(pelvis_m) - away_m, left_m=left_m
            ),
        ),
        (),
        tuple(goals),
        balanced=False,
        grounded=False,
    )


def _between(rung: float) -> float:
    low = int(rung)
    if low == rung:
        return rung_height(low)
    return 0.5 * (rung_height(low) + rung_height(low + 1))


# the climb step by step, left foot first; the mirror image leads with the right
FOOT_RUNGS: tuple[tuple[float, float], ...] = (
    (0, 0),
    (0.5, 0),
    (1, 0),
    (1, 0.5),
    (1, 1),
    (1.5, 1),
    (2, 1),
    (2, 1.5),
    (2, 2),
    (2.5, 2),
    (3, 2),
    (3, 2.5),
    (3, 3),
)
_RAIL, _HIGH, _LOW = LadderGrip(1.32), LadderGrip(1.52), LadderGrip(1.18)
_RUNG, _RUNG_HIGH = LadderGrip(1.34, rail=False), LadderGrip(1.6, rail=False)
WAYS: tuple[tuple[str, tuple[LadderGrip, LadderGrip], TrunkAngles, float, float], ...] = (
    ("rails", (_RAIL, _RAIL), TrunkAngles(bend=6, nod=-10), 0.34, 0.0),
    ("rails high", (_HIGH, _HIGH), TrunkAngles(bend=2, nod=-24), 0.30, 0.0),
    ("rails low", (_LOW, _LOW), TrunkAngles(bend=16, nod=18), 0.42, 0.0),
    ("left hand up", (_HIGH, _LOW), TrunkAngles(bend=4, turn=-8, nod=-22), 0.32, 0.0),
    ("right hand up", (_LOW, _HIGH), TrunkAngles(bend=4, turn=8, nod=-22), 0.32, 0.0),
    ("rungs", (_RUNG, _RUNG), TrunkAngles(bend=6, nod=-8), 0.34, 0.0),
    ("rung and rail", (_RUNG_HIGH, _RAIL), TrunkAngles(bend=4, look=20), 0.32, 0.02),
    ("looking down", (_RAIL, _RAIL), TrunkAngles(bend=14, nod=34, look=26), 0.40, 0.0),
    ("leaning out", (FREE_ASIDE, _RAIL), TrunkAngles(lean=14, look=46), 0.36, 0.06),
    ("reaching back", (FREE_BACK, _RAIL), TrunkAngles(turn=22, look=40), 0.38, 0.03),
    ("hand free", (FREE_DOWN, _HIGH), TrunkAngles(look=20), 0.34, 0.0),
    ("shading eyes", (FREE_FACE, _RAIL), TrunkAngles(look=36, nod=-14), 0.36, 0.0),
)


def ladder_poses() -> list[KeyPose]:
    """Every step of the climb with every grip; a step in the air needs both hands."""
    out: list[KeyPose] = []
    for feet in FOOT_RUNGS:
        swinging = any(rung != int(rung) for rung in feet)
        for name, grips, trunk, away_m, left_m in WAYS:
            if swinging and any(h.height_m < 0 for h in grips):
                continue
            label = f"climb {feet[0]:g}-{feet[1]:g}, {name}"
            out.append(climb(label, feet, grips, trunk, away_m, left_m))
    return out
