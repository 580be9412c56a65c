"""Stage two for any motion: timing, waypoints, held and sliding points, the command."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from writhe.animation import refine_motion
from writhe.cli.app import build_app
from writhe.collision import CollisionTable
from writhe.errors import UnknownNameError, WritheError
from writhe.io import save
from writhe.planning import FramePin, FrameSlide
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.skeleton import Figure, Motion, forward
from writhe.skeleton.kinematics import integrate, interpolate
from writhe.solvers.posing import pin_here

FRAMES = 31


@pytest.fixture(scope="module")
def swing(human: Figure) -> Motion:
    """One arm swung forwards and up at an uneven speed, the other hand down its thigh."""
    skeleton = human.skeleton
    start = standing(human)
    step = np.zeros(skeleton.dof_count)
    step[skeleton.v_slice("right_shoulder").start + 1] = 1.2
    step[skeleton.v_slice("left_elbow")] = 0.5
    step[skeleton.v_slice("spine").start] = 0.3
    goal = integrate(skeleton, start, step)
    share = np.linspace(0.0, 1.0, FRAMES) ** 2
    rows = np.array([interpolate(skeleton, start, goal, t) for t in share])
    return Motion(skeleton, rows, 30.0)


def test_the_speed_is_bell_shaped_and_waypoints_stay(human: Figure, swing: Motion) -> None:
    found = refine_motion(human, swing, waypoints=(15,), held=())
    assert found.certificate.certified and len(found.motion) == FRAMES
    for frame in (0, 15, FRAMES - 1):
        np.testing.assert_allclose(found.motion.q[frame], swing.q[frame], atol=1e-4)
    wrist = forward(human.skeleton, found.timed.q).position("right_wrist")
    speed = np.linalg.norm(np.diff(wrist, axis=0), axis=1)
    for piece in (speed[:15], speed[15:]):
        assert piece[0] < 0.2 * piece.max() and piece[-1] < 0.2 * piece.max()
    assert found.refined.angular_energy_drop > 0.5


def test_only_the_stretch_changes_and_its_duration(human: Figure, swing: Motion) -> None:
    found = refine_motion(human, swing, first=5, last=25, duration_s=40 / 30, held=())
    assert found.stretch == (5, 45) and len(found.motion) == FRAMES + 20
    assert np.array_equal(found.motion.q[:5], swing.q[:5])
    assert np.array_equal(found.motion.q[46:], swing.q[26:])


def test_pins_hold_and_a_hand_slides_straight_along_the_body(human: Figure, swing: Motion) -> None:
    skeleton = human.skeleton
    pins = [
        FramePin(pin_here(skeleton, swing.q[0], f"{s}_ankle"), 0, 30) for s in ("left", "right")
    ]
    slide = FrameSlide.along_contact(skeleton, swing.q, "left_wrist", "left_hip", 4, 26)
    found = refine_motion(human, swing, profile="keep", held=(*pins, slide))
    assert found.refined.slip_m < 2e-3 and found.certificate.certified
    frames = forward(skeleton, found.motion.q)
    turn, wrist = frames.rotation("left_hip"), frames.position("left_wrist")
    local = np.einsum("fji,fj->fi", turn, wrist - frames.position("left_hip"))[4:27]
    line = (local[-1] - local[0]) / np.linalg.norm(local[-1] - local[0])
    off = (local - local[0]) - ((local - local[0]) @ line)[:, None] * line
    assert np.linalg.norm(off, axis=1).max() < 3e-3


def test_other_actors_of_a_scene_stay(human: Figure, swing: Motion) -> None:
    fixed = np.ones(human.skeleton.dof_count, dtype=np.bool_)
    fixed[human.skeleton.v_slice("spine")] = False
    found = refine_motion(
        human, swing, profile="keep", table=CollisionTable.of_figure(human), variable=fixed
    )
    at = human.skeleton.q_slice("spine")
    np.testing.assert_allclose(found.motion.q[:, at], swing.q[:, at], atol=1e-12)


def test_bad_input_is_named(human: Figure, swing: Motion) -> None:
    with pytest.raises(UnknownNameError, match="bell"):
        refine_motion(human, swing, profile="bump")
    with pytest.raises(WritheError, match="five frames"):
        refine_motion(human, swing, first=4, last=6)
    with pytest.raises(WritheError, match="waypoints"):
        refine_motion(human, swing, first=10, last=20, waypoints=(25,))
    with pytest.raises(WritheError, match="itself"):
        FrameSlide("left_wrist", "left_wrist", 0, 5, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def test_the_command_refines_a_file(swing: Motion, tmp_path) -> None:
    save(swing, tmp_path / "swing.bvh")
    result = CliRunner().invoke(
        build_app("refine"),
        [
            "refine", str(tmp_path / "swing.bvh"), "-o", str(tmp_path / "out.bvh"),
            "--duration", "1.5", "--slide", "left_wrist:left_hip@4-26", "--json",
        ],
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout.splitlines()[-1])
    assert found["file_certified"] and found["frames"] == 46 and found["held"] >= 1
