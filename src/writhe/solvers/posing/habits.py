"""Habits of a body: movements of joints without a handle that accompany a drag.

The shoulder girdle rises with a raised arm (`kernels.posing.shoulder_girdle`), and the gaze follows
a dragged hand (`kernels.posing.gaze`). These are pulls, the linear term of the step's QP: they
yield to targets, limits and contacts, and are certified with the rest of the step. While only arms
are dragged, and can reach their targets, elbows and shoulders move before the trunk does
(`TRUNK_INERTIA`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import machine_code
from writhe.kernels.posing.gaze import GazeJoints
from writhe.kernels.posing.habits import add_habit_pulls
from writhe.kernels.posing.resting_arms import RestingArms, place_resting_arms
from writhe.kernels.posing.shoulder_girdle import GirdleJoints
from writhe.kernels.posing.stance import Stance
from writhe.skeleton import Figure, JointKind, forward
from writhe.skeleton.limbs import SIDES, arms_by_joint
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.solvers.posing.controls import Controls
from writhe.solvers.posing.handle_rows import HandleRows
from writhe.solvers.posing.handles import Handle, Target
from writhe.solvers.posing.options import DefaultPoserOptions
from writhe.solvers.posing.poser import PoseResult
from writhe.solvers.result import Status

GIRDLE_INERTIA = 3.0  # of the clavicles, relative to other joints
# of hips, spine, chest and head while only arms are dragged, within their reach
TRUNK_INERTIA = 30.0
SEARCH_INERTIA = 6.0  # the same in the search for a detour
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
        self._figure, self._with_database = figure, with_database
        self._names, self._first_q, self._first_v = actor.skeleton, actor.q.start, actor.v.start
        self._prefix = actor.prefix
        self._girdle, self._gaze = self._girdle_joints(), self._gaze_joints()
        self._girdle_dofs: Ints = (self._girdle.v_start[:, None] + np.arange(3)).ravel()
        roles, skeleton = dict(figure.roles), figure.skeleton
        self._trunk_dofs: Ints = self._trunk_freedom()
        self._arms: set[str] = set()
        self._head = {roles.get("neck"), roles.get("head")}
        self._hands: set[str] = set()
        for side in SIDES:
            for role, joints in ((f"{side}_wrist", self._hands), (f"{side}_shoulder", self._arms)):
                if role in roles:
                    top = skeleton.index(roles[role])
                    joints |= set(skeleton.names[top : int(skeleton.tree.subtree_end[top])])
        self._strengths, self._point = np.zeros(3), np.zeros(3)
        self._stance, self._stance_joints = self._stance_of_roles()
        # the joints moved since the drag-start posture (`_stance`) was set
        self._began: frozenset[str] | None = None
        self._looked_at: list[int] = []  # the targets on hands, by number
        # by target of an arm: its number, the shoulder in the model, the length of the arm to it
        self._reached: list[tuple[int, int, float]] = []
        self._oriented = False  # whether a moved hand has a goal orientation
        self._firm = 1.0  # of the trunk's inertia, the share that is left after it has given way
        # by joint of an arm: its shoulder in the model, and the distance along the bones to it
        self._lengths: dict[str, tuple[int, float]] = {}
        self._limb_of: dict[str, set[str]] = {}  # by joint of an arm, all joints of that arm
        arms = arms_by_joint(figure)
        for joint, (side, length_m) in arms.items():
            self._lengths[joint] = self._index(roles[f"{side}_shoulder"]), length_m
            self._limb_of[joint] = {other for other, arm in arms.items() if arm[0] == side}
        self._trunk_factor = 1.0
        self._code: Callable[..., Any] | None = None
        self._resting, self._resting_joints = self._resting_arms()
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
        self._trunk_factor = self._firm = 1.0
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
        before, farthest = self._trunk_factor, 0.0
        for i, shoulder, length in self._reached:
            place = targets[i].position_in_world
            farthest = max(farthest, math.dist(place, self._shoulders[shoulder]) / length)
        share = min(max((FAR_REACH - farthest) / (FAR_REACH - NEAR_REACH), 0.0), 1.0)
        share *= self._firm
        inert = 1.0 + share * (TRUNK_INERTIA - 1.0) if self._reached else 1.0
        self._trunk_factor = 1.0 + rhythm * (inert**2 - 1.0)
        self._strengths[2] = rhythm * share if self._reached else 0.0
        if self._trunk_factor != before:
            inertia[self._trunk_dofs] *= self._trunk_factor / before

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

    def _index(self, joint: str) -> int:
        return self._names.index(self._prefix + joint)

    def _trunk_freedom(self) -> Ints:
        """The degrees of freedom that move the root and rotate hips, spine, chest, neck, head."""
        skeleton, roles = self._figure.skeleton, dict(self._figure.roles)
        found: list[int] = []
        for role in ("hips", "spine", "chest", "neck", "head"):
            kind = skeleton.joints[skeleton.index(roles[role])].kind if role in roles else None
            if kind in (JointKind.FREE, JointKind.BALL):
                first = self._starts(roles[role])[1]
                found += range(first, first + (6 if kind is JointKind.FREE else 3))
        return np.array(found, dtype=np.int64)

    def _girdle_joints(self) -> GirdleJoints:
        skeleton, roles = self._figure.skeleton, dict(self._figure.roles)
        rest = forward(skeleton, skeleton.rest_configuration)
        joints: list[list[int]] = []
        starts: list[tuple[int, int]] = []
        axes: list[tuple[Floats, Floats]] = []
        for side in SIDES:
            names = [roles.get(f"{side}_{part}", "") for part in ("clavicle", "shoulder", "elbow")]
            if "" in names or skeleton.joints[skeleton.index(names[0])].kind is not JointKind.BALL:
                continue
            chest = skeleton.joints[skeleton.index(names[0])].parent
            assert chest is not None
            across = np.cross(rest.position(names[1]) - rest.position(names[0]), (0.0, 1.0, 0.0))
            axis = rest.rotation(names[0]).T @ (across / np.linalg.norm(across))
            joints.append([self._index(name) for name in (chest, *names[1:])])
            starts.append(self._starts(names[0]))
            axes.append((rest.rotation(chest).T @ np.array([0.0, 1.0, 0.0]), axis))
        return GirdleJoints(
            np.array(joints, dtype=np.int64).reshape(-1, 3),
            np.array([q for q, _ in starts], dtype=np.int64),
            np.array([v for _, v in starts], dtype=np.int64),
            np.array([up for up, _ in axes]).reshape(-1, 3),
            np.array([axis for _, axis in axes]).reshape(-1, 3),
        )

    def _stance_of_roles(self) -> tuple[Stance, list[str]]:
        """The joints of trunk, head, arms and legs, without clavicles; and their names."""
        skeleton = self._figure.skeleton
        kinds = (JointKind.HINGE, JointKind.BALL, JointKind.FREE)
        names = [
            name
            for role, name in self._figure.roles
            if not role.endswith("clavicle") and skeleton.joints[skeleton.index(name)].kind in kinds
        ]
        at = [skeleton.index(name) for name in names]
        starts = [self._starts(name) for name in names]
        stance = Stance(
            skeleton.tree.kind[at].astype(np.int64),
            np.array([q for q, _ in starts], dtype=np.int64),
            np.array([v for _, v in starts], dtype=np.int64),
            np.zeros(len(names), dtype=np.int64),
            np.zeros(self._names.configuration_size),
            np.zeros(6),
        )
        return stance, names

    def _resting_arms(self) -> tuple[RestingArms, list[tuple[str, str]]]:
        """The arms of the body, with their elbows and wrists; none if it lacks an arm or a leg."""
        roles, rest = dict(self._figure.roles), self._figure.skeleton.rest_positions
        at = self._figure.skeleton.index
        parts = ("shoulder", "elbow", "wrist", "hip", "knee")
        names = [[roles.get(f"{side}_{part}", "") for part in parts] for side in SIDES]
        if any("" in arm for arm in names):
            names = []
        lengths = [
            [float(np.linalg.norm(rest[at(arm[k + 1])] - rest[at(arm[k])])) for k in (0, 1)]
            for arm in names
        ]
        joints = [[self._index(name) for name in arm] for arm in names]
        arms = RestingArms(
            np.array(joints, dtype=np.int64).reshape(-1, 5),
            np.array([arm[0] for arm in reversed(joints)], dtype=np.int64),
            np.array([1, -1][: len(names)], dtype=np.int64),
            np.array(lengths).reshape(-1, 2),
            np.zeros((len(names), 2, 3)),
        )
        return arms, [(arm[1], arm[2]) for arm in names]

    def _gaze_joints(self) -> GazeJoints:
        """Neck and head; none if the figure has none that turn freely."""
        skeleton, roles = self._figure.skeleton, dict(self._figure.roles)
        rest = forward(skeleton, skeleton.rest_configuration)
        names = [roles[role] for role in ("neck", "head") if role in roles]
        found = [skeleton.joints[skeleton.index(name)] for name in names]
        if len(found) < 2 or any(joint.kind is not JointKind.BALL for joint in found):
            found = []
        chest = found[0].parent if found else None
        frames, turns = np.zeros((2, 3, 3)), np.zeros((2, 4))
        for i, joint in enumerate(found):
            assert joint.parent is not None
            local = skeleton.tree.rest[skeleton.index(joint.name)]
            frames[i] = rest.rotation(joint.parent) @ local
            turns[i] = skeleton.rest_configuration[skeleton.q_slice(joint.name)]
        starts = [self._starts(joint.name) for joint in found]
        return GazeJoints(
            np.array([] if chest is None else [self._index(n) for n in (chest, *names)], np.int64),
            np.array([q for q, _ in starts], dtype=np.int64),
            np.array([v for _, v in starts], dtype=np.int64),
            np.eye(3) if chest is None else rest.rotation(chest).copy(),
            frames,
            turns,
            np.zeros(4),
            np.zeros(3),
        )

    def _starts(self, joint: str) -> tuple[int, int]:
        """Where the coordinates of a joint begin in q and v of the whole model."""
        skeleton = self._figure.skeleton
        q, v = skeleton.q_slice(joint).start, skeleton.v_slice(joint).start
        return self._first_q + q, self._first_v + v
