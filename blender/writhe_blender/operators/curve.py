"""Let a hand or foot follow a drawn curve."""

from __future__ import annotations

import bpy
import numpy as np

from .. import action as actions
from .. import axes
from ..process.client import EngineError
from .action import BackgroundActionOperator, show_result


def curve_points(context, item) -> np.ndarray:
    """(k, 3) the first line of a curve object in writhe's world."""
    evaluated = item.evaluated_get(context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    try:
        if mesh is None or len(mesh.vertices) < 2:
            raise EngineError(f"{item.name} has no points")
        points = np.array([tuple(vertex.co) for vertex in mesh.vertices])
        following = {tuple(sorted(edge.vertices)) for edge in mesh.edges}
    finally:
        evaluated.to_mesh_clear()
    count = 1
    while count < len(points) and (count - 1, count) in following:
        count += 1
    world = axes.to_writhe(context.scene) @ np.array(evaluated.matrix_world)
    return points[:count] @ world[:3, :3].T + world[:3, 3]


class WRITHE_OT_follow_curve(BackgroundActionOperator, bpy.types.Operator):
    """Let a hand or foot of the character follow the selected curve from the present frame on"""

    bl_idname = "writhe.follow_curve"
    bl_label = "Follow Curve"
    bl_options = {"REGISTER", "UNDO"}
    request = "follow"
    title = "Following the curve"

    def ask(self, context) -> dict:
        """The curve, and the pose from which it is followed."""
        data = super().ask(context)
        settings = context.scene.writhe
        if settings.curve is None:
            raise EngineError("choose a curve first")
        first = context.scene.frame_current
        return {
            **data,
            "points": curve_points(context, settings.curve),
            "limb": settings.curve_limb,
            "style": settings.curve_style,
            "span_s": [self._span.seconds(f) for f in (first, first + settings.curve_frames)],
            "floor_m": 0.0 if settings.floor else None,
        }

    def finish(self, context, answer: dict) -> str:
        """Write the keys."""
        actions.write_keys(context, answer, self._span)
        show_result(context, answer["after"], self._span, "along the curve")
        return answer["message"]


CLASSES = (WRITHE_OT_follow_curve,)
