"""Reads BVH files with any hierarchy, channel order and line ends, in blocks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from writhe.arrays import Floats
from writhe.errors import FileFormatError, WritheError
from writhe.io.bvh.contents import AXES, BvhContents, describe, frame_rate, read_header
from writhe.io.bvh.hierarchy import BvhHeader, BvhJoint
from writhe.io.bvh.up_axis import has_z_up, turned_to_y_up
from writhe.io.file_size_limits import check_numbers, checked_size
from writhe.kernels.io import number_text
from writhe.kernels.skeleton.euler_channels import (
    ChannelMap,
    align_hemispheres,
    channels_to_configurations,
)
from writhe.skeleton import JointKind, Motion

BLOCK_BYTES = 1 << 20  # fits in a processor cache


def load_bvh(
    path: Path,
    *,
    metres_per_unit: float | None = None,
    repair: bool = True,
    name: str | None = None,
    up: str | None = None,
) -> Motion:
    """Read a BVH file; see `writhe.io.load`."""
    if up not in (None, "y", "z"):
        raise WritheError(f"up must be y or z, not {up!r}")
    size = checked_size(path)
    with path.open("rb") as file:
        header = read_header(path, file)
        contents = describe(header, metres_per_unit=metres_per_unit, repair=repair)
        skeleton = contents.skeleton
        q = _numbers(path, file, size - header.data_start, header, contents)
    align_hemispheres(skeleton.tree.kind, skeleton.tree.q_start, q)
    for joint in skeleton.joints:
        if joint.kind is JointKind.HINGE:  # along the shorter arc, like joints that slerp
            at = skeleton.q_slice(joint.name)
            q[:, at] = np.unwrap(q[:, at], axis=0)
    source = contents.source
    if up == "z" or (up is None and has_z_up(skeleton, q)):
        skeleton = turned_to_y_up(skeleton)
        source = {**source, "up": "z", "up_from": "given" if up else "a person stands along z"}
    return Motion(skeleton, q, frame_rate(header.frame_time_s), name or path.stem, source)


def read_channels(path: Path) -> tuple[BvhHeader, Floats]:
    """The header of a BVH file and its numbers (frames, channels) as stored."""
    checked_size(path)
    with path.open("rb") as file:
        header = read_header(path, file)
        blocks = [rows.copy() for rows in _row_blocks(path, file, header)]
    check_numbers(path, header.frame_count, header.channel_count)
    return header, np.concatenate(blocks)


def _numbers(
    path: Path,
    file: BinaryIO,
    bytes_left: int,
    header: BvhHeader,
    contents: BvhContents,
) -> Floats:
    """Configurations (frames, nq), read block by block."""
    skeleton = contents.skeleton
    columns = header.channel_count
    if columns == 0:
        raise FileFormatError(path, "no joint has channels, so there is no motion")
    check_numbers(path, header.frame_count, max(columns, skeleton.configuration_size))
    # a number takes at least two bytes, so the file size bounds the memory for any frame count
    maximum = min(header.frame_count, bytes_left // (2 * columns) + 1)
    q = np.empty((maximum, skeleton.configuration_size))
    channels: ChannelMap | None = None
    done = 0
    for rows in _row_blocks(path, file, header):
        if channels is None:
            channels = _channel_map(header.joints, contents, rows)
        channels_to_configurations(rows, channels, contents.unit, q[done : done + len(rows)])
        done += len(rows)
    return q


def _row_blocks(path: Path, file: BinaryIO, header: BvhHeader) -> Iterator[Floats]:
    """Yield the numbers of the frames in blocks (frames, channels); the array is reused."""
    columns = header.channel_count
    if columns == 0:
        raise FileFormatError(path, "no joint has channels, so there is no motion")
    rows = np.empty((BLOCK_BYTES // (2 * columns) + 2, columns))
    state = np.zeros(4, dtype=np.int64)
    done, line, rest = 0, header.data_line, b""
    while True:
        data = file.read(BLOCK_BYTES - len(rest))
        block, rest = _whole_lines(rest + data, last=not data)
        if not data and not block:
            break
        if not block:
            raise FileFormatError(path, f"a line is longer than {BLOCK_BYTES >> 20} MiB", line=line)
        buffer = np.frombuffer(block, dtype=np.uint8)
        capacity = min(len(rows), header.frame_count - done)
        code = number_text.parse_rows(buffer, len(buffer), columns, rows, capacity, state)
        read = int(state[0])
        if code != number_text.OK:
            raise _row_error(path, code, block, state, header, line + int(state[1]), done)
        line += int(state[1])
        if read:
            yield rows[:read]
            done += read
    if done < header.frame_count:
        raise FileFormatError(
            path,
            f"the header promises {header.frame_count} frames, the file holds {done}",
            line=line,
            remedy=f"the file was cut short; or write 'Frames: {done}'",
        )


def _whole_lines(data: bytes, last: bool) -> tuple[bytes, bytes]:
    if last:
        return (data if data[-1:] in (b"", b"\n", b"\r") else data + b"\n"), b""
    # a carriage return at the end of the block may be the first half of CR LF
    cut = max(data.rfind(b"\n"), data.rfind(b"\r", 0, len(data) - 1)) + 1
    return data[:cut], data[cut:]


def _row_error(
    path: Path,
    code: int,
    block: bytes,
    state: np.ndarray,
    header: BvhHeader,
    line: int,
    done: int,
) -> FileFormatError:
    columns, found, at = header.channel_count, int(state[2]), int(state[3])
    word = block[at : at + 60].split()
    shown = word[0][:40].decode("latin-1") if word else ""
    frame = done + int(state[0]) + 1
    which = f"number {found + 1} of frame {frame}, {shown!r},"
    problems = {
        number_text.TOO_FEW: (
            f"frame {frame} has {found} numbers, the channels need {columns}",
            "the line is incomplete, or CHANNELS are wrong",
        ),
        number_text.TOO_MANY: (
            f"frame {frame} has more than the {columns} numbers that the channels need",
            "write one frame per line, and check CHANNELS",
        ),
        number_text.TOO_MANY_ROWS: (
            f"more lines than the {header.frame_count} frames of the header, from {shown!r}",
            "set 'Frames:' to the number of lines",
        ),
        number_text.NOT_FINITE: (f"{which} is not finite", "fill the gap in the capture"),
    }
    not_a_number = f"{which} is not a number", "write decimal numbers such as -1.5 or 2e-3"
    problem, remedy = problems.get(code, not_a_number)
    return FileFormatError(path, problem, line=line, remedy=remedy)


def _channel_map(joints: list[BvhJoint], contents: BvhContents, rows: Floats) -> ChannelMap:
    skeleton, offsets, source = contents.skeleton, contents.offsets, contents.source
    n = len(joints)
    position = np.full((n, 3), -1, dtype=np.int64)
    rotation = np.full((n, 3), -1, dtype=np.int64)
    axes = np.zeros((n, 3), dtype=np.int64)
    base = np.zeros((n, 3))
    added: list[str] = []
    at = 0
    for j, joint in enumerate(joints):
        rotation_count = 0
        for channel in joint.channels:
            axis = AXES.index(channel[0])
            if channel.endswith("position"):
                position[j, axis] = at
            else:
                rotation[j, rotation_count], axes[j, rotation_count] = at, axis
                rotation_count += 1
            at += 1
        if (position[j] >= 0).any():
            if _adds_to_offset(rows, position[j], offsets[j]):
                added.append(skeleton.names[j])
            else:
                base[j] = offsets[j]
    source["positions_added_to_offset"] = added
    # keep the stored angles of the first frame, to write the same of the equivalent sets again
    source["first_rotations_deg"] = {
        name: [float(rows[0, c]) for c in rotation[j] if c >= 0]
        for j, name in enumerate(skeleton.names)
    }
    return ChannelMap(
        skeleton.tree.kind,
        np.ascontiguousarray(skeleton.tree.q_start[:-1]),
        position,
        rotation,
        axes,
        base,
    )


def _adds_to_offset(rows: Floats, channel: np.ndarray, offset: Floats) -> bool:
    """Whether a joint's position channels add to its OFFSET instead of replacing it.

    Most programs (Blender, MotionBuilder, LAFAN1) write the whole translation; some write the
    difference from OFFSET, which is small compared to OFFSET along every axis on which OFFSET is
    not small. If the channel of one axis holds the whole translation, those of all axes do. The
    height usually tells: hips may start far from the origin horizontally, but near their height.
    """
    there = channel >= 0
    size = float(np.linalg.norm(offset[there]))
    if size == 0.0:
        return False
    values = np.median(np.abs(rows[:, channel[there]]), axis=0)
    lengths = np.abs(offset[there])
    counts = lengths > 0.05 * size
    return bool((values[counts] < 0.1 * lengths[counts]).all())
