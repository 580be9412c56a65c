"""Cleaning: a pressed-in arm comes out, everything else stays, and the result is certified."""

from __future__ import annotations

import json

import numpy as np
import pytest

from writhe import io
from writhe.cli.app import run
from writhe.collision import CollisionTable, certify
from writhe.errors import WritheError
from writhe.evaluation.drags import standing
from writhe.motion.clean import clean
from writhe.motion.detour import Detours
from writhe.motion.library import builtin_database
from writhe.skeleton import Motion, forward
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import interpolate
from writhe.skeleton.mirror import mirrored
from writhe.solvers.tracking import PostureTracker
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


def test_the_arm_comes_out_and_the_rest_stays():
    motion = pressed_arm()
    cleaned = clean(motion, HUMAN)
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
    assert moved[0].max() == moved[-1].max() == 0.0  # where nothing was wrong nothing is touched
    assert moved[:, [names.index(f"{side}_ankle") for side in ("left", "right")]].max() < 0.002
    steps = np.diff(forward(SKELETON, cleaned.motion.q).positions, axis=0)
    source = np.diff(forward(SKELETON, motion.q).positions, axis=0)
    assert np.abs(steps).max() < 1.5 * np.abs(source).max() + 0.01  # and it does not jerk


def test_a_clean_motion_is_not_touched():
    motion = Motion(SKELETON, np.tile(standing(HUMAN), (10, 1)), 30.0)
    np.testing.assert_array_equal(clean(motion, HUMAN).motion.q, motion.q)


def test_another_skeleton_is_refused():
    hand = figure("hand").skeleton
    with pytest.raises(WritheError, match="retarget"):
        clean(Motion(hand, hand.rest_configuration[None]), HUMAN)


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


def test_a_way_round_is_certified_and_joins_its_ends():
    side = standing(HUMAN)
    front = side.copy()
    front[SKELETON.q_slice("left_shoulder")] = [0.66, -0.52, 0.52, -0.14]
    front[SKELETON.q_slice("left_shoulder")] /= np.linalg.norm([0.66, -0.52, 0.52, -0.14])
    table = CollisionTable.of_figure(HUMAN)
    ends = forward(SKELETON, np.array([side, front])).positions
    behind = np.linalg.norm(ends[0] - ends[1], axis=1)
    detours = Detours(PostureTracker(HUMAN, table), 0.06)
    way = detours.find(side, np.array([front] * 16), behind)
    assert way is not None
    np.testing.assert_allclose(way[0], side, atol=1e-9)
    np.testing.assert_allclose(forward(SKELETON, way[-1]).positions, ends[1], atol=1e-9)
    assert certify(table, way, 30.0).certified


def squatting() -> np.ndarray:
    """A squat of the built-in library."""
    library = builtin_database("basic")
    return library.q[next(i for i, name in enumerate(library.clip) if "squat" in name)]


def test_ways_round_spare_the_legs():
    """Arms and legs are left behind at once: an arm makes way, the feet stay where they are."""
    q = squatting()
    detours = Detours(PostureTracker(HUMAN, CollisionTable.of_figure(HUMAN)), 0.06)
    way = detours.find(q, np.array([q] * 16), np.full(len(SKELETON), 0.2))
    assert way is not None
    places = forward(SKELETON, way)
    for side in ("left", "right"):
        assert np.ptp(places.position(f"{side}_ankle"), axis=0).max() < 0.005
    assert np.ptp(places.position("left_wrist"), axis=0).max() > 0.01


def test_ways_round_do_not_lead_into_the_ground():
    """A crouching body's leg must go round: stretched downwards its foot would be underground."""
    q = squatting()
    wanted = q.copy()
    wanted[SKELETON.q_slice("left_knee")] -= 0.2
    behind = np.zeros(len(SKELETON))
    behind[SKELETON.index("left_knee")] = 0.2
    detours = Detours(PostureTracker(HUMAN, CollisionTable.of_figure(HUMAN)), 0.06)
    way = detours.find(q, np.array([wanted] * 16), behind)
    assert way is not None
    source = forward(SKELETON, np.array([q, wanted])).positions[:, :, 1]
    assert forward(SKELETON, way).positions[:, :, 1].min() > source.min() - 0.03


def swapped_arms() -> Motion:
    """Folded arms that change which is on top by passing through each other."""
    library = builtin_database("basic")
    folded = library.q[list(library.clip).index("arms folded")]
    other = mirrored(SKELETON, folded)
    shares = np.concatenate([np.zeros(8), np.linspace(0.0, 1.0, 20), np.ones(30)])
    rows = [interpolate(SKELETON, folded, other, float(share)) for share in shares]
    return Motion(SKELETON, np.array(rows), 30.0, "swapped arms")


def test_limbs_go_round_where_the_source_passes_through_itself():
    motion = swapped_arms()
    assert len(certify(CollisionTable.of_figure(HUMAN), motion.q, 30.0).pass_throughs) > 0

    def astray(q: np.ndarray) -> float:
        apart = forward(SKELETON, q[-1]).positions - forward(SKELETON, motion.q[-1]).positions
        return float(np.linalg.norm(apart, axis=1).max())

    wanted = linking_vector(HUMAN, motion.q[-1])
    round_it, kept_behind = clean(motion, HUMAN), clean(motion, HUMAN, go_round=False)
    assert round_it.after.certified and kept_behind.after.certified
    assert astray(round_it.motion.q) < 0.005
    assert np.abs(linking_vector(HUMAN, round_it.motion.q[-1]) - wanted).max() < 0.05
    # on its own side for good: pressed against the source, and linked as it was at the start
    assert astray(kept_behind.motion.q) > 0.05
    assert np.abs(linking_vector(HUMAN, kept_behind.motion.q[-1]) - wanted).max() > 0.25
