"""The Thomas flare: two planned halves joined to a circle, then stage two over all frames."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.planning import (
    EnergyPlanner,
    FramePin,
    Plan,
    PlanOptions,
    PlanProblem,
    Refined,
    RefineOptions,
    Timing,
    refine,
    to_motion,
)
from writhe.research.experiments.energy_planning.postures import Experiment, palm_pin
from writhe.skeleton import Motion
from writhe.skeleton.configuration_paths import resample_evenly
from writhe.skeleton.mirror import mirrored
from writhe.solvers.posing import Pin

FRAMES, FPS = 200, 100.0
RESTARTS = 11  # more than the default: an attempt at a half fails about every other time


# without clearance only the Laplacian could keep parts apart; the last two have the paper's weights
# of Eq. 19 (w_lap, w_am, M the identity) and its number of iterations
_FREE = RefineOptions(collision=0.0, retries=0)
_PRINTED = replace(_FREE, laplacian=0.02, angular=0.2, smooth=0.0, near=1.0, iterations=30)
_OTHER = {
    "no clearance": _FREE,
    "no clearance, Laplacian 0.02": replace(_FREE, laplacian=0.02),
    "no clearance, no Laplacian": replace(_FREE, laplacian=0.0),
    "printed weights": _PRINTED,
    "printed weights, no Laplacian": replace(_PRINTED, laplacian=0.0),
}


@dataclass(frozen=True)
class Flare:
    """The whole circle before and after stage two."""

    plans: tuple[Plan, ...]
    first_stage: Motion
    holds: tuple[FramePin, ...]
    second_stage: Refined
    without_laplacian: Refined
    with_other_terms: dict[str, Refined]  # by their description


def flare(halves: tuple[Experiment, Experiment]) -> Flare:
    """Plan both halves and their connections, join them at an even speed, refine the circle."""
    plans, parts = plan_circle(halves)
    return _refined(plans, parts, halves[0])


def plan_circle(
    halves: tuple[Experiment, Experiment],
) -> tuple[list[Plan], list[tuple[Floats, tuple[Pin, ...]]]]:
    """The four plans, and each as frames with the hands that are planted in it.

    The ends of the halves are mirror images of each other, and so are their plans.
    """
    right, left = halves
    skeleton = right.setting.figure.skeleton
    planner = EnergyPlanner(PlanOptions(restarts=RESTARTS))
    first, over, back = (
        planner.plan(problem)
        for problem in (
            right.problem(),
            _swing(right, right.goal, left.goal),
            _swing(right, mirrored(skeleton, right.start), right.start),
        )
    )
    other = np.array([mirrored(skeleton, q) for q in first.path])
    plans = [first, over, replace(first, problem=left.problem(), path=other), back]
    parts: list[tuple[Floats, tuple[Pin, ...]]] = []
    for plan in plans:
        if not plan.solved or not plan.certificate.certified:
            raise WritheError(f"a part of the flare is {plan.status.value}")
        rows = to_motion(plan, Timing(duration_s=1.0, fps=60.0, profile="uniform")).q
        backwards = plan is plans[2]
        parts.append((rows[::-1] if backwards else rows, plan.problem.planted))
    return plans, parts


def _swing(right: Experiment, start: Floats, goal: Floats) -> PlanProblem:
    """From one side to the other with both hands planted."""
    hands = tuple(palm_pin(right.setting, start, side) for side in ("left", "right"))
    return replace(right.problem(), start=start, goal=goal, planted=hands)


def _refined(
    plans: list[Plan],
    parts: list[tuple[Floats, tuple[Pin, ...]]],
    right: Experiment,
) -> Flare:
    layout = right.setting.skeleton
    lengths = np.array([plan.length_rad for plan in plans])
    counts = np.maximum(20, np.round(FRAMES * lengths / float(lengths.sum()))).astype(int)
    counts[0] += FRAMES - counts.sum()
    rows: list[Floats] = []
    holds: list[FramePin] = []
    at = 0
    for (part, pins), count in zip(parts, counts, strict=True):
        rows.append(resample_evenly(layout, part, int(count) + 1)[:-1])
        for pin in pins:
            # one position per hand over the whole circle, that of the first posture
            side = "left" if "left" in pin.joint else "right"
            palm = palm_pin(right.setting, right.start, side)
            holds.append(FramePin(palm, at + 1, at + int(count) - 1))
        at += int(count)
    motion = Motion(layout, np.concatenate([*rows, rows[0][:1]]), FPS, "flare")
    table = right.setting.table
    second = refine(motion, table, holds)
    plain = refine(motion, table, holds, options=RefineOptions(laplacian=0.0))
    others = {
        name: refine(motion, table, holds, options=options) for name, options in _OTHER.items()
    }
    return Flare(tuple(plans), motion, tuple(holds), second, plain, others)


def refined_summary(refined: Refined) -> dict[str, float | bool]:
    """What a refinement kept, for JSON."""
    proof = refined.certificate
    return {
        "certified": proof.certified,
        "penetration_m": proof.penetration_witnessed_m,
        "pass_throughs": len(proof.pass_throughs),
        "angular_energy_drop_percent": 100.0 * refined.angular_energy_drop,
        "hand_slip_mm": 1e3 * refined.slip_m,
        "iterations": refined.iterations,
    }
