"""pink: differential inverse kinematics on Pinocchio, with or without its collision barrier."""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import coal
import numpy as np
import pink
import pinocchio as pin
from pink.barriers import SelfCollisionBarrier
from pink.limits import ConfigurationLimit
from pink.tasks import DampingTask, FrameTask

from writhe.research.peers.body import BALL, FREE, HINGE, PeerBody
from writhe.research.peers.peer import ITERATIONS, MET_M, PIN_WEIGHT, STILL_RAD, within_reach

_DT = 0.01
_NEAREST = 20  # number of nearest pairs in the barrier
_MARGIN_M = 0.002


def make(body: PeerBody, variant: str) -> Pink:
    """`plain` or `collision`."""
    return Pink(body, variant == "collision")


class Pink:
    """A Pinocchio model with spherical joints; a task for every pin and target."""

    def __init__(self, body: PeerBody, collision: bool) -> None:
        self.body = body
        self._model, numbers = _model(body)
        shapes = _shapes(body, self._model, numbers)
        self._data = self._model.createData()
        self._shapes, self._shape_data = shapes, pin.GeometryData(shapes)
        self._tasks = {
            joint.name: FrameTask(joint.name, position_cost=1.0, orientation_cost=0.0)
            for joint in body.joints
        }
        self._stay = DampingTask(cost=0.01)
        self._limits = [ConfigurationLimit(self._model)]
        self._barriers: list[Any] = []
        if collision:
            self._barriers = [
                SelfCollisionBarrier(
                    _NEAREST, gain=20.0, safe_displacement_gain=1.0, d_min=_MARGIN_M
                )
            ]
        self._collision = collision
        self._pins: Mapping[str, np.ndarray] = {}
        self._configuration = self._at(pin.neutral(self._model))
        self._failures = 0
        self.avoids_ball = False
        self.settings: dict[str, Any] = {
            "iterations": ITERATIONS,
            "solver": "daqp",
            "damping_cost": 0.01,
            "lm_damping": 1e-3,
            "collision_pairs": len(shapes.collisionPairs) if collision else 0,
            "barrier_gain": 20.0,
            "barrier_nearest": _NEAREST,
            "margin_m": _MARGIN_M,
            "hinge_limits": True,
        }

    def _at(self, q: np.ndarray) -> Any:
        if not self._collision:
            return pink.Configuration(self._model, self._data, q)
        return pink.Configuration(
            self._model,
            self._data,
            q,
            collision_model=self._shapes,
            collision_data=self._shape_data,
        )

    def start(self, q: np.ndarray, pins: Mapping[str, np.ndarray]) -> None:
        """Pinocchio's quaternions are xyzw and its free-flyer is placed in the world."""
        self._configuration = self._at(_swap(self.body, q, +1.0))
        self._pins = pins

    def move_ball(self, position: np.ndarray) -> None:
        """Not supported by this peer."""

    def step(self, targets: Mapping[str, np.ndarray]) -> np.ndarray:
        """Iterate the QP until the targets are reached."""
        tasks: list[Any] = [self._stay]
        for wanted, cost in ((self._pins, PIN_WEIGHT), (targets, 1.0)):
            for name, position in wanted.items():
                task = self._tasks[name]
                task.set_position_cost(cost)
                task.set_target(pin.SE3(np.eye(3), np.array(position)))
                tasks.append(task)
        for _ in range(ITERATIONS):
            for name, position in targets.items():
                here = self._configuration.get_transform_frame_to_world(name).translation
                self._tasks[name].set_target(pin.SE3(np.eye(3), within_reach(here, position)))
            try:
                v = pink.solve_ik(
                    self._configuration,
                    tasks,
                    _DT,
                    solver="daqp",
                    damping=1e-3,
                    limits=self._limits,
                    barriers=self._barriers,
                    safety_break=False,
                )
            except pink.exceptions.PinkError:
                self._failures += 1
                break
            if not np.isfinite(v).all():
                self._failures += 1
                break
            self._configuration.integrate_inplace(v, _DT)
            if np.abs(v).max() * _DT < STILL_RAD:
                break
            if all(
                np.linalg.norm(
                    self._configuration.get_transform_frame_to_world(name).translation - position
                )
                < MET_M
                for name, position in targets.items()
            ):
                break
        self.settings["failures"] = self._failures
        return _swap(self.body, self._configuration.q, -1.0)


def _model(body: PeerBody) -> tuple[Any, list[int]]:
    model, numbers = pin.Model(), []
    for joint in body.joints:
        position = pin.SE3(np.eye(3), np.array(joint.offset))
        parent = numbers[joint.parent] if joint.parent >= 0 else 0
        if joint.kind == FREE:
            number = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), joint.name)
        elif joint.kind == BALL:
            number = model.addJoint(parent, pin.JointModelSpherical(), position, f"j_{joint.name}")
        else:
            assert joint.kind == HINGE
            number = model.addJoint(
                parent,
                pin.JointModelRevoluteUnaligned(np.array(joint.axis)),
                position,
                f"j_{joint.name}",
                np.array([1e3]),
                np.array([1e3]),
                np.array([joint.lower]),
                np.array([joint.upper]),
            )
        numbers.append(number)
        model.appendBodyToJoint(number, pin.Inertia.Random(), pin.SE3.Identity())
        model.addFrame(pin.Frame(joint.name, number, 0, pin.SE3.Identity(), pin.FrameType.BODY))
    return model, numbers


def _shapes(body: PeerBody, model: Any, numbers: list[int]) -> Any:
    shapes = pin.GeometryModel()
    for k, capsule in enumerate(body.capsules):
        a, b = np.array(capsule.start), np.array(capsule.end)
        length = float(np.linalg.norm(b - a))
        if length < 1e-6:
            shape, turn = coal.Sphere(capsule.radius), np.eye(3)
        else:
            shape = coal.Capsule(capsule.radius, length)
            turn = pin.Quaternion.FromTwoVectors(np.array([0, 0, 1.0]), (b - a) / length).matrix()
        position = pin.SE3(turn, 0.5 * (a + b))
        shapes.addGeometryObject(
            pin.GeometryObject(f"c{k}", numbers[capsule.joint], position, shape)
        )
    for pair in body.clear_pairs:
        shapes.addCollisionPair(pin.CollisionPair(pair.a, pair.b))
    return shapes


def _swap(body: PeerBody, q: np.ndarray, to_world: float) -> np.ndarray:
    """Convert quaternions (wxyz, xyzw) and root offsets; to_world +1: to Pinocchio."""
    out = np.array(q, dtype=float)
    out[:3] += to_world * np.array(body.joints[0].offset)
    for joint, where in zip(body.joints, body.q_slices(), strict=True):
        if joint.kind in (FREE, BALL):
            w = out[where.stop - 4 : where.stop].copy()
            order = [1, 2, 3, 0] if to_world > 0 else [3, 0, 1, 2]
            out[where.stop - 4 : where.stop] = w[order]
    return out
