"""Pins with time ranges, and where they hold a joint in every frame.

Inside its range a pin holds exactly. Outside, the correction that it needs at the edge of its range
fades out over `fade_s`, so that a released foot does not jump.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from writhe.arguments import check_fields
from writhe.arrays import Bools, Floats, Ints
from writhe.errors import WritheError
from writhe.kernels.animation.frame_solve import forward_rows
from writhe.skeleton import Frames, Skeleton, quaternions
from writhe.skeleton.quaternions import angle_of, quaternion_of, rotation_matrix
from writhe.solvers.posing import Hold, Pin, pin_here

EDGE_S = 1e-6  # a frame this near to the edge of a range is inside it
# a joint of a PinRange that differs by less between two keys is held in place
_HELD_M, _HELD_RAD = 0.01, 0.1


@dataclass(frozen=True)
class TimedPin:
    """A pin or hold during a range of times.

    `pin` is a `Pin` (fixed in the world), a `Hold` (fixed in the frame of another joint or of an
    object), or the name of a joint, which is then held in position and orientation where it is in
    the first key of the range. With `end_pin` it moves straight from `pin` to there.
    """

    pin: Pin | Hold | str
    start_s: float = -1e9
    end_s: float = 1e9
    end_pin: Pin | Hold | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        if not self.start_s <= self.end_s:
            raise WritheError(
                f"the pin of {self.joint!r} ends at {self.end_s:g} s, before it starts at"
                f" {self.start_s:g} s"
            )

    @property
    def joint(self) -> str:
        """The joint that is held."""
        return self.pin if isinstance(self.pin, str) else self.pin.joint

    def holds(self, time_s: float) -> bool:
        """Whether a time is in the range."""
        return self.start_s - EDGE_S <= time_s <= self.end_s + EDGE_S

    def resolved(self, skeleton: Skeleton, times_s: Floats, q: Floats) -> TimedPin:
        """The pin with a position, read from the first of the keys (k,), (k, nq) of its range."""
        if not isinstance(self.pin, str):
            return self
        inside = [k for k, t in enumerate(times_s) if self.holds(float(t))]
        if inside:
            k = inside[0]
        else:
            k = int(np.argmin(np.abs(times_s - self.start_s)))
        return replace(self, pin=pin_here(skeleton, q[k], self.pin, orientation=True))

    def text(self) -> str:
        """The pin in words."""
        on = f" on {self.pin.on}" if isinstance(self.pin, Hold) else ""
        return f"pin of {self.joint.rpartition('.')[2].replace('_', ' ')}{on}"


class PinRange(NamedTuple):
    """A joint that is pinned where keys have it; `turns`: its orientation as well."""

    joint: str
    start_s: float | None  # None: from the beginning
    end_s: float | None  # None: to the end
    turns: bool


class PinTargets(NamedTuple):
    """Where P pins hold in F frames; the arrays of `kernels.animation.FrameTargets`."""

    active: Ints  # (F, P) 1: it holds or fades
    exact: Ints  # (F, P) 1: it holds
    position: Floats  # (F, P, 3)
    rotation: Floats  # (F, P, 3, 3)


def posed(skeleton: Skeleton, q: Floats) -> Frames:
    """World frames of the rows of q (F, nq), in one thread."""
    n = len(skeleton)
    positions, rotations = np.empty((len(q), n, 3)), np.empty((len(q), n, 3, 3))
    forward_rows(skeleton.tree, q, positions, rotations)
    return Frames(skeleton, positions, rotations)


def in_frame_of(frames: Frames, pin: Pin | Hold) -> tuple[Floats, Floats]:
    """Positions (F, 3) and rotations (F, 3, 3) of a pinned point in the frame of the pin's base."""
    positions, rotations = frames.point(pin.joint, pin.point_in_joint), frames.rotation(pin.joint)
    if isinstance(pin, Pin):
        return positions, rotations
    base = frames.rotation(pin.on)
    apart = positions - frames.position(pin.on)
    return np.einsum("fji,fj->fi", base, apart), np.einsum("fji,fjk->fik", base, rotations)


@lru_cache(maxsize=4096)  # pins of walks: one for every piece of the path of a foot
def wanted(pin: Pin | Hold) -> tuple[Floats, Floats | None]:
    """Position (3,) and rotation (3, 3), if any, in the frame of the pin's base, read-only."""
    if isinstance(pin, Pin):
        position, turn = pin.position_in_world, pin.orientation_in_world
    else:
        position, turn = pin.position_in_other, pin.orientation_in_other
    point, matrix = np.array(position), None if turn is None else rotation_matrix(np.array(turn))
    for array in (point, matrix):
        if array is not None:
            array.flags.writeable = False
    return point, matrix


