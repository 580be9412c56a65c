"""What `writhe certify FILE` asks, for all doors of files."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from writhe.collision import Certificate, CollisionTable


def ask_file(path: Path, scene: Path | None = None) -> tuple[Certificate, CollisionTable]:
    """The certificate of a file as its readers interpolate it, and the collision table.

    Joint zones are skipped for files without a scene: shapes are fitted to random bones. The
    command's own function is above this layer, hence the import by name.
    """
    command = import_module("writhe.cli.certify")
    return command.certify_file(path, scene, skip_joint_zones=scene is None)
