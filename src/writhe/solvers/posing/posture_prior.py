"""The naturalness of the default poser: where a database expects the joints to be.

Two guesses from where the held joints should go are blended:
- what *everybody* in the database does (`regression`): smooth, safe where a body is like no one;
- what the postures *nearest* to the current one do (near in linking, then in joint angles). Each
  is turned about the vertical and shifted until its held joints fit the goals best; it weighs the
  more, the better it fits and the nearer it then is to the body. A weighted ridge regression of
  their joints on their held ones, read at the goals, is their guess. It counts as the sum of their
  weights does beside `doubt`, so that neighbours that are far have no say.

To each guess the body's *own* way is added: by how much it differed from it when the drag began,
turned with the body, and the less of it the farther the held joints are from where they were then.
So a drag begins where the body is, and a hand that comes back finds the body as it was. (How long
ago it was hardly matters: docs/reconstruction.md has the figures.) As far as it counts, a joint
follows a guess's changes only by what the regression explains of it.

The way the body faces is carried along: it turns as the held joints do about their middle, and
slowly towards the heading that the body has.

`share` says how much the expectation counts: it grows with the movement of the
goals, so that a body nobody drags stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.database import posture_features
from writhe.database.posture import joint_importance
from writhe.kernels.database.posture_features import posture_feature_row
from writhe.kernels.posing.neighbour_regression import expected_joints, make_candidate_room
from writhe.kernels.posing.posture_prior import OwnWayPace, expect, follow_wishes, make_own_way
from writhe.kernels.skeleton import kinematics
from writhe.skeleton import forward
from writhe.solvers.posing.database_query import Asking
from writhe.solvers.posing.handles import Handle, Hold
from writhe.solvers.posing.regression import (
    EffectorRegression,
    Facing,
    RegressionOptions,
    turned,
)


@dataclass(frozen=True, slots=True)
class PriorOptions:
    """How the database is used. Lengths in metres."""

    neighbours: int = 100  # of the current posture
    linking_radius: float = 0.25
    misfit_sigma_m: float = 0.15  # of the held joints of a neighbour
    apart_sigma_m: float = 0.08  # of its joints from the current posture, root mean square
    heading_weight: float = 0.1  # of a joint beside a held one, for the heading
    ridge_m: float = 0.02  # of the neighbours' regression on the held joints
    doubt: float = 1.0  # neighbours whose weights sum up to this count half
    goal_step_m: float = 0.12  # how far a goal may move in a frame, in the prior's eyes
    moving_m: float = 0.005  # movement of a goal in a frame from which on the prior counts fully
    own_way_m: float = 0.25  # with the held joints so far from where they began, half of it is left
    turning: float = 0.1  # share of what the heading is off the body's that a frame makes good
    steady_m: float = 0.3  # held joints that are no farther apart say little of a turn
    mirror: bool = True  # postures count as their mirror images too
    kept_frames: int = 3  # neighbours are looked for anew after so many; their fit at every one
    regression: RegressionOptions = field(default_factory=RegressionOptions)


class PosturePrior:
    """Where a database expects a body to be while its end effectors are moved."""

    def __init__(self, asking: Asking, options: PriorOptions | None = None) -> None:
        self.options = options or PriorOptions()
        self._asking, database = asking, asking.database
        self.database = database.with_mirror_images() if self.options.mirror else database
        skeleton = database.figure.skeleton
        self._tree = skeleton.tree
        self._importance = joint_importance(skeleton)
        positions = forward(skeleton, self.database.q).positions
        self._own_frames = np.ascontiguousarray(positions.transpose(0, 2, 1))  # (N, 3, n)
        self._facing = Facing(positions)
        self._positions = turned(positions, -self._facing.heading(positions))
        self._features = np.empty(len(self.database.search.centre))
        self._here = np.empty((len(skeleton), 3))
        self._rotations = np.empty((len(skeleton), 3, 3))
        self._regressions: dict[tuple[int, ...], EffectorRegression] = {}
        self._joints: tuple[int, ...] = ()
        self._goals: Floats = np.zeros((0, 3))
        self._begun = False
        self._handles: Sequence[Handle] = ()
        self._resting = False
        self._numbers: Ints = np.zeros(0, dtype=np.int64)
        self._age = 0
        self._room = make_candidate_room(0, len(skeleton), 0)
        self._near = np.zeros((len(skeleton), 3))  # what the neighbours guess
        self._own_way = make_own_way(len(skeleton), 0)
        self._pace = OwnWayPace(self.options.own_way_m, self.options.turning, self.options.steady_m)
        self.expected = np.zeros((len(skeleton), 3))  # joints, in the frame the root stands in
        self.share = 0.0
        self.unfamiliar = 0.0
        self._usual_distance = self._typical_distance()

    def forget(self) -> None:
        """Start anew: what comes next does not continue what was before."""
        self._joints, self._begun, self._resting = (), False, False

    def update(
        self, q: Floats, handles: Sequence[Handle], rotation: Floats, origin: Floats
    ) -> None:
        """Look at q and what is wanted; fills `expected`, `share` and `unfamiliar`.

        `rotation` (3, 3) and `origin` (3) place the frame that the root stands in.
        """
        options = self.options
        if self._resting and handles == self._handles:
            return  # nothing is dragged anywhere: what is expected does not count
        kinematics.forward(self._tree, q, self._here, self._rotations)
        joints, wanted = self._wanted(handles, rotation, origin)
        self.share = min(1.0, self._follow(joints, wanted) / options.moving_m)
        self._handles = handles
        self._resting = self._begun and self.share == 0.0
        if self._resting:
            return
        if not self._begun or self._age >= options.kept_frames:
            self._look(q)
        self._age += 1
        if len(joints) > 0:
            self._expect(joints, self._goals)
        self._begun = True

    def _expect(self, joints: Ints, goals: Floats) -> None:
        """Fill in `expected` for held joints that go to goals (E, 3)."""
        trust = self._near_guess(joints, goals)
        expect(
            self._regression(joints).everybody,
            self._pace,
            self._facing.sideways,
            joints,
            goals,
            self._here,
            self._near,
            trust,
            self.share,
            not self._begun,
            self._own_way,
            self.expected,
        )

    def _look(self, q: Floats) -> None:
        """Find the postures near q, and how unlike the database it is."""
        options = self.options
        posture_feature_row(self._tree, self._importance, q, self._features)
        self._numbers, distances = self.database.search.query(
            self._features, self._asking.linking(q), options.neighbours, options.linking_radius
        )
        self.unfamiliar, self._age = float(distances[0]) / self._usual_distance, 0

    def _near_guess(self, joints: Ints, goals: Floats) -> float:
        """Fill in the neighbours' guess; how far to trust it."""
        options = self.options
        weight = expected_joints(
            self._own_frames,
            self._numbers,
            joints,
            goals,
            self._here,
            options.heading_weight,
            options.misfit_sigma_m,
            options.apart_sigma_m,
            options.ridge_m,
            self._room,
            self._near,
        )
        return weight / (weight + options.doubt)

    def _regression(self, joints: Ints) -> EffectorRegression:
        key = tuple(joints.tolist())
        if key not in self._regressions:
            self._regressions[key] = EffectorRegression(
                self._positions, joints, self.options.regression, self.database.clip
            )
        return self._regressions[key]

    def _wanted(
        self, handles: Sequence[Handle], rotation: Floats, origin: Floats
    ) -> tuple[Ints, Floats]:
        """Joints that are held and where they should be, in the frame that the root stands in."""
        skeleton = self.database.figure.skeleton
        placed = [handle for handle in handles if not isinstance(handle, Hold)]
        joints = np.array([skeleton.index(h.joint) for h in placed], dtype=np.int64)
        points = np.array([h.position_in_world for h in placed], dtype=np.float64)
        points = np.ascontiguousarray((points.reshape(-1, 3) - origin) @ rotation)
        for i, handle in enumerate(placed):
            if any(handle.point_in_joint):
                points[i] -= self._rotations[joints[i]] @ np.array(handle.point_in_joint)
        return joints, points

    def _follow(self, joints: Ints, wanted: Floats) -> float:
        """Goals go to what is wanted at a limited pace; how far they moved just now."""
        key = tuple(joints.tolist())
        if key != self._joints:
            self._joints, self._begun = key, False
            self._goals = self._here[joints]
            self._room = make_candidate_room(self.options.neighbours, len(self._here), len(joints))
            self._own_way = make_own_way(len(self._here), len(joints))
        return follow_wishes(self._goals, wanted, self.options.goal_step_m)

    def _typical_distance(self) -> float:
        """The distance at which a posture is as far from the database as its own records get.

        The 95th percentile of the distance to the nearest other record, over a sample of them.
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
