"""Diagnostics shown beside the figure: clearance, overlapping parts, pass-throughs, linking."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats, identical
from writhe.collision import NearPairs, certify
from writhe.collision.certificate_slack import SLACK_M
from writhe.skeleton import Figure, Frames, forward
from writhe.solvers.posing import PoseResult
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.studio.editing.scene.contact_defaults import GROUND, MAX_MEASURED_M
from writhe.topology.linking_vector import body_bundle

MAX_STRANDS = 9
MAX_POSES = 240
MAX_PAIRS = 40


@dataclass(frozen=True)
class PoseDiagnostics:
    """Measurements of one pose; the actor's own parts are named without its prefix."""

    clearance_m: float | None
    violating_parts: tuple[str, ...]  # they overlap more than allowed
    linking: list[float] | None


@dataclass(frozen=True)
class PartPair:
    """Two parts near each other, by their names in the layout, and their clearance."""

    a: str
    b: str
    clearance_m: float


@dataclass(frozen=True)
class PartGap:
    """The gap between a part and another: nearest points of both surfaces, in the world frame."""

    part: str
    other: str
    clearance_m: float
    point: Floats
    other_point: Floats


class Diagnostics:
    """Measures the poses of one actor, independently of its posing method."""

    def __init__(self, figure: Figure, in_scene: ActorInScene | None) -> None:
        self.figure = figure
        self.in_scene = in_scene
        self._near = None if in_scene is None else NearPairs(in_scene.table)
        table = None if in_scene is None else in_scene.table
        parts = [] if table is None else [table.part_names[i] for i in table.shape_parts]
        self._part_of_shape = parts
        prefix = "" if in_scene is None else in_scene.prefix
        self._own_shape = np.array([part.startswith(prefix) for part in parts], dtype=np.bool_)
        self._ground_shape = np.array([part == GROUND for part in parts], dtype=np.bool_)
        linked = 2 <= len(figure.strands) <= MAX_STRANDS
        self._strands = body_bundle(figure) if linked else None
        self._overlapping: list[Floats] = []
        self._posed: tuple[Floats, Frames] | None = None  # configuration and frames of the poser
        self._found_at: Floats = np.zeros(0)  # the configuration whose pairs are in `_near`

    def see(self, result: PoseResult) -> None:
        """Reuse the kinematics that a poser has computed for its result."""
        if self.in_scene is not None and result.frames is not None:
            self._posed = (self.in_scene.full_configuration(result.q), result.frames)

    def measure(self, q: Floats) -> PoseDiagnostics:
        """Clearance, overlapping parts and linking of a pose."""
        linking = None if self._strands is None else self._strands.linking(q).tolist()
        near, in_scene = self._near, self.in_scene
        if near is None or in_scene is None:
            return PoseDiagnostics(None, (), linking)
        self._find(q)
        clearance = near.clearance
        shapes = near.rows.shapes[: near.count]
        overlaps = clearance < -SLACK_M
        # feet always touch the ground, so contact with the ground is reported only if a part
        # overlaps it
        counted = self._own_shape[shapes].any(axis=1) & (
            overlaps | ~self._ground_shape[shapes].any(axis=1)
        )
        lowest = float(clearance[counted].min()) if counted.any() else None
        parts = {self._part_of_shape[s] for s in shapes[counted & overlaps].ravel()}
        own = (part for part in parts if part.startswith(in_scene.prefix))
        return PoseDiagnostics(
            lowest, tuple(sorted(p.removeprefix(in_scene.prefix) for p in own)), linking
        )

    def near_pairs(self, q: Floats) -> list[PartPair]:
        """The nearest pairs of parts of which at least one belongs to the actor."""
        near, in_scene = self._near, self.in_scene
        if near is None or in_scene is None:
            return []
        self._find(q)
        clearance = near.clearance
        part, shapes = self._part_of_shape, near.rows.shapes
        found = [
            PartPair(part[int(shapes[row, 0])], part[int(shapes[row, 1])], float(clearance[row]))
            for row in np.argsort(clearance)[:MAX_PAIRS]
        ]
        return [
            p for p in found if p.a.startswith(in_scene.prefix) or p.b.startswith(in_scene.prefix)
        ]

    def nearest_to(self, q: Floats, joint: str) -> PartGap | None:
        """The smallest gap between the shapes of a joint of the actor and any other part at q."""
        self._find(q)
        return self.nearest_now(joint)

    def nearest_now(self, joint: str) -> PartGap | None:
        """The same in the pose measured last; None where no other part is near."""
        near, in_scene = self._near, self.in_scene
        if near is None or in_scene is None:
            return None
        number, rows = in_scene.skeleton.index(in_scene.prefix + joint), near.rows
        mine = np.flatnonzero((rows.joints[: near.count] == number).any(axis=1))
        if not len(mine):
            return None
        row = mine[np.argmin(rows.gap[mine] + rows.allowance[mine])]
        own = 0 if rows.joints[row, 0] == number else 1
        surfaces = (rows.surface_a[row].copy(), rows.surface_b[row].copy())
        parts = [self._part_of_shape[int(shape)] for shape in rows.shapes[row]]
        clearance = float(rows.gap[row] + rows.allowance[row])
        return PartGap(parts[own], parts[1 - own], clearance, surfaces[own], surfaces[1 - own])

    def _find(self, q: Floats) -> None:
        """Find the near pairs at q, unless q is the configuration of the last search."""
        near, in_scene = self._near, self.in_scene
        if near is None or in_scene is None:
            return
        whole = in_scene.full_configuration(q)
        if identical(whole, self._found_at):
            return
        if self._posed is not None and identical(whole, self._posed[0]):
            frames = self._posed[1]
        else:
            frames = forward(in_scene.skeleton, whole)
        near.find(frames.positions, frames.rotations, MAX_MEASURED_M)
        self._found_at = whole

    def pass_throughs(self, before: Floats, after: Floats, result: PoseResult) -> int:
        """The number of pairs of parts that passed through each other up to this step.

        Always 0 while the gate is on. Otherwise the poses since parts began to overlap are
        collected and certified once they are apart again.
        """
        in_scene = self.in_scene
        if result.gate.on or in_scene is None:
            return 0
        if any(pair.clearance_m < -SLACK_M for pair in self.near_pairs(after)):
            if not self._overlapping:
                self._overlapping.append(in_scene.full_configuration(before))
            self._overlapping.append(in_scene.full_configuration(after))
            if len(self._overlapping) < MAX_POSES:
                return 0
        if not self._overlapping:
            return 0
        poses, self._overlapping = [*self._overlapping, in_scene.full_configuration(after)], []
        return len(certify(in_scene.table, np.array(poses), 60.0).pass_throughs)
