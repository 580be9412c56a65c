"""An actor that is being posed: its current pose, its poser, and what is measured of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton import Figure
from writhe.solvers.posing import Controls, Hold, Pin, Poser, PoseResult, Target, step_until_rest
from writhe.solvers.posing.default_poser import DefaultPoser
from writhe.solvers.posing.idle_fingers import FingerPoser
from writhe.solvers.posing.steps.stepping_poser import SteppingPoser
from writhe.studio import protocol
from writhe.studio.document.solver_settings import SolverSettings
from writhe.studio.editing.posers import Posers
from writhe.studio.editing.scene.scene_builder import SceneKey
from writhe.studio.editing.soft_pins import SoftPins
from writhe.studio.view.diagnostics import Diagnostics

# poses whose entries (radians, metres, quaternion entries) differ by less are considered equal
_SAME = 1e-5


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
        self,
        targets: list[Target],
        pins: Sequence[Pin | Hold],
        frames: int,
        stepping: SteppingPoser | None = None,
    ) -> tuple[PoseResult, bool]:
        """Take up to `frames` steps; returns the last result and whether the pose is at rest.

        At rest, further steps towards the same targets would not move it. stepping: lets the feet
        step in this drag.
        """
        if stepping is not None:
            stepping.poser = self.poser
        poser = stepping or self.poser

        def after_step(before: Floats, result: PoseResult) -> None:
            self.diagnostics.see(result)
            self.pass_throughs += self.diagnostics.pass_throughs(before, result.q, result)
            self.q = result.q

        return step_until_rest(poser, self.q, targets, pins, frames, after_step=after_step)

    def begin_drag(self, joints: Iterable[str]) -> None:
        """Set the controls for a drag of these joints."""
        if isinstance(self.poser, DefaultPoser | FingerPoser):
            settings = self.settings
            wanted = Controls.for_drag(
                self.figure, joints, balance=settings.balance, gaze=settings.gaze
            )
            if self.poser.controls != wanted:
                self.poser.controls = wanted

    def report(self, result: PoseResult) -> protocol.PoseReport:
        """The current pose with its diagnostics, as the answer to a drag."""
        measured = self.diagnostics.measure(self.q)
        return protocol.PoseReport(
            q=self.q.astype("<f4").tobytes(),
            milliseconds=result.milliseconds,
            status=result.status.value,
            touching=list(measured.violating_parts),
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
