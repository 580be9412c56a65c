"""The interpolation schemes of motion files: joint displacements at any time.

A motion has `at(times)`: translation (t, n, 3) and rotation (t, n, 3, 3) of every joint in its rest
frame. Time runs from 0 to `length` (in frames, or seconds for curves); at the times `breaks` its
velocity is discontinuous. `other_ways` lists variants of the motion in which a rotation by pi takes
the opposite direction: programs differ there, so a certified motion must be clear in both.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from writhe.research.evaluation.independent.bezier_motion import BezierMotion
from writhe.research.evaluation.independent.joined_motion import JoinedMotion, MotionPart
from writhe.research.evaluation.independent.rotations import (
    about_axis,
    conjugate,
    matrices,
    of_vector,
    product,
    to_vector,
)

HALF_TURN = 2e-6  # radians: nearer to pi than this, the direction of a rotation is ambiguous
FREE, BALL, HINGE, SLIDE, FIXED = "free", "ball", "hinge", "slide", "fixed"
_SIZE = {FREE: 7, BALL: 4, HINGE: 1, SLIDE: 1, FIXED: 0}


class FrameMotion(ABC):
    """A motion that is given at frames; time is counted in frames."""

    @property
    @abstractmethod
    def count(self) -> int:
        """Number of frames."""

    @property
    def length(self) -> float:
        """The last frame."""
        return float(self.count - 1)

    @property
    def breaks(self) -> np.ndarray:
        """The frames."""
        return np.arange(self.count, dtype=float)


@dataclass(frozen=True)
class SampledMotion(FrameMotion):
    """Frames with a shift (frames, n, 3) and a quaternion (frames, n, 4) of every joint.

    Between frames shifts are linear and rotations follow the shortest arc.
    """

    shift: np.ndarray
    turn: np.ndarray
    reversed: tuple[tuple[int, int], ...] = ()  # (frame, joint) of half turns the other way round

    @property
    def count(self) -> int:
        """Number of frames."""
        return len(self.shift)

    def at(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Shifts and rotation matrices at times in frames."""
        frame, share, shift = _shifted(self.shift, times)
        arcs = self._arcs[np.minimum(frame, max(0, len(self.shift) - 2))]
        return shift, matrices(product(self.turn[frame], of_vector(share * arcs)))

    def other_ways(self) -> list[SampledMotion]:
        """One motion for each half turn, going round the other way there."""
        angle = np.linalg.norm(self._arcs, axis=-1)
        close = np.argwhere(np.abs(angle - np.pi) < HALF_TURN)[:8]
        return [replace(self, reversed=((int(f), int(j)),)) for f, j in close]

    @cached_property
    def _arcs(self) -> np.ndarray:
        if len(self.turn) < 2:
            return np.zeros((1, *self.turn.shape[1:2], 3))
        out = to_vector(product(conjugate(self.turn[:-1]), self.turn[1:]))
        for f, j in self.reversed:
            angle = np.linalg.norm(out[f, j])
            out[f, j] *= 1 - 2 * np.pi / angle
        return out

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"kind": "sampled", "shift": self.shift.tolist(), "turn": self.turn.tolist()}


