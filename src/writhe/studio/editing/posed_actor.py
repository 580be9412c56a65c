"""An actor that is being posed: its current pose, its poser, and what is measured of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton import Figure
from writhe.solvers.posing import Hold, Pin, Poser, PoseResult, Target
from writhe.solvers.posing.default_poser import DefaultPoser
from writhe.solvers.posing.idle_fingers import FingerPoser
from writhe.solvers.result import Status
from writhe.studio import protocol
from writhe.studio.document.solver_settings import SolverSettings
from writhe.studio.editing.posers import Posers, controls_of
from writhe.studio.editing.scene.scene_builder import SceneKey
from writhe.studio.editing.soft_pins import SoftPins
from writhe.studio.view.diagnostics import Diagnostics

# bounds of the largest change of an entry of q (radians, metres, quaternion entries)
_AT_REST_IF_REACHED = 2e-4  # a smaller step with status reached or settled: the pose is at rest
_SAME = 1e-5  # poses that differ by less are considered equal
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
            balance=_balance_mark(result),
        )


def _balance_mark(result: PoseResult) -> protocol.BalanceMark | None:
    if result.centre_of_mass_m is None or result.support is None:
        return None
    support = [(x, z) for x, z in result.support.tolist()]
    return protocol.BalanceMark(result.centre_of_mass_m, support)
