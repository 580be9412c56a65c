"""Whole-body inverse kinematics of many postures at once, with collision rows and joint limits.

Each posture repeats damped least-squares steps v with a diagonal metric D,

    min 1/2 |v - v0|_D^2 + 1/2 |W (J v - r)|^2,

where v0 is a small step back towards the start posture and the rows are the targets and the `ROWS`
nearest pairs of capsules with gaps below `SAFE_M`. The step is v0 + D^-1 J^T y, where y solves a
small system of the size of the number of rows. The posture is projected to the joint limits after
each step. A result is solved only if its penetration (`postures`) is within the tolerance; the
motion towards it is not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

import jax
import jax.numpy as jnp
import numpy as np

from writhe.accelerator.batch_postures import (
    BALL,
    FREE,
    HINGE,
    PRISMATIC,
    clearances,
    frames,
)
from writhe.accelerator.body_arrays import BodyArrays

Array: TypeAlias = Any
linalg = cast("Any", jnp.linalg)  # states no types
ROWS = 8  # collision rows per step
SAFE_M = 0.004  # clearance that a collision row aims for
TARGET_WEIGHT, COLLISION_WEIGHT = 30.0, 100.0  # per metre
PULL = 0.01  # fraction of the difference from the start posture that a step removes
MAX_RAD = 0.25  # largest coordinate of a step
CLEAR_M = 0.0009  # largest penetration of a solved posture: the tolerance less rounding


class Posed(NamedTuple):
    """Postures q (N, nq), target errors (N, t) and penetrations (N,) in metres, and solved (N,)."""

    q: Array
    target_error_m: Array
    penetration_m: Array
    clear: Array


class LimitArrays(NamedTuple):
    """Joint limits as arrays: see `kernels.skeleton.joint_limits` for the coordinates."""

    limited: Any  # (n,)
    lower: Any  # (n, 3)
    upper: Any  # (n, 3)
    frame: Any  # (n, 4)


def limit_arrays(skeleton: Any) -> LimitArrays:
    """The limits of a `Skeleton`; a hinge uses the first entries only."""
    count = len(skeleton.joints)
    out = LimitArrays(
        np.zeros(count, dtype=np.bool_),
        np.zeros((count, 3)),
        np.zeros((count, 3)),
        np.tile(np.array([1.0, 0.0, 0.0, 0.0]), (count, 1)),
    )
    for j, joint in enumerate(skeleton.joints):
        if joint.limits is not None:
            size = len(joint.limits.lower)
            out.limited[j] = True
            out.lower[j, :size], out.upper[j, :size] = joint.limits.lower, joint.limits.upper
            out.frame[j] = joint.limits.frame
    return out


def make_posing(
    body: BodyArrays, limits: LimitArrays, joints: Sequence[int], *, iterations: int = 40
) -> Callable[[Array, Array], Posed]:
    """A compiled function of start postures (N, nq) and targets (N, t, 3) of the given joints."""
    model = _Model(body, limits, joints)

    @jax.jit
    def pose(start: Array, targets: Array) -> Posed:
        def one(start: Array, targets: Array) -> Posed:
            def step(q: Array, _: None) -> tuple[Array, None]:
                return model.step(q, start, targets), None

            q, _ = jax.lax.scan(step, start, None, length=iterations)
            positions, rotations = model.frames(q)
            depth = jnp.maximum(0.0, -jnp.min(model.clearances(positions, rotations)))
            error = linalg.norm(positions[model.targets] - targets, axis=1)
            return Posed(q, error, depth, depth <= CLEAR_M)

        return jax.vmap(one)(start, targets)

    return pose


class _Model:
    """One posture: kinematics, rows, step and projection, all traced by JAX."""

    def __init__(self, body: BodyArrays, limits: LimitArrays, joints: Sequence[int]) -> None:
        self.body, self.limits = body, limits
        self.targets = np.asarray(joints)
        kinds = np.asarray(body.kind).tolist()
        sizes = {HINGE: 1, PRISMATIC: 1, BALL: 3, FREE: 6}
        self.owner = np.concatenate(
            [np.full(sizes.get(k, 0), j) for j, k in enumerate(kinds)]
        ).astype(np.int64)
        self.turns = np.concatenate(
            [[0.0] * 3 + [1.0] * 3 if k == FREE else [float(k != PRISMATIC)] * sizes.get(k, 0)
             for k in kinds]
        )  # fmt: skip
        self.first = np.concatenate([[0], np.cumsum([sizes.get(k, 0) for k in kinds])])
        self.moves = np.zeros((len(kinds), len(self.owner)))
        for j in range(len(kinds)):
            a = j
            while a >= 0:
                self.moves[j, self.owner == a] = 1.0
                a = int(body.parent[a])
        # the root has ten times the weight, so that limbs move first
        self.inverse_metric = np.where(np.asarray(kinds)[self.owner] == FREE, 0.1, 1.0)

    def frames(self, q: Array) -> tuple[Array, Array]:
        """Positions (n, 3) and rotations (n, 3, 3)."""
        positions, rotations = frames(self.body, q)
        return (
            jnp.stack([jnp.stack(p) for p in positions]),
            jnp.stack([jnp.stack([jnp.stack(row) for row in r]) for r in rotations]),
        )

    def _axes(self, rotations: Array) -> Array:
        """(nv, 3) world axis of each tangent coordinate."""
        rows: list[Array] = []
        for j, kind in enumerate(np.asarray(self.body.kind).tolist()):
            if kind in (HINGE, PRISMATIC):
                rows.append(rotations[j] @ jnp.asarray(self.body.axis[j], rotations.dtype))
            elif kind in (BALL, FREE):
                if kind == FREE:
                    rest = jnp.asarray(self.body.rest[j], rotations.dtype)
                    parent = int(self.body.parent[j])
                    base = rest if parent < 0 else rotations[parent] @ rest
                    rows += [base[:, c] for c in range(3)]
                rows += [rotations[j][:, c] for c in range(3)]
        return jnp.stack(rows)

    def _capsules(self, positions: Array, rotations: Array) -> tuple[Array, Array]:
        """World ends (c, 3) of the capsules' axes."""
        joint = np.asarray(self.body.capsule_joint)
        return tuple(
            positions[joint]
            + jnp.einsum("cij,cj->ci", rotations[joint], jnp.asarray(local, positions.dtype))
            for local in (self.body.capsule_start, self.body.capsule_end)
        )  # type: ignore[return-value]

    def clearances(self, positions: Array, rotations: Array) -> Array:
        """(p,) gap plus allowance of every pair."""
        starts, ends = self._capsules(positions, rotations)
        return clearances(self.body, list(starts.T), list(ends.T))

    def step(self, q: Array, start: Array, targets: Array) -> Array:
        """The next configuration."""
        dtype = q.dtype
        positions, rotations = self.frames(q)
        axes = self._axes(rotations)
        owner_at = positions[self.owner]

        def point_rows(points: Array, joints: Array) -> Array:
            """(m, 3, nv) derivative of points (m, 3) carried by joints (m)."""
            arm = points[:, None, :] - owner_at[None]
            turning = jnp.cross(jnp.broadcast_to(axes[None], arm.shape), arm)
            turns = jnp.asarray(self.turns, dtype)[None, :, None]
            column = turns * turning + (1.0 - turns) * axes[None]
            return jnp.swapaxes(column * jnp.asarray(self.moves, dtype)[joints][..., None], 1, 2)

        reach = point_rows(positions[self.targets], jnp.asarray(self.targets))
        rows = [reach.reshape(-1, reach.shape[-1])]
        wanted = [(targets - positions[self.targets]).reshape(-1)]
        weights = [jnp.full(wanted[0].shape, TARGET_WEIGHT, dtype)]

        starts, ends = self._capsules(positions, rotations)
        clear = clearances(self.body, list(starts.T), list(ends.T))
        near, chosen = jax.lax.top_k(-clear, ROWS)
        a = jnp.asarray(np.asarray(self.body.pair_a))[chosen]
        b = jnp.asarray(np.asarray(self.body.pair_b))[chosen]
        on_a, on_b = _closest(starts[a], ends[a], starts[b], ends[b])
        apart = on_a - on_b
        normal = apart / jnp.maximum(linalg.norm(apart, axis=1, keepdims=True), 1e-6)
        joint = jnp.asarray(np.asarray(self.body.capsule_joint))
        relative = point_rows(on_a, joint[a]) - point_rows(on_b, joint[b])
        rows.append(jnp.einsum("mi,min->mn", normal, relative))
        lacking = jnp.maximum(0.0, SAFE_M + near)
        wanted.append(lacking)
        weights.append(jnp.where(lacking > 0, COLLISION_WEIGHT, 1e-3).astype(dtype))

        jacobian, residual = jnp.concatenate(rows), jnp.concatenate(wanted)
        weight = jnp.concatenate(weights)
        back = PULL * self._difference(q, start)
        scaled = jacobian * jnp.asarray(self.inverse_metric, dtype)
        system = scaled @ jacobian.T + jnp.diag(1.0 / (weight * weight))
        lower = linalg.cholesky(system)
        y = jax.scipy.linalg.cho_solve((lower, True), residual - jacobian @ back)
        v = back + scaled.T @ y
        v = v * jnp.minimum(1.0, MAX_RAD / jnp.maximum(jnp.max(jnp.abs(v)), 1e-9))
        return self._integrate(q, v)

    def _difference(self, q: Array, start: Array) -> Array:
        """(nv,) the tangent step from q to start."""
        rows: list[Array] = []
        for j, kind in enumerate(np.asarray(self.body.kind).tolist()):
            at = int(self.body.q_start[j])
            if kind in (HINGE, PRISMATIC):
                rows.append(start[at : at + 1] - q[at : at + 1])
            elif kind in (BALL, FREE):
                if kind == FREE:
                    rows.append(start[at : at + 3] - q[at : at + 3])
                    at += 3
                rows.append(_log(_multiply(_conjugate(q[at : at + 4]), start[at : at + 4])))
        return jnp.concatenate(rows)

    def _integrate(self, q: Array, v: Array) -> Array:
        """q after the tangent step v, projected onto the joint limits."""
        rows: list[Array] = []
        for j, kind in enumerate(np.asarray(self.body.kind).tolist()):
            at, first = int(self.body.q_start[j]), int(self.first[j])
            if kind in (HINGE, PRISMATIC):
                value = q[at : at + 1] + v[first : first + 1]
                if self.limits.limited[j]:
                    value = jnp.clip(
                        value, float(self.limits.lower[j, 0]), float(self.limits.upper[j, 0])
                    )
                rows.append(value)
            elif kind in (BALL, FREE):
                if kind == FREE:
                    rows.append(q[at : at + 3] + v[first : first + 3])
                    at, first = at + 3, first + 3
                turned = _multiply(q[at : at + 4], _exp(v[first : first + 3]))
                turned = turned / linalg.norm(turned)
                if kind == BALL and self.limits.limited[j]:
                    turned = _within(
                        turned, self.limits.lower[j], self.limits.upper[j], self.limits.frame[j]
                    )
                rows.append(turned)
        return jnp.concatenate(rows)


