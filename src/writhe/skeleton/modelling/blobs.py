"""Blobs: tapered ellipsoids and tubes, whose smooth union is a figure's skin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.interpolate import PchipInterpolator

from writhe.arrays import Floats
from writhe.kernels.mesh.body_field import FAR_M, Blobs

Point = tuple[float, float, float]


class Swell(NamedTuple):
    """A ball around `centre` in which the body may extend beyond its hull by up to `height_m`."""

    centre: Point
    near_m: float
    far_m: float
    height_m: float


@dataclass(frozen=True, slots=True)
class Blob:
    """A tapered ellipsoid along a segment; see `kernels.mesh.body_field`.

    `flat` scales its thickness along `flat_direction`; `spread_m` widens it (at start and end)
    along both signs of `wide_direction`; `blend_m` is the width of the smooth union with the blobs
    before it in its group, unless it `continues` the previous one as a tube; group 0 is the trunk.
    """

    start: Point
    end: Point
    radii_m: tuple[float, float]
    flat: float = 1.0
    flat_direction: Point = (0.0, 0.0, 1.0)
    blend_m: float = 0.03
    spread_m: tuple[float, float] = (0.0, 0.0)
    wide_direction: Point = (1.0, 0.0, 0.0)
    continues: bool = False
    group: int = 0

    def mirrored(self, group: int) -> Blob:
        """The mirror image in x, as part of another group."""
        return replace(
            self,
            start=_flip(self.start),
            end=_flip(self.end),
            flat_direction=_flip(self.flat_direction),
            wide_direction=_flip(self.wide_direction),
            group=group,
        )


def _flip(p: Point) -> Point:
    return (-p[0], p[1], p[2])


def tube(
    knots: Sequence[tuple[float, ...]],
    *,
    wide_direction: Point = (1.0, 0.0, 0.0),
    step_m: float = 0.02,
    blend_m: float = 0.03,
) -> tuple[Blob, ...]:
    """Blobs along a smooth line with a smooth profile.

    A knot is (x, y, z, radius) or (x, y, z, radius, spread); between knots all of them follow a
    monotone cubic, so the profile neither overshoots nor shows the knots. `blend_m` is the width
    over which the tube blends into the blobs before it in its group.
    """
    table = np.array([(*k, 0.0) if len(k) == 4 else k for k in knots], dtype=np.float64)
    lengths = np.linalg.norm(np.diff(table[:, :3], axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(lengths)])
    count = max(2, int(np.ceil(along[-1] / step_m)) + 1)
    fine: Floats = PchipInterpolator(along, table)(np.linspace(0.0, float(along[-1]), count))
    blobs: list[Blob] = []
    for a, b in pairwise(fine):
        blobs.append(
            Blob(
                (a[0], a[1], a[2]),
                (b[0], b[1], b[2]),
                (a[3], b[3]),
                spread_m=(a[4], b[4]),
                wide_direction=wide_direction,
                blend_m=blend_m,
                continues=bool(blobs),
            )
        )
    return tuple(blobs)


def pack_blobs(
    blobs: Sequence[Blob],
    group_blend_m: Sequence[float],
    *,
    floor_m: float | None = None,
    floor_blend_m: float = 0.0,
    hull: Sequence[tuple[Floats, Floats, float]] = (),
    hull_blend_m: float = 0.0,
    swells: Sequence[Swell] = (),
) -> Blobs:
    """The arrays of a list of blobs.

    `group_blend_m` is the blend width of each group with the trunk; `hull` holds capsules (start,
    end, radius) that the body must stay inside, except for the `swells`.
    """
    ordered = sorted(blobs, key=lambda blob: blob.group)
    group = np.array([b.group for b in ordered], dtype=np.int64)
    reach = np.array([max(b.radii_m) * max(b.flat, 1.0) + max(b.spread_m) for b in ordered])
    ends = np.array([(b.start, b.end) for b in ordered], dtype=np.float64)
    box = [
        (
            (ends[group == g].min(axis=1) - reach[group == g, None]).min(axis=0),
            (ends[group == g].max(axis=1) + reach[group == g, None]).max(axis=0),
        )
        for g in range(len(group_blend_m))
    ]
    return Blobs(
        start=np.array([b.start for b in ordered], dtype=np.float64),
        end=np.array([b.end for b in ordered], dtype=np.float64),
        radius=np.array([b.radii_m for b in ordered], dtype=np.float64),
        spread=np.array([b.spread_m for b in ordered], dtype=np.float64),
        wide_direction=_units([b.wide_direction for b in ordered]),
        flat_direction=_units([b.flat_direction for b in ordered]),
        flat=np.array([b.flat for b in ordered], dtype=np.float64),
        blend=np.array([b.blend_m for b in ordered], dtype=np.float64),
        continues=np.array([int(b.continues) for b in ordered], dtype=np.int64),
        group=group,
        group_start=np.searchsorted(group, np.arange(len(group_blend_m) + 1)).astype(np.int64),
        box=np.array(box, dtype=np.float64),
        group_blend=np.array(group_blend_m, dtype=np.float64),
        floor=-FAR_M if floor_m is None else float(floor_m),
        floor_blend=float(floor_blend_m),
        hull_start=np.array([h[0] for h in hull], dtype=np.float64).reshape(-1, 3),
        hull_end=np.array([h[1] for h in hull], dtype=np.float64).reshape(-1, 3),
        hull_radius=np.array([h[2] for h in hull], dtype=np.float64),
        hull_blend=float(hull_blend_m),
        swell_centre=np.array([s.centre for s in swells], dtype=np.float64).reshape(-1, 3),
        swell_reach=np.array([s[1:3] for s in swells], dtype=np.float64).reshape(-1, 2),
        swell=np.array([s.height_m for s in swells], dtype=np.float64),
    )


def _units(directions: Sequence[Point]) -> Floats:
    array = np.array(directions, dtype=np.float64)
    return array / np.linalg.norm(array, axis=1, keepdims=True)
