"""Lower bounds of the clearances of all pairs of capsules between rows of a motion, in JAX.

For a unit vector n, the separation of two segments along n,

    min n.x over the one - max n.y over the other,

is a lower bound of their distance, whichever n is taken. Here n is the direction of the closest
points as single precision finds it: if these are inaccurate (parallel segments), the bound is only
less tight. With g0, g1 lower bounds of a gap at two rows and L a bound of how far the two capsules
can move relative to each other in between (`reach` times the angles of the joints, as in
`kernels.collision.step_motion`), the gap is at least (g0 + g1 - L) / 2 in the interval.

Pairs do not depend on where the root is: it is put at the origin, so that rounding errors are those
of a body's size. `rounding_m` bounds them; it is subtracted from every bound.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeAlias, cast

import jax
import jax.numpy as jnp
import numpy as np

from writhe.accelerator.batch_postures import closest_vectors, dot
from writhe.accelerator.device import default_device

Array: TypeAlias = Any
BlockProgram: TypeAlias = Callable[[Any, Any], tuple[Array, Array, Array]]
BLOCKS = {"gpu": (1 << 10, 1 << 13, 1 << 16), "cpu": (1 << 9,)}  # intervals at once
# numbers of capsules and pairs are rounded up to multiples of these, so that bodies with similar
# numbers share one compiled program
_CAPSULES, _PAIRS = 16, 128
_FAR_M = 1e3  # clearance of the pairs that fill up the number


class PairBody(NamedTuple):
    """Capsules on a tree of joints whose offsets are constant, and the pairs to bound."""

    parent: Any  # (n,) parents first; -1 for the root
    offset: Any  # (n, 3) in the parent's frame, metres
    rest: Any  # (n, 3, 3)
    capsule_joint: Any  # (c,)
    capsule_start: Any  # (c, 3) in the joint's frame
    capsule_end: Any  # (c, 3)
    pair_a: Any  # (k,) capsules
    pair_b: Any  # (k,)
    pair_radius: Any  # (k,) sum of the radii
    pair_allowance: Any  # (k,)
    pair_deep: Any  # (k,) depth of a deep overlap
    pair_reach: Any  # (k, n) metres by which a radian of joint j moves the two capsules apart

    @property
    def rounding_m(self) -> float:
        """Bound of the rounding error of a gap in single precision.

        A rotation along a chain of d joints has errors below 16 d eps in each entry, which displace
        a point by at most that times its distance from the root; a gap has two such points.
        """
        parent: list[int] = np.asarray(self.parent).tolist()
        length = np.linalg.norm(np.asarray(self.offset), axis=1)
        depth, far = np.zeros(len(parent)), np.zeros(len(parent))
        for j, up in enumerate(parent):
            if up >= 0:
                depth[j], far[j] = depth[up] + 1, far[up] + length[j]
        joint = np.asarray(self.capsule_joint)
        ends = np.stack([np.asarray(self.capsule_start), np.asarray(self.capsule_end)])
        extent = (far[joint] + np.linalg.norm(ends, axis=2).max(axis=0)).max(initial=0.0)
        return float(32 * np.finfo(np.float32).eps * (depth.max(initial=0.0) + 4) * extent)


class Bounds(NamedTuple):
    """Bounds over all pairs, metres. `clearance` is gap plus allowance, `deep` gap plus depth.

    clearance, deep (R - 1,): lower bounds in the intervals between R rows. witnessed (R,): the
    smallest clearance at each row, as evaluated.
    """

    clearance: Any
    deep: Any
    witnessed: Any


def block_sizes() -> tuple[int, ...]:
    """The numbers of intervals that are bounded at once on this device, in increasing order."""
    return BLOCKS.get(default_device().platform, BLOCKS["cpu"])


def device_program(body: PairBody) -> BlockProgram:
    """The compiled program for a block of local rotations (n, 4, R) and angles (n, R - 1).

    Returns `Bounds` as arrays of the device, without the margin for rounding. Bodies with equal
    trees share the program.
    """
    parent = tuple(int(j) for j in np.asarray(body.parent))
    constants = tuple(jnp.asarray(value) for value in _rounded_up(body)[1:])
    return cast("BlockProgram", partial(_block, parent, constants))


def clear_bounds(body: PairBody) -> Callable[[Any, Any], Bounds]:
    """A function of local rotations (n, 4, R) and of angles turned between rows (n, R - 1).

    Rotations are unit quaternions relative to the rest rotation. Intervals are processed in blocks
    of the sizes of `BLOCKS`; a program is compiled for each.
    """
    run, sizes, rounding = device_program(body), block_sizes(), body.rounding_m

    def bounds(rotations: Any, turned: Any) -> Bounds:
        rows = rotations.shape[2]
        found: list[tuple[Any, Any, Any]] = []
        block = next((size for size in sizes if size >= rows - 1), sizes[-1])
        for first in range(0, max(1, rows - 1), block):
            count = min(block, rows - 1 - first)
            part = run(
                _padded(rotations[:, :, first : first + count + 1], block + 1),
                _padded(turned[:, first : first + count], block),
            )
            clearance, deep, witnessed = (np.asarray(values, np.float64) for values in part)
            found.append((clearance[:count], deep[:count], witnessed[: count + 1]))
        clearance, deep = (np.concatenate([part[i] for part in found]) for i in (0, 1))
        witnessed = np.concatenate([found[0][2], *(part[2][1:] for part in found[1:])])
        return Bounds(clearance - rounding, deep - rounding, witnessed)

    return bounds


def _rounded_up(body: PairBody) -> PairBody:
    """The body in single precision, with capsules and pairs added that are clear of everything."""
    capsules = -len(body.capsule_joint) % _CAPSULES
    pairs = -len(body.pair_a) % _PAIRS

    def longer(name: str, value: Any) -> Any:
        values = np.asarray(value)
        missing = (
            capsules if name.startswith("capsule") else pairs if name.startswith("pair") else 0
        )
        fill = _FAR_M if name in ("pair_allowance", "pair_deep") else 0
        width = [(0, missing)] + [(0, 0)] * (values.ndim - 1)
        values = np.pad(values, width, constant_values=fill)
        return values.astype(np.float32 if values.dtype.kind == "f" else np.int32)

    made = {name: longer(name, value) for name, value in body._asdict().items() if name != "parent"}
    return PairBody(parent=body.parent, **made)


def _padded(values: Any, size: int) -> Any:
    """The last axis extended to `size` by its last entry (zeros if it has none)."""
    missing = size - values.shape[-1]
    if not missing:
        return values
    width = [(0, 0)] * (values.ndim - 1) + [(0, missing)]
    return np.pad(values, width, mode="edge" if values.shape[-1] else "constant")


@partial(jax.jit, static_argnums=0)
def _block(
    parent: tuple[int, ...], constants: tuple[Array, ...], rotations: Array, turned: Array
) -> tuple[Array, Array, Array]:
    body = PairBody(parent, *constants)
    starts, ends = _capsule_axes(body, _rotation_matrices(rotations))
    # stored once; otherwise the compiler would recompute every joint for every pair
    starts, ends = jax.lax.optimization_barrier((starts, ends))
    a, b = [x[body.pair_a] for x in starts], [x[body.pair_a] for x in ends]
    c, d = [x[body.pair_b] for x in starts], [x[body.pair_b] for x in ends]
    gap = closest_vectors(a, b, c, d)
    distance = jnp.sqrt(dot(gap, gap))
    along = [x / jnp.maximum(distance, 1e-6) for x in gap]
    between = dot(along, [a[i] - c[i] for i in range(3)])
    own = dot(along, [b[i] - a[i] for i in range(3)])
    other = dot(along, [d[i] - c[i] for i in range(3)])
    separation = between + jnp.minimum(0.0, own) - jnp.maximum(0.0, other)
    radius = body.pair_radius[:, None]
    moved = jnp.matmul(body.pair_reach, turned, precision=jax.lax.Precision.HIGHEST)
    low = 0.5 * (separation[:, 1:] + separation[:, :-1] - moved) - radius
    allowed, deep = body.pair_allowance[:, None], body.pair_deep[:, None]
    return (
        jnp.min(low + allowed, axis=0),
        jnp.min(low + deep, axis=0),
        jnp.min(distance - radius + allowed, axis=0),
    )


def _rotation_matrices(quaternions: Array) -> Array:
    """(n, 3, 3, R) of unit quaternions (n, 4, R)."""
    w, x, y, z = (quaternions[:, i] for i in range(4))
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return jnp.stack([jnp.stack(row, axis=1) for row in rows], axis=1)


def _product(a: Array, b: Array) -> Array:
    """(3, 3, R) products of matrices (3, 3, R or 1); elementwise, in full single precision."""
    return jnp.sum(a[:, :, None, :] * b[None, :, :, :], axis=1)


def _capsule_axes(body: PairBody, local: Array) -> tuple[list[Array], list[Array]]:
    """The ends of the capsules' axes, three arrays (c, R) each, with the root at the origin."""
    count = local.shape[-1]
    positions: list[Array] = []
    rotations: list[Array] = []
    for j, parent in enumerate(body.parent):
        if parent < 0:
            positions.append(jnp.zeros((3, count), local.dtype))
            rotations.append(
                jnp.broadcast_to(jnp.eye(3, dtype=local.dtype)[:, :, None], (3, 3, count))
            )
            continue
        about = rotations[parent]
        positions.append(positions[parent] + jnp.sum(about * body.offset[j][None, :, None], axis=1))
        rotations.append(_product(_product(about, body.rest[j][:, :, None]), local[j]))
    where = jnp.stack(positions)[body.capsule_joint]
    turned = jnp.stack(rotations)[body.capsule_joint]

    def placed(points: Array) -> list[Array]:
        world = where + jnp.sum(turned * points[:, None, :, None], axis=2)
        return [world[:, i] for i in range(3)]

    return placed(body.capsule_start), placed(body.capsule_end)