def _within(q: Array, lower: Any, upper: Any, frame: Any) -> Array:
    """The rotation with its twist clamped and its swing scaled back to the limit ellipse."""
    turn = jnp.asarray(frame, q.dtype)
    r = _multiply(_multiply(_conjugate(turn), q), turn)
    r = jnp.where(r[0] < 0, -r, r)
    cosine = jnp.maximum(jnp.sqrt(r[0] * r[0] + r[1] * r[1]), 1e-9)
    twist_w, twist_x = r[0] / cosine, r[1] / cosine
    sy, sz = twist_w * r[2] - twist_x * r[3], twist_w * r[3] + twist_x * r[2]
    sine = jnp.sqrt(sy * sy + sz * sz)
    scale = jnp.where(sine < 1e-6, 2.0, 2.0 * jnp.arctan2(sine, cosine) / jnp.maximum(sine, 1e-9))
    y, z = scale * sy, scale * sz
    twist = jnp.clip(2.0 * jnp.arctan2(twist_x, twist_w), float(lower[0]), float(upper[0]))
    a = jnp.where(y >= 0, float(upper[1]), -float(lower[1]))
    b = jnp.where(z >= 0, float(upper[2]), -float(lower[2]))
    extent = jnp.maximum(1.0, jnp.sqrt((y / a) ** 2 + (z / b) ** 2))
    zero = jnp.zeros_like(twist)
    swing = _exp(jnp.stack([zero, y / extent, z / extent]))
    back = _multiply(swing, _exp(jnp.stack([twist, zero, zero])))
    return _multiply(_multiply(turn, back), _conjugate(turn))


