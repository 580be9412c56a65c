"""Scripted drags: what a user's hand does, frame by frame, made from a seed.

Positions are in the world of a 1.75 m figure standing at the origin and facing +Z, or sitting on
the built-in chair, or standing at the built-in ladder, which are at the origin then. A drag marked
feasible ends where a penetration-free posture is known to have its hand or foot; the others are
aimed into or through the body or the object and cannot be met.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton import Figure, forward
from writhe.skeleton.kinematics import integrate

REST_FRAMES = 15  # frames that a drag stays at each of its way-points


@dataclass(frozen=True)
class Drag:
    """Joints dragged along paths (frames, joints, 3), with others pinned where they start."""

    name: str
    joints: tuple[str, ...]
    path: Floats
    pinned: tuple[str, ...]
    feasible: bool
    rests: tuple[int, ...]  # frames at which a way-point has been held for REST_FRAMES


def standing(figure: Figure) -> Floats:
    """The human standing with its arms beside it, elbows and knees a little bent."""
    skeleton = figure.skeleton
    step = np.zeros(skeleton.dof_count)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        step[skeleton.v_slice(f"{side}_shoulder").start + 2] = -sign * np.radians(68)
        step[skeleton.v_slice(f"{side}_elbow")] = 0.25
        step[skeleton.v_slice(f"{side}_knee")] = 0.06
        step[skeleton.v_slice(f"{side}_hip").start] = -0.03
        step[skeleton.v_slice(f"{side}_ankle").start] = -0.03
    return integrate(skeleton, skeleton.rest_configuration, step)


Points = tuple[tuple[float, ...], ...]  # one for each dragged joint


@dataclass(frozen=True)
class Script:
    """A drag before it is walked: way-points, each with a place for every dragged joint."""

    name: str
    joints: tuple[str, ...]
    pinned: tuple[str, ...]
    feasible: bool
    way: tuple[Points, ...]


# metres a frame
_SPEEDS = {"slow": 0.02, "brisk": 0.06, "fast": 0.25}


def walked(
    scripts: Sequence[Script], figure: Figure, start: Floats, rounds: int = 1, seed: int = 0
) -> list[Drag]:
    """Every script at every speed, `rounds` times with way-points moved a little at random."""
    rng = np.random.default_rng(seed)
    places = forward(figure.skeleton, start)
    drags: list[Drag] = []
    for turn in range(rounds):
        for script in scripts:
            for pace, speed in _SPEEDS.items():
                count = (len(script.way), len(script.joints), 3)
                jitter = rng.normal(0.0, 0.02 if turn else 0.0, count)
                way = [
                    np.array([places.position(joint) for joint in script.joints]),
                    *(np.array(p) + j for p, j in zip(script.way, jitter, strict=True)),
                ]
                path, rests = _walk(way, speed)
                name = f"{script.name}, {pace}"
                drags.append(Drag(name, script.joints, path, script.pinned, script.feasible, rests))
    return drags


def scripted_drags(figure: Figure, rounds: int = 1, seed: int = 0) -> list[Drag]:
    """The drags of a standing figure."""
    from writhe.research.evaluation.drag_scripts import STANDING

    return walked(STANDING, figure, standing(figure), rounds, seed)


def _walk(way: list[Floats], speed: float) -> tuple[Floats, tuple[int, ...]]:
    """Frames along the way-points at a steady speed, resting at each."""
    frames: list[Floats] = []
    rests: list[int] = []
    for a, b in itertools.pairwise(way):
        count = max(1, int(np.ceil(np.linalg.norm(b - a, axis=1).max() / speed)))
        frames += [a + (b - a) * (k / count) for k in range(1, count + 1)]
        frames += [b] * REST_FRAMES
        rests.append(len(frames) - 1)
    return np.array(frames), tuple(rests)
