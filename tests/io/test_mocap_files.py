"""The motion-capture development set: round trips, lost bones, units."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from writhe import figure_of, load, save
from writhe.skeleton import Frames


def test_every_clip_round_trips(mocap, tmp_path):
    clips = sorted(mocap.glob("*/*.bvh"))
    assert len(clips) >= 144
    path = tmp_path / "again.bvh"
    for clip in clips:
        motion = load(clip)
        save(motion, path)
        again = load(path)
        assert again.skeleton.names == motion.skeleton.names
        assert [t.name for t in again.skeleton.tips] == [t.name for t in motion.skeleton.tips]
        for key in ("channels", "frame_time_s", "metres_per_unit"):
            assert again.source[key] == motion.source[key], clip
        assert again.fps == motion.fps == 30.0
        apart = np.abs(again.frames().positions - motion.frames().positions).max()
        assert apart < 1e-5, clip


@pytest.mark.parametrize("clip", ["basic/02_10.bvh", "pairs/18_01.bvh", "tangled/79_68.bvh"])
def test_clips_go_through_gltf(mocap, tmp_path, clip):
    motion = load(mocap / clip)
    save(motion, tmp_path / "m.glb")
    again = load(tmp_path / "m.glb")
    assert again.skeleton.names == motion.skeleton.names
    assert again.fps == motion.fps
    np.testing.assert_allclose(again.frames().positions, motion.frames().positions, atol=1e-5)


def hand_points(frames: Frames) -> np.ndarray:
    """(F, k, 3) points along the right hand from the wrist to the finger tip."""
    tip = next(t for t in frames.skeleton.tips if t.name == "RightHandIndex1_end")
    names = ("RightHand", "RightFingerBase", "RightHandIndex1")
    corners = [frames.position(n) for n in names]
    corners.append(corners[-1] + frames.rotation(tip.joint) @ tip.offset_in_joint)
    steps = np.linspace(0, 1, 11)[:, None, None]
    pairs = itertools.pairwise(corners)
    return np.concatenate([a + steps * (b - a) for a, b in pairs]).transpose(1, 0, 2)


def handshake_gap(mocap, repair: bool) -> float:
    hands = [hand_points(load(mocap / f"pairs/{c}.bvh", repair=repair).frames())
             for c in ("18_01", "19_01")]  # fmt: skip
    between = hands[0][:, :, None] - hands[1][:, None]
    return float(np.linalg.norm(between, axis=-1).min())


def test_repair_lets_hands_meet(mocap):
    assert handshake_gap(mocap, repair=False) == pytest.approx(0.23, abs=0.01)
    assert handshake_gap(mocap, repair=True) == pytest.approx(0.04, abs=0.01)


def hands_over_floor(mocap, repair: bool) -> float:
    """Median height of the lower hand over the floor while the body stands on its hands."""
    frames = load(mocap / "tangled/90_35.bvh", repair=repair).frames()
    feet = [frames.position(f"{s}Foot")[:, 1] for s in ("Left", "Right")]
    upside_down = np.minimum(*feet) > frames.position("Head")[:, 1] + 0.5
    assert upside_down.sum() >= 3
    toes = [frames.position(f"{s}ToeBase")[:, 1] for s in ("Left", "Right")]
    hands = [frames.tip(f"{s}HandIndex1_end")[:, 1] for s in ("Left", "Right")]
    hands += [frames.position(f"{s}HandIndex1")[:, 1] for s in ("Left", "Right")]
    floor = np.percentile(np.minimum(*toes), 5)
    return float(np.median(np.min(hands, axis=0)[upside_down]) - floor)


def test_repair_lets_hands_reach_the_floor(mocap):
    assert hands_over_floor(mocap, repair=False) > 0.15
    assert abs(hands_over_floor(mocap, repair=True)) < 0.03


def test_repairs_are_noted_undone_on_request_and_not_applied_twice(mocap, tmp_path):
    clip = mocap / "pairs/18_01.bvh"
    motion, raw = load(clip), load(clip, repair=False)
    assert set(motion.source["repairs"]) == {
        *("Neck", "LeftShoulder", "RightShoulder"),
        *("LeftFingerBase", "LThumb", "RightFingerBase", "RThumb"),
    }
    assert raw.source["repairs"] == {}
    save(motion, tmp_path / "repaired.bvh")
    again = load(tmp_path / "repaired.bvh")
    assert again.source["repairs"] == {}
    np.testing.assert_allclose(again.frames().positions, motion.frames().positions, atol=1e-5)
    save(motion, tmp_path / "raw.bvh", undo_repairs=True)
    np.testing.assert_allclose(
        load(tmp_path / "raw.bvh", repair=False).frames().positions,
        raw.frames().positions,
        atol=1e-5,
    )


def test_units_and_proportions_come_out_in_metres(mocap):
    motion = load(mocap / "basic/02_10.bvh")
    assert motion.source["metres_per_unit"] == pytest.approx(0.0564444, abs=1e-7)
    assert "CMU" in motion.source["unit_from"]
    frames, roles = motion.frames(), dict(figure_of(motion).roles)
    thigh = frames.position(roles["left_hip"])[0] - frames.position(roles["left_knee"])[0]
    assert 0.35 < np.linalg.norm(thigh) < 0.50
    assert 1.4 < frames.position(roles["head"])[:, 1].max() < 1.9


def test_the_five_strands_follow_the_limbs(mocap):
    strands = dict(figure_of(load(mocap / "basic/02_10.bvh")).strands)
    assert strands["torso"] == ("Hips", "Spine", "Spine1", "Neck", "Neck1", "Head", "Head_end")
    assert strands["left_leg"] == (
        *("LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToeBase", "LeftToeBase_end"),
    )
    assert strands["right_arm"][:3] == ("RightArm", "RightForeArm", "RightHand")
    assert strands["right_arm"][-1] == "RightHandIndex1_end"
