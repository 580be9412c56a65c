"""The tool: drag a bone with the mouse, certified step by step."""

from __future__ import annotations

import time

import bpy
import numpy as np
from mathutils import Vector

from .. import axes, engine, overlay, picking, scene_sync
from ..dragging import BoneDrag
from ..process.client import EngineError

_PERIOD_S = 1 / 60
_AXES = {"X": 0, "Y": 1, "Z": 2}

last_times_ms: list[float] = []  # of the steps of the last drag: solve, pose written


class WRITHE_OT_drag(bpy.types.Operator):
    """Drag a bone; the body follows and nothing passes through anything. X, Y, Z: along an axis"""

    bl_idname = "writhe.drag"
    bl_label = "Drag Bone"
    bl_options = {"REGISTER", "UNDO", "BLOCKING"}

    @classmethod
    def poll(cls, context) -> bool:
        """In pose mode, in a 3D view."""
        return (
            context.mode == "POSE" and context.area is not None and context.area.type == "VIEW_3D"
        )

    def invoke(self, context, event):
        """Find the bone under the pointer and begin."""
        armature = context.object
        pointer = (event.mouse_region_x, event.mouse_region_y)
        try:
            if armature.writhe.is_character:  # after a file was loaded, it is not set up yet
                scene_sync.send(context, engine.drags())
            body = scene_sync.required(context, armature)
            found = picking.bone_at(context, armature, body.bones, pointer)
            if found is None:
                return {"PASS_THROUGH"}
            name, point = found
            handles = [(name, point)]
            chosen = context.selected_pose_bones or []
            if name in {bone.name for bone in chosen}:  # several bones are dragged together
                others = [b for b in chosen if b.name != name and b.name in body.bones]
                handles += [(b.name, armature.matrix_world @ b.head) for b in others]
            self._drag = BoneDrag(context, armature, handles)
        except EngineError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        _select(armature, name, keep=len(handles) > 1)
        self._grabbed: Vector = point
        self._offset = point - picking.on_view_plane(context, pointer, point)
        self._goal = self._drag.start.copy()
        self._axis: int | None = None
        self._release = {"LEFTMOUSE": "LEFTMOUSE", "MIDDLEMOUSE": "MIDDLEMOUSE"}.get(
            event.type, "LEFTMOUSE"
        )
        last_times_ms.clear()
        manager = context.window_manager
        self._timer = manager.event_timer_add(_PERIOD_S, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        """Follow the pointer until the button is released."""
        if event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
            self._drag.undo()
            self._end(context)
            return {"CANCELLED"}
        if event.type in _AXES and event.value == "PRESS":
            axis = _AXES[event.type]
            self._axis = None if self._axis == axis else axis
        if event.type == "MOUSEMOVE" or event.type in _AXES:
            self._aim(context, (event.mouse_region_x, event.mouse_region_y))
        if event.type in {"MOUSEMOVE", "TIMER"}:
            try:
                self._step(context)
            except EngineError as error:  # it will not answer the next step either
                self._drag.undo()
                self._end(context)
                self.report({"ERROR"}, str(error))
                return {"CANCELLED"}
        elif event.type == self._release and event.value == "RELEASE":
            keyed = self._drag.key()
            self._end(context)
            if keyed:
                self.report({"INFO"}, f"{keyed} bones keyed")
            if self._drag.switched:
                self.report({"WARNING"}, f"FK controls now: {', '.join(self._drag.switched)} set")
            return {"FINISHED"}
        return {"RUNNING_MODAL"}

    def _aim(self, context, pointer) -> None:
        if self._axis is None:
            there = picking.on_view_plane(context, pointer, self._grabbed) + self._offset
        else:
            there = picking.along_axis(context, pointer, self._grabbed, self._axis)
        turn = axes.to_writhe(context.scene)[:3, :3]
        shift = turn @ np.array(there - self._grabbed)
        self._goal = self._drag.start + shift

    def _step(self, context) -> None:
        start = time.perf_counter()
        answer = self._drag.move(self._goal)
        last_times_ms.append(1e3 * (time.perf_counter() - start))
        overlay.touching = set(answer["touching"])
        left = max(answer["error_m"].values(), default=0.0)
        clearance = answer["clearance_m"]
        free = "" if clearance is None else f", nearest parts {1e3 * max(clearance, 0.0):.0f} mm"
        axis = "" if self._axis is None else f" along {'XYZ'[self._axis]}"
        context.area.header_text_set(
            f"Drag{axis}: {100 * left:.1f} cm from the pointer{free}"
            f"   {np.median(last_times_ms):.1f} ms   X Y Z: axis   Esc: cancel"
        )
        context.area.tag_redraw()

    def _end(self, context) -> None:
        context.window_manager.event_timer_remove(self._timer)
        context.area.header_text_set(None)
        overlay.touching = set()
        context.area.tag_redraw()


def _select(armature, name: str, *, keep: bool) -> None:
    """Make a bone the active one, and the only selected one unless others are kept."""
    for bone in armature.pose.bones:
        chosen = bone.name == name
        owner = bone if hasattr(bone, "select") else bone.bone  # Blender 5 selects pose bones
        if chosen or not keep:
            owner.select = chosen
        if chosen:
            armature.data.bones.active = bone.bone


class WRITHE_TOOL_drag(bpy.types.WorkSpaceTool):
    """The tool of the toolbar in pose mode."""

    bl_space_type = "VIEW_3D"
    bl_context_mode = "POSE"
    bl_idname = "writhe.drag_tool"
    bl_label = "Writhe Drag"
    bl_description = "Drag bones without letting parts of the body pass through each other"
    bl_icon = "ops.pose.push"
    bl_keymap = (("writhe.drag", {"type": "LEFTMOUSE", "value": "PRESS"}, None),)

    def draw_settings(context, layout, tool) -> None:
        """The options in the header."""
        settings = context.scene.writhe
        for name in ("keep_feet", "balance", "natural", "floor"):
            layout.prop(settings, name)


CLASSES = (WRITHE_OT_drag,)


def register() -> None:
    """Add the tool."""
    bpy.utils.register_tool(WRITHE_TOOL_drag, separator=True)


def unregister() -> None:
    """Remove it."""
    bpy.utils.unregister_tool(WRITHE_TOOL_drag)
