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


@dataclass(frozen=True)
class Flare:
    """The whole circle before and after stage two."""

    plans: tuple[Plan, ...]
    first_stage: Motion
    holds: tuple[FramePin, ...]
    second_stage: Refined
    without_laplacian: Refined


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
    return Flare(tuple(plans), motion, tuple(holds), second, plain)
