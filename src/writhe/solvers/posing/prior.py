"""The naturalness of the default poser: where nearby postures expect the joints to be.

Candidates are the postures nearest to the current one (near in linking, then in joint angles) and
those whose end effectors lie to each other as they are wanted to. Each is turned about the vertical
and shifted until its effectors fit the goals best; it counts the more, the better it fits and the
nearer it then is to the current posture. A weighted ridge regression of the candidates' joints on
their effectors, read at the goals, gives their guess m.

What is expected is m plus the body's *own* way: by how much it differed from m when the drag began,
turned with the heading and fading as the goals move. So a drag begins where the body is, its style
stays, and nothing pops when the candidates change a little. `share` says how much the expectation
counts: it grows with the movement of the goals, so that a body nobody drags stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.database import posture_features
from writhe.database.posture import joint_importance
from writhe.kernels import kinematics
from writhe.kernels.expectation import expected_joints, make_candidate_room
from writhe.kernels.prior import posture_feature_row, turn_between
from writhe.skeleton import forward
from writhe.solvers.posing.asking import Asking
from writhe.solvers.posing.effectors import EffectorIndex
from writhe.solvers.posing.handles import Handle, Hold


@dataclass(frozen=True, slots=True)
class PriorOptions:
    """How the candidates are chosen and used. Lengths in metres."""

    neighbours: int = 100  # of the current posture
    fitting: int = 150  # postures whose end effectors fit
    linking_radius: float = 0.25
    misfit_sigma_m: float = 0.15  # of the end effectors of a candidate
    apart_sigma_m: float = 0.08  # of its joints from the current posture, root mean square
    heading_weight: float = 0.1  # of a joint beside an end effector, for the heading
    ridge_m: float = 0.02  # of the regression on the end effectors
    goal_step_m: float = 0.12  # how far a goal may move in a frame, in the prior's eyes
    moving_m: float = 0.01  # movement of a goal in a frame from which on the prior counts fully
    fading: float = 0.005  # share of the own way that a frame of movement takes away
    mirror: bool = True  # postures count as their mirror images too
    kept_frames: int = 3  # candidates are looked for anew after so many; their fit at every one


class PosturePrior:
    """Where a database expects a body to be while its end effectors are moved."""

    def __init__(self, asking: Asking, options: PriorOptions | None = None) -> None:
        self.options = options or PriorOptions()
        self._asking, database = asking, asking.database
        self.database = database.with_mirror_images() if self.options.mirror else database
        skeleton = database.figure.skeleton
        self._tree = skeleton.tree
        self._importance = joint_importance(skeleton)
        joints = forward(skeleton, self.database.q).positions
        self._positions = np.ascontiguousarray(joints.transpose(0, 2, 1))  # (N, 3, n)
        self._features = np.empty(len(self.database.search.centre))
        self._here = np.empty((len(skeleton), 3))
        self._rotations = np.empty((len(skeleton), 3, 3))
        self._indices: dict[tuple[int, ...], EffectorIndex] = {}
        self._joints: tuple[int, ...] = ()
        self._goals: Floats = np.zeros((0, 3))
        self._guess: Floats | None = None
        self._handles: Sequence[Handle] = ()
        self._resting = False
        self._numbers: Ints = np.zeros(0, dtype=np.int64)
        self._age = 0
        self._room = make_candidate_room(0, len(skeleton), 0)
        self._own = np.zeros((len(skeleton), 3))
        self.expected = np.zeros((len(skeleton), 3))  # joints, in the frame the root stands in
        self.share = 0.0
        self.unfamiliar = 0.0
        self._usual_distance = self._typical_distance()

    def forget(self) -> None:
        """Start anew: what comes next does not continue what was before."""
        self._joints, self._guess, self._resting = (), None, False

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
        goals, moved = self._followed(joints, wanted)
        self.share = min(1.0, moved / options.moving_m)
        self._handles = handles
        self._resting = self._guess is not None and self.share == 0.0
        if self._resting:
            return
        if self._guess is None or self._age >= options.kept_frames:
            self._numbers, self._age = self._candidates(q, joints, goals), 0
        self._age += 1
        guess = self._regressed(self._numbers, joints, goals)
        if self._guess is None:
            self._own[:] = self._here - guess
        else:
            turn_between(self._guess, guess, self._own)
            self._own *= 1.0 - self.share * options.fading
        self._guess = guess
        np.add(guess, self._own, out=self.expected)

    def _candidates(self, q: Floats, joints: Ints, goals: Floats) -> Ints:
        """Numbers of the postures near q and of those whose effectors fit, each once."""
        options = self.options
        posture_feature_row(self._tree, self._importance, q, self._features)
        linking = self._asking.linking(q)
        near, distances = self.database.search.query(
            self._features, linking, options.neighbours, options.linking_radius
        )
        self.unfamiliar = float(distances[0]) / self._usual_distance
        if len(joints) < 2:
            return near
        key = tuple(joints.tolist())
        if key not in self._indices:
            self._indices[key] = EffectorIndex(
                self._positions[:, :, joints].transpose(0, 2, 1), self.database.all_linking
            )
        fitting = self._indices[key].query(goals, linking, options.fitting, options.linking_radius)
        return np.unique(np.concatenate([near, fitting]))

    def _regressed(self, numbers: Ints, joints: Ints, goals: Floats) -> Floats:
        """(n, 3) joints: the candidates' weighted regression on their effectors at the goals."""
        options, guess = self.options, np.empty_like(self._here)
        expected_joints(
            self._positions,
            numbers,
            joints,
            goals,
            self._here,
            options.heading_weight,
            options.misfit_sigma_m,
            options.apart_sigma_m,
            options.ridge_m,
            self._room,
            guess,
        )
        return guess

    def _wanted(
        self, handles: Sequence[Handle], rotation: Floats, origin: Floats
    ) -> tuple[Ints, Floats]:
        """Joints that are held and where they should be, in the frame that the root stands in."""
        skeleton = self.database.figure.skeleton
        placed = [handle for handle in handles if not isinstance(handle, Hold)]
        joints = np.array([skeleton.index(h.joint) for h in placed], dtype=np.int64)
        points = np.array([h.position_in_world for h in placed], dtype=np.float64)
        points = (points.reshape(-1, 3) - origin) @ rotation
        for i, handle in enumerate(placed):
            if any(handle.point_in_joint):
                points[i] -= self._rotations[joints[i]] @ np.array(handle.point_in_joint)
        return joints, points

    def _followed(self, joints: Ints, wanted: Floats) -> tuple[Floats, float]:
        """Goals that go to what is wanted at a limited pace, and how far they moved just now."""
        key = tuple(joints.tolist())
        if key != self._joints:
            self._guess = None
            self._goals = self._here[joints]
            most = self.options.neighbours + self.options.fitting
            self._room = make_candidate_room(most, len(self._here), len(joints))
        ahead = wanted - self._goals
        distance = np.sqrt((ahead * ahead).sum(axis=1, keepdims=True))
        ahead *= np.minimum(1.0, self.options.goal_step_m / np.maximum(distance, 1e-9))
        self._joints, self._goals = key, self._goals + ahead
        return self._goals, float(np.abs(ahead).max(initial=0.0))

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