def pin_targets(
    skeleton: Skeleton,
    pins: Sequence[TimedPin],
    times_s: Floats,
    blend: Floats,
    key_times_s: Floats,
    fade_s: float,
) -> PinTargets:
    """Targets of the pins for a blend (F, nq) at times (F,).

    A fade ends at the next key, whose pose is kept.
    """
    frames = posed(skeleton, blend)
    count = len(pins)
    active, exact = np.zeros((2, len(times_s), count), dtype=np.int64)
    position = np.zeros((len(times_s), count, 3))
    rotation = np.tile(np.eye(3), (len(times_s), count, 1, 1))
    for p, timed in enumerate(pins):
        pin = timed.pin
        assert not isinstance(pin, str)
        goal, turn = wanted(pin)
        now, turns = in_frame_of(frames, pin)
        inside = (times_s >= timed.start_s - EDGE_S) & (times_s <= timed.end_s + EDGE_S)
        exact[:, p] = active[:, p] = inside
        position[:, p], rotation[:, p] = now, turns
        position[inside, p] = goal
        if turn is not None:
            rotation[inside, p] = turn
        if timed.end_pin is not None and inside.any():
            _drift(timed, times_s, inside, position[:, p], rotation[:, p])
        others = [o for o in pins if o is not timed and o.joint == timed.joint]
        for edge_s, side in ((timed.start_s, -1.0), (timed.end_s, 1.0)):
            weight = _fade(times_s, edge_s, side, key_times_s, others, fade_s)
            near = np.flatnonzero(inside)
            fading = np.flatnonzero((weight > 0.0) & ~inside)
            if not len(fading) or not len(near):
                continue
            edge = near[0] if side < 0 else near[-1]
            shift = position[edge, p] - now[edge]
            position[fading, p] += weight[fading, None] * shift
            if turn is not None:
                step = _rotation_vector(rotation[edge, p] @ turns[edge].T)
                parts = quaternions.from_rotation_vectors(weight[fading, None] * step)
                rotation[fading, p] = quaternions.to_matrices(parts) @ rotation[fading, p]
            active[fading, p] = 1
    return PinTargets(active, exact, position, rotation)


def _drift(
    timed: TimedPin, times_s: Floats, inside: Bools, position: Floats, rotation: Floats
) -> None:
    """Move the targets (F, 3), (F, 3, 3) inside the range straight to the end of the pin."""
    assert timed.end_pin is not None
    goal, turn = wanted(timed.end_pin)
    share = (times_s[inside] - timed.start_s) / max(timed.end_s - timed.start_s, EDGE_S)
    share = np.clip(share, 0.0, 1.0)[:, None]
    position[inside] += share * (goal - position[inside])
    if turn is not None:
        step = _rotation_vector(turn @ rotation[inside][0].T)
        parts = quaternions.from_rotation_vectors(share * step)
        rotation[inside] = quaternions.to_matrices(parts) @ rotation[inside]


def pin_errors(
    skeleton: Skeleton, pins: Sequence[TimedPin], targets: PinTargets, q: Floats
) -> tuple[Floats, Floats]:
    """(F, P) distances in m and angles in rad of q (F, nq) from where the pins hold; else zero."""
    frames = posed(skeleton, q)
    distance, angle = np.zeros((2, len(q), len(pins)))
    for p, timed in enumerate(pins):
        pin = timed.pin
        assert not isinstance(pin, str)
        position, rotation = in_frame_of(frames, pin)
        inside = targets.exact[:, p] == 1
        apart = position - targets.position[:, p]
        distance[inside, p] = np.linalg.norm(apart, axis=1)[inside]
        if wanted(pin)[1] is not None:
            # the Frobenius norm of a difference of rotations is 2 sqrt(2) sin(angle / 2)
            norm = np.linalg.norm(rotation - targets.rotation[:, p], axis=(1, 2))
            sine = np.clip(norm / (2.0 * np.sqrt(2.0)), 0.0, 1.0)
            angle[inside, p] = 2.0 * np.arcsin(sine)[inside]
    return distance, angle


def _rotation_vector(matrix: Floats) -> Floats:
    """(3,) axis times angle of a rotation by less than half a turn."""
    w, x, y, z = quaternion_of(matrix)
    part = np.array([x, y, z]) * (1.0 if w >= 0 else -1.0)
    sine = float(np.linalg.norm(part))
    return 2.0 * part if sine < 1e-9 else part * (2.0 * np.arctan2(sine, abs(w)) / sine)


