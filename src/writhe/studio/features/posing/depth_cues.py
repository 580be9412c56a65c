"""Lines from dragged parts to the nearest surfaces, as depth cues."""

from __future__ import annotations

import re

from writhe.arrays import Vector3, vector3
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene.contact_defaults import GROUND
from writhe.studio.feature import Feature
from writhe.studio.protocol import MessagePart
from writhe.studio.view.part_labels import body_name

feature = Feature("depth")


class DepthLine(MessagePart):
    """From a dragged part to the nearest surface of another part, named `other`."""

    start: Vector3
    end: Vector3
    clearance_m: float
    other: str


class DepthLines(MessagePart):
    """A line for each dragged part that has another part near it."""

    lines: list[DepthLine]


@feature.drag_diagnostic
def depth_lines(editor: Editor, actor: int) -> DepthLines | None:
    """The smallest gaps of the dragged joints in the new pose."""
    diagnostics = editor.posed_actor_by_number(actor).diagnostics
    found = [
        gap
        for joint in editor.dragged_joints
        if (gap := diagnostics.nearest_now(joint)) is not None
    ]
    lines = [
        DepthLine(
            vector3(gap.point), vector3(gap.other_point), gap.clearance_m, _short_name(gap.other)
        )
        for gap in found
        if gap.other != GROUND
    ]
    return DepthLines(lines) if lines else None


def _short_name(part: str) -> str:
    """The name of a part without its owner, because there is little space beside the line."""
    owner, _, rest = part.partition(".")
    return body_name(rest) if rest else re.sub(r"\d+$", "", owner)
