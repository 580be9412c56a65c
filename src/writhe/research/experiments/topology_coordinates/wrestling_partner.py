"""The moving partner of the wrestling scene: authored key poses, or a captured motion."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from writhe import io
from writhe.arrays import Floats
from writhe.cleaning.clean import clean
from writhe.easing import smoothstep
from writhe.errors import WritheError
from writhe.postures.builtin.anatomical_angles import (
    ArmAngles,
    BodyAngles,
    LegAngles,
    TrunkAngles,
    configuration,
)
from writhe.progress import Progress
from writhe.research.experiments.topology_coordinates.scene_setup import lowest_point
from writhe.retargeting.retarget import retarget
from writhe.skeleton import Figure, Motion, forward
from writhe.skeleton.kinematics import interpolate

_FRAMES = 240  # of a captured partner
_AUTHORED_FRAMES = 400


def authored_partner(body: Figure) -> Floats:
    """(frames, nq) a partner who crouches, sways and throws his arms up: eased key poses."""

    def pose(arms: float, elbow: float, bend: float, turn: float, nod: float = 0.0) -> Floats:
        arm = ArmAngles(flex=8, abduct=arms, rotate=-30, elbow=elbow)
        leg = LegAngles(flex=16, abduct=13, rotate=14, knee=28, ankle=12)
        return configuration(
            body.skeleton,
            BodyAngles(arm, arm, leg, leg, TrunkAngles(bend=bend, turn=turn, nod=nod)),
        )

    keys = [
        pose(40, 40, 4, 0),
        pose(60, 50, 8, 5),
        pose(128, 60, 6, -3, 12),
        pose(134, 60, 10, 3, 25),
        pose(95, 50, 8, -4, 8),
        pose(62, 45, 5, 3),
        pose(60, 45, 8, 0),
    ]
    span = _AUTHORED_FRAMES / (len(keys) - 1)
    rows: list[Floats] = []
    for k in range(_AUTHORED_FRAMES):
        at = min(int(k / span), len(keys) - 2)
        t = k / span - at
        q = interpolate(body.skeleton, keys[at], keys[at + 1], smoothstep(t))
        q[1] -= lowest_point(body, q) + 0.005
        rows.append(q)
    return np.array(rows)


def captured_partner(body: Figure, clips: Path, progress: Progress) -> tuple[Floats, str]:
    """The slowest segment of the clips with arms away from the trunk, cleaned, at the origin."""
    best: tuple[float, Path, int] | None = None
    files = sorted(clips.glob("*.bvh"))
    if not files:
        raise WritheError(f"{clips} contains no .bvh files for the partner")
    window = np.ones(_FRAMES) / _FRAMES
    for path in files:
        motion = io.load(path)
        if len(motion) <= _FRAMES:
            continue
        roles = dict(io.figure_of(motion).roles)
        frames = forward(motion.skeleton, motion.q)
        moved = np.linalg.norm(np.diff(frames.positions, axis=0), axis=2).mean(axis=1)
        middle = frames.position(roles["hips"])[:-1, [0, 2]]
        apart = np.min(
            [
                np.linalg.norm(frames.position(roles[elbow])[:-1, [0, 2]] - middle, axis=1)
                for elbow in ("left_elbow", "right_elbow")
            ],
            axis=0,
        )
        height = (frames.position(roles["hips"]) - frames.position(roles["left_ankle"]))[:-1, 1]
        # slow, upright, and with space between arms and trunk
        cost = motion.fps * moved - 4.0 * apart + 20.0 * np.maximum(0.75 - height, 0.0)
        score = np.convolve(cost, window, "valid")
        at = int(score.argmin())
        if best is None or score[at] < best[0]:
            best = (float(score[at]), path, at)
    if best is None:
        raise WritheError(f"no clip in {clips} has {_FRAMES} frames")
    _, path, at = best
    progress(None, f"cleaning {path.name}")
    motion = retarget(io.load(path), body)

    q = motion.q[at : at + _FRAMES]
    cleaned = clean(body, Motion(body.skeleton, q, motion.fps, motion.name)).motion.q
    return _facing_front(body, cleaned), path.name


def _facing_front(body: Figure, q: Floats) -> Floats:
    """The motion moved and rotated to start at the origin on the floor, facing +Z."""
    from writhe.kernels.skeleton.rotation import quaternion_multiply

    frames = forward(body.skeleton, q[0])
    side = frames.position("left_hip") - frames.position("right_hip")
    yaw = float(np.arctan2(-side[2], side[0]))
    c, s = np.cos(-yaw), np.sin(-yaw)
    spin = np.array([np.cos(-yaw / 2), 0.0, np.sin(-yaw / 2), 0.0])
    out, start = q.copy(), q[0, [0, 2]].copy()
    for row in out:
        x, z = row[0] - start[0], row[2] - start[1]
        row[0], row[2] = c * x + s * z, -s * x + c * z
        quaternion_multiply(spin, row[3:7].copy(), row[3:7])
    low = min(lowest_point(body, row) for row in out[::5])
    out[:, 1] -= low + 0.003
    return out
