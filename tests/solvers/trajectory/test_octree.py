"""Octrees: parameters of cells, look-up of the deepest non-empty cell, damping, files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from writhe.errors import FileFormatError, UnknownNameError, WritheError
from writhe.skeleton import Motion
from writhe.skeleton.figures import figure
from writhe.solvers.trajectory import (
    Chain,
    Forest,
    JointOctree,
    OctreeOptions,
    learn_octree,
    learn_style,
)


@pytest.fixture(scope="module")
def takes(arm: Chain, movements: dict[str, list[Motion]]) -> list[tuple[np.ndarray, float]]:
    return [(arm.coordinates(m.q), m.fps) for m in movements["expressive"]]


@pytest.fixture(scope="module")
def octree(arm: Chain, takes: list[tuple[np.ndarray, float]]) -> JointOctree:
    return learn_octree(arm, takes)


def _descended(
    octree: JointOctree, members: list[np.ndarray], points: np.ndarray, at: np.ndarray
) -> int:
    """The paper's look-up by exhaustive search: the deepest non-empty cell around the point."""
    unit = (at - octree.corner_m) / octree.size_m
    if np.any(unit < 0) or np.any(unit >= 1):
        return 0
    best = 1
    for cell in range(2, len(octree)):
        edge = 2 ** octree.level[cell]
        inside = (points[members[cell]] - octree.corner_m) / octree.size_m
        position = np.floor(edge * inside[0]).clip(0, edge - 1)
        if np.all(np.floor(edge * unit) == position) and octree.level[cell] > octree.level[best]:
            best = cell
    return best


def _members(octree: JointOctree, points: np.ndarray) -> list[np.ndarray]:
    out = []
    found = np.array([octree.cell_of(p) for p in points])
    for cell in range(len(octree)):
        up = found.copy()
        inside = np.zeros(len(points), dtype=bool)
        while np.any(up >= 0):
            inside |= up == cell
            up = np.where(up >= 0, octree.parent[up], -1)
        out.append(np.flatnonzero(inside))
    return out


def test_cells_hold_the_range_of_the_postures_in_them(
    arm: Chain, takes: list[tuple[np.ndarray, float]], octree: JointOctree
) -> None:
    theta = np.concatenate([t for t, _ in takes])
    points = arm.effector_points(theta)[:, 0]
    members = _members(octree, points)
    assert octree.level.max() <= 5
    for cell, inside in enumerate(members):
        assert octree.count[cell] == len(inside) > 0
        if cell > 0:
            assert np.allclose(octree.lower[cell], theta[inside].min(axis=0) - 0.001)
            assert np.allclose(octree.upper[cell], theta[inside].max(axis=0) + 0.001)
            above = octree.parent[cell]
            assert np.all(octree.lower[above] <= octree.lower[cell])
            assert np.all(octree.upper[above] >= octree.upper[cell])
        split = np.any(octree.parent == cell)
        assert split == (cell == 0 or (len(inside) > 20 and octree.level[cell] < 5))


def test_the_grid_agrees_with_an_exhaustive_search(
    arm: Chain,
    takes: list[tuple[np.ndarray, float]],
    octree: JointOctree,
    rng: np.random.Generator,
) -> None:
    points = arm.effector_points(np.concatenate([t for t, _ in takes]))[:, 0]
    members = _members(octree, points)
    near = points[rng.integers(len(points), size=60)] + rng.normal(0.0, 0.05, (60, 3))
    far = octree.corner_m + octree.size_m * rng.uniform(-0.2, 1.2, (60, 3))
    for at in np.concatenate([near, far]):
        assert octree.cell_of(at) == _descended(octree, members, points, at)


def test_damping_is_positive_finite_and_does_not_depend_on_the_frame_rate(
    arm: Chain, movements: dict[str, list[Motion]]
) -> None:
    takes = movements["throw"]
    options = OctreeOptions(levels=1)
    at = {
        fps: learn_octree(
            arm, [(arm.coordinates(t.resample(fps).q), fps) for t in takes], 0, options
        ).damping_m2[1]
        for fps in (30.0, 60.0, 120.0)
    }
    for fps, damping in at.items():
        assert np.all(np.isfinite(damping)) and np.all(damping > 0.0)
        assert np.abs(np.log(damping / at[30.0])).max() < np.log(1.25), fps
    # as printed, g / dtheta over one frame would fall with the frame time


def test_still_takes_and_single_frames_can_be_learnt(arm: Chain) -> None:
    still = np.tile(arm.coordinates(figure("human").skeleton.rest_configuration), (30, 1))
    for take in (still, still[:1]):
        octree = learn_octree(arm, [(take, 30.0)])
        assert np.all(np.isfinite(octree.damping_m2)) and np.all(octree.damping_m2 > 0)
        assert np.all(np.isfinite(octree.slope))
    with pytest.raises(WritheError, match="at least one take"):
        learn_octree(arm, [])
    with pytest.raises(WritheError, match="levels"):
        OctreeOptions(levels=0)


def test_cutting_and_relaxing(octree: JointOctree, rng: np.random.Generator) -> None:
    cut = octree.cut_to(3)
    assert cut.level.max() == 2
    for at in octree.corner_m + octree.size_m * rng.uniform(0, 1, (40, 3)):
        cell = octree.cell_of(at)
        while octree.level[cell] > 2:
            cell = octree.parent[cell]
        assert np.array_equal(octree.mean[cell], cut.mean[cut.cell_of(at)])
    wide = octree.relaxed(0.1)
    assert np.all(wide.lower <= octree.lower) and np.all(wide.upper >= octree.upper)
    assert np.all(wide.lower >= octree.lower[0]) and np.all(wide.upper <= octree.upper[0])


def test_saved_forests_load_unchanged(forest: Forest, arm: Chain, tmp_path: Path) -> None:
    path = tmp_path / "styles.npz"
    forest.save(path)
    again = Forest.load(path, figure("human"))
    assert list(again.styles) == list(forest.styles)
    for a, b in zip(forest.blend("golf"), again.blend("golf"), strict=True):
        assert np.array_equal(a, b)
    with pytest.raises(FileFormatError, match="learn again"):
        Forest.load(path, figure("human", profile="athletic"))
    path.write_bytes(b"nothing")
    with pytest.raises(FileFormatError, match="writhe learn"):
        Forest.load(path, figure("human"))
    with pytest.raises(UnknownNameError, match="golf"):
        forest.blend("cricket")


def test_a_blend_of_a_style_with_itself_is_that_style(
    arm: Chain, movements: dict[str, list[Motion]], forest: Forest
) -> None:
    takes = [(m.q, m.fps) for m in movements["golf"]]
    twice = Forest(arm, [learn_style(arm, name, takes) for name in ("one", "two")])
    one, both = twice.blend("one"), twice.blend({"one": 1.0, "two": 3.0})
    assert both.weight[:, 0].tolist() == [0.25, 0.75]
    assert np.array_equal(both.lower[both.root], np.repeat(one.lower[one.root], 2, axis=0))
