"""Habits of a body: movements of joints without a handle that accompany a drag.

The shoulder girdle rises with a raised arm (`kernels.posing.shoulder_girdle`), and the gaze follows
a dragged hand (`kernels.posing.gaze`). These are pulls, the linear term of the step's QP: they
yield to targets, limits and contacts, and are certified with the rest of the step. While only arms
are dragged, and can reach their targets, elbows and shoulders move before the trunk does
(`TRUNK_INERTIA`), and the legs do not bend (`HEIGHT_INERTIA`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import machine_code
from writhe.kernels.posing.habits import add_habit_pulls
from writhe.kernels.posing.resting_arms import place_resting_arms
from writhe.skeleton import Figure, forward
from writhe.skeleton.limbs import SIDES
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.solvers.posing.controls import Controls
from writhe.solvers.posing.habit_joints import HabitJoints
from writhe.solvers.posing.handle_rows import HandleRows
from writhe.solvers.posing.handles import Handle, Target
from writhe.solvers.posing.options import DefaultPoserOptions
from writhe.solvers.posing.poser import PoseResult
from writhe.solvers.result import Status

GIRDLE_INERTIA = 3.0  # of the clavicles, relative to other joints
# of hips, spine, chest and head while only arms are dragged, within their reach
TRUNK_INERTIA = 30.0
SEARCH_INERTIA = 6.0  # the same in the search for a detour
# of the height of the hips while only arms are dragged, unless they reach low: legs bend for that
HEIGHT_INERTIA, HEIGHT_GAIN = 60.0, 0.2
# how far a target is below the shoulder, relative to the arm's length, up to which and from which
LEGS_STAY, LEGS_BEND = 1.0, 1.3
FAR_STAY, FAR_BEND = 0.95, 1.05  # the same for the distance from the shoulder: legs lunge for that
# the distance of a target from the shoulder, relative to the arm's length, up to which the trunk
# has this inertia, and from which it has none of it
NEAR_REACH, FAR_REACH = 0.85, 1.0
# the share of the trunk's inertia that is left after a frame in which it yields, and the least
_YIELD, _YIELDED = 0.9, 0.05
_LAID, _PLACED = 0.6, 0.17  # the shares down to which it yields to errors of a few centimetres
_EXACT = 0.3  # an error, relative to the tolerance of targets, to which it does not yield
_RESTS_M = 0.2  # a wrist this near to where it would rest when a drag begins goes on resting
_REST_WEIGHT = 2.0  # of resting elbows and wrists, relative to predicted joints


class Habits:
    """The habits of one actor; joint frames and coordinates are those of the whole model."""

    def __init__(self, figure: Figure, actor: ActorInScene, *, with_database: bool) -> None:
        """Without a database, only the gaze follows dragged hands."""
        self._with_database, found = with_database, HabitJoints(figure, actor)
        self._names = actor.skeleton
        self._girdle, self._gaze = found.girdle(), found.gaze()
        self._girdle_dofs: Ints = (self._girdle.v_start[:, None] + np.arange(3)).ravel()
        roles, skeleton = dict(figure.roles), figure.skeleton
        self._trunk_dofs: Ints = found.trunk_dofs()
        self._height = found.hips_height()
        self._arms: set[str] = set()
        self._head = {roles.get("neck"), roles.get("head")}
        self._hands: set[str] = set()
        for side in SIDES:
            for role, joints in ((f"{side}_wrist", self._hands), (f"{side}_shoulder", self._arms)):
                if role in roles:
                    top = skeleton.index(roles[role])
                    joints |= set(skeleton.names[top : int(skeleton.tree.subtree_end[top])])
        self._strengths, self._point = np.zeros(3), np.zeros(3)
        self._stance, self._stance_joints = found.stance()
        # the joints moved since the drag-start posture (`_stance`) was set
        self._began: frozenset[str] | None = None
        self._looked_at: list[int] = []  # the targets on hands, by number
        # by target of an arm: its number, the shoulder in the model, the length of the arm to it
        self._reached: list[tuple[int, int, float]] = []
        self._oriented = False  # whether a moved hand has a goal orientation
        self._firm = 1.0  # of the trunk's inertia, the share that is left after it has given way
        self._lengths = found.arm_lengths()
        self._limb_of = found.arms()
        self._trunk_factor = self._height_factor = 1.0
        self._height_share = 0.0  # how firmly the hips keep their height
        self._code: Callable[..., Any] | None = None
        self._resting, self._resting_joints = found.resting_arms()
        self._handled: set[str] = set()  # the joints of arms with a handle
        self._rests_unknown = self._shoulders_unknown = True  # both are of the drag-start posture
        # where the shoulders are in the drag-start posture
        self._shoulders: dict[int, list[float]] = {}
        self._rests: list[int] = []  # the arms that rest in this drag
        self._rest_code: Callable[..., Any] | None = None

    def begin(
        self,
        targets: Sequence[Target],
        held: Sequence[Handle],
        q: Floats,
        inertia: Floats,
        rhythm: float,
        *,
        continued: bool,
    ) -> None:
        """A new set of handles at q (nq) of the whole model; the girdle becomes inert.

        The gaze follows dragged hands, unless the head has a handle. The drag-start posture is set
        when other joints are moved than before, or the pose is not the last result (not
        `continued`).
        """
        free = self._head.isdisjoint(handle.joint for handle in (*targets, *held))
        hands = [i for i, t in enumerate(targets) if t.joint in self._hands and not t.is_soft_pin]
        self._looked_at = hands if free and len(self._gaze.joints) else []
        if self._with_database:
            inertia[self._girdle_dofs] *= 1.0 + rhythm * (GIRDLE_INERTIA**2 - 1.0)
        moved = [(i, target) for i, target in enumerate(targets) if not target.is_soft_pin]
        self._reached = []
        self._oriented = any(t.orientation_in_world is not None for _, t in moved)
        if self._arms.issuperset(target.joint for _, target in moved):
            for i, target in moved:
                shoulder, length = self._lengths[target.joint]
                self._reached.append((i, shoulder, length + math.hypot(*target.point_in_joint)))
        self._trunk_factor = self._height_factor = self._firm = 1.0
        joints = frozenset(target.joint for _, target in moved)
        if not continued or joints != self._began:
            self._began, self._stance.q[:] = joints, q
            self._rests_unknown = self._shoulders_unknown = True
        handled = {handle.joint for handle in (*targets, *held)}
        self._handled = {name for joint in handled for name in self._limb_of.get(joint, ())}
        free = {roots for joint in joints for roots in self._limb_of.get(joint, ())}
        free |= self._head if self._looked_at else set()
        self._stance.returns[:] = [name not in free for name in self._stance_joints]

    def set_stance(self, q: Floats) -> None:
        """Replace the drag-start posture by q (nq) of the whole model: a body has stepped there."""
        self._stance.q[:] = q
        positions = forward(self._names, q).positions
        self._shoulders = {shoulder: positions[shoulder].tolist() for shoulder in self._shoulders}

    def rest_arms(self, positions: Floats, rows: HandleRows, guides: Mapping[str, int]) -> None:
        """Let the arms without a handle hang, or rest on the thighs, while other parts are dragged.

        positions: of the joints of the model; guides: numbers of the guide rows by joint. Replaces
        the predicted elbows and wrists of arms that rested when the drag began.
        """
        if not self._resting_joints or self._reached or not self._began:
            return
        self._place_resting(positions)
        if self._rests_unknown:
            self._rests_unknown = False
            wrists = positions[self._resting.joints[:, 2]]
            away = np.linalg.norm(self._resting.goals[:, 1] - wrists, axis=1)
            self._rests = [i for i in range(len(away)) if away[i] < _RESTS_M]
        for i in self._rests:
            elbow, wrist = self._resting_joints[i]
            if elbow in self._handled or wrist in self._handled:
                continue
            for joint, goal in zip((elbow, wrist), self._resting.goals[i], strict=True):
                rows.move_guide(guides[joint], goal, _REST_WEIGHT)

    def _place_resting(self, positions: Floats) -> None:
        if self._rest_code is None:
            self._rest_code = machine_code(place_resting_arms, self._resting, positions)
        self._rest_code(self._resting, positions)

    def _set_trunk_inertia(
        self, rhythm: float, targets: Sequence[Target], positions: Floats, inertia: Floats
    ) -> None:
        """Make the trunk inert while only arms are dragged and reach their targets.

        positions: of the joints of the whole model; inertia: (nv,) squared weights of the step.
        """
        if self._shoulders_unknown:
            self._shoulders_unknown = False
            shoulders = {shoulder for shoulder, _ in self._lengths.values()}
            self._shoulders = {shoulder: positions[shoulder].tolist() for shoulder in shoulders}
        before, farthest, lowest = self._trunk_factor, 0.0, 0.0
        for i, shoulder, length in self._reached:
            place, top = targets[i].position_in_world, self._shoulders[shoulder]
            farthest = max(farthest, math.dist(place, top) / length)
            lowest = max(lowest, (top[1] - place[1]) / length)
        share = min(max((FAR_REACH - farthest) / (FAR_REACH - NEAR_REACH), 0.0), 1.0)
        share *= self._firm
        inert = 1.0 + share * (TRUNK_INERTIA - 1.0) if self._reached else 1.0
        self._trunk_factor = 1.0 + rhythm * (inert**2 - 1.0)
        self._strengths[2] = rhythm * share if self._reached else 0.0
        if self._trunk_factor != before:
            inertia[self._trunk_dofs] *= self._trunk_factor / before
        if self._reached and self._height:
            low = (LEGS_BEND - lowest) / (LEGS_BEND - LEGS_STAY)
            far = (FAR_BEND - farthest) / (FAR_BEND - FAR_STAY)
            stays = min(max(low, 0.0), 1.0) * min(max(far, 0.0), 1.0)
            before, self._height_share = self._height_factor, rhythm * stays
            self._height_factor = (1.0 + self._height_share * (HEIGHT_INERTIA - 1.0)) ** 2
            inertia[self._height[1]] *= self._height_factor / before

    def hold_trunk(self, inertia: Floats) -> None:
        """Make the trunk moderately inert in inertia (nv,), to search how arms meet their targets.

        A trunk that moves freely tends to end at its limits, where a search is stuck.
        """
        if self._reached and self._with_database:
            inertia[self._trunk_dofs] *= SEARCH_INERTIA**2 / self._trunk_factor

    def give_way(self, result: PoseResult, options: DefaultPoserOptions, *, moving: bool) -> bool:
        """Let the trunk move if arms alone do not meet their targets.

        It yields in part until they are met exactly, less so for hands with an orientation, which
        are laid on something, and wholly if they stay far away. It becomes firm again while targets
        are moving. Returns whether it has yielded now.
        """
        error = max(result.target_error_m.values(), default=0.0)
        floor = 0.0
        if error <= options.give_way_m:
            floor = _LAID if self._oriented else _PLACED
        if error <= _EXACT * options.target_tolerance_m:
            floor = 1.0
        before = self._firm
        if error > 2.0 * options.give_way_m:
            self._firm = max(self._firm * _YIELD, _YIELDED)
        elif moving and result.status is not Status.SETTLED:
            self._firm = min(self._firm / _YIELD, 1.0)
        elif self._reached and self._firm > floor + _YIELDED:
            self._firm = max(self._firm * _YIELD, floor)
        return self._firm < before

    def add_pulls(
        self,
        controls: Controls,
        rhythm_share: float,
        targets: Sequence[Target],
        frames: tuple[Floats, Floats],
        q: Floats,
        inertia: Floats,
        pull: Floats,
    ) -> None:
        """Add the pulls at q (nq) of the whole model to pull (nv); set the inertia of the trunk.

        rhythm_share: of the strength of the rhythm, from 0 to 1. frames: positions and rotations of
        the joints at q. inertia: (nv,) squared weights of the step.
        """
        if self._with_database:
            self._set_trunk_inertia(controls.rhythm, targets, frames[0], inertia)
            if self._reached and self._height:
                at, dof = self._height
                strength = HEIGHT_GAIN * self._height_share * float(inertia[dof])
                pull[dof] += strength * float(self._stance.q[at] - q[at])
        self._strengths[0] = rhythm_share * controls.rhythm
        self._strengths[1] = controls.gaze if self._looked_at else 0.0
        if not self._strengths.any():
            return
        if self._looked_at:
            places = [targets[i].position_in_world for i in self._looked_at]
            self._point[:] = places[0] if len(places) == 1 else np.mean(places, axis=0)
        self._add(frames, q, inertia, pull)

    def warm_up(
        self, frames: tuple[Floats, Floats], q: Floats, inertia: Floats, pull: Floats
    ) -> None:
        """Load or compile the kernel; arguments as in `add_pulls`, nothing is added."""
        self._strengths[:] = 0.0
        self._add(frames, q, inertia, pull)
        self._place_resting(frames[0])

    def _add(self, frames: tuple[Floats, Floats], q: Floats, inertia: Floats, pull: Floats) -> None:
        bodies = self._girdle, self._gaze, self._stance
        arguments = (*bodies, *frames, q, self._strengths, self._point, inertia, pull)
        if self._code is None:
            self._code = machine_code(add_habit_pulls, *arguments)
        self._code(*arguments)
