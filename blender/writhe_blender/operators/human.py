"""Add the built-in human: an armature with a skin, to try everything without a character."""

from __future__ import annotations

import bpy
import numpy as np

from .. import axes, engine
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
        turn = np.linalg.inv(axes.to_writhe(context.scene))[:3, :3]
        armature = _armature(context, body, turn)
        mesh = _skin(context, body, turn, armature)
        for item in context.selected_objects:
            item.select_set(False)
        mesh.select_set(False)
        armature.select_set(True)
        context.view_layer.objects.active = armature
        return {"FINISHED"}


def _armature(context, body: dict, turn: np.ndarray):
    data = bpy.data.armatures.new(body["name"])
    data.display_type = "STICK"
    item = bpy.data.objects.new(body["name"], data)
    item.show_in_front = True
    item.location = context.scene.cursor.location
    context.collection.objects.link(item)
    context.view_layer.objects.active = item
    bpy.ops.object.mode_set(mode="EDIT")
    for j, name in enumerate(body["bones"]):
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = turn @ body["head"][j], turn @ body["tail"][j]
        if body["parent"][j] >= 0:
            bone.parent = data.edit_bones[body["bones"][body["parent"][j]]]
    bpy.ops.object.mode_set(mode="OBJECT")
    return item


def _skin(context, body: dict, turn: np.ndarray, armature):
    mesh = bpy.data.meshes.new(f"{body['name']} Skin")
    points = np.asarray(body["vertices"]) @ turn.T
    mesh.from_pydata(points.tolist(), [], np.asarray(body["triangles"]).tolist())
    mesh.polygons.foreach_set("use_smooth", np.ones(len(mesh.polygons), dtype=bool))
    item = bpy.data.objects.new(mesh.name, mesh)
    context.collection.objects.link(item)
    groups = [item.vertex_groups.new(name=name) for name in body["bones"]]
    for vertex, bone, weight in zip(body["weight_vertex"], body["weight_bone"], body["weight"]):
        groups[bone].add([int(vertex)], float(weight), "REPLACE")
    item.parent = armature
    item.modifiers.new("Armature", "ARMATURE").object = armature
    return item


def _menu(self, context) -> None:
    self.layout.operator("writhe.add_human", icon="OUTLINER_OB_ARMATURE")


CLASSES = (WRITHE_OT_add_human,)


def register() -> None:
    """Add it to the menu Add > Armature."""
    bpy.types.VIEW3D_MT_armature_add.append(_menu)


def unregister() -> None:
    """Remove it."""
    bpy.types.VIEW3D_MT_armature_add.remove(_menu)
