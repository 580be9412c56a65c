"""Runs in a Python with bpy and writhe: what menus and panels show, with the sample file open.

Usage: interface.py FILE.blend (of tools/extension/sample.py). Prints one line of JSON.
"""

import sys
from functools import partial
from typing import Any

import bpy  # pyright: ignore[reportMissingImports]
from blender_checkout import new_scene
from blender_runs import print_result
from writhe_blender import menus, operators, panels  # pyright: ignore[reportMissingImports]


class Layout:
    """Notes the operators and properties that are drawn; properties must exist."""

    shown: list[str]

    def __init__(self, shown: list[str]) -> None:
        self.__dict__["shown"] = shown

    def __getattr__(self, name: str):
        return partial(self._draw, name)

    def __setattr__(self, name: str, value: object) -> None:
        """Settings of what is drawn."""

    def _draw(self, kind: str, *given: Any, **_: Any):
        if kind == "operator":
            self.shown.append(given[0])
        elif kind in ("prop", "prop_search"):
            getattr(given[0], given[1])
        return Layout(self.shown)


class Drawn:
    """A panel or menu with such a layout."""

    def __init__(self, kind: type) -> None:
        self.kind, self.shown = kind, []
        self.layout = Layout(self.shown)

    def __getattr__(self, name: str):
        return partial(getattr(self.kind, name), self)


def shown(kinds, context) -> list[str]:
    """The operators that panels or menus show now."""
    out: list[str] = []
    for kind in kinds:
        if hasattr(kind, "poll") and not kind.poll(context):
            continue
        drawn = Drawn(kind)
        kind.draw(drawn, context)
        out += drawn.shown
    return out


def main() -> dict:
    context = new_scene()
    registered = {each.bl_idname for module in operators.MODULES for each in module.CLASSES}
    assert bpy.ops.wm.open_mainfile(filepath=sys.argv[1]) == {"FINISHED"}
    human = context.object
    out: dict = {"character": human.writhe.is_character, "mode": context.mode}
    assert bpy.ops.writhe.certify() == {"FINISHED"}
    settings = context.scene.writhe
    out["verdict"] = settings.verdict
    # everything that a panel shows: an obstacle, a corrected role, a scaled bone, a tangle key
    bpy.ops.mesh.primitive_cube_add(location=(3.0, 0.0, 0.0))
    assert bpy.ops.writhe.obstacle() == {"FINISHED"}
    context.view_layer.objects.active = human
    bpy.ops.object.mode_set(mode="POSE")
    human.data.bones.active = human.data.bones["left_wrist"]
    human.writhe.roles[0].corrected = True
    settings.tangle.first = settings.tangle.second = human
    assert bpy.ops.writhe.key_tangle() == {"FINISHED"}
    found: set[str] = set()
    for live in (False, True):
        settings.tangle.live = settings.tangle.use_centre = settings.tangle.use_density = live
        found |= set(shown(panels.CLASSES, context))
    menu = set(shown(menus.CLASSES, context))
    out["in_menu"] = sorted(menu)
    out["in_neither"] = sorted(registered - found - menu)
    out["unknown"] = sorted(n for n in (found | menu) - registered if n.startswith("writhe."))
    return out


print_result(main)
