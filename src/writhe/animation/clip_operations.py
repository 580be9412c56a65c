"""Operations on clips: trim, stretch, loop and layer (`mirror` has `mirrored_clip`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from writhe.arguments import checked
from writhe.arrays import Floats, number
from writhe.easing import smoothstep
from writhe.errors import WritheError
from writhe.kernels.skeleton import kinematics
from writhe.skeleton import Motion, Skeleton, forward
from writhe.skeleton.heading import yaw_matrix
from writhe.skeleton.move_root import free_root, moved_roots

MAX_CLIP_FRAMES = 1_000_000
_JOIN_S = 0.2  # over which the end of a loop blends into its start


@checked
def trim(motion: Motion, start_s: float, end_s: float) -> Motion:
    """The part of a motion from `start_s` to `end_s`, both within it."""
    number(start_s, "start_s", minimum=0.0)
    if not start_s < end_s <= motion.duration_s + 0.5 / motion.fps:
        raise WritheError(
            f"a trimmed clip must start before it ends, within {motion.duration_s:.3f} s;"
            f" not {start_s:g} to {end_s:g} s"
        )
    count = max(2, round((min(end_s, motion.duration_s) - start_s) * motion.fps) + 1)
    return replace(motion, q=motion.at(start_s + np.arange(count) / motion.fps))


@checked
def stretch(motion: Motion, duration_s: float) -> Motion:
    """The motion slowed down or sped up to last `duration_s`, at the same frame rate."""
    number(duration_s, "duration_s", above=0.0)
    count = max(2, round(duration_s * motion.fps) + 1)
    if count > MAX_CLIP_FRAMES:
        raise WritheError(
            f"a clip of {duration_s:g} s would have {count} frames;"
            f" at most {MAX_CLIP_FRAMES} are possible"
        )
    return replace(motion, q=motion.at(np.linspace(0.0, motion.duration_s, count)))


@checked
def loop(motion: Motion, times: int, *, join_s: float = _JOIN_S) -> Motion:
    """The motion repeated: every repetition starts where the one before it ended, facing its way.

    The end blends into the start over `join_s`, at most half of the motion, so that one repetition
    lasts that much less.
    """
    number(times, "times", minimum=1)
    number(join_s, "join_s", minimum=0.0)
    fps, count = motion.fps, len(motion)
    join = min(round(join_s * fps), (count - 1) // 2)
    if times * count > MAX_CLIP_FRAMES:
        raise WritheError(
            f"{times} repetitions would have over {MAX_CLIP_FRAMES} frames: repeat it fewer times"
        )
    if count < 3 or times == 1:
        return motion
    skeleton, out = motion.skeleton, motion.q.copy()
    period = count - 1 - join
    for _ in range(int(times) - 1):
        begin = len(out) - 1 - join  # the frame of the joined motion at which the next one starts
        after = _placed(skeleton, motion.q, join // 2, out[begin + join // 2])
        shares = smoothstep(np.arange(join + 1) / max(join, 1)) if join else np.array([1.0])
        joined = np.stack(
            [
                _between(skeleton, out[begin + k], after[k], float(share))
                for k, share in enumerate(shares)
            ]
        )
        out = np.concatenate([out[:begin], joined, after[join + 1 :]])
    assert len(out) == (int(times) - 1) * period + count
    return replace(motion, q=out)


@checked
def layer(
    base: Motion,
    over: Motion,
    *,
    joints: Sequence[str] | None = None,
    start_s: float = 0.0,
    weight: float = 1.0,
    fade_s: float = 0.25,
    additive: bool = False,
) -> Motion:
    """`base` with the motion `over` layered on it from `start_s`, faded in and out over `fade_s`.

    joints: those that take part, with everything below them; by default all. additive: what `over`
    changes since its first frame is added; otherwise it replaces the motion of these joints.
    """
    if base.skeleton.names != over.skeleton.names:
        raise WritheError(
            "a layer needs the skeleton of the clip below it: retarget it first (`retarget`)"
        )
    number(weight, "weight", minimum=0.0, maximum=1.0)
    number(start_s, "start_s", minimum=0.0)
    number(fade_s, "fade_s", minimum=0.0)
    skeleton = base.skeleton
    chosen = _dofs(skeleton, joints)
    times = np.arange(len(base)) / base.fps - start_s
    inside = (times >= 0.0) & (times <= over.duration_s + 1e-9)
    rows = over.at(times[inside])
    left = np.minimum(times[inside], over.duration_s - times[inside])
    shares = weight * (smoothstep(left / fade_s) if fade_s > 0 else np.ones(len(left)))
    out, step = base.q.copy(), np.zeros(skeleton.dof_count)
    for f, row, share in zip(np.flatnonzero(inside), rows, shares, strict=True):
        kinematics.difference(skeleton.tree, over.q[0] if additive else base.q[f], row, step)
        kinematics.integrate(skeleton.tree, base.q[f], share * step * chosen, out[f])
    return replace(base, q=out)


def _dofs(skeleton: Skeleton, joints: Sequence[str] | None) -> Floats:
    """(nv,) 1 for the degrees of freedom of these joints and of all below them."""
    if joints is None:
        return np.ones(skeleton.dof_count)
    out = np.zeros(skeleton.dof_count)
    for name in joints:
        at = skeleton.index(name)
        last = int(skeleton.tree.subtree_end[at]) - 1
        begin = skeleton.v_slice(skeleton.names[at]).start
        out[begin : skeleton.v_slice(skeleton.names[last]).stop] = 1.0
    return out


def _between(skeleton: Skeleton, a: Floats, b: Floats, share: float) -> Floats:
    out = np.empty_like(a)
    kinematics.interpolate(skeleton.tree, a, b, share, out)
    return out


def _placed(skeleton: Skeleton, q: Floats, frame: int, goal: Floats) -> Floats:
    """q (n, nq) moved over the ground and turned so that its root in `frame` is as in `goal`."""
    root = free_root(skeleton)
    here, there = forward(skeleton, q[frame]), forward(skeleton, goal)
    turn = there.rotations[root] @ here.rotations[root].T
    angle = np.arctan2(turn[0, 2] - turn[2, 0], turn[0, 0] + turn[2, 2])
    yaw = yaw_matrix(angle)
    away = there.positions[root] - yaw @ here.positions[root]
    away[1] = 0.0
    return moved_roots(skeleton, q, yaw, away)
