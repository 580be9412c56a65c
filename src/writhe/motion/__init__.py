"""Whole motions: retargeting, cleaning, following paths, databases and the built-in postures."""

from writhe.motion.retarget import retarget

__all__ = ["retarget"]
