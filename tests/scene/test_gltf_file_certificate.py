"""`certify_file` of glTF files: tracks by steps, lines and splines, scales, armatures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike

from writhe.collision import Certificate, Verdict
from writhe.errors import WritheError
from writhe.io import load
from writhe.io.gltf.container import write_container
from writhe.io.gltf.read_keys import load_gltf_keys
from writhe.scene import certify_file
from writhe.skeleton import Capsule, Figure, Motion, forward, quaternions


def about_z(*degrees: float) -> np.ndarray:
    half = np.radians(degrees) / 2
    return np.array([[0, 0, np.sin(h), np.cos(h)] for h in half])


def spin_glb(
    folder: Path,
    times: list[float],
    values: ArrayLike,
    how: str,
    still_s: tuple[float, ...] | None = None,
    scale: float = 1.0,
) -> Path:
    """An arm along x with a rotation track, and a post that another track keeps in place.

    The keys of the post are at the arm's first and last, or at still_s; the arm grows by `scale`.
    """
    binary, views, accessors = b"", [], []
    kept = still_s or (times[0], times[-1])
    still = kept, about_z(*[0] * len(kept))
    grown = (0.0, 1.0), [[1.0] * 3, [scale] * 3]
    for data, kind in zip(
        (times, values, *still, *grown), ("SCALAR", "VEC4") * 2 + ("SCALAR", "VEC3"), strict=True
    ):
        raw = np.asarray(data, dtype="<f4").tobytes()
        views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(raw)})
        count = len(np.asarray(data))
        about = {"bufferView": len(views) - 1, "componentType": 5126, "count": count, "type": kind}
        accessors.append(about)
        binary += raw
    document = {
        "asset": {"version": "2.0"},
        "nodes": [{"name": "base", "children": [1, 2]}, {"name": "arm"}, {"name": "post"}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(binary)}],
        "animations": [
            {
                "samplers": [
                    {"input": 0, "output": 1, "interpolation": how},
                    {"input": 2, "output": 3, "interpolation": "LINEAR"},
                    {"input": 4, "output": 5, "interpolation": "LINEAR"},
                ],
                "channels": [
                    *(
                        {"sampler": i, "target": {"node": 1 + i, "path": "rotation"}}
                        for i in range(2)
                    ),
                    *(
                        [{"sampler": 2, "target": {"node": 1, "path": "scale"}}]
                        if scale != 1
                        else []
                    ),
                ],
            }
        ],
    }
    path = folder / "spin.glb"
    write_container(path, document, binary)
    return path


def spin_certificate(path: Path, post_degrees: float) -> Certificate:
    angle = np.radians(post_degrees)
    at = 0.4 * np.array([np.cos(angle), np.sin(angle), 0.0])
    skeleton = load(path).skeleton
    arm = Capsule("arm", np.zeros(3), np.array([0.5, 0, 0]), 0.03)
    figure = Figure("spin", skeleton, (arm, Capsule("post", at, at, 0.05)))
    return certify_file(path, figure=figure).certificate


def test_step_tracks_jump_over_what_lies_between(tmp_path):
    turns = about_z(20, 80, 140)
    moving = spin_glb(tmp_path, [0.0, 0.5, 1.0], turns, "LINEAR")
    assert spin_certificate(moving, 50.0).verdict is Verdict.PASSES_THROUGH
    jumping = spin_glb(tmp_path, [0.0, 0.5, 1.0], turns, "STEP")
    found = spin_certificate(jumping, 50.0)
    assert found.certified and found.jumps == 2 and found.interpolation == "slerp and step"
    assert spin_certificate(jumping, 85.0).verdict is not Verdict.CERTIFIED
    assert spin_certificate(jumping, 138.0).verdict is not Verdict.CERTIFIED  # the last key


def overshooting(folder: Path) -> Path:
    """From 20 to 40 degrees and on to 60 before it comes back: visible only between the keys."""
    flat = np.zeros((1, 4))
    steep = 12.0 * (about_z(40.0) - about_z(20.0))
    values = np.concatenate([flat, about_z(20), steep, -steep, about_z(40), flat])
    return spin_glb(folder, [0.0, 1.0], values, "CUBICSPLINE")


def test_splines_are_followed_between_their_keys(tmp_path):
    path = overshooting(tmp_path)
    dense = load_gltf_keys(path, 2000).motion
    turns = dense.q[:, dense.skeleton.q_slice("arm")][:, -4:]
    peak = np.degrees(2 * np.arctan2(turns[:, 3], turns[:, 0])).max()
    assert peak > 50.0
    hit, clear = peak - 2.0, peak + 25.0
    assert spin_certificate(path, hit).verdict is not Verdict.CERTIFIED
    found = spin_certificate(path, clear)
    assert found.certified and found.interpolation == "slerp and cubic spline" and found.frames == 2


@pytest.mark.parametrize("refine", [1, 4, 16])
def test_the_error_bound_of_splines_holds(tmp_path, refine):
    random = np.random.default_rng(refine)
    for _ in range(20):
        values = random.normal(size=(9, 4)) * 0.4
        values[1::3] = quaternions.normalised(random.normal(0, 0.25, (3, 4)) + np.eye(4)[3])
        path = spin_glb(tmp_path, [0.0, 0.3, 1.0], values, "CUBICSPLINE")
        coarse, fine = load_gltf_keys(path, refine), load_gltf_keys(path, 64 * refine)
        joint = coarse.motion.skeleton.index("arm")
        at = coarse.motion.skeleton.q_slice("arm")
        sampled = Motion(coarse.motion.skeleton, coarse.motion.q, 1.0)
        row = np.interp(fine.times_s, coarse.times_s, np.arange(len(coarse.times_s)))
        ours, truth = sampled.at(row)[:, at][:, -4:], fine.motion.q[:, at][:, -4:]
        dot = np.clip(np.abs((ours * truth).sum(axis=1)), 0.0, 1.0)
        apart = 2 * np.arccos(dot).max()
        assert apart <= coarse.rotation_error_rad[joint] + 1e-6


def test_half_a_turn_is_undecided_when_other_tracks_have_keys_within_it(tmp_path):
    turn = about_z(0, 180)
    alone = spin_glb(tmp_path, [0.0, 1.0], turn, "LINEAR")
    assert spin_certificate(alone, 90.0).verdict is not Verdict.CERTIFIED
    divided = spin_glb(tmp_path, [0.0, 1.0], turn, "LINEAR", still_s=(0.0, 0.5, 1.0))
    for post in (90.0, 270.0):  # whichever way it goes, one of them is on the other
        assert spin_certificate(divided, post).verdict is not Verdict.CERTIFIED


def test_a_scaled_shape_is_not_certified_at_its_rest_size(tmp_path):
    still = spin_glb(tmp_path, [0.0, 1.0], about_z(0, 0), "LINEAR")
    assert spin_certificate(still, 25.0).certified
    growing = spin_glb(tmp_path, [0.0, 1.0], about_z(0, 0), "LINEAR", scale=3.0)
    assert spin_certificate(growing, 25.0).verdict is Verdict.UNDECIDED


def armature_glb(folder: Path, **arm: object) -> Path:
    """A skinned arm below the node of an armature, which turns about z by 90 degrees."""
    binary = np.concatenate([[0.0, 1.0], about_z(0, 90).ravel()]).astype("<f4").tobytes()
    document = {
        "asset": {"version": "2.0"},
        "nodes": [
            {"name": "armature", "children": [1]},
            {"name": "root", "children": [2]},
            {"name": "arm"} | (arm or {"translation": [1, 0, 0]}),
        ],
        "skins": [{"joints": [1, 2]}],
        "accessors": [
            {"bufferView": i, "componentType": 5126, "count": 2, "type": kind}
            for i, kind in enumerate(("SCALAR", "VEC4"))
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 8},
            {"buffer": 0, "byteOffset": 8, "byteLength": 32},
        ],
        "buffers": [{"byteLength": len(binary)}],
        "animations": [
            {
                "samplers": [{"input": 0, "output": 1}],
                "channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}],
            }
        ],
    }
    path = folder / "armature.glb"
    write_container(path, document, binary)
    return path


def test_a_turning_armature_turns_its_joints(tmp_path):
    motion = load_gltf_keys(armature_glb(tmp_path)).motion
    assert forward(motion.skeleton, motion.q[-1]).position("arm") == pytest.approx([0, 1, 0])


def test_a_node_that_shears_is_refused(tmp_path):
    matrix = [1, 0, 0, 0, 0.6, 0.8, 0, 0, 0, 0, 1, 0, 0, 0.3, 0, 1]
    with pytest.raises(WritheError, match="shears"):
        load_gltf_keys(armature_glb(tmp_path, matrix=matrix))
