"""The postures of the energy-driven planner's experiments, and paths between them."""

from __future__ import annotations

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


@pytest.mark.parametrize(
    "experiment",
    [
        mirrored_pair("arm-fold", "arm fold"),
        tight_fold(),
        mirrored_pair("leg-cross", "legs crossed"),
        yoga(),
    ],
    ids=lambda one: one.name,
)
def test_a_posture_is_joined_with_its_mirror_image(experiment: Experiment) -> None:
    plan = EnergyPlanner().plan(experiment.problem())
    assert plan.solved and plan.certificate.certified
    assert not plan.certificate.pass_throughs


def test_only_the_arms_of_yoga_are_tangled_as_the_paper_defines_it() -> None:
    tangled = {
        one.name: set(strand_pairs(one.figure, one.goal, TANGLED))
        for one in (mirrored_pair("arm-fold", "arm fold"), tight_fold(), yoga())
    }
    assert tangled == {"arm-fold": set(), "tight-fold": set(), "yoga": {"left_arm:right_arm"}}
