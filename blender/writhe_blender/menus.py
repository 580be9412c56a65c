"""The menu "writhe" of the object and pose menus: what a menu has is found by F3 too."""

from __future__ import annotations

import bpy


class WRITHE_MT_menu(bpy.types.Menu):
    """Everything that writhe does."""

    bl_idname = "WRITHE_MT_menu"
    bl_label = "writhe"

    def draw(self, context) -> None:
        """The operators in the order of the work."""
        layout = self.layout
        layout.operator_context = "INVOKE_REGION_WIN"
        for group in (
            ("set_up", "scale_shapes", "remove"),
            ("preset_pose", "move_to_cursor", "pin"),
            ("certify", "clean", "connect", "clear_result"),
            ("wind", "key_tangle", "wind_keys", "follow_curve"),
            ("obstacle", "open_document", "write_document"),
        ):
            for name in group:
                layout.operator(f"writhe.{name}")
            layout.separator()


def _entry(self, context) -> None:
    self.layout.separator()
    self.layout.menu("WRITHE_MT_menu")


CLASSES = (WRITHE_MT_menu,)
_OWNERS = ("VIEW3D_MT_object", "VIEW3D_MT_pose")


def register() -> None:
    """Add the menu."""
    for name in _OWNERS:
        getattr(bpy.types, name).append(_entry)


def unregister() -> None:
    """Remove it."""
    for name in _OWNERS:
        getattr(bpy.types, name).remove(_entry)
