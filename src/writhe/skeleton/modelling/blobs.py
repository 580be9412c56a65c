"""Blobs: the rounded shapes that a figure's skin is blended from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from writhe.kernels.field import FAR_M, Blobs

Point = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Blob:
    """A tapered ellipsoid along a segment; see `kernels.field`.

    `flat` scales its thickness along `flat_direction`; `blend_m` is the width over which it melts
    into the blobs before it in its group; group 0 is the trunk.
    """

    start: Point
    end: Point
    radii_m: tuple[float, float]
    flat: float = 1.0
    flat_direction: Point = (0.0, 0.0, 1.0)
    blend_m: float = 0.03
    group: int = 0

    def mirrored(self, group: int) -> Blob:
        """The mirror image in x, as part of another group."""

        def flip(p: Point) -> Point:
            return (-p[0], p[1], p[2])

        return replace(
            self,
            start=flip(self.start),
            end=flip(self.end),
            flat_direction=flip(self.flat_direction),
            group=group,
        )


def pack_blobs(
    blobs: Sequence[Blob],
    group_blend_m: Sequence[float],
    *,
    floor_m: float | None = None,
    floor_blend_m: float = 0.0,
) -> Blobs:
    """The arrays of a list of blobs; `group_blend_m` is each group's blend with the trunk."""
    ordered = sorted(blobs, key=lambda blob: blob.group)
    direction = np.array([b.flat_direction for b in ordered], dtype=np.float64)
    return Blobs(
        start=np.array([b.start for b in ordered], dtype=np.float64),
        end=np.array([b.end for b in ordered], dtype=np.float64),
        radius=np.array([b.radii_m for b in ordered], dtype=np.float64),
        flat_direction=direction / np.linalg.norm(direction, axis=1, keepdims=True),
        flat=np.array([b.flat for b in ordered], dtype=np.float64),
        blend=np.array([b.blend_m for b in ordered], dtype=np.float64),
        group=np.array([b.group for b in ordered], dtype=np.int64),
        group_blend=np.array(group_blend_m, dtype=np.float64),
        floor=-FAR_M if floor_m is None else float(floor_m),
        floor_blend=float(floor_blend_m),
    )
