"""Wrestling: an attacker holds a moving partner in four holds, the full nelson among them.

The partner follows a captured motion (`clips`: a folder of motion files), or one through authored
key poses if there is none; his motion does not react to the attacker.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from writhe.arrays import Vector3
from writhe.hands.holds import hold_terms
from writhe.postures.builtin.anatomical_angles import (
    ArmAngles,
    BodyAngles,
    LegAngles,
    configuration,
)
from writhe.progress import Progress
from writhe.research.experiments.topology_coordinates.checks.geometry import (
    PoseView,
    in_front,
    touches,
)
from writhe.research.experiments.topology_coordinates.checks.holds import (
    held_at_keys,
)
from writhe.research.experiments.topology_coordinates.scene_result import Claim, SceneResult
from writhe.research.experiments.topology_coordinates.scene_setup import (
    HOLD_TOLERANCE,
    SceneSetup,
    facing,
    human,
    lowest_point,
    place,
)
from writhe.research.experiments.topology_coordinates.wrestling_partner import (
    authored_partner,
    captured_partner,
)
from writhe.solvers.posing import Hold
from writhe.solvers.tangling import (
    DrivenMotion,
    SolveOptions,
    Tangle,
    TangleKeyframe,
    TangleMotion,
    TangleOptions,
)
from writhe.terms import Term

_SIDES = (("left", 1.0), ("right", -1.0))
_HAND_M = 0.12  # from the wrist to the middle of the fingers
_NELSON, _HEADLOCK = 0.78, 0.45
# holds shown from other directions as well: bodies hide the hands from the front
_OTHER_SIDES = (
    ("full nelson", (-0.7, 0.8, -0.9)),
    ("full nelson", (0.25, 0.9, 0.7)),
    ("headlock", (-1.0, 0.25, 0.5)),
    ("headlock", (0.15, 0.2, 1.0)),
)
_SHOWN = (
    "waist lock",
    "arms under his",
    "full nelson",
    "over the shoulder",
    "headlock",
    "down again",
    "waist lock again",
)


def _hand(
    side: str,
    on: str,
    position: Vector3,
    weight: float = 4.0,
    fingers: Vector3 | None = None,
    turn_weight: float = 1.0,
) -> tuple[Term, ...]:
    """The hold of the attacker's hand at a place of the partner, its fingers along a direction."""
    hold = Hold(f"{side}_wrist", f"partner.{on}", position)
    along = (1.0 if side == "left" else -1.0, 0.0, 0.0)
    turned = () if fingers is None else ((along, fingers),)
    return hold_terms("attacker", hold, weight=weight, turned=turned, turn_weight=turn_weight)


def _both(hand: Callable[[str, float], tuple[Term, ...]]) -> tuple[Term, ...]:
    """The terms of both hands."""
    return tuple(term for side, sign in _SIDES for term in hand(side, sign))


