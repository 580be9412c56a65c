"""One step of the default poser as a quadratic programme.

    min   1/2 ||M (x + v)||^2 - p . v + 1/2 ||W (r + J v)||^2
    s.t.  near pairs keep their clearance,  joint limits,  |v| <= max_step

r are the soft rows of `Wanted`, x the movement since the frame began, M the inertia and p a pull.
Only the actor's own degrees of freedom, a run of columns, are variables.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.linear import factorise, solve_factored
from writhe.kernels.posing.body_state import (
    FIRST_HARD,
    TARGETS,
    Stance,
    Surroundings,
    Wanted,
    look_near,
)
from writhe.kernels.qp.dual_active_set import (
    FREE,
    Rows,
    Work,
    fill_rows,
    make_rows,
    make_work,
    solve_programme,
)
from writhe.kernels.qp.normal_equations import assemble
from writhe.kernels.skeleton.kinematics import difference, forward, integrate, motion_axes
from writhe.kernels.terms.contact_rows import contact_rows, cut_rows

FIRM = 1e-10  # compliance of the constraints; pins pull with at most about 10^4
YIELDING = 1e-6  # of constraints that contradict each other, beside what moves the body
CONTRADICTION = 1e-5  # a firm row that gives way by more than this stands against others
RECOVERY = 0.3  # share of what a joint lacks to its limits that a step brings back
BOX_ROUNDS = 8
MOST_CUTS = 40  # rows that a step around what stopped it adds
# what a row stands for: a limit's number, or one of these; PAIR - p is the shape pair p
BOX, CUT, PAIR = -1, -2, -3


class StepBounds(NamedTuple):
    """How far one iteration may go. Metres and radians."""

    max_step: float  # per coordinate
    reach_m: float  # how far a target may be ahead
    near_m: float
    margin_m: float
    approach: float
    recovery_m: float


class StepRoom(NamedTuple):
    """Room for the programme of nv degrees of freedom, m of them variables."""

    hessian: Floats  # (nv, nv)
    gradient: Floats  # (nv,)
    hard: Bools  # (R,) none of the soft rows
    columns: Ints  # (nv,)
    wide: Floats  # (contacts, nv) contact rows before what cannot move is left out
    wide_low: Floats  # (contacts,)
    factor: Floats  # (m, m)
    unconstrained: Floats  # (m,)
    found: Floats  # (m,)
    step: Floats  # (nv,)
    rows: Rows  # of the constraints: limits, contacts, cuts, boxes
    row_count: Ints  # (1,) of them
    work: Work
    compliance: Floats  # (R,) for the limits
    limit_state: Ints  # (R,) active at the end of the last programme: see `Rows.state`
    pair_state: Ints  # (shape pairs,)
    boxed: Ints  # (m,)


def make_room(rows: int, nv: int, variables: int, contacts: int, pairs: int) -> StepRoom:
    """Room for `rows` rows of terms, up to `contacts` near pairs, `pairs` shape pairs in all."""
    most = contacts + rows + variables
    return StepRoom(
        hessian=np.zeros((nv, nv)),
        gradient=np.zeros(nv),
        hard=np.zeros(rows, dtype=np.bool_),
        columns=np.zeros(nv, dtype=np.int64),
        wide=np.zeros((contacts, nv)),
        wide_low=np.zeros(contacts),
        factor=np.zeros((variables, variables)),
        unconstrained=np.zeros(variables),
        found=np.zeros(variables),
        step=np.zeros(nv),
        rows=make_rows(most, variables),
        row_count=np.zeros(1, dtype=np.int64),
        work=make_work(2 * variables, variables),
        compliance=np.full(rows, FIRM),
        limit_state=np.zeros(rows, dtype=np.int64),
        pair_state=np.zeros(max(1, pairs), dtype=np.int64),
        boxed=np.zeros(variables, dtype=np.int64),
    )


@kernel
def _aim(stance: Stance, asked: Wanted, reach_m: float) -> None:
    """Let no target be farther ahead than one iteration can follow."""
    for i in range(asked.layout[TARGETS]):
        square = 0.0
        for c in range(3 * i, 3 * i + 3):
            square += (asked.wanted[c] - stance.values[c]) ** 2
        share = min(1.0, reach_m / max(square**0.5, 1e-9))
        for c in range(3 * i, 3 * i + 3):
            aim = stance.values[c] + share * (asked.wanted[c] - stance.values[c])
            asked.lower[c] = asked.upper[c] = aim


@kernel
def _add_wide(room: StepRoom, wide: int, first: int, pair_of_row: Ints) -> None:
    """Append contact rows that the actor's variables can change, from column `first` on.

    pair_of_row says which shape pair each stands for; rows beyond it are of no known pair.
    """
    rows, variables = room.rows, room.found.shape[0]
    count = room.row_count[0]
    for i in range(wide):
        if count == rows.low.shape[0]:
            break
        concerned = False
        for k in range(variables):
            rows.matrix[count, k] = room.wide[i, first + k]
            concerned = concerned or room.wide[i, first + k] != 0.0
        if not concerned:
            continue
        rows.low[count], rows.high[count] = room.wide_low[i], np.inf
        rows.source[count], rows.state[count] = CUT, FREE
        if i < pair_of_row.shape[0]:
            rows.source[count] = PAIR - pair_of_row[i]
            rows.state[count] = room.pair_state[pair_of_row[i]]
        count += 1
    room.row_count[0] = count


@kernel
def _add_boxes(room: StepRoom, max_step: float) -> bool:
    """Append a row for every coordinate that goes farther than a step may; whether there is one."""
    rows, count = room.rows, room.row_count[0]
    before = count
    for k in range(room.found.shape[0]):
        if abs(room.found[k]) <= max_step + 1e-9 or room.boxed[k] or count == rows.low.shape[0]:
            continue
        room.boxed[k] = 1
        for c in range(room.found.shape[0]):
            rows.matrix[count, c] = 0.0
        rows.matrix[count, k] = 1.0
        rows.low[count], rows.high[count] = -max_step, max_step
        rows.compliance[count] = FIRM
        rows.source[count], rows.state[count] = BOX, FREE
        count += 1
    room.row_count[0] = count
    return count > before


@kernel
def _solve_boxed(room: StepRoom, max_step: float) -> None:
    """Solve the programme, with |v| <= max_step for those coordinates that would go farther."""
    for _ in range(BOX_ROUNDS):
        solve_programme(
            room.rows,
            room.row_count[0],
            room.factor,
            room.unconstrained,
            1e-7,
            room.work,
            room.found,
        )
        if not _add_boxes(room, max_step):
            break
    for k in range(room.found.shape[0]):
        room.found[k] = min(max(room.found[k], -max_step), max_step)


@kernel
def _yield(room: StepRoom) -> None:
    """Let all rows but boxes give way, each by its share of what a force on it moves the body."""
    rows, moved = room.rows, room.work.scaled[0]
    for i in range(room.row_count[0]):
        if rows.source[i] == BOX:
            continue
        solve_factored(room.factor, len(room.factor), rows.matrix[i], moved)
        total = 0.0
        for k in range(moved.shape[0]):
            total += rows.matrix[i, k] * moved[k]
        rows.compliance[i] = max(YIELDING * total, FIRM)


@kernel
def _solve(room: StepRoom, max_step: float, first: int) -> bool:
    """The step of the programme's rows; whether they contradict each other and had to yield."""
    rows = room.rows
    for i in range(room.row_count[0]):
        rows.compliance[i] = FIRM
    room.boxed[:] = 0
    _solve_boxed(room, max_step)
    softened = False
    for i in range(room.row_count[0]):
        if FIRM * abs(rows.multiplier[i]) > CONTRADICTION:
            softened = True
    if softened:
        _yield(room)
        _solve_boxed(room, max_step)
    for k in range(room.found.shape[0]):
        room.step[first + k] = room.found[k]
    return softened


