"""The registry of public entry points that `test_malformed_arguments` calls with wrong arguments.

An entry is a function and arguments that are right. To add one, add a line to `entry_points`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from writhe import collision, skeleton
from writhe.collision import CollisionTable, ContactPolicy, EulerChannels, Gate, Shape
from writhe.collision.shapes import Core
from writhe.planning import EnergyOptions, PlanOptions, Timing, figure_problem, make_planner
from writhe.scene import Actor, KeyMotion, ObjectKind, Scene, SceneObject
from writhe.skeleton import Capsule, Figure, Joint, JointKind, Limits, Motion, Skeleton, Tip
from writhe.skeleton import kinematics as kin
from writhe.skeleton.quaternions import quaternion_of, rotation_matrix
from writhe.solvers.half_space import CollisionResponse, ResponseOptions
from writhe.solvers.posing import Controls, Hold, Pin, Target, hold_here, make_poser, pin_here
from writhe.solvers.tangling import SolveOptions, TangleOptions


@dataclass(frozen=True)
class Entry:
    """A public function or class with right arguments by name."""

    call: Callable[..., Any]
    right: dict[str, Any] = field(default_factory=dict[str, Any])


@cache
def two_sticks() -> Figure:
    """A free stick with a hinged second one."""
    joints = [
        Joint("root", None, JointKind.FREE),
        Joint("end", "root", JointKind.HINGE, np.array([0.0, 0.5, 0.0]), axis=np.eye(3)[0]),
    ]
    ends = np.zeros(3), np.array([0.0, 0.3, 0.0])
    return Figure(
        "sticks", Skeleton(joints), (Capsule("root", *ends, 0.05), Capsule("end", *ends, 0.05))
    )


@cache
def entry_points() -> dict[str, Entry]:
    """The registry."""
    figure = two_sticks()
    bones, q = figure.skeleton, figure.skeleton.rest_configuration
    table, point, turn = CollisionTable.of_figure(figure), (0.1, 0.2, 0.3), (1.0, 0.0, 0.0, 0.0)
    motion = Motion(bones, np.array([q, q]), fps=30.0)
    frames = skeleton.forward(bones, q)
    ball = collision.ball(point, 0.1)
    cup = SceneObject("cup", (ball,), ObjectKind.MOVED, np.array([2.0, 0.0, 0.0]))
    scene = Scene((Actor("a", figure),), (cup,))
    layout_q = scene.layout.rest()
    gate, poser, response = Gate(table), make_poser("default", figure), CollisionResponse(scene)
    target, pose = Target("end", point), np.array([2.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    euler = EulerChannels(np.full((2, 3), -1), np.zeros((2, 2, 3)))
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    problem = {"figure": figure, "start": q, "goal": q}
    step = {"q_from": q, "q_to": q}
    return {
        "certify": Entry(
            collision.certify,
            {
                "subject": table,
                "motion": motion.q,
                "fps": 30.0,
                "interpolation": "slerp",
                "euler": euler,
                "slack_m": 1e-3,
            },
        ),
        "CollisionTable": Entry(
            CollisionTable,
            {"skeleton": bones, "shapes": [ball.on("end", "x")], "policy": ContactPolicy()},
        ),
        "CollisionTable.of_figure": Entry(CollisionTable.of_figure, {"figure": figure}),
        "ContactPolicy": Entry(
            ContactPolicy, {"declared_m": {("a", "b"): 0.01}, "neighbour_extra_m": 0.005}
        ),
        "ContactPolicy.allow": Entry(ContactPolicy().allow, {"a": "a", "b": "b", "metres": 0.01}),
        "Gate": Entry(Gate, {"table": table, "slack_m": 9e-4}),
        "Gate.fraction": Entry(gate.fraction, step),
        "Gate.check": Entry(gate.check, step),
        "Gate.limit": Entry(gate.limit, step),
        "EulerChannels": Entry(EulerChannels, {"order": euler.order, "angles": euler.angles}),
        "Shape": Entry(
            Shape,
            {
                "core": Core.SEGMENT,
                "points_in_joint": corners[:2],
                "radius_m": 0.1,
                "joint": "a",
                "part": "b",
            },
        ),
        "ball": Entry(collision.ball, {"centre": point, "radius_m": 0.1}),
        "box": Entry(collision.box, {"centre": point, "size": (1, 1, 1), "rounding_m": 0.01}),
        "capsule": Entry(collision.capsule, {"start": point, "end": (0, 0, 0), "radius_m": 0.1}),
        "cylinder": Entry(
            collision.cylinder,
            {"start": point, "end": (0, 0, 0), "radius_m": 0.1, "rounding_m": 0.01},
        ),
        "half_space": Entry(collision.half_space, {"point": point, "normal": (0, 1, 0)}),
        "hull": Entry(collision.hull, {"corners": corners, "radius_m": 0.01}),
        "split_mesh": Entry(
            collision.split_mesh,
            {
                "vertices": corners,
                "triangles": faces,
                "max_pieces": 2,
                "excess": 0.03,
                "rounding_m": 0.002,
            },
        ),
        "violating_parts": Entry(
            collision.violating_parts, {"table": table, "q": motion.q, "beyond_m": 0.001}
        ),
        "Joint": Entry(
            Joint,
            {
                "name": "j",
                "parent": None,
                "kind": JointKind.HINGE,
                "offset_in_parent": point,
                "rest": turn,
                "axis": (1.0, 0.0, 0.0),
                "limits": Limits(np.array([-1.0]), np.array([1.0])),
                "mass_kg": 1.0,
            },
        ),
        "Limits": Entry(Limits, {"lower": np.zeros(3), "upper": np.ones(3), "frame": turn}),
        "Tip": Entry(Tip, {"name": "t", "joint": "end", "offset_in_joint": point}),
        "Skeleton": Entry(Skeleton, {"joints": bones.joints, "tips": ()}),
        "Capsule": Entry(
            Capsule,
            {"joint": "end", "start_in_joint": point, "end_in_joint": point, "radius_m": 0.1},
        ),
        "Figure": Entry(Figure, {"name": "f", "skeleton": bones, "capsules": figure.capsules}),
        "Motion": Entry(Motion, {"skeleton": bones, "q": motion.q, "fps": 30.0, "name": "m"}),
        "Motion.at": Entry(motion.at, {"times_s": [0.0]}),
        "Motion.resample": Entry(motion.resample, {"fps": 60.0}),
        "Motion.slice": Entry(motion.slice, {"start": 0, "stop": 1}),
        "forward": Entry(skeleton.forward, {"skeleton": bones, "q": q}),
        "point_jacobian": Entry(
            kin.point_jacobian, {"frames": frames, "joint": "end", "point_in_world": point}
        ),
        "integrate": Entry(kin.integrate, {"skeleton": bones, "q": q, "step": np.zeros(7)}),
        "difference": Entry(kin.difference, {"skeleton": bones, "q_from": q, "q_to": q}),
        "interpolate": Entry(
            kin.interpolate, {"skeleton": bones, "q_from": q, "q_to": q, "t": 0.5}
        ),
        "rotation_matrix": Entry(rotation_matrix, {"quaternion": turn}),
        "quaternion_of": Entry(quaternion_of, {"matrix": np.eye(3)}),
        "Actor": Entry(
            Actor, {"name": "a", "figure": figure, "position_m": point, "rotation": turn}
        ),
        "KeyMotion": Entry(
            KeyMotion, {"times_s": [0.0], "positions_m": [point], "rotations": np.array([turn])}
        ),
        "SceneObject": Entry(
            SceneObject,
            {
                "name": "o",
                "shapes": (ball,),
                "kind": ObjectKind.FIXED,
                "position_m": point,
                "rotation": turn,
            },
        ),
        "Scene": Entry(Scene, {"actors": scene.actors, "objects": scene.objects}),
        "Layout.motion": Entry(
            scene.layout.motion, {"actors": {"a": motion}, "objects": None, "fps": 30.0}
        ),
        "Target": Entry(
            Target,
            {"joint": "end", "position_in_world": point, "point_in_joint": point, "softness": 0.1},
        ),
        "Pin": Entry(
            Pin, {"joint": "end", "position_in_world": point, "orientation_in_world": turn}
        ),
        "Hold": Entry(Hold, {"joint": "end", "on": "root", "position_in_other": point}),
        "pin_here": Entry(pin_here, {"skeleton": bones, "q": q, "joint": "end"}),
        "hold_here": Entry(hold_here, {"skeleton": bones, "q": q, "joint": "end", "on": "root"}),
        "Controls": Entry(Controls, {"stay": 0.1, "balance": 0.0, "idle": 0.1}),
        "make_poser": Entry(make_poser, {"method": "default", "subject": figure}),
        "DefaultPoser.step": Entry(poser.step, {"q": q, "targets": [target], "pins": []}),
        "CollisionResponse": Entry(CollisionResponse, {"scene": scene}),
        "CollisionResponse.step": Entry(
            response.step, {"q": layout_q, "targets": (), "pins": (), "objects": {"cup": pose}}
        ),
        "ResponseOptions": Entry(ResponseOptions, {"iterations": 6, "max_step_rad": 0.3}),
        "SolveOptions": Entry(SolveOptions, {"seed": 1}),
        "TangleOptions": Entry(TangleOptions),
        "figure_problem": Entry(figure_problem, problem | {"planted": (), "table": table}),
        "make_planner": Entry(make_planner, {"method": "default", "options": PlanOptions()}),
        "PlanOptions": Entry(PlanOptions, {"mix": 0.3, "iterations": 600}),
        "EnergyOptions": Entry(EnergyOptions, {"falloff": 5}),
        "Timing": Entry(
            Timing, {"duration_s": 1.0, "fps": 30.0, "profile": "bell", "stagger": 0.5}
        ),
    }
