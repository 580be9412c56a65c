"""The planner as published: Algorithms 1 and 2 step by step, without the checks of ours."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from writhe.collision import CollisionTable
from writhe.planning import (
    Energy,
    EnergyOptions,
    PaperOptions,
    PaperPlanner,
    PlanStatus,
    descend,
    figure_problem,
)
from writhe.planning.compiled_problem import CompiledProblem
from writhe.planning.problem import PlanProblem
from writhe.research.evaluation.tangled_pairs import TangledPair
from writhe.skeleton import Figure, forward
from writhe.skeleton.kinematics import difference, interpolate
from writhe.solvers.posing import Target, make_poser, pin_here
from writhe.topology import linking_vector

STEP = 0.05


@pytest.fixture(scope="module")
def crossed(human: Figure, table: CollisionTable, tangled: list[TangledPair]) -> PlanProblem:
    """Two postures whose linking differs by more than the safe zone allows."""
    apart = [
        float(np.abs(linking_vector(human, p.start) - linking_vector(human, p.goal)).max())
        for p in tangled
    ]
    pair = tangled[int(np.argmax(apart))]
    assert max(apart) > 0.3
    return figure_problem(human, pair.start, pair.goal, table=table)


def _steps(problem: PlanProblem, rows: np.ndarray) -> np.ndarray:
    return np.array([difference(problem.skeleton, a, b) for a, b in pairwise(rows)])


def test_it_connects_the_ends_by_steps_of_one_length(human: Figure, table: CollisionTable) -> None:
    rest = human.skeleton.rest_configuration
    goal = rest.copy()
    goal[human.skeleton.q_slice("left_elbow")] = 1.2
    problem = figure_problem(human, rest, goal, table=table)
    found = PaperPlanner(human, PaperOptions(step=STEP)).plan(problem)
    assert found.status is PlanStatus.EXACT
    assert np.array_equal(found.path[0], rest) and np.array_equal(found.path[-1], goal)
    lengths = np.linalg.norm(_steps(problem, found.path), axis=1)
    assert lengths.max() <= STEP + 1e-9
    assert np.isclose(lengths, STEP).sum() >= len(lengths) - 1  # all but where the sides meet
    assert found.length_rad == pytest.approx(1.2, abs=1e-6)


def test_the_posture_of_higher_energy_moves_first(crossed: PlanProblem, human: Figure) -> None:
    energy = Energy(crossed.table, EnergyOptions())
    before = energy.along(np.array([crossed.start, crossed.goal]))
    found = PaperPlanner(human, PaperOptions(step=STEP, max_steps=1)).plan(crossed)
    assert found.status is PlanStatus.STUCK and len(found.path) == 3
    lengths = np.linalg.norm(_steps(crossed, found.path), axis=1)  # from the start, to the goal
    moved, still = (0, 1) if before[0] >= before[1] else (1, 0)
    assert lengths[moved] <= STEP + 1e-9 < lengths[still]


def test_outside_the_safe_zone_no_step_climbs_the_energy(
    crossed: PlanProblem, human: Figure
) -> None:
    options = PaperOptions(step=0.01, max_steps=12, safe_zone=False)
    rows = PaperPlanner(human, options).plan(crossed).path
    energy = Energy(crossed.table, options.energy)
    start_side = [q for q in rows if _nearer(crossed, q)]
    goal_side = [q for q in rows if not _nearer(crossed, q)][::-1]
    checked = 0
    for side in (start_side, goal_side):
        for q, following in pairwise(side):
            gradient = energy.value_and_gradient(q)[1]
            slope = difference(crossed.skeleton, q, following) @ gradient
            assert slope <= 1e-6 * np.linalg.norm(gradient)
            checked += 1
    assert checked == 12


def _nearer(problem: PlanProblem, q: np.ndarray) -> bool:
    """Whether q is nearer to the start than to the goal."""
    to = [np.linalg.norm(difference(problem.skeleton, q, e)) for e in (problem.start, problem.goal)]
    return bool(to[0] < to[1])


@pytest.fixture(scope="module")
def hyperextended(human: Figure, table: CollisionTable) -> tuple[PlanProblem, np.ndarray]:
    """A problem, and a posture with an elbow 0.1 rad beyond its limit."""
    q = human.skeleton.rest_configuration
    q[human.skeleton.q_slice("left_elbow")] = -0.1
    return figure_problem(human, human.skeleton.rest_configuration, q, table=table), q


@pytest.mark.parametrize("step", [0.003, 0.05])
def test_a_corrected_step_that_would_climb_descends_by_a_fixed_amount(
    hyperextended: tuple[PlanProblem, np.ndarray], human: Figure, step: float
) -> None:
    """Eq. 11: grad E . dq'' = -0.01 with the normalised gradient, whatever alpha is."""
    problem, q = hyperextended
    planner = PaperPlanner(human, PaperOptions(step=step))
    compiled = CompiledProblem(problem, planner.options.energy)
    gradient = compiled.energy.value_and_gradient(q)[1]
    uphill = gradient / np.linalg.norm(gradient)
    dq = planner._corrected_step(compiled, q, uphill, uphill)
    assert dq is not None
    assert uphill @ dq == pytest.approx(-0.01, rel=1e-3)
    # sideways the step is the free one, which Eq. 10 corrects
    sideways = np.roll(uphill, 7) - (np.roll(uphill, 7) @ uphill) * uphill
    down = sideways - 0.5 * uphill
    free = planner._corrected_step(compiled, q, down / np.linalg.norm(down), uphill)
    assert free is not None and -step <= uphill @ free < 0.0


def test_a_correction_covers_a_hundredth_of_the_deviation(
    hyperextended: tuple[PlanProblem, np.ndarray], human: Figure
) -> None:
    """Eq. 10: K dq' = -gamma (K dq - C)."""
    problem, q = hyperextended
    planner = PaperPlanner(human, PaperOptions(step=0.05))
    compiled = CompiledProblem(problem, planner.options.energy)
    elbow = human.skeleton.v_slice("left_elbow")
    direction = np.zeros(human.skeleton.dof_count)
    direction[elbow], direction[-1] = -0.6, 0.8  # further out, and a joint elsewhere
    downhill = np.zeros_like(direction)
    dq = planner._corrected_step(compiled, q, direction, downhill)
    compiled.terms.update(q)
    outside = float(np.abs(compiled.terms.violation()).max())
    assert dq is not None and outside > 0.05
    assert float(dq[elbow][0]) == pytest.approx(0.01 * (outside + 0.6 * 0.05), rel=1e-4)
    assert dq[-1] == pytest.approx(0.8 * 0.05)


