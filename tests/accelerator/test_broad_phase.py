"""Intervals proven clear in JAX: sound, and without influence on certificates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from writhe.collision import Certificate, CollisionTable, Verdict
from writhe.collision.certify import certify_interpolations, interpolations_of
from writhe.collision.interpolated_motion import EulerChannels, InterpolatedMotion
from writhe.collision.swept_intervals import after_rows
from writhe.io import save
from writhe.kernels.collision.interval_bounds import CLEAR, MOVES
from writhe.postures.synthetic_clips import builtin_movements
from writhe.scene import certify_file
from writhe.scene.file_certificate import interpolations_of_file
from writhe.skeleton import Motion
from writhe.skeleton.figures import figure
from writhe.skeleton.kinematics import integrate

pytest.importorskip("jax", reason="needs the extra jax")


@pytest.fixture(scope="module")
def broad_phase():
    from writhe.accelerator.broad_phase import JaxBroadPhase

    return JaxBroadPhase()


def motions() -> list[Motion]:
    """Built-in movements, some jittered until they penetrate; quick ones skip frames."""
    human, rng = figure("human"), np.random.default_rng(5)
    found: list[Motion] = []
    takes = [take for takes in builtin_movements().values() for take in takes]
    for i, take in enumerate(takes[:: max(1, len(takes) // 12)][:12]):
        q = take.q[:: 1 + i % 4][:60]
        if i % 3:
            spread = 0.1 * (i % 3) * rng.normal(size=human.skeleton.dof_count)
            swing = np.sin(np.linspace(0, 6, len(q)))[:, None]
            q = np.array([integrate(human.skeleton, q[k], s * spread) for k, s in enumerate(swing)])
        found.append(Motion(human.skeleton, q, fps=30.0, name=f"take {i}"))
    return found


def essentials(found: Certificate) -> object:
    return (
        found.verdict,
        found.undecided,
        [(e.a, e.b, e.pass_through, e.cut, round(e.depth_m, 9)) for e in found.deep_overlaps],
        [f.joint for f in found.folded_joints],
    )


def test_certificates_are_the_same_with_and_without_the_broad_phase(broad_phase, tmp_path: Path):
    verdicts: set[Verdict] = set()
    proven: list[float] = []

    def counted(table, motion, slack):
        found = broad_phase(table, motion, slack)
        proven.append(found.clear.mean())
        return found

    for i, motion in enumerate(motions()):
        path = tmp_path / f"{i}.bvh"
        save(motion, path)
        plain = certify_file(path).certificate
        found = certify_file(path, broad_phase=counted).certificate
        assert essentials(found) == essentials(plain)
        assert abs(found.penetration_upper_bound_m - plain.penetration_upper_bound_m) < 1e-4
        verdicts.add(plain.verdict)
    assert Verdict.CERTIFIED in verdicts and len(verdicts) > 1
    assert np.mean(proven) > 0.25  # these movements are quick: it proves more of recorded ones


def test_every_interval_that_is_proven_is_clear(broad_phase, tmp_path: Path):
    save(motions()[4], tmp_path / "clip.bvh")
    table, interpolations = interpolations_of_file(tmp_path / "clip.bvh")
    for motion in interpolations:
        clear = broad_phase(table, motion, 0.001).clear
        assert clear.mean() > 0
        for i in np.flatnonzero(clear):
            two = slice(i, i + 2)
            euler = motion.euler and EulerChannels(motion.euler.order, motion.euler.angles[two])
            alone = InterpolatedMotion.of_frames(motion.name, motion.q[two], 30.0, euler)
            found = certify_interpolations(table, [alone])
            assert found.penetration_upper_bound_m <= 0.001 and not found.deep_overlaps


def test_a_start_in_violation_is_forgiven_only_until_it_is_clear(broad_phase):
    """A pair may start too deep, but not become so again after a clear interval."""
    human = figure("human")
    table = CollisionTable.of_figure(human)
    rest = human.skeleton.rest_configuration
    at = int(human.skeleton.tree.q_start[human.skeleton.index("left_shoulder")])
    angles = np.concatenate([np.linspace(2.2, 0, 30), np.zeros(5), np.linspace(0, 2.2, 30)])
    q = np.tile(rest, (len(angles), 1))
    q[:, at : at + 4] = np.stack(
        [np.cos(angles / 2), 0 * angles, -np.sin(angles / 2), 0 * angles], axis=1
    )
    motion = InterpolatedMotion.of_frames("slerp", q, 30.0)
    ways = interpolations_of(table, motion, "slerp", None)
    plain = certify_interpolations(table, ways)
    found = certify_interpolations(table, ways, broad_phase=broad_phase)
    assert plain.start_depth_m > 0.01 and broad_phase(table, ways[0], 0.001).clear.any()
    assert essentials(found) == essentials(plain)


def test_bodies_that_are_not_supported_are_swept_as_a_whole(broad_phase):
    from writhe.scene import Actor, Scene

    human = figure("human")
    two = Scene((Actor("a", human), Actor("b", human, np.array([0.0, 0.0, 1.0])))).layout
    q = np.tile(two.rest(), (3, 1))
    motion = InterpolatedMotion.of_frames("slerp", q, 30.0)
    assert not broad_phase(two.table, motion, 0.001).clear.any()


def test_every_row_is_tested_unless_clear_intervals_surround_it():
    rng = np.random.default_rng(2)
    for _ in range(200):
        count = int(rng.integers(1, 12))
        breaks, clear = rng.random(count) < 0.2, rng.random(count) < 0.4
        clear &= ~breaks
        follows = after_rows(breaks, clear)
        assert set(np.flatnonzero(follows == MOVES)) == set(np.flatnonzero(~breaks & ~clear))
        # the kernel skips a row if the intervals on both sides are clear
        skipped = (follows[1:] == CLEAR) & (follows[:-1] == CLEAR)
        beside = clear & np.append(clear[1:], True)
        assert (skipped == beside).all()
