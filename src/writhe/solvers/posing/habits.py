"""Habits of a body: movements of joints without a handle that accompany a drag.

The shoulder girdle rises with a raised arm (`kernels.posing.shoulder_girdle`), and the gaze follows
a dragged hand (`kernels.posing.gaze`). These are pulls, the linear term of the step's QP: they
yield to targets, limits and contacts, and are certified with the rest of the step. While only arms
are dragged, elbows and shoulders move before the trunk turns (`TRUNK_INERTIA`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import machine_code
from writhe.kernels.posing.gaze import GazeJoints
from writhe.kernels.posing.habits import add_habit_pulls
from writhe.kernels.posing.shoulder_girdle import GirdleJoints
from writhe.skeleton import Figure, JointKind, forward
from writhe.skeleton.limbs import SIDES
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.solvers.posing.controls import Controls
from writhe.solvers.posing.handles import Handle, Target

GIRDLE_INERTIA = 3.0  # of the clavicles, relative to other joints
TRUNK_INERTIA = 6.0  # of the rotations of hips, spine and chest while only arms are dragged
_MOVED = 0.5  # targets softer than this keep a place; they are not looked at


class Habits:
    """The habits of one actor; joint frames and coordinates are those of the whole model."""

    def __init__(self, figure: Figure, actor: ActorInScene) -> None:
        self._figure = figure
        self._names, self._first_q, self._first_v = actor.skeleton, actor.q.start, actor.v.start
        self._prefix = actor.prefix
        self._girdle, self._gaze = self._girdle_joints(), self._gaze_joints()
        self.girdle_dofs: Ints = (self._girdle.v_start[:, None] + np.arange(3)).ravel()
        roles, skeleton = dict(figure.roles), figure.skeleton
        self.trunk_dofs: Ints = self._trunk_rotations()
        self._arms: set[str] = set()
        self._head = {roles.get("neck"), roles.get("head")}
        self._hands: set[str] = set()
        for side in SIDES:
            for role, joints in ((f"{side}_wrist", self._hands), (f"{side}_shoulder", self._arms)):
                if role in roles:
                    top = skeleton.index(roles[role])
                    joints |= set(skeleton.names[top : int(skeleton.tree.subtree_end[top])])
        self._strengths, self._point = np.zeros(2), np.zeros(3)
        self._looked_at: list[int] = []  # the targets on hands, by number
        self._code: Callable[..., Any] | None = None

    def begin(self, targets: Sequence[Target], held: Sequence[Handle]) -> None:
        """A new set of handles: the gaze follows dragged hands, unless the head has a handle."""
        free = self._head.isdisjoint(handle.joint for handle in (*targets, *held))
        hands = [i for i, t in enumerate(targets) if t.joint in self._hands and t.softness < _MOVED]
        self._looked_at = hands if free and len(self._gaze.joints) else []

    def inertia_factors(self, rhythm: float, targets: Sequence[Target]) -> tuple[float, float]:
        """Factors of the squared weights of the girdle and of the trunk's rotations in a drag."""
        moved = [target.joint for target in targets if target.softness < _MOVED]
        arms_only = bool(moved) and self._arms.issuperset(moved)
        trunk = TRUNK_INERTIA if arms_only else 1.0
        return 1.0 + rhythm * (GIRDLE_INERTIA**2 - 1.0), 1.0 + rhythm * (trunk**2 - 1.0)

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
        """Add the pulls at q (nq) of the whole model to pull (nv).

        rhythm_share: of the strength of the rhythm, from 0 to 1. frames: positions and rotations of
        the joints at q. inertia: (nv,) squared weights of the step.
        """
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

    def _add(self, frames: tuple[Floats, Floats], q: Floats, inertia: Floats, pull: Floats) -> None:
        bodies = self._girdle, self._gaze
        arguments = (*bodies, *frames, q, self._strengths, self._point, inertia, pull)
        if self._code is None:
            self._code = machine_code(add_habit_pulls, *arguments)
        self._code(*arguments)

    def _index(self, joint: str) -> int:
        return self._names.index(self._prefix + joint)

    def _trunk_rotations(self) -> Ints:
        """The degrees of freedom that rotate hips, spine and chest."""
        skeleton, roles = self._figure.skeleton, dict(self._figure.roles)
        found: list[int] = []
        for role in ("hips", "spine", "chest"):
            kind = skeleton.joints[skeleton.index(roles[role])].kind if role in roles else None
            if kind in (JointKind.FREE, JointKind.BALL):
                first = self._starts(roles[role])[1] + (3 if kind is JointKind.FREE else 0)
                found += range(first, first + 3)
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
