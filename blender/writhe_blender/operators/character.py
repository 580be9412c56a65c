"""Set up a character: roles of its bones, collision shapes."""

from __future__ import annotations

import bpy

from .. import control_rig, engine, scene_sync
from ..jobs import BackgroundOperator


def active_armature(context):
    """The armature that is selected or being posed, or the one of the selected mesh."""
    item = context.object
    if item is not None and item.type == "MESH":
        found = item.find_armature()
        return found if found is not None else None
    return item if item is not None and item.type == "ARMATURE" else None


class WRITHE_OT_set_up(BackgroundOperator, bpy.types.Operator):
    """Find the body of the armature: which bone is what, and shapes that follow the mesh"""

    bl_idname = "writhe.set_up"
    bl_label = "Set Up Character"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        """With an armature, or a mesh that one deforms."""
        return active_armature(context) is not None

    request = "set_character"
    title = "Setting up"

    def ask(self, context) -> dict:
        """The armature with its meshes."""
        armature = active_armature(context)
        self._armature = armature.name
        rig = control_rig.find(context, armature)
        armature.writhe.rig = "" if rig is None else rig.to_text()
        self._found, self._key = scene_sync.describe(context, armature, refit=True)
        return self._found

    def finish(self, context, answer: dict) -> str:
        """Make it a body of the engine of drags, and store what was found."""
        armature = context.scene.objects[self._armature]
        client = engine.drags()
        found = scene_sync.adopt(armature, client, self._found, self._key, answer["capsules"])
        armature.writhe.is_character = True
        scene_sync.send(context, client)
        client.request("prepare", prepare_data(context))
        scene_sync.store_summary(armature, found)
        return armature.writhe.summary


def prepare_data(context) -> dict:
    """The data of the request `prepare`."""
    settings = context.scene.writhe
    return {
        "poses": scene_sync.poses(context),
        "placements": scene_sync.placements(context),
        "options": {
            "keep_feet": settings.keep_feet,
            "balance": settings.balance,
            "natural": settings.natural,
        },
        "floor_m": 0.0 if settings.floor else None,
    }


class WRITHE_OT_remove(bpy.types.Operator):
    """Forget the body of the armature; its pose and its action stay"""

    bl_idname = "writhe.remove"
    bl_label = "Remove Character"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        """With a character."""
        armature = active_armature(context)
        return armature is not None and armature.writhe.is_character

    def execute(self, context):
        """Remove the flag."""
        active_armature(context).writhe.is_character = False
        return {"FINISHED"}


class WRITHE_OT_reset_role(bpy.types.Operator):
    """Find the bone of this role again"""

    bl_idname = "writhe.reset_role"
    bl_label = "Find Again"
    bl_options = {"REGISTER", "UNDO"}

    role: bpy.props.StringProperty()

    def execute(self, context):
        """Forget the correction and set up again."""
        row = active_armature(context).writhe.roles.get(self.role)
        if row is not None:
            row.corrected = False
        return bpy.ops.writhe.set_up()


class WRITHE_OT_scale_shapes(bpy.types.Operator):
    """Change the radius of the collision shapes of the selected bones"""

    bl_idname = "writhe.scale_shapes"
    bl_label = "Scale Collision Shapes"
    bl_options = {"REGISTER", "UNDO"}

    factor: bpy.props.FloatProperty(
        name="Radius", description="Factor of the fitted radius; 0 removes the shapes",
        default=0.9, min=0.0, max=5.0, soft_min=0.2, soft_max=2.0,
    )  # fmt: skip

    @classmethod
    def poll(cls, context) -> bool:
        """With selected bones of a character."""
        return bool(context.selected_pose_bones) and context.object.writhe.is_character

    def execute(self, context):
        """Store the factors and set up again."""
        shapes = context.object.writhe.shapes
        for bone in context.selected_pose_bones:
            row = shapes.get(bone.name) or shapes.add()
            row.name = row.bone = bone.name
            row.factor = self.factor
        return bpy.ops.writhe.set_up()


CLASSES = (WRITHE_OT_set_up, WRITHE_OT_remove, WRITHE_OT_reset_role, WRITHE_OT_scale_shapes)
