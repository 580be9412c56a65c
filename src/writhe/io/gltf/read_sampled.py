"""The animation of a glTF file, sampled at a constant rate."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.io.file_size_limits import check_numbers
from writhe.io.gltf.container import Glb
from writhe.skeleton import quaternions

DEFAULT_FPS = 30.0
MAX_FPS = 1000.0
_MIN_QUATERNION = 1e-6  # largest component; shorter ones are no rotations
_WIDTH = {"translation": 3, "rotation": 4, "scale": 3}
_POINTER = re.compile(rf"/nodes/(\d{{1,9}})/({'|'.join(_WIDTH)})", re.ASCII)


@dataclass
class AnimationTrack:
    """One animated property of one node: keys and their interpolation."""

    node: int
    path: str
    times: Floats  # (k,)
    values: Floats  # (k, width), or (k, 3, width) with tangents for cubic splines; xyzw rotations
    interpolation: str

    def sample(self, at: Floats) -> Floats:
        """Values (len(at), width) at times in seconds, constant beyond the ends."""
        if len(self.times) == 1:
            last = self.values[0, 1] if self.interpolation == "CUBICSPLINE" else self.values[0]
            return np.repeat(last[None], len(at), axis=0)
        clamped = np.clip(at, self.times[0], self.times[-1])
        before = np.clip(
            np.searchsorted(self.times, clamped, side="right") - 1, 0, len(self.times) - 2
        )
        span = (self.times[before + 1] - self.times[before])[:, None]
        t = (clamped - self.times[before])[:, None] / span
        if self.interpolation == "STEP":
            return self.values[np.where(t[:, 0] >= 1.0, before + 1, before)]
        if self.interpolation == "CUBICSPLINE":
            _, p0, m0 = np.moveaxis(self.values[before], 1, 0)
            m1, p1, _ = np.moveaxis(self.values[before + 1], 1, 0)
            t2, t3 = t * t, t * t * t
            return (
                (2 * t3 - 3 * t2 + 1) * p0
                + span * (t3 - 2 * t2 + t) * m0
                + (3 * t2 - 2 * t3) * p1
                + span * (t3 - t2) * m1
            )
        start, end = self.values[before], self.values[before + 1]
        if self.path == "rotation":
            return _slerp(start, end, t)
        return (1.0 - t) * start + t * end


def _slerp(a: Floats, b: Floats, t: Floats) -> Floats:
    dot = (a * b).sum(axis=-1, keepdims=True)
    b = np.where(dot < 0, -b, b)
    angle = np.arctan2(np.linalg.norm(b - a, axis=-1), np.linalg.norm(b + a, axis=-1))[:, None] * 2
    small = angle < 1e-6
    sine = np.where(small, 1.0, np.sin(angle))
    from_a = np.where(small, 1.0 - t, np.sin((1.0 - t) * angle) / sine)
    from_b = np.where(small, t, np.sin(t * angle) / sine)
    return from_a * a + from_b * b


def channel_target(glb: Glb, channel: dict[str, Any], node_count: int) -> tuple[int, str] | None:
    """The node and the property that a channel moves; None for other targets, such as morphs.

    Both are stated directly or by a pointer, "/nodes/3/rotation" (KHR_animation_pointer).
    """
    target = glb.record(channel.get("target"), "the target of an animation channel")
    path = target.get("path")
    if not isinstance(path, str):
        return None
    if path == "pointer":
        extensions = glb.record(target.get("extensions", {}), "the extensions of a target")
        note = glb.record(extensions.get("KHR_animation_pointer", {}), "an animation pointer")
        pointer = note.get("pointer")
        found = _POINTER.fullmatch(pointer) if isinstance(pointer, str) else None
        if found is None:
            return None
        return glb.index(int(found[1]), node_count, "nodes"), found[2]
    if path not in _WIDTH or "node" not in target:
        return None
    return glb.index(target["node"], node_count, "nodes"), path


def read_tracks(glb: Glb, animation: dict[str, Any]) -> list[AnimationTrack]:
    """All tracks of an animation that move nodes (not morph targets)."""
    samplers = glb.sequence(animation.get("samplers", []), "samplers")
    node_count = len(glb.items("nodes"))
    tracks: list[AnimationTrack] = []
    seen: set[tuple[int, str]] = set()
    for entry in glb.sequence(animation.get("channels", []), "channels"):
        channel = glb.record(entry, "an animation channel")
        found = channel_target(glb, channel, node_count)
        if found is None:
            continue
        node, path = found
        if (node, path) in seen:
            glb.fail(f"the {path} of node {node} is animated twice")
        seen.add((node, path))
        at = glb.index(channel.get("sampler"), len(samplers), "samplers")
        sampler = glb.record(samplers[at], "an animation sampler")
        tracks.append(_track(glb, node, path, sampler))
    return tracks


def _track(glb: Glb, node: int, path: str, sampler: dict[str, Any]) -> AnimationTrack:
    what = f"the {path} of node {node}"
    times = glb.array(sampler.get("input"), "SCALAR", f"the times of {what}")[:, 0]
    if (np.diff(times) <= 0).any() or times[0] < 0:
        glb.fail(f"the times of {what} do not increase")
    kind = "VEC4" if path == "rotation" else "VEC3"
    values = glb.array(sampler.get("output"), kind, what)
    if np.abs(values).max() > 1e6:
        glb.fail(f"{what} has values above 1e6")
    interpolation = sampler.get("interpolation", "LINEAR")
    if interpolation not in ("LINEAR", "STEP", "CUBICSPLINE"):
        glb.fail(f"{what} has the unknown interpolation {str(interpolation)[:20]!r}")
    each = 3 if interpolation == "CUBICSPLINE" else 1
    if len(values) != each * len(times):
        glb.fail(f"{what} has {len(values)} values for {len(times)} times")
    if path == "rotation" and each == 1:
        if (np.abs(values).max(axis=1) < _MIN_QUATERNION).any():
            glb.fail(f"{what} has a quaternion of length zero, which is no rotation")
        values = quaternions.normalised(values)
    if each == 3:
        values = values.reshape(len(times), 3, -1)
    return AnimationTrack(node, path, times, values, interpolation)


def sampling_times(glb: Glb, tracks: list[AnimationTrack], columns: int) -> tuple[Floats, float]:
    """The sample times and the rate: that of evenly spaced keys, else 30 frames per second."""
    start = min(float(t.times[0]) for t in tracks)
    end = max(float(t.times[-1]) for t in tracks)
    longest = max((t.times for t in tracks), key=len)
    fps = DEFAULT_FPS
    if len(longest) > 1:
        step = (float(longest[-1]) - float(longest[0])) / (len(longest) - 1)
        # rounding of times in single precision
        blur = 4e-7 * (1.0 + end)
        if np.abs(np.diff(longest) - step).max() < 0.02 * step + blur and step > 1.0 / MAX_FPS:
            fps = 1.0 / step
            if abs(fps - round(fps)) < 1e-3 * fps and round(fps) > 0:
                fps = float(round(fps))
            if longest[0] == start and longest[-1] == end:
                check_numbers(glb.path, len(longest), columns)
                return longest, fps  # sample at the keys, without interpolation
    length = (end - start) * fps
    if not np.isfinite(length) or length > 1e9:
        glb.fail(f"the animation lasts {end - start:.3g} s")
    count = max(1, int(np.ceil(length - 1e-2)) + 1)
    check_numbers(glb.path, count, columns)
    # keep memory in proportion to the file: no real animation has so many frames per key
    if count > 100_000 and count > 10_000 * len(longest):
        glb.fail(f"{len(longest)} keys over {end - start:.3g} s are too sparse to be sampled")
    return start + np.arange(count) / fps, fps
