"""Cleaning: penetrations are removed, everything else is kept, and the result is certified."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from writhe import io
from writhe.cleaning.clean import clean
from writhe.cleaning.push_out import push_frames_clear
from writhe.cleaning.solve_windows import ClipTrajectory
from writhe.cleaning.window_options import Instant
from writhe.cleaning.window_problem import ClipProblem
from writhe.cli.app import run
from writhe.collision import CollisionTable, certify
from writhe.errors import WritheError
from writhe.postures.builtin import builtin_database
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.retargeting.retarget import retarget
from writhe.skeleton import Motion, forward
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import integrate, interpolate
from writhe.skeleton.mirror import mirrored
from writhe.solvers.posture_tracking import PostureTracker
from writhe.topology import linking_vector

HUMAN = figure("human")
SKELETON = HUMAN.skeleton


def pressed_arm() -> Motion:
    """An arm that goes into the side of the body and comes out again, once in four seconds."""
    apart = standing(HUMAN)
    inside = apart.copy()
    turn = np.array([np.cos(0.78), 0.0, 0.0, -np.sin(0.78)])
    inside[SKELETON.q_slice("left_shoulder")] = turn
    t = np.clip(1.2 * np.sin(np.linspace(-0.6, np.pi + 0.6, 120)), 0.0, 1.0)
    rows = [interpolate(SKELETON, apart, inside, float(x)) for x in t]
    return Motion(SKELETON, np.array(rows), 30.0, "pressed arm")


def test_a_standing_foot_neither_slides_nor_lifts_when_the_other_leg_hits_it():
    """The other leg swings 9 cm into the standing one, which has to give way."""
    apart = standing(HUMAN)
    inside = apart.copy()
    inside[SKELETON.q_slice("right_hip")] = [np.cos(0.12), 0.0, 0.0, np.sin(0.12)]
    shares = np.sin(np.linspace(0.0, np.pi, 40))
    rows = [interpolate(SKELETON, apart, inside, float(x)) for x in shares]
    motion = Motion(SKELETON, np.array(rows), 30.0, "leg in leg")
    cleaned = clean(HUMAN, motion, euler=False)
    assert cleaned.before.penetration_witnessed_m > 0.08
    assert cleaned.after.certified
    feet = [SKELETON.index("left_ankle"), SKELETON.index("left_toe")]
    offset = [forward(SKELETON, m.q).positions[:, feet] for m in (cleaned.motion, motion)]
    moved = offset[0] - offset[1]
    assert np.linalg.norm(np.diff(moved, axis=0), axis=2).max() < 0.004  # a frame
    assert np.abs(moved[:, :, 1]).max() < 0.004


def test_the_arm_comes_out_and_the_rest_stays():
    motion = pressed_arm()
    cleaned = clean(HUMAN, motion)
    assert not cleaned.before.certified
    assert cleaned.before.penetration_witnessed_m > 0.03
    assert cleaned.after.certified
    assert cleaned.after.penetration_upper_bound_m < 0.002
    assert cleaned.mean_displacement_m < 0.02
    moved = np.linalg.norm(
        forward(SKELETON, cleaned.motion.q).positions - forward(SKELETON, motion.q).positions,
        axis=2,
    )
    names = list(SKELETON.names)
    assert moved[0].max() == moved[-1].max() == 0.0  # clear frames are unchanged
    assert moved[:, [names.index(f"{side}_ankle") for side in ("left", "right")]].max() < 0.002
    steps = np.diff(forward(SKELETON, cleaned.motion.q).positions, axis=0)
    source = np.diff(forward(SKELETON, motion.q).positions, axis=0)
    assert np.abs(steps).max() < 1.5 * np.abs(source).max() + 0.01  # and it does not jerk


def test_a_clean_motion_is_not_touched():
    motion = Motion(SKELETON, np.tile(standing(HUMAN), (10, 1)), 30.0)
    np.testing.assert_array_equal(clean(HUMAN, motion).motion.q, motion.q)


def test_another_skeleton_is_refused():
    hand = figure("hand").skeleton
    with pytest.raises(WritheError, match="retarget"):
        clean(HUMAN, Motion(hand, hand.rest_configuration[None], 30.0))


def test_the_command_writes_a_certified_file(tmp_path, capsys):
    source, out = tmp_path / "in.glb", tmp_path / "out.glb"
    io.save(pressed_arm(), source)
    with pytest.raises(SystemExit) as end:
        run(["clean", str(source), "-o", str(out), "--json"])
    assert end.value.code == 0
    answer = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    assert answer["after"]["certified"] and not answer["before"]["certified"]
    again = io.load(out)
    assert certify(CollisionTable.of_figure(HUMAN), again.q, again.fps).certified


def swapped_arms(shares: np.ndarray, name: str = "arms folded", seed: int | None = None) -> Motion:
    """Crossed arms that swap by passing through each other, by the given share in each frame.

    name: of the built-in posture at the start; seed: of rotations by which its arms are perturbed.
    """
    library = builtin_database("basic")
    folded = library.q[list(library.clip).index(name)]
    if seed is not None:
        arms = [f"{side}_{joint}" for side in ("left", "right") for joint in ("shoulder", "elbow")]
        step = np.zeros(SKELETON.dof_count)
        dofs = np.isin(SKELETON.tree.dof_joint, [SKELETON.index(joint) for joint in arms])
        step[dofs] = np.random.default_rng(seed).normal(scale=0.05, size=dofs.sum())
        folded = integrate(SKELETON, folded, step)
    other = mirrored(SKELETON, folded)
    rows = [interpolate(SKELETON, folded, other, float(share)) for share in shares]
    return Motion(SKELETON, np.array(rows), 30.0, "swapped arms")


SWAP = np.concatenate([np.zeros(8), np.linspace(0.0, 1.0, 20), np.ones(30)])


def linking_since(q: np.ndarray, start: np.ndarray) -> np.ndarray:
    """How much the linking of each posture differs from that of the first."""
    first = linking_vector(HUMAN, start)
    return np.array([np.abs(linking_vector(HUMAN, row) - first).max() for row in q])


def test_limbs_take_a_detour_where_the_source_passes_through_itself():
    motion = swapped_arms(SWAP)
    assert len(certify(CollisionTable.of_figure(HUMAN), motion.q, 30.0).pass_throughs) > 0

    def final_distance(q: np.ndarray) -> float:
        apart = forward(SKELETON, q[-1]).positions - forward(SKELETON, motion.q[-1]).positions
        return float(np.linalg.norm(apart, axis=1).max())

    target = linking_vector(HUMAN, motion.q[-1])
    with_detours, without_detours = clean(HUMAN, motion), clean(HUMAN, motion, go_round=False)
    assert with_detours.after.certified and without_detours.after.certified
    assert final_distance(with_detours.motion.q) < 0.005
    assert np.abs(linking_vector(HUMAN, with_detours.motion.q[-1]) - target).max() < 0.05
    # always on the side of the end, which is nearer over the whole clip
    assert linking_since(without_detours.motion.q, motion.q[-1]).max() < 0.1
    assert linking_since(motion.q[:1], motion.q[-1])[0] > 0.25


@pytest.mark.parametrize("fps", [30.0, 120.0])
def test_detours_are_within_the_speed_bound(fps: float):
    """The result does not depend on the frame rate."""
    times = np.arange(0.0, len(SWAP) - 1 + 1e-9, 30.0 / fps)
    source = replace(swapped_arms(np.interp(times, np.arange(len(SWAP)), SWAP)), fps=fps)
    cleaned = clean(HUMAN, source)
    assert 0.1 < cleaned.largest_leap_m * fps < 1.01  # spread over as many frames as that takes
    moved, given = (
        np.linalg.norm(np.diff(forward(SKELETON, q).positions, axis=0), axis=2)
        for q in (cleaned.motion.q, source.q)
    )
    assert (moved - given).max() == pytest.approx(cleaned.largest_leap_m)
    linking = linking_since(cleaned.motion.q, source.q[0])
    assert linking[-1] == pytest.approx(linking_since(source.q[-1:], source.q[0])[0], abs=0.05)


def test_arms_wait_where_the_source_soon_comes_back():
    there = np.linspace(0.0, 1.0, 4)
    motion = swapped_arms(np.concatenate([np.zeros(20), there, there[::-1], np.zeros(20)]))
    cleaned = clean(HUMAN, motion)
    assert cleaned.before.pass_throughs and cleaned.after.certified
    assert linking_since(cleaned.motion.q, motion.q[0]).max() < 0.1  # on its side all the time
    ends = [forward(SKELETON, q[[0, -1]]).positions for q in (cleaned.motion.q, motion.q)]
    assert np.linalg.norm(ends[0] - ends[1], axis=2).max() < 0.001


def test_arms_take_detours_both_ways_where_the_source_stays_long():
    there = np.linspace(0.0, 1.0, 10)
    motion = swapped_arms(
        np.concatenate([np.zeros(20), there, np.ones(120), there[::-1], np.zeros(20)])
    )
    cleaned = clean(HUMAN, motion)
    assert cleaned.after.certified
    linking = linking_since(cleaned.motion.q, motion.q[0])
    target = linking_since(motion.q[[90]], motion.q[0])[0]
    # a detour at the speed bound begins half a second before the source crosses
    assert linking[:12].max() < 0.05 and linking[-12:].max() < 0.05
    assert np.abs(linking[50:130] - target).max() < 0.05
    # at the source's own posture while it stays on the other side
    there, given = (forward(SKELETON, q[50:130]).positions for q in (cleaned.motion.q, motion.q))
    assert np.linalg.norm(there - given, axis=2).mean() < 0.002


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize(
    ("name", "seed"),
    [
        ("arms folded", None),
        ("arms folded", 1),
        ("arms folded low", None),
        ("arms folded low", 2),
        ("block crossed", None),
        ("kneel arms folded", 3),
    ],
)
def test_a_pass_through_at_the_end_is_not_followed(name: str, seed: int | None, flip: bool):
    """Arms stay on the side where the source is most of the time, whichever of them is in front."""
    shares = np.concatenate([np.zeros(30), np.linspace(0.0, 1.0, 20), np.ones(3)])
    motion = swapped_arms(1.0 - shares if flip else shares, name, seed)
    cleaned = clean(HUMAN, motion)
    assert cleaned.before.pass_throughs
    assert cleaned.after.certified and cleaned.written is not None and cleaned.written.certified
    assert cleaned.leaps.frames == 0
    linking = linking_since(cleaned.motion.q, motion.q[0]).max()
    assert linking < 0.25 * linking_since(motion.q[-1:], motion.q[0])[0]


@pytest.mark.parametrize(
    ("name", "seed"), [("arms folded", 1), ("arms folded low", 2), ("kneel arms folded", None)]
)
def test_arms_change_sides_where_the_source_stays_on_the_other_one(name: str, seed: int | None):
    motion = swapped_arms(
        np.concatenate([np.zeros(30), np.linspace(0.0, 1.0, 20), np.ones(60)]), name, seed
    )
    cleaned = clean(HUMAN, motion)
    assert cleaned.after.certified and cleaned.leaps.frames == 0
    target = linking_since(motion.q[-1:], motion.q[0])[0]
    assert linking_since(cleaned.motion.q, motion.q[0])[-1] == pytest.approx(target, rel=0.1)


def test_a_leg_taken_through_the_trunk_ends_on_the_nearer_side():
    """An arm penetrates in all frames, which must not keep the leg on its side."""
    pressed = standing(HUMAN)
    turn = np.array([np.cos(0.78), 0.0, 0.0, -np.sin(0.78)])
    pressed[SKELETON.q_slice("right_shoulder")] = turn * [1.0, 1.0, 1.0, -1.0]

    def raised(angle: float) -> np.ndarray:
        q = pressed.copy()
        q[SKELETON.q_slice("left_hip")] = [np.cos(angle / 2), np.sin(angle / 2), 0.0, 0.0]
        return q

    up, down = np.full(8, -2.2), np.full(30, 2.0 - 2.0 * np.pi)  # before it and behind it
    angles = np.concatenate([up, np.linspace(up[0], down[0], 10)[1:-1], down])
    q = np.array([raised(angle) for angle in angles])
    tracker = PostureTracker(HUMAN, CollisionTable.of_figure(HUMAN))
    assert all(tracker.clearance(row) < -0.005 for row in q)
    rows = push_frames_clear(tracker, q, 12, lambda done: None)
    apart = np.linalg.norm(
        forward(SKELETON, rows).positions - forward(SKELETON, q).positions, axis=2
    )
    assert apart[-30:].mean(axis=1).max() < 0.02


def test_hands_on_the_knees_evade_the_legs(mocap: Path):
    """In a squat the captured legs swing through the hands: the hands lift, the feet stay."""
    clip = retarget(io.load(mocap / "pairs" / "23_14.bvh"), HUMAN)
    motion = Motion(SKELETON, clip.q[:60], clip.fps, clip.name)
    cleaned = clean(HUMAN, motion)
    assert cleaned.before.pass_throughs and cleaned.after.certified
    assert cleaned.mean_displacement_m < 0.02
    assert cleaned.largest_leap_m < 5.0 / 30.0
    before, after = forward(SKELETON, motion.q), forward(SKELETON, cleaned.motion.q)
    for joint in ("left_ankle", "right_ankle"):
        assert np.linalg.norm(after.position(joint) - before.position(joint), axis=1).max() < 0.05


def test_a_motion_that_leaps_from_tangle_to_tangle_is_not_followed_through_itself(
    rng: np.random.Generator,
):
    """Random postures, mostly self-penetrating: the result must not pass through itself."""
    rows = []
    for _ in range(8):
        step = rng.normal(scale=0.7, size=SKELETON.dof_count)
        step[:6] = 0.0
        rows.append(integrate(SKELETON, standing(HUMAN), step))
    cleaned = clean(HUMAN, Motion(SKELETON, np.array(rows), 30.0))
    assert len(cleaned.motion) == 8 and np.isfinite(cleaned.motion.q).all()
    assert cleaned.before.pass_throughs and not cleaned.after.pass_throughs


def test_one_frame_is_pushed_clear():
    motion = pressed_arm()
    deepest = Motion(SKELETON, motion.q[[60]], 30.0)
    cleaned = clean(HUMAN, deepest)
    assert not cleaned.before.certified and cleaned.after.certified
    assert cleaned.largest_leap_m == 0.0


def test_a_quick_motion_is_certified_in_both_readings_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """An arm swings past the body so closely that interpolated Euler angles touch it."""
    shoulder = SKELETON.tree.v_start[SKELETON.index("left_shoulder")]
    step = np.zeros((2, SKELETON.dof_count))
    step[0, shoulder : shoulder + 3] = -0.08, -2.26, 1.74
    step[1, shoulder : shoulder + 3] = 1.32, 1.45, -0.56
    start, end = (integrate(SKELETON, standing(HUMAN), v) for v in step)
    swing = [interpolate(SKELETON, start, end, t) for t in np.linspace(0.0, 1.0, 5)]
    quick = Motion(SKELETON, np.array([start] * 6 + swing + [end] * 6), 30.0)
    assert certify(HUMAN, quick).certified
    source, out = tmp_path / "in.bvh", tmp_path / "out.bvh"
    io.save(quick, source)
    with pytest.raises(SystemExit) as ended:
        run(["certify", str(source), "--json"])
    assert ended.value.code != 0
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        run(["clean", str(source), "-o", str(out), "--json"])
    assert ended.value.code == 0
    answer = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    assert answer["after"]["certified"] and answer["after"]["interpolation"] == "both"
    assert answer["leaps"]["frames"] == 0
    assert io.load(out).duration_s == pytest.approx(16 / 30.0, abs=1e-3)


def test_the_first_frame_does_not_pop():
    """The clip begins inside the body: the correction is there from the first frame on."""
    motion = pressed_arm()
    cut = Motion(SKELETON, motion.q[60:], 30.0)
    cleaned = clean(HUMAN, cut)
    assert cleaned.after.certified
    assert cleaned.written is not None and cleaned.written.certified
    moved = forward(SKELETON, cleaned.motion.q).positions - forward(SKELETON, cut.q).positions
    first = np.linalg.norm(moved[1] - moved[0], axis=1).max()
    assert np.linalg.norm(moved[0], axis=1).max() > 0.02 and first < 0.01
    assert cleaned.leaps.frames == 0


def test_a_joint_that_a_pass_folds_is_bent_back_in_another(monkeypatch):
    """Paths may fold a joint: what they gave, bent back, is cleaned again."""
    module = import_module("writhe.cleaning.clean")
    human = figure("human")
    q = np.tile(standing(human), (5, 1))
    folded = q.copy()
    turn = np.radians(165.0)
    folded[:, human.skeleton.q_slice("left_wrist")] = [np.cos(turn / 2), 0, 0, np.sin(turn / 2)]
    real, sources = module._solved, []

    def folds_first(tracker, source, *options):
        sources.append(source.q)
        found = real(tracker, source, *options)
        if len(sources) > 1:
            return found
        return replace(found, q=folded)

    monkeypatch.setattr(module, "_solved", folds_first)
    found = clean(human, Motion(human.skeleton, q, 30.0), euler=False)
    assert len(sources) == 2 and not np.array_equal(sources[1], folded)
    assert found.after.certified and certify(human, found.motion).certified


def test_corrections_for_a_file_do_not_give_up_the_certificate(monkeypatch):
    """A motion that fails as Euler angles only may be written with more frames instead."""
    motion = pressed_arm()
    tracker = PostureTracker(HUMAN, CollisionTable.of_figure(HUMAN))
    problem = ClipProblem(tracker, motion.q, 30.0)
    trajectory = ClipTrajectory(tracker, problem, 12, lambda share: None)
    clear = trajectory.solve(lambda first, stop: [motion.q[first:stop]])
    assert certify(HUMAN, replace(motion, q=clear)).certified
    # many intervals of the file fail in the clear motion, none in one that is in violation
    failed = [Instant(frame, 0.5, clear[frame]) for frame in range(40, 80)]
    worse = clear.copy()
    worse[60] = motion.q[60]
    assert not certify(HUMAN, replace(motion, q=worse)).certified
    monkeypatch.setattr(ClipTrajectory, "_solve_again", lambda *_: worse)
    found = trajectory.solve_for_file(clear, lambda q: failed if q is clear else [])
    np.testing.assert_array_equal(found, clear)
