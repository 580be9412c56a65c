"""A body at one configuration: its frames, the rows of what is wanted of it, what is near it."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from writhe.arrays import Floats, Ints
from writhe.kernels.collision.near_pairs import Near, near_pairs
from writhe.kernels.collision.shape_gaps import Bodies, Pairs, Placed, Shapes
from writhe.kernels.jit import kernel
from writhe.kernels.posing.support_polygon import nearest_in_polygon
from writhe.kernels.skeleton.kinematics import Tree, forward, motion_axes
from writhe.kernels.terms.quantity_rows import Program, evaluate_rows

# places in Wanted.layout
TARGETS, HANDLES, FIRST_GUIDE, FIRST_HARD, BALANCE = range(5)
# places in what `measure` fills
MISFIT, WORST_TARGET, WORST_HELD = range(3)


class Surroundings(NamedTuple):
    """What does not change while a body is posed."""

    tree: Tree
    mass: Floats  # (n,)
    centre_of_mass: Floats  # (n, 3)
    shapes: Shapes
    bodies: Bodies
    pairs: Pairs


class Wanted(NamedTuple):
    """R rows: points of targets, of pins and holds, orientations, controls, guides, then limits.

    `layout`: how many targets and handles there are, the first row of guides and of hard rows, and
    the first of the three rows that keep the centre of mass over the feet (-1: none).
    """

    program: Program
    wanted: Floats  # (R,) where the soft rows before the guides should be in the end
    lower: Floats  # (R,) where the next step is to bring a row
    upper: Floats  # (R,)
    weight: Floats  # (R,)
    support: Floats  # (k, 2) corners (x, z), counter-clockwise, of where the feet stand
    layout: Ints  # (5,)


class Stance(NamedTuple):
    """All that is computed of one configuration; `look` fills it."""

    q: Floats
    positions: Floats  # (n, 3)
    rotations: Floats  # (n, 3, 3)
    axes: Floats  # (nv, 3)
    values: Floats  # (R,)
    jacobian: Floats  # (R, nv)
    near: Near
    near_count: Ints  # (1,)
    placed: Placed
    out: Floats  # (9,)
    apart_along: Floats  # (k, 3) see `near_pairs`


@kernel
def look(around: Surroundings, program: Program, near_m: float, stance: Stance) -> None:
    """Frames, rows and the pairs nearer than `near_m`, at stance.q."""
    look_rows(around, program, stance)
    look_near(around, near_m, stance)


@kernel
def look_rows(around: Surroundings, program: Program, stance: Stance) -> None:
    """Frames and rows at stance.q."""
    tree = around.tree
    forward(tree, stance.q, stance.positions, stance.rotations)
    motion_axes(tree, stance.positions, stance.rotations, stance.axes)
    evaluate_rows(
        tree,
        around.mass,
        around.centre_of_mass,
        program,
        stance.q,
        stance.positions,
        stance.rotations,
        stance.axes,
        stance.values,
        stance.jacobian,
    )


@kernel
def look_near(around: Surroundings, near_m: float, stance: Stance) -> None:
    """The pairs nearer than `near_m` at the stance's frames."""
    found = near_pairs(
        around.shapes,
        around.bodies,
        around.pairs,
        stance.positions,
        stance.rotations,
        near_m,
        stance.placed,
        stance.out,
        stance.apart_along,
        stance.near,
    )
    stance.near_count[0] = min(found, stance.near.gap.shape[0])


@kernel
def measure(stance: Stance, asked: Wanted, out: Floats) -> None:
    """How far a stance is from what is asked.

    Fills out (3): the weighted squares of all that is wanted softly, guides left out, and the
    largest distance of a target and of a pin or hold from its place. Before that, the centre of
    mass is wanted where it is if that is over the feet, else at the nearest place there.
    """
    values, wanted, layout = stance.values, asked.wanted, asked.layout
    at = layout[BALANCE]
    if at >= 0:
        x, z = values[at], values[at + 2]
        if asked.support.shape[0] > 2:
            x, z = nearest_in_polygon(asked.support, x, z)
        wanted[at], wanted[at + 1], wanted[at + 2] = x, values[at + 1], z
        for c in range(3):
            asked.lower[at + c] = asked.upper[at + c] = wanted[at + c]
    total = 0.0
    for i in range(layout[FIRST_GUIDE]):
        lack = asked.weight[i] * (values[i] - wanted[i])
        total += lack * lack
    out[MISFIT] = total
    out[WORST_TARGET] = worst_of(values, wanted, 0, layout[TARGETS])
    out[WORST_HELD] = worst_of(values, wanted, layout[TARGETS], layout[HANDLES])


@kernel
def worst_of(values: Floats, wanted: Floats, first: int, last: int) -> float:
    """The largest distance of the points number first .. last-1 from where they are wanted."""
    worst = 0.0
    for i in range(first, last):
        square = 0.0
        for c in range(3):
            square += (values[3 * i + c] - wanted[3 * i + c]) ** 2
        worst = max(worst, square)
    return sqrt(worst)
