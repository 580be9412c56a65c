"""Corrections of a character's fitted collision shapes, from a JSON file or a mapping.

    {"exclude": ["Hair_1", "Head#3"], "radius": {"LeftHand": 0.9}, "radius_m": {"Head#1": 0.08}}

`exclude` removes shapes, `radius` multiplies their radii, and `radius_m` sets them in metres. A
joint's name stands for all its shapes, "Head#3" for its third one (`writhe character` counts them).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from writhe.errors import FileFormatError, WritheError
from writhe.skeleton import Capsule, Figure

_KEYS = ("exclude", "radius", "radius_m")
_FACTOR = (0.2, 5.0)
_RADIUS_M = (0.001, 2.0)


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
            f"unknown key {', '.join(map(repr, unknown))} in corrections of shapes; "
            f"allowed: {', '.join(_KEYS)}"
        )
    excluded = overrides.get("exclude", [])
    if not isinstance(excluded, list | tuple | set):
        raise WritheError(f'"exclude" must be a list of joints or shapes, not {excluded!r}')
    names = [str(name) for name in cast(list[object], excluded)]
    factors = _numbers(overrides, "radius", _FACTOR, "a factor")
    metres = _numbers(overrides, "radius_m", _RADIUS_M, "a number of metres")
    numbered = _numbered(figure)
    for name in (*names, *factors, *metres):
        if name not in numbered:
            figure.skeleton.index(name)
    kept: list[Capsule] = []
    count: dict[str, int] = {}
    for c in figure.capsules:
        count[c.joint] = count.get(c.joint, 0) + 1
        called = (c.joint, f"{c.joint}#{count[c.joint]}")
        if any(name in names for name in called):
            continue
        factor = next((factors[name] for name in reversed(called) if name in factors), 1.0)
        radius = next((metres[name] for name in reversed(called) if name in metres), c.radius_m)
        kept.append(replace(c, radius_m=radius * factor))
    return replace(figure, capsules=tuple(kept), corrected=True)


def _numbered(figure: Figure) -> set[str]:
    """Names of single shapes: the joint, a number sign and the shape's number on it."""
    joints = [c.joint for c in figure.capsules]
    return {f"{joint}#{joints[: i + 1].count(joint)}" for i, joint in enumerate(joints)}


def _numbers(
    overrides: Mapping[str, object], key: str, bounds: tuple[float, float], what: str
) -> dict[str, float]:
    table = overrides.get(key, {})
    if not isinstance(table, Mapping):
        raise WritheError(f'"{key}" must map joints or shapes to numbers, not be {table!r}')
    out: dict[str, float] = {}
    for name, value in cast(Mapping[str, object], table).items():
        if not isinstance(value, int | float) or not bounds[0] <= value <= bounds[1]:
            raise WritheError(
                f"the radius of {name!r} is {what} from {bounds[0]} to {bounds[1]}, not {value!r}"
            )
        out[name] = float(value)
    return out
