"""The HIERARCHY and the MOTION header of a BVH file."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from writhe.errors import FileFormatError
from writhe.io.file_size_limits import (
    MAX_FRAMES,
    MAX_HEADER_BYTES,
    MAX_NAME_LENGTH,
    check_joint_count,
)

CHANNELS = {
    f"{axis}{what}".lower(): f"{axis}{what}" for what in ("position", "rotation") for axis in "XYZ"
}
_LINE_END = re.compile(rb"\r\n|\r|\n")
_MOTION = re.compile(rb"(?:^|[\r\n}])[ \t]*(MOTION)[ \t]*(?=[\r\n])", re.IGNORECASE)
MAX_OFFSET = 1e9
_AFTER_MOTION = 1 << 10  # bytes that contain the two lines after MOTION


@dataclass
class BvhJoint:
    """A joint of the file, in the file's units."""

    name: str
    parent: int
    line: int
    offset: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    channels: list[str] = field(default_factory=list[str])
    end_sites: list[list[float]] = field(default_factory=list[list[float]])


@dataclass
class BvhHeader:
    """The contents before the frames, which start at byte `data_start`, on line `data_line`."""

    joints: list[BvhJoint]
    frame_count: int
    frame_time_s: float
    data_start: int
    data_line: int

    @property
    def channel_count(self) -> int:
        """Numbers per frame."""
        return sum(len(joint.channels) for joint in self.joints)


def has_motion_header(head: bytes) -> bool:
    """Whether `head` contains the whole MOTION header."""
    motion = _MOTION.search(head)
    return motion is not None and len(head) >= motion.end() + _AFTER_MOTION


def parse_header(path: Path, head: bytes) -> BvhHeader:
    """Parse the start of a BVH file up to its first frame."""
    motion = _MOTION.search(head)
    if motion is None:
        if len(head) >= MAX_HEADER_BYTES:
            problem = f"no MOTION section within the first {MAX_HEADER_BYTES >> 20} MiB"
        else:
            problem = "the file ends without a MOTION section"
        raise FileFormatError(
            path,
            problem,
            line=1 + len(_LINE_END.findall(head)),
            remedy="is it a BVH file, and complete?",
        )
    joints = _HierarchyParser(path, head[: motion.start(1)]).parse()
    line = 1 + len(_LINE_END.findall(head[: motion.start(1)]))
    at = motion.end(1)
    values: list[tuple[str, int]] = []
    for keyword, example in (("Frames:", "Frames: 120"), ("Frame Time:", "Frame Time: 0.0333333")):
        while True:
            stop = _LINE_END.search(head, at)
            text = head[at : stop.start() if stop else len(head)].decode("latin-1").strip()
            this_line = line
            if stop:
                at, line = stop.end(), line + 1
            if text or not stop:
                break
            if at >= len(head):
                break
        words = re.match(re.escape(keyword).replace(r"\ ", r"\s+") + r"?\s*(\S+)\s*$", text, re.I)
        if words is None:
            raise FileFormatError(
                path,
                f"expected '{keyword}' and a number, found {text[:40]!r}",
                line=this_line,
                remedy=f"write for example '{example}'",
            )
        values.append((words.group(1), this_line))
        if not stop:
            at = len(head)
    return BvhHeader(
        joints,
        _frame_count(path, *values[0]),
        _frame_time(path, *values[1]),
        data_start=at,
        data_line=line,
    )


def _frame_count(path: Path, text: str, line: int) -> int:
    if not re.fullmatch(r"\+?\d{1,15}", text, re.ASCII):
        raise FileFormatError(
            path, f"{text[:40]!r} is not a number of frames", line=line, remedy="write an integer"
        )
    count = int(text)
    if not 1 <= count <= MAX_FRAMES:
        raise FileFormatError(
            path,
            f"{count} frames; 1 to {MAX_FRAMES} can be read",
            line=line,
            remedy="split the clip",
        )
    return count


def _frame_time(path: Path, text: str, line: int) -> float:
    seconds = _float(text)
    if seconds is None or not 1e-6 <= seconds <= 1e6:
        raise FileFormatError(
            path,
            f"{text[:40]!r} is not a frame time",
            line=line,
            remedy="seconds per frame, such as 0.0333333",
        )
    return seconds


