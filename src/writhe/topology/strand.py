"""Strands: polylines through joints and tips, or along an object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import Floats, floats
from writhe.errors import UnknownNameError, WritheError
from writhe.skeleton import Skeleton


@dataclass(frozen=True, slots=True)
class Strand:
    """A polyline. Vertex k is fixed to the joint `joints[k]`, or to the world if that is None.

    `offsets_in_joint` (vertices, 3) is the position of each vertex in its joint's frame, or in the
    world. A closed strand returns to its first vertex, which is not repeated here.
    """

    name: str
    joints: tuple[str | None, ...]
    offsets_in_joint: Floats
    closed: bool = False

    def __post_init__(self) -> None:
        floats(self.offsets_in_joint, (len(self.joints), 3), f"the strand {self.name!r}")
        minimum = 3 if self.closed else 2
        if len(self.joints) < minimum:
            kind = "closed" if self.closed else "open"
            raise WritheError(
                f"the {kind} strand {self.name!r} has {len(self.joints)} vertices; "
                f"it needs {minimum} or more"
            )

    @classmethod
    def through(
        cls, skeleton: Skeleton, names: Sequence[str], *, name: str = "strand", closed: bool = False
    ) -> Strand:
        """The strand through these joints and tips, in this order."""
        attachments = [_attachment(skeleton, each) for each in names]
        offsets = np.array([offset for _, offset in attachments]).reshape(-1, 3)
        return cls(name, tuple(joint for joint, _ in attachments), offsets, closed)

    @classmethod
    def between(
        cls, skeleton: Skeleton, start: str, end: str, *, name: str | None = None
    ) -> Strand:
        """The strand from one joint or tip to another through every joint between them."""
        start_joint, end_joint = _attachment(skeleton, start)[0], _attachment(skeleton, end)[0]
        path = [skeleton.names[j] for j in skeleton.path(start_joint, end_joint)]
        before = [start] if start != start_joint else []
        after = [end] if end != end_joint else []
        return cls.through(skeleton, before + path + after, name=name or f"{start} to {end}")

    @classmethod
    def along(
        cls, points: ArrayLike, *, joint: str | None = None, name: str, closed: bool = False
    ) -> Strand:
        """A strand of points fixed to one joint (that of an object), or to the world."""
        array = floats(points, (None, 3), f"the strand {name!r}")
        return cls(name, (joint,) * len(array), array, closed)

    def subdivided(self, skeleton: Skeleton, pieces: int) -> Strand:
        """The same strand with every segment divided into equal pieces.

        New vertices are fixed to the joint that moves the segment. A segment between joints that
        are not parent and child is not rigid and cannot be divided.
        """
        if pieces < 1:
            raise WritheError(f"pieces must be 1 or more, not {pieces}")
        count = len(self.joints)
        joints: list[str | None] = []
        offsets: list[Floats] = []
        for k in range(count if self.closed else count - 1):
            joint, start, end = self._segment(skeleton, k, (k + 1) % count)
            joints += [self.joints[k], *[joint] * (pieces - 1)]
            offsets.append(self.offsets_in_joint[k])
            offsets += [start + (end - start) * (i / pieces) for i in range(1, pieces)]
        if not self.closed:
            joints.append(self.joints[-1])
            offsets.append(self.offsets_in_joint[-1])
        return Strand(self.name, tuple(joints), np.array(offsets), self.closed)

    def _segment(self, skeleton: Skeleton, a: int, b: int) -> tuple[str | None, Floats, Floats]:
        """The joint that a segment is rigidly attached to, and its ends in that joint's frame."""
        one, two = self.joints[a], self.joints[b]
        start, end = self.offsets_in_joint[a], self.offsets_in_joint[b]
        if one == two:
            return one, start, end
        by_name = {joint.name: joint for joint in skeleton.joints}
        if two is not None and by_name[two].parent == one and not end.any():
            return one, start, np.asarray(by_name[two].offset_in_parent)
        if one is not None and by_name[one].parent == two and not start.any():
            return two, np.asarray(by_name[one].offset_in_parent), end
        raise WritheError(
            f"the segment of {self.name!r} from {one} to {two} is not a bone and cannot be divided"
        )


def _attachment(skeleton: Skeleton, name: str) -> tuple[str, Floats]:
    """The joint that carries a joint or tip, and the offset in its frame."""
    if name in skeleton:
        return name, np.zeros(3)
    for tip in skeleton.tips:
        if tip.name == name:
            return tip.joint, np.asarray(tip.offset_in_joint, dtype=np.float64)
    raise UnknownNameError(
        "joint or tip", name, [*skeleton.names, *(tip.name for tip in skeleton.tips)]
    )
