"""Penetration and linking of many postures at once, as whole-array programs.

Postures are columns: q is (nq, N), so that consecutive postures are consecutive in memory. The
loops over joints are unrolled; those over pairs are array axes, which the compiler fuses with the
reduction over them, so that no array of pairs and postures is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np

from writhe.accelerator.body_arrays import BodyArrays

Array: TypeAlias = Any
FIXED, HINGE, PRISMATIC, BALL, FREE = range(5)
_TINY = 1e-12


def frames(body: BodyArrays, q: Array) -> tuple[list[list[Array]], list[list[list[Array]]]]:
    """World position (3) and rotation (3, 3) of every joint, as lists of arrays (N,).

    q: (nq, N), quaternions of unit length.
    """
    dtype = q.dtype
    zero, one = jnp.zeros(q.shape[1:], dtype), jnp.ones(q.shape[1:], dtype)
    positions: list[list[Array]] = []
    rotations: list[list[list[Array]]] = []
    for j, kind in enumerate(np.asarray(body.kind).tolist()):
        at = int(body.q_start[j])
        shift, local = _joint_motion(kind, q, at, np.asarray(body.axis[j]), zero, one)
        rest = np.asarray(body.rest[j])
        # in the parent's frame: offset + rest (shift, local)
        moved = [float(body.offset[j][r]) + _constant_dot(rest[r], shift, zero) for r in range(3)]
        turned = [
            [_constant_dot(rest[r], [local[k][c] for k in range(3)], zero) for c in range(3)]
            for r in range(3)
        ]
        parent = int(body.parent[j])
        if parent < 0:
            positions.append(moved)
            rotations.append(turned)
            continue
        up, about = positions[parent], rotations[parent]
        positions.append([up[r] + dot(about[r], moved) for r in range(3)])
        rotations.append(
            [[dot(about[r], [turned[k][c] for k in range(3)]) for c in range(3)] for r in range(3)]
        )
    return positions, rotations


def _joint_motion(
    kind: int, q: Array, at: int, axis: Any, zero: Array, one: Array
) -> tuple[list[Array], list[list[Array]]]:
    """Translation (3) and rotation (3, 3) of a joint at its coordinates q[at...]."""
    shift = [zero, zero, zero]
    if kind in (BALL, FREE):
        if kind == FREE:
            shift, at = [q[at], q[at + 1], q[at + 2]], at + 3
        w, x, y, z = (q[at + i] for i in range(4))
        return shift, [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    if kind == HINGE:
        x, y, z = (float(a) for a in axis)
        c, s = jnp.cos(q[at]), jnp.sin(q[at])
        k = 1 - c
        return shift, [
            [c + k * x * x, k * x * y - s * z, k * x * z + s * y],
            [k * x * y + s * z, c + k * y * y, k * y * z - s * x],
            [k * x * z - s * y, k * y * z + s * x, c + k * z * z],
        ]
    if kind == PRISMATIC:
        shift = [float(a) * q[at] for a in axis]
    return shift, [[one if r == c else zero for c in range(3)] for r in range(3)]


def points_in_world(
    positions: list[list[Array]], rotations: list[list[list[Array]]], joint: Any, local: Any
) -> list[Array]:
    """World coordinates of points fixed to joints: three arrays (points, N)."""
    rows: list[list[Array]] = [[], [], []]
    for j, point in zip(np.asarray(joint).tolist(), np.asarray(local, np.float64), strict=True):
        for r in range(3):
            here = positions[j][r] if j >= 0 else jnp.zeros_like(positions[0][0])
            turned = (
                _constant_dot(point, rotations[j][r], here) if j >= 0 else float(point[r]) + here
            )
            rows[r].append(here + turned if j >= 0 else turned)
    return [jnp.stack(row) for row in rows]


def closest_vectors(
    a: Sequence[Array], b: Sequence[Array], c: Sequence[Array], d: Sequence[Array]
) -> list[Array]:
    """From the closest point of the segment cd to that of ab; arguments: three arrays each.

    The closest points of the two lines, clamped to the segments one after the other (Ericson,
    Real-Time Collision Detection, section 5.1.9).
    """
    u = [b[i] - a[i] for i in range(3)]
    v = [d[i] - c[i] for i in range(3)]
    w = [a[i] - c[i] for i in range(3)]
    uu, vv, uv = dot(u, u), dot(v, v), dot(u, v)
    uw, vw = dot(u, w), dot(v, w)
    uu, vv = jnp.maximum(uu, _TINY), jnp.maximum(vv, _TINY)
    apart = uu * vv - uv * uv
    s = jnp.where(apart > 1e-9 * uu * vv, (uv * vw - vv * uw) / jnp.maximum(apart, _TINY), 0.0)
    s = jnp.clip(s, 0.0, 1.0)
    t = jnp.clip((uv * s + vw) / vv, 0.0, 1.0)
    s = jnp.clip((uv * t - uw) / uu, 0.0, 1.0)
    return [w[i] + s * u[i] - t * v[i] for i in range(3)]


def segment_distances(
    a: Sequence[Array], b: Sequence[Array], c: Sequence[Array], d: Sequence[Array]
) -> Array:
    """Distance of the segments ab and cd; every argument is three arrays of one shape."""
    gap = closest_vectors(a, b, c, d)
    return jnp.sqrt(dot(gap, gap))


def clearances(body: BodyArrays, starts: Sequence[Array], ends: Sequence[Array]) -> Array:
    """(p, ...) gap plus allowance of every pair of capsules; negative in penetration.

    starts, ends: world coordinates (c, ...) of the capsules' axes.
    """
    i, j = np.asarray(body.pair_a), np.asarray(body.pair_b)
    distance = segment_distances(
        [s[i] for s in starts], [e[i] for e in ends], [s[j] for s in starts], [e[j] for e in ends]
    )
    radius = np.asarray(body.capsule_radius)
    kept = np.asarray(body.pair_allowance) - radius[i] - radius[j]
    return distance + jnp.asarray(kept.reshape(-1, *[1] * (distance.ndim - 1)), distance.dtype)


def linking(body: BodyArrays, vertices: Sequence[Array]) -> Array:
    """(k, N) the Gauss linking integral of every pair of strands.

    vertices: world coordinates (v, N). Per pair of segments ab, cd, with V the triple product of
    (b - a), (d - c), (a - c) and D1, D2 as in `kernels.topology.gauss_linking`:
    GLI = sign(V) |atan2(|V| (D1 + D2), D1 D2 - V^2)| / (2 pi).
    """
    start: list[int] = np.asarray(body.strand_start).tolist()
    pairs: list[tuple[int, int]] = np.asarray(body.strand_pair).tolist()
    rows: list[Array] = []
    for one, two in pairs:
        first = np.arange(start[one], start[one + 1] - 1)
        second = np.arange(start[two], start[two + 1] - 1)
        i, j = (index.ravel() for index in np.meshgrid(first, second, indexing="ij"))
        rows.append(
            jnp.sum(
                _segment_linking(
                    [x[i] for x in vertices],
                    [x[i + 1] for x in vertices],
                    [x[j] for x in vertices],
                    [x[j + 1] for x in vertices],
                ),
                axis=0,
            )
        )
    return jnp.stack(rows)


def _segment_linking(
    a: Sequence[Array], b: Sequence[Array], c: Sequence[Array], d: Sequence[Array]
) -> Array:
    r = [[p[i] - o[i] for i in range(3)] for p, o in ((c, a), (d, a), (d, b), (c, b))]
    length = [jnp.sqrt(dot(x, x)) for x in r]
    u, v = [b[i] - a[i] for i in range(3)], [d[i] - c[i] for i in range(3)]
    volume = -dot(_cross(u, v), r[0])

    def denominator(x: int, y: int, z: int) -> Array:
        return (
            length[x] * length[y] * length[z]
            + dot(r[x], r[y]) * length[z]
            + dot(r[x], r[z]) * length[y]
            + dot(r[y], r[z]) * length[x]
        )

    d1, d2 = denominator(0, 1, 2), denominator(0, 2, 3)
    size = jnp.abs(volume)
    angle = jnp.abs(jnp.arctan2(size * (d1 + d2), d1 * d2 - size * size))
    shortest = jnp.minimum(jnp.minimum(length[0], length[1]), jnp.minimum(length[2], length[3]))
    valid = (shortest > 1e-7) & (size > 0)
    return jnp.where(valid, jnp.sign(volume) * angle, 0.0) / (2 * np.pi)


def posture_measures(body: BodyArrays) -> Callable[[Array], tuple[Array, Array]]:
    """A compiled function of q (nq, N): penetration (N,) in metres and linking (k, N).

    Penetration is the depth of the deepest pair beyond its allowance, 0 if there is none.
    """

    @jax.jit
    def measure(q: Array) -> tuple[Array, Array]:
        positions, rotations = frames(body, q)
        starts = points_in_world(positions, rotations, body.capsule_joint, body.capsule_start)
        ends = points_in_world(positions, rotations, body.capsule_joint, body.capsule_end)
        vertices = points_in_world(positions, rotations, body.vertex_joint, body.vertex_in_joint)
        # stored once; otherwise the compiler would recompute every joint for every pair
        starts, ends, vertices = jax.lax.optimization_barrier((starts, ends, vertices))
        depth = jnp.maximum(0.0, -jnp.min(clearances(body, starts, ends), axis=0))
        return depth, linking(body, vertices)

    return measure


def dot(a: Sequence[Array], b: Sequence[Array]) -> Array:
    """The dot product of two vectors of three arrays each."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Sequence[Array], b: Sequence[Array]) -> list[Array]:
    return [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]


def _constant_dot(constants: Any, arrays: Sequence[Array], zero: Array) -> Array:
    """Sum of products with constants; zeros are left out."""
    total = jnp.zeros_like(zero)
    for factor, array in zip(np.asarray(constants).tolist(), arrays, strict=True):
        if factor != 0.0:
            total = total + factor * array
    return total
