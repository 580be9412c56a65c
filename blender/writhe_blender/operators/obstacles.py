"""Mark objects of the scene as obstacles."""

from __future__ import annotations

import bpy


class WRITHE_OT_obstacle(bpy.types.Operator):
    """Make the selected meshes solid for all characters"""

    bl_idname = "writhe.obstacle"
    bl_label = "Mark as Obstacles"
    bl_options = {"REGISTER", "UNDO"}

    solid: bpy.props.BoolProperty(name="Obstacle", default=True)
    split: bpy.props.BoolProperty(
        name="Split into Convex Pieces",
        description="For closed meshes that are not convex, such as a chair",
    )

    @classmethod
    def poll(cls, context) -> bool:
        """With a selected mesh."""
        return any(o.type == "MESH" for o in context.selected_objects)

    def execute(self, context):
        """Set the flags; parts of characters are left out."""
        count = 0
        for item in context.selected_objects:
            if item.type == "MESH" and item.find_armature() is None:
                item.writhe.is_obstacle, item.writhe.split = self.solid, self.split
                count += 1
        self.report({"INFO"}, f"{count} obstacle{'s' if count != 1 else ''}")
        return {"FINISHED"}


CLASSES = (WRITHE_OT_obstacle,)
