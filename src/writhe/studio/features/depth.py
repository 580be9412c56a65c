"""How near a dragged part is to what comes nearest to it: what a flat picture does not tell."""

from __future__ import annotations

import re

from writhe.arrays import Floats
from writhe.studio.collisions import GROUND
from writhe.studio.feature import Feature
from writhe.studio.messages import Part, Vector3
from writhe.studio.naming import body_name
from writhe.studio.stage import Stage

feature = Feature("depth")


class DepthLine(Part, frozen=True):
    """From a part in the hand to the nearest surface of another, called `other`."""

    start: Vector3
    end: Vector3
    clearance_m: float
    other: str


class DepthReading(Part, frozen=True):
    """A line for each part in the hand that has something near it."""

    lines: list[DepthLine]


@feature.reading
def reading(stage: Stage, actor: int) -> DepthReading | None:
    """The gaps of what is held, in the pose that was just made."""
    readings = stage.posed(actor).readings
    found = [gap for joint in stage.holding if (gap := readings.nearest_now(joint)) is not None]
    lines = [
        DepthLine(_three(gap.point), _three(gap.other_point), gap.clearance_m, _called(gap.other))
        for gap in found
        if gap.other != GROUND
    ]
    return DepthReading(lines) if lines else None


def _called(part: str) -> str:
    """A part in a word or two, without whose it is: there is little room beside the line."""
    owner, _, rest = part.partition(".")
    return body_name(rest) if rest else re.sub(r"\d+$", "", owner)


def _three(values: Floats) -> Vector3:
    x, y, z = (float(v) for v in values)
    return (x, y, z)
