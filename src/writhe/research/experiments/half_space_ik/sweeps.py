"""Random sweeps: an object moves on a straight path into a character with a fixed root.

A sweep ends clear (the object arrived and nothing overlaps), blocked (it was stopped early) or
penetrating. A blocked sweep counts as clearable if an offline multi-start search finds clear poses
for the object at the end and at samples of the rest of its path.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.collision import Shape, ball, box, certify, cylinder
from writhe.progress import Progress
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.research.evaluation.metrics import PENETRATION_M
from writhe.scene import Actor, ObjectKind, Scene, SceneObject
from writhe.skeleton import Figure, forward
from writhe.skeleton.figures import figure
from writhe.solvers.half_space import CollisionResponse, ResponseOptions
from writhe.solvers.half_space.multistart import ClearPoseSearch

FPS = 60.0
HOLD_FRAMES = 60
ARRIVED_M = 0.001
SAMPLES = 6  # of the rest of the path that must be clearable
SLOWEST_M_S, FASTEST_M_S = 0.2, 2.0


@dataclass(frozen=True)
class Sweep:
    """An object on a straight path at constant speed."""

    kind: str
    shape: Shape
    rotation: Floats
    start_m: Floats
    end_m: Floats
    speed_m_s: float


def random_sweep(body: Figure, pose: Floats, rng: np.random.Generator) -> Sweep:
    """A ball, box or cylinder from a metre away to a point in or behind a random body part.

    Draws again until the start is clear of the body.
    """
    while True:
        sweep = _any_sweep(body, pose, rng)
        scene, q = _scene(sweep, body, pose)
        if certify(scene.layout.table, q[None], FPS).penetration_upper_bound_m <= 0.0:
            return sweep


def _any_sweep(body: Figure, pose: Floats, rng: np.random.Generator) -> Sweep:
    kind = ("ball", "box", "cylinder")[int(rng.integers(3))]
    if kind == "ball":
        shape = ball([0, 0, 0], float(rng.uniform(0.05, 0.15)))
    elif kind == "box":
        shape = box([0, 0, 0], rng.uniform(0.1, 0.3, 3))
    else:
        half = float(rng.uniform(0.1, 0.3))
        shape = cylinder([0, -half, 0], [0, half, 0], float(rng.uniform(0.04, 0.1)))
    rotation = rng.normal(size=4)
    frames = forward(body.skeleton, pose)
    part = body.capsules[int(rng.integers(len(body.capsules)))]
    along = part.start_in_joint + rng.uniform() * (part.end_in_joint - part.start_in_joint)
    aim = frames.point(part.joint, along) + rng.normal(0.0, 0.05, 3)
    direction = rng.normal(size=3) * (1.0, 0.5, 1.0)
    direction /= np.linalg.norm(direction)
    return Sweep(
        kind,
        shape,
        rotation / np.linalg.norm(rotation),
        aim - direction,
        aim + rng.uniform(0.0, 0.3) * direction,
        float(rng.uniform(SLOWEST_M_S, FASTEST_M_S)),
    )


def run_sweeps(
    progress: Progress,
    count: int,
    *,
    starts: int = 20,
    seed: int = 0,
    options: ResponseOptions | None = None,
) -> dict[str, Any]:
    """Metrics over `count` sweeps."""
    body = figure("human")
    pose = standing(body)
    tally = {"clear": 0, "blocked": 0, "penetrating": 0}
    clearable, worst = 0, 0.0
    times: list[tuple[float, float, float, int]] = []  # as `_play` returns them
    missed: list[int] = []
    for number in range(count):
        if number % 10 == 0:
            progress(None, f"sweep {number + 1} of {count}")
        sweep = random_sweep(body, pose, np.random.default_rng((seed, number)))
        response, q, depth, spent = _play(sweep, body, pose, options or ResponseOptions())
        times += spent
        worst = max(worst, depth)
        here = q[response.layout.object_q["object"]][:3]
        arrived = float(np.linalg.norm(here - sweep.end_m)) < ARRIVED_M
        ending = "clear" if arrived else "blocked"
        if depth > PENETRATION_M:
            ending = "penetrating"
        tally[ending] += 1
        if ending == "clear":
            clearable += 1
        elif _clearable(response, q, sweep, starts, number):
            clearable += 1
            missed.append(number)
    solve = np.array([t[0] for t in times])
    detect = np.array([t[1] for t in times])
    whole = np.array([t[2] for t in times])
    busy = np.array([t[3] for t in times]) >= 10
    return {
        "asked": count,
        **tally,
        "clearable": clearable,
        "cleared_of_clearable_percent": round(100.0 * tally["clear"] / max(clearable, 1), 2),
        "worst_penetration_m": round(worst, 5),
        "solve_ms_median_10_half_spaces": round(float(np.median(solve[busy])), 4),
        "solve_ms_p95": round(float(np.percentile(solve, 95)), 4),
        "detect_ms_median": round(float(np.median(detect)), 4),
        "step_ms_median": round(float(np.median(whole)), 4),
        "step_ms_p95": round(float(np.percentile(whole, 95)), 4),
        "missed": missed,
    }


def _scene(sweep: Sweep, body: Figure, pose: Floats) -> tuple[Scene, Floats]:
    """The scene of the body and the object, and its start configuration."""
    moved_object = SceneObject(
        "object",
        (sweep.shape,),
        ObjectKind.MOVED,
        position_m=sweep.start_m,
        rotation=sweep.rotation,
    )
    scene = Scene((Actor("a", body),), (moved_object,))
    q = scene.layout.rest()
    q[scene.layout.actor_q["a"]] = pose
    return scene, q


def _play(
    sweep: Sweep, body: Figure, pose: Floats, options: ResponseOptions
) -> tuple[CollisionResponse, Floats, float, list[tuple[float, float, float, int]]]:
    """The response, the last configuration, the deepest overlap, and (solve, detect, step) ms."""
    scene, q = _scene(sweep, body, pose)
    response = CollisionResponse(scene, options)
    length = float(np.linalg.norm(sweep.end_m - sweep.start_m))
    frames = int(np.ceil(length / sweep.speed_m_s * FPS))
    depth = 0.0
    spent: list[tuple[float, float, float, int]] = []
    for k in range(frames + HOLD_FRAMES):
        share = min(1.0, (k + 1) / frames)
        position = sweep.start_m + share * (sweep.end_m - sweep.start_m)
        result = response.step(q, objects={"object": np.concatenate([position, sweep.rotation])})
        q = result.q
        effort = result.effort
        spent.append((effort.solve_ms, effort.detect_ms, effort.milliseconds, effort.half_spaces))
        depth = max(depth, -(result.clearance_m or 0.0))
    return response, q, depth, spent


def _clearable(
    response: CollisionResponse, q: Floats, sweep: Sweep, starts: int, seed: int
) -> bool:
    """Whether the multi-start search finds clear poses for the rest of the path."""
    search = ClearPoseSearch(
        response.table,
        response.free,
        response.handle_terms.permanent_terms,
        ResponseOptions(iterations=10),
        seed,
    )
    at = response.layout.object_q["object"]
    here = q[at][:3].copy()
    for share in np.linspace(1.0, 0.0, SAMPLES, endpoint=False):
        ahead = q.copy()
        ahead[at.start : at.start + 3] = here + share * (sweep.end_m - here)
        if search.run(ahead, starts) is None:
            return False
    return True
