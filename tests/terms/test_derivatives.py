"""The derivative of every quantity type, found automatically, against finite differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from writhe.quantities import Quantity, evaluate, quantity_types
from writhe.skeleton import Joint, JointKind, Limits, Skeleton
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import integrate

STEP = 1e-6


def limited_human() -> Skeleton:
    """The human with a mass on every joint and lopsided limits in a tilted frame."""
    frame = np.array([0.9, 0.2, -0.3, 0.1])
    ball = Limits(
        np.array([-1, -0.8, -1.2]), np.array([1, 1.5, 0.6]), frame / np.linalg.norm(frame)
    )
    hinge = Limits(np.array([0.0]), np.array([2.5]))
    return Skeleton(
        replace(
            joint,
            mass_kg=1.0 + i,
            centre_of_mass=np.array([0.01 * i, -0.02, 0.03]),
            limits={JointKind.BALL: ball, JointKind.HINGE: hinge}.get(joint.kind),
        )
        for i, joint in enumerate(figure("human").skeleton.joints)
    )


def two_bodies() -> Skeleton:
    """A small forest that contains every kind of joint."""
    tilt = np.array([0.8, 0.2, 0.4, -0.4])
    axis = np.array([0.0, 0.6, 0.8])
    arm = np.array([0.2, 0.1, 0.0])
    limits = Limits(np.array([-1.0, -1.0, -1.0]), np.array([1.0, 1.0, 1.0]))
    return Skeleton(
        [
            Joint("a", None, JointKind.FREE, arm, tilt, mass_kg=1.0),
            Joint("slide", "a", JointKind.PRISMATIC, arm, tilt, axis, mass_kg=2.0),
            Joint("tip", "slide", JointKind.BALL, arm, tilt, limits=limits, mass_kg=0.5),
            Joint("b", None, JointKind.FREE, -arm, mass_kg=3.0),
            Joint("hinge", "b", JointKind.HINGE, arm, tilt, axis, mass_kg=0.2),
        ]
    )


@pytest.mark.parametrize("kind", quantity_types(), ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("skeleton", [limited_human(), two_bodies()], ids=["human", "two bodies"])
def test_derivative(kind: type[Quantity], skeleton: Skeleton, rng: np.random.Generator):
    quantities = kind.samples(skeleton, rng)
    assert quantities, f"{kind.__name__} offers no samples"
    nv = skeleton.dof_count
    for _ in range(3):
        q = integrate(skeleton, skeleton.rest_configuration, rng.normal(0, 0.4, nv))
        _, jacobian = evaluate(skeleton, quantities, q)
        slope = np.empty_like(jacobian)
        for k in range(nv):
            v = np.zeros(nv)
            v[k] = STEP
            plus, _ = evaluate(skeleton, quantities, integrate(skeleton, q, v))
            minus, _ = evaluate(skeleton, quantities, integrate(skeleton, q, -v))
            slope[:, k] = (plus - minus) / (2 * STEP)
        np.testing.assert_allclose(jacobian, slope, atol=2e-7)
