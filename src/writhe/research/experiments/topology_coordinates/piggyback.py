"""Piggyback: one person climbs onto another's back, held by four tangles."""

from __future__ import annotations

from typing import Any

import numpy as np

from writhe.hands.holds import hold_terms
from writhe.progress import Progress
from writhe.quantities import CentreOfMass
from writhe.research.experiments.topology_coordinates.checks.geometry import (
    PoseView,
    in_front,
    touches,
)
from writhe.research.experiments.topology_coordinates.checks.holds import held
from writhe.research.experiments.topology_coordinates.planners import PLANNERS, sampled
from writhe.research.experiments.topology_coordinates.scene_result import Claim, SceneResult
from writhe.research.experiments.topology_coordinates.scene_setup import (
    HOLD_TOLERANCE,
    SceneSetup,
    facing,
    human,
    place,
)
from writhe.skeleton.limbs import ANKLES, TOES
from writhe.solvers.posing import Hold
from writhe.solvers.tangling import (
    SolveOptions,
    Tangle,
    TangleKeyframe,
    TangleOptions,
)
from writhe.terms import Term

_SIDES = (("left", 1.0), ("right", -1.0))
HELD_ARMS, HELD_LEGS = 0.25, 0.35
# from the vertical, forwards, of parts of the carrier
_LEAN_DEGREES = {"hips": 14.0, "spine": 19.0, "chest": 24.0, "head": 5.0}


def _on(
    joint: str, position: tuple[float, float, float], weight: float = 8.0, on: str = "carrier.hips"
) -> Term:
    """A term that puts a joint at a position in a joint's frame, that of the carrier's hips."""
    return place(joint, on, position, weight)


def _said(found: dict[str, Any]) -> str:
    """The result of a planner as a sentence."""
    if "skipped" in found:
        return f"{found['planner']}: {found['skipped']}"
    outcome = "found a path" if found["solved"] else "found no path"
    return (
        f"{found['planner']} in {found['dimensions']} dimensions {outcome} in"
        f" {found['seconds']:.1f} s ({found['motions_checked']} motions checked)."
    )


def play(progress: Progress, full: bool = False, compare: bool = True) -> SceneResult:
    """Hands above, then arms over the shoulders while the rider stands; legs astride; carried."""
    world = SceneSetup.of([human("carrier"), human("rider")])
    world.place_standing("carrier", 0.0, 0.0)
    world.place_standing("rider", 0.0, -0.40)
    tangles = {
        f"{side} arm over the {side} shoulder": Tangle(
            world.strand("rider", f"{side}_shoulder", f"{side}_hand_tip"),
            world.strand("carrier", "head_top", f"{side}_hand_tip"),
            sign * 0.32,
            (0.0, -0.1),
            0.15,
            f"rider's {side} arm over carrier's {side} shoulder",
            HOLD_TOLERANCE,
        )
        for side, sign in _SIDES
    }
    tangles |= {
        f"{side} arm under the {side} thigh": Tangle(
            world.strand("carrier", f"{side}_shoulder", f"{side}_hand_tip"),
            world.strand("rider", f"{side}_hip", f"{side}_toe_tip"),
            -sign * 0.40,
            (0.0, -0.68),
            0.85,
            f"carrier's {side} arm under rider's {side} thigh",
            HOLD_TOLERANCE,
        )
        for side, sign in _SIDES
    }
    goals = tuple(tangles.values())
    setup = world.setup(
        [
            *world.limits("carrier", "rider"),
            *world.planted("carrier"),
            *world.upright("carrier", 0.2),
        ],
        TangleOptions(writhe_stride=0.04),
    )
    # the rider's head is on the carrier's right
    back = [
        _on("rider.hips", (0.0, 0.135, -0.21), 27.0),
        _on("rider.chest", (-0.02, 0.015, -0.23), 5.5, "carrier.chest"),
        _on("rider.head", (-0.21, -0.03, -0.03), 7.0, "carrier.head"),
    ]
    knees = [_on(f"rider.{side}_knee", (sign * 0.36, 0.08, 0.06), 6.5) for side, sign in _SIDES]
    feet = [_on(f"rider.{side}_ankle", (sign * 0.29, -0.345, 0.15), 5.0) for side, sign in _SIDES]
    hands = [
        term
        for side, sign in _SIDES
        for term in hold_terms(
            "rider",
            Hold(f"{side}_wrist", "carrier.chest", (sign * 0.055, 0.09, 0.195)),
            weight=10.0,
        )
    ]
    # linking does not distinguish an arm over the shoulder from one outside the upper arm, nor does
    # it guide a leg between arm and trunk: positions of the hands guide these movements. The tangle
    # alone takes the carrier's arms under the thighs
    wide = [_on(f"carrier.{side}_wrist", (sign * 0.60, 0.15, 0.05), 6.0) for side, sign in _SIDES]
    above = [
        _on(f"rider.{side}_wrist", (sign * 0.13, 0.36, 0.05), 12.0, "carrier.chest")
        for side, sign in _SIDES
    ]
    stands = (*world.planted("rider", weight=20.0), *world.upright("carrier", 3.0))
    # the carrier leans forwards under the weight, not sideways, and looks ahead
    leaning = [
        facing(
            f"carrier.{part}",
            (0.0, 1.0, 0.0),
            None,
            (0.0, float(np.cos(np.radians(lean))), float(np.sin(np.radians(lean)))),
            20.0,
        )
        for part, lean in _LEAN_DEGREES.items()
    ]
    leaning += [
        facing(f"carrier.{part}", (1.0, 0.0, 0.0), None, (1.0, 0.0, 0.0), 20.0)
        for part in ("hips", "chest", "head")
    ]
    keys = [
        TangleKeyframe(
            "hands above the shoulders",
            (),
            (*stands, *wide, *above),
            solve=SolveOptions(80, min_steps=40),
        ),
        TangleKeyframe(
            "arms over the shoulders",
            goals[:2],
            (*stands, *hands, *wide),
            solve=SolveOptions(120, min_steps=30),
        ),
        TangleKeyframe(
            "astride",
            goals[:2],
            (*back, *hands, *knees, *feet, *wide, *leaning),
            solve=SolveOptions(150, min_steps=60),
        ),
        TangleKeyframe(
            "carried",
            goals,
            (*back, *hands, *knees, *feet, *leaning),
            solve=SolveOptions(200, min_steps=80),
        ),
    ]
    progress(None, "climbing")
    motion = world.animate(setup, keys)
    claims = [
        held(world.layout, tangle, motion.path[-1], HELD_ARMS if "shoulder" in name else HELD_LEGS)
        for name, tangle in tangles.items()
    ]
    cap_s = 60.0 if full else 5.0
    figures: dict[str, Any] = {"planners": []}
    for planner in PLANNERS if compare else ():
        progress(None, f"{planner}, at most {cap_s:.0f} s")
        figures["planners"].append(
            sampled(world.layout.table, motion.path[0], motion.path[-1], planner, cap_s)
        )
    return SceneResult.of(
        world.layout,
        motion,
        claims,
        [*(_said(found) for found in figures["planners"])],
        figures,
        seen=_carried(PoseView(world.layout, motion.path[-1])),
        view=(0.75, 0.18, 0.9),
        frames=[0, *motion.key_frames[:2], *_thirds(*motion.key_frames[1:3]), motion.key_frames[3]],
        more=[(motion.key_frames[3], (-0.8, 0.12, -0.6))],
        sides=True,
        columns=4,
        size=(300, 380),
    )


