"""The two published posers, which search a local latent space: `paper` and `local-pca`.

Both take the K postures of the database nearest to the current one, reduce them by PCA to a latent
space of Euler angles, and move in it by the linear system of Eq. 13 of "Topology aware data-driven
inverse kinematics", three times a frame:

    [ M^T M  H^T ] [ dl     ]   [ 0 ]
    [ H      0   ] [ lambda ] = [ h ]

with M^T M = w_t J_gli^T J_gli + w_m J_pos^T J_pos + w_s I and the positional constraints H dl = h;
w_t, w_m and w_s are `topology_weight`, `continuity_weight` and `style_weight`. `paper` searches
neighbours among the postures with similar linking, and has the topology term w_t; `local-pca` (Chai
and Hodgins 2005, as that paper compares with it) searches them by joint angles, without that term.

Neither poser checks its steps for collisions; both ignore softness and controls.

Details that the paper does not specify, and deviations from it:
- root translation and heading are not in the normalised postures, so they are variables of their
  own beside the latent ones, with the weight of the style term, per metre as per radian;
- the current posture is projected onto the latent space of the frame, without its residual;
- the style term damps the step dl (Eq. 9); the text speaks of the centre of the latent space;
- Jacobians are analytic, not by finite differences;
- constraints that contradict each other make Eq. 13 singular: its lower diagonal block is -1e-6 I;
- "topologically similar" is a linking vector within `linking_radius`, grown until K are found;
- among these, neighbours are the nearest in the features of this library (rotation vectors weighted
  by importance, and the lean), not in Euler angles, and their Euler angles are not unwrapped;
- the baseline is `paper` without linking, not the objective of Chai and Hodgins;
- Euler angles are YXZ, so that the first angle of the root is the heading;
- with an object, its linking enters the topology term as it enters the search (Eq. 3);
- orientations and holds, which the paper does not have, are constraints like positions.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.collision import NearPairs
from writhe.collision.certificate_slack import SLACK_M
from writhe.database import PostureDatabase, posture_features
from writhe.database.posture import normalise
from writhe.skeleton import Figure, forward
from writhe.skeleton.quaternions import wrapped_angles
from writhe.solvers.chart import AffineChart, EulerChart
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.solvers.posing.database_query import DatabaseQuery
from writhe.solvers.posing.handle_rows import HandleRows, HandleWeights
from writhe.solvers.posing.handles import Hold, Pin, Target
from writhe.solvers.posing.poser import PoseResult
from writhe.solvers.result import Status
from writhe.terms import CompiledTerms, reach

EULER_ORDER = "YXZ"
ROOT = 4  # coordinates of translation and heading


@dataclass(frozen=True, slots=True)
class LatentOptions:
    """The published parameters."""

    neighbours: int = 50
    dimensions: int = 30
    topology_weight: float = 1.0
    continuity_weight: float = 0.2
    style_weight: float = 1.0
    iterations: int = 3
    linking_radius: float = 0.25  # not printed, like the next two
    root_weight: float = 1.0  # of translation (per metre) and heading (per radian), as a style term
    regularisation: float = 1e-6
    target_tolerance_m: float = 0.005


class LatentPoser:
    """Optimisation in the local latent space of neighbouring postures."""

    def __init__(
        self,
        name: str,
        database: PostureDatabase,
        options: LatentOptions | None = None,
        *,
        topology: bool = True,
        actor: ActorInScene | None = None,
    ) -> None:
        self.name = name
        self.figure: Figure = database.figure
        self.actor = actor or ActorInScene.alone(self.figure)
        self.query = DatabaseQuery(database, self.actor)
        self.options = options or LatentOptions()
        self.topology = topology
        skeleton = self.figure.skeleton
        self._euler = EulerChart(skeleton, EULER_ORDER)
        self._angles = np.array([self._euler.coordinates(q) for q in database.q])
        self.table = self.actor.table
        self._near = NearPairs(self.table)
        all_joints = [reach(name, np.zeros(3)) for name in skeleton.names]
        self._rows = HandleRows(skeleton, HandleWeights(1.0, 1.0, 1.0, 1.0), soft=all_joints)

    def step(
        self, q: Floats, targets: Sequence[Target], pins: Sequence[Pin | Hold] = ()
    ) -> PoseResult:
        """The next configuration from q, as published: projected, then three solves."""
        start = time.perf_counter()
        options, rows = self.options, self._rows
        local = self.actor.in_actor_frame((*targets, *pins))
        rows.set_handles([h for h in local if isinstance(h, Target)], local[len(targets) :])
        terms, count = rows.terms, rows.rows_of(0).start
        chart = self._latent_space(q)
        angles = self._euler.coordinates(q)
        y = chart.axes.T @ wrapped_angles(angles - chart.mean)  # the hard projection of the method
        for _ in range(options.iterations):
            current = chart.configuration(y)
            terms.update(current)
            basis = chart.basis(y)
            step = self._solve(terms, basis, current, count, y)
            y = y + step
            if float(np.abs(step).max()) < 1e-6:
                break
        q = chart.configuration(y)
        terms.update(q)
        return self._result(q, targets, pins, start)

    def _latent_space(self, q: Floats) -> AffineChart:
        """PCA of the neighbours' Euler angles; the root's position and heading are free."""
        samples = self._samples(q, self._neighbours(q))
        mean = samples.mean(axis=0)
        centred = samples - mean
        centred[:, :ROOT] = 0.0
        axes = self._principal_axes(centred)
        full = np.zeros((len(mean), ROOT + axes.shape[1]))
        full[:ROOT, :ROOT] = np.eye(ROOT)
        full[:, ROOT:] = axes
        mean[:ROOT] = 0.0
        return AffineChart(self._euler, mean, full)

    def _neighbours(self, q: Floats) -> Ints:
        """Indices (K) of the postures nearest to q, for `paper` among those of similar linking."""
        options, skeleton = self.options, self.figure.skeleton
        features = posture_features(skeleton, normalise(skeleton, q))[0]
        radius = options.linking_radius if self.topology else 1e9
        found, _ = self.query.search.query(
            features, self.query.linking(q), options.neighbours, radius
        )
        return found

    def _samples(self, q: Floats, neighbours: Ints) -> Floats:
        """(K, angles) Euler angles of the neighbours of q."""
        del q
        return self._angles[neighbours]

    def _principal_axes(self, centred: Floats) -> Floats:
        """(angles, k) orthonormal directions of the largest variance of (K, angles) samples.

        Through the K x K Gram matrix: K is smaller than or close to the number of angles.
        """
        values, vectors = np.linalg.eigh(centred @ centred.T)
        keep = max(1, min(self.options.dimensions, int((values > 1e-10).sum())))
        top = vectors[:, ::-1][:, :keep]
        return centred.T @ (top / np.sqrt(np.maximum(values[::-1][:keep], 1e-12)))

    def _solve(
        self, terms: CompiledTerms, basis: Floats, q: Floats, count: int, y: Floats
    ) -> Floats:
        """dl of Eq. 13 at q = chart(y); the first `count` rows of the terms are its constraints."""
        options = self.options
        positions = (terms.jacobian[count:] @ basis) * np.sqrt(options.continuity_weight)
        hessian = positions.T @ positions
        diagonal = np.full(len(hessian), float(options.style_weight))
        diagonal[:ROOT] *= options.root_weight
        hessian.flat[:: len(hessian) + 1] += diagonal
        rows = terms.jacobian[:count] @ basis
        error = terms.target_lower[:count] - terms.values[:count]
        if self.topology:
            linking = self.query.linking_jacobian(q) @ basis
            hessian, rows, error = self._with_topology(hessian, rows, error, linking)
        size, count = len(hessian), len(rows)
        system = np.zeros((size + count, size + count))
        system[:size, :size] = hessian
        system[:size, size:] = rows.T
        system[size:, :size] = rows
        below = np.arange(size, size + count)
        system[below, below] = -options.regularisation
        right = np.concatenate([self._pull(y), error])
        return np.asarray(np.linalg.solve(system, right), dtype=np.float64)[:size]

    def _with_topology(
        self, hessian: Floats, rows: Floats, error: Floats, linking: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """The system with the topology term, an energy: `linking` is J_gli of Eq. 4."""
        return hessian + self.options.topology_weight * (linking.T @ linking), rows, error

    def _pull(self, y: Floats) -> Floats:
        """The upper right side of Eq. 13: zero, so that the style term (Eq. 9) damps the step."""
        return np.zeros(len(y))

    def _result(
        self,
        q: Floats,
        targets: Sequence[Target],
        pins: Sequence[Pin | Hold],
        start: float,
    ) -> PoseResult:
        errors = np.array(self._rows.point_errors())
        frames = forward(self.actor.skeleton, self.actor.full_configuration(q))
        self._near.find(frames.positions, frames.rotations, 0.03)
        clearance = self._near.clearance
        met = bool((errors[: len(targets)] < self.options.target_tolerance_m).all())
        return PoseResult(
            q=q,
            status=Status.REACHED if met else Status.APPROACHING,
            target_error_m={t.joint: float(e) for t, e in zip(targets, errors, strict=False)},
            pin_error_m={
                p.joint: float(e) for p, e in zip(pins, errors[len(targets) :], strict=True)
            },
            milliseconds=1e3 * (time.perf_counter() - start),
            clearance_m=float(clearance.min()) if len(clearance) else None,
            violating_parts=self._near.parts_below(-SLACK_M),
            turn_error_rad=self._rows.turn_errors(),
        )
