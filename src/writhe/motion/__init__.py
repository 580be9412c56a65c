"""Whole motions: retargeting with feet kept where they were."""

from writhe.motion.retarget import retarget

__all__ = ["retarget"]
