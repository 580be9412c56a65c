"""Piggyback: one person climbs onto another's back, held by four tangles."""

from __future__ import annotations

from typing import Any

import numpy as np

from writhe.quantities import Point
from writhe.research.evaluation import Progress
from writhe.research.experiments.topology_coordinates.hold_checks import held
from writhe.research.experiments.topology_coordinates.planners import PLANNERS, sampled
from writhe.research.experiments.topology_coordinates.scene_result import Played
from writhe.research.experiments.topology_coordinates.scene_setup import Theatre, human
from writhe.solvers.tangling import (
    SolveOptions,
    Tangle,
    TangleKeyframe,
    TangleOptions,
    animate,
)
from writhe.terms import Term

_SIDES = (("left", 1.0), ("right", -1.0))
HELD_ARMS, HELD_LEGS = 0.25, 0.25


def _seen(
    joint: str, place: tuple[float, float, float], weight: float = 8.0, on: str = "carrier.hips"
) -> Term:
    """A joint at a place of another joint's frame."""
    target = np.array(place)
    return Term(Point(joint, seen_from=on), target, target, weight, label=f"{joint} at {on}")


def _said(found: dict[str, Any]) -> str:
    """What came of a planner, in words."""
    if "skipped" in found:
        return f"{found['planner']}: {found['skipped']}"
    outcome = "found a way" if found["solved"] else "found no way"
    return (
        f"{found['planner']} in {found['dimensions']} dimensions {outcome} in"
        f" {found['seconds']:.1f} s ({found['motions_checked']} motions checked)."
    )


def play(progress: Progress, full: bool = False, compare: bool = True) -> Played:
    """Four keyframes: up behind the back, arms over the shoulders, legs astride, carried."""
    stage = Theatre.of([human("carrier"), human("rider")])
    stage.stand("carrier", 0.0, 0.0)
    stage.stand("rider", 0.0, -0.48)
    tangles = {
        f"{side} arm over the {side} shoulder": Tangle(
            stage.strand("rider", f"{side}_shoulder", f"{side}_hand_tip"),
            stage.strand("carrier", "head_top", f"{side}_hand_tip"),
            sign * 0.32,
            name=f"rider's {side} arm over carrier's {side} shoulder",
            tolerance=(0.03, 0.05, 0.05, 0.05),
        )
        for side, sign in _SIDES
    }
    tangles |= {
        f"{side} arm under the {side} knee": Tangle(
            stage.strand("carrier", f"{side}_shoulder", f"{side}_hand_tip"),
            stage.strand("rider", f"{side}_hip", f"{side}_toe_tip"),
            -sign * 0.32,
            name=f"carrier's {side} arm under rider's {side} knee",
            tolerance=(0.03, 0.05, 0.05, 0.05),
        )
        for side, sign in _SIDES
    }
    wishes = tuple(tangles.values())
    setup = stage.setup(
        [
            *stage.limits("carrier", "rider"),
            *stage.planted("carrier"),
            *stage.upright("carrier", 0.2),
        ],
        TangleOptions(writhe_stride=0.04),
    )
    back = [
        _seen("rider.hips", (0.0, 0.20, -0.25)),
        _seen("rider.chest", (0.0, 0.52, -0.18)),
        _seen("rider.head", (0.06, 0.82, -0.05), 4.0),
    ]
    knees = [_seen(f"rider.{side}_knee", (sign * 0.27, 0.06, 0.12), 5.0) for side, sign in _SIDES]
    feet = [_seen(f"rider.{side}_ankle", (sign * 0.22, -0.30, 0.16), 2.0) for side, sign in _SIDES]
    hands = [
        _seen(f"rider.{side}_wrist", (-sign * 0.06, 0.10, 0.17), 6.0, "carrier.chest")
        for side, sign in _SIDES
    ]
    under = [
        _seen(f"carrier.{side}_wrist", (sign * 0.18, -0.08, 0.22), 4.0) for side, sign in _SIDES
    ]
    # the linking does not tell an arm over the shoulder from one outside the upper arm, nor does
    # it lead a leg between arm and trunk: the way there is shown by where hands are on it
    wide = [_seen(f"carrier.{side}_wrist", (sign * 0.60, 0.15, 0.05), 6.0) for side, sign in _SIDES]
    above = [
        _seen(f"rider.{side}_wrist", (sign * 0.13, 0.36, 0.05), 12.0, "carrier.chest")
        for side, sign in _SIDES
    ]
    keys = [
        TangleKeyframe(
            "up",
            (),
            (_seen("rider.hips", (0.0, 0.20, -0.40)), *wide, *above),
            solve=SolveOptions(80, least_steps=40),
        ),
        TangleKeyframe(
            "arms over the shoulders",
            wishes[:2],
            (*back, *hands, *wide),
            solve=SolveOptions(120, least_steps=30),
        ),
        TangleKeyframe(
            "astride",
            wishes[:2],
            (*back, *hands, *knees, *feet, *wide),
            solve=SolveOptions(150, least_steps=30),
        ),
        TangleKeyframe(
            "carried",
            wishes,
            (*back, *hands, *knees, *feet, *under),
            solve=SolveOptions(200, least_steps=30),
        ),
    ]
    progress("climbing")
    motion = animate(setup, stage.q, keys)
    claims = [
        held(stage.layout, tangle, motion.path[-1], HELD_ARMS if "shoulder" in name else HELD_LEGS)
        for name, tangle in tangles.items()
    ]
    cap_s = 60.0 if full else 5.0
    figures: dict[str, Any] = {"planners": []}
    for planner in PLANNERS if compare else ():
        progress(f"{planner}, {cap_s:.0f} s at most")
        figures["planners"].append(
            sampled(stage.layout.table, motion.path[0], motion.path[-1], planner, cap_s)
        )
    return Played.of(
        stage.layout,
        motion,
        claims,
        [*(_said(found) for found in figures["planners"])],
        figures,
        view=(1.0, 0.2, 0.55),
        size=(300, 400),
    )
