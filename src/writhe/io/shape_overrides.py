"""Corrections of a character's fitted collision shapes, from a JSON file or a mapping.

    {"exclude": ["Hair_1"], "radius": {"mixamorig:LeftHand": 0.9}}

`exclude` removes the shapes of joints, and `radius` multiplies the radii of a joint's shapes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from writhe.errors import FileFormatError, WritheError
from writhe.skeleton import Figure

_KEYS = ("exclude", "radius")
_FACTOR = (0.2, 5.0)


def read_overrides(path: str | Path) -> dict[str, object]:
    """The corrections in a JSON file."""
    file = Path(path)
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise FileFormatError(file, f"cannot be read: {error}") from None
    except json.JSONDecodeError as error:
        raise FileFormatError(file, f"line {error.lineno}: {error.msg}") from None
    if not isinstance(found, dict):
        raise FileFormatError(file, "must be an object", remedy='{"exclude": [], "radius": {}}')
    return cast(dict[str, object], found)


def with_overrides(figure: Figure, overrides: Mapping[str, object]) -> Figure:
    """The figure with its shapes corrected."""
    unknown = sorted(set(overrides) - set(_KEYS))
    if unknown:
        raise WritheError(
            f"{', '.join(unknown)}: corrections of shapes have the keys {', '.join(_KEYS)}"
        )
    excluded, factors = overrides.get("exclude", []), overrides.get("radius", {})
    if not isinstance(excluded, list | tuple | set) or not isinstance(factors, Mapping):
        raise WritheError('"exclude" is a list of joints and "radius" maps joints to factors')
    names = {str(name) for name in cast(list[object], excluded)}
    scale = cast(Mapping[str, object], factors)
    for name in (*names, *scale):
        figure.skeleton.index(name)
    for name, factor in scale.items():
        if not isinstance(factor, int | float) or not _FACTOR[0] <= factor <= _FACTOR[1]:
            raise WritheError(
                f"the radius of {name!r} is a factor from {_FACTOR[0]} to {_FACTOR[1]}, not"
                f" {factor!r}"
            )
    kept = [c for c in figure.capsules if c.joint not in names]
    changed = [
        replace(c, radius_m=c.radius_m * float(cast(float, scale.get(c.joint, 1.0)))) for c in kept
    ]
    return replace(figure, capsules=tuple(changed), corrected=True)
