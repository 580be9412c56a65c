"""All shapes of a skeleton or scene, compiled to the arrays that the collision kernels read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import groupby

import numpy as np

from writhe.arguments import check, checked
from writhe.arrays import Floats, Ints, lengths
from writhe.collision.bounding_capsules import bounding_capsule, is_sparse
from writhe.collision.certificate_slack import SLACK_M
from writhe.collision.contact_policy import (
    LEFT_OUT_M,
    ContactPolicy,
    PairRule,
    Reason,
)
from writhe.collision.shapes import Core, Shape, from_capsule, hull_directions
from writhe.errors import UnknownNameError, WritheError
from writhe.kernels.collision.shape_gaps import (
    Bodies,
    Pairs,
    PlacedShapes,
    Shapes,
    gap,
    place_shapes,
)
from writhe.kernels.skeleton.kinematics import FIXED, PRISMATIC
from writhe.skeleton import Figure, Skeleton, forward
from writhe.skeleton.fold_limits import FoldLimit
from writhe.skeleton.skeleton_distance import body_steps, path_to_root


class CollisionTable:
    """Shapes, rigid bodies and the pairs to test.

    A body holds the shapes of one part on one joint. If their bounding capsule is mostly empty (a
    chair's frame), each shape is a body of its own, so that fewer shape pairs need a close test.

    `shapes`, `bodies` and `pairs` are the kernels' arrays (see `kernels.collision.shape_gaps`);
    `part_names` names parts, `shape_parts` is the part of each shape, `rules` has one `PairRule`
    for each pair of parts, `folds` the fold limits of joints (parent and child are not tested).
    """

    @checked
    def __init__(
        self,
        skeleton: Skeleton,
        shapes: Iterable[Shape],
        policy: ContactPolicy | None = None,
        folds: Iterable[FoldLimit] = (),
    ) -> None:
        self.skeleton = skeleton
        self.folds = tuple(folds)
        self.policy = policy or ContactPolicy()
        given = list(shapes)
        check(given, list[Shape], "the shapes of a collision table")
        _check_extent(skeleton)
        self.part_names: tuple[str, ...] = tuple(dict.fromkeys(shape.part for shape in given))
        part_index = {name: i for i, name in enumerate(self.part_names)}
        # shapes of one body are consecutive; a half-space is a body of its own and comes last
        given.sort(
            key=lambda s: (
                s.core is Core.HALF_SPACE,
                part_index[s.part],
                skeleton.index(s.joint),
            )
        )
        self.source: tuple[Shape, ...] = tuple(given)
        self.shape_parts: tuple[int, ...] = tuple(part_index[s.part] for s in given)
        self.shapes = self._compile_shapes()
        self.bodies = self._compile_bodies()
        self.rules: tuple[PairRule, ...]
        self.pairs, self.rules = self._compile_pairs()

    @classmethod
    @checked
    def of_figure(cls, figure: Figure, policy: ContactPolicy | None = None) -> CollisionTable:
        """The table of the capsules of one figure."""
        shapes = [from_capsule(c) for c in figure.capsules]
        return cls(figure.skeleton, shapes, policy, figure.folds)

    @checked
    def with_policy(self, policy: ContactPolicy) -> CollisionTable:
        """The same shapes under another policy."""
        return CollisionTable(self.skeleton, self.source, policy, self.folds)

    def part_of_shape(self, shape: int) -> str:
        """The name of the part that a shape belongs to."""
        return self.part_names[self.shape_parts[shape]]

    @cached_property
    def shape_pairs(self) -> Ints:
        """(k, 3): body pair, shape a and shape b of each shape pair."""
        rows: list[tuple[int, int, int]] = []
        start = self.bodies.shape_start
        for p, (a, b) in enumerate(zip(self.pairs.a, self.pairs.b, strict=True)):
            rows += [
                (p, i, j)
                for i in range(start[a], start[a + 1])
                for j in range(start[b], start[b + 1])
            ]
        return np.array(rows, dtype=np.int64).reshape(-1, 3)

    @cached_property
    def longest_segment_m(self) -> float:
        """The length of the longest core that is a segment."""
        return max(
            (
                float(np.linalg.norm(s.points_in_joint[-1] - s.points_in_joint[0]))
                for s in self.source
                if s.core is Core.SEGMENT
            ),
            default=0.0,
        )

    def empty_placed_shapes(self) -> PlacedShapes:
        """Arrays for `shape_gaps.place_shapes` to fill."""
        return PlacedShapes(
            np.zeros_like(self.shapes.points),
            np.zeros_like(self.shapes.facets),
            np.zeros_like(self.shapes.edges),
            np.zeros_like(self.bodies.centre),
            np.zeros_like(self.bodies.axis_ends),
        )

    def initial_normals(self) -> Floats:
        """(k, 3) initial separating directions of shape pairs, to warm-start distance queries."""
        return np.tile(np.array([0.0, 1.0, 0.0]), (max(1, len(self.pairs.allowance)), 1))

    def _compile_shapes(self) -> Shapes:
        tree = self.skeleton.tree
        parts = [hull_directions(shape) for shape in self.source]
        for shape in self.source:
            if shape.core is not Core.HALF_SPACE:
                continue
            for j in self.skeleton.ancestors(shape.joint):
                if tree.kind[j] not in (FIXED, PRISMATIC):
                    raise WritheError(
                        f"the half-space {shape.part!r} is on a joint that can turn: use a fixed"
                        " joint or a box"
                    )
        body: list[int] = []
        groups = groupby(self.source, lambda s: (s.part, s.joint, s.core is Core.HALF_SPACE))
        for (_, _, boundless), group in groups:
            members = list(group)
            points, radii = [s.points_in_joint for s in members], [s.radius_m for s in members]
            alone = boundless or is_sparse(points, radii)
            first = body[-1] + 1 if body else 0
            body += [first + (i if alone else 0) for i in range(len(members))]
        return Shapes(
            joint=_ints(self.skeleton.index(s.joint) for s in self.source),
            core=_ints(int(s.core) for s in self.source),
            radius=np.array([s.radius_m for s in self.source], dtype=np.float64),
            body=_ints(body),
            point_start=_starts([len(p[0]) for p in parts]),
            points=_rows([p[0] for p in parts]),
            facet_start=_starts([len(p[1]) for p in parts]),
            facets=_rows([p[1] for p in parts]),
            edge_start=_starts([len(p[2]) for p in parts]),
            edges=_rows([p[2] for p in parts]),
        )

    def _compile_bodies(self) -> Bodies:
        shapes = self.shapes
        count = int(shapes.body[-1]) + 1 if len(shapes.body) else 0
        start = np.searchsorted(shapes.body, np.arange(count + 1)).astype(np.int64)
        reach = np.zeros(count)
        centre, ball = np.zeros((count, 3)), np.zeros(count)
        ends, radius = np.zeros((2 * count, 3)), np.zeros(count)
        for b in range(count):
            members = range(start[b], start[b + 1])
            points = np.concatenate([self._points(i) for i in members])
            radii = np.repeat(
                shapes.radius[start[b] : start[b + 1]], [len(self._points(i)) for i in members]
            )
            if shapes.core[start[b]] == Core.HALF_SPACE:
                ball[b] = radius[b] = np.inf
                continue
            reach[b] = np.linalg.norm(points, axis=1).max()
            ends[2 * b], ends[2 * b + 1], radius[b] = bounding_capsule(points, radii)
            centre[b] = 0.5 * (ends[2 * b] + ends[2 * b + 1])
            ball[b] = (np.linalg.norm(points - centre[b], axis=1) + radii).max()
        return Bodies(
            joint=shapes.joint[start[:-1]] if count else _ints([]),
            part=_ints(self.shape_parts[int(start[b])] for b in range(count)),
            shape_start=start,
            reach=reach,
            centre=centre,
            ball_radius=ball,
            axis_ends=ends,
            capsule_radius=radius,
        )

    def _points(self, shape: int) -> Floats:
        start = self.shapes.point_start
        return self.shapes.points[start[shape] : start[shape + 1]]

    def _compile_pairs(self) -> tuple[Pairs, tuple[PairRule, ...]]:
        """Body pairs with the allowances of their shape pairs, and the rule of every part pair."""
        bodies = self.bodies
        self._check_declared()
        parts = len(self.part_names)
        members = [np.flatnonzero(bodies.part == p) for p in range(parts)]
        steps = body_steps(self.skeleton.tree.parent, bodies.joint)
        can_move = self._can_move()
        rest = self._rest_gaps()
        radii = [self._radii(body) for body in range(len(bodies.joint))]
        finite = np.isfinite(bodies.ball_radius).tolist()
        columns: list[tuple[int, int, int]] = []
        allowance: list[Floats] = []
        deep: list[Floats] = []
        rules: list[PairRule] = []
        for a in range(parts):
            for b in range(a + 1, parts):
                names = self.part_names[a], self.part_names[b]
                if self.policy.ignores(*names):
                    rules.append(PairRule(*names, Reason.IGNORED, None))
                    continue
                apart = [(int(i), int(j)) for i in members[a] for j in members[b]]
                couples = [
                    (i, j) if finite[i] else (j, i)  # a half-space second
                    for i, j in apart
                    if steps[i, j] != 1 and (can_move[i] or can_move[j])
                ]
                couples = [c for c in couples if finite[c[0]]]
                if not couples:
                    related = any(steps[i, j] == 1 for i, j in apart)
                    reason = Reason.PARENT_CHILD if related else Reason.FIXED
                    rules.append(PairRule(*names, reason, None))
                    continue
                near = any(0 <= steps[c] <= self.policy.neighbour_steps for c in couples)
                gaps = [rest(*c) for c in couples] if near else []
                required, reason = self.policy.allowance(*names, gaps)
                capped, left_out, too_deep = False, 0, False
                for index, (body_a, body_b) in enumerate(couples):
                    half = 0.5 * np.minimum.outer(radii[body_a], radii[body_b]).ravel()
                    at_rest = gaps[index] if near else None
                    allowed, zone = self.policy.shape_allowances(required, half, at_rest)
                    half[zone] = LEFT_OUT_M
                    left_out += int(zone.sum())
                    capped = capped or bool((allowed < required).any())
                    if at_rest is not None:
                        too_deep = too_deep or bool((at_rest < -allowed - SLACK_M).any())
                    columns.append((body_a, body_b, self._ancestor(body_a, body_b)))
                    allowance.append(allowed)
                    deep.append(half)
                rules.append(PairRule(*names, reason, required, capped, left_out, too_deep))
        table = np.array(columns, dtype=np.int64).reshape(-1, 3)
        pairs = Pairs(
            a=np.ascontiguousarray(table[:, 0]),
            b=np.ascontiguousarray(table[:, 1]),
            ancestor=np.ascontiguousarray(table[:, 2]),
            first=_starts([len(d) for d in deep]),
            allowance=np.concatenate([*allowance, np.empty(0)]),
            deep=np.concatenate([*deep, np.empty(0)]),
        )
        return pairs, tuple(rules)

    def _can_move(self) -> list[bool]:
        tree = self.skeleton.tree
        return [
            any(tree.kind[j] != FIXED for j in path_to_root(tree.parent, int(joint)))
            for joint in self.bodies.joint
        ]

    def _rest_gaps(self) -> Callable[[int, int], Floats]:
        """A function that gives the gaps of all shapes of two bodies at rest, shape b fastest."""
        frames = forward(self.skeleton, self.skeleton.rest_configuration)
        placed, out = self.empty_placed_shapes(), np.empty(9)
        place_shapes(self.shapes, self.bodies, frames.positions, frames.rotations, placed)

        def gaps(a: int, b: int) -> Floats:
            return np.array(
                [
                    gap(self.shapes, placed, i, j, out)
                    for i in self._members(a)
                    for j in self._members(b)
                ]
            )

        return gaps

    def _members(self, body: int) -> range:
        return range(self.bodies.shape_start[body], self.bodies.shape_start[body + 1])

    def _radii(self, body: int) -> Floats:
        rows = slice(self.bodies.shape_start[body], self.bodies.shape_start[body + 1])
        radii = self.shapes.radius[rows].copy()
        radii[self.shapes.core[rows] == Core.HALF_SPACE] = np.inf
        return radii

    def _ancestor(self, body_a: int, body_b: int) -> int:
        parent, joint = self.skeleton.tree.parent, self.bodies.joint
        above = set(path_to_root(parent, int(joint[body_a])))
        return next((j for j in path_to_root(parent, int(joint[body_b])) if j in above), -1)

    def _check_declared(self) -> None:
        for pair in self.policy.declared_m:
            for name in pair:
                if name not in self.part_names:
                    raise UnknownNameError("part", name, list(self.part_names))


def _check_extent(skeleton: Skeleton) -> None:
    """Raise if a chain of joints is so long that rounding would count."""
    tree, reach = skeleton.tree, np.zeros(len(skeleton))
    for j, parent in enumerate(tree.parent):
        reach[j] = np.linalg.norm(tree.offset[j]) + (reach[parent] if parent >= 0 else 0.0)
    lengths(reach, (None,), "a joint of the skeleton")


def _ints(values: Iterable[int]) -> Ints:
    return np.array(list(values), dtype=np.int64)


def _starts(counts: Sequence[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _rows(parts: list[Floats]) -> Floats:
    return np.ascontiguousarray(np.concatenate([*parts, np.empty((0, 3))]))
