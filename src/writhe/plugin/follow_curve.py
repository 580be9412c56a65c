"""A hand or foot that follows a drawn curve in a learnt style."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from writhe.arrays import Floats, floats
from writhe.cleaning.clean import clean
from writhe.errors import UnknownNameError, WritheError
from writhe.plugin.action import StageMotion
from writhe.plugin.action_edits import NewKeys, certified_keys, changed_bones
from writhe.plugin.scene import Stage, label
from writhe.postures.synthetic_clips import MOVEMENTS
from writhe.progress import Progress
from writhe.skeleton import Motion
from writhe.solvers.trajectory import Chain
from writhe.styles.follow_paths import follow, smooth_path
from writhe.styles.learn_styles import learn_builtin

STYLES = tuple(MOVEMENTS)
_LONGEST_S = 30.0


def followed_keys(
    stage: Stage,
    motion: StageMotion,
    name: str,
    limb: str,
    style: str,
    points: Floats,
    span_s: tuple[float, float],
    fps: float,
    modes: Mapping[str, Mapping[str, str]],
    progress: Progress,
) -> NewKeys:
    """Keys of a character whose hand or foot follows points (k, 3) of the world in a time.

    limb: left_arm, right_arm, left_leg or right_leg. What penetrates is cleaned.
    """
    path = floats(points, (None, 3), "the points of a curve")
    first, last = span_s
    if style not in STYLES:
        raise UnknownNameError("style", style, list(STYLES))
    if len(path) < 2 or float(np.ptp(path, axis=0).max()) < 1e-3:
        raise WritheError("the curve has no length: draw one with at least two points")
    if not 0.2 <= last - first <= _LONGEST_S:
        raise WritheError(f"a curve is followed in 0.2 to {_LONGEST_S:.0f} seconds")
    character, who = stage.character(name), label(name)
    actor_q = stage.scene.layout.actor_q[who]
    count = round((last - first) * fps) + 1
    times = first + np.arange(count) / fps
    rows = motion.frames(stage, times)
    progress(0.05, "learning the style")
    forest = learn_builtin(Chain.named(character.figure, limb))
    progress(0.4, "following the curve")
    curve = smooth_path(path, count)
    done = follow(forest.chain, forest.blend(style), curve, fps, rows[0, actor_q].copy())
    before = rows[:, actor_q].copy()
    rows[:, actor_q] = done.motion.q
    progress(0.6, "cleaning")
    source = Motion(stage.scene.layout.skeleton, rows, fps, name)
    cleaned = clean(stage.scene, source, actor=who, euler=False)
    q = np.ascontiguousarray(cleaned.motion.q[:, actor_q])
    around = replace(motion, actions={})
    changed = {name: changed_bones(character, before[:1].repeat(count, axis=0), q)}
    keys = certified_keys(stage, around, {name: q}, times, changed, modes)
    off = 100.0 * float(done.trajectory.distance_m.mean())
    return keys.with_message(f"{off:.1f} cm from the curve in the mean: {keys.after.verdict}")