def _closest(a: Array, b: Array, c: Array, d: Array) -> tuple[Array, Array]:
    """Nearest points (m, 3) of the segments ab and cd."""
    u, v, w = b - a, d - c, a - c
    uu = jnp.maximum(jnp.sum(u * u, 1), 1e-12)
    vv = jnp.maximum(jnp.sum(v * v, 1), 1e-12)
    uv, uw, vw = jnp.sum(u * v, 1), jnp.sum(u * w, 1), jnp.sum(v * w, 1)
    apart = uu * vv - uv * uv
    s = jnp.where(apart > 1e-9 * uu * vv, (uv * vw - vv * uw) / jnp.maximum(apart, 1e-12), 0.0)
    t = jnp.clip((uv * jnp.clip(s, 0.0, 1.0) + vw) / vv, 0.0, 1.0)
    s = jnp.clip((uv * t - uw) / uu, 0.0, 1.0)
    return a + s[:, None] * u, c + t[:, None] * v


def _multiply(p: Array, q: Array) -> Array:
    return jnp.stack(
        [
            p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
            p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
            p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
            p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
        ]
    )


def _conjugate(q: Array) -> Array:
    return q * jnp.asarray([1.0, -1.0, -1.0, -1.0], q.dtype)


def _exp(w: Array) -> Array:
    """The unit quaternion of a rotation vector (3)."""
    square = jnp.sum(w * w)
    angle = jnp.sqrt(jnp.maximum(square, 1e-16))
    factor = jnp.where(square < 1e-8, 0.5 - square / 48.0, jnp.sin(0.5 * angle) / angle)
    real = jnp.where(square < 1e-8, 1.0 - square / 8.0, jnp.cos(0.5 * angle))
    return jnp.concatenate([real[None], factor * w])


def _log(q: Array) -> Array:
    """The shortest rotation vector (3) of a unit quaternion."""
    q = jnp.where(q[0] < 0, -q, q)
    sine = jnp.sqrt(jnp.maximum(jnp.sum(q[1:] * q[1:]), 1e-16))
    factor = jnp.where(sine < 1e-6, 2.0, 2.0 * jnp.arctan2(sine, q[0]) / sine)
    return factor * q[1:]
