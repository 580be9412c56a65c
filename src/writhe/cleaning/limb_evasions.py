"""Candidate displacements of a limb that move it out of the way: turned, straightened, at rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.collision import CollisionTable, NearPairs
from writhe.kernels.cleaning.detour_candidates import (
    EvasionSet,
    OverlapSearch,
    TrackCrossing,
    clear_evasions,
    crossing_posture,
    evasion_positions,
    make_evasion_set,
)
from writhe.skeleton import Figure, JointKind
from writhe.skeleton.limbs import ANKLES, LIMBS

_LIMBS = tuple(tuple(r for r in limb if not r.endswith("toe")) for limb in LIMBS.values())
_FEET = tuple((ankle,) for ankle in ANKLES)
_OPENINGS = (0.15, 0.35, 0.7, 1.0)  # fractions of the difference to the rest posture
_TURNS = (0.15, 0.3, 0.5, 0.75, 1.0, 1.5)  # rad about the first free joint of a limb
_UNBENT = (0.0, 0.5)  # fractions by which an elbow or knee is straightened
_OPENED_TURNS = (0.3, 0.6)  # rad, combined with these fractions towards the rest posture:
_OPENED = (0.7, 1.0)


def _evasion_table() -> Floats:
    """(evasions, 5): rotation vector, fraction straightened, fraction moved towards rest.

    The first row leaves the limb unchanged.
    """
    # along the axes of the joint and halfway between two of them, 18 in all
    axes = np.array([c for c in product((-1.0, 0.0, 1.0), repeat=3) if any(c) and not all(c)])
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    evasions = [[0.0, 0.0, 0.0, 0.0, opening] for opening in (0.0, *_OPENINGS)]
    for axis in axes.tolist():
        for turn, unbent in product(_TURNS, _UNBENT):
            evasions.append([*(turn * a for a in axis), unbent, 0.0])
        for turn, opening in product(_OPENED_TURNS, _OPENED):
            evasions.append([*(turn * a for a in axis), 0.0, opening])
    return np.array(evasions)


_EVASIONS = _evasion_table()


@dataclass(frozen=True)
class EvadingLimb:
    """An arm, a leg or a foot, or several of them, as index arrays."""

    joints: Ints  # (k,) the first joint of the limb and its descendants
    q_indices: Ints  # their indices in a configuration
    turn_dofs: Ints  # degrees of freedom of the first ball joint, three a limb
    mirror_signs: Floats  # factors of a turning axis that mirror right limbs onto left ones
    hinge_indices: Ints  # indices of its hinges in a configuration
    is_leg: bool  # a leg or foot, or a group with one
    is_foot: bool


class LimbEvasions:
    """All evasions of one limb or group of limbs, evaluated by kernels."""

    def __init__(self, table: CollisionTable, near: NearPairs, limb: EvadingLimb) -> None:
        self.limb, self._table = limb, table
        skeleton = table.skeleton
        nq, nv, n = skeleton.configuration_size, skeleton.dof_count, len(skeleton)
        mine, is_hinge = (
            np.zeros((len(_EVASIONS), nq), dtype=np.bool_),
            np.zeros(nq, dtype=np.bool_),
        )
        mine[:, limb.q_indices], is_hinge[limb.hinge_indices] = True, True
        turn = np.zeros((len(_EVASIONS), nv))
        turn[:, limb.turn_dofs] = (
            np.tile(_EVASIONS[:, :3], len(limb.turn_dofs) // 3) * limb.mirror_signs
        )
        self._evasions: EvasionSet = make_evasion_set(
            turn,
            np.ascontiguousarray(_EVASIONS[:, 3]),
            np.ascontiguousarray(_EVASIONS[:, 4]),
            mine,
            is_hinge,
            skeleton.rest_configuration,
        )
        self._search = OverlapSearch(
            table.shapes,
            table.bodies,
            table.pairs,
            np.empty(nq),
            np.empty((n, 3)),
            np.empty((n, 3, 3)),
            near.placed,
            near.out,
            near.last_normals,
            near.rows,
        )

    def positions(self, crossing: TrackCrossing) -> Floats:
        """(evasions, joints, 3) joint positions at a crossing, for every evasion."""
        tree = self._table.skeleton.tree
        out = np.empty((len(self._evasions.opening), len(self._table.skeleton), 3))
        rotations, q = self._search.rotations, self._search.q
        evasion_positions(tree, crossing, self._evasions, rotations, q, out)
        return out

    def clear(self, crossing: TrackCrossing, indices: Ints, slack_m: float) -> Bools:
        """(k,) whether the posture at a crossing is clear, for the evasions `indices` (k,)."""
        tree, out = self._table.skeleton.tree, np.empty(len(indices), dtype=np.bool_)
        clear_evasions(tree, self._search, crossing, self._evasions, indices, slack_m, out)
        return out

    def posture(self, crossing: TrackCrossing, index: int) -> Floats:
        """(nq,) the posture at a crossing with one evasion."""
        out = np.empty(self._table.skeleton.configuration_size)
        crossing_posture(self._table.skeleton.tree, crossing, self._evasions, index, out)
        return out


class EvadingLimbs:
    """The arms, legs and feet of a figure, in the groups that may evade."""

    def __init__(self, figure: Figure, table: CollisionTable) -> None:
        self._table, self._near = table, NearPairs(table)
        self._names = figure.skeleton.names
        roles = dict(figure.roles)
        self._limbs = [
            _limb(figure, [roles[role] for role in chain], chain[0])
            for chain in (*_LIMBS, *_FEET)
            if all(role in roles for role in chain)
        ]
        self._cache: dict[tuple[int, ...], LimbEvasions] = {}

    def evasion_groups(
        self, apart_m: Floats, min_m: float, between: tuple[str, str] | None = None
    ) -> Iterator[list[LimbEvasions]]:
        """Groups of limbs in the order in which their evasions are tried.

        First each arm, then both arms; then the legs and feet with a joint whose apart_m (joints,)
        exceeds min_m; then all together. Legs come before arms if neither of the two colliding
        parts `between` belongs to an arm.
        """
        single = [
            k
            for k, limb in enumerate(self._limbs)
            if not limb.is_leg or float(apart_m[limb.joints].max()) > min_m
        ]
        whole = [k for k in single if not self._limbs[k].is_foot]
        arms, legs = (
            [k for k in whole if self._limbs[k].is_leg is is_leg] for is_leg in (False, True)
        )
        for_arms = [[(k,) for k in arms], [tuple(arms)] if len(arms) > 1 else []]
        for_legs = [
            [(k,) for k in single if self._limbs[k].is_leg],
            [tuple(legs)] if len(legs) > 1 else [],
        ]
        names = {self._names[int(j)] for k in arms for j in self._limbs[k].joints}
        arms_first = between is None or not names.isdisjoint(between)
        rounds = [*for_arms, *for_legs] if arms_first else [*for_legs, *for_arms]
        if arms and legs:
            rounds.append([(*arms, *legs)])
        for groups in rounds:
            yield [self._evasions(group) for group in groups]

    def _evasions(self, group: tuple[int, ...]) -> LimbEvasions:
        if group not in self._cache:
            limb = _combined([self._limbs[k] for k in group])
            self._cache[group] = LimbEvasions(self._table, self._near, limb)
        return self._cache[group]


def _combined(limbs: list[EvadingLimb]) -> EvadingLimb:
    return EvadingLimb(
        np.concatenate([limb.joints for limb in limbs]),
        np.concatenate([limb.q_indices for limb in limbs]),
        np.concatenate([limb.turn_dofs for limb in limbs]),
        np.concatenate([limb.mirror_signs for limb in limbs]),
        np.concatenate([limb.hinge_indices for limb in limbs]),
        any(limb.is_leg for limb in limbs),
        any(limb.is_foot for limb in limbs),
    )


def _limb(figure: Figure, chain: list[str], role: str) -> EvadingLimb:
    skeleton, tree = figure.skeleton, figure.skeleton.tree
    first = skeleton.index(chain[0])
    stop = int(tree.subtree_end[first])
    kinds = {name: skeleton.joints[skeleton.index(name)].kind for name in chain}
    balls = [name for name, kind in kinds.items() if kind is JointKind.BALL]
    hinge_indices = [name for name, kind in kinds.items() if kind is JointKind.HINGE]
    turn_dofs = skeleton.v_slice(balls[1] if len(balls) > 2 else balls[0])
    return EvadingLimb(
        np.arange(first, stop),
        np.arange(int(tree.q_start[first]), int(tree.q_start[stop])),
        np.arange(int(turn_dofs.start), int(turn_dofs.stop)),
        np.array([1.0, 1.0, 1.0] if role.startswith("left") else [1.0, -1.0, -1.0]),
        np.array([skeleton.q_slice(name).start for name in hinge_indices], dtype=np.int64),
        role.endswith(("hip", "ankle")),
        len(chain) == 1,
    )
