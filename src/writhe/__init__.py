"""writhe: pose characters and create motion without body parts passing through each other.

Names are loaded when first used, so that `import writhe` stays quick. Their types are in
`__init__.pyi`.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "Actor": "writhe.scene",
    "Certificate": "writhe.collision",
    "CollisionTable": "writhe.collision",
    "Controls": "writhe.solvers.posing",
    "Figure": "writhe.skeleton",
    "Hold": "writhe.solvers.posing",
    "Motion": "writhe.skeleton",
    "Pin": "writhe.solvers.posing",
    "Plan": "writhe.planning",
    "PoseResult": "writhe.solvers.posing",
    "Poser": "writhe.solvers.posing",
    "PostureDatabase": "writhe.database",
    "Progress": "writhe.progress",
    "Recognition": "writhe.recognition",
    "Scene": "writhe.scene",
    "Skeleton": "writhe.skeleton",
    "Target": "writhe.solvers.posing",
    "Timing": "writhe.planning",
    "WritheError": "writhe.errors",
    "builtin_database": "writhe.postures.builtin",
    "certify": "writhe.collision",
    "certify_file": "writhe.scene",
    "clean": "writhe.cleaning.clean",
    "figure": "writhe.skeleton.figures",
    "figure_of": "writhe.io",
    "film_strip": "writhe.render",
    "forward": "writhe.skeleton",
    "hold_here": "writhe.solvers.posing",
    "linking_vector": "writhe.topology",
    "load": "writhe.io",
    "load_figure": "writhe.io",
    "make_poser": "writhe.solvers.posing",
    "pin_here": "writhe.solvers.posing",
    "plan": "writhe.planning",
    "recognise": "writhe.recognition",
    "render_pose": "writhe.render",
    "retarget": "writhe.retargeting.retarget",
    "save": "writhe.io",
    "save_figure": "writhe.io",
    "to_motion": "writhe.planning",
}

__all__ = ["__version__", *sorted(_HOMES)]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'writhe' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
