"""Scripted drags: what a user's hand does, frame by frame, made from a seed.

Positions are in the world of a 1.75 m figure standing at the origin and facing +Z. A drag marked
feasible ends where a penetration-free posture is known to have its hand or foot; the others are
aimed into or through the body and cannot be met.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton import Figure
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


_FEET = ("left_ankle", "right_ankle")
# name, dragged joints, pinned joints, feasible, way-points (one row of points per way-point)
_SCRIPTS: tuple[
    tuple[str, tuple[str, ...], tuple[str, ...], bool, tuple[tuple[tuple[float, ...], ...], ...]],
    ...,
] = (
    (
        "across the chest",
        ("left_wrist",),
        _FEET,
        True,
        (((0.2, 1.1, 0.35),), ((-0.12, 1.25, 0.3),), ((-0.22, 1.38, 0.2),), ((0.3, 1.0, 0.3),)),
    ),
    (
        "behind the shoulder",
        ("left_wrist",),
        _FEET,
        False,
        (((0.0, 1.3, 0.35),), ((-0.25, 1.45, 0.1),), ((-0.2, 1.4, -0.15),), ((0.3, 1.1, 0.3),)),
    ),
    (
        "behind the back",
        ("left_wrist", "right_wrist"),
        _FEET,
        True,
        (
            ((0.35, 0.95, -0.1), (-0.35, 0.95, -0.1)),
            ((0.1, 0.98, -0.24), (-0.1, 1.02, -0.26)),
            ((0.35, 0.95, -0.05), (-0.35, 0.95, -0.05)),
        ),
    ),
    (
        "fold and swap",
        ("left_wrist", "right_wrist"),
        _FEET,
        True,
        (
            ((0.2, 1.2, 0.35), (-0.2, 1.1, 0.35)),
            ((-0.1, 1.22, 0.3), (0.1, 1.1, 0.24)),
            ((0.25, 1.15, 0.38), (-0.25, 1.15, 0.38)),
            ((-0.1, 1.1, 0.24), (0.1, 1.22, 0.3)),
        ),
    ),
    (
        "foot over the knee",
        ("left_ankle",),
        ("right_ankle",),
        True,
        (((0.15, 0.45, 0.3),), ((-0.02, 0.58, 0.3),), ((0.12, 0.12, 0.05),)),
    ),
    (
        "into the body",
        ("left_wrist",),
        _FEET,
        False,
        (((0.2, 1.15, 0.3),), ((0.0, 1.15, 0.0),), ((0.3, 1.1, 0.2),)),
    ),
    (
        "through the body",
        ("right_wrist",),
        _FEET,
        False,
        (((-0.35, 1.1, 0.05),), ((0.4, 1.1, 0.0),), ((-0.35, 1.1, 0.1),)),
    ),
    (
        "through a held chest",
        ("right_wrist",),
        (*_FEET, "chest", "hips"),
        False,
        (((-0.35, 1.2, 0.15),), ((0.35, 1.25, -0.2),), ((-0.3, 1.0, 0.2),)),
    ),
)
# metres a frame
_SPEEDS = {"slow": 0.02, "brisk": 0.06, "fast": 0.25}


def scripted_drags(figure: Figure, rounds: int = 1, seed: int = 0) -> list[Drag]:
    """Every script at every speed, `rounds` times with way-points moved a little at random."""
    from writhe.skeleton import forward

    rng = np.random.default_rng(seed)
    start = forward(figure.skeleton, standing(figure))
    drags: list[Drag] = []
    for turn in range(rounds):
        for name, joints, pinned, feasible, points in _SCRIPTS:
            for pace, speed in _SPEEDS.items():
                jitter = rng.normal(0.0, 0.02 if turn else 0.0, (len(points), len(joints), 3))
                way = [
                    np.array([start.position(joint) for joint in joints]),
                    *(np.array(np.array(p) + j) for p, j in zip(points, jitter, strict=True)),
                ]
                path, rests = _walk(way, speed)
                drags.append(Drag(f"{name}, {pace}", joints, path, pinned, feasible, rests))
    return drags


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
