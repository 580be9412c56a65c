"""Scripted drags: target positions frame by frame, deterministic for a seed.

Positions are in the world frame of a 1.75 m figure at the origin facing +Z, standing, sitting on
the built-in chair or standing at the built-in ladder (both at the origin). The targets of a
feasible drag are reached by a known penetration-free posture; the others aim into or through the
body or the object and cannot be reached.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton import Figure, forward
from writhe.skeleton.kinematics import integrate

REST_FRAMES = 15  # frames for which a drag pauses at each waypoint


@dataclass(frozen=True)
class ScriptedDrag:
    """Joints dragged along paths (frames, joints, 3), with others pinned where they start."""

    name: str
    joints: tuple[str, ...]
    path: Floats
    pinned: tuple[str, ...]
    feasible: bool
    rests: tuple[int, ...]  # last frame of the pause at each waypoint


def standing(figure: Figure) -> Floats:
    """(nq,) the human standing with hanging arms, elbows and knees slightly bent."""
    skeleton = figure.skeleton
    step = np.zeros(skeleton.dof_count)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        step[skeleton.v_slice(f"{side}_shoulder").start + 2] = -sign * np.radians(68)
        step[skeleton.v_slice(f"{side}_elbow")] = 0.25
        step[skeleton.v_slice(f"{side}_knee")] = 0.06
        step[skeleton.v_slice(f"{side}_hip").start] = -0.03
        step[skeleton.v_slice(f"{side}_ankle").start] = -0.03
    return integrate(skeleton, skeleton.rest_configuration, step)


Points = tuple[tuple[float, ...], ...]  # one position per dragged joint


@dataclass(frozen=True)
class Script:
    """A drag as waypoints, each with a position for every dragged joint."""

    name: str
    joints: tuple[str, ...]
    pinned: tuple[str, ...]
    feasible: bool
    waypoints: tuple[Points, ...]


# metres per frame
_SPEEDS = {"slow": 0.02, "brisk": 0.06, "fast": 0.25}


def sample_drags(
    scripts: Sequence[Script], figure: Figure, start: Floats, rounds: int = 1, seed: int = 0
) -> list[ScriptedDrag]:
    """Every script at every speed, `rounds` times; later rounds perturb the waypoints."""
    rng = np.random.default_rng(seed)
    start_frames = forward(figure.skeleton, start)
    drags: list[ScriptedDrag] = []
    for turn in range(rounds):
        for script in scripts:
            for pace, speed in _SPEEDS.items():
                count = (len(script.waypoints), len(script.joints), 3)
                jitter = rng.normal(0.0, 0.02 if turn else 0.0, count)
                waypoints = [
                    np.array([start_frames.position(joint) for joint in script.joints]),
                    *(np.array(p) + j for p, j in zip(script.waypoints, jitter, strict=True)),
                ]
                path, rests = _sample_path(waypoints, speed)
                name = f"{script.name}, {pace}"
                drags.append(
                    ScriptedDrag(name, script.joints, path, script.pinned, script.feasible, rests)
                )
    return drags


def scripted_drags(figure: Figure, rounds: int = 1, seed: int = 0) -> list[ScriptedDrag]:
    """The drags of a standing figure."""
    from writhe.research.evaluation.drags.drag_scripts import STANDING

    return sample_drags(STANDING, figure, standing(figure), rounds, seed)


def _sample_path(waypoints: list[Floats], speed: float) -> tuple[Floats, tuple[int, ...]]:
    """(frames, joints, 3) positions at constant speed with pauses, and the last frames of these."""
    frames: list[Floats] = []
    rests: list[int] = []
    for a, b in itertools.pairwise(waypoints):
        count = max(1, int(np.ceil(np.linalg.norm(b - a, axis=1).max() / speed)))
        frames += [a + (b - a) * (k / count) for k in range(1, count + 1)]
        frames += [b] * REST_FRAMES
        rests.append(len(frames) - 1)
    return np.array(frames), tuple(rests)
