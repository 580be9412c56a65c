"""Rigs in many naming conventions and layouts, generated from the built-in human."""

from writhe.research.evaluation.rigs.build import GeneratedRig, build_rig
from writhe.research.evaluation.rigs.rig_style import RigStyle
from writhe.research.evaluation.rigs.styles import STYLES

__all__ = ["STYLES", "GeneratedRig", "RigStyle", "build_rig"]
