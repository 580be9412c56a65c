"""writhe for Blender: pose and check characters without parts passing through each other.

Nothing of the library is loaded here: it is imported when it is first used (`engine`).
"""

from __future__ import annotations

import bpy

from . import menus, operators, overlay, panels, preferences, properties, scene_sync

bl_info = {  # for Blender before 4.2; later ones read blender_manifest.toml
    "name": "writhe",
    "author": "The writhe developers",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "category": "Animation",
    "description": "Pose characters without body parts passing through each other",
}

_CLASSES = [c for m in operators.MODULES for c in m.CLASSES] + [*panels.CLASSES, *menus.CLASSES]


@bpy.app.handlers.persistent
def _file_loaded(*_) -> None:
    scene_sync.forget()


def register() -> None:
    """Register everything with Blender."""
    properties.register()
    preferences.register()
    for each in _CLASSES:
        bpy.utils.register_class(each)
    for module in operators.MODULES:
        if hasattr(module, "register"):
            module.register()
    menus.register()
    overlay.register()
    bpy.app.handlers.load_post.append(_file_loaded)


def unregister() -> None:
    """Undo `register`."""
    bpy.app.handlers.load_post.remove(_file_loaded)
    overlay.unregister()
    menus.unregister()
    for module in operators.MODULES:
        if hasattr(module, "unregister"):
            module.unregister()
    for each in reversed(_CLASSES):
        bpy.utils.unregister_class(each)
    preferences.unregister()
    properties.unregister()
    scene_sync.forget()
