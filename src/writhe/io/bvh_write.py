"""BVH out: as the file it came from, or with a plain layout of its own.

A BVH joint has no rest rotation: its frame is aligned with the world in the rest pose. A skeleton
with turned rest frames is written with W Q W^-1 for each joint's turn Q, where W is the world
rotation of its rest frame; positions stay the same.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.errors import WritheError
from writhe.io.file_size_limits import unique_names
from writhe.kernels.io import number_text
from writhe.kernels.skeleton.euler_channels import quaternions_to_euler
from writhe.skeleton import JointKind, Motion, Skeleton, quaternions, transforms

DECIMALS = 6  # of degrees and units: at most 5e-7 off, about 1e-8 rad
BLOCK_FRAMES = 4096
ROTATIONS = ["Zrotation", "Xrotation", "Yrotation"]
POSITIONS = ["Xposition", "Yposition", "Zposition"]
# what a channel that is not there may swallow: the rounding of a written number
_NOTHING = 1e-6


def save_bvh(
    motion: Motion,
    path: Path,
    *,
    metres_per_unit: float | None = None,
    undo_repairs: bool = False,
) -> None:
    """Write a BVH file; see `writhe.io.save`."""
    layout = _Layout(motion, metres_per_unit, undo_repairs)
    with path.open("wb") as file:
        file.write(layout.header().encode())
        layout.write_frames(file)


class _Layout:
    """Channels, offsets and units of the file to be written."""

    def __init__(self, motion: Motion, unit: float | None, undo_repairs: bool) -> None:
        self.motion = motion
        skeleton = motion.skeleton
        source = motion.source if motion.source.get("format") == "bvh" else {}
        self.unit = float(unit if unit is not None else source.get("metres_per_unit", 1.0))
        if not (np.isfinite(self.unit) and self.unit > 0):
            raise WritheError(f"metres a unit must be positive, not {self.unit}")
        self.frame_time = 1.0 / motion.fps
        stored = source.get("frame_time_s")
        if isinstance(stored, float) and abs(stored * motion.fps - 1.0) < 1e-4:
            self.frame_time = stored
        self.rest = transforms.rest_world_quaternions(skeleton)
        self.offset = _world_offsets(skeleton, self.rest) / self.unit
        channels: dict[str, list[str]] = source.get("channels", {})
        added: list[str] = source.get("positions_added_to_offset", [])
        # where the joint's position channels start counting
        self.base = self.offset.copy()
        self.channels: list[list[str]] = []
        for j, joint in enumerate(skeleton.joints):
            known = channels.get(joint.name)
            if known is None and joint.parent is None and joint.kind is JointKind.FREE:
                self.offset[j] = 0.0  # then all readers agree on what the positions mean
            if joint.name in added:
                self.base[j] = 0.0
            self.channels.append(_default_channels(joint.kind) if known is None else list(known))
        first: dict[str, list[float]] = source.get("first_rotations_deg", {})
        self.start = np.zeros((len(skeleton), 3))
        for j, name in enumerate(skeleton.names):
            degrees = first.get(name, [])[:3]
            self.start[j, : len(degrees)] = np.radians(degrees)
        if undo_repairs:
            for name, offset in cast("dict[str, Any]", source.get("repairs", {})).items():
                if name in skeleton:
                    in_metres = np.array(offset) * source["metres_per_unit"]
                    self.offset[skeleton.index(name)] = in_metres / self.unit
        self._widen()

    def _widen(self) -> None:
        """Give the full channels to a joint whose motion no longer fits in the file's own."""
        skeleton = self.motion.skeleton
        axes = np.array([_axes_of(c) for c in self.channels], dtype=np.int64)
        missing_turn = np.zeros(len(skeleton))
        missing_shift = np.zeros(len(skeleton))
        for _, shift, angles in self._blocks(axes):
            for j, channels in enumerate(self.channels):
                turns = sum(c.endswith("rotation") for c in channels)
                if turns < 3:
                    missing_turn[j] = max(missing_turn[j], np.abs(angles[:, j, turns:]).max())
                away = [r for r in range(3) if POSITIONS[r] not in channels]
                if away:
                    off = np.abs(shift[:, j, away] - self.base[j, away]).max()
                    missing_shift[j] = max(missing_shift[j], off)
        for j in range(len(skeleton)):
            shifts = missing_shift[j] * self.unit > _NOTHING
            if missing_turn[j] > _NOTHING or shifts:
                full = POSITIONS if shifts or _has_positions(self.channels[j]) else []
                self.channels[j] = [*full, *ROTATIONS]

    def _blocks(self, axes: Ints) -> Any:
        """(first frame, positions in units (F, n, 3), Euler angles (F, n, 3)) block by block."""
        skeleton, q = self.motion.skeleton, self.motion.q
        previous, matrix = self.start.copy(), np.zeros((3, 3))
        for start in range(0, len(q), BLOCK_FRAMES):
            shift, turn = transforms.joint_motions(skeleton, q[start : start + BLOCK_FRAMES])
            turn = quaternions.multiply(
                quaternions.multiply(self.rest, turn), quaternions.conjugate(self.rest)
            )
            shift = quaternions.rotate(self.rest, shift) / self.unit + self.base
            angles = np.empty((*turn.shape[:2], 3))
            quaternions_to_euler(
                np.ascontiguousarray(quaternions.normalised(turn)), axes, matrix, previous, angles
            )
            yield start, shift, angles

    def header(self) -> str:
        """The text up to the first frame."""
        skeleton = self.motion.skeleton
        clean = [re.sub(r"[\s{}]+", "_", n) for n in skeleton.names]
        names = unique_names([n if n.strip("_") else f"joint{j}" for j, n in enumerate(clean)])
        turned = [
            quaternions.rotate(self.rest[skeleton.index(t.joint)], t.offset_in_joint) / self.unit
            for t in skeleton.tips
        ]
        lines = ["HIERARCHY"]
        ancestors: list[int] = []
        for j, joint in enumerate(skeleton.joints):
            parent = int(skeleton.tree.parent[j])
            while ancestors and ancestors[-1] != parent:
                ancestors.pop()
                lines.append("\t" * len(ancestors) + "}")
            pad = "\t" * len(ancestors)
            lines += [f"{pad}{'ROOT' if parent < 0 else 'JOINT'} {names[j]}", pad + "{"]
            lines.append(f"{pad}\tOFFSET {_three(self.offset[j])}")
            words = " ".join(self.channels[j])
            lines.append(f"{pad}\tCHANNELS {len(self.channels[j])} {words}".rstrip())
            for tip, at in zip(skeleton.tips, turned, strict=True):
                if tip.joint == joint.name:
                    lines += [f"{pad}\tEnd Site", f"{pad}\t{{"]
                    lines += [f"{pad}\t\tOFFSET {_three(at)}", f"{pad}\t}}"]
            ancestors.append(j)
        while ancestors:
            ancestors.pop()
            lines.append("\t" * len(ancestors) + "}")
        lines += ["MOTION", f"Frames: {len(self.motion)}", f"Frame Time: {self.frame_time!r}"]
        return "\n".join(lines) + "\n"

    def write_frames(self, file: BinaryIO) -> None:
        """All frames, one a line."""
        axes = np.array([_axes_of(c) for c in self.channels], dtype=np.int64)
        columns = sum(len(c) for c in self.channels)
        if columns == 0:
            raise WritheError(
                "no joint of the skeleton moves, and BVH cannot hold a motion without channels"
            )
        out = np.empty(BLOCK_FRAMES * columns * number_text.LONGEST_NUMBER, dtype=np.uint8)
        for _, shift, angles in self._blocks(axes):
            rows = np.empty((len(shift), columns))
            degrees = np.degrees(angles)
            at = 0
            for j, channels in enumerate(self.channels):
                turns = 0
                for channel in channels:
                    if channel.endswith("position"):
                        rows[:, at] = shift[:, j, "XYZ".index(channel[0])]
                    else:
                        rows[:, at] = degrees[:, j, turns]
                        turns += 1
                    at += 1
            if np.abs(rows).max() >= number_text.LARGEST_WRITABLE:
                raise WritheError("a position is too far away to be written in fixed-point numbers")
            used = number_text.format_rows(rows, DECIMALS, out)
            file.write(out[:used].tobytes())


def _world_offsets(skeleton: Skeleton, rest: Floats) -> Floats:
    offset = skeleton.tree.offset.copy()
    for j, parent in enumerate(skeleton.tree.parent):
        if parent >= 0:
            offset[j] = quaternions.rotate(rest[parent], offset[j])
    return offset


def _default_channels(kind: JointKind) -> list[str]:
    if kind is JointKind.FIXED:
        return []
    if kind in (JointKind.FREE, JointKind.PRISMATIC):
        return [*POSITIONS, *ROTATIONS]
    return list(ROTATIONS)


def _has_positions(channels: list[str]) -> bool:
    return any(c.endswith("position") for c in channels)


def _axes_of(channels: list[str]) -> list[int]:
    """Three different axes, those of the channels first."""
    own = ["XYZ".index(c[0]) for c in channels if c.endswith("rotation")]
    return own + [r for r in range(3) if r not in own]


def _three(v: Floats) -> str:
    return " ".join(f"{x:.9f}".rstrip("0").rstrip(".") if x else "0" for x in v)
