"""The animation of a glTF file at its keys, as glTF players interpolate it.

`load` samples a file at a constant rate. Here the rows are the keys of all tracks together, so that
between two rows

- LINEAR tracks move on straight lines and by slerp, exactly;
- STEP tracks stand still; where they change, two rows at the same time form a jump;
- CUBICSPLINE tracks are approximated by straight lines and slerp between `refine` rows for each
  key, with a bound of the error.

Motion that the skeleton cannot represent (scales, tiny motion of a joint that was read as fixed) is
part of that bound, and so is a linear rotation by pi with rows between its keys.

Bound for a spline. On an interval of length 1 let p(u) be the cubic, |p'| <= P1, |p''| <= P2, and
for rotations |p| >= m. A curve and the straight line between its ends differ by max|p''| / 8 at
most. Players normalise a rotation to n = p / |p|, for which |n'| <= P1/m = v and
|n''| <= P2/m + 3 v^2; the slerp s between the same ends has |s''| <= v^2. Therefore
|n - s| <= (P2/m + 4 v^2) / 8, and the rotations differ by no more than 2.1 times that if it is
below 0.3.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from writhe.arrays import Floats
from writhe.io.file_size_limits import check_numbers
from writhe.io.gltf.container import Glb
from writhe.io.gltf.read import read_animation
from writhe.io.gltf.read_sampled import AnimationTrack
from writhe.io.keyed_motion import KeyedMotion
from writhe.skeleton import Motion
from writhe.skeleton.quaternions import HALF_TURN_RAD

UNBOUNDED_RAD = 2.0 * np.pi  # error of a spline that comes near the zero quaternion
_LARGEST_BOUND = 0.3


def load_gltf_keys(
    path: Path, refine: int = 1, animation_name: str | int | None = None
) -> KeyedMotion:
    """Read an animation of a glTF file at its keys; `refine` rows per key of splines."""
    glb = Glb(path)
    animation = read_animation(glb, animation_name)
    tracks = animation.tracks
    kinds = {track.interpolation for track in tracks}
    times = np.unique(np.concatenate([t.times for t in tracks])) if tracks else np.zeros(1)
    if "CUBICSPLINE" in kinds and len(times) > 1:
        share = np.arange(refine) / refine
        between = times[:-1, None] + share * np.diff(times)[:, None]
        times = np.append(between.ravel(), times[-1])
    check_numbers(glb.path, 2 * len(times), 7 * len(animation.nodes.order))
    # each time occurs twice: before it, where STEP tracks still hold, and from it on
    twice = np.repeat(times, 2)[1:] if "STEP" in kinds else times
    held = np.repeat(times, 2)[:-1] if "STEP" in kinds else times
    sampled = animation.sampled(
        [t.sample(held if t.interpolation == "STEP" else twice) for t in tracks]
    )
    skeleton, q = animation.configurations(sampled, len(twice))
    jumps = np.zeros(max(0, len(twice) - 1), dtype=np.bool_)
    if "STEP" in kinds:
        keep = np.ones(len(twice), dtype=np.bool_)
        keep[2::2] = (q[2::2] != q[1:-1:2]).any(axis=1)
        jumps = keep.copy()
        jumps[1::2] = False
        jumps = jumps[keep][1:]
        q, twice = np.ascontiguousarray(q[keep]), twice[keep]
    turn, shift = animation.left_out(sampled, skeleton)
    for track in tracks:
        node = animation.nodes.order.index(track.node)
        joint = skeleton.index(animation.nodes.names[node])
        if track.interpolation == "CUBICSPLINE" and len(times) > 1:
            error = _spline_error(track, times)
            if track.path == "translation":
                shift[joint] += error * animation.scale_above(node)
            else:
                turn[joint] += error / (
                    1.0 if track.path == "rotation" else animation.own_scale(node)
                )
        elif _divides_half_turn(track, times):
            turn[joint] += UNBOUNDED_RAD
    named = {"LINEAR": "slerp", "STEP": "step", "CUBICSPLINE": "cubic spline"}
    how = " and ".join(name for kind, name in named.items() if kind in kinds) or "slerp"
    motion = Motion(skeleton, q, 30.0, path.stem, animation.source)
    return KeyedMotion(motion, twice, jumps, turn, shift, how)


def _divides_half_turn(track: AnimationTrack, times: Floats) -> bool:
    """Whether a linear rotation by pi has rows between its keys: it may go either way round."""
    if track.path != "rotation" or track.interpolation != "LINEAR" or len(track.times) < 2:
        return False
    dots = np.abs(np.einsum("kc,kc->k", track.values[1:], track.values[:-1]))
    keys = np.flatnonzero(dots < 0.5 * HALF_TURN_RAD)
    after = np.searchsorted(times, track.times[keys], side="right")
    return bool((after < np.searchsorted(times, track.times[keys + 1])).any())


def _spline_error(track: AnimationTrack, times: Floats) -> float:
    """The bound of the module's docstring over the intervals between `times`: rad or file units."""
    if len(track.times) < 2:
        return 0.0
    middle = 0.5 * (times[:-1] + times[1:])
    inside = (middle > track.times[0]) & (middle < track.times[-1])
    first, last, middle = times[:-1][inside], times[1:][inside], middle[inside]
    key = np.clip(np.searchsorted(track.times, middle) - 1, 0, len(track.times) - 2)
    span = track.times[key + 1] - track.times[key]
    s0, s1 = ((t - track.times[key]) / span for t in (first, last))
    _, p0, m0 = np.moveaxis(track.values[key], 1, 0)
    m1, p1, _ = np.moveaxis(track.values[key + 1], 1, 0)
    m0, m1 = span[:, None] * m0, span[:, None] * m1
    c3, c2 = 2 * p0 - 2 * p1 + m0 + m1, -3 * p0 + 3 * p1 - 2 * m0 - m1
    length = s1 - s0

    def size(values: Floats) -> Floats:
        return np.linalg.norm(values, axis=1)

    def at(s: Floats, derivative: int) -> Floats:
        s = s[:, None]
        if derivative == 0:
            return ((c3 * s + c2) * s + m0) * s + p0
        return (3 * c3 * s + 2 * c2) * s + m0 if derivative == 1 else 6 * c3 * s + 2 * c2

    speed = np.maximum(size(at(s0, 1)), size(at(s1, 1))) + 0.125 * length**2 * size(6 * c3)
    bend = np.maximum(size(at(s0, 2)), size(at(s1, 2)))
    speed, bend = length * speed, length**2 * bend
    if track.path != "rotation":
        return float((0.125 * bend).max(initial=0.0))
    minimum = np.minimum(size(at(s0, 0)), size(at(s1, 0))) - 0.5 * speed
    if (minimum <= 0.0).any():
        return UNBOUNDED_RAD
    error = float(((bend / minimum + 4.0 * (speed / minimum) ** 2) / 8.0).max(initial=0.0))
    return 2.1 * error if error < _LARGEST_BOUND else UNBOUNDED_RAD