@dataclass(frozen=True)
class ConfigurationMotion(FrameMotion):
    """Configurations q (frames, nq): joint by joint position and quaternion, quaternion, or value.

    Hinge angles and slides are linear between frames, rotations take the shortest arc.
    """

    kinds: tuple[str, ...]
    axes: np.ndarray  # (n, 3) of hinges and slides
    q: np.ndarray
    reversed: tuple[tuple[int, int], ...] = ()

    @property
    def count(self) -> int:
        """Number of frames."""
        return len(self.q)

    @cached_property
    def _sampled(self) -> tuple[SampledMotion, np.ndarray]:
        """Free and ball joints as a sampled motion; angles (frames, n) of the hinges."""
        n, frames = len(self.kinds), len(self.q)
        shift, turn = np.zeros((frames, n, 3)), np.zeros((frames, n, 4))
        turn[..., 0] = 1.0
        angle, at = np.zeros((frames, n)), 0
        for j, kind in enumerate(self.kinds):
            own = self.q[:, at : at + _SIZE[kind]]
            at += _SIZE[kind]
            if kind == FREE:
                shift[:, j] = own[:, :3]
            if kind in (FREE, BALL):
                turn[:, j] = own[:, -4:] / np.linalg.norm(own[:, -4:], axis=1, keepdims=True)
            elif kind == SLIDE:
                shift[:, j] = own * self.axes[j]
            elif kind == HINGE:
                angle[:, j] = own[:, 0]
        return SampledMotion(shift, turn, self.reversed), angle

    def at(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Shifts and rotation matrices at times in frames."""
        sampled, angle = self._sampled
        shift, turn = sampled.at(times)
        frame, share = _split(times, len(self.q))
        after = np.minimum(frame + 1, len(self.q) - 1)
        hinges = [j for j, kind in enumerate(self.kinds) if kind == HINGE]
        if hinges:
            angle = angle[:, hinges]
            value = angle[frame] + share[:, 0] * (angle[after] - angle[frame])
            turn[:, hinges] = matrices(of_vector(value[..., None] * self.axes[hinges]))
        return shift, turn

    def other_ways(self) -> list[ConfigurationMotion]:
        """One motion for each half turn, going round the other way there."""
        return [replace(self, reversed=m.reversed) for m in self._sampled[0].other_ways()]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "kind": "configurations",
            "kinds": list(self.kinds),
            "axes": self.axes.tolist(),
            "q": self.q.tolist(),
            "reversed": [list(pair) for pair in self.reversed],
        }


@dataclass(frozen=True)
class ChannelMotion(FrameMotion):
    """Euler channels as a BVH file stores them, unwrapped and interpolated linearly.

    orders: for every joint the axes (0, 1, 2) of its rotation channels, outermost first.
    angles (frames, n, 3) in radians, shift (frames, n, 3) in metres.
    """

    orders: tuple[tuple[int, ...], ...]
    angles: np.ndarray
    shift: np.ndarray
    reversed: tuple[tuple[int, int, int], ...] = ()  # (frame, joint, channel)
    as_stored: bool = False  # linear between the stored angles, not unwrapped

    @property
    def count(self) -> int:
        """Number of frames."""
        return len(self.angles)

    def at(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Shifts and rotation matrices at times in frames."""
        frame, share, shift = _shifted(self.shift, times)
        change = self._changes[np.minimum(frame, max(0, len(self.angles) - 2))]
        return shift, matrices(self._quaternions(self.angles[frame] + share * change))

    def slerped(self) -> SampledMotion:
        """The same frames for a program that converts them to quaternions first."""
        return SampledMotion(self.shift, self._quaternions(self.angles))

    def other_ways(self) -> list[ChannelMotion]:
        """One motion for each channel that changes by pi, in the opposite direction there."""
        change = self._changes
        close = np.argwhere(np.abs(np.abs(change) - np.pi) < HALF_TURN)
        used = [(f, j, c) for f, j, c in close.tolist() if c < len(self.orders[j])][:8]
        return [replace(self, reversed=(one,)) for one in used]

    @cached_property
    def _changes(self) -> np.ndarray:
        if len(self.angles) < 2:
            return np.zeros_like(self.angles)
        out = np.diff(self.angles, axis=0)
        if not self.as_stored:
            out = np.remainder(out + np.pi, 2 * np.pi) - np.pi
        for f, j, c in self.reversed:
            out[f, j, c] -= np.copysign(2 * np.pi, out[f, j, c])
        return out

    def _quaternions(self, angles: np.ndarray) -> np.ndarray:
        out = np.zeros((*angles.shape[:2], 4))
        out[..., 0] = 1.0
        for j, order in enumerate(self.orders):
            for channel, axis in enumerate(order):
                out[:, j] = product(out[:, j], about_axis(axis, angles[:, j, channel]))
        return out

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "kind": "channels",
            "orders": [list(order) for order in self.orders],
            "angles": self.angles.tolist(),
            "shift": self.shift.tolist(),
            "reversed": [list(one) for one in self.reversed],
            "as_stored": self.as_stored,
        }


@dataclass(frozen=True)
class Track:
    """An animated property of a node: keys (k,), values, and LINEAR, STEP or CUBICSPLINE.

    values (k, width), or (k, 3, width) with in-tangent, value and out-tangent; rotations are xyzw.
    """

    joint: int
    path: str  # translation or rotation
    times: np.ndarray
    values: np.ndarray
    interpolation: str = "LINEAR"

    def at(self, times: np.ndarray, backward: bool = False) -> np.ndarray:
        """Values (t, width); at a key a STEP has its new value, or the old one if `backward`."""
        keys = self.times
        cubic = self.interpolation == "CUBICSPLINE"
        points = self.values[:, 1] if cubic else self.values
        if len(keys) == 1:
            return np.repeat(points, len(times), axis=0)
        if self.interpolation == "STEP":
            # unshifted times: after the last key, its value holds even if `backward`
            side = "left" if backward else "right"
            return points[np.clip(np.searchsorted(keys, times, side=side) - 1, 0, None)]
        now = np.clip(times, keys[0], keys[-1])
        i = np.clip(np.searchsorted(keys, now, side="right") - 1, 0, len(keys) - 2)
        step = (keys[i + 1] - keys[i])[:, None]
        s = (now - keys[i])[:, None] / step
        if cubic:  # glTF 2.0, appendix C.5
            a, b = self.values[i, 2], self.values[i + 1, 0]
            return (
                (2 * s**3 - 3 * s**2 + 1) * points[i]
                + step * (s**3 - 2 * s**2 + s) * a
                + (-2 * s**3 + 3 * s**2) * points[i + 1]
                + step * (s**3 - s**2) * b
            )
        if self.path == "translation":
            return points[i] + s * (points[i + 1] - points[i])
        first, last = (np.roll(points[k], 1, axis=-1) for k in (i, i + 1))
        first, last = (q / np.linalg.norm(q, axis=-1, keepdims=True) for q in (first, last))
        arc = to_vector(product(conjugate(first), last))
        return np.roll(product(first, of_vector(s * arc)), -1, axis=-1)


