"""Built-in objects: solid shapes with strands along them."""

from __future__ import annotations

from collections.abc import Callable

from writhe.arrays import Floats
from writhe.collision import Shape
from writhe.errors import UnknownNameError
from writhe.scene.objects.chair import chair
from writhe.scene.objects.ladder import ladder

Built = tuple[tuple[Shape, ...], dict[str, Floats]]
BUILT_IN: dict[str, Callable[[], Built]] = {"chair": chair, "ladder": ladder}


def built_in(name: str) -> Built:
    """Shapes and strands of a built-in object, standing on the origin and facing +Z."""
    if name not in BUILT_IN:
        raise UnknownNameError("built-in object", name, sorted(BUILT_IN))
    return BUILT_IN[name]()
