"""An actor that is being posed: its current pose, its poser, and what is measured of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.collision import CollisionTable, Gate
from writhe.postures.gaze import gaze_joints, head_towards, looking_at
from writhe.skeleton import Figure, forward
from writhe.skeleton.kinematics import difference, integrate
from writhe.solvers.posing import Hold, Pin, Poser, PoseResult, Target
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.solvers.posing.default_poser import DefaultPoser
from writhe.solvers.posing.idle_fingers import FingerPoser
from writhe.solvers.result import Status
from writhe.studio import protocol
from writhe.studio.document.solver_settings import SolverSettings
from writhe.studio.editing.posers import Posers, controls_of
from writhe.studio.editing.scene_builder import SceneKey
from writhe.studio.editing.soft_pins import SoftPins
from writhe.studio.view.diagnostics import Diagnostics

# bounds of the largest change of an entry of q (radians, metres, quaternion entries)
_AT_REST_IF_REACHED = 2e-4  # a smaller step with status reached or settled: the pose is at rest
_SAME = 1e-5  # poses that differ by less are considered equal
_GAZE_RAD = 0.02  # by which neck and head turn in a frame to follow a hand
_NEAR_M = 0.4  # points nearer to the head are not looked at
_AT_REST = 1e-6  # a smaller step: the pose is at rest whatever the status


@dataclass
class PosedActor:
    """An actor's current pose with the poser that moves it; the poser is made on first use."""

    method: str
    figure: Figure
    q: Floats
    diagnostics: Diagnostics
    posers: Posers
    settings: SolverSettings
    soft_pins: SoftPins
    pass_throughs: int = 0
    scene_key: SceneKey | None = None
    _poser: Poser | None = None
    _solved: Floats | None = None  # the pose of the poser, before the gaze was turned
    _shown: Floats | None = None  # and after
    _gate: tuple[CollisionTable, Gate] | None = None

    @property
    def poser(self) -> Poser:
        """The poser of the method."""
        if self._poser is None or self._poser.name != self.method:
            in_scene = self.diagnostics.in_scene
            self._poser = self.posers.make(self.method, self.figure, in_scene, self.settings)
        return self._poser

    def set_pose(self, q: Floats) -> None:
        """Set the pose; one that differs from the current pose clears the soft pins."""
        if q.shape != self.q.shape or np.abs(q - self.q).max() > _SAME:
            self.soft_pins.clear()
        self.q = q.copy()

    def forget_poser(self) -> None:
        """Discard the poser, because the scene around the actor or the settings changed."""
        self._poser = None

    def step(
        self, targets: list[Target], pins: Sequence[Pin | Hold], frames: int
    ) -> tuple[PoseResult, bool]:
        """Take up to `frames` steps; returns the last result and whether the pose is at rest.

        At rest, further steps towards the same targets would not move it.
        """
        if self._solved is not None and self.q is self._shown:
            self.q = self._solved
        for _ in range(frames):
            result = self.poser.step(self.q, targets, pins)
            moved = float(np.abs(result.q - self.q).max())
            self.diagnostics.see(result)
            self.pass_throughs += self.diagnostics.pass_throughs(self.q, result.q, result)
            self.q = result.q
            if result.status in (Status.REACHED, Status.SETTLED) and moved < _AT_REST_IF_REACHED:
                return result, True
            if moved < _AT_REST:
                return result, True
        return result, False  # pyright: ignore[reportPossiblyUnboundVariable]

    def begin_drag(self, joints: Iterable[str]) -> None:
        """Set the controls for a drag of these joints."""
        if isinstance(self.poser, DefaultPoser | FingerPoser):
            wanted = controls_of(self.figure, self.settings, joints)
            if self.poser.controls != wanted:
                self.poser.controls = wanted

    def look_at(self, point: Floats, frames: int) -> bool:
        """Turn neck and head towards a point on top of the last step; whether they moved.

        The poser goes on from the pose without it, so that the gaze does not change how the body
        follows. The head is left to the poser where the point is near it, and where turning it
        would hold up the step. What is shown moves only as far as it is certified; if that is not
        the whole step, the poser goes on from there.
        """
        solved, skeleton = self.q, self.figure.skeleton
        shown = solved if self._shown is None else self._shown
        joints = gaze_joints(self.figure)
        with_head, step_rad = solved.copy(), frames * _GAZE_RAD
        for joint in joints:  # as it was turned before
            at = skeleton.q_slice(joint)
            with_head[at] = shown[at]
        if joints and np.linalg.norm(point - self._position(joints[-1])) > _NEAR_M:
            turned = looking_at(self.figure, with_head, point, step_rad)
        else:
            turned = head_towards(self.figure, with_head, solved, 2.0 * step_rad)
        share, goal = 0.0, solved
        for goal in (turned, solved):
            share = self._certified_share(shown, goal)
            if share >= 1.0:
                break
        step = share * difference(skeleton, shown, goal)
        self.q = goal.copy() if share >= 1.0 else integrate(skeleton, shown, step)
        self._shown = self.q
        self._solved = solved if share >= 1.0 else self.q
        return float(np.abs(step).max()) > _AT_REST_IF_REACHED

    def _position(self, joint: str) -> Floats:
        return forward(self.figure.skeleton, self.q).position(joint)

    def _certified_share(self, start: Floats, end: Floats) -> float:
        """The share of a step of this actor that the gate certifies."""
        in_scene = self.diagnostics.in_scene or ActorInScene.alone(self.figure)
        if self._gate is None or self._gate[0] is not in_scene.table:
            self._gate = in_scene.table, Gate(in_scene.table)
        q_from, q_to = in_scene.state.copy(), in_scene.state.copy()
        q_from[in_scene.q], q_to[in_scene.q] = start, end
        return self._gate[1].fraction(q_from, q_to)

    def end_gaze(self) -> None:
        """The next step goes on from the pose that is shown."""
        self._solved = self._shown = None

    def report(self, result: PoseResult) -> protocol.PoseReport:
        """The current pose with its diagnostics, as the answer to a drag."""
        measured = self.diagnostics.measure(self.q)
        return protocol.PoseReport(
            q=self.q.astype("<f4").tobytes(),
            milliseconds=result.milliseconds,
            status=result.status.value,
            touching=list(measured.touching),
            pass_throughs=self.pass_throughs,
            clearance_m=measured.clearance_m,
            linking=measured.linking,
            note="; ".join(result.notes),
        )
