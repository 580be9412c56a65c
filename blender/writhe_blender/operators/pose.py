"""Poses at once: preset poses, pins, moving a bone to the 3D cursor."""

from __future__ import annotations

import bpy
import numpy as np

from .. import armature as armatures
from .. import axes, control_rig, engine, keying, scene_sync
from ..dragging import BoneDrag
from ..process.client import EngineError
from .character import active_armature

_names: list[tuple[str, str, str]] = []  # Blender keeps no reference to the items of an enum


def preset_items(self, context) -> list[tuple[str, str, str]]:
    """The names of the preset poses; asked for when they are first shown."""
    if not _names:
        try:
            found = engine.drags().request("preset_names", {})["names"]
        except EngineError:
            return [("", "writhe does not run", "")]
        _names.extend((name, name.capitalize(), "") for name in found)
    return _names


class WRITHE_OT_preset_pose(bpy.types.Operator):
    """Put the character into one of the built-in poses"""

    bl_idname = "writhe.preset_pose"
    bl_label = "Preset Pose"
    bl_options = {"REGISTER", "UNDO"}
    bl_property = "pose"

    pose: bpy.props.EnumProperty(name="Pose", items=preset_items)

    @classmethod
    def poll(cls, context) -> bool:
        """With a character."""
        armature = active_armature(context)
        return armature is not None and armature.writhe.is_character

    def invoke(self, context, event):
        """Let the user search for a pose."""
        context.window_manager.invoke_search_popup(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        """Fit the pose to the body and write it."""
        armature = active_armature(context)
        try:
            client = engine.drags()
            scene_sync.send(context, client)
            body = scene_sync.required(context, armature)
            data = {
                "character": armature.name,
                "pose": self.pose,
                "poses": scene_sync.poses(context),
            }
            answer = client.request("preset_pose", data)
        except EngineError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        saved = armatures.SavedPose(armature)
        info = body.info
        writer = armatures.PoseWriter(context, armature, body.bones, info["turns"], info["shifts"])
        control_rig.use_controls(armature)
        writer.write(answer["rotation"], answer["location"])
        if keying.is_on(context.scene):
            keying.insert(context, armature, saved)
        return {"FINISHED"}


class WRITHE_OT_pin(bpy.types.Operator):
    """Keep the selected bones in place while others are dragged"""

    bl_idname = "writhe.pin"
    bl_label = "Pin Bones"
    bl_options = {"REGISTER", "UNDO"}

    mode: bpy.props.EnumProperty(
        name="Pin",
        items=(
            ("FREE", "Free", "Remove the pins"),
            ("POSITION", "Position", "Stay in place and turn freely"),
            ("FULL", "Position and rotation", "Stay in place and do not turn"),
        ),
        default="FULL",
    )

    @classmethod
    def poll(cls, context) -> bool:
        """With selected bones."""
        return bool(context.selected_pose_bones)

    def execute(self, context):
        """Set the flag."""
        for bone in context.selected_pose_bones:
            bone.writhe_pin = self.mode
        return {"FINISHED"}


class WRITHE_OT_move_to_cursor(bpy.types.Operator):
    """Drag the active bone to the 3D cursor"""

    bl_idname = "writhe.move_to_cursor"
    bl_label = "Move Bone to 3D Cursor"
    bl_options = {"REGISTER", "UNDO"}

    steps: bpy.props.IntProperty(name="Steps", default=120, min=1, max=1000)

    @classmethod
    def poll(cls, context) -> bool:
        """With an active bone of a character."""
        return context.active_pose_bone is not None and context.object.writhe.is_character

    def execute(self, context):
        """Take steps until the bone is there, or cannot get nearer."""
        armature, bone = context.object, context.active_pose_bone
        to_writhe = axes.to_writhe(context.scene)
        goal = to_writhe @ np.array([*context.scene.cursor.location, 1.0])
        try:
            drag = BoneDrag(context, armature, [(bone.name, armature.matrix_world @ bone.head)])
            first = drag.start[0]
            for step in range(self.steps):
                share = min(1.0, (step + 1) / (0.7 * self.steps))
                answer = drag.move((first + share * (goal[:3] - first))[None])
                if share == 1.0 and answer["at_rest"]:
                    break
        except EngineError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        drag.key()
        left = answer["error_m"].get(bone.name, 0.0)
        state = "reached" if left < 0.005 else f"{100 * left:.1f} cm short of the cursor"
        self.report({"INFO"}, f"{bone.name}: {state}")
        return {"FINISHED"}


CLASSES = (WRITHE_OT_preset_pose, WRITHE_OT_pin, WRITHE_OT_move_to_cursor)
