"""`animate`: from keys and pins to a motion that keeps them, without penetration."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from writhe.animation.body.body_model import BodyModel
from writhe.animation.clear_spans import SpanClearing
from writhe.animation.collision_world import EnvironmentOverTime, World, figure_world, scene_world
from writhe.animation.conflicts import find_conflicts, moved_keys, worst_pin_error
from writhe.animation.foot_contacts import contacts_of_keys
from writhe.animation.in_between import InBetween
from writhe.animation.key_interpolation import Key, check_keys
from writhe.animation.options import AnimateOptions
from writhe.animation.pins import TimedPin, prefixed
from writhe.animation.result import Animation
from writhe.arguments import checked
from writhe.arrays import Floats, number
from writhe.collision import CollisionTable, certify
from writhe.easing import read_ease
from writhe.errors import WritheError
from writhe.scene import Scene
from writhe.skeleton import Figure, Motion
from writhe.solvers.posing import Hold, Pin

MAX_SOLVED_FRAMES = 100_000


@checked
def animate(
    subject: Figure | Scene,
    keys: Sequence[Key],
    *,
    fps: float,
    pins: Sequence[TimedPin | Pin | Hold | str] | None = None,
    actor: str | None = None,
    floor: bool | float = True,
    table: CollisionTable | None = None,
    environment: EnvironmentOverTime | None = None,
    options: AnimateOptions | None = None,
) -> Animation:
    """A motion through the keys of a figure, or of an actor (by default the first) of a scene.

    Between keys it follows their eased blend, as near as pins, joint limits and contacts allow.
    Every frame keeps its pins, keys included: a key that does not fit a pin is moved. A figure
    alone gets a floor where its keys stand; `floor` gives its height, False leaves it out. Where
    the blend passes through something, the motion goes around.

    pins: a `TimedPin`; a `Pin`, `Hold` or joint name holds all the time. By default the feet that
        keys share (`detect_contacts`); () for none.
    table: the collision shapes of a figure, by default its capsules.
    environment: configurations (times, nq) of the whole scene at given times; by default other
        actors rest and objects follow their keys.
    """
    begin = time.perf_counter()
    rate = number(fps, "frames per second", above=0.0, maximum=1e6)
    figure = subject.actor(actor).figure if isinstance(subject, Scene) else subject
    times, poses = check_keys(figure.skeleton, keys)
    world = (
        scene_world(subject, actor, environment)
        if isinstance(subject, Scene)
        else figure_world(figure, poses, table, floor)
    )
    chosen = timed_pins(world, times, poses, pins)
    frames = InBetween(
        BodyModel(world),
        times,
        poses,
        [read_ease(key.ease) for key in keys],
        chosen,
        frame_times(times, rate),
        options or AnimateOptions(),
    )
    frames.solve()
    clearing = SpanClearing(frames)
    clearing.clear()
    return finished(frames, clearing, rate, time.perf_counter() - begin)


def frame_times(key_times_s: Floats, fps: float) -> Floats:
    """(F,) times of frames from the first key to the last one."""
    count = round(float(key_times_s[-1] - key_times_s[0]) * fps) + 1
    if count > MAX_SOLVED_FRAMES:
        raise WritheError(
            f"the keys span {count} frames; at most {MAX_SOLVED_FRAMES} can be solved:"
            " animate them in parts, or at fewer frames per second"
        )
    return key_times_s[0] + np.arange(count) / fps


def timed_pins(
    world: World,
    times_s: Floats,
    poses: Floats,
    pins: Sequence[TimedPin | Pin | Hold | str] | None,
) -> tuple[TimedPin, ...]:
    """The pins with ranges and positions, named as in the world; by default detected contacts."""
    given = contacts_of_keys(world.figure, times_s, poses) if pins is None else pins
    timed = [pin if isinstance(pin, TimedPin) else TimedPin(pin) for pin in given]
    names, rows = world.skeleton.names, world.rows(times_s, poses)
    out: list[TimedPin] = []
    for pin in timed:
        world.figure.skeleton.index(pin.joint)
        if isinstance(pin.pin, Hold):
            other = prefixed(pin, world.prefix, names).pin
            assert isinstance(other, Hold)
            world.skeleton.index(other.on)
        full = prefixed(pin, world.prefix, names)
        out.append(full.resolved(world.skeleton, times_s, rows))
    return tuple(out)


def finished(frames: InBetween, clearing: SpanClearing, fps: float, seconds: float) -> Animation:
    """The solved frames as an animation, certified."""
    world = frames.world
    certificate = certify(world.table, frames.q, fps)
    actor_rows = np.ascontiguousarray(frames.q[:, world.actor_q])
    return Animation(
        motion=Motion(world.figure.skeleton, actor_rows, fps, "animation"),
        scene_motion=Motion(world.skeleton, frames.q.copy(), fps, "animation"),
        certificate=certificate,
        conflicts=find_conflicts(frames, certificate),
        pins=frames.pins,
        moved_keys=moved_keys(frames),
        planned=tuple(clearing.planned),
        pin_error_m=worst_pin_error(frames),
        seconds=seconds,
    )
