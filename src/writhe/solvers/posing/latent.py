"""The two published posers, which search a local latent space: `paper` and `local-pca`.

Both take the K postures of the database nearest to the current one, reduce them by PCA to a latent
space of Euler angles, and move in it by the linear system of Eq. 13 of "Topology aware data-driven
inverse kinematics", three times a frame:

    [ M^T M  H^T ] [ dl     ]   [ 0 ]
    [ H      0   ] [ lambda ] = [ h ]

with M^T M = w_t J_gli^T J_gli + w_m J_pos^T J_pos + w_s I and the positional constraints H dl = h.
`paper` picks neighbours near in linking first and keeps the topology term; `local-pca` (Chai and
Hodgins 2005, as that paper compares with it) picks them by joint angles and has no such term.

Where the text leaves something open or cannot work as printed:
- root translation and heading are not in the normalised postures, so they are variables of their
  own beside the latent ones, at the same weight;
- Jacobians are analytic, not by finite differences;
- constraints that contradict each other make Eq. 13 singular: 1e-6 is taken off its lower diagonal;
- "topologically similar" is a linking vector within `linking_radius`, grown until K are found;
- Euler angles are YXZ, so that the first angle of the root is the heading.
Neither is gated.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.collision import CollisionTable, NearPairs
from writhe.database import PostureDatabase, posture_features
from writhe.database.posture import normalise
from writhe.skeleton import Figure
from writhe.solvers.chart import AffineChart, EulerChart
from writhe.solvers.posing.handles import Pin, Target
from writhe.solvers.posing.poser import PoseResult
from writhe.solvers.result import Status
from writhe.terms import CompiledTerms, reach
from writhe.topology import body_bundle

EULER_ORDER = "YXZ"
_ROOT = 4  # translation and heading


@dataclass(frozen=True, slots=True)
class LatentOptions:
    """The published parameters."""

    neighbours: int = 50
    dimensions: int = 30
    topology_weight: float = 1.0
    continuity_weight: float = 0.2
    style_weight: float = 1.0
    iterations: int = 3
    linking_radius: float = 0.25
    met_m: float = 0.005


class LatentPoser:
    """Optimisation in the local latent space of neighbouring postures."""

    def __init__(
        self,
        name: str,
        database: PostureDatabase,
        options: LatentOptions | None = None,
        *,
        topology: bool = True,
        table: CollisionTable | None = None,
    ) -> None:
        self.name = name
        self.database = database
        self.figure: Figure = database.figure
        self.options = options or LatentOptions()
        self.topology = topology
        skeleton = self.figure.skeleton
        self._euler = EulerChart(skeleton, EULER_ORDER)
        self._angles = np.array([self._euler.coordinates(q) for q in database.q])
        self._bundle = body_bundle(self.figure)
        self.table = table or CollisionTable.of_figure(self.figure)
        self._near = NearPairs(self.table)
        self._terms: CompiledTerms | None = None
        self._shape: tuple[object, ...] = ()

    def step(self, q: Floats, targets: Sequence[Target], pins: Sequence[Pin] = ()) -> PoseResult:
        """The next configuration from q, as published: projected, then three solves."""
        start = time.perf_counter()
        options = self.options
        terms = self._prepare(targets, pins)
        count = 3 * (len(targets) + len(pins))
        chart = self._latent_space(q)
        own = self._euler.coordinates(q)
        y = chart.axes.T @ _near_turns(own - chart.mean)  # the hard projection of the method
        for _ in range(options.iterations):
            current = chart.configuration(y)
            terms.update(current)
            basis = chart.basis(y)
            step = self._solve(terms, basis, current, count)
            y = y + step
            if float(np.abs(step).max()) < 1e-6:
                break
        q = chart.configuration(y)
        terms.update(q)
        return self._result(q, terms, targets, pins, start)

    def _latent_space(self, q: Floats) -> AffineChart:
        """PCA of the neighbours' Euler angles; the root's place and heading are free."""
        options, skeleton = self.options, self.figure.skeleton
        features = posture_features(skeleton, normalise(skeleton, q))[0]
        radius = options.linking_radius if self.topology else 1e9
        numbers, _ = self.database.search.query(
            features, self._bundle.linking(q), options.neighbours, radius
        )
        samples = self._angles[numbers]
        mean = samples.mean(axis=0)
        centred = samples - mean
        centred[:, :_ROOT] = 0.0
        # PCA through the K x K Gram matrix: K is smaller than or close to the posture's size
        values, vectors = np.linalg.eigh(centred @ centred.T)
        keep = max(1, min(options.dimensions, int((values > 1e-10).sum())))
        top = vectors[:, ::-1][:, :keep]
        axes = centred.T @ (top / np.sqrt(np.maximum(values[::-1][:keep], 1e-12)))
        full = np.zeros((len(mean), _ROOT + keep))
        full[:_ROOT, :_ROOT] = np.eye(_ROOT)
        full[:, _ROOT:] = axes
        mean[:_ROOT] = 0.0
        return AffineChart(self._euler, mean, full)

    def _solve(self, terms: CompiledTerms, basis: Floats, q: Floats, count: int) -> Floats:
        """dl of Eq. 13."""
        options = self.options
        positions = (terms.jacobian[count:] @ basis) * np.sqrt(options.continuity_weight)
        left = positions.T @ positions
        left.flat[:: len(left) + 1] += options.style_weight
        if self.topology:
            _, slope = self._bundle.linking_with_jacobian(q)
            linking = slope @ basis
            left += options.topology_weight * (linking.T @ linking)
        rows = terms.jacobian[:count] @ basis
        wanted = terms.wanted_lower[:count] - terms.values[:count]
        size = len(left)
        system = np.zeros((size + count, size + count))
        system[:size, :size] = left
        system[:size, size:] = rows.T
        system[size:, :size] = rows
        system[np.arange(size, size + count), np.arange(size, size + count)] = -1e-6
        right = np.concatenate([np.zeros(size), wanted])
        return np.asarray(np.linalg.solve(system, right), dtype=np.float64)[:size]

    def _prepare(self, targets: Sequence[Target], pins: Sequence[Pin]) -> CompiledTerms:
        handles = (*targets, *pins)
        shape = tuple((h.joint, h.point_in_joint) for h in handles)
        if self._terms is None or shape != self._shape:
            skeleton = self.figure.skeleton
            held = [
                reach(h.joint, h.position_in_world, point_in_joint=h.point_in_joint)
                for h in handles
            ]
            everyone = [reach(name, np.zeros(3)) for name in skeleton.names]
            self._terms = CompiledTerms(skeleton, [*held, *everyone])
            self._shape = shape
        for i, handle in enumerate(handles):
            self._terms.wanted_lower[3 * i : 3 * i + 3] = handle.position_in_world
        return self._terms

    def _result(
        self,
        q: Floats,
        terms: CompiledTerms,
        targets: Sequence[Target],
        pins: Sequence[Pin],
        start: float,
    ) -> PoseResult:
        count = len(targets) + len(pins)
        outside = (terms.values - terms.wanted_lower)[: 3 * count].reshape(count, 3)
        errors = np.linalg.norm(outside, axis=1)
        self._near.find(terms.positions, terms.rotations, 0.03)
        rows, found = self._near.rows, self._near.count
        clearance = rows.gap[:found] + rows.allowance[:found]
        parts = {
            self.table.part_of_shape(int(shape))
            for i in np.flatnonzero(clearance < -0.001)
            for shape in rows.shapes[i]
        }
        met = bool((errors[: len(targets)] < self.options.met_m).all())
        return PoseResult(
            q=q,
            status=Status.REACHED if met else Status.APPROACHING,
            target_error_m={t.joint: float(e) for t, e in zip(targets, errors, strict=False)},
            pin_error_m={
                p.joint: float(e) for p, e in zip(pins, errors[len(targets) :], strict=True)
            },
            milliseconds=1e3 * (time.perf_counter() - start),
            clearance_m=float(clearance.min()) if found else None,
            touching_parts=tuple(sorted(parts)),
        )


def _near_turns(difference: Floats) -> Floats:
    """Angles brought within half a turn."""
    return (difference + np.pi) % (2.0 * np.pi) - np.pi
