"""The built-in posture library: synthetic, made by the project itself from authored key poses.

It is made when it is first used and kept in the user's cache, under a name that changes with the
generator and the figure.
"""

from __future__ import annotations

from writhe.postures.builtin.build import KINDS, THRESHOLDS_M2, authored_poses, make
from writhe.postures.builtin.store import builtin_database, clear_memory

__all__ = [
    "KINDS",
    "THRESHOLDS_M2",
    "authored_poses",
    "builtin_database",
    "clear_memory",
    "make",
]