def test_without_limits_nothing_is_corrected(
    hyperextended: tuple[PlanProblem, np.ndarray], human: Figure
) -> None:
    problem, _ = hyperextended
    for limits, corrected in ((True, True), (False, False)):
        options = PaperOptions(step=STEP, limits=limits, max_steps=5)
        _, counts = PaperPlanner(human, options).plan_counted(problem)
        assert counts.steps > 0
        assert (counts.corrected > 0) is corrected


def test_a_possible_local_minimum_is_reported_and_stops_only_on_request(
    crossed: PlanProblem, human: Figure
) -> None:
    options = PaperOptions(step=0.003, max_steps=80, patience=5, limits=False, safe_zone=False)
    _, counts = PaperPlanner(human, options).plan_counted(crossed)
    assert counts.minimum_at is not None and counts.steps == 80
    stopping = PaperPlanner(human, replace(options, stop_at_minimum=True))
    assert stopping.plan_counted(crossed)[1].steps == counts.minimum_at


def test_the_safe_zone_is_a_difference_of_linking(crossed: PlanProblem, human: Figure) -> None:
    narrow = PaperPlanner(human, PaperOptions(safe_linking=1e-6))
    wide = PaperPlanner(human, PaperOptions(safe_linking=10.0))
    ends = [crossed.start, crossed.goal]
    assert not PaperPlanner(human)._safe(crossed, ends)
    assert not narrow._safe(crossed, ends) and wide._safe(crossed, ends)
    assert PaperPlanner(human)._safe(crossed, [crossed.start, crossed.start])


def test_where_the_zone_is_believed_the_line_is_followed_through_the_body(
    crossed: PlanProblem, human: Figure
) -> None:
    found = PaperPlanner(human, PaperOptions(step=STEP, safe_linking=10.0)).plan(crossed)
    straight = float(np.linalg.norm(difference(crossed.skeleton, crossed.start, crossed.goal)))
    assert found.length_rad == pytest.approx(straight, rel=0.02)
    assert found.status is PlanStatus.APPROXIMATE
    assert found.notes == ("the path penetrates",)
    assert not found.certificate.certified


def test_planted_parts_stay(human: Figure, table: CollisionTable) -> None:
    skeleton = human.skeleton
    rest = skeleton.rest_configuration
    ankles = ("left_ankle", "right_ankle")
    pins = [pin_here(skeleton, rest, ankle) for ankle in ankles]
    x, y, z = (float(c) for c in forward(skeleton, rest).position("hips"))
    poser, goal = make_poser("default", human), rest
    for share in np.minimum(np.linspace(0.1, 1.5, 15), 1.0):
        goal = poser.step(goal, [Target("hips", (x, y - 0.3 * share, z))], pins).q
    problem = figure_problem(human, rest, goal, planted=ankles, table=table)

    def slip(rows: np.ndarray) -> float:
        frames = forward(skeleton, rows)
        apart = [frames.position(a) - frames.position(a)[0] for a in ankles]
        return float(np.linalg.norm(apart, axis=2).max())

    blended = np.array([interpolate(skeleton, rest, goal, t) for t in np.linspace(0.0, 1.0, 11)])
    found = PaperPlanner(human, PaperOptions(step=STEP)).plan(problem)
    assert slip(blended) > 0.02
    assert slip(found.path) < 0.2 * slip(blended)


def test_descent_opens_the_body(crossed: PlanProblem, human: Figure) -> None:
    rows = descend(crossed, crossed.start, max_steps=60)
    values = Energy(crossed.table).along(rows)
    assert len(rows) > 10 and (np.diff(values) < 0).all()
    linking = [np.abs(linking_vector(human, q)).max() for q in (rows[0], rows[-1])]
    assert linking[1] < linking[0]


def test_a_folded_body_descends_to_a_stretched_posture(
    human: Figure, table: CollisionTable, tangled: list[TangledPair]
) -> None:
    problem = figure_problem(human, tangled[0].start, tangled[0].goal, table=table)
    rows = descend(
        problem, tangled[0].start, step=0.1, max_steps=120, energy=EnergyOptions(falloff=2)
    )
    energy = Energy(table, EnergyOptions(falloff=2)).along(rows)
    assert (np.diff(energy) < 0).all() and energy[-1] < 0.2 * energy[0]
    before, after = (forward(human.skeleton, q) for q in (rows[0], rows[-1]))
    hands = [
        float(np.linalg.norm(f.position("left_wrist") - f.position("right_wrist")))
        for f in (before, after)
    ]
    assert hands[1] > max(1.0, 1.2 * hands[0])