@kernel
def _remember(room: StepRoom) -> None:
    """Note which limits and pairs hold the step back: the next programme starts from them."""
    rows = room.rows
    room.limit_state[:] = FREE
    room.pair_state[:] = FREE
    for i in range(room.row_count[0]):
        source = rows.source[i]
        if source >= 0:
            room.limit_state[source] = rows.state[i]
        elif source <= PAIR:
            room.pair_state[PAIR - source] = rows.state[i]


@kernel
def propose(
    around: Surroundings,
    stance: Stance,
    asked: Wanted,
    inertia: Floats,
    start: Floats,
    moved: Floats,
    pull: Floats,
    bounds: StepBounds,
    reach_m: float,
    first: int,
    room: StepRoom,
) -> bool:
    """The step room.step (nv) of one programme at a stance; whether constraints had to yield.

    inertia (nv) squared weights, start (nq) where the frame began, pull (nv); no target is asked
    for farther ahead than reach_m; variables are the columns from `first` on. moved (nv) is room.
    """
    difference(around.tree, start, stance.q, moved)
    _aim(stance, asked, reach_m)
    variables, last_soft = room.found.shape[0], asked.layout[FIRST_HARD]
    hessian, gradient = room.hessian, room.gradient
    hessian[:] = 0.0
    for k in range(gradient.shape[0]):
        hessian[k, k] = inertia[k]
        gradient[k] = inertia[k] * moved[k] - pull[k]
    assemble(
        stance.values[:last_soft],
        stance.jacobian[:last_soft],
        asked.lower[:last_soft],
        asked.upper[:last_soft],
        asked.weight[:last_soft],
        room.hard[:last_soft],
        hessian,
        gradient,
        room.columns,
    )
    own = hessian[first : first + variables, first : first + variables]
    factorise(own, variables, room.factor)
    for k in range(variables):
        room.unconstrained[k] = -gradient[first + k]
    solve_factored(room.factor, variables, room.unconstrained, room.unconstrained)
    room.row_count[0] = fill_rows(
        stance.values[last_soft:],
        stance.jacobian[last_soft:],
        asked.lower[last_soft:],
        asked.upper[last_soft:],
        room.compliance[last_soft:],
        bounds.max_step,
        RECOVERY,
        room.limit_state,
        first,
        room.rows,
    )
    wide = contact_rows(
        around.tree,
        stance.positions,
        stance.axes,
        stance.near,
        stance.near_count[0],
        bounds.margin_m,
        bounds.approach,
        bounds.recovery_m,
        room.wide,
        room.wide_low,
    )
    _add_wide(room, wide, first, stance.near.shape_pair)
    softened = _solve(room, bounds.max_step, first)
    _remember(room)
    return softened


