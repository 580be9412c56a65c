"""The interpolations of a written BVH file (slerp, Euler angles), and where they are not certified.

The file is written, read back and certified, so that rounding, the choice of Euler angles and the
joints that a reader sees are those of the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from writhe.arrays import Floats
from writhe.cleaning.window_options import BETWEEN, Instant
from writhe.collision import Certificate, CollisionTable, EulerChannels, certify
from writhe.collision.certificate_slack import SLACK_M
from writhe.collision.certify import ROUNDING_M
from writhe.collision.gate import gate_workspace
from writhe.collision.interpolated_motion import InterpolatedMotion
from writhe.collision.stored_channels import stored_channels
from writhe.collision.swept_intervals import swept_clip
from writhe.errors import WritheError
from writhe.io import figure_of, load, save
from writhe.io.bvh.rotation_orders import steady_orders
from writhe.kernels.cleaning.gated_intervals import uncertified_intervals
from writhe.kernels.skeleton.kinematics import BALL, FREE
from writhe.skeleton import Motion, quaternions
from writhe.skeleton.kinematics import interpolate

DENSER = (2, 4, 8)  # frames written for each frame of the motion where one is not enough


class NoShapesError(WritheError):
    """No collision shapes could be fitted to the skeleton of a written file."""


class WrittenMotion:
    """A motion as its BVH file stores it: both readings, slerp and Euler angles."""

    def __init__(
        self,
        motion: Motion,
        table: CollisionTable | None = None,
        rotation_orders: Mapping[str, str] | None = None,
    ) -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "motion.bvh"
            save(motion, path, rotation_orders=rotation_orders)
            self.motion = load(path)
            self.channels: EulerChannels = stored_channels(path, self.motion)
        self.written = motion
        # the table of the same file may be passed in: shapes do not depend on the frames
        self.table = table or self._fitted_table()

    def _fitted_table(self) -> CollisionTable:
        figure = figure_of(self.motion, partial=True)
        if not figure.capsules:
            raise NoShapesError("no collision shapes could be fitted to the written skeleton")
        return CollisionTable.of_figure(figure)

    def certify(self) -> Certificate:
        """The certificate of the file, under both readings."""
        return certify(self.table, self.motion.q, self.motion.fps, "both", self.channels)

    def uncertified_intervals(self) -> list[tuple[int, str]]:
        """Frames t for which the motion from t to t + 1 is not certified, and in which reading.

        Once those of the Euler angles are solved, the other reading is checked as well.
        """
        table, work = self.table, gate_workspace(self.table)
        slerp = InterpolatedMotion.of_frames("slerp", self.motion.q, self.motion.fps)
        bad = np.zeros(len(self.motion) - 1, dtype=np.bool_)
        for reading in (replace(slerp, name="euler", euler=self.channels), slerp):
            uncertified_intervals(
                table.skeleton.tree,
                table.shapes,
                table.bodies,
                table.pairs,
                swept_clip(table, reading),
                SLACK_M - ROUNDING_M,
                work,
                bad,
            )
            if bad.any():
                return [(int(t), reading.name) for t in np.flatnonzero(bad)]
        return []

    def posture_between(self, frame: int, u: float, reading: str) -> Floats:
        """(nq,) the posture of the written motion at fraction u from a frame to the next."""
        skeleton, q = self.written.skeleton, self.written.q
        out = interpolate(skeleton, q[frame], q[frame + 1], u)
        if reading == "slerp":
            return out
        tree, order = skeleton.tree, self.channels.order
        angles = self.channels.angles[frame : frame + 2]
        turn = np.mod(angles[1] - angles[0] + np.pi, 2.0 * np.pi) - np.pi  # the shorter arc
        between = angles[0] + u * turn
        for j, name in enumerate(skeleton.names):
            if tree.kind[j] not in (BALL, FREE) or name not in self.motion.skeleton:
                continue
            at = self.motion.skeleton.index(name)
            if order[at, 0] < 0:
                continue
            rotation = np.array([1.0, 0.0, 0.0, 0.0])
            for axis, angle in zip(order[at], between[at], strict=True):
                factor = np.zeros(4)
                factor[0], factor[1 + int(axis)] = np.cos(angle / 2), np.sin(angle / 2)
                rotation = quaternions.multiply(rotation, factor)
            end = int(tree.q_start[j + 1])
            out[end - 4 : end] = rotation
        return out


class FileInterpolations:
    """Finds the intervals of a clip that are not certified once it is written to a BVH file.

    Joints get other rotation orders (`steady_orders`) once the usual ones are not certified.
    """

    def __init__(self, motion: Motion) -> None:
        self._motion = motion
        self._orders: dict[str, str] = {}
        self._last: tuple[Floats, WrittenMotion, Certificate] | None = None

    def certificate(self, q: Floats) -> Certificate | None:
        """The certificate of the file with frames q (frames, nq), in both readings."""
        found = self._read(q)
        return None if found is None else found[1]

    def denser(self, q: Floats) -> tuple[Certificate | None, float]:
        """The certificate of the file, and the frame rate at which it holds.

        If only the interpolation of Euler angles is not certified, the file gets 2, 4 or 8 times as
        many frames. If none of these is certified, returns the certificate at the original rate.
        """
        fps = self._motion.fps
        found = self.certificate(q)
        if found is None or found.certified:
            return found, fps
        motion = replace(self._motion, q=q)
        assert self._last is not None
        table = self._last[1].table
        if certify(table, self._last[1].motion.q, fps).certified:
            for times in DENSER:
                dense = motion.resample(times * fps)
                certificate = WrittenMotion(dense, table, steady_orders(dense)).certify()
                if certificate.certified:
                    return certificate, times * fps
        return found, fps

    def failures(self, q: Floats) -> list[Instant]:
        """Instants of the intervals of q that are not certified, in the reading that fails."""
        found = self._read(q)
        if found is None:
            return []
        written, certificate = found
        if not certificate.certified and not self._orders:
            self._orders = steady_orders(replace(self._motion, q=q))
            if self._orders:
                self._last = self._written(q, written.table)
                _, written, certificate = self._last
        if certificate.certified:
            return []
        return [
            Instant(frame, u, written.posture_between(frame, u, reading))
            for frame, reading in written.uncertified_intervals()
            for u in BETWEEN
        ]

    def _read(self, q: Floats) -> tuple[WrittenMotion, Certificate] | None:
        if self._last is None or self._last[0] is not q:
            try:
                self._last = self._written(q, None if self._last is None else self._last[1].table)
            except NoShapesError:
                return None
        return self._last[1:]

    def _written(
        self, q: Floats, table: CollisionTable | None
    ) -> tuple[Floats, WrittenMotion, Certificate]:
        written = WrittenMotion(replace(self._motion, q=q), table, self._orders)
        return q, written, written.certify()
