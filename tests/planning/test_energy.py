"""The repulsive energy: its value, its gradient, and its pair weights."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.collision import CollisionTable, box, half_space, hull
from writhe.errors import UnknownNameError, WritheError
from writhe.planning import Energy, EnergyOptions
from writhe.scene import Actor, Scene, SceneObject
from writhe.skeleton import Figure
from writhe.skeleton.kinematics import integrate
from writhe.skeleton.limits import random_configurations


def _slope(energy: Energy, q: np.ndarray, v: np.ndarray, step: float = 1e-6) -> float:
    skeleton = energy.table.skeleton
    ahead, behind = integrate(skeleton, q, step * v), integrate(skeleton, q, -step * v)
    return (energy.value(ahead) - energy.value(behind)) / (2 * step)


def _clear_postures(energy: Energy, count: int, rng: np.random.Generator) -> list[np.ndarray]:
    found = []
    for q in random_configurations(energy.table.skeleton, 400, rng):
        if energy.clearance(q) > 0.004:
            found.append(q)
        if len(found) == count:
            break
    return found


@pytest.mark.parametrize("falloff", [1, 2, 5])
def test_gradient_of_a_body_alone(table: CollisionTable, falloff: int) -> None:
    energy, rng = Energy(table, EnergyOptions(falloff=falloff)), np.random.default_rng(3)
    postures = _clear_postures(energy, 6, rng)
    assert len(postures) == 6
    for q in postures:
        _, gradient = energy.value_and_gradient(q)
        v = rng.normal(size=len(gradient))
        assert _slope(energy, q, v) == pytest.approx(gradient @ v, rel=2e-4, abs=1e-6)


def test_gradient_beside_floor_box_and_hull(human: Figure) -> None:
    corners = np.random.default_rng(1).normal(0, 0.2, (12, 3))
    scene = Scene(
        (Actor("ann", human),),
        (
            SceneObject("floor", (half_space((0, 0, 0), (0, 1, 0)),)),
            SceneObject(
                "box", (box((0, 0, 0), (0.4, 0.4, 0.4)),), position_m=np.array([0.2, 0.3, 0.7])
            ),
            SceneObject("rock", (hull(corners, 0.03),), position_m=np.array([-0.7, 1.0, 0.5])),
        ),
    )
    energy, rng = Energy(scene.layout.table), np.random.default_rng(5)
    checked = 0
    for q in random_configurations(scene.layout.skeleton, 300, rng, root_turns=False):
        q[1] += 0.2
        if energy.clearance(q) < 0.004:
            continue
        _, gradient = energy.value_and_gradient(q)
        v = rng.normal(size=len(gradient))
        assert _slope(energy, q, v) == pytest.approx(gradient @ v, rel=1e-3, abs=1e-5)
        checked += 1
        if checked == 5:
            break
    assert checked == 5


def test_energy_grows_as_parts_come_near(human: Figure, table: CollisionTable) -> None:
    energy, q = Energy(table), human.skeleton.rest_configuration
    values = []
    for angle in (0.0, 0.01, 0.02, 0.03):  # both thighs turned inwards
        turned = q.copy()
        for side, sign in (("left", -1.0), ("right", 1.0)):
            at = human.skeleton.q_slice(f"{side}_hip")
            turned[at] = [np.cos(angle / 2), 0.0, 0.0, sign * np.sin(angle / 2)]
        values.append(energy.value(turned))
    assert values == sorted(values) and values[-1] > 1.5 * values[0]


def test_a_weight_of_zero_leaves_a_pair_out(table: CollisionTable, human: Figure) -> None:
    q = human.skeleton.rest_configuration
    every = Energy(table).value(q)
    fewer = Energy(table, EnergyOptions(weights={("left_hip", "right_hip"): 0.0})).value(q)
    assert fewer < every


def test_misuse_raises(table: CollisionTable) -> None:
    with pytest.raises(WritheError, match="falloff"):
        EnergyOptions(falloff=0)
    with pytest.raises(UnknownNameError):
        Energy(table, EnergyOptions(weights={("left_hip", "tail"): 1.0}))
