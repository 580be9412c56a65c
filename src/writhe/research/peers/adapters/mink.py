"""mink: differential inverse kinematics on MuJoCo, with or without its collision limit."""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mink
import mujoco
import numpy as np

from writhe.research.peers.body import BALL, FAR_AWAY, FREE, HINGE, PeerBody
from writhe.research.peers.peer import ITERATIONS, MET_M, PIN_WEIGHT, STILL_RAD, within_reach

_DT = 0.01  # cancels: tasks and limits are stated per step
_MARGIN_M = 0.002
_DETECT_M = 0.06


def make(body: PeerBody, variant: str) -> Mink:
    """`plain` or `collision`."""
    return Mink(body, variant == "collision")


class Mink:
    """A MuJoCo body with ball joints, a task for every pin and target, solved by DAQP."""

    def __init__(self, body: PeerBody, collision: bool) -> None:
        self.body = body
        model = mujoco.MjModel.from_xml_string(_model_xml(body))
        self._configuration = mink.Configuration(model)
        self._frames = {
            joint.name: mink.FrameTask(joint.name, "body", position_cost=1.0, orientation_cost=0.0)
            for joint in body.joints
        }
        self._stay = mink.DampingTask(model, cost=0.01)
        limits: list[Any] = [mink.ConfigurationLimit(model)]
        if collision:
            pairs = [([f"c{pair.a}"], [f"c{pair.b}"]) for pair in body.clear_pairs]
            pairs.append((["the_ball"], [f"c{k}" for k in range(len(body.capsules))]))
            limits.append(
                mink.CollisionAvoidanceLimit(
                    model,
                    pairs,
                    gain=0.85,
                    minimum_distance_from_collisions=_MARGIN_M,
                    collision_detection_distance=_DETECT_M,
                )
            )
        self._limits = limits
        self._pins: Mapping[str, np.ndarray] = {}
        self._failures = 0
        self.avoids_ball = collision
        self.settings: dict[str, Any] = {
            "iterations": ITERATIONS,
            "solver": "daqp",
            "damping_cost": 0.01,
            "lm_damping": 1e-3,
            "collision_pairs": len(body.clear_pairs) if collision else 0,
            "collision_gain": 0.85,
            "margin_m": _MARGIN_M,
            "detection_m": _DETECT_M,
            "hinge_limits": True,
        }

    def start(self, q: np.ndarray, pins: Mapping[str, np.ndarray]) -> None:
        """MuJoCo's qpos has the same layout; its free joint is placed in the world."""
        qpos = q.copy()
        qpos[:3] += self.body.joints[0].offset
        self._configuration.update(qpos)
        self._pins = pins

    def move_ball(self, position: np.ndarray) -> None:
        """A mocap body."""
        self._configuration.data.mocap_pos[0] = position
        self._configuration.update()

    def step(self, targets: Mapping[str, np.ndarray]) -> np.ndarray:
        """Iterate the QP until the targets are reached."""
        tasks: list[Any] = [self._stay]
        for wanted, cost in ((self._pins, PIN_WEIGHT), (targets, 1.0)):
            for name, position in wanted.items():
                task = self._frames[name]
                task.set_position_cost(cost)
                task.set_target(mink.SE3.from_translation(position))
                tasks.append(task)
        data = self._configuration.data
        for _ in range(ITERATIONS):
            for name, position in targets.items():
                near = within_reach(data.body(name).xpos, position)
                self._frames[name].set_target(mink.SE3.from_translation(near))
            try:
                v = mink.solve_ik(
                    self._configuration, tasks, _DT, "daqp", damping=1e-3, limits=self._limits
                )
            except mink.MinkError:
                self._failures += 1  # no solution: the pose is kept
                break
            self._configuration.integrate_inplace(v, _DT)
            if np.abs(v).max() * _DT < STILL_RAD:
                break
            if targets and all(
                np.linalg.norm(data.body(n).xpos - p) < MET_M for n, p in targets.items()
            ):
                break
        self.settings["failures"] = self._failures
        q = self._configuration.q.copy()
        q[:3] -= self.body.joints[0].offset
        return q


def _model_xml(body: PeerBody) -> str:
    """The body as MJCF."""

    def numbers(values: Any) -> str:
        return " ".join(f"{value:.9g}" for value in values)

    def node(index: int) -> str:
        joint = body.joints[index]
        if joint.kind == FREE:
            moves = "<freejoint/>"
        elif joint.kind == BALL:
            moves = f'<joint name="j_{joint.name}" type="ball"/>'
        else:
            assert joint.kind == HINGE
            moves = (
                f'<joint name="j_{joint.name}" type="hinge" axis="{numbers(joint.axis)}"'
                f' range="{joint.lower} {joint.upper}" limited="true"/>'
            )
        shapes = ""
        for number, capsule in enumerate(body.capsules):
            if capsule.joint != index:
                continue
            a, b = np.array(capsule.start), np.array(capsule.end)
            if np.linalg.norm(b - a) < 1e-6:
                shape = f'type="sphere" pos="{numbers(a)}"'
            else:
                shape = f'type="capsule" fromto="{numbers((*a, *b))}"'
            shapes += f'<geom name="c{number}" {shape} size="{capsule.radius:.9g}"/>'
        children = "".join(
            node(child) for child, other in enumerate(body.joints) if other.parent == index
        )
        inertia = '<inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>'
        position = numbers(joint.offset)
        return (
            f'<body name="{joint.name}" pos="{position}">{inertia}{moves}{shapes}{children}</body>'
        )

    return (
        '<mujoco><compiler angle="radian" autolimits="false"/>'
        f'<worldbody>{node(0)}<body name="ball" mocap="true" pos="{numbers(FAR_AWAY)}">'
        f'<geom name="the_ball" type="sphere" size="{body.ball_radius}"/></body>'
        "</worldbody></mujoco>"
    )
