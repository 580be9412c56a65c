"""Limbs that make way: which groups of them, and the ways in which each can."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.collision import CollisionTable, NearPairs
from writhe.kernels.planning.detour_candidates import (
    Asides,
    Crossing,
    clear_asides,
    cross_aside,
    make_asides,
    place_asides,
)
from writhe.skeleton import Figure, JointKind

_LIMBS = (
    ("left_clavicle", "left_shoulder", "left_elbow", "left_wrist"),
    ("right_clavicle", "right_shoulder", "right_elbow", "right_wrist"),
    ("left_hip", "left_knee", "left_ankle"),
    ("right_hip", "right_knee", "right_ankle"),
)
_FEET = (("left_ankle",), ("right_ankle",))
_OPENINGS = (0.15, 0.35, 0.7, 1.0)  # how far a limb is led towards the rest posture
_TURNS = (0.15, 0.3, 0.5, 0.75, 1.0, 1.5)  # rad that a limb is turned aside
_UNBENT = (0.0, 0.5)  # share of its bend that an elbow or knee loses on the way
_OPENED_TURNS = (0.3, 0.6)  # rad that a limb is turned besides, led this far towards the rest:
_OPENED = (0.7, 1.0)


def _ways() -> Floats:
    """(ways, 5): how a limb makes way: turn (rotation vector), share unbent, share opened.

    The first is not to make way at all.
    """
    # along the axes of the joint and halfway between two of them, 18 in all
    axes = np.array([c for c in product((-1.0, 0.0, 1.0), repeat=3) if any(c) and not all(c)])
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    ways = [[0.0, 0.0, 0.0, 0.0, opening] for opening in (0.0, *_OPENINGS)]
    for axis in axes.tolist():
        for turn, unbent in product(_TURNS, _UNBENT):
            ways.append([*(turn * a for a in axis), unbent, 0.0])
        for turn, opening in product(_OPENED_TURNS, _OPENED):
            ways.append([*(turn * a for a in axis), 0.0, opening])
    return np.array(ways)


_WAYS = _ways()


@dataclass(frozen=True)
class Limb:
    """An arm, a leg or a foot, or several of them."""

    joints: Ints  # (k,) the joint it hangs on and all that follow
    numbers: Ints  # where they stand in a configuration
    turning: Ints  # degrees of freedom of its first joint that turns freely, three a limb
    mirror: Floats  # what an axis of turning is multiplied by: sides turn as in a mirror
    hinges: Ints  # where its hinges stand in a configuration
    leg: bool  # or a foot, or has one among several
    foot: bool


class LimbAsides:
    """The ways in which one limb, or a group of them, can make way."""

    def __init__(self, table: CollisionTable, near: NearPairs, limb: Limb) -> None:
        self.limb, self._table, self._near = limb, table, near
        skeleton = table.skeleton
        nq, nv, n = skeleton.configuration_size, skeleton.dof_count, len(skeleton)
        mine, bending = np.zeros((len(_WAYS), nq), dtype=np.bool_), np.zeros(nq, dtype=np.bool_)
        mine[:, limb.numbers], bending[limb.hinges] = True, True
        turn = np.zeros((len(_WAYS), nv))
        turn[:, limb.turning] = np.tile(_WAYS[:, :3], len(limb.turning) // 3) * limb.mirror
        self._asides: Asides = make_asides(
            turn,
            np.ascontiguousarray(_WAYS[:, 3]),
            np.ascontiguousarray(_WAYS[:, 4]),
            mine,
            bending,
            skeleton.rest_configuration,
        )
        self._q, self._positions, self._rotations = (
            np.empty(nq),
            np.empty((n, 3)),
            np.empty((n, 3, 3)),
        )

    def places(self, crossing: Crossing) -> Floats:
        """(ways, joints, 3) at a crossing with the limb aside, each way."""
        tree = self._table.skeleton.tree
        out = np.empty((len(self._asides.opening), len(self._table.skeleton), 3))
        place_asides(tree, crossing, self._asides, self._rotations, self._q, out)
        return out

    def clear(self, crossing: Crossing, ways: Ints, slack_m: float) -> Bools:
        """Whether a crossing with the limb aside in each of these ways is clear."""
        table, near, out = self._table, self._near, np.empty(len(ways), dtype=np.bool_)
        clear_asides(
            table.skeleton.tree,
            table.shapes,
            table.bodies,
            table.pairs,
            crossing,
            self._asides,
            ways,
            slack_m,
            self._q,
            self._positions,
            self._rotations,
            near.placed,
            near.out,
            near.apart_along,
            near.rows,
            out,
        )
        return out

    def posture(self, crossing: Crossing, way: int) -> Floats:
        """The posture at a crossing with the limb aside in one way."""
        out = np.empty(self._table.skeleton.configuration_size)
        cross_aside(self._table.skeleton.tree, crossing, self._asides, way, out)
        return out


class Limbs:
    """The arms and legs of a figure, and how they make way."""

    def __init__(self, figure: Figure, table: CollisionTable) -> None:
        self._table, self._near = table, NearPairs(table)
        self._names = figure.skeleton.names
        roles = dict(figure.roles)
        self._limbs = [
            _limb(figure, [roles[role] for role in chain], chain[0])
            for chain in (*_LIMBS, *_FEET)
            if all(role in roles for role in chain)
        ]
        self._known: dict[tuple[int, ...], LimbAsides] = {}

    def making_way(
        self, apart_m: Floats, least_m: float, between: tuple[str, str] | None = None
    ) -> Iterator[list[LimbAsides]]:
        """Limbs that may make way where joints are apart_m (joints,) from their places.

        First each arm, then both; then legs and feet that are farther apart than
        least_m; then all of them.
        Legs come first where neither of the parts `between` which there is no way is on an arm.
        """
        single = [
            k
            for k, limb in enumerate(self._limbs)
            if not limb.leg or float(apart_m[limb.joints].max()) > least_m
        ]
        whole = [k for k in single if not self._limbs[k].foot]
        arms, legs = ([k for k in whole if self._limbs[k].leg is leg] for leg in (False, True))
        for_arms = [[(k,) for k in arms], [tuple(arms)] if len(arms) > 1 else []]
        for_legs = [
            [(k,) for k in single if self._limbs[k].leg],
            [tuple(legs)] if len(legs) > 1 else [],
        ]
        names = {self._names[j] for k in arms for j in self._limbs[k].joints}
        arms_first = between is None or not names.isdisjoint(between)
        rounds = [*for_arms, *for_legs] if arms_first else [*for_legs, *for_arms]
        if arms and legs:
            rounds.append([(*arms, *legs)])
        for groups in rounds:
            yield [self._asides(group) for group in groups]

    def _asides(self, group: tuple[int, ...]) -> LimbAsides:
        if group not in self._known:
            limb = _together([self._limbs[k] for k in group])
            self._known[group] = LimbAsides(self._table, self._near, limb)
        return self._known[group]


def _together(limbs: list[Limb]) -> Limb:
    return Limb(
        np.concatenate([limb.joints for limb in limbs]),
        np.concatenate([limb.numbers for limb in limbs]),
        np.concatenate([limb.turning for limb in limbs]),
        np.concatenate([limb.mirror for limb in limbs]),
        np.concatenate([limb.hinges for limb in limbs]),
        any(limb.leg for limb in limbs),
        any(limb.foot for limb in limbs),
    )


def _limb(figure: Figure, chain: list[str], role: str) -> Limb:
    skeleton, tree = figure.skeleton, figure.skeleton.tree
    first = skeleton.index(chain[0])
    joints = np.arange(first, int(tree.subtree_end[first]))
    kinds = {name: skeleton.joints[skeleton.index(name)].kind for name in chain}
    balls = [name for name, kind in kinds.items() if kind is JointKind.BALL]
    hinges = [name for name, kind in kinds.items() if kind is JointKind.HINGE]
    turning = skeleton.v_slice(balls[1] if len(balls) > 2 else balls[0])
    return Limb(
        joints,
        np.arange(int(tree.q_start[first]), int(tree.q_start[joints[-1] + 1])),
        np.arange(turning.start, turning.stop),
        np.array([1.0, 1.0, 1.0] if role.startswith("left") else [1.0, -1.0, -1.0]),
        np.array([skeleton.q_slice(name).start for name in hinges], dtype=np.int64),
        role.endswith(("hip", "ankle")),
        len(chain) == 1,
    )
