"""The state of a body at one configuration: joint frames, term rows and near pairs."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from writhe.arrays import Floats, Ints
from writhe.kernels.collision.near_pairs import NearPairRows, near_pairs
from writhe.kernels.collision.shape_gaps import Bodies, Pairs, PlacedShapes, Shapes
from writhe.kernels.jit import kernel
from writhe.kernels.posing.nearest_in_polygon import nearest_in_polygon
from writhe.kernels.skeleton.kinematics import Tree, forward, motion_axes
from writhe.kernels.terms.quantity_rows import Program, evaluate_rows

# indices into TermRows.layout
TARGETS, HANDLES, FIRST_GUIDE, FIRST_HARD, BALANCE = range(5)
# indices into the array that `measure_cost` fills
COST, WORST_TARGET, WORST_HELD = range(3)


class Environment(NamedTuple):
    """The skeleton and shapes of a scene, constant while an actor is posed."""

    tree: Tree
    mass: Floats  # (n,)
    centre_of_mass: Floats  # (n, 3)
    shapes: Shapes
    bodies: Bodies
    pairs: Pairs


class TermRows(NamedTuple):
    """The R term rows of a poser with their targets, bounds and weights.

    The order is: points of targets, points of pins and holds, orientations, control terms and other
    soft terms, guides (soft goals at the joint positions that the posture prior predicts), then the
    hard rows (joint limits and relations). `layout` holds the number of targets, the number of
    handles, the first guide row, the first hard row, and the first of the three centre-of-mass rows
    (-1: none).
    """

    program: Program
    target: Floats  # (R,) where the rows before the first guide should finally be
    lower: Floats  # (R,) bounds in the next QP; a far target is approached in several steps
    upper: Floats  # (R,)
    weight: Floats  # (R,)
    support: Floats  # (k, 2) corners (x, z) of the support polygon, counter-clockwise
    layout: Ints  # (5,)


class BodyState(NamedTuple):
    """Quantities that `update_state` computes at configuration q. Metres, world frame."""

    q: Floats  # (nq,)
    positions: Floats  # (n, 3)
    rotations: Floats  # (n, 3, 3)
    axes: Floats  # (nv, 3)
    values: Floats  # (R,) of the term rows
    jacobian: Floats  # (R, nv)
    near: NearPairRows
    near_count: Ints  # (1,) how many rows of `near` are filled
    placed: PlacedShapes
    out: Floats  # (9,) scratch of `near_pairs`
    last_normals: Floats  # (k, 3) see `near_pairs`


@kernel
def update_state(
    environment: Environment, program: Program, near_m: float, state: BodyState
) -> None:
    """Update frames, term rows and the pairs nearer than `near_m` (metres) at state.q."""
    update_rows(environment, program, state)
    update_near_pairs(environment, near_m, state)


@kernel
def update_rows(environment: Environment, program: Program, state: BodyState) -> None:
    """Update frames, motion axes, term values and their Jacobian at state.q."""
    tree = environment.tree
    forward(tree, state.q, state.positions, state.rotations)
    motion_axes(tree, state.positions, state.rotations, state.axes)
    evaluate_rows(
        tree,
        environment.mass,
        environment.centre_of_mass,
        program,
        state.q,
        state.positions,
        state.rotations,
        state.axes,
        state.values,
        state.jacobian,
    )


@kernel
def update_near_pairs(environment: Environment, near_m: float, state: BodyState) -> None:
    """Update the shape pairs with a gap below `near_m` (metres) at the state's frames."""
    found = near_pairs(
        environment.shapes,
        environment.bodies,
        environment.pairs,
        state.positions,
        state.rotations,
        near_m,
        state.placed,
        state.out,
        state.last_normals,
        state.near,
    )
    state.near_count[0] = min(found, state.near.gap.shape[0])


@kernel
def set_balance_goal(state: BodyState, terms: TermRows) -> None:
    """Set the goal of the centre-of-mass rows: the nearest point of the support polygon."""
    values, target, row = state.values, terms.target, terms.layout[BALANCE]
    if row < 0:
        return
    x, z = values[row], values[row + 2]
    if terms.support.shape[0] > 2:
        x, z = nearest_in_polygon(terms.support, x, z)
    target[row], target[row + 1], target[row + 2] = x, values[row + 1], z
    for c in range(3):
        terms.lower[row + c] = terms.upper[row + c] = target[row + c]


@kernel
def measure_cost(state: BodyState, terms: TermRows, out: Floats) -> None:
    """Fill out (3) with the cost of the soft rows and the worst point errors.

    out[COST] = ||W (values - target)||^2 over the soft rows before the guides; out[WORST_TARGET] is
    the largest distance (metres) of a target's point from its goal, out[WORST_HELD] the same for
    pins and holds. The balance goal has to be set (`set_balance_goal`).
    """
    values, target, layout = state.values, terms.target, terms.layout
    total = 0.0
    for i in range(layout[FIRST_GUIDE]):
        residual = terms.weight[i] * (values[i] - target[i])
        total += residual * residual
    out[COST] = total
    out[WORST_TARGET] = largest_distance(values, target, 0, layout[TARGETS])
    out[WORST_HELD] = largest_distance(values, target, layout[TARGETS], layout[HANDLES])


@kernel
def largest_distance(values: Floats, target: Floats, first: int, last: int) -> float:
    """The largest distance of points first .. last-1 (three rows each) from their targets."""
    worst = 0.0
    for i in range(first, last):
        square = 0.0
        for c in range(3):
            square += (values[3 * i + c] - target[3 * i + c]) ** 2
        worst = max(worst, square)
    return sqrt(worst)
