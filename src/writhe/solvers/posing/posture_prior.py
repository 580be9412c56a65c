"""The posture prior of the default poser: joint positions predicted from a database.

Its weight among the other terms is `DefaultPoserOptions.prior_weight`.

Two predictions from the goals of the held joints are blended:
- the *global regression* over the whole database (`regression`): smooth, and tends to the mean far
  from all postures;
- the *neighbour regression*: the postures nearest to the current one (in linking, then in joint
  angles) are each aligned with the goals by a rotation about the vertical and a translation, and
  weighted by the misfit of their held joints and by their distance from the current posture. Their
  prediction is a weighted ridge regression of all joints on the held ones, evaluated at the goals.
  Its blend weight is w / (w + half_trust_weight), w the sum of the neighbours' weights.

A *persistent offset* is added to each prediction: the difference of the body from it at the start
of the drag, in the body's local frame. It decays with the distance of the held joints from their
positions at the start, so a drag begins at the current posture and returns to it when the hand
does. (Decay over time has little effect: figures in docs/reconstruction.md.) In proportion to the
offset's weight, a joint follows changes of the prediction only by the fraction of its variance that
the regression explains.

The heading of the local frame follows the rotation of the held joints about their mean, and slowly
the heading of the body.

`share`, from 0 to 1, is the weight of the prediction. It grows with the movement of the goals, so
that a body at rest stays at rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from writhe.arguments import check_fields
from writhe.arrays import Floats, Ints
from writhe.database import posture_features
from writhe.database.posture import joint_importance
from writhe.kernels.database.posture_features import posture_feature_row
from writhe.kernels.posing.neighbour_regression import (
    make_candidate_workspace,
    predict_from_neighbours,
)
from writhe.kernels.posing.posture_prior import (
    PersistentOffsetRate,
    make_persistent_offset,
    move_goals,
    predict_joints,
)
from writhe.kernels.skeleton import kinematics
from writhe.recognition.body_map import BodyMap
from writhe.skeleton import forward
from writhe.solvers.posing.database_query import DatabaseQuery
from writhe.solvers.posing.handles import Handle, Hold
from writhe.solvers.posing.regression import (
    EffectorRegression,
    Facing,
    RegressionOptions,
    rotate_about_vertical,
)


@dataclass(frozen=True, slots=True)
class PriorOptions:
    """Options of the posture prior. Lengths in metres."""

    neighbours: int = 100  # number of postures in the neighbour regression
    linking_radius: float = 0.25  # of the neighbour search
    misfit_sigma_m: float = 0.15  # neighbour weight: misfit of its held joints to the goals
    distance_sigma_m: float = 0.08  # neighbour weight: RMS joint distance from the current posture
    heading_weight: float = 0.1  # neighbour alignment: weight of a joint that is not held
    ridge_m: float = 0.02  # of the neighbour regression
    half_trust_weight: float = 1.0  # sum w of neighbour weights at which the blend weight is 1/2
    max_goal_step_m: float = 0.12  # largest movement of a goal per frame that the prior follows
    full_weight_motion_m: float = 0.005  # goal movement per frame from which `share` is 1
    offset_decay_m: float = 0.25  # distance of the held joints at which half the offset is left
    heading_gain: float = 0.1  # fraction of the heading error corrected per frame
    steady_m: float = 0.3  # held joints closer together hardly influence the heading
    mirror: bool = True  # add the mirror image of every posture
    search_interval: int = 3  # frames between neighbour searches
    regression: RegressionOptions = field(default_factory=RegressionOptions)

    def __post_init__(self) -> None:
        check_fields(self)


class PosturePrior:
    """Predicts all joint positions from a database while some joints are moved to goals."""

    def __init__(
        self,
        query: DatabaseQuery,
        options: PriorOptions | None = None,
        body_map: BodyMap | None = None,
    ) -> None:
        """body_map: relates the posed body to the database's figure, if they differ."""
        self.options = options or PriorOptions()
        self._query, database = query, query.database
        self._map = body_map
        own = database.figure.skeleton if body_map is None else body_map.body.skeleton
        self._own_tree = own.tree
        self._own_positions = np.empty((len(own), 3))
        self._own_rotations = np.empty((len(own), 3, 3))
        self.database = database.with_mirror_images() if self.options.mirror else database
        skeleton = database.figure.skeleton
        self._tree = skeleton.tree
        self._importance = joint_importance(skeleton)
        positions = forward(skeleton, self.database.q).positions
        self._coordinate_first = np.ascontiguousarray(positions.transpose(0, 2, 1))  # (N, 3, n)
        self._facing = Facing(positions)
        self._positions = rotate_about_vertical(positions, -self._facing.heading(positions))
        self._features = np.empty(len(self.database.search.centre))
        self._body = np.empty((len(skeleton), 3))
        self._regressions: dict[tuple[int, ...], EffectorRegression] = {}
        self._joints: tuple[int, ...] = ()
        self._goals: Floats = np.zeros((0, 3))
        self._started = False
        self._handles: Sequence[Handle] = ()
        self._resting = False
        self._neighbours: Ints = np.zeros(0, dtype=np.int64)
        self._age = 0
        self._workspace = make_candidate_workspace(0, len(skeleton), 0)
        self._neighbour_prediction = np.zeros((len(skeleton), 3))
        self._persistent_offset = make_persistent_offset(len(skeleton), 0)
        self._rate = PersistentOffsetRate(
            self.options.offset_decay_m, self.options.heading_gain, self.options.steady_m
        )
        self.expected = np.zeros((len(skeleton), 3))  # (n, 3), in the actor's base frame
        self.share = 0.0
        self.unfamiliar = 0.0
        self._usual_distance = self._typical_distance()

    def reset(self) -> None:
        """Forget the current drag: the next `update` begins a new one."""
        self._joints, self._started, self._resting = (), False, False

    def update(
        self, q: Floats, handles: Sequence[Handle], rotation: Floats, origin: Floats
    ) -> None:
        """Update `expected`, `share` and `unfamiliar` for the posture q and its handles.

        `rotation` (3, 3) and `origin` (3) are the world pose of the actor's base frame.
        """
        options = self.options
        if self._resting and handles == self._handles:
            return  # no goal moves: the prediction has no weight
        kinematics.forward(self._own_tree, q, self._own_positions, self._own_rotations)
        if self._map is None:
            self._body[:], reference = self._own_positions, q
        else:
            self._map.positions(self._own_positions, self._body)
            reference = None
        joints, goals = self._handle_goals(handles, rotation, origin)
        self.share = min(1.0, self._follow_goals(joints, goals) / options.full_weight_motion_m)
        self._handles = handles
        self._resting = self._started and self.share == 0.0
        if self._resting:
            return
        if not self._started or self._age >= options.search_interval:
            if reference is None and self._map is not None:
                reference = self._map.to_reference(self._own_positions, self._own_rotations)
            self._find_neighbours(q, q if reference is None else reference)
        self._age += 1
        if len(joints) > 0:
            self._predict(joints, self._goals)
        self._started = True

    def _predict(self, joints: Ints, goals: Floats) -> None:
        """Write `expected` for held joints with goals (E, 3)."""
        trust = self._predict_from_neighbours(joints, goals)
        predict_joints(
            self._regression(joints).model,
            self._rate,
            self._facing.sideways,
            joints,
            goals,
            self._body,
            self._neighbour_prediction,
            trust,
            self.share,
            not self._started,
            self._persistent_offset,
            self.expected,
        )

    def _find_neighbours(self, q: Floats, reference: Floats) -> None:
        """Search the postures nearest to the body's, and update `unfamiliar`.

        q is the configuration of the posed body, `reference` that of the database's figure.
        """
        options = self.options
        posture_feature_row(self._tree, self._importance, reference, self._features)
        linking = self._query.linking(q, reference)
        self._neighbours, distances = self.database.search.query(
            self._features, linking, options.neighbours, options.linking_radius
        )
        self.unfamiliar, self._age = float(distances[0]) / self._usual_distance, 0

    def _predict_from_neighbours(self, joints: Ints, goals: Floats) -> float:
        """Write the neighbour regression's prediction; returns its blend weight (0 to 1)."""
        options = self.options
        weight = predict_from_neighbours(
            self._coordinate_first,
            self._neighbours,
            joints,
            goals,
            self._body,
            options.heading_weight,
            options.misfit_sigma_m,
            options.distance_sigma_m,
            options.ridge_m,
            self._workspace,
            self._neighbour_prediction,
        )
        return weight / (weight + options.half_trust_weight)

    def _regression(self, joints: Ints) -> EffectorRegression:
        key = tuple(joints.tolist())
        if key not in self._regressions:
            self._regressions[key] = EffectorRegression(
                self._positions, joints, self.options.regression, self.database.clip
            )
        return self._regressions[key]

    def _handle_goals(
        self, handles: Sequence[Handle], rotation: Floats, origin: Floats
    ) -> tuple[Ints, Floats]:
        """The held joints (E) and their goals (E, 3) in the actor's base frame."""
        positioned = [handle for handle in handles if not isinstance(handle, Hold)]
        own, joints = self._held_joints(tuple(h.joint for h in positioned))
        points = np.array([h.position_in_world for h in positioned], dtype=np.float64)
        points = np.ascontiguousarray((points.reshape(-1, 3) - origin) @ rotation)
        for i, handle in enumerate(positioned):
            if any(handle.point_in_joint):
                points[i] -= self._own_rotations[own[i]] @ np.array(handle.point_in_joint)
        if self._map is not None:  # a held finger is replaced by its hand
            points += self._body[joints] - self._own_positions[own]
            _, first = np.unique(joints, return_index=True)
            first.sort()
            joints, points = joints[first], np.ascontiguousarray(points[first])
        return joints, points

    def _held_joints(self, names: tuple[str, ...]) -> tuple[Ints, Ints]:
        """Joints of the posed body, and the corresponding ones of the database's figure."""
        if self._map is None:
            skeleton = self.database.figure.skeleton
            joints = np.array([skeleton.index(name) for name in names], dtype=np.int64)
            return joints, joints
        body = self._map.body.skeleton
        own = np.array([body.index(name) for name in names], dtype=np.int64)
        return own, np.array([self._map.nearest_role(int(j)) for j in own], dtype=np.int64)

    def _follow_goals(self, joints: Ints, goals: Floats) -> float:
        """Move the prior's goals to `goals` by a limited step; returns the largest movement."""
        key = tuple(joints.tolist())
        if key != self._joints:
            self._joints, self._started = key, False
            self._goals = self._body[joints]
            self._workspace = make_candidate_workspace(
                self.options.neighbours, len(self._body), len(joints)
            )
            self._persistent_offset = make_persistent_offset(len(self._body), len(joints))
        return move_goals(self._goals, goals, self.options.max_goal_step_m)

    def _typical_distance(self) -> float:
        """The 95th percentile of the distance between a record and its nearest other record.

        Estimated from a sample of up to 200 records; the unit of `unfamiliar`.
        """
        database = self.database
        if len(database) < 3:
            return 1.0
        rows = np.linspace(0, len(database) - 1, min(200, len(database))).astype(np.int64)
        features = posture_features(database.figure.skeleton, database.q[rows])
        linking = database.all_linking
        found = [
            database.search.query(f, linking[i], 2, 1e9)[1][1]
            for f, i in zip(features, rows, strict=True)
        ]
        return max(float(np.percentile(found, 95)), 1e-6)
