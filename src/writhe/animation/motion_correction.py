"""Corrects a sampled motion: overlaps are pushed out, feet stay where the motion has them.

Every frame is the posture nearest to the motion's (`kernels.animation.frame_solve`) in which pinned
joints and feet are held, joint limits are kept and no parts overlap. A foot that is planted or
below the floor is held in the orientation that it has, lifted onto the floor: the leg or the body
rises, not the ankle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from writhe.animation.body.body_model import BodyModel
from writhe.animation.clear_spans import SpanClearing
from writhe.animation.collision_world import World, scene_world
from writhe.animation.foot_contacts import foot_heights
from writhe.animation.in_between import InBetween
from writhe.animation.options import AnimateOptions
from writhe.animation.pins import PinTargets, TimedPin, posed
from writhe.arrays import Bools, Floats
from writhe.collision.shapes import Core
from writhe.easing import smoothstep
from writhe.retargeting.planted_feet import planted_spans
from writhe.scene import ObjectKind, Scene
from writhe.skeleton import Figure, Motion
from writhe.skeleton.limbs import FEET
from writhe.solvers.posing import pin_here
from writhe.time_filters import envelope

_FADE_S = 0.25  # over which the lift of a foot rises and falls
_LIFTED_M = 1e-4  # a foot that is lifted by less is left alone
_ABOVE_FLOOR_M = 0.002  # to which feet below the floor are lifted


class MotionCorrection:
    """Corrects motions of one actor of a scene. Not thread-safe.

    pins: joints that are held where the motion has them.
    """

    def __init__(self, scene: Scene, actor: str, pins: Sequence[str] = ()) -> None:
        self._rows = np.zeros((1, scene.layout.skeleton.configuration_size))
        self._fps = 1.0
        world = scene_world(scene, actor, None)
        self.world: World = replace(world, around=self._around)
        self.body = BodyModel(self.world)
        self.floor_m = floor_of(scene)
        self.pins = tuple(pins)

    def _around(self, times_s: Floats) -> Floats:
        frames = np.clip(np.round(times_s * self._fps).astype(int), 0, len(self._rows) - 1)
        return self._rows[frames].copy()

    def corrected(
        self, rows: Floats, fps: float, fixed: Sequence[int], options: AnimateOptions
    ) -> Floats:
        """(F, nq) the scene rows (F, nq) with the actor corrected; `fixed` frames stay as they are.

        It may still overlap where no small correction helps: certify it.
        """
        self._rows, self._fps = rows, fps
        count = len(rows)
        actor_rows = np.ascontiguousarray(rows[:, self.world.actor_q])
        joints, targets = self._held(actor_rows, fps, fixed)
        pins = [TimedPin(pin_here(self.world.skeleton, rows[0], joint)) for joint in joints]
        times = np.arange(count) / fps
        ends = np.array([0.0, max(times[-1], 1e-3)])
        frames = InBetween(
            self.body,
            ends,
            actor_rows[[0, -1]],
            ("linear", "linear"),
            pins,
            times,
            options,
            slopes=[np.zeros(self.world.figure.skeleton.dof_count)] * 2,
            move_keys=False,
        )
        frames.follow(rows, targets, fixed)
        first, last = int(0 in fixed), count - int(count - 1 in fixed)
        if last > first:
            frames.solve(first, last)
        if count > 1:
            clearing = SpanClearing(frames)
            frames.options = replace(options, plan=False)
            clearing.widen(first, last - 1, clearing.blocked(0, count - 1))
        frames.q[list(fixed)] = rows[list(fixed)]
        return frames.q

    def moved_out(self, q: Floats, options: AnimateOptions) -> Floats:
        """The configuration (nq) of the scene with the actor moved out of overlaps, as near."""
        return self.corrected(q[None], 30.0, (), options)[0]

    def _held(
        self, actor_rows: Floats, fps: float, fixed: Sequence[int]
    ) -> tuple[tuple[str, ...], PinTargets]:
        """The joints that are held, and where in each frame."""
        figure, prefix = self.world.figure, self.world.prefix
        feet = feet_to_hold(figure, actor_rows, fps, self.floor_m, fixed)
        joints = tuple(dict.fromkeys([*feet, *self.pins]))
        frames = posed(figure.skeleton, actor_rows)
        shape = (len(actor_rows), len(joints))
        active, position = np.ones(shape, dtype=np.int64), np.zeros((*shape, 3))
        rotation = np.tile(np.eye(3), (*shape, 1, 1))
        for p, joint in enumerate(joints):
            position[:, p], rotation[:, p] = frames.position(joint), frames.rotation(joint)
            if joint in feet:
                held, lift = feet[joint]
                position[:, p, 1] += lift
                if joint not in self.pins:
                    active[:, p] = held
        names = tuple(f"{prefix}{joint}" for joint in joints)
        return names, PinTargets(active, active.copy(), position, rotation)


def floor_of(scene: Scene) -> float | None:
    """The height of the highest fixed floor of a scene: a half-space whose surface is level."""
    heights = [
        float(shape.points_in_joint[0, 1] + item.position_m[1])
        for item in scene.objects
        for shape in item.shapes
        if item.kind is ObjectKind.FIXED
        and shape.core is Core.HALF_SPACE
        and shape.points_in_joint[1, 1] - shape.points_in_joint[0, 1] > 1.0 - 1e-9
    ]
    return max(heights, default=None)


def feet_to_hold(
    figure: Figure, q: Floats, fps: float, floor_m: float | None, fixed: Sequence[int] = ()
) -> dict[str, tuple[Bools, Floats]]:
    """By ankle: the frames (F,) in which it is held, and how far (F,) it is lifted, m.

    A foot is held while it is planted and while it is lifted. While planted it is lifted by the
    same amount throughout, as far as its deepest instant needs; at `fixed` frames by none.
    """
    roles, count = dict(figure.roles), len(q)
    frames = Motion(figure.skeleton, q, fps).frames()
    out: dict[str, tuple[Bools, Floats]] = {}
    for ankle_role, toe_role in FEET:
        ankle = roles.get(ankle_role)
        if ankle is None:
            continue
        planted = np.zeros(count, dtype=np.bool_)
        lift = np.zeros(count)
        if floor_m is not None:
            low = foot_heights(figure, ankle, q)
            lift = np.maximum(0.0, floor_m + _ABOVE_FLOOR_M - low)
            lift[low > floor_m] = 0.0
        for first, stop in planted_spans(frames.position(roles.get(toe_role) or ankle), fps):
            planted[first:stop] = True
            lift[first:stop] = lift[first:stop].max()
        lift = _enveloped(lift, fps)
        for frame in fixed:
            lift *= smoothstep(np.abs(np.arange(count) - frame) / max(1.0, _FADE_S * fps))
        out[ankle] = planted | (lift > _LIFTED_M), lift
    return out


def _enveloped(lift: Floats, fps: float) -> Floats:
    """(F,) a smooth curve that is nowhere below the lift."""
    if len(lift) < 3 or not lift.any():
        return lift
    return envelope(lift, max(1, round(0.5 * _FADE_S * fps)))
