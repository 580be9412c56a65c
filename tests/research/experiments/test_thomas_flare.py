"""The Thomas flare: two planned halves that are joined to a circle."""

from __future__ import annotations

import numpy as np

from writhe.research.experiments.energy_planning.postures import flare
from writhe.research.experiments.energy_planning.thomas_flare import plan_circle
from writhe.skeleton import forward


def test_both_halves_are_planned_around_the_planted_hand_while_the_other_is_lifted() -> None:
    halves = flare()
    plans, parts = plan_circle(halves)
    for plan, planted, free in ((plans[0], "left", "right"), (plans[2], "right", "left")):
        assert plan.certificate.certified
        frames = forward(plan.skeleton, plan.path)
        heights = frames.position(f"human.{free}_wrist")[:, 1]
        assert heights.max() > heights[0] + 0.1
        (pin,) = plan.problem.planted
        palms = frames.point(pin.joint, pin.point_in_joint)
        assert planted in pin.joint
        assert np.abs(palms - palms[0]).max() < 0.02
    # each part begins where the one before ends
    for (before, _), (after, _) in zip(parts, [*parts[1:], parts[0]], strict=True):
        assert np.allclose(before[-1], after[0], atol=1e-6)
