"""The postures of the energy-driven planner's experiments, and paths between them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from writhe.planning import EnergyPlanner
from writhe.research.experiments.energy_planning.postures import (
    TANGLED,
    Experiment,
    mirrored_pair,
    strand_pairs,
    tight_fold,
    yoga,
)


def _arm_fold() -> Experiment:
    return mirrored_pair("arm-fold", "arm fold")


def _leg_cross() -> Experiment:
    return mirrored_pair("leg-cross", "legs crossed")


@pytest.mark.parametrize("made", [_arm_fold, tight_fold, _leg_cross, yoga])
def test_a_posture_is_joined_with_its_mirror_image(made: Callable[[], Experiment]) -> None:
    experiment = made()
    plan = EnergyPlanner().plan(experiment.problem())
    assert plan.solved and plan.certificate.certified
    assert not plan.certificate.pass_throughs


def test_only_the_arms_of_yoga_are_tangled_as_the_paper_defines_it() -> None:
    tangled = {
        one.name: set(strand_pairs(one.figure, one.goal, TANGLED))
        for one in (_arm_fold(), tight_fold(), yoga())
    }
    assert tangled == {"arm-fold": set(), "tight-fold": set(), "yoga": {"left_arm:right_arm"}}
