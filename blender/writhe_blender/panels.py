"""The tab "writhe" of the sidebar."""

from __future__ import annotations

import bpy

from . import scene_sync
from .operators.character import active_armature
from .preferences import lines

_ICONS = {"certified": "CHECKMARK", "improving": "INFO", "undecided": "QUESTION"}
_MAX_MARKS = 8
_WIDTH = 30  # of a line of text, in letters


class _Panel:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "writhe"


class WRITHE_PT_character(_Panel, bpy.types.Panel):
    """The character."""

    bl_label = "Character"

    def draw(self, context) -> None:
        """Set up, what was found, the overlay."""
        layout, armature = self.layout, active_armature(context)
        if armature is None:
            layout.label(text="Select an armature", icon="INFO")
            layout.operator("writhe.add_human", text="Add a Human")
            return
        known = armature.writhe.is_character
        again = "Set Up Again" if known else "Set Up Character"
        working = context.scene.writhe.working
        row = layout.row()
        row.enabled = not working
        row.operator("writhe.set_up", text=working or again, icon="ARMATURE_DATA")
        if not known:
            return
        column = layout.column(align=True)
        for line in lines(armature.writhe.summary, _WIDTH):
            column.label(text=line)
        if armature.writhe.warning:
            for line in lines(armature.writhe.warning, _WIDTH):
                column.label(text=line, icon="ERROR")


class WRITHE_PT_roles(_Panel, bpy.types.Panel):
    """Which bone is what."""

    bl_label = "Roles"
    bl_parent_id = "WRITHE_PT_character"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context) -> bool:
        """With a character."""
        armature = active_armature(context)
        return armature is not None and armature.writhe.is_character

    def draw(self, context) -> None:
        """A bone for each role, to be corrected."""
        armature = active_armature(context)
        for row in armature.writhe.roles:
            if row.role.rsplit("_", 1)[-1].isdigit():
                continue  # fingers
            line = self.layout.row(align=True)
            line.prop_search(
                row, "bone", armature.data, "bones", text=row.role.replace("_", " ").capitalize()
            )
            if row.corrected:
                line.operator("writhe.reset_role", text="", icon="LOOP_BACK").role = row.role
        self.layout.operator("writhe.set_up", text="Apply Corrections")


class WRITHE_PT_shapes(_Panel, bpy.types.Panel):
    """The shapes that stand for the body."""

    bl_label = "Shapes"
    bl_parent_id = "WRITHE_PT_character"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context) -> bool:
        """With a character."""
        armature = active_armature(context)
        return armature is not None and armature.writhe.is_character

    def draw(self, context) -> None:
        """The overlay, and the bones whose shapes were changed."""
        layout, armature = self.layout, active_armature(context)
        layout.prop(context.scene.writhe, "show_shapes")
        layout.operator("writhe.scale_shapes")
        for row in armature.writhe.shapes:
            layout.prop(row, "factor", text=row.bone)
        if len(armature.writhe.shapes):
            layout.operator("writhe.set_up", text="Apply")
        layout.operator("writhe.remove", icon="X")


class WRITHE_PT_pose(_Panel, bpy.types.Panel):
    """Posing."""

    bl_label = "Pose"

    @classmethod
    def poll(cls, context) -> bool:
        """With a character."""
        armature = active_armature(context)
        return armature is not None and armature.writhe.is_character

    def draw(self, context) -> None:
        """The tool, its options, pins, preset poses."""
        layout, settings = self.layout, context.scene.writhe
        if context.mode == "POSE":
            tool = layout.operator("wm.tool_set_by_id", text="Drag Bones", icon="VIEW_PAN")
            tool.name = "writhe.drag_tool"
        else:
            layout.label(text="Drag bones in pose mode", icon="INFO")
        flow = layout.grid_flow(columns=2, even_columns=True)
        for name in ("keep_feet", "balance", "natural", "floor"):
            flow.prop(settings, name)
        bone = context.active_pose_bone
        if bone is not None:
            layout.prop(bone, "writhe_pin", text=f"Pin {bone.name}")
            row = layout.row(align=True)
            row.operator("writhe.pin", text="Pin Selected", icon="PINNED").mode = "FULL"
            row.operator("writhe.pin", text="Free", icon="UNPINNED").mode = "FREE"
            layout.operator("writhe.move_to_cursor", icon="CURSOR")
        layout.operator("writhe.preset_pose", icon="POSE_HLT")


