"""The mass of objects: from their volume, and in the balance of who carries them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from writhe import Actor, Controls, Scene, Target, WritheError, figure, forward, make_poser
from writhe.collision import ball, box, capsule, half_space
from writhe.scene import SceneObject
from writhe.scene.object_mass import HEAVIEST_KG, usual_mass_kg, volume_and_centre
from writhe.solvers.posing import pin_here
from writhe.solvers.posing.support_polygon import distance_outside
from writhe.studio.editing.starting_poses import starting_pose


def test_volumes_and_centres_of_solids():
    cases = (
        (ball((0.1, 0.2, 0.3), 0.5), 4 / 3 * np.pi * 0.125, (0.1, 0.2, 0.3)),
        (capsule((0, 0, 0), (0, 2, 0), 0.1), np.pi * (0.02 + 4 / 3 * 0.001), (0, 1, 0)),
        (box((1, 0, 0), (0.2, 0.4, 0.6)), 0.048, (1, 0, 0)),
    )
    for shape, volume, centre in cases:
        found = volume_and_centre((shape, half_space((0, 0, 0), (0, 1, 0))))
        assert found[0] == pytest.approx(volume, rel=0.03)
        np.testing.assert_allclose(found[1], centre, atol=1e-3)  # of the sampled surface
    assert usual_mass_kg((box((0, 0, 0), (3, 3, 3)),)) == HEAVIEST_KG


def carrying(mass_kg: float) -> Scene:
    cube = box((0.0, -0.15, 0.0), (0.2, 0.2, 0.2))
    item = SceneObject("box", (cube,), attached_to="anna.right_wrist", mass_kg=mass_kg)
    scene = Scene((Actor("anna", figure("human")),), (item,))
    return replace(scene, policy=scene.policy.ignore("anna.right_wrist", "box"))


def reached(scene: Scene) -> tuple[np.ndarray, tuple[float, float], np.ndarray]:
    """The pose in which the right hand is held out ahead, its centre of mass, the support."""
    skeleton = scene.actors[0].figure.skeleton
    poser = make_poser("default", scene, actor="anna", controls=Controls.standing())
    q = starting_pose(scene.actors[0].figure)
    feet = [pin_here(skeleton, q, f"{side}_ankle", orientation=True) for side in ("left", "right")]
    target = Target("right_wrist", (-0.25, 1.25, 0.75))
    for _ in range(60):
        result = poser.step(q, [target], feet)
        q = result.q
    assert result.centre_of_mass_m is not None and result.support is not None
    return q, result.centre_of_mass_m, result.support


def test_who_carries_something_heavy_leans_back_to_keep_the_balance():
    light, heavy = (reached(carrying(mass_kg)) for mass_kg in (0.0, 30.0))
    skeleton = carrying(0.0).actors[0].figure.skeleton
    bodies = [forward(skeleton, q) for q, _, _ in (light, heavy)]
    own = [
        (
            skeleton.mass
            @ (f.positions + np.einsum("jrc,jc->jr", f.rotations, skeleton.centre_of_mass))
        )
        / skeleton.mass.sum()
        for f in bodies
    ]
    assert own[1][2] < own[0][2] - 0.03  # the body itself is farther back
    for _, centre, support in (light, heavy):
        assert distance_outside(support, np.array(centre)) < 0.012  # 6 mm at each of two sides
    total = skeleton.mass.sum() + 30.0
    at = bodies[1].point("right_wrist", (0.0, -0.15, 0.0))
    expected = (skeleton.mass.sum() * own[1] + 30.0 * at) / total
    np.testing.assert_allclose(heavy[1], expected[[0, 2]], atol=1e-3)


def test_the_mass_is_kept_in_scene_files_and_checked(tmp_path: Path):
    carrying(2.5).save(tmp_path / "scene.json")
    assert Scene.load(tmp_path / "scene.json").object("box").mass_kg == 2.5
    with pytest.raises(WritheError, match="mass"):
        carrying(-1.0)
