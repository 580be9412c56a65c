"""The four passes: accuracy on training clips, independence of threads, streaming."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numba.core import config

from writhe.errors import WritheError
from writhe.io import load
from writhe.retargeting.retarget import retarget
from writhe.skeleton import Motion
from writhe.skeleton.figures import figure
from writhe.solvers.trajectory import (
    PASSES,
    Chain,
    Forest,
    PassOptions,
    learn_style,
    plain_trajectory,
    solve_trajectory,
)
from writhe.styles.follow_paths import follow, smooth_path


def _mse(chain: Chain, found: np.ndarray, truth: np.ndarray) -> float:
    from writhe.research.experiments.dynamic_joint_ik.comparison import joint_errors

    return float(joint_errors(chain, found, truth)[0].mean())


def _plain(chain: Chain, targets: np.ndarray) -> list[np.ndarray]:
    rest = chain.coordinates(chain.figure.skeleton.rest_configuration)[0]
    return [plain_trajectory(chain, targets, rest, from_previous=p) for p in (False, True)]


@pytest.fixture(scope="module")
def golf(arm: Chain, movements: dict[str, list[Motion]]) -> np.ndarray:
    return arm.coordinates(movements["golf"][0].q)


@pytest.mark.parametrize("name", ["right_arm", "left_arm", "right_leg", "left_leg", "body"])
def test_every_chain_learns_and_replays_its_take(
    name: str, movements: dict[str, list[Motion]]
) -> None:
    chain = Chain.named(figure("human"), name)
    take = movements["throw"][0]
    truth = chain.coordinates(take.q)
    cells = Forest(chain, [learn_style(chain, "throw", [(take.q, take.fps)])]).blend()
    found = solve_trajectory(chain, cells, chain.effector_points(truth), take.fps)
    assert found.status == "reached"
    assert found.distance_m.mean() < 0.005
    assert _mse(chain, found.theta, truth) < 0.002


def test_threads_do_not_change_the_result(arm: Chain, forest: Forest, golf: np.ndarray) -> None:
    targets, cells = arm.effector_points(golf), forest.blend("throw")
    maximum = int(vars(config)["NUMBA_NUM_THREADS"])
    runs = [solve_trajectory(arm, cells, targets, 30.0, threads=n) for n in range(1, maximum + 1)]
    for run in runs[1:]:
        assert all(np.array_equal(run.passes[p], runs[0].passes[p]) for p in PASSES)
    with pytest.raises(WritheError, match="threads"):
        solve_trajectory(arm, cells, targets, 30.0, threads=maximum + 1)


def test_trajectories_side_by_side_do_not_mix(
    arm: Chain, forest: Forest, golf: np.ndarray, movements: dict[str, list[Motion]]
) -> None:
    cells, other = forest.blend("golf"), arm.coordinates(movements["throw"][1].q)
    parts = [arm.effector_points(t) for t in (golf, other)]
    alone = np.concatenate([solve_trajectory(arm, cells, p, 30.0).theta for p in parts])
    both = solve_trajectory(arm, cells, np.concatenate(parts), 30.0, starts=(0, len(golf)))
    assert np.array_equal(both.theta, alone)


def test_postures_stay_within_the_learnt_limits_unless_targets_need_more(
    arm: Chain, movements: dict[str, list[Motion]]
) -> None:
    learnt, replayed = movements["throw"][:2]
    cells = Forest(arm, [learn_style(arm, "throw", [(learnt.q, learnt.fps)])]).blend()
    targets = arm.effector_points(arm.coordinates(replayed.q))
    held = solve_trajectory(arm, cells, targets, 30.0, options=PassOptions(widen=False))
    free = solve_trajectory(arm, cells, targets, 30.0)
    unit = (targets[:, 0] - cells.corner[0]) / cells.size[0]
    inside = np.all((unit >= 0) & (unit < 1), axis=1)
    assert inside.mean() > 0.5
    crude = held.passes["crude"]
    rounding = 1e-14
    for rows, cell in ((crude[inside], 1), (crude, 0)):
        assert np.all(rows >= cells.lower[cell] - rounding)
        assert np.all(rows <= cells.upper[cell] + rounding)
    assert held.distance_m.mean() > free.distance_m.mean()
    assert free.distance_m.mean() < 0.005


def test_targets_beyond_reach_are_a_status(arm: Chain, forest: Forest) -> None:
    far = np.tile([-3.0, 0.0, 0.0], (20, 1))
    found = solve_trajectory(arm, forest.blend("move"), far, 30.0)
    assert found.status == "short"
    assert np.all(np.isfinite(found.theta))
    with pytest.raises(WritheError, match="targets"):
        solve_trajectory(arm, forest.blend("move"), np.zeros((4, 2, 3)), 30.0)


def test_alignment_smooths_and_correction_keeps_near_the_targets(
    arm: Chain, forest: Forest, golf: np.ndarray
) -> None:
    found = solve_trajectory(arm, forest.blend("throw"), arm.effector_points(golf), 30.0)
    rough = {p: float(np.abs(np.diff(t, 2, axis=0)).mean()) for p, t in found.passes.items()}
    assert rough["alignment"] < 0.5 * rough["crude"]
    assert rough["correction"] < rough["retargeting"]
    assert found.distance_m.mean() < 0.005


def test_a_blend_lies_between_its_styles(arm: Chain, forest: Forest, golf: np.ndarray) -> None:
    targets = arm.effector_points(golf)
    ends = [solve_trajectory(arm, forest.blend(s), targets, 30.0) for s in ("golf", "throw")]
    middle = solve_trajectory(arm, forest.blend({"golf": 1, "throw": 1}), targets, 30.0)
    apart = np.abs(ends[0].theta - ends[1].theta).mean()
    assert middle.distance_m.mean() < 0.005
    for end in ends:
        assert np.abs(middle.theta - end.theta).mean() < 0.9 * apart


def test_a_drawn_path_becomes_a_certified_motion(arm: Chain, forest: Forest) -> None:
    human = figure("human")
    drawn = np.array([[-0.5, 1.0, 0.3], [-0.35, 1.2, 0.45], [-0.2, 1.4, 0.45], [-0.4, 1.3, 0.4]])
    path = smooth_path(drawn, 45)
    assert np.abs(path[[0, -1]] - drawn[[0, -1]]).max() < 1e-9
    done = follow(arm, forest.blend("move"), path, 30.0, human.skeleton.rest_configuration)
    wrist = done.motion.frames().position("right_wrist")
    assert np.linalg.norm(wrist - path, axis=1).mean() < 0.005
    assert done.certificate.certified or done.repaired().after.certified


def test_recorded_golf_is_found_again(arm: Chain, mocap: Path) -> None:
    """Figures on real swings: seen 100 times, left out 5 times below plain ones."""
    takes = [
        retarget(load(mocap / "arm" / f"{name}.bvh"), figure("human"), keep_feet=False)
        for name in ("64_02", "64_05", "64_06")
    ]
    truth = arm.coordinates(takes[0].q)
    targets = arm.effector_points(truth)
    worst_plain = min(_mse(arm, p, truth) for p in _plain(arm, targets))
    for learnt, times in ((takes[:1], 100.0), (takes[1:], 5.0)):
        cells = Forest(arm, [learn_style(arm, "golf", [(t.q, t.fps) for t in learnt])]).blend()
        found = solve_trajectory(arm, cells, targets, takes[0].fps)
        assert worst_plain > times * _mse(arm, found.theta, truth)
        assert found.distance_m.mean() < 0.005