class WRITHE_PT_action(_Panel, bpy.types.Panel):
    """Actions."""

    bl_label = "Action"

    @classmethod
    def poll(cls, context) -> bool:
        """With a character."""
        armature = active_armature(context)
        return armature is not None and armature.writhe.is_character

    def draw(self, context) -> None:
        """Certify, clean, connect, and the verdict."""
        layout, settings = self.layout, context.scene.writhe
        column = layout.column(align=True)
        column.enabled = not settings.working
        column.operator("writhe.certify", icon="CHECKMARK")
        column.operator("writhe.clean", icon="BRUSH_DATA")
        column.operator("writhe.connect", icon="IPO_EASE_IN_OUT")
        if settings.working:
            layout.prop(settings, "progress", text=settings.working, slider=True)
            layout.label(text="Escape cancels")
        if settings.verdict:
            self._verdict(layout.box(), settings)
        layout.prop(settings, "certify_floor")
        layout.prop(settings, "show_colliding")

    def _verdict(self, box, settings) -> None:
        row = box.row()
        row.alert = settings.verdict != "certified"
        row.label(text=settings.verdict.capitalize(), icon=_ICONS.get(settings.verdict, "ERROR"))
        row.operator("writhe.clear_result", text="", icon="X")
        for line in [
            *lines(settings.sentence, _WIDTH),
            *(lines(settings.note, _WIDTH) if settings.note else ()),
        ]:
            box.label(text=line)
        for index, mark in enumerate(list(settings.marks)[:_MAX_MARKS]):
            text = f"{mark.frame:.0f}: {mark.a}, {mark.b} {100 * mark.depth_m:.1f} cm"
            icon = "ERROR" if mark.pass_through else "DOT"
            box.operator("writhe.go_to", text=text, icon=icon).index = index
        if len(settings.marks) > _MAX_MARKS:
            box.label(text=f"and {len(settings.marks) - _MAX_MARKS} more on the timeline")


class WRITHE_PT_winding(_Panel, bpy.types.Panel):
    """Winding limbs around each other."""

    bl_label = "Winding"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context) -> bool:
        """With a character."""
        return bool(scene_sync.characters(context))

    def draw(self, context) -> None:
        """Two limbs, sliders while they are wound, tangle keys."""
        layout, settings = self.layout, context.scene.writhe
        tangle = settings.tangle
        for side in ("first", "second"):
            row = layout.row(align=True)
            row.prop(tangle, side, text="")
            row.prop(tangle, f"{side}_limb", text="")
        layout.prop(tangle, "movers", expand=True)
        if tangle.live:
            self._sliders(layout, tangle)
            layout.operator("writhe.keep_winding", icon="CHECKMARK")
            layout.label(text="Escape restores the poses")
        else:
            layout.operator("writhe.wind", icon="FORCE_VORTEX")
        layout.operator("writhe.key_tangle", icon="KEY_HLT")
        for index, key in enumerate(settings.tangle_keys):
            row = layout.row(align=True)
            limbs = f"{key.first_limb}, {key.second_limb}".replace("_", " ")
            row.prop(key, "frame", text="Frame")
            row.label(text=f"{limbs}: {key.writhe:.2f}")
            row.operator("writhe.remove_tangle_key", text="", icon="X").index = index
        if len(settings.tangle_keys):
            layout.operator("writhe.wind_keys", icon="CURVE_PATH")

    def _sliders(self, layout, tangle) -> None:
        column = layout.column(align=True)
        column.prop(tangle, "writhe", slider=True)
        column.prop(tangle, "use_centre")
        if tangle.use_centre:
            column.prop(tangle, "centre_first", slider=True)
            column.prop(tangle, "centre_second", slider=True)
        column.prop(tangle, "use_density")
        if tangle.use_density:
            column.prop(tangle, "density", slider=True)
        row = layout.row()
        row.alert = tangle.stalled
        note = ": it cannot be wound further" if tangle.stalled else ""
        row.label(text=f"Now {tangle.measured:.2f}{note}")


class WRITHE_PT_curve(_Panel, bpy.types.Panel):
    """Following a drawn curve."""

    bl_label = "Follow a Curve"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context) -> bool:
        """With a character."""
        armature = active_armature(context)
        return armature is not None and armature.writhe.is_character

    def draw(self, context) -> None:
        """The curve, the limb and the style."""
        settings = context.scene.writhe
        for name in ("curve", "curve_limb", "curve_style", "curve_frames"):
            self.layout.prop(settings, name)
        self.layout.operator("writhe.follow_curve", icon="CURVE_DATA")


class WRITHE_PT_obstacles(_Panel, bpy.types.Panel):
    """Obstacles."""

    bl_label = "Obstacles"

    def draw(self, context) -> None:
        """Mark objects, and the list of those marked."""
        layout = self.layout
        row = layout.row(align=True)
        row.operator("writhe.obstacle", text="Mark Selected", icon="MOD_PHYSICS").solid = True
        row.operator("writhe.obstacle", text="Free", icon="X").solid = False
        for item in scene_sync.obstacles(context):
            line = layout.row()
            line.label(text=item.name, icon="MESH_CUBE")
            line.prop(item.writhe, "split", text="Split")


CLASSES = (
    WRITHE_PT_character,
    WRITHE_PT_roles,
    WRITHE_PT_shapes,
    WRITHE_PT_pose,
    WRITHE_PT_action,
    WRITHE_PT_winding,
    WRITHE_PT_curve,
    WRITHE_PT_obstacles,
)
