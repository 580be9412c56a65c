"""Tangles in the studio: measured, wound step by step, keyed, followed, undone."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from writhe.collision import certify
from writhe.errors import WritheError
from writhe.skeleton import Motion
from writhe.solvers.tangling import solve
from writhe.studio import protocol
from writhe.studio.document import Document, TrackKind
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Stage
from writhe.studio.editing.scene_sampling import sample_scene
from writhe.studio.editing.tangle_setup import setup_of
from writhe.studio.editing.tangle_timing import timed
from writhe.studio.feature import Work
from writhe.studio.features import partner, tangle_motion, tangles, winding
from writhe.studio.features.tangle_motion import FollowTangle, KeyTangle, WindKeys
from writhe.studio.features.tangles import Chain, MeasureTangle, TangleGoal
from writhe.studio.features.winding import WindStep, WindTangle
from writhe.studio.server.command_handlers import answer_drag, carry_out


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    document = Document.create(tmp_path / "tangles.writhe", "Tangles")
    document.add_actor("human")
    return Stage(document)


@pytest.fixture
def pair(stage: Stage) -> Stage:
    """Two people side by side at arm's length, nobody's feet pinned."""
    stage.document.add_actor("human")
    with stage.document.edit("Place") as edit:
        for actor in stage.document.actors():
            q = actor.configuration.copy()
            q[0] = 0.42 * (actor.id - 1)
            edits.set_pose(stage.document, edit, actor.id, q, 0.0)
            edit.update("actors", actor.id, pins=edits.encode_pins(()))
    stage.refresh()
    return stage


def arm(actor: int, side: str) -> Chain:
    return Chain(actor, f"{side}_shoulder", f"{side}_hand_tip")


def arms() -> TangleGoal:
    return TangleGoal(arm(1, "left"), arm(1, "right"), 0.4)


def run(stage: Stage, work: Work) -> Any:
    """A task, as a session runs it: work, then one command; what it shows."""
    job = SimpleNamespace(number="job-0001", report=lambda *_: None, cancelled=False)
    outcome = work(job)
    assert outcome.commit is not None
    with stage.document.edit("Task") as edit:
        outcome.commit(stage, edit)
    stage.refresh()
    return outcome.show


def writhe_at(stage: Stage, time_s: float, goal: TangleGoal) -> float:
    return tangles.winding_of(stage, goal, sample_scene(stage, np.array([time_s]))[0]).writhe


def certified(stage: Stage, end_s: float) -> bool:
    frames = sample_scene(stage, np.arange(round(30 * end_s) + 1) / 30)
    return certify(stage.scene.layout.table, frames, 30.0).certified


def test_arms_follow_a_slider_and_are_kept_as_one_command(stage: Stage) -> None:
    goal = arms()
    before = tangles.measure(stage, MeasureTangle(goal.first, goal.second)).winding
    assert len(before.matrix) == 4 * (len(before.rows) - 1) * (len(before.columns) - 1)
    assert before.rows == ["left_shoulder", "left_elbow", "left_wrist", "left_hand_tip"]
    for sequence in range(60):
        found = winding.wind_step(stage, WindStep(sequence, goal, [1], fresh=sequence == 0))
        if found.reached:
            break
    assert found.reached and found.winding.writhe == pytest.approx(0.4, abs=0.011)
    entries = np.frombuffer(found.winding.matrix, "<f4")
    np.testing.assert_allclose(entries.sum(), found.winding.writhe, atol=1e-5)
    carry_out(stage, winding.KeepWound("request-1", [1]))
    assert stage.document.undo_label == "Wind"
    assert writhe_at(stage, 0.0, goal) == pytest.approx(0.4, abs=0.011)
    stage.document.undo()
    stage.refresh()
    assert writhe_at(stage, 0.0, goal) == pytest.approx(before.writhe, abs=1e-9)


def test_what_stands_in_the_way_is_named(stage: Stage) -> None:
    goal = TangleGoal(arm(1, "left"), arm(1, "right"), 2.0)
    found = run(stage, winding.wind(stage, WindTangle("request-1", goal, [1])))
    assert not found.reached and "left arm with right arm" in found.problem
    assert "actor1" not in found.problem


def test_an_arm_winds_around_a_chairs_leg(stage: Stage) -> None:
    carry_out(stage, _add_thing("capsule", (0.45, 1.0, 0.25)))
    (rod,) = stage.document.objects()
    goal = TangleGoal(arm(1, "left"), Chain(0, "axis", thing=rod.id), 0.2)
    found = run(stage, winding.wind(stage, WindTangle("request-1", goal, [1])))
    assert found.reached, found.problem
    assert "Rod" in tangles.strand_of(stage, goal.second).name


def _add_thing(kind: str, position: tuple[float, float, float]) -> protocol.Command:
    from writhe.studio.features.objects import AddThing

    return AddThing("request-thing", kind, position)


def test_keys_lead_through_topology_space(stage: Stage) -> None:
    goal = arms()
    other = TangleGoal(goal.first, goal.second, -0.35)
    carry_out(stage, KeyTangle("request-1", 1.0, goal, [1]))
    carry_out(stage, KeyTangle("request-2", 2.5, other, [1]))
    assert [key.time_s for key in tangle_motion.state(stage).keys] == [1.0, 2.5]
    made = run(stage, tangle_motion.wind_keys(stage, WindKeys("request-3")))
    assert made.reached and made.certified and made.problems == []
    for time_s, wanted in ((1.0, 0.4), (2.5, -0.35)):
        assert writhe_at(stage, time_s, goal) == pytest.approx(wanted, abs=0.011)
    assert certified(stage, 2.5)
    # a tangle key that moves takes the pose it leads to along
    first = tangle_motion.state(stage).keys[0]
    carry_out(stage, protocol.MoveKeys("request-4", [first.id], 0.5))
    assert writhe_at(stage, 1.5, goal) == pytest.approx(0.4, abs=0.011)
    carry_out(stage, protocol.Undo("request-5"))
    assert writhe_at(stage, 1.0, goal) == pytest.approx(0.4, abs=0.011)


def test_a_key_holds_several_tangles_and_loses_them_one_by_one(stage: Stage) -> None:
    goal = arms()
    legs = TangleGoal(
        Chain(1, "left_hip", "left_toe_tip"), Chain(1, "right_hip", "right_toe_tip"), 0.2
    )
    carry_out(stage, KeyTangle("request-1", 1.0, goal, [1]))
    carry_out(stage, KeyTangle("request-2", 1.0, legs, [1]))
    carry_out(stage, KeyTangle("request-3", 1.0, arms(), [1]))  # the same again: replaced
    (key,) = tangle_motion.state(stage).keys
    assert key.titles == ["left leg with right leg", "left arm with right arm"]
    for request in ("request-4", "request-5"):
        carry_out(stage, tangle_motion.DropTangle(request, key.id, 0))
    assert tangle_motion.state(stage).keys == []


def test_the_other_one_keeps_the_tangle_while_one_is_dragged(pair: Stage) -> None:
    goal = TangleGoal(arm(1, "left"), arm(2, "right"), 0.25)
    found = run(pair, winding.wind(pair, WindTangle("request-1", goal, [1, 2])))
    assert found.reached, found.problem
    partner.keep(pair, partner.KeepTangle(goal))
    skeleton = pair.document.figure("human").skeleton
    place = Motion(skeleton, pair.puppet(pair.document.actor(1)).q[None], 1.0).frames()
    hips = place.position("hips")[0]
    was = pair.puppet(pair.document.actor(2)).q.copy()
    for sequence in range(40):
        aim = (hips[0] - 0.01 * sequence, hips[1], hips[2])
        hold = protocol.Hold(skeleton.index("hips"), (0.0, 0.0, 0.0), aim)
        answer = answer_drag(pair, protocol.Drag(sequence, 1, [hold]))
    followed = answer.features["partner"]
    assert isinstance(followed, partner.Followed) and followed.actor == 2
    assert followed.winding.writhe == pytest.approx(0.25, abs=0.03)
    carry_out(pair, protocol.Release("request-2", 1))
    assert np.abs(pair.document.actor(2).configuration - was).max() > 0.02
    assert writhe_at(pair, 0.0, goal) == pytest.approx(0.25, abs=0.03)
    pair.document.undo()  # one command for both
    np.testing.assert_allclose(pair.document.actor(2).configuration, was, atol=1e-9)


def test_a_new_clip_of_one_is_followed_by_the_other(pair: Stage) -> None:
    goal = TangleGoal(arm(1, "left"), arm(2, "right"), 0.25)
    run(pair, winding.wind(pair, WindTangle("request-1", goal, [1, 2])))
    actor = pair.document.actor(1)
    q = np.tile(actor.configuration, (31, 1))
    q[:, 0] -= 0.3 * np.linspace(0.0, 1.0, 31)
    clip = Motion(pair.document.figure("human").skeleton, q, 30.0, "Walk off")
    with pair.document.edit("Clip") as edit:
        edits.put_clip(pair.document, edit, 1, clip, 0.0)
    pair.refresh()
    made = run(
        pair, tangle_motion.follow_tangle(pair, FollowTangle("request-2", goal, 2, 0.0, 1.0))
    )
    assert made.reached, made.problems
    for time_s in (0.3, 0.6, 1.0):
        assert writhe_at(pair, time_s, goal) == pytest.approx(0.25, abs=0.04)
    assert made.certified and certified(pair, 1.0)
    assert pair.document.track(2, TrackKind.WAY) is not None


def test_what_makes_no_sense_is_refused(stage: Stage) -> None:
    goal = arms()
    with pytest.raises(WritheError):
        tangles.measure(stage, MeasureTangle(goal.first, Chain(1, "nose", "toe")))
    with pytest.raises(WritheError):
        winding.wind(stage, WindTangle("request-1", goal, [99]))
    with pytest.raises(WritheError, match="two different chains"):
        winding.wind(stage, WindTangle("request-2", TangleGoal(goal.first, goal.first, 0.3), [1]))
    with pytest.raises(WritheError, match="key a tangle first"):
        tangle_motion.wind_keys(stage, WindKeys("request-3"))


def test_a_winding_path_stays_certified_in_few_frames(stage: Stage) -> None:
    """Frames stand at the corners that matter where even ones would cut through."""
    q = sample_scene(stage, np.array([0.0]))[0]
    there = [TangleGoal(arm(1, "left"), arm(1, "right"), w) for w in (0.5, -0.5)]
    path = [q[None]]
    for goal in there:
        stepper = setup_of(stage, [1], q).stepper([tangles.tangle_of(stage, goal)])
        path.append(solve(stepper, path[-1][-1]).path)
    whole, table = np.concatenate(path), stage.scene.layout.table
    for frames in (40, 20, 12):
        rows = timed(table, whole, frames, 30.0)
        assert len(rows) == frames + 1
        np.testing.assert_allclose(rows[[0, -1]], whole[[0, -1]], atol=1e-9)
        assert certify(table, rows, 30.0).certified


def test_whoever_moves_later_waits_for_the_turn(pair: Stage) -> None:
    """One winds first, both afterwards: the second one stands still until then."""
    goal = TangleGoal(arm(1, "left"), arm(2, "right"), 0.15)
    more = TangleGoal(goal.first, goal.second, 0.3)
    apart = pair.document.actor(2).configuration.copy()
    apart[0] = 0.9
    with pair.document.edit("Apart") as edit:
        edits.set_pose(pair.document, edit, 2, apart, 0.0)
    pair.document.set_key(2, 2.0, apart)
    pair.refresh()
    carry_out(pair, KeyTangle("request-1", 1.0, goal, [1]))
    carry_out(pair, KeyTangle("request-2", 2.0, more, [1, 2]))
    made = run(pair, tangle_motion.wind_keys(pair, WindKeys("request-3")))
    assert made.reached, made.problems
    still = pair.document.timeline(2).sample(np.array([0.0, 0.4, 1.0]))
    np.testing.assert_allclose(still, np.tile(still[:1], (3, 1)), atol=1e-9)
    assert writhe_at(pair, 2.0, more) == pytest.approx(0.3, abs=0.02)
    assert made.certified and certified(pair, 2.0)
