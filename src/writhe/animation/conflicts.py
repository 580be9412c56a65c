"""Finds the constraints that a solved animation does not keep, and where."""

from __future__ import annotations

import numpy as np

from writhe.animation.in_between import InBetween
from writhe.animation.pins import pin_errors
from writhe.animation.result import Conflict, ConflictKind, MovedKey
from writhe.arrays import Bools, Floats
from writhe.collision import Certificate
from writhe.kernels.skeleton import kinematics
from writhe.skeleton import forward
from writhe.skeleton.limits import limit_excess

PIN_M = 1e-3  # a pin that is missed by less is kept
PIN_RAD = 0.02
LIMIT_RAD = 1e-3
MOVED_KEY_M = 1e-3  # a key that pins move by less is unchanged


def find_conflicts(frames: InBetween, certificate: Certificate) -> tuple[Conflict, ...]:
    """All constraints that are not kept, the worst instant of each stretch."""
    found = [*_pins(frames), *_limits(frames), *_speeds(frames)]
    start = float(frames.times_s[0])
    contacts: list[Conflict] = []
    if not certificate.certified:
        for pair in sorted(certificate.worst_pairs, key=lambda pair: pair.clearance_m):
            if pair.violates:
                at = start + pair.time_s
                names = f"{_plain(pair.a)} and {_plain(pair.b)}"
                contacts.append(
                    Conflict(ConflictKind.CONTACT, names, at, at, at, -pair.clearance_m)
                )
    return (*found, *contacts)


def moved_keys(frames: InBetween) -> tuple[MovedKey, ...]:
    """The keys that pins moved."""
    skeleton = frames.world.skeleton
    before, after = (forward(skeleton, q).positions for q in (frames.key_rows, frames.keys))
    apart = np.linalg.norm(after - before, axis=2).max(axis=1)
    return tuple(
        MovedKey(k, float(frames.key_times_s[k]), float(far))
        for k, far in enumerate(apart)
        if far > MOVED_KEY_M
    )


def worst_pin_error(frames: InBetween) -> float:
    """The largest distance of a pinned point from its pin, m."""
    if not frames.pins:
        return 0.0
    distance, _ = pin_errors(frames.world.skeleton, frames.pins, frames.targets, frames.q)
    return float(distance.max(initial=0.0))


def _pins(frames: InBetween) -> list[Conflict]:
    if not frames.pins:
        return []
    distance, angle = pin_errors(frames.world.skeleton, frames.pins, frames.targets, frames.q)
    out: list[Conflict] = []
    for p, timed in enumerate(frames.pins):
        missed = (distance[:, p] > PIN_M) | (angle[:, p] > PIN_RAD)
        for first, last in _stretches(missed):
            at = first + int(np.argmax(distance[first:last, p]))
            against = tuple(
                other.text()
                for o, other in enumerate(frames.pins)
                if o != p and frames.targets.exact[at, o]
            )
            limits = _limits_reached(frames, timed.joint, frames.q[at])
            out.append(
                _conflict(
                    frames,
                    ConflictKind.PIN,
                    timed.text(),
                    first,
                    last,
                    at,
                    float(distance[at, p]),
                    (*limits, *against),
                )
            )
    return out


def _limits(frames: InBetween) -> list[Conflict]:
    """Limits that frames exceed and no key does."""
    figure, world = frames.world.figure, frames.world
    skeleton = figure.skeleton
    actor_rows = np.ascontiguousarray(frames.q[:, world.actor_q])
    given: dict[str, float] = {}
    for q in frames.key_rows[:, world.actor_q]:
        for name, excess in limit_excess(skeleton, np.ascontiguousarray(q)).items():
            given[name] = max(given.get(name, 0.0), excess)
    beyond: dict[str, Floats] = {}
    for f, q in enumerate(actor_rows):
        for name, excess in limit_excess(skeleton, q).items():
            if excess > given.get(name, 0.0) + LIMIT_RAD:
                beyond.setdefault(name, np.zeros(len(actor_rows)))[f] = excess
    out: list[Conflict] = []
    for name, excess in beyond.items():
        for first, last in _stretches(excess > 0.0):
            at = first + int(np.argmax(excess[first:last]))
            text = f"the limit of {_plain(name)}"
            out.append(
                _conflict(frames, ConflictKind.LIMIT, text, first, last, at, float(excess[at]), ())
            )
    return out


def joint_speeds(frames: InBetween) -> Floats:
    """(F - 1, n) angular speed of each joint of the figure between frames, rad/s."""
    world = frames.world
    skeleton = world.figure.skeleton
    actor_rows = np.ascontiguousarray(frames.q[:, world.actor_q])
    step = np.zeros((max(len(actor_rows) - 1, 0), skeleton.dof_count))
    for f in range(len(step)):
        kinematics.difference(skeleton.tree, actor_rows[f], actor_rows[f + 1], step[f])
    turns = step * skeleton.tree.dof_turns
    squares = np.zeros((len(step), len(skeleton)))
    np.add.at(squares.T, skeleton.tree.dof_joint, (turns * turns).T)
    seconds = np.diff(frames.times_s)[:, None]
    return np.sqrt(squares) / seconds


def _speeds(frames: InBetween) -> list[Conflict]:
    max_speed, out = frames.options.max_speed_rad_s, list[Conflict]()
    speeds = joint_speeds(frames)
    names = frames.world.figure.skeleton.names
    for j in np.flatnonzero((speeds > max_speed).any(axis=0)):
        for first, last in _stretches(speeds[:, j] > max_speed):
            at = first + int(np.argmax(speeds[first:last, j]))
            beyond = float(speeds[at, j]) - max_speed
            out.append(
                _conflict(frames, ConflictKind.SPEED, _plain(names[j]), first, last, at, beyond, ())
            )
    return out


def _limits_reached(frames: InBetween, joint: str, q: Floats) -> tuple[str, ...]:
    """Joints between a pinned joint and the root that are at their limit in a configuration."""
    skeleton = frames.world.skeleton
    chain = {skeleton.names[j] for j in skeleton.ancestors(joint)}
    at = [name for name in frames.limits_reached(q) if name in chain]
    return tuple(f"the limit of {_plain(name)}" for name in at)


def _stretches(chosen: Bools) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], chosen.astype(np.int8), [0]])))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _conflict(
    frames: InBetween,
    kind: ConflictKind,
    what: str,
    first: int,
    last: int,
    at: int,
    amount: float,
    against: tuple[str, ...],
) -> Conflict:
    times = frames.times_s
    return Conflict(
        kind, what, float(times[first]), float(times[last - 1]), float(times[at]), amount, against
    )


def _plain(name: str) -> str:
    return name.rpartition(".")[2].replace("_", " ")
