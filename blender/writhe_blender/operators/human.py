"""Add the built-in human: an armature with a skin, to try everything without a character."""

from __future__ import annotations

import bpy

from .. import build, engine
from ..process.client import EngineError


class WRITHE_OT_add_human(bpy.types.Operator):
    """Add writhe's own human, an armature with a skin that it deforms"""

    bl_idname = "writhe.add_human"
    bl_label = "Human (writhe)"
    bl_options = {"REGISTER", "UNDO"}

    fingers: bpy.props.BoolProperty(name="Fingers", description="With the bones of the fingers")

    @classmethod
    def poll(cls, context) -> bool:
        """In object mode."""
        return context.mode == "OBJECT"

    def execute(self, context):
        """Make the armature, then the mesh."""
        try:
            body = engine.drags().request("built_in_human", {"fingers": self.fingers})
        except EngineError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        armature = build.armature(context, body)
        armature.location = context.scene.cursor.location
        mesh = build.skin(context, body, armature)
        for item in context.selected_objects:
            item.select_set(False)
        mesh.select_set(False)
        armature.select_set(True)
        context.view_layer.objects.active = armature
        return {"FINISHED"}


def _menu(self, context) -> None:
    self.layout.operator("writhe.add_human", icon="OUTLINER_OB_ARMATURE")


CLASSES = (WRITHE_OT_add_human,)


def register() -> None:
    """Add it to the menu Add > Armature."""
    bpy.types.VIEW3D_MT_armature_add.append(_menu)


def unregister() -> None:
    """Remove it."""
    bpy.types.VIEW3D_MT_armature_add.remove(_menu)
