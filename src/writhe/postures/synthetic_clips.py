"""Synthetic clips through key poses of the built-in library, as stand-ins for captured motion.

A take is a motion through the key poses of a style. Further takes use variations of the same poses
at another speed, so that one take can be held out for testing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import cast

import numpy as np
from scipy import ndimage

from writhe.arrays import Floats
from writhe.postures.builtin import builtin_database
from writhe.skeleton import Figure, JointKind, Motion
from writhe.skeleton.configurations import same_joints
from writhe.skeleton.figures import figure as built_in

TAKES = 4
FPS = 30.0
# style: key poses
MOVEMENTS: dict[str, tuple[str, ...]] = {
    "golf": ("golf address", "golf top", "golf address", "golf finish"),
    "throw": ("throw wind-up", "throw cocked", "throw release", "throw follow-through"),
    "move": ("reach 10 -34", "reach 45 -8", "reach -25 -8", "reach 10 18", "wipe table"),
    "expressive": ("wave high", "point ahead", "explain", "stop", "beckon", "shrug"),
    "swing": ("bat stance", "bat swing", "hammer up", "hammer down"),
}
_PACES_S = (0.5, 0.62, 0.44, 0.56)  # seconds from key pose to key pose, by take


@cache
def _library() -> dict[str, Floats]:
    """The postures of the basic library by name."""
    database = builtin_database("basic")
    return dict(zip(database.clip, database.q, strict=True))


def builtin_movements(figure: Figure | None = None) -> dict[str, list[Motion]]:
    """Takes of each style, on the human or retargeted to another figure."""
    human = built_in("human")
    library = _library()
    out: dict[str, list[Motion]] = {}
    for style, poses in MOVEMENTS.items():
        for number in range(TAKES):
            keys = [_variant(library, pose, number) for pose in poses]
            name = f"built-in {style} {number + 1}"
            take = through_poses(human, [*keys, keys[0]] * 2, _PACES_S[number], FPS, name)
            out.setdefault(style, []).append(take)
    if figure is None or same_joints(figure.skeleton, human.skeleton):
        return out
    from writhe.retargeting.retarget import retarget

    return {
        style: [retarget(take, figure, keep_feet=False, source_figure=human) for take in takes]
        for style, takes in out.items()
    }


def _variant(library: dict[str, Floats], pose: str, number: int) -> Floats:
    """The number-th variation of a key pose (modulo their count), mirror images excluded."""
    like = [n for n in sorted(library) if n.startswith(pose) and "mirrored" not in n]
    like = [n for n in like if " > " not in n and " + " not in n] or like
    return library[like[number % len(like)]]


def through_poses(
    figure: Figure, poses: Sequence[Floats], seconds_each: float, fps: float, name: str
) -> Motion:
    """A smooth motion through postures: slerps, Gaussian-filtered (sigma seconds_each / 8)."""
    keys = Motion(figure.skeleton, np.array(poses), fps=1.0 / seconds_each)
    raw = keys.resample(fps).q
    for joint in figure.skeleton.joints:
        at = figure.skeleton.q_slice(joint.name)
        if joint.kind in (JointKind.BALL, JointKind.FREE):
            turn = raw[:, at.stop - 4 : at.stop]
            flips = np.where((turn[1:] * turn[:-1]).sum(axis=1) < 0.0, -1.0, 1.0)
            turn[1:] *= flips.cumprod()[:, None]
    q = cast(
        Floats,
        ndimage.gaussian_filter1d(raw, 0.25 * seconds_each * fps / 2.0, axis=0, mode="nearest"),
    )
    for joint in figure.skeleton.joints:
        at = figure.skeleton.q_slice(joint.name)
        if joint.kind in (JointKind.BALL, JointKind.FREE):
            turn = q[:, at.stop - 4 : at.stop]
            turn /= np.linalg.norm(turn, axis=1, keepdims=True)
    return Motion(figure.skeleton, q, fps, name)
