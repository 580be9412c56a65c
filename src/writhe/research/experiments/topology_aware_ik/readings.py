"""Other readings of the published method, for the search for what makes it collide."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.database import PostureDatabase
from writhe.skeleton.quaternions import wrapped_angles
from writhe.solvers.chart import AffineChart
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.solvers.posing.alternatives.latent_posers import ROOT, LatentOptions, LatentPoser


@dataclass(frozen=True)
class Reading:
    """How the text is read where it is open; the defaults are those of `paper`."""

    euler_neighbours: bool = False  # the nearest in Euler angles, as 5.1 says
    unwrapped: bool = False  # the neighbours' Euler angles within half a turn of the current ones
    nearest_linking: int | None = None  # so many by linking first, instead of all within a radius
    to_centre: bool = False  # the style term pulls to the centre of the latent space (6.1)
    with_residual: bool = False  # the current posture keeps what the latent space does not have
    linking_space: bool = (
        False  # the latent space by PCA of the linking vectors (5.1 argues against)
    )
    linking_constraint: bool = False  # the topology term as a constraint (6.1 argues against)


class ReadingPoser(LatentPoser):
    """`paper`, or without `topology` its baseline, in another reading."""

    def __init__(
        self,
        database: PostureDatabase,
        options: LatentOptions | None,
        reading: Reading,
        *,
        topology: bool = True,
        actor: ActorInScene | None = None,
    ) -> None:
        name = "paper" if topology else "local-pca"
        super().__init__(name, database, options, topology=topology, actor=actor)
        self.reading = reading
        self._linking = self.query.database.all_linking
        self._of_neighbours = self._linking[:0]  # linking vectors of the last frame's neighbours

    def _latent_space(self, q: Floats) -> AffineChart:
        chart = super()._latent_space(q)
        if not self.reading.with_residual:
            return chart
        away = wrapped_angles(self._euler.coordinates(q) - chart.mean)
        return replace(chart, mean=chart.mean + away - chart.axes @ (chart.axes.T @ away))

    def _neighbours(self, q: Floats) -> Ints:
        reading, count = self.reading, self.options.neighbours
        if reading.nearest_linking is None and not reading.euler_neighbours:
            found = super()._neighbours(q)
        else:
            apart = np.linalg.norm(self._linking - self.query.linking(q), axis=1)
            if reading.nearest_linking is not None:
                near = np.argsort(apart, kind="stable")[: reading.nearest_linking]
            else:
                radius = self.options.linking_radius if self.topology else np.inf
                while (near := np.flatnonzero(apart <= radius)).size < count:
                    radius *= 2.0
            away = self._angles[near, ROOT:] - self._euler.coordinates(q)[ROOT:]
            if not reading.euler_neighbours:
                away = wrapped_angles(away)
            order = np.argsort(np.linalg.norm(away, axis=1), kind="stable")
            found = near[order[:count]]
        self._of_neighbours = self._linking[found]
        return found

    def _samples(self, q: Floats, neighbours: Ints) -> Floats:
        samples = super()._samples(q, neighbours)
        if not self.reading.unwrapped:
            return samples
        now = self._euler.coordinates(q)
        return now + wrapped_angles(samples - now)

    def _principal_axes(self, centred: Floats) -> Floats:
        if not self.reading.linking_space:
            return super()._principal_axes(centred)
        linking = self._of_neighbours - self._of_neighbours.mean(axis=0)
        left, values, _ = np.linalg.svd(linking, full_matrices=False)
        moves = centred.T @ left[:, values > 1e-6]  # of the angles, along the components
        return np.linalg.qr(moves)[0]

    def _with_topology(
        self, hessian: Floats, rows: Floats, error: Floats, linking: Floats
    ) -> tuple[Floats, Floats, Floats]:
        if not self.reading.linking_constraint:
            return super()._with_topology(hessian, rows, error, linking)
        kept = np.zeros(len(linking))
        return hessian, np.concatenate([rows, linking]), np.concatenate([error, kept])

    def _pull(self, y: Floats) -> Floats:
        pull = super()._pull(y)
        if self.reading.to_centre:
            pull[ROOT:] = -self.options.style_weight * y[ROOT:]
        return pull