def _thirds(first: int, last: int) -> list[int]:
    """Two frames between two others, and the last of them."""
    return [first + (k * (last - first)) // 3 for k in (1, 2, 3)]


def _carried(view: PoseView) -> list[Claim]:
    """The rider's weight is off the floor, arms over the shoulders, both thighs held, a lean."""
    trunk = [f"carrier.{part}" for part in ("chest", "spine", "hips")]
    chest = view.frames.position("carrier.chest") - view.frames.position("carrier.hips")
    lean = float(np.degrees(np.arctan2(np.hypot(chest[0], chest[2]), chest[1])))
    claims = [
        touches(view, "rider's chest against the back", ["rider.chest"], trunk, 0.01),
        touches(view, "rider's hips against the back", ["rider.hips"], trunk, 0.03),
        Claim.at_least("the carrier leans, degrees", lean, 8.0),
    ]
    skeleton = view.layout.skeleton
    both = np.mean(
        [CentreOfMass(who).value(skeleton, view.q) for who in ("carrier", "rider")], axis=0
    )
    feet = np.mean([view.frames.position(f"carrier.{joint}") for joint in (*ANKLES, *TOES)], axis=0)
    off = float(np.hypot(*(both - feet)[[0, 2]]))
    claims.append(
        Claim.at_most("both balanced: centre of mass from the feet's middle, m", off, 0.08)
    )
    head, other = (view.frames.position(f"{who}.head") for who in ("rider", "carrier"))
    across, up, ahead = head - other  # the carrier faces +Z
    claims += [
        Claim.at_least("rider's head beside the carrier's, m", abs(across), 0.08),
        Claim.at_most("rider's head above or below the carrier's, m", abs(up), 0.12),
        Claim.at_most("rider's head behind or before the carrier's, m", abs(ahead), 0.20),
    ]
    for side, _ in _SIDES:
        ankle = float(view.frames.position(f"rider.{side}_ankle")[1])
        claims.append(Claim.at_least(f"rider's {side} foot above the floor, m", ankle, 0.3))
        arm = f"rider's {side} hand before the carrier's chest"
        claims.append(in_front(view, arm, f"rider.{side}_wrist", "carrier.chest"))
        thigh, what = [f"rider.{side}_hip"], f"carrier holds the {side} thigh"
        hand = [f"carrier.{side}_wrist", f"carrier.{side}_elbow"]
        claims.append(touches(view, what, hand, thigh, 0.01))
        hip, knee = (view.frames.position(f"rider.{side}_{part}") for part in ("hip", "knee"))
        wrist = view.frames.position(f"carrier.{side}_wrist")
        below = float(0.5 * (hip + knee)[1] - wrist[1])
        claims.append(Claim.at_least(f"{what} from below, m", below, 0.03))
    return claims
