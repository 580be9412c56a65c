"""Topology coordinates: speed of steps, random targets reached, round-trip errors."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from writhe.collision import certify
from writhe.progress import Progress
from writhe.research.evaluation.chains import ChainPair
from writhe.research.experiments.topology_coordinates import play
from writhe.research.experiments.topology_coordinates.scene_result import SceneResult
from writhe.solvers.tangling import SolveOptions, Tangle, TangleStepper, solve
from writhe.topology import TopologyCoordinates, round_trip_error, target_matrix

PAIRS, TARGETS = 200, 1000


def run(progress: Progress) -> dict[str, Any]:
    """All results; times are medians over steps, without compilation."""
    progress(None, "two chains of ten")
    chains = _chains()
    progress(None, "one human")
    play("arms-swap")
    one = _steps_per_s(play("arms-swap"))
    progress(None, "two humans")
    play("piggyback", compare=False)
    two = play("piggyback", compare=False)
    progress(None, "the octopus")
    play("fish")
    octopus = play("fish")
    progress(None, f"{PAIRS} random targets")
    targets = random_targets(PAIRS)
    progress(None, f"{TARGETS} round trips")
    return {
        **chains,
        "human_steps_per_s": one,
        "two_humans_steps_per_s": _steps_per_s(two),
        "piggyback_s": two.seconds,
        "octopus_step_ms": float(np.median(octopus.milliseconds)),
        "random_targets": targets,
        "round_trip_max_error": round_trips(TARGETS),
    }


def _steps_per_s(result: SceneResult) -> float:
    return float(1e3 / np.median(result.milliseconds))


def _chains() -> dict[str, Any]:
    """Writhe from 0 to 1 and to -1, repeated for the median."""
    pair = ChainPair.of(10, 10)
    taken: list[float] = []
    reached: dict[str, Any] = {}
    for turn in range(6):
        for target in (1.0, -1.0):
            stepper = TangleStepper(pair.table, [Tangle(pair.first, pair.second, target)])
            q = pair.skeleton.rest_configuration
            # exactly straight and parallel chains are a saddle point of the writhe
            q[3:7] = np.array([0.999, 0.01, 0.03, 0.02]) / np.linalg.norm([0.999, 0.01, 0.03, 0.02])
            result = solve(stepper, q, SolveOptions(seed=turn))
            if turn:
                taken += list(result.milliseconds)
            sign = "plus" if target > 0 else "minus"
            reached[f"chain_reached_{sign}_one"] = result.reached
            reached[f"chain_steps_{sign}_one"] = len(result.path) - 1
            crossed = len(certify(pair.table, result.path, fps=30.0).pass_throughs)
            reached["chain_crossings"] = reached.get("chain_crossings", 0) + crossed
    return {"chain_step_ms": float(np.median(taken)), **reached}


def random_targets(count: int, seed: int = 5) -> dict[str, Any]:
    """Targets are the coordinates of random configurations, solved for from other ones."""
    rng = np.random.default_rng(seed)
    reached, crossed, writhes = 0, 0, list[float]()
    start = time.perf_counter()
    for _ in range(count):
        first, second = rng.integers(4, 13, 2)
        pair = ChainPair.of(int(first), int(second))
        begin, end = pair.random(rng), pair.random(rng)
        tangle = Tangle.measured(pair.skeleton, end, pair.first, pair.second)
        result = solve(TangleStepper(pair.table, [tangle]), begin)
        reached += result.reached
        certificate = certify(pair.table, result.path, fps=30.0)
        crossed += bool(certificate.pass_throughs) or not certificate.certified
        writhes.append(abs(tangle.writhe))
    return {
        "asked": count,
        "reached": int(reached),
        "crossed": int(crossed),
        "writhe_p90": float(np.percentile(writhes, 90)),
        "seconds": time.perf_counter() - start,
    }


def round_trips(count: int, seed: int = 1) -> float:
    """Largest error of coordinates → matrix → coordinates over random targets."""
    rng = np.random.default_rng(seed)
    worst = 0.0
    for _ in range(count):
        rows, columns = (int(n) for n in rng.integers(4, 13, 2))
        x, y = rng.uniform(-0.6, 0.6, 2)
        target = TopologyCoordinates(
            rng.uniform(-2.0, 2.0), (x, y), rng.uniform(-np.pi / 2, np.pi / 2)
        )
        worst = max(worst, round_trip_error(target, target_matrix(target, rows, columns)))
    return worst
