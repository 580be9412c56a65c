"""Candidate detours for cleaning: limbs moved aside, and which candidates do not penetrate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.kernels.collision.near_pairs import NearPairRows, near_pairs
from writhe.kernels.collision.shape_gaps import Bodies, Pairs, PlacedShapes, Shapes
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import Tree, forward, integrate, interpolate


class EvasionSet(NamedTuple):
    """m evasions of limbs: blended towards the rest posture, hinges straightened, then rotated."""

    turn: Floats  # (m, nv) tangent step
    straighten: Floats  # (m,) fraction by which hinge angles are reduced
    opening: Floats  # (m,) fraction of the interpolation to the rest posture
    limb: Bools  # (m, nq) entries of q that belong to the limbs
    hinge: Bools  # (nq,) entries of q that are hinge angles
    rest: Floats  # (nq,)
    step: Floats  # (nv,) workspace
    opened: Floats  # (nq,) workspace
    before: Floats  # (nq,) workspace
    after: Floats  # (nq,) workspace


class TrackCrossing(NamedTuple):
    """A blend from one motion (track) to another, with an evasion applied to both."""

    before: Floats  # (nq,) on the first track
    after: Floats  # (nq,) on the second
    change: float  # interpolation parameter from the first to the second, in [0, 1]
    evasion: float  # fraction of the evasion that is applied, in [0, 1]


class OverlapSearch(NamedTuple):
    """The shapes of a body of n joints, and the workspace in which overlaps are found."""

    shapes: Shapes
    bodies: Bodies
    pairs: Pairs
    q: Floats  # (nq,)
    positions: Floats  # (n, 3)
    rotations: Floats  # (n, 3, 3)
    placed: PlacedShapes
    out: Floats  # (9,), as the following, see `near_pairs`
    last_normals: Floats  # (k, 3)
    near: NearPairRows


@kernel
def apply_evasion(
    tree: Tree, q: Floats, fraction: float, evasions: EvasionSet, k: int, out: Floats
) -> None:
    """out (nq): the posture q (nq) with a fraction of evasion k applied to its limbs.

        out = (interpolate(q, rest, fraction opening_k), hinges scaled by 1 - fraction straighten_k)
              + fraction turn_k,

    for the entries of the limbs; the others stay.
    """
    for i in range(evasions.step.shape[0]):
        evasions.step[i] = fraction * evasions.turn[k, i]
    interpolate(tree, q, evasions.rest, fraction * evasions.opening[k], evasions.opened)
    for i in range(out.shape[0]):
        if not evasions.limb[k, i]:
            evasions.opened[i] = q[i]
        elif evasions.hinge[i]:
            evasions.opened[i] *= 1.0 - fraction * evasions.straighten[k]
    integrate(tree, evasions.opened, evasions.step, out)


@kernel
def crossing_posture(
    tree: Tree, crossing: TrackCrossing, evasions: EvasionSet, k: int, out: Floats
) -> None:
    """out (nq): the posture at a crossing with evasion k applied to both tracks before blending.

    The two tracks are closer to each other once their limbs evade.
    """
    apply_evasion(tree, crossing.before, crossing.evasion, evasions, k, evasions.before)
    apply_evasion(tree, crossing.after, crossing.evasion, evasions, k, evasions.after)
    interpolate(tree, evasions.before, evasions.after, crossing.change, out)


@kernel
def evasion_positions(
    tree: Tree,
    crossing: TrackCrossing,
    evasions: EvasionSet,
    rotations: Floats,
    q: Floats,
    positions: Floats,
) -> None:
    """positions (m, n, 3): the joints at a crossing, world frame, for every evasion.

    rotations (n, 3, 3) and q (nq) are workspace.
    """
    for k in range(positions.shape[0]):
        crossing_posture(tree, crossing, evasions, k, q)
        forward(tree, q, positions[k], rotations)


@kernel
def clear_evasions(
    tree: Tree,
    search: OverlapSearch,
    crossing: TrackCrossing,
    evasions: EvasionSet,
    indices: Ints,
    slack_m: float,
    clear: Bools,
) -> None:
    """clear (p,): whether no pair penetrates by more than slack_m with evasion indices[p]."""
    q, near = search.q, search.near
    for p in range(indices.shape[0]):
        crossing_posture(tree, crossing, evasions, indices[p], q)
        forward(tree, q, search.positions, search.rotations)
        found = near_pairs(
            search.shapes,
            search.bodies,
            search.pairs,
            search.positions,
            search.rotations,
            0.0,
            search.placed,
            search.out,
            search.last_normals,
            near,
        )
        clear[p] = found <= near.gap.shape[0]
        for i in range(min(found, near.gap.shape[0])):
            if near.gap[i] + near.allowance[i] < -slack_m:
                clear[p] = False


def make_evasion_set(
    turn: Floats, straighten: Floats, opening: Floats, limb: Bools, hinge: Bools, rest: Floats
) -> EvasionSet:
    """Bundle the arrays with their workspace."""
    nq, nv = len(rest), turn.shape[1]
    return EvasionSet(
        turn,
        straighten,
        opening,
        limb,
        hinge,
        rest,
        np.zeros(nv),
        np.zeros(nq),
        np.zeros(nq),
        np.zeros(nq),
    )
