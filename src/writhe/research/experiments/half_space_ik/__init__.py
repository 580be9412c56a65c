"""Half-space inverse kinematics: the paper's examples, its comparison, and random sweeps."""

from writhe.research.experiments.half_space_ik.experiment import run

__all__ = ["run"]