def _fade(
    times_s: Floats,
    edge_s: float,
    side: float,
    key_times_s: Floats,
    others: Sequence[TimedPin],
    fade_s: float,
) -> Floats:
    """(F,) the share of a correction beyond one edge of a range: 1 at the edge, 0 at its end."""
    beyond = side * (times_s - edge_s)
    keys = side * (key_times_s - edge_s)
    keys = keys[keys > EDGE_S]
    reach = min([fade_s, *keys]) if len(keys) else fade_s
    # another pin of the same joint takes over: leave half of the gap to each
    for other in others:
        gap = side * ((other.start_s if side > 0 else other.end_s) - edge_s)
        if gap > 0:
            reach = min(reach, 0.5 * gap)
        elif other.holds(edge_s + side * EDGE_S * 2):
            return np.zeros_like(times_s)
    if reach <= 0.0:
        return np.zeros_like(times_s)
    u = np.clip(beyond / reach, 0.0, 1.0)
    return np.where(beyond > 0.0, 1.0 - u**3 * (10.0 - 15.0 * u + 6.0 * u * u), 0.0)


def prefixed(timed: TimedPin, prefix: str, names: Sequence[str]) -> TimedPin:
    """The pin with joints named as in a scene: "actor.joint"; `on` may be an object."""
    if not prefix:
        return timed
    if isinstance(timed.pin, str):
        return replace(timed, pin=f"{prefix}{timed.pin}")
    end = timed.end_pin
    return replace(
        timed,
        pin=_prefixed(timed.pin, prefix, names),
        end_pin=None if end is None else _prefixed(end, prefix, names),
    )


def _prefixed(pin: Pin | Hold, prefix: str, names: Sequence[str]) -> Pin | Hold:
    joint = f"{prefix}{pin.joint}"
    if isinstance(pin, Pin):
        return replace(pin, joint=joint)
    own = f"{prefix}{pin.on}"
    return replace(pin, joint=joint, on=own if own in names else pin.on)


def span_pins(
    skeleton: Skeleton,
    pins: Sequence[PinRange],
    start_s: float,
    end_s: float,
    first: Floats,
    last: Floats,
) -> list[TimedPin]:
    """The pins that hold between two keys (nq) at start_s and end_s.

    A joint with the same pose in both keys is held there. Otherwise it moves between the keys while
    its pin is inactive: it is held at its pose in the first key until the range of its pin ends, or
    at its pose in the last key from the start of the range on.
    """
    ends = posed(skeleton, np.stack([first, last]))
    out: list[TimedPin] = []
    for joint, from_s, to_s, turns in pins:
        begin = start_s if from_s is None else max(start_s, from_s)
        stop = end_s if to_s is None else min(end_s, to_s)
        if joint not in skeleton or begin > stop:
            continue
        a, b = (_pin(ends, k, joint, turns) for k in range(2))
        whole = begin <= start_s and stop >= end_s
        if _same(ends, joint, turns):
            out.append(TimedPin(a, begin, stop, b))
        elif whole:
            continue
        elif begin <= start_s:
            out.append(TimedPin(a, begin, stop))
        elif stop >= end_s:
            out.append(TimedPin(b, begin, stop))
    return out


def acting_ranges(
    skeleton: Skeleton, pins: Sequence[PinRange], times_s: Floats, keys: Floats, solved: Bools
) -> list[list[tuple[float, float]]]:
    """When each pin acts in a motion over keys (k, nq), as `span_pins` holds it in every span.

    solved (k - 1,): the spans that follow their keys, not those with a sampled motion. Ranges that
    meet are joined.
    """
    out: list[list[tuple[float, float]]] = [[] for _ in pins]
    frames = posed(skeleton, keys)
    for found, (joint, from_s, to_s, turns) in zip(out, pins, strict=True):
        if joint not in skeleton or len(keys) < 2:
            continue
        same = np.linalg.norm(np.diff(frames.position(joint), axis=0), axis=1) <= _HELD_M
        if turns:
            turn = frames.rotation(joint)
            cosine = 0.5 * ((turn[:-1] * turn[1:]).sum(axis=(1, 2)) - 1.0)
            same &= np.arccos(np.clip(cosine, -1.0, 1.0)) < _HELD_RAD
        for i in np.flatnonzero(solved):
            start, end = float(times_s[i]), float(times_s[i + 1])
            begin = start if from_s is None else max(start, from_s)
            stop = end if to_s is None else min(end, to_s)
            if begin >= stop or not (same[i] or (begin <= start) != (stop >= end)):
                continue
            if found and found[-1][1] >= begin:
                begin = found.pop()[0]
            found.append((begin, stop))
    return out


def _pin(poses: Frames, k: int, joint: str, turns: bool) -> Pin:
    """The pin of a joint where it is in pose k."""
    x, y, z = (float(value) for value in poses.position(joint)[k])
    turn = quaternion_of(poses.rotation(joint)[k]) if turns else None
    return Pin(joint, (x, y, z), orientation_in_world=turn)


def _same(ends: Frames, joint: str, turns: bool) -> bool:
    """Whether a joint has the same position (and orientation) in both poses."""
    apart = float(np.linalg.norm(np.diff(ends.position(joint), axis=0)))
    if apart > _HELD_M:
        return False
    before, after = ends.rotation(joint)
    return not turns or angle_of(before.T @ after) < _HELD_RAD