def _keys(world: SceneSetup) -> list[TangleKeyframe]:
    """Rear waist lock, full nelson, headlock with a half nelson, waist lock: hold to hold."""
    arms = world.strand("attacker", "left_hand_tip", "right_hand_tip")
    arm = {
        side: world.strand("attacker", f"{side}_shoulder", f"{side}_hand_tip") for side, _ in _SIDES
    }
    trunk = world.strand("partner", "hips", "head_top")
    neck = world.strand("partner", "chest", "head_top")
    over = {side: world.strand("partner", "head_top", f"{side}_hand_tip") for side, _ in _SIDES}
    waist = Tangle(arms, trunk, 0.80, name="both arms around the trunk", tolerance=HOLD_TOLERANCE)
    # all four coordinates: in the middle of both arms, which wind around the trunk
    clasped = replace(waist, centre=(0.0, -0.06), density=0.78)
    nelson = {
        side: Tangle(
            arm[side],
            over[side],
            -sign * _NELSON,
            name=f"{side} arm under his {side} arm",
            tolerance=HOLD_TOLERANCE,
        )
        for side, sign in _SIDES
    }
    headlock = Tangle(
        arm["right"],
        neck,
        _HEADLOCK,
        name="right arm around the neck",
        tolerance=HOLD_TOLERANCE,
    )
    # the attacker's chest against the back
    close = (
        place("attacker.chest", "partner.chest", (0.0, 0.06, -0.26), 6.0),
        place("attacker.head", "partner.head", (0.0, 0.12, -0.30), 1.0),
    )
    low = (place("attacker.chest", "partner.chest", (0.0, 0.0, -0.235), 12.0), close[1])
    belly = _both(lambda side, sign: _hand(side, "spine", (sign * 0.05, 0.06, 0.145), 6.0))
    nape = {
        side: (
            *_hand(side, "neck", (sign * 0.09, 0.03, -0.11), 16.0, (-sign, 0.1, -0.5)),
            place(f"attacker.{side}_elbow", "partner.chest", (sign * 0.25, 0.13, 0.0), 1.0),
        )
        for side, sign in _SIDES
    }
    outside = {side: _hand(side, "chest", (sign * 0.36, 0.10, 0.06), 6.0) for side, sign in _SIDES}
    # in front of his shoulders and above them, before the hands go back to the nape
    raised = {
        side: (
            *_hand(side, "chest", (sign * 0.25, 0.42, 0.06), 10.0),
            place(f"attacker.{side}_elbow", "partner.chest", (sign * 0.30, 0.10, 0.08), 4.0),
            facing(
                f"attacker.{side}_wrist", (sign, 0.0, 0.0), "partner.neck", (0.0, 0.3, -1.0), 1.5
            ),
        )
        for side, sign in _SIDES
    }
    over_shoulder = {
        side: (
            *_hand(side, "chest", (sign * 0.20, 0.36, -0.11), 12.0),
            facing(
                f"attacker.{side}_wrist", (sign, 0.0, 0.0), "partner.neck", (-0.6 * sign, 0.3, -1.0)
            ),
        )
        for side, sign in _SIDES
    }
    throat = (
        *_hand("right", "neck", (0.14, 0.0, 0.07), 14.0),
        place("attacker.right_elbow", "partner.neck", (-0.13, -0.04, 0.12), 6.0),
    )
    above = _hand("right", "neck", (-0.20, 0.20, -0.05), 10.0)
    # back over his shoulder, down behind him, then under his arms again
    behind_him = _both(lambda side, sign: _hand(side, "chest", (sign * 0.27, -0.14, -0.10), 6.0))
    long, brief = SolveOptions(220, min_steps=40), SolveOptions(60, min_steps=20, patience=8)
    medium = SolveOptions(60, min_steps=40)

    def off(*goals: Tangle) -> tuple[Tangle, ...]:
        wide = (0.15, 1.0, 1.0, 1.0)
        return tuple(
            replace(
                goal,
                writhe=0.0,
                centre=(None, None),
                density=None,
                name=f"{goal.label}, let go",
                tolerance=wide,
            )
            for goal in goals
        )

    left, right = nelson["left"], nelson["right"]
    # all four coordinates in the holds: where along the arm and along what it is wound around. Not
    # in the first waist lock, after which the other holds are reached less often
    full = tuple(replace(nelson[side], centre=(-0.09, 0.05), density=1.09) for side, _ in _SIDES)
    half = replace(left, centre=(-0.12, 0.01), density=1.53)
    choke = replace(headlock, centre=(-0.04, -0.22), density=-0.14)
    return [
        TangleKeyframe("waist lock", (waist,), (*close, *belly), solve=long),
        TangleKeyframe(
            "arms under his", (), (*close, *outside["left"], *outside["right"]), solve=medium
        ),
        TangleKeyframe("hands up", (), (*low, *raised["left"], *raised["right"]), solve=medium),
        TangleKeyframe(
            "over his shoulders",
            (left, right),
            (*low, *over_shoulder["left"], *over_shoulder["right"]),
            solve=medium,
        ),
        TangleKeyframe("full nelson", full, (*low, *nape["left"], *nape["right"]), solve=long),
        TangleKeyframe(
            "right arm free",
            (left, *off(right)),
            (*close, *nape["left"], *outside["right"]),
            solve=brief,
        ),
        TangleKeyframe("over the shoulder", (left,), (*close, *nape["left"], *above), solve=brief),
        TangleKeyframe("headlock", (half, choke), (*close, *nape["left"], *throat), solve=long),
        TangleKeyframe(
            "both arms free", off(left, headlock), (*close, *outside["left"], *above), solve=medium
        ),
        TangleKeyframe("down again", (), (*close, *behind_him), solve=medium),
        TangleKeyframe("waist lock again", (clasped,), (*close, *belly), solve=long),
    ]


