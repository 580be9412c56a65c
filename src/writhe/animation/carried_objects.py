"""`animate_carrying`: keys of an actor who picks objects up, carries them and puts them down."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from writhe.animation.animate_keys import animate
from writhe.animation.collision_world import EnvironmentOverTime
from writhe.animation.key_interpolation import Key, check_keys
from writhe.animation.options import AnimateOptions
from writhe.animation.pins import EDGE_S, TimedPin
from writhe.animation.result import Animation
from writhe.arguments import check_fields, checked
from writhe.arrays import Floats
from writhe.collision import certify
from writhe.errors import WritheError
from writhe.scene import Scene, carried, carried_over, put_down
from writhe.skeleton import Motion
from writhe.solvers.posing import Hold, Pin


@dataclass(frozen=True)
class Carry:
    """An object of the scene that a joint of the actor carries for a range of times.

    It is picked up as it lies at `start_s` relative to the joint, and left where it is at `end_s`.
    """

    object_name: str
    joint: str
    start_s: float = -1e9
    end_s: float = 1e9

    def __post_init__(self) -> None:
        check_fields(self)
        if not self.start_s < self.end_s:
            raise WritheError(
                f"{self.object_name!r} must be put down after it is picked up:"
                f" end_s is {self.end_s:g} s, start_s {self.start_s:g} s"
            )


@checked
def animate_carrying(
    scene: Scene,
    keys: Sequence[Key],
    carries: Sequence[Carry],
    *,
    fps: float,
    pins: Sequence[TimedPin | Pin | Hold | str] | None = None,
    actor: str | None = None,
    q: Floats | None = None,
    options: AnimateOptions | None = None,
) -> Animation:
    """`animate` for an actor who carries objects: they move with the hand, clear of everything.

    q: the configuration of the scene's layout before the first key, which places the objects; by
    default its rest. Objects are picked up and put down at keys. In a range in which an object is
    carried, a pin may hold the other hand to it: `Hold("right_wrist", "bar", ...)`. The motion of
    the whole scene is `scene_motion`, in the layout of `scene`; its certificate covers the
    carried objects too.
    """
    begin = time.perf_counter()
    who = scene.actor(actor).name
    figure = scene.actor(actor).figure
    times, _ = check_keys(figure.skeleton, keys)
    cuts = _cuts(times, carries)
    actor_q = scene.layout.actor_q[who]
    now, state = scene, (scene.layout.rest() if q is None else np.array(q, dtype=np.float64))
    rows: list[Floats] = []
    parts: list[Animation] = []
    first = np.array(keys[0].q)
    for start, end in pairwise(cuts):
        state[now.layout.actor_q[who]] = first
        for carry in carries:
            now, state = _picked(now, state, carry, who, start, end)
        chosen = [k for k in keys if start - EDGE_S <= k.time_s <= end + EDGE_S]
        chosen[0] = replace(chosen[0], q=first)
        layout = now.layout
        part = animate(
            now,
            chosen,
            fps=fps,
            pins=None if pins is None else _pins_in(pins, start, end, now, who),
            actor=who,
            environment=_still(state),
            options=options,
        )
        parts.append(part)
        moved = part.scene_motion.q
        rows.append(carried_over(now, moved, scene)[0 if not rows else 1 :])
        state = moved[-1].copy()
        first = state[layout.actor_q[who]].copy()
        for carry in carries:
            if abs(carry.end_s - end) < EDGE_S and now.object(carry.object_name).attached_to:
                left = put_down(now, state, carry.object_name)
                now, state = left, carried_over(now, state, left)
    whole = np.concatenate(rows)
    motion = Motion(figure.skeleton, np.ascontiguousarray(whole[:, actor_q]), fps, "animation")
    return Animation(
        motion=motion,
        scene_motion=Motion(scene.layout.skeleton, whole, fps, "animation"),
        certificate=certify(scene.layout.table, whole, fps),
        conflicts=tuple(c for part in parts for c in part.conflicts),
        pins=tuple(p for part in parts for p in part.pins),
        moved_keys=tuple(k for part in parts for k in part.moved_keys),
        planned=tuple(s for part in parts for s in part.planned),
        pin_error_m=max(part.pin_error_m for part in parts),
        seconds=time.perf_counter() - begin,
    )


def _still(q: Floats) -> EnvironmentOverTime:
    """Everything around the actor as it is in the configuration q of the whole scene."""

    def around(times_s: Floats) -> Floats:
        return np.tile(q, (len(times_s), 1))

    return around


def _cuts(times_s: Floats, carries: Sequence[Carry]) -> list[float]:
    """The times at which something is picked up or put down, and both ends."""
    first, last = float(times_s[0]), float(times_s[-1])
    cuts = {first, last}
    for carry in carries:
        for edge in (carry.start_s, carry.end_s):
            if first + EDGE_S < edge < last - EDGE_S:
                near = float(times_s[int(np.argmin(np.abs(times_s - edge)))])
                if abs(near - edge) > EDGE_S:
                    raise WritheError(
                        f"{carry.object_name!r} is picked up or put down at {edge:g} s,"
                        f" where there is no key: set one there (the nearest is at {near:g} s)"
                    )
                cuts.add(near)
    return sorted(cuts)


def _picked(
    scene: Scene, q: Floats, carry: Carry, who: str, start_s: float, end_s: float
) -> tuple[Scene, Floats]:
    """The scene with the object attached, if it is carried from start to end and is not yet."""
    inside = carry.start_s <= start_s + EDGE_S and carry.end_s >= end_s - EDGE_S
    if not inside or scene.object(carry.object_name).attached_to:
        return scene, q
    held = carried(scene, q, carry.object_name, f"{who}.{carry.joint}")
    return held, carried_over(scene, q, held)


def _pins_in(
    pins: Sequence[TimedPin | Pin | Hold | str],
    start_s: float,
    end_s: float,
    scene: Scene,
    who: str,
) -> list[TimedPin | Pin | Hold | str]:
    """The pins of a range of times; a hold on an object counts while the object is carried."""
    found: list[TimedPin | Pin | Hold | str] = []
    carried_now = {o.name for o in scene.objects if o.attached_to.startswith(f"{who}.")}
    objects = {o.name for o in scene.objects}
    for pin in pins:
        timed = pin if isinstance(pin, TimedPin) else TimedPin(pin)
        if timed.end_s < start_s + EDGE_S or timed.start_s > end_s - EDGE_S:
            continue
        on = timed.pin.on if isinstance(timed.pin, Hold) else ""
        if not isinstance(pin, TimedPin) and on in objects and on not in carried_now:
            continue
        found.append(pin)
    return found
