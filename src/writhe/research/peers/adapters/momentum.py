"""momentum (PyPI `pymomentum-core`): Gauss-Newton with position, limit and collision errors."""

# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pymomentum.geometry as geometry
import pymomentum.solver2 as solver

from writhe.research.peers.body import BALL, FAR_AWAY, FREE, HINGE, PeerBody
from writhe.research.peers.peer import ITERATIONS, PIN_WEIGHT

CM = 100.0  # momentum's characters are in centimetres
_PER_JOINT = 7  # tx ty tz rx ry rz scale


def make(body: PeerBody, variant: str) -> MomentumPeer:
    """`plain` or `collision`."""
    return MomentumPeer(body, variant == "collision")


class MomentumPeer:
    """A character of 54 parameters, with Euler angles at ball joints as in the library.

    The ball is a capsule on a joint of its own, whose three parameters the solver may not change.
    """

    def __init__(self, body: PeerBody, collision: bool) -> None:
        self.body = body
        joints = [
            geometry.Joint(
                joint.name,
                joint.parent,
                np.array([0, 0, 0, 1], dtype=np.float32),
                np.array(joint.offset, np.float32) * CM,
            )
            for joint in body.joints
        ]
        still = np.array([0, 0, 0, 1], dtype=np.float32)
        joints.append(geometry.Joint("the_ball", -1, still, np.zeros(3, np.float32)))
        skeleton = geometry.Skeleton(joints)
        names, matrix = self._parameters()
        transform = geometry.ParameterTransform(names, skeleton, matrix)
        character = geometry.Character("human", skeleton, transform)
        character = character.with_parameter_limits(
            [
                geometry.ParameterLimit.create_minmax(names.index(f"{j.name}_h"), j.lower, j.upper)
                for j in body.joints
                if j.kind == HINGE
            ]
        )
        if collision:
            character = character.with_collision_geometry(self._capsules())
        self.character = character
        self._matrix = matrix
        self._targets = solver.PositionErrorFunction(character)
        self._stay = solver.ModelParametersErrorFunction(
            character, np.zeros(len(names), np.float32), weight=0.01
        )
        errors: list[Any] = [self._targets, self._stay, solver.LimitErrorFunction(character)]
        if collision:
            errors.append(solver.CollisionErrorFunction(character, weight=100.0))
        options = solver.GaussNewtonSolverOptions()
        options.max_iterations = ITERATIONS
        options.min_iterations = 1
        options.regularization = 0.05
        options.threshold = 1.0
        options.do_line_search = True  # without it fast drags diverge
        self._solver = solver.GaussNewtonSolver(
            solver.SkeletonSolverFunction(character, errors), options
        )
        self._solver.set_enabled_parameters(np.arange(len(names)) < len(names) - 3)
        self._pins: Mapping[str, np.ndarray] = {}
        self._state = np.zeros(len(names), np.float32)
        self.avoids_ball = collision
        self.settings: dict[str, Any] = {
            "solver": "GaussNewtonSolver",
            "iterations": ITERATIONS,
            "regularization": 0.05,
            "line_search": True,
            "stay_weight": 0.01,
            "collision_weight": 100.0 if collision else None,
            "collision_pairs": "those it chooses itself" if collision else 0,
            "hinge_limits": True,
            "units": "cm",
        }

    def _parameters(self) -> tuple[list[str], np.ndarray]:
        names: list[str] = []
        columns: list[np.ndarray] = []
        size = _PER_JOINT * (len(self.body.joints) + 1)

        def add(name: str, row: int, factor: float) -> None:
            column = np.zeros(size, np.float32)
            column[row] = factor
            names.append(name)
            columns.append(column)

        for j, joint in enumerate(self.body.joints):
            start = _PER_JOINT * j
            if joint.kind == FREE:
                for k, axis in enumerate("xyz"):
                    add(f"{joint.name}_t{axis}", start + k, 1.0)
            if joint.kind in (FREE, BALL):
                for k, axis in enumerate("xyz"):
                    add(f"{joint.name}_r{axis}", start + 3 + k, 1.0)
            if joint.kind == HINGE:
                k = int(np.argmax(np.abs(joint.axis)))
                add(f"{joint.name}_h", start + 3 + k, float(np.sign(joint.axis[k])))
        for k, axis in enumerate("xyz"):
            add(f"the_ball_t{axis}", size - _PER_JOINT + k, 1.0)
        return names, np.stack(columns, axis=1)

    def _capsules(self) -> list[Any]:
        out: list[Any] = []
        for capsule in self.body.capsules:
            a, b = np.array(capsule.start) * CM, np.array(capsule.end) * CM
            length = float(np.linalg.norm(b - a))
            position = np.eye(4, dtype=np.float32)
            position[:3, :3] = _frame_along(b - a)
            position[:3, 3] = a
            radius = np.full(2, capsule.radius * CM, np.float32)
            out.append(geometry.TaperedCapsule(capsule.joint, position, radius, length))
        radius = np.full(2, self.body.ball_radius * CM, np.float32)
        position = np.eye(4, dtype=np.float32)
        out.append(geometry.TaperedCapsule(len(self.body.joints), position, radius, 0.0))
        return out

    def start(self, q: np.ndarray, pins: Mapping[str, np.ndarray]) -> None:
        """Read the parameters off the configuration."""
        local = np.zeros((len(self.body.joints) + 1, 8), np.float32)
        local[-1] = (*(FAR_AWAY * CM), 0.0, 0.0, 0.0, 1.0, 1.0)
        for j, (joint, w) in enumerate(
            zip(self.body.joints, self.body.local_rotations(q), strict=True)
        ):
            moved = np.zeros(3) if joint.parent >= 0 else q[:3]
            local[j, :3] = (np.array(joint.offset) + moved) * CM
            local[j, 3:] = (w[1], w[2], w[3], w[0], 1.0)
        parameters = geometry.local_skeleton_state_to_joint_parameters(self.character, local)
        flat = np.asarray(parameters, np.float64).reshape(-1)
        self._state = np.linalg.lstsq(self._matrix, flat, rcond=None)[0].astype(np.float32)
        self._pins = pins

    def move_ball(self, position: np.ndarray) -> None:
        """Set the ball's own parameters."""
        self._state[-3:] = position * CM

    def step(self, targets: Mapping[str, np.ndarray]) -> np.ndarray:
        """One solve, started from the last solution."""
        names = self.body.names
        self._targets.clear_constraints()
        for name, position in self._pins.items():
            self._targets.add_constraint(
                names.index(name), target=np.float32(position * CM), weight=PIN_WEIGHT
            )
        for name, position in targets.items():
            self._targets.add_constraint(names.index(name), target=np.float32(position * CM))
        self._stay.set_target_parameters(self._state)
        self._state = self._solver.solve(self._state)
        local = geometry.model_parameters_to_local_skeleton_state(self.character, self._state)
        rotations = np.asarray(local, np.float64)[:-1, [6, 3, 4, 5]]
        root = np.asarray(local[0, :3], np.float64) / CM - np.array(self.body.joints[0].offset)
        return self.body.configuration(root, rotations)


def _frame_along(direction: np.ndarray) -> np.ndarray:
    """A rotation whose x axis points along the direction."""
    length = np.linalg.norm(direction)
    x = direction / length if length > 1e-9 else np.array([1.0, 0.0, 0.0])
    other = np.eye(3)[int(np.argmin(np.abs(x)))]
    y = np.cross(x, other)
    y /= np.linalg.norm(y)
    return np.stack([x, y, np.cross(x, y)], axis=1)
