"""A batch problem as plain arrays: a chain with one effector, an octree, solver options."""

from __future__ import annotations

from typing import Any, NamedTuple

from writhe.errors import WritheError


class BatchProblem(NamedTuple):
    """The inputs of the passes besides the targets; shapes as in `kernels.trajectory`."""

    parent: Any  # (k,)
    kind: Any  # (k,)
    start: Any  # (k + 1,)
    offset: Any  # (k, 3)
    base: Any  # (k, 3, 3)
    axis: Any  # (k, 3)
    effector_joint: Any  # ()
    effector_offset: Any  # (3,)
    cell_parent: Any  # (M,)
    lower: Any  # (M, n)
    upper: Any  # (M, n)
    inverse_damping: Any  # (M, n) 1 / damping_m2
    mean: Any  # (M, n)
    slope: Any  # (M, n, 3)
    centre: Any  # (M, 3)
    grid: Any  # (G, G, G)
    corner: Any  # (3,)
    size: Any  # (3,)
    tolerance_m: Any  # ()
    iterations: Any  # ()
    window: Any  # () half width of the box filter, frames
    fade: Any  # () half width of the correction's window, frames
    reach_m: Any  # ()

    @property
    def coordinates(self) -> int:
        """Number of coordinates of the chain."""
        return int(self.start[-1])


def batch_problem(chain: Any, cells: Any, options: Any, fps: float) -> BatchProblem:
    """The problem for a `Chain`, the `Cells` of one style, and `PassOptions`."""
    if len(chain.effector_joint) != 1 or len(cells.root) != 1:
        raise WritheError(
            "batches support chains with one effector in one style only; use solve_trajectory"
        )
    return BatchProblem(
        parent=chain.parent,
        kind=chain.kind,
        start=chain.start,
        offset=chain.offset,
        base=chain.base,
        axis=chain.axis,
        effector_joint=chain.effector_joint[0],
        effector_offset=chain.effector_offset[0],
        cell_parent=cells.parent,
        lower=cells.lower,
        upper=cells.upper,
        inverse_damping=cells.inverse_damping,
        mean=cells.mean,
        slope=cells.slope,
        centre=cells.centre,
        grid=cells.grid[0],
        corner=cells.corner[0],
        size=cells.size[0],
        tolerance_m=options.tolerance_m,
        iterations=options.iterations,
        window=options.alignment_frames(fps),
        fade=options.correction_frames(fps),
        reach_m=options.reach_m,
    )
