"""Preferences of the extension: where writhe runs."""

from __future__ import annotations

import bpy

from . import engine


def _changed(self, context) -> None:
    engine.use(bpy.path.abspath(self.python) if self.python else "", self.address.strip())


class WrithePreferences(bpy.types.AddonPreferences):
    """Where writhe runs."""

    bl_idname = __package__

    python: bpy.props.StringProperty(
        name="Other Python",
        subtype="FILE_PATH",
        description="A Python with 'pip install writhe'; empty: Blender's own Python",
        update=_changed,
    )

    address: bpy.props.StringProperty(
        name="Running writhe",
        description="The address that 'writhe serve' prints, to attach to it; empty: Blender"
        " starts writhe by itself",
        update=_changed,
    )

    def draw(self, context) -> None:
        """The choice, and whether it works."""
        self.layout.prop(self, "python")
        self.layout.prop(self, "address")
        why = engine.problem()
        box = self.layout.column(align=True)
        for line in lines(why or f"writhe runs in {engine.where()}"):
            box.label(text=line, icon="ERROR" if why and line == lines(why)[0] else "NONE")
        self.layout.operator("writhe.check_engine")


class WRITHE_OT_check_engine(bpy.types.Operator):
    """Ask writhe for its version, where the preferences say that it runs"""

    bl_idname = "writhe.check_engine"
    bl_label = "Check"

    def execute(self, context):
        """Report the version, or what is wrong."""
        try:
            about = engine.drags().about
        except engine.EngineError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report(
            {"INFO"}, f"writhe {about['version']}, Python {about['python']}, in {engine.where()}"
        )
        return {"FINISHED"}


def lines(text: str, width: int = 60) -> list[str]:
    """Text broken into lines, since labels do not wrap."""
    import textwrap

    return textwrap.wrap(text, width) or [""]


def register() -> None:
    """Register, and take over the stored choice."""
    bpy.utils.register_class(WRITHE_OT_check_engine)
    bpy.utils.register_class(WrithePreferences)
    addon = bpy.context.preferences.addons.get(__package__)
    if addon is not None and addon.preferences is not None:
        _changed(addon.preferences, bpy.context)


def unregister() -> None:
    """Unregister, and end writhe's processes."""
    engine.stop()
    bpy.utils.unregister_class(WrithePreferences)
    bpy.utils.unregister_class(WRITHE_OT_check_engine)
