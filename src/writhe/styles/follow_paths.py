"""Move hands or feet of a figure along paths in a learned style, with a certificate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.cleaning.clean import Cleaned, clean
from writhe.collision import Certificate, CollisionTable, certify
from writhe.easing import smoothstep
from writhe.kernels.trajectory.octree_cells import OctreeCells
from writhe.skeleton import Motion, Skeleton
from writhe.skeleton.kinematics import difference, integrate
from writhe.solvers.trajectory import Chain, PassOptions, Trajectory, solve_trajectory
from writhe.solvers.trajectory.four_passes import targets_of

LEAD_IN_S = 0.3  # in which a motion gets from the pose before a path into its style


@dataclass(frozen=True)
class Followed:
    """The motion along a path, the trajectory solution and the certificate."""

    motion: Motion
    trajectory: Trajectory
    certificate: Certificate

    def repaired(self) -> Cleaned:
        """The motion with its penetrations removed by `writhe.cleaning`."""
        return clean(self.trajectory.chain.figure, self.motion)


def follow(
    chain: Chain,
    cells: OctreeCells,
    path_in_world: Floats,
    fps: float,
    posture: Floats,
    *,
    options: PassOptions | None = None,
    threads: int | None = None,
    name: str = "follow",
) -> Followed:
    """Move the chain's effectors along world points (F, E, 3), or (F, 3) for one effector.

    The root and all joints outside the chain are taken from `posture`, (nq) or (F, nq).
    """
    points = targets_of(chain, path_in_world)
    targets = chain.targets_in_root(points, posture)
    trajectory = solve_trajectory(chain, cells, targets, fps, options=options, threads=threads)
    motion = Motion(
        chain.figure.skeleton, chain.configurations(trajectory.theta, posture), fps, name
    )
    certificate = certify(CollisionTable.of_figure(chain.figure), motion.q, fps)
    return Followed(motion, trajectory, certificate)


def starting_at(skeleton: Skeleton, q: Floats, posture: Floats, fps: float) -> Floats:
    """Frames q (F, nq) that begin at `posture` (nq); what differs fades within `LEAD_IN_S`.

    A style has its own pose at the start of a path; without this, the limb would leap into it, and
    through the body where the two lie on different sides of it.
    """
    apart = difference(skeleton, q[0], posture)
    left = 1.0 - smoothstep(np.arange(len(q)) / max(1.0, min(LEAD_IN_S * fps, len(q) - 1)))
    return np.array([integrate(skeleton, row, w * apart) for row, w in zip(q, left, strict=True)])


def smooth_path(waypoints: Floats, frames: int) -> Floats:
    """(frames, 3) samples of the spline through waypoints (k, 3), eased at both ends.

    Parametrised by chord length, since drawn waypoints are spaced unevenly.
    """
    from scipy.interpolate import CubicSpline

    points = np.asarray(waypoints, dtype=np.float64)
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    keep = np.concatenate([[True], np.diff(length) > 1e-6])
    if keep.sum() < 2:
        return np.repeat(points[:1], frames, axis=0)
    share = length[keep] / length[-1]
    t = np.linspace(0.0, 1.0, frames)
    ease = 0.8 * t + 0.2 * smoothstep(t)
    if keep.sum() == 2:
        return points[keep][0] + ease[:, None] * (points[keep][1] - points[keep][0])
    return np.asarray(CubicSpline(share, points[keep], bc_type="natural")(ease))