def play(progress: Progress, clips: Path | None = None) -> SceneResult:
    """Waist lock, full nelson, headlock, waist lock again, without letting go in between."""
    world = SceneSetup.of([human("partner", driven=True), human("attacker")])
    body = world.layout.scene.actor("partner").figure
    source = "authored key poses"
    if clips is not None:
        moving, source = captured_partner(body, Path(clips), progress)
    else:
        moving = authored_partner(body)
    at = world.layout.actor_q["partner"]
    world.q[at] = moving[0]
    # a captured partner steps: the attacker starts farther back and may move his feet
    crouch = LegAngles(flex=15, abduct=7, rotate=10, knee=26, ankle=11)
    arm = ArmAngles(abduct=15)
    ready = configuration(body.skeleton, BodyAngles(arm, arm, crouch, crouch))
    ready[1] -= lowest_point(body, ready) + 0.005
    world.place("attacker", ready, 0.0, -0.36 if clips is None else -0.66)
    firmness = 60.0 if clips is None else 4.0
    path = np.tile(world.q, (len(moving), 1))
    path[:, at] = moving
    drive = DrivenMotion(world.layout.skeleton, path)
    keys = _keys(world)
    setup = world.setup(
        [
            *world.limits("attacker"),
            *world.planted("attacker", weight=firmness),
            *world.upright("attacker", 0.15),
        ],
        TangleOptions(writhe_stride=0.03),
    )
    progress(None, "wrestling")
    motion = world.animate(setup, keys, drive)
    claims = held_at_keys(world.layout, keys, motion, lambda goal: 0.85 * abs(goal.writhe))
    at_key = dict(zip(motion.keys, motion.key_frames, strict=True))
    return SceneResult.of(
        world.layout,
        motion,
        claims,
        [
            f"The partner follows {source}; he was delayed by {drive.delayed_frames:.1f} of"
            f" {len(motion.path)} frames.",
        ],
        seen=_holds(world, motion),
        view=(0.75, 0.25, 1.0),
        frames=[0, *(at_key[name] for name in _SHOWN)],
        more=[(at_key[name], view) for name, view in _OTHER_SIDES],
        sides=True,
        columns=4,
        size=(300, 380),
    )


def _holds(world: SceneSetup, motion: TangleMotion) -> list[Claim]:
    """Where the hands are in each hold, and that the attacker never lets go in between."""
    at = dict(zip(motion.keys, motion.key_frames, strict=True))
    views = {name: PoseView(world.layout, motion.path[frame]) for name, frame in at.items()}
    hands = [f"attacker.{side}_wrist" for side, _ in _SIDES]
    claims: list[Claim] = []
    for side, sign in _SIDES:
        wrist = f"attacker.{side}_wrist"
        for name in ("waist lock", "waist lock again"):
            what = f"{name}: {side} hand on the belly"
            claims.append(in_front(views[name], what, wrist, "partner.spine"))
            trunk = [f"partner.{part}" for part in ("hips", "spine", "chest")]
            claims.append(touches(views[name], what, [wrist], trunk, 0.03))
        nelson, what = views["full nelson"], f"full nelson: {side} hand on the nape"
        # the wrist stays beside the neck, because solid arms do not bend around his shoulder
        # further; fingers point across the nape. The neck is 6 cm wide from its middle: 12 cm off
        # it a hand still lies against its back, as a viewer sees a nelson
        hand = nelson.seen_from(wrist, "partner.neck", (sign * _HAND_M, 0.0, 0.0))
        claims.append(Claim.at_least(f"{what}: behind, m", -float(hand[2]), 0.03))
        claims.append(Claim.at_most(f"{what}: off the middle, m", abs(float(hand[0])), 0.12))
        claims.append(touches(nelson, what, [wrist], ["partner.neck", "partner.head"], 0.01))
        heights = [
            float(nelson.frames.position(joint)[1])
            for joint in (f"partner.{side}_shoulder", f"attacker.{side}_elbow")
        ]
        under = f"full nelson: {side} elbow below his shoulder, m"
        claims.append(Claim.at_least(under, heights[0] - heights[1], 0.0))
    lock, what = views["headlock"], "headlock: right forearm at the throat"
    forearm = ["attacker.right_elbow", "attacker.right_wrist"]
    claims.append(in_front(lock, what, "attacker.right_elbow", "partner.neck", 0.04))
    claims.append(touches(lock, what, forearm, ["partner.neck", "partner.head"], 0.01))
    across = lock.seen_from("attacker.right_wrist", "partner.neck")
    claims.append(Claim.at_least(f"{what}, hand past the middle, m", float(across[0]), 0.0))
    body = [f"partner.{name}" for name in world.layout.scene.actor("partner").figure.skeleton.names]
    arms = [*hands, *(f"attacker.{side}_elbow" for side, _ in _SIDES)]
    between = range(at["waist lock"], at["waist lock again"] + 1, 4)
    apart = [PoseView(world.layout, motion.path[k]).clearance(arms, body) for k in between]
    claims.append(Claim.at_most("arms off the partner between holds, m", max(apart), 0.05))
    return claims
