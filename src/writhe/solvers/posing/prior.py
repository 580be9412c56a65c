"""The naturalness of the default poser: what nearby postures do, as a soft quadratic prior.

Candidates are the postures nearest to the current one (near in linking, then in joint angles) and
those whose end effectors lie to each other as they are wanted to. Each is turned about the vertical
and shifted until its effectors fit the goals best. A candidate counts the more, the better it fits
and the nearer it then is to the current posture. With the steps x_k to the candidates, weights w_k,
mean m and covariance S:

    L = (I + S / spread^2)^-1

is small along directions in which natural postures vary and one elsewhere, so that movement along
the data is cheap. Where the body should go while the goals move is the *lead*: the change of m from
the goals of the last frame to those of this one. Following the change and not m itself keeps what is
particular to the posture, holds idle limbs still while nothing is dragged, and cannot pop when the
candidates change; a small share of m itself, in proportion to the movement, brings the body back to
the data in the long run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.database import NeighbourSearch, PostureDatabase, posture_features
from writhe.database.posture import joint_importance
from writhe.kernels import kinematics
from writhe.kernels.prior import (
    heading_of,
    place_postures,
    posture_feature_row,
    posture_prior,
    posture_weights,
)
from writhe.skeleton import forward
from writhe.solvers.posing.handles import Pin, Target
from writhe.topology import body_bundle

_MOST_INDEXED = 20_000  # postures that are looked up by their end effectors
_NEGLIGIBLE = 2e-3  # a candidate with less than this share of the best one's weight is left out


@dataclass(frozen=True, slots=True)
class PriorOptions:
    """How the neighbours are chosen and used."""

    neighbours: int = 100  # of the current posture
    fitting: int = 150  # postures whose end effectors fit
    linking_radius: float = 0.25
    spread_rad: float = 0.05  # movement against the data counts fully below this
    misfit_sigma_m: float = 0.15  # of the end effectors of a candidate
    apart_sigma_m: float = 0.08  # of its joints from the current posture, root mean square
    heading_weight: float = 0.1  # of a joint beside an end effector, for the heading
    goal_step_m: float = 0.12  # how far a goal may move in a frame, in the prior's eyes
    settling: float = 0.005  # share of the way to m that a frame of movement leads
    settling_m: float = 0.01  # the movement of the goals from which on that share is full
    mirror: bool = True  # postures count as their mirror images too


class NeighbourPrior:
    """Lead and precision of the postures around a configuration."""

    def __init__(self, database: PostureDatabase, options: PriorOptions | None = None) -> None:
        self.options = options or PriorOptions()
        self.database = database.with_mirror_images() if self.options.mirror else database
        skeleton = database.figure.skeleton
        nv = skeleton.dof_count
        most = min(self.options.neighbours + self.options.fitting, 2 * len(self.database))
        self._bundle = body_bundle(database.figure)
        self._importance = joint_importance(skeleton)
        self._positions = np.ascontiguousarray(forward(skeleton, self.database.q).positions)
        self._features = np.empty(len(self.database.search.centre))
        self._here = np.empty((len(skeleton), 3))
        self._rotations = np.empty((len(skeleton), 3, 3))
        self._steps = np.empty((most, nv))
        self._covariance, self._room = np.empty((nv, nv)), np.empty((nv, nv))
        self._mean = np.zeros(nv)
        self._indices: dict[tuple[int, ...], _EffectorIndex] = {}
        self._joints: tuple[int, ...] = ()
        self._mean_q: Floats | None = None
        self._own = np.zeros(nv)
        self._goals: Floats = np.zeros((0, 3))
        self.lead = np.zeros(nv)
        self.precision = np.eye(nv)
        self.unfamiliar = 0.0
        self._usual_distance = self._typical_distance()

    def forget(self) -> None:
        """Start anew: what comes next does not continue what was before."""
        self._joints, self._mean_q = (), None

    def update(
        self,
        q: Floats,
        handles: Sequence[Target | Pin] = (),
        rotation: Floats | None = None,
        origin: Floats | None = None,
    ) -> None:
        """Look up the neighbours of q; fills `lead`, `precision` and `unfamiliar`.

        `rotation` (3, 3) and `origin` (3) place the frame that the root stands in, if not the
        world's.
        """
        skeleton, options = self.database.figure.skeleton, self.options
        kinematics.forward(skeleton.tree, q, self._here, self._rotations)
        joints, goals, before = self._followed(handles, rotation, origin)
        numbers = self._candidates(q, joints, goals)
        placed, weights = self._weighed(numbers, joints, goals)
        kept = weights > _NEGLIGIBLE * weights.max()
        numbers, placed, weights = numbers[kept], placed[kept], weights[kept] / weights[kept].sum()
        posture_prior(
            skeleton.tree,
            q,
            self.database.q,
            numbers,
            placed,
            weights,
            options.spread_rad,
            self._steps,
            self._covariance,
            self._room,
            self._mean,
            self.precision,
        )
        moved = float(np.abs(goals - before).max(initial=0.0))
        self._follow(q, min(1.0, moved / options.settling_m))

    def _follow(self, q: Floats, share: float) -> None:
        """The lead: to the candidates' mean, but for what q differed from it a frame before."""
        tree = self.database.figure.skeleton.tree
        mean_q, wanted = np.empty_like(q), np.empty_like(q)
        kinematics.integrate(tree, q, self._mean, mean_q)
        self.lead[:] = 0.0
        own = self._own
        if self._mean_q is None:
            kinematics.difference(tree, mean_q, q, own)
        else:
            turn = heading_of(mean_q) - heading_of(self._mean_q)
            c, s = np.cos(turn), np.sin(turn)
            own[0], own[2] = c * own[0] + s * own[2], c * own[2] - s * own[0]
            own *= 1.0 - share * self.options.settling
            kinematics.integrate(tree, mean_q, own, wanted)
            kinematics.difference(tree, q, wanted, self.lead)
            self.lead *= share
        self._mean_q = mean_q

    def _candidates(self, q: Floats, joints: Ints, goals: Floats) -> Ints:
        """Numbers of the postures near q and of those whose effectors fit, each once."""
        options = self.options
        posture_feature_row(self.database.figure.skeleton.tree, self._importance, q, self._features)
        linking = self._bundle.linking(q)
        near, distances = self.database.search.query(
            self._features, linking, options.neighbours, options.linking_radius
        )
        self.unfamiliar = float(distances[0]) / self._usual_distance
        if len(joints) < 2:
            return near
        index = self._index(joints)
        fitting = index.query(goals, linking, options.fitting, options.linking_radius)
        return np.unique(np.concatenate([near, fitting]))

    def _weighed(self, numbers: Ints, joints: Ints, goals: Floats) -> tuple[Floats, Floats]:
        """Where these postures are placed so as to fit the goals, and how much each counts."""
        options, count = self.options, len(numbers)
        placed, weights = np.empty((count, 5)), np.empty(count)
        misfit, apart = np.empty(count), np.empty(count)
        place_postures(
            self._positions,
            numbers,
            joints,
            goals,
            self._here,
            options.heading_weight,
            placed,
            misfit,
            apart,
        )
        posture_weights(misfit, apart, options.misfit_sigma_m, options.apart_sigma_m, weights)
        return placed, weights

    def _followed(
        self, handles: Sequence[Target | Pin], rotation: Floats | None, origin: Floats | None
    ) -> tuple[Ints, Floats, Floats]:
        """Joints that are held, where they should be now, and where they should have been before.

        Seen from the root's frame. Goals that jump are followed at a limited pace.
        """
        skeleton, options = self.database.figure.skeleton, self.options
        joints = np.array([skeleton.index(h.joint) for h in handles], dtype=np.int64)
        goals = np.array([h.position_in_world for h in handles], dtype=np.float64).reshape(-1, 3)
        if origin is not None:
            goals = goals - origin
        if rotation is not None:
            goals = goals @ rotation
        for i, (joint, handle) in enumerate(zip(joints, handles, strict=True)):
            goals[i] -= self._rotations[joint] @ np.array(handle.point_in_joint)
        key = tuple(joints.tolist())
        if key != self._joints:
            self._mean_q = None
        before = self._goals if key == self._joints else self._here[joints]
        ahead = goals - before
        distance = np.sqrt((ahead * ahead).sum(axis=1, keepdims=True))
        goals = before + ahead * np.minimum(1.0, options.goal_step_m / np.maximum(distance, 1e-9))
        self._joints, self._goals = key, goals
        return joints, goals, before

    def _index(self, joints: Ints) -> _EffectorIndex:
        key = tuple(joints.tolist())
        if key not in self._indices:
            self._indices[key] = _EffectorIndex(self._positions[:, joints], self.database.linking)
        return self._indices[key]

    def _typical_distance(self) -> float:
        """The distance at which a posture is as far from the database as its own records get.

        The 95th percentile of the distance to the nearest other record, over a sample of them.
        """
        database = self.database
        if len(database) < 3:
            return 1.0
        rows = np.linspace(0, len(database) - 1, min(200, len(database))).astype(np.int64)
        features = posture_features(database.figure.skeleton, database.q[rows])
        found = [
            database.search.query(f, database.linking[i], 2, 1e9)[1][1]
            for f, i in zip(features, rows, strict=True)
        ]
        return max(float(np.percentile(found, 95)), 1e-6)


class _EffectorIndex:
    """Finds postures by how a set of joints lie to each other, whatever their place and heading.

    Distances between the joints and their heights do not change when a posture is turned about the
    vertical or shifted along the floor.
    """

    def __init__(self, points: Floats, linking: Floats) -> None:
        stride = -(-len(points) // _MOST_INDEXED)
        self._numbers = np.arange(0, len(points), stride, dtype=np.int64)
        self._first, self._second = np.triu_indices(points.shape[1], 1)
        self._search = NeighbourSearch(
            self._invariants(points[self._numbers]), linking[self._numbers]
        )

    def query(self, points: Floats, linking: Floats, k: int, radius: float) -> Ints:
        """Numbers of the k postures whose joints lie most like `points` (E, 3)."""
        found, _ = self._search.query(self._invariants(points[None])[0], linking, k, radius)
        return self._numbers[found]

    def _invariants(self, points: Floats) -> Floats:
        between = points[:, self._first] - points[:, self._second]
        return np.hstack([np.sqrt((between * between).sum(axis=2)), points[:, :, 1]])
