"""Files of the figure itself are copied joint by joint; others are retargeted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from writhe.cli.app import run
from writhe.io import load, save
from writhe.retargeting.motion_on_figure import on_figure
from writhe.retargeting.retarget import retarget
from writhe.retargeting.soles import standing_height
from writhe.skeleton import Figure, Motion, forward
from writhe.skeleton.figures import figure


@pytest.fixture(scope="module")
def human() -> Figure:
    return figure("human")


@pytest.fixture(scope="module")
def waving(human: Figure) -> Motion:
    """Flexing elbows and knees, a turning trunk, a moving root."""
    q = np.tile(human.skeleton.rest_configuration, (12, 1))
    t = np.linspace(0.0, 1.0, 12)
    q[:, 0] += 0.5 * t
    for side in ("left", "right"):
        q[:, human.skeleton.q_slice(f"{side}_elbow")] = (0.2 + 1.2 * t)[:, None]
        q[:, human.skeleton.q_slice(f"{side}_knee")] = (0.4 * t)[:, None]
    half = 0.25 * t
    q[:, human.skeleton.q_slice("chest")] = np.stack(
        [np.cos(half), 0 * t, np.sin(half), 0 * t], axis=1
    )
    return Motion(human.skeleton, q, 30.0, "waving")


@pytest.mark.parametrize("suffix", [".bvh", ".glb"])
def test_a_file_of_the_human_is_read_as_the_human_again(
    human: Figure, waving: Motion, tmp_path: Path, suffix: str
) -> None:
    save(waving, tmp_path / f"waving{suffix}")
    carried = on_figure(load(tmp_path / f"waving{suffix}"), human)
    for was, is_ in zip(waving.q, carried.q, strict=True):
        apart = forward(human.skeleton, was).positions - forward(human.skeleton, is_).positions
        assert np.abs(apart).max() < 1e-4
    elbow = human.skeleton.q_slice("left_elbow")
    np.testing.assert_allclose(carried.q[:, elbow], waving.q[:, elbow], atol=1e-3)


def test_what_the_figure_cannot_do_is_retargeted_and_not_read_off(
    human: Figure, waving: Motion, tmp_path: Path
) -> None:
    save(waving, tmp_path / "waving.bvh")
    loose = load(tmp_path / "waving.bvh")  # its elbows are ball joints
    q = loose.q.copy()
    q[:, loose.skeleton.q_slice("left_elbow")] = [np.cos(0.4), np.sin(0.4), 0.0, 0.0]
    twisted = on_figure(Motion(loose.skeleton, q, 30.0, "twisted"), human)
    assert twisted.skeleton is human.skeleton
    assert twisted.source.get("format") == "retarget"


@pytest.mark.parametrize("suffix", [".bvh", ".glb"])
def test_saved_motions_are_drawn_and_cleaned_by_command(
    waving: Motion, tmp_path: Path, suffix: str
) -> None:
    clip, picture = tmp_path / f"waving{suffix}", tmp_path / "strip.png"
    save(waving, clip)
    drawn = ["render", str(clip), "--strip", "3", "--size", "96", "-o", str(picture)]
    for command in (drawn, ["clean", str(clip), "-o", str(tmp_path / "clean.bvh")]):
        with pytest.raises(SystemExit) as ended:
            run(command)
        assert ended.value.code == 0
    assert picture.stat().st_size > 1000
    assert len(load(tmp_path / "clean.bvh")) == len(waving)


def test_a_motion_is_put_on_a_given_floor(human: Figure) -> None:
    """Its planted soles are at that height."""
    q = np.tile(human.skeleton.rest_configuration, (40, 1))
    moved = retarget(
        Motion(human.skeleton, q, 30.0, "still"), human, source_figure=human, floor_m=0.25
    )
    for row in moved.q[::10]:
        assert standing_height(human, row) == pytest.approx(0.25, abs=1e-3)
