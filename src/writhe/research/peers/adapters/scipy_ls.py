"""SciPy's `least_squares` on residuals in NumPy, as a baseline without an IK library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from scipy.optimize import least_squares

from writhe.research.peers.body import FAR_AWAY, FREE, HINGE, PeerBody
from writhe.research.peers.geometry import capsule_ends, closest_points, world_frames
from writhe.research.peers.peer import ITERATIONS, PIN_WEIGHT

_MARGIN_M = 0.002
_NEAR_M = 0.06
_STAY = 0.01


def make(body: PeerBody, variant: str) -> SciPy:
    """`plain` or `collision`."""
    return SciPy(body, variant == "collision")


class SciPy:
    """Solves each frame for a rotation-vector step from the last one."""

    def __init__(self, body: PeerBody, collision: bool) -> None:
        self.body = body
        self.collision = collision
        self._pins: Mapping[str, np.ndarray] = {}
        self._q = np.zeros(0)
        sizes = [{FREE: 6, HINGE: 1}.get(joint.kind, 3) for joint in body.joints]
        self._ends = np.cumsum(sizes)
        self._count = int(self._ends[-1])
        # (joints, n) which coordinates of the step move a joint
        moves = np.zeros((len(body.joints), self._count), bool)
        for j, (joint, end, size) in enumerate(zip(body.joints, self._ends, sizes, strict=True)):
            if joint.parent >= 0:
                moves[j] = moves[joint.parent]
            moves[j, end - size : end] = True
        pairs, count = body.clear_pairs, len(body.capsules)
        # the ball is one more capsule, on a fixed joint
        self._moves = np.vstack([moves, np.zeros((1, self._count), bool)])
        self._a = np.array([pair.a for pair in pairs] + list(range(count)))
        self._b = np.array([pair.b for pair in pairs] + [count] * count)
        self._radius = np.array([c.radius for c in body.capsules] + [body.ball_radius])
        self._joint_of = np.array([c.joint for c in body.capsules] + [len(body.joints)])
        self._ball = FAR_AWAY
        self.avoids_ball = collision
        self.settings: dict[str, Any] = {
            "method": "trf",
            "max_nfev": ITERATIONS,
            "stay_weight": _STAY,
            "collision_pairs": len(pairs) if collision else 0,
            "margin_m": _MARGIN_M,
            "hinge_limits": True,
        }

    def start(self, q: np.ndarray, pins: Mapping[str, np.ndarray]) -> None:
        """Set the configuration."""
        self._q, self._pins = q, pins

    def move_ball(self, position: np.ndarray) -> None:
        """Set the position of the ball."""
        self._ball = position

    def step(self, targets: Mapping[str, np.ndarray]) -> np.ndarray:
        """One least-squares problem."""
        near = self._near() if self.collision else np.zeros(0, int)
        lower, upper = self._bounds()
        found = least_squares(
            self._residuals,
            np.clip(np.zeros(self._count), lower, upper),
            cast(Any, self._slopes),
            bounds=(lower, upper),
            method="trf",
            max_nfev=ITERATIONS,
            xtol=1e-6,
            ftol=1e-6,
            gtol=1e-8,
            args=(targets, near),
        )
        self._q = self._moved(found.x)
        return self._q

    def _bounds(self) -> tuple[np.ndarray, np.ndarray]:
        lower, upper = np.full(self._count, -np.inf), np.full(self._count, np.inf)
        for joint, where, end in zip(
            self.body.joints, self.body.q_slices(), self._ends, strict=True
        ):
            if joint.kind == HINGE:
                angle = self._q[where.start]
                lower[end - 1] = min(joint.lower - angle, 0.0) - 1e-9
                upper[end - 1] = max(joint.upper - angle, 0.0) + 1e-9
        return lower, upper

    def _moved(self, v: np.ndarray) -> np.ndarray:
        q = self._q.copy()
        for joint, where, end in zip(
            self.body.joints, self.body.q_slices(), self._ends, strict=True
        ):
            if joint.kind == HINGE:
                q[where.start] += v[end - 1]
                continue
            if joint.kind == FREE:
                q[:3] += v[end - 6 : end - 3]
            turn = slice(where.stop - 4, where.stop)
            q[turn] = _times(q[turn], _exponential(v[end - 3 : end]))
        return q

    def _target_rows(self, targets: Mapping[str, np.ndarray]) -> tuple[list[int], Any, np.ndarray]:
        names = self.body.names
        joints = [names.index(name) for name in (*self._pins, *targets)]
        positions = np.array([*self._pins.values(), *targets.values()])
        weights = np.array([PIN_WEIGHT] * len(self._pins) + [1.0] * len(targets))
        return joints, positions, weights

    def _gaps(self, frames: Any, near: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        starts, ends = capsule_ends(self.body, *frames)
        ball = self._ball[None, None]
        starts, ends = np.concatenate([starts, ball], 1), np.concatenate([ends, ball], 1)
        a, b = self._a[near], self._b[near]
        p, r = closest_points(starts[0, a], ends[0, a], starts[0, b], ends[0, b])
        gap = np.linalg.norm(r - p, axis=-1) - self._radius[a] - self._radius[b]
        return p, r, gap

    def _near(self) -> np.ndarray:
        everything = np.arange(len(self._a))
        _, _, gap = self._gaps(world_frames(self.body, self._q[None]), everything)
        return everything[gap < _NEAR_M]

    def _residuals(
        self, v: np.ndarray, targets: Mapping[str, np.ndarray], near: np.ndarray
    ) -> np.ndarray:
        frames = world_frames(self.body, self._moved(v)[None])
        joints, positions, weights = self._target_rows(targets)
        rows = [((frames[0][0, joints] - positions) * weights[:, None]).ravel(), _STAY * v]
        if len(near):
            rows.append(np.maximum(_MARGIN_M - self._gaps(frames, near)[2], 0.0) * PIN_WEIGHT)
        return np.concatenate(rows)

    def _slopes(
        self, v: np.ndarray, targets: Mapping[str, np.ndarray], near: np.ndarray
    ) -> np.ndarray:
        positions, rotations = world_frames(self.body, self._moved(v)[None])
        joints, _, weights = self._target_rows(targets)
        points = self._jacobian(positions[0], rotations[0], positions[0, joints], np.array(joints))
        rows = [
            (points * weights[:, None, None]).reshape(-1, self._count),
            _STAY * np.eye(self._count),
        ]
        if len(near):
            p, r, gap = self._gaps((positions, rotations), near)
            away = r - p
            away /= np.maximum(np.linalg.norm(away, axis=-1, keepdims=True), 1e-9)
            a, b = self._joint_of[self._a[near]], self._joint_of[self._b[near]]
            jp = self._jacobian(positions[0], rotations[0], p, a)
            jr = self._jacobian(positions[0], rotations[0], r, b)
            slope = np.einsum("ki,kin->kn", away, jr - jp)
            active = (gap < _MARGIN_M)[:, None]
            rows.append(np.where(active, -slope * PIN_WEIGHT, 0.0))
        return np.concatenate(rows)

    def _jacobian(
        self, positions: np.ndarray, rotations: np.ndarray, points: np.ndarray, on: np.ndarray
    ) -> np.ndarray:
        """(k, 3, n) Jacobian of points fixed to joints, for right rotation steps."""
        out = np.zeros((len(points), 3, self._count))
        for j, (joint, end) in enumerate(zip(self.body.joints, self._ends, strict=True)):
            arm = points - positions[j]
            if joint.kind == HINGE:
                out[:, :, end - 1] = np.cross(rotations[j] @ np.array(joint.axis), arm)
                continue
            for k in range(3):
                out[:, :, end - 3 + k] = np.cross(rotations[j][:, k], arm)
            if joint.kind == FREE:
                out[:, :, end - 6 : end - 3] = np.eye(3)
        return out * self._moves[on][:, None, :]


def _exponential(v: np.ndarray) -> np.ndarray:
    angle = float(np.linalg.norm(v))
    return np.concatenate([[np.cos(0.5 * angle)], 0.5 * np.sinc(0.5 * angle / np.pi) * v])


def _times(p: np.ndarray, r: np.ndarray) -> np.ndarray:
    w = p[0] * r[0] - p[1:] @ r[1:]
    out = np.concatenate([[w], p[0] * r[1:] + r[0] * p[1:] + np.cross(p[1:], r[1:])])
    return out / np.linalg.norm(out)
