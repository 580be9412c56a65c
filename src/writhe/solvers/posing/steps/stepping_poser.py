"""Steps of a standing body towards targets that are beyond its reach.

A body on pinned feet cannot follow a hand that is dragged away from it. `SteppingPoser` takes the
place of a poser during a drag: when the target of an arm is farther away than the arm and some
leaning reach, the pin of one foot moves along a lifted path to a place nearer to the target, then
that of the other foot, until the target is within easy reach (`next_step`). Every frame is the
poser's, certified by its gate; a foot that is stopped on its way goes back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np

from writhe.arrays import Floats, vector3
from writhe.collision import CollisionTable
from writhe.easing import smoothstep
from writhe.skeleton import Figure
from writhe.skeleton.heading import yaw_matrix
from writhe.skeleton.limbs import ANKLES
from writhe.skeleton.quaternions import quaternion_of, rotation_matrix
from writhe.solvers.posing.handles import Hold, Pin, Target
from writhe.solvers.posing.poser import Poser, PoseResult
from writhe.solvers.posing.steps.next_step import Feet, StepChoice
from writhe.solvers.posing.support_polygon import can_balance
from writhe.solvers.result import Status

_LIFT_M = 0.05  # of the foot in the middle of a step, on a body of human size
_FRAMES = 18  # of a step
_LAG_M = 0.03  # a foot that is behind its path by more than this is waited for
_MAX_WAIT = 20  # frames; then it goes back, without waiting
_STANDING_M = 0.08  # feet at heights that differ by less stand beside each other
_SOFTENED = 0.9  # softness of targets while a foot goes back
_SETTLED_FRAMES = 5  # short of a target: then the body has settled
_SLOW = 1e-3  # it has settled at once if no entry of q changes by more than this in a frame


@runtime_checkable
class HasStance(Protocol):
    """A poser with a posture that trunk and legs return to."""

    def set_stance(self, q: Floats) -> None:
        """Set that posture (nq)."""
        ...


@dataclass
class _Swing:
    """The path of a foot: from a pin to another, `share` of it is over."""

    start: Pin
    end: Pin
    turn: float  # of the foot at the end, since the drag began, rad
    turns_rad: float  # on the way
    share: float = 0.0
    waited: int = 0
    back: bool = False  # to where it stood, because it was stopped

    def pin(self, lift_m: float) -> Pin:
        """The pin of the foot now."""
        share = smoothstep(self.share)
        a, b = np.array(self.start.position_in_world), np.array(self.end.position_in_world)
        at = a + share * (b - a)
        at[1] += lift_m * math.sin(math.pi * self.share) ** 2
        turn = self.start.orientation_in_world
        if turn is not None:
            yaw = yaw_matrix(share * self.turns_rad)
            turn = quaternion_of(yaw @ rotation_matrix(np.array(turn)))
        return replace(self.start, position_in_world=vector3(at), orientation_in_world=turn)


class SteppingPoser:
    """A poser for one drag, in which pinned feet step while a target is out of reach.

    `poser` computes the frames; it may be replaced by another one of the same figure.
    """

    def __init__(self, poser: Poser, q: Floats, pins: Sequence[Pin | Hold]) -> None:
        """q (nq) and pins: where the drag begins. Without two pinned, standing feet none steps."""
        self.poser = poser
        figure, roles = poser.figure, dict(poser.figure.roles)
        ankles = [roles.get(role) for role in ANKLES]
        by_joint = {pin.joint: pin for pin in pins if isinstance(pin, Pin)}
        left, right = (by_joint.get(ankle) if ankle else None for ankle in ankles)
        others = {roles.get(role) for role in ("hips", "left_knee", "right_knee")}
        supported = any(pin.joint in others for pin in pins)
        self._feet: Feet | None = None
        self._swing: _Swing | None = None
        self._last: str | None = None  # the foot that stepped last
        self._moved: dict[str, Pin] = {}  # by foot that has stepped: its pin
        self._settled = 0
        self._blocked = False
        if left is None or right is None or supported or not can_balance(figure):
            return
        feet = Feet(left, right)
        choice = StepChoice(figure, q, feet)
        apart_m = abs(left.position_in_world[1] - right.position_in_world[1])
        if apart_m < _STANDING_M * choice.scale:
            self._feet, self._choice = feet, choice

    @property
    def name(self) -> str:
        """The name of the method."""
        return self.poser.name

    @property
    def figure(self) -> Figure:
        """The figure that is posed."""
        return self.poser.figure

    @property
    def table(self) -> CollisionTable:
        """Shapes and contact policy that the poser avoids."""
        return self.poser.table

    @property
    def moved(self) -> frozenset[str]:
        """The feet that have stepped."""
        return frozenset(self._moved)

    def pins(self, pins: Sequence[Pin | Hold]) -> list[Pin | Hold]:
        """The pins, with those of feet that have stepped at their present places."""
        moved = self._moved
        return [moved.get(pin.joint, pin) if isinstance(pin, Pin) else pin for pin in pins]

    def step(
        self, q: Floats, targets: Sequence[Target], pins: Sequence[Pin | Hold] = ()
    ) -> PoseResult:
        """One frame of the drag from q (nq), as by `Poser.step`; feet with a pin may step."""
        if self._swing is not None and self._swing.back:  # this comes before the targets
            targets = [replace(t, softness=max(t.softness, _SOFTENED)) for t in targets]
        result = self.poser.step(q, targets, self.pins(pins))
        if self._feet is None:
            return result
        if self._swing is not None:
            self._advance(self._swing, self._feet, result)
        else:
            slow = float(np.abs(result.q - q).max()) < _SLOW
            short = result.status in (Status.SETTLED, Status.REGULARISED)
            self._settled = self._settled + 1 if short else 0
            settled = short and (slow or self._settled >= _SETTLED_FRAMES)
            if not self._begin(result.q, targets, self._feet, settled=settled):
                return result
            result = self.poser.step(result.q, targets, self.pins(pins))
        return replace(result, status=Status.APPROACHING)

    def finish(
        self, q: Floats, targets: Sequence[Target], pins: Sequence[Pin | Hold] = ()
    ) -> Floats:
        """(nq,) the configuration after the step that is on its way from q; no other one begins."""
        self._blocked = True
        for _ in range(2 * (_FRAMES + _MAX_WAIT)):
            on_the_way = self._swing is not None
            if not on_the_way and not self._moved:
                return q
            q = self.step(q, targets, pins).q
            if not on_the_way:
                break
        return q

    def _begin(self, q: Floats, targets: Sequence[Target], feet: Feet, *, settled: bool) -> bool:
        """Begin the next step if one is needed; returns whether it has begun."""
        if self._blocked:
            return False
        found = self._choice.next(q, targets, feet, self._last, settled=settled)
        if found is None:
            return False
        end, turn = found
        left = end.joint == feet.left.joint
        start, before = (feet.left, feet.left_turn) if left else (feet.right, feet.right_turn)
        self._swing = _Swing(start, end, turn, turn - before, 1.0 / _FRAMES)
        self._move(self._swing)
        return True

    def _move(self, swing: _Swing) -> None:
        self._moved[swing.start.joint] = swing.pin(_LIFT_M * self._choice.scale)

    def _advance(self, swing: _Swing, feet: Feet, result: PoseResult) -> None:
        """Move the foot on along its path, if it follows; else wait, then go back."""
        foot = swing.start.joint
        lags = result.pin_error_m.get(foot, 0.0) > _LAG_M * self._choice.scale
        if lags and not swing.back:
            swing.waited += 1
        else:
            swing.share = min(swing.share + 1.0 / _FRAMES, 1.0)
        if swing.share >= 1.0:
            self._moved[foot] = swing.end
            self._feet = feet = feet.moved(swing.end, swing.turn)
            self._swing, self._settled, self._last = None, 0, foot
            if isinstance(self.poser, HasStance):
                self.poser.set_stance(self._choice.posture_at(feet))
        elif swing.waited > _MAX_WAIT:
            before = feet.left_turn if foot == feet.left.joint else feet.right_turn
            share, turns_rad = 1.0 - swing.share, -swing.turns_rad
            self._swing = _Swing(swing.end, swing.start, before, turns_rad, share, back=True)
            self._blocked = True
        if self._swing is not None:
            self._move(self._swing)