@kernel
def propose_around(
    around: Surroundings,
    start: Floats,
    share: float,
    tried: Floats,
    stance: Stance,
    bounds: StepBounds,
    first: int,
    room: StepRoom,
    ahead: Floats,
) -> None:
    """Another room.step, by the last programme and rows for what collides after `share` of it.

    Shapes that lie flat on each other touch at a point that jumps along them, which rows at the
    start (nq) cannot foresee. So the pairs that collide there become rows there,
    c(v') = c(v) + n . J (v' - v) >= 0. ahead (nv), tried (nq) and the stance are room.
    """
    tree = around.tree
    for k in range(ahead.shape[0]):
        ahead[k] = share * room.step[k]
    integrate(tree, start, ahead, tried)
    forward(tree, tried, stance.positions, stance.rotations)
    motion_axes(tree, stance.positions, stance.rotations, stance.axes)
    look_near(around, 0.0, stance)
    wide = cut_rows(
        tree,
        stance.positions,
        stance.axes,
        stance.near,
        stance.near_count[0],
        0.5 * bounds.margin_m,
        ahead,
        room.wide[:MOST_CUTS],
        room.wide_low,
    )
    _add_wide(room, wide, first, stance.near.shape_pair[:0])
    _solve(room, bounds.max_step, first)
