"""Starting poses, mirrored poses, reset limbs."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.animation.mirror import counterpart, mirrored_pose
from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import difference, integrate
from writhe.studio.editing.scene.contact_defaults import clearance
from writhe.studio.editing.starting_poses import limb_reset, starting_pose


@pytest.mark.parametrize("name", ["human", "hand", "octopus"])
def test_figures_start_clear_of_themselves(name: str) -> None:
    body = figure(name)
    assert clearance(body, starting_pose(body)) > 0


def test_mirroring_swaps_sides_and_twice_is_the_identity(rng: np.random.Generator) -> None:
    body = figure("human")
    skeleton = body.skeleton
    step = 0.3 * rng.normal(size=skeleton.dof_count)
    step[3:6] = (0.0, 0.7, 0.0)  # heading: the mirror plane is the body's sagittal plane
    q = integrate(skeleton, starting_pose(body), step)
    other = mirrored_pose(body, q)
    np.testing.assert_allclose(difference(skeleton, mirrored_pose(body, other), q), 0, atol=1e-8)
    here, there = forward(skeleton, q), forward(skeleton, other)
    root = here.position("hips")
    for name in skeleton.names:
        a = here.position(name) - root
        b = there.position(counterpart(body, name)) - root
        assert np.linalg.norm(a) == pytest.approx(np.linalg.norm(b), abs=1e-9)
        assert a[1] == pytest.approx(b[1], abs=1e-9)


def test_a_limb_is_reset_alone(rng: np.random.Generator) -> None:
    body = figure("human")
    skeleton = body.skeleton
    start = starting_pose(body)
    q = integrate(skeleton, start, 0.2 * rng.normal(size=skeleton.dof_count))
    reset = limb_reset(body, q, "left_wrist")
    for name in skeleton.names:
        part = skeleton.q_slice(name)
        expected = start if name in ("left_shoulder", "left_elbow", "left_wrist") else q
        np.testing.assert_array_equal(reset[part], expected[part])
