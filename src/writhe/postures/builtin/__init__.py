"""The built-in posture library: synthetic, generated from authored key poses.

It is generated at first use and stored in the user's cache, under a hash of the generator and the
figure.
"""

from __future__ import annotations

from writhe.postures.builtin.build import KINDS, THRESHOLDS_M2, authored_poses, make
from writhe.postures.builtin.store import builtin_database

__all__ = [
    "KINDS",
    "THRESHOLDS_M2",
    "authored_poses",
    "builtin_database",
    "make",
]
