"""BVH files with Z up are recognised and turned; the axis can be given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from generated_characters import SHARED, wave
from writhe import load, save
from writhe.errors import WritheError
from writhe.skeleton import Motion, Skeleton, quaternions

QUARTER = quaternions.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.array(0.5 * np.pi))


def turned_over(motion: Motion) -> Motion:
    """The motion in a world in which the y axis became the z axis."""
    joints = [
        joint
        if joint.parent is not None
        else replace(
            joint,
            offset_in_parent=quaternions.rotate(QUARTER, np.asarray(joint.offset_in_parent)),
            rest=quaternions.multiply(QUARTER, np.asarray(joint.rest)),
        )
        for joint in motion.skeleton.joints
    ]
    return Motion(Skeleton(joints, motion.skeleton.tips), motion.q, motion.fps, motion.name)


def test_a_person_who_stands_along_z_is_turned(tmp_path: Path) -> None:
    motion = wave()
    save(turned_over(motion), tmp_path / "z.bvh")
    again = load(tmp_path / "z.bvh")
    assert again.source["up"] == "z"
    np.testing.assert_allclose(again.frames().positions, motion.frames().positions, atol=1e-5)
    save(again, tmp_path / "y.bvh")  # written with Y up
    written = load(tmp_path / "y.bvh")
    assert "up" not in written.source
    np.testing.assert_allclose(written.frames().positions, motion.frames().positions, atol=1e-5)


def test_the_axis_can_be_given(tmp_path: Path) -> None:
    save(turned_over(wave()), tmp_path / "z.bvh")
    lying = load(tmp_path / "z.bvh", up="y")
    heights = lying.frames().positions[0, :, 1]
    assert np.ptp(heights) < 0.5
    with pytest.raises(WritheError, match="y or z, not 'x'"):
        load(tmp_path / "z.bvh", up="x")
    save(wave(), tmp_path / "a.glb")
    with pytest.raises(WritheError, match="BVH files only"):
        load(tmp_path / "a.glb", up="z")


def test_a_person_who_lies_is_not_turned(tmp_path: Path) -> None:
    """Standing along y in the rest pose, lying along z in the motion."""
    motion = wave()
    q = motion.q.copy()
    q[:, 3:7] = quaternions.multiply(QUARTER, q[:, 3:7])
    q[:, 1] = -0.8
    save(replace(motion, q=q), tmp_path / "lying.bvh")
    again = load(tmp_path / "lying.bvh")
    assert "up" not in again.source


@pytest.mark.parametrize("name", ["fair1_zombie.bvh", "pybvh1.bvh"])
def test_files_from_elsewhere_stand(name: str) -> None:
    path = SHARED / name
    if not path.exists():
        pytest.skip("the characters from elsewhere are not beside this checkout")
    motion = load(path)
    frames = motion.frames()
    tall = frames.position("Head")[:, 1] - frames.position("Hips")[:, 1]
    assert np.median(tall) > 0.4
