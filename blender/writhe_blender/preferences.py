"""Preferences of the extension: where writhe runs."""

from __future__ import annotations

import bpy

from . import engine


def _changed(self, context) -> None:
    engine.use_python(bpy.path.abspath(self.python) if self.python else "")


class WrithePreferences(bpy.types.AddonPreferences):
    """Where writhe runs."""

    bl_idname = __package__

    python: bpy.props.StringProperty(
        name="Other Python",
        subtype="FILE_PATH",
        description="A Python with 'pip install writhe'; empty: Blender's own Python",
        update=_changed,
    )

    def draw(self, context) -> None:
        """The choice, and whether it works."""
        self.layout.prop(self, "python")
        why = engine.problem()
        box = self.layout.column(align=True)
        for line in lines(why or "writhe runs in " + (self.python or "Blender's own Python")):
            box.label(text=line, icon="ERROR" if why and line == lines(why)[0] else "NONE")


def lines(text: str, width: int = 60) -> list[str]:
    """Text broken into lines, since labels do not wrap."""
    import textwrap

    return textwrap.wrap(text, width) or [""]


def register() -> None:
    """Register, and take over the stored choice."""
    bpy.utils.register_class(WrithePreferences)
    addon = bpy.context.preferences.addons.get(__package__)
    if addon is not None and addon.preferences is not None:
        _changed(addon.preferences, bpy.context)


def unregister() -> None:
    """Unregister, and end writhe's processes."""
    engine.stop()
    bpy.utils.unregister_class(WrithePreferences)
