"""The joints of a body that habits move, by their roles; indices are those of the whole model."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.posing.gaze import GazeJoints
from writhe.kernels.posing.resting_arms import RestingArms
from writhe.kernels.posing.shoulder_girdle import GirdleJoints
from writhe.kernels.posing.stance import Stance
from writhe.skeleton import Figure, JointKind, forward
from writhe.skeleton.limbs import SIDES, arms_by_joint
from writhe.solvers.posing.actor_in_scene import ActorInScene

_VERTICAL = 0.99  # cosine of the angle up to which an axis counts as vertical


class HabitJoints:
    """Finds the joints of one actor that `Habits` moves."""

    def __init__(self, figure: Figure, actor: ActorInScene) -> None:
        self._figure = figure
        self._names, self._first_q, self._first_v = actor.skeleton, actor.q.start, actor.v.start
        self._prefix = actor.prefix

    def arm_lengths(self) -> dict[str, tuple[int, float]]:
        """By joint of an arm: its shoulder in the model, and the distance along the bones to it."""
        roles = dict(self._figure.roles)
        return {
            joint: (self._index(roles[f"{side}_shoulder"]), length_m)
            for joint, (side, length_m) in arms_by_joint(self._figure).items()
        }

    def arms(self) -> dict[str, set[str]]:
        """By joint of an arm, all joints of that arm."""
        arms = arms_by_joint(self._figure)
        return {
            joint: {o for o, arm in arms.items() if arm[0] == side}
            for joint, (side, _) in arms.items()
        }

    def trunk_dofs(self) -> Ints:
        """The degrees of freedom that move the root and rotate hips, spine, chest, neck, head."""
        skeleton, roles = self._figure.skeleton, dict(self._figure.roles)
        found: list[int] = []
        for role in ("hips", "spine", "chest", "neck", "head"):
            kind = skeleton.joints[skeleton.index(roles[role])].kind if role in roles else None
            if kind in (JointKind.FREE, JointKind.BALL):
                first = self._starts(roles[role])[1]
                found += range(first, first + (6 if kind is JointKind.FREE else 3))
        return np.array(found, dtype=np.int64)

    def hips_height(self) -> tuple[int, int] | None:
        """Where q and v of the model have the height of the hips.

        None if the hips are not the root, or if no axis of the root is vertical.
        """
        skeleton, hips = self._figure.skeleton, dict(self._figure.roles).get("hips")
        if hips is None or skeleton.joints[skeleton.index(hips)].kind is not JointKind.FREE:
            return None
        # positions of the root are along the axes of its rest frame, which files may rotate
        axes = forward(skeleton, skeleton.rest_configuration).rotation(hips)
        upwards = np.abs(axes[1])
        if upwards.max() < _VERTICAL:
            return None
        q, v = self._starts(hips)
        return q + int(upwards.argmax()), v + int(upwards.argmax())

    def girdle(self) -> GirdleJoints:
        """Chest, shoulder and elbow of each arm whose clavicle turns freely."""
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

    def stance(self) -> tuple[Stance, list[str]]:
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

    def resting_arms(self) -> tuple[RestingArms, list[tuple[str, str]]]:
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

    def gaze(self) -> GazeJoints:
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

    def _index(self, joint: str) -> int:
        return self._names.index(self._prefix + joint)

    def _starts(self, joint: str) -> tuple[int, int]:
        """Where the coordinates of a joint begin in q and v of the whole model."""
        skeleton = self._figure.skeleton
        q, v = skeleton.q_slice(joint).start, skeleton.v_slice(joint).start
        return self._first_q + q, self._first_v + v