def _float(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


class _HierarchyParser:
    """Reads the words of the HIERARCHY section, each with its line number."""

    def __init__(self, path: Path, text: bytes) -> None:
        self.path = path
        decoded = text.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace")
        self.lines = re.split(r"\r\n|\r|\n", decoded)
        self.words = self._split()
        self.joints: list[BvhJoint] = []
        self.line = 1
        self._end_sites = 0

    def _split(self) -> Iterator[tuple[str, int]]:
        for number, text in enumerate(self.lines, 1):
            for word in text.replace("{", " { ").replace("}", " } ").split():
                yield word, number

    def _next(self, expected: str) -> str:
        word, self.line = next(self.words, ("", self.line))
        if not word:
            raise self._error(
                f"the hierarchy ends where {expected} should follow", "close all braces"
            )
        return word

    def _error(self, problem: str, remedy: str = "") -> FileFormatError:
        return FileFormatError(self.path, problem, line=self.line, remedy=remedy)

    def _number(self, what: str) -> float:
        word = self._next(what)
        value = _float(word)
        if value is None:
            raise self._error(
                f"{word[:40]!r} is not a number for {what}", "write three numbers after OFFSET"
            )
        if abs(value) > MAX_OFFSET:
            raise self._error(f"{what} {word[:40]} is larger than {MAX_OFFSET:g}")
        return value

    def _name(self, keyword: str) -> str:
        """The rest of the line up to a brace; names may contain spaces."""
        rest = self.lines[self.line - 1].split(keyword, 1)[1].split("{")[0].strip()
        if not rest:
            raise self._error(f"{keyword} without a name", f"write for example '{keyword} Hips'")
        if len(rest) > MAX_NAME_LENGTH:
            raise self._error(f"a joint's name has more than {MAX_NAME_LENGTH} characters")
        for _ in rest.replace("}", " } ").split():
            self._next("a name")
        if "}" in rest:
            raise self._error(f"the name {rest[:40]!r} contains a brace")
        return rest

    def parse(self) -> list[BvhJoint]:
        """All joints, parents before children."""
        word = self._next("HIERARCHY")
        if word.upper() != "HIERARCHY":
            raise self._error(
                f"a BVH file starts with HIERARCHY, not {word[:40]!r}", "is it a BVH file?"
            )
        while True:
            word, self.line = next(self.words, ("", self.line))
            if not word:
                break
            if word.upper() != "ROOT":
                remedy = "one closing brace too many?" if word == "}" else "ROOT and a name"
                raise self._error(f"expected ROOT or MOTION, found {word[:40]!r}", remedy)
            self._root(word)
        if not self.joints:
            raise self._error("the hierarchy has no ROOT")
        return self.joints

    def _root(self, keyword: str) -> None:
        stack = [self._open(keyword, -1)]
        while stack:
            word = self._next("a joint or a closing brace")
            at = stack[-1]
            joint = self.joints[at]
            match word.upper():
                case "}":
                    stack.pop()
                case "OFFSET":
                    joint.offset = [self._number("OFFSET") for _ in range(3)]
                case "CHANNELS":
                    self._channels(joint)
                case "JOINT":
                    stack.append(self._open(word, at))
                case "END":
                    self._end_site(joint)
                case _:
                    raise self._error(
                        f"did not expect {word[:40]!r} in joint {joint.name!r}",
                        "OFFSET, CHANNELS, JOINT, End Site or a closing brace",
                    )

    def _open(self, keyword: str, parent: int) -> int:
        self.joints.append(BvhJoint(self._name(keyword), parent, self.line))
        check_joint_count(self.path, len(self.joints))
        self._brace("{", self.joints[-1].name)
        return len(self.joints) - 1

    def _brace(self, brace: str, name: str) -> None:
        word = self._next(f"'{brace}'")
        if word != brace:
            raise self._error(f"expected '{brace}' at {name!r}, found {word[:40]!r}")

    def _channels(self, joint: BvhJoint) -> None:
        word = self._next("a number of channels")
        if word not in list("0123456"):
            raise self._error(f"{word[:40]!r} is not a number of channels", "0 to 6")
        if joint.channels:
            raise self._error(f"joint {joint.name!r} lists its channels twice")
        for _ in range(int(word)):
            given = self._next("a channel")
            channel = CHANNELS.get(given.lower())
            if channel is None:
                raise self._error(f"{given[:40]!r} is not a channel", ", ".join(CHANNELS.values()))
            if channel in joint.channels:
                raise self._error(f"joint {joint.name!r} has the channel {channel} twice")
            joint.channels.append(channel)

    def _end_site(self, joint: BvhJoint) -> None:
        word = self._next("'Site'")
        if word.upper() != "SITE":
            raise self._error(f"expected 'End Site', found 'End {word[:40]}'")
        word = self._next("'{'")
        while word != "{":  # some programs write a name for end sites
            word = self._next("'{'")
        word = self._next("OFFSET")
        if word.upper() != "OFFSET":
            raise self._error(f"expected OFFSET in an End Site, found {word[:40]!r}")
        joint.end_sites.append([self._number("OFFSET") for _ in range(3)])
        self._brace("}", f"end of {joint.name}")
        self._end_sites += 1
        check_joint_count(self.path, self._end_sites)
