"""Centre lines that pass through each other are counted; lines that pass a tip are not."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.research.experiments.topology_coordinates.checks.line_crossings import line_crossings
from writhe.skeleton import Joint, JointKind, Skeleton, Tip
from writhe.solvers.tangling import Tangle, TangleStage
from writhe.topology import Strand


@pytest.mark.parametrize(("beside_m", "expected"), [(0.5, 1), (1.02, 0)])
def test_a_segment_moved_across_another(beside_m: float, expected: int):
    skeleton = Skeleton(
        [Joint("bone", None, JointKind.FREE)], [Tip("tip", "bone", np.array([0.0, 0.0, 1.0]))]
    )
    moving = Strand.between(skeleton, "bone", "tip", name="moving")
    still = Strand.along([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], name="still")
    path = np.tile(skeleton.rest_configuration, (2, 1))
    path[:, :3] = [(beside_m, 0.04, -0.5), (beside_m, -0.04, -0.5)]
    for first, last in ((0, 1), (5, 6)):  # the pair is in the goals of these frames
        stage = TangleStage(first, last, (Tangle(moving, still, 0.3),))
        found = line_crossings(skeleton, path, [stage])
        assert found.total == expected
        assert found.bounded == (expected if first == 0 else 0)
