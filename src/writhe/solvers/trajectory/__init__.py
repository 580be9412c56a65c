"""Trajectory inverse kinematics with joint limits and damping learnt from motion capture.

Z. Huang and others, "Inverse kinematics using dynamic joint parameters: inverse kinematics
animation synthesis learnt from sub-divided motion micro-segments", The Visual Computer (2016).
"""

from writhe.solvers.trajectory.chain import CHAINS, Chain
from writhe.solvers.trajectory.four_passes import PASSES, PassOptions, Trajectory, solve_trajectory
from writhe.solvers.trajectory.octree import JointOctree, OctreeOptions, learn_octree
from writhe.solvers.trajectory.plain_dls import plain_trajectory
from writhe.solvers.trajectory.style import Forest, Style, learn_style

__all__ = [
    "CHAINS",
    "PASSES",
    "Chain",
    "Forest",
    "JointOctree",
    "OctreeOptions",
    "PassOptions",
    "Style",
    "Trajectory",
    "learn_octree",
    "learn_style",
    "plain_trajectory",
    "solve_trajectory",
]
