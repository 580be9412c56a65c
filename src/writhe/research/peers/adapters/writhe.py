"""writhe's own posers, behind the same protocol as the peers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

import numpy as np

from writhe.collision.shapes import ball
from writhe.postures.builtin import builtin_database
from writhe.research.peers.body import FAR_AWAY, PeerBody
from writhe.scene import Actor, ObjectKind, Scene, SceneObject
from writhe.skeleton.figures import figure
from writhe.solvers.posing import Pin, Target, make_poser


def make(body: PeerBody, variant: str) -> Writhe | WritheWithBall:
    """A poser by method name; `half-space` also avoids the ball."""
    return WritheWithBall(body) if variant == "half-space" else Writhe(variant or "default")


class Writhe:
    """A poser with the built-in database."""

    avoids_ball = False

    def __init__(self, method: str) -> None:
        database = builtin_database("basic")
        self._poser: Any = make_poser(method, figure("human"), database)
        self.settings = _settings(self._poser) | {"database": f"built in, {len(database)}"}
        self._q = np.zeros(0)
        self._pins: list[Pin] = []

    def start(self, q: np.ndarray, pins: Mapping[str, np.ndarray]) -> None:
        """Set the configuration."""
        self._q = q
        self._pins = [Pin(name, _ball_q(position)) for name, position in pins.items()]

    def move_ball(self, position: np.ndarray) -> None:
        """Ignored: this poser supports static objects only."""

    def step(self, targets: Mapping[str, np.ndarray]) -> np.ndarray:
        """One frame of the poser, gate included."""
        wanted = [Target(name, _ball_q(position)) for name, position in targets.items()]
        self._q = self._poser.step(self._q, wanted, self._pins).q
        return self._q


class WritheWithBall(Writhe):
    """The half-space poser in a scene with the ball, which it may stop."""

    avoids_ball = True

    def __init__(self, body: PeerBody) -> None:
        human = figure("human")
        shape = ball((0.0, 0.0, 0.0), body.ball_radius)
        ball_object = SceneObject("ball", (shape,), ObjectKind.MOVED, FAR_AWAY)
        scene = Scene((Actor("body", human),), (ball_object,))
        self._poser = make_poser("half-space", scene, actor="body")
        self.settings = _settings(self._poser.response)
        self._ball_q = scene.layout.object_q["ball"]
        self.ball_place = FAR_AWAY
        self._fresh = True

    def start(self, q: np.ndarray, pins: Mapping[str, np.ndarray]) -> None:
        """Set the configuration; the ball starts at its first position."""
        super().start(q, pins)
        self._fresh = True

    def move_ball(self, position: np.ndarray) -> None:
        """Set the target of the ball; at the start of a task, its position."""
        pose = np.array([*position, 1.0, 0.0, 0.0, 0.0])
        if self._fresh:
            self._poser.actor.state[self._ball_q] = pose
            self._fresh = False
        self._poser.move({"ball": pose})

    def step(self, targets: Mapping[str, np.ndarray]) -> np.ndarray:
        """One frame of the response, gate included."""
        q = super().step(targets)
        self.ball_place = self._poser.actor.state[self._ball_q][:3].copy()
        return q


def _settings(poser: Any) -> dict[str, Any]:
    options = getattr(poser, "options", None)
    found: dict[str, Any] = {"method": getattr(poser, "name", "half-space")}
    if is_dataclass(options) and not isinstance(options, type):
        found["options"] = asdict(options)
    return found


def _ball_q(point: np.ndarray) -> tuple[float, float, float]:
    return float(point[0]), float(point[1]), float(point[2])
