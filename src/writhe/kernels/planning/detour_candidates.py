"""Limbs led aside: many postures made from one, and which of them are clear."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.kernels.collision.near_pairs import Near, near_pairs
from writhe.kernels.collision.shape_gaps import Bodies, Pairs, Placed, Shapes
from writhe.kernels.jit import kernel
from writhe.kernels.skeleton.kinematics import Tree, forward, integrate, interpolate


class Asides(NamedTuple):
    """m ways for limbs to make way: opened towards the rest posture, unbent and turned."""

    turn: Floats  # (m, nv) tangent step
    unbent: Floats  # (m,) share of its bend that a hinge loses
    opening: Floats  # (m,) share of the way to the rest posture
    limb: Bools  # (m, nq) the numbers of a configuration that belong to the limbs
    bending: Bools  # (nq,) those of hinges
    rest: Floats  # (nq,)
    step: Floats  # (nv,) room
    opened: Floats  # (nq,) room
    before: Floats  # (nq,) room
    after: Floats  # (nq,) room


class Crossing(NamedTuple):
    """Where a body changes from one track to another, and how far it is aside there."""

    before: Floats  # (nq,) on the first track
    after: Floats  # (nq,) on the second
    change: float  # share of the way from one to the other
    aside: float  # share of the way aside


@kernel
def lead_aside(tree: Tree, row: Floats, share: float, asides: Asides, k: int, out: Floats) -> None:
    """The posture `row` (nq) with the limbs led the share of aside k, into out (nq)."""
    for i in range(asides.step.shape[0]):
        asides.step[i] = share * asides.turn[k, i]
    interpolate(tree, row, asides.rest, share * asides.opening[k], asides.opened)
    for i in range(out.shape[0]):
        if not asides.limb[k, i]:
            asides.opened[i] = row[i]
        elif asides.bending[i]:
            asides.opened[i] *= 1.0 - share * asides.unbent[k]
    integrate(tree, asides.opened, asides.step, out)


@kernel
def cross_aside(tree: Tree, crossing: Crossing, asides: Asides, k: int, out: Floats) -> None:
    """The posture at a crossing with the limbs led aside in way k, into out (nq).

    Both tracks are led aside first: limbs that make way are nearer to each other on them.
    """
    lead_aside(tree, crossing.before, crossing.aside, asides, k, asides.before)
    lead_aside(tree, crossing.after, crossing.aside, asides, k, asides.after)
    interpolate(tree, asides.before, asides.after, crossing.change, out)


@kernel
def place_asides(
    tree: Tree, crossing: Crossing, asides: Asides, rotations: Floats, q: Floats, places: Floats
) -> None:
    """places (m, n, 3): where the joints are at a crossing, for each way aside.

    rotations (n, 3, 3) and q (nq) are room.
    """
    for k in range(places.shape[0]):
        cross_aside(tree, crossing, asides, k, q)
        forward(tree, q, places[k], rotations)


@kernel
def clear_asides(
    tree: Tree,
    shapes: Shapes,
    bodies: Bodies,
    pairs: Pairs,
    crossing: Crossing,
    asides: Asides,
    picked: Ints,
    slack_m: float,
    q: Floats,
    positions: Floats,
    rotations: Floats,
    placed: Placed,
    out: Floats,
    apart_along: Floats,
    near: Near,
    clear: Bools,
) -> None:
    """clear (p,): whether no pair at a crossing lacks more than slack_m, aside in way picked[p].

    q, positions, rotations, placed, out, apart_along and near are room, see `near_pairs`.
    """
    for p in range(picked.shape[0]):
        cross_aside(tree, crossing, asides, picked[p], q)
        forward(tree, q, positions, rotations)
        found = near_pairs(
            shapes, bodies, pairs, positions, rotations, 0.0, placed, out, apart_along, near
        )
        clear[p] = found <= near.gap.shape[0]
        for i in range(min(found, near.gap.shape[0])):
            if near.gap[i] + near.allowance[i] < -slack_m:
                clear[p] = False


def make_asides(
    turn: Floats, unbent: Floats, opening: Floats, limb: Bools, bending: Bools, rest: Floats
) -> Asides:
    """The arrays together with their room."""
    nq, nv = len(rest), turn.shape[1]
    return Asides(
        turn,
        unbent,
        opening,
        limb,
        bending,
        rest,
        np.zeros(nv),
        np.zeros(nq),
        np.zeros(nq),
        np.zeros(nq),
    )
