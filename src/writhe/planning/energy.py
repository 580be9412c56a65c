"""The repulsive energy of the paper's Eqs. 1 and 2 over all shapes of a figure or scene."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from writhe.arguments import check_fields
from writhe.arrays import Bools, Floats
from writhe.collision import CollisionTable, NearPairs
from writhe.collision.bounding_capsules import bounding_capsule
from writhe.collision.contact_policy import LEFT_OUT_M
from writhe.collision.shapes import Core
from writhe.errors import UnknownNameError, WritheError
from writhe.kernels.collision.segment_distance import POINT2
from writhe.kernels.planning import repulsive_energy as kernels
from writhe.kernels.planning.bound_energy import BoundField, bound_energies, bound_energy_gradient
from writhe.skeleton import forward
from writhe.skeleton.skeleton_distance import path_to_root

REST_M = 0.10  # pairs nearer than this in the rest pose have a reduced weight
NEIGHBOUR_M = 0.005  # smallest rest clearance used for that weight


@dataclass(frozen=True)
class EnergyOptions:
    """Fall-off exponents of the energy, and weights of pairs of parts.

    `falloff` is the paper's d between parts of one body: 2 spreads all parts, 5 moves only the
    nearest ones apart. `external_falloff` applies between a body and other bodies or objects.
    `weights` multiplies pairs of parts; a pair with weight 0 is only checked by the certificate.
    `rest_weights` reduces the weight of pairs that are near in the rest pose; the paper does not.
    """

    falloff: int = 5
    external_falloff: int = 2
    weights: Mapping[tuple[str, str], float] = field(default_factory=dict[tuple[str, str], float])
    rest_weights: bool = True

    def __post_init__(self) -> None:
        check_fields(self)
        if not (1 <= self.falloff <= 12 and 1 <= self.external_falloff <= 12):
            raise WritheError(
                f"falloff and external_falloff must be 1 to 12, not {self.falloff} and"
                f" {self.external_falloff}"
            )


class Energy:
    """The energy E and its gradient for one collision table; keeps its arrays between calls."""

    def __init__(
        self,
        table: CollisionTable,
        options: EnergyOptions | None = None,
        variable: Bools | None = None,
    ) -> None:
        self.table = table
        self.options = options or EnergyOptions()
        self.field = _compile(table, self.options, variable)
        self.workspace = energy_workspace(table, self.field)
        self._bound = BoundField(
            table.skeleton.tree, table.shapes, table.bodies, self.field, self.workspace
        )

    def value(self, q: Floats) -> float:
        """E at one configuration."""
        return self.value_and_gradient(q)[0]

    def value_and_gradient(self, q: Floats) -> tuple[float, Floats]:
        """E and its gradient by the tangent step (nv)."""
        gradient = np.empty(self.table.skeleton.dof_count)
        state = np.ascontiguousarray(q, dtype=np.float64)
        return bound_energy_gradient(self._bound, state, gradient), gradient

    def clearance(self, q: Floats) -> float:
        """The smallest clearance of all pairs that the energy counts."""
        self.value_and_gradient(q)
        return float(self.workspace.min_clearance[0])

    def along(self, q: Floats) -> Floats:
        """(frames,) E of each configuration."""
        rows = np.ascontiguousarray(np.atleast_2d(q), dtype=np.float64)
        out = np.empty(len(rows))
        bound_energies(self._bound, rows, np.empty(self.table.skeleton.dof_count), out)
        return out


def _compile(
    table: CollisionTable, options: EnergyOptions, variable: Bools | None
) -> kernels.RepulsiveField:
    """Links (bounding capsules of joints), their pairs and weights as kernel arrays."""
    shapes = table.shapes
    boundless = shapes.core == Core.HALF_SPACE
    # one link per joint; a half-space is a link of its own
    keys = [(int(j), i if boundless[i] else -1) for i, j in enumerate(shapes.joint)]
    links = list(dict.fromkeys(keys))
    link_of = np.array([links.index(key) for key in keys], dtype=np.int64)
    ends, radius = np.zeros((2 * len(links), 3)), np.full(len(links), np.inf)
    for link in range(len(links)):
        members = np.flatnonzero(link_of == link)
        if boundless[members[0]]:
            continue
        points = [shapes.points[shapes.point_start[i] : shapes.point_start[i + 1]] for i in members]
        radii = np.repeat(shapes.radius[members], [len(p) for p in points])
        ends[2 * link], ends[2 * link + 1], radius[link] = bounding_capsule(
            np.concatenate(points), radii
        )
    grouped: dict[tuple[int, int], list[int]] = {}
    for k, (_, i, j) in enumerate(table.shape_pairs):
        if table.pairs.allowance[k] < 0.5 * LEFT_OUT_M:
            grouped.setdefault((int(link_of[i]), int(link_of[j])), []).append(k)
    pairs = list(grouped)
    rows = np.array([k for pair in pairs for k in grouped[pair]], dtype=np.int64)
    first = np.concatenate([[0], np.cumsum([len(grouped[pair]) for pair in pairs])])
    roots = [path_to_root(table.skeleton.tree.parent, joint)[-1] for joint, _ in links]
    same_actor = np.array([roots[a] == roots[b] for a, b in pairs], dtype=np.bool_)
    falloff = np.where(same_actor, options.falloff, options.external_falloff).astype(np.int64)
    weight = _weights(table, options, rows, first, same_actor, falloff)
    if not weight.all():
        kept = np.flatnonzero(weight)
        rows = np.concatenate([rows[first[p] : first[p + 1]] for p in kept] or [rows[:0]])
        first = np.concatenate([[0], np.cumsum(np.diff(first)[kept])])
        pairs, falloff, weight = [pairs[p] for p in kept], falloff[kept], weight[kept]
    allowance = table.pairs.allowance[rows]
    simple = (shapes.core[table.shape_pairs[rows, 1:]] == Core.SEGMENT).all(axis=1)
    spans = list(pairwise(first))
    square = ((ends[1::2] - ends[::2]) ** 2).sum(axis=1) + POINT2
    nv = table.skeleton.dof_count
    return kernels.RepulsiveField(
        joint=np.array([joint for joint, _ in links], dtype=np.int64),
        ends=ends,
        radius=radius,
        square=square,
        inverse=1.0 / square,
        a=np.array([a for a, _ in pairs], dtype=np.int64),
        b=np.array([b for _, b in pairs], dtype=np.int64),
        weight=weight,
        falloff=falloff,
        offset=np.array([allowance[s:e].max() for s, e in spans]),
        first=first.astype(np.int64),
        shape_a=np.ascontiguousarray(table.shape_pairs[rows, 1]),
        shape_b=np.ascontiguousarray(table.shape_pairs[rows, 2]),
        allowance=allowance,
        segment_cores=np.array([simple[s:e].all() for s, e in spans], dtype=np.int64),
        all_segments=int((shapes.core == Core.SEGMENT).all()),
        variable=np.ones(nv) if variable is None else variable.astype(np.float64),
    )


def _weights(
    table: CollisionTable,
    options: EnergyOptions,
    rows: np.ndarray,
    first: np.ndarray,
    same_actor: Bools,
    falloff: np.ndarray,
) -> Floats:
    """(m,) pair weights, by which pairs nearer than `REST_M` at rest contribute as if that far
    apart.

    Neighbours on the skeleton almost touch; without this they would dominate the energy.
    """
    frames = forward(table.skeleton, table.skeleton.rest_configuration)
    near = NearPairs(table)
    near.find(frames.positions, frames.rotations, REST_M)
    rest = np.full(len(table.pairs.allowance), np.inf)
    listed = near.rows.shape_pair[: near.count]
    rest[listed] = near.clearance
    weight = np.ones(len(first) - 1)
    for name in {name for pair in options.weights for name in pair}:
        if name not in table.part_names:
            raise UnknownNameError("part", name, list(table.part_names))
    given = {frozenset(pair): factor for pair, factor in options.weights.items()}
    for p in range(len(weight)):
        at = rows[first[p] : first[p + 1]]
        clearance = float(rest[at].min())
        if options.rest_weights and same_actor[p] and clearance < REST_M:
            weight[p] = (max(clearance, NEIGHBOUR_M) / REST_M) ** float(falloff[p])
        parts = {
            frozenset((table.part_of_shape(int(i)), table.part_of_shape(int(j))))
            for _, i, j in table.shape_pairs[at]
        }
        for pair in parts & given.keys():
            weight[p] *= given[pair]
    return weight


def energy_workspace(
    table: CollisionTable, links: kernels.RepulsiveField
) -> kernels.EnergyWorkspace:
    """The energy kernel's workspace for one table."""
    n, nv, m = len(table.skeleton), table.skeleton.dof_count, len(links.a)
    return kernels.EnergyWorkspace(
        positions=np.zeros((n, 3)),
        rotations=np.zeros((n, 3, 3)),
        axes=np.zeros((nv, 3)),
        placed=table.empty_placed_shapes(),
        ends=np.zeros_like(links.ends),
        along=np.zeros((len(links.joint), 3)),
        force=np.zeros((n, 3)),
        moment=np.zeros((n, 3)),
        clearance=np.zeros(m),
        axis_parameters=np.zeros((2, m)),
        push=np.zeros(m),
        near=np.zeros(m, dtype=np.int64),
        blend=np.zeros((m, 2)),
        witness=np.zeros((max(m, 1), 9)),
        out=np.zeros(9),
        min_clearance=np.zeros(1),
    )