@dataclass(frozen=True)
class CurveMotion:
    """Node transforms by curves, as glTF defines them; nodes without curves keep their rest pose.

    The mechanism's offsets must be zero and its rest rotations the identity, because the curves are
    complete local transforms. offset (n, 3) and rest (n, 4, wxyz) are those of the nodes.
    """

    offset: np.ndarray
    rest: np.ndarray
    tracks: tuple[Track, ...]
    backward: bool = field(default=False)

    @property
    def _ends(self) -> tuple[float, float]:
        keys = np.concatenate([track.times for track in self.tracks])
        return float(keys.min()), float(keys.max())

    @property
    def begin(self) -> float:
        """The time of the first key."""
        return self._ends[0]

    @property
    def length(self) -> float:
        """Seconds from the first key to the last."""
        return self._ends[1] - self._ends[0]

    @property
    def breaks(self) -> np.ndarray:
        """The times of all keys."""
        keys = np.unique(np.concatenate([track.times for track in self.tracks]))
        return keys - self._ends[0]

    def at(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Local translations and rotation matrices at times in seconds after the first key."""
        shift = np.repeat(self.offset[None], len(times), axis=0)
        turn = np.repeat(self.rest[None], len(times), axis=0)
        for track in self.tracks:
            values = track.at(times + self._ends[0], self.backward)
            if track.path == "translation":
                shift[:, track.joint] = values
            else:
                turn[:, track.joint] = np.roll(values, 1, axis=-1)
        return shift, matrices(turn)

    def other_ways(self) -> list[CurveMotion]:
        """The motion with the left limits at steps."""
        steps = any(track.interpolation == "STEP" for track in self.tracks)
        return [replace(self, backward=True)] if steps and not self.backward else []

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "kind": "curves",
            "offset": self.offset.tolist(),
            "rest": self.rest.tolist(),
            "tracks": [
                [t.joint, t.path, t.times.tolist(), t.values.tolist(), t.interpolation]
                for t in self.tracks
            ],
            "backward": self.backward,
        }


AnyMotion = (
    SampledMotion | ConfigurationMotion | ChannelMotion | CurveMotion | BezierMotion | JoinedMotion
)


def motion_from_dict(data: dict[str, Any]) -> AnyMotion:
    """Read what `as_dict` of a motion gave."""
    reversed_ways = tuple(tuple(one) for one in data.get("reversed", ()))
    match data["kind"]:
        case "sampled":
            return SampledMotion(np.array(data["shift"]), np.array(data["turn"]))
        case "configurations":
            axes, q = np.array(data["axes"]), np.array(data["q"])
            return ConfigurationMotion(tuple(data["kinds"]), axes, q, reversed_ways)
        case "channels":
            orders = tuple(tuple(order) for order in data["orders"])
            angles, shift = np.array(data["angles"]), np.array(data["shift"])
            return ChannelMotion(orders, angles, shift, reversed_ways, data["as_stored"])
        case "bezier":
            return BezierMotion.from_dict(data)
        case "joined":
            parts = tuple(
                MotionPart(tuple(joints), tuple(columns), motion_from_dict(motion), start)
                for joints, columns, motion, start in data["parts"]
            )
            return JoinedMotion(data["count"], parts, data["length"])
        case _:
            tracks = tuple(
                Track(j, path, np.array(times), np.array(values), kind)
                for j, path, times, values, kind in data["tracks"]
            )
            offset, rest = np.array(data["offset"]), np.array(data["rest"])
            return CurveMotion(offset, rest, tracks, data["backward"])


def _split(times: np.ndarray, frames: int) -> tuple[np.ndarray, np.ndarray]:
    """The frame before each time, and the fraction (t, 1, 1) towards the next one."""
    frame = np.clip(np.floor(times).astype(int), 0, max(0, frames - 2))
    return frame, np.clip(times - frame, 0.0, 1.0)[:, None, None]


def _shifted(shift: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`_split`, and the shifts (frames, n, 3) at the times, linear between frames."""
    frame, share = _split(times, len(shift))
    after = np.minimum(frame + 1, len(shift) - 1)
    return frame, share, shift[frame] + share * (shift[after] - shift[frame])
