"""Writes BVH files, with the channels of the file the motion was read from if there is one.

A BVH joint has no rest rotation: its frame is aligned with the world in the rest pose. For a
skeleton with rotated rest frames, W Q W^-1 is written for each joint rotation Q, where W is the
world rotation of its rest frame; positions stay the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.errors import WritheError
from writhe.io.file_size_limits import unique_names
from writhe.kernels.io import number_text
from writhe.kernels.skeleton.euler_channels import quaternions_to_euler
from writhe.skeleton import JointKind, Motion, Skeleton, quaternions, transforms

DECIMALS = 6  # of degrees and units: rounding of at most 5e-7, about 1e-8 rad
BLOCK_FRAMES = 4096
ROTATIONS = ["Zrotation", "Xrotation", "Yrotation"]
POSITIONS = ["Xposition", "Yposition", "Zposition"]
# motion that has no channel is dropped if it is smaller than the rounding of a written number
_NEGLIGIBLE = 1e-6


def save_bvh(
    motion: Motion,
    path: Path,
    *,
    metres_per_unit: float | None = None,
    undo_repairs: bool = False,
    rotation_orders: Mapping[str, str] | None = None,
) -> None:
    """Write a BVH file; see `writhe.io.save`."""
    layout = _ChannelLayout(motion, metres_per_unit, undo_repairs, rotation_orders or {})
    with path.open("wb") as file:
        file.write(layout.header().encode())
        layout.write_frames(file)


class _ChannelLayout:
    """Channels, offsets and units of the file."""

    def __init__(
        self,
        motion: Motion,
        unit: float | None,
        undo_repairs: bool,
        rotation_orders: Mapping[str, str],
    ) -> None:
        self.motion = motion
        skeleton = motion.skeleton
        source = motion.source if motion.source.get("format") == "bvh" else {}
        self.unit = float(unit if unit is not None else source.get("metres_per_unit", 1.0))
        if not (np.isfinite(self.unit) and self.unit > 0):
            raise WritheError(f"metres_per_unit must be positive, not {self.unit}")
        self.frame_time = 1.0 / motion.fps
        stored = source.get("frame_time_s")
        if isinstance(stored, float) and abs(stored * motion.fps - 1.0) < 1e-4:
            self.frame_time = stored
        self.rest = transforms.rest_world_quaternions(skeleton)
        self.offset = _world_offsets(skeleton, self.rest) / self.unit
        channels: dict[str, list[str]] = source.get("channels", {})
        added: list[str] = source.get("positions_added_to_offset", [])
        # the origin of the joint's position channels
        self.base = self.offset.copy()
        self.channels: list[list[str]] = []
        for j, joint in enumerate(skeleton.joints):
            known = channels.get(joint.name)
            if known is None and joint.parent is None and joint.kind is JointKind.FREE:
                self.offset[j] = 0.0  # then all programs interpret the positions in the same way
            if joint.name in added:
                self.base[j] = 0.0
            own = _default_channels(joint.kind) if known is None else list(known)
            order = rotation_orders.get(joint.name)
            self.channels.append(own if order is None else _in_order(own, order, joint.name))
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
        """Give all channels to a joint whose motion does not fit into its own channels."""
        skeleton = self.motion.skeleton
        axes = np.array([_axes_of(c) for c in self.channels], dtype=np.int64)
        missing_rotation = np.zeros(len(skeleton))
        missing_translation = np.zeros(len(skeleton))
        for _, translation, angles in self._blocks(axes):
            for j, channels in enumerate(self.channels):
                rotation_count = sum(c.endswith("rotation") for c in channels)
                if rotation_count < 3:
                    missing_rotation[j] = max(
                        missing_rotation[j], np.abs(angles[:, j, rotation_count:]).max()
                    )
                away = [r for r in range(3) if POSITIONS[r] not in channels]
                if away:
                    off = np.abs(translation[:, j, away] - self.base[j, away]).max()
                    missing_translation[j] = max(missing_translation[j], off)
        for j in range(len(skeleton)):
            translates = missing_translation[j] * self.unit > _NEGLIGIBLE
            if missing_rotation[j] > _NEGLIGIBLE or translates:
                full = POSITIONS if translates or _has_positions(self.channels[j]) else []
                self.channels[j] = [*full, *ROTATIONS]

    def _blocks(self, axes: Ints) -> Any:
        """Yield blocks (first frame, positions in units (F, n, 3), Euler angles (F, n, 3))."""
        skeleton, q = self.motion.skeleton, self.motion.q
        previous, matrix = self.start.copy(), np.zeros((3, 3))
        for start in range(0, len(q), BLOCK_FRAMES):
            translation, rotation = transforms.joint_displacements(
                skeleton, q[start : start + BLOCK_FRAMES]
            )
            rotation = quaternions.multiply(
                quaternions.multiply(self.rest, rotation), quaternions.conjugate(self.rest)
            )
            translation = quaternions.rotate(self.rest, translation) / self.unit + self.base
            angles = np.empty((*rotation.shape[:2], 3))
            quaternions_to_euler(
                np.ascontiguousarray(quaternions.normalised(rotation)),
                axes,
                matrix,
                previous,
                angles,
            )
            yield start, translation, angles

    def header(self) -> str:
        """The text up to the first frame."""
        skeleton = self.motion.skeleton
        clean = [re.sub(r"[\s{}]+", "_", n) for n in skeleton.names]
        names = unique_names([n if n.strip("_") else f"joint{j}" for j, n in enumerate(clean)])
        tip_offsets = [
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
            lines.append(f"{pad}\tOFFSET {_vector_text(self.offset[j])}")
            words = " ".join(self.channels[j])
            lines.append(f"{pad}\tCHANNELS {len(self.channels[j])} {words}".rstrip())
            for tip, at in zip(skeleton.tips, tip_offsets, strict=True):
                if tip.joint == joint.name:
                    lines += [f"{pad}\tEnd Site", f"{pad}\t{{"]
                    lines += [f"{pad}\t\tOFFSET {_vector_text(at)}", f"{pad}\t}}"]
            ancestors.append(j)
        while ancestors:
            ancestors.pop()
            lines.append("\t" * len(ancestors) + "}")
        lines += ["MOTION", f"Frames: {len(self.motion)}", f"Frame Time: {self.frame_time!r}"]
        return "\n".join(lines) + "\n"

    def write_frames(self, file: BinaryIO) -> None:
        """Write all frames, one per line."""
        axes = np.array([_axes_of(c) for c in self.channels], dtype=np.int64)
        columns = sum(len(c) for c in self.channels)
        if columns == 0:
            raise WritheError(
                "no joint of the skeleton moves, and BVH has no motion without channels"
            )
        out = np.empty(BLOCK_FRAMES * columns * number_text.LONGEST_NUMBER, dtype=np.uint8)
        for _, translation, angles in self._blocks(axes):
            rows = np.empty((len(translation), columns))
            degrees = np.degrees(angles)
            at = 0
            for j, channels in enumerate(self.channels):
                rotation_count = 0
                for channel in channels:
                    if channel.endswith("position"):
                        rows[:, at] = translation[:, j, "XYZ".index(channel[0])]
                    else:
                        rows[:, at] = degrees[:, j, rotation_count]
                        rotation_count += 1
                    at += 1
            if np.abs(rows).max() >= number_text.LARGEST_WRITABLE:
                raise WritheError("a position is too large to be written as a fixed-point number")
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


def _in_order(channels: list[str], order: str, joint: str) -> list[str]:
    """The channels with three rotations in the given order."""
    if sorted(order) != sorted("XYZ"):
        raise WritheError(f"the rotation order of {joint!r} must be like 'ZXY', not {order!r}")
    return [*(c for c in channels if c.endswith("position")), *(f"{a}rotation" for a in order)]


def _has_positions(channels: list[str]) -> bool:
    return any(c.endswith("position") for c in channels)


def _axes_of(channels: list[str]) -> list[int]:
    """Three different axes, starting with those of the rotation channels."""
    own = ["XYZ".index(c[0]) for c in channels if c.endswith("rotation")]
    return own + [r for r in range(3) if r not in own]


def _vector_text(v: Floats) -> str:
    return " ".join(f"{x:.9f}".rstrip("0").rstrip(".") if x else "0" for x in v)
