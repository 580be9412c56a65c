"""Certifies a file as `writhe certify FILE` does; used by all entry points of files."""

from __future__ import annotations

from pathlib import Path

from writhe.collision import Certificate, CollisionTable, ContactPolicy
from writhe.scene import certify_file


def certify_with_table(path: Path, scene: Path | None = None) -> tuple[Certificate, CollisionTable]:
    """The certificate of a file as programs interpolate it, and the collision table.

    Joint zones are skipped for files without a scene: shapes are fitted to random bones.
    """
    policy = ContactPolicy(skip_joint_zones=True) if scene is None else None
    found = certify_file(path, scene=scene, policy=policy)
    return found.certificate, found.table
