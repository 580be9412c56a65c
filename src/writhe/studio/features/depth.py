"""How near a dragged part is to what comes nearest to it: what a flat picture does not tell."""

from __future__ import annotations

import re

from writhe.arrays import Vector3, vector3
from writhe.studio.editing.contact_defaults import GROUND
from writhe.studio.editing.editor import Stage
from writhe.studio.feature import Feature
from writhe.studio.protocol import Part
from writhe.studio.view.part_labels import body_name

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
        DepthLine(vector3(gap.point), vector3(gap.other_point), gap.clearance_m, _called(gap.other))
        for gap in found
        if gap.other != GROUND
    ]
    return DepthReading(lines) if lines else None


def _called(part: str) -> str:
    """A part in a word or two, without whose it is: there is little room beside the line."""
    owner, _, rest = part.partition(".")
    return body_name(rest) if rest else re.sub(r"\d+$", "", owner)
