"""Tangles in the studio: measured, wound step by step, keyed, followed, undone."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from writhe.collision import certify
from writhe.errors import WritheError
from writhe.planning.timing import time_path
from writhe.skeleton import Motion
from writhe.solvers.tangling import solve
from writhe.studio import protocol
from writhe.studio.document import Document, TrackKind
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Editor
from writhe.studio.feature import Work
from writhe.studio.features.scene import partner_follows
from writhe.studio.features.tangling import tangle_motion, tangles, winding
from writhe.studio.features.tangling.tangle_motion import FollowTangle, KeyTangle, WindKeys
from writhe.studio.features.tangling.tangles import (
    MeasureTangle,
    TangleChain,
    TangleGoal,
    tangle_setup_of,
)
from writhe.studio.features.tangling.winding import WindStep, WindTangle
from writhe.studio.server.command_handlers import carry_out
from writhe.studio.server.drag_handler import drag_result


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    document = Document.create(tmp_path / "tangles.writhe", "Tangles")
    document.add_actor("human")
    return Editor(document)


@pytest.fixture
def pair(editor: Editor) -> Editor:
    """Two characters side by side at arm's length, without pins."""
    editor.document.add_actor("human")
    with editor.document.edit("Place") as edit:
        for actor in editor.document.actors():
            q = actor.configuration.copy()
            q[0] = 0.42 * (actor.id - 1)
            edits.set_pose(editor.document, edit, actor.id, q, 0.0)
            edit.update("actors", actor.id, pins=edits.encode_pins(()))
    editor.refresh()
    return editor


def arm(actor: int, side: str) -> TangleChain:
    return TangleChain(actor, f"{side}_shoulder", f"{side}_hand_tip")


def arms() -> TangleGoal:
    return TangleGoal(arm(1, "left"), arm(1, "right"), 0.4)


def run(editor: Editor, work: Work) -> Any:
    """Run a task as a session does: work, then one command; returns the message."""
    job: Any = SimpleNamespace(number="job-0001", report=lambda *_: None, cancelled=False)
    outcome = work(job)
    assert outcome.commit is not None
    with editor.document.edit("Task") as edit:
        outcome.commit(editor, edit)
    editor.refresh()
    return outcome.show


def writhe_at(editor: Editor, time_s: float, goal: TangleGoal) -> float:
    return tangles.winding_of(editor, goal, editor.sample(np.array([time_s]))[0]).writhe


def certified(editor: Editor, end_s: float) -> bool:
    frames = editor.sample(np.arange(round(30 * end_s) + 1) / 30)
    return certify(editor.scene.layout.table, frames, 30.0).certified


def test_arms_follow_a_slider_and_are_saved_as_one_command(editor: Editor) -> None:
    goal = arms()
    before = tangles.measure(editor, MeasureTangle(goal.first, goal.second)).winding
    assert len(before.matrix) == 4 * (len(before.rows) - 1) * (len(before.columns) - 1)
    assert before.rows == ["left_shoulder", "left_elbow", "left_wrist", "left_hand_tip"]
    for sequence in range(60):
        found = winding.wind_step(editor, WindStep(sequence, goal, [1], fresh=sequence == 0))
        if found.reached:
            break
    assert found.reached and found.winding.writhe == pytest.approx(0.4, abs=0.011)
    entries = np.frombuffer(found.winding.matrix, "<f4")
    np.testing.assert_allclose(entries.sum(), found.winding.writhe, atol=1e-5)
    carry_out(editor, winding.CommitWinding("request-1", [1]))
    assert editor.document.undo_label == "Wind"
    assert writhe_at(editor, 0.0, goal) == pytest.approx(0.4, abs=0.011)
    editor.document.undo()
    editor.refresh()
    assert writhe_at(editor, 0.0, goal) == pytest.approx(before.writhe, abs=1e-9)


def test_blocking_parts_are_named(editor: Editor) -> None:
    goal = TangleGoal(arm(1, "left"), arm(1, "right"), 2.0)
    found = run(editor, winding.wind(editor, WindTangle("request-1", goal, [1])))
    assert not found.reached and "left arm with right arm" in found.problem
    assert "actor1" not in found.problem


def test_an_arm_winds_around_a_chairs_leg(editor: Editor) -> None:
    carry_out(editor, _add_object("capsule", (0.45, 1.0, 0.25)))
    (rod,) = editor.document.objects()
    goal = TangleGoal(arm(1, "left"), TangleChain(0, "axis", object=rod.id), 0.2)
    found = run(editor, winding.wind(editor, WindTangle("request-1", goal, [1])))
    assert found.reached, found.problem
    assert "Rod" in tangles.strand_of(editor, goal.second).name


def _add_object(kind: str, position: tuple[float, float, float]) -> protocol.Command:
    from writhe.studio.features.scene.objects import AddObject

    return AddObject("request-object", kind, position)


def test_keys_lead_through_topology_space(editor: Editor) -> None:
    goal = arms()
    other = TangleGoal(goal.first, goal.second, -0.35)
    carry_out(editor, KeyTangle("request-1", 1.0, goal, [1]))
    carry_out(editor, KeyTangle("request-2", 2.5, other, [1]))
    assert [key.time_s for key in tangle_motion.state(editor).keys] == [1.0, 2.5]
    made = run(editor, tangle_motion.wind_keys(editor, WindKeys("request-3")))
    assert made.reached and made.certified and made.problems == []
    for time_s, wanted in ((1.0, 0.4), (2.5, -0.35)):
        assert writhe_at(editor, time_s, goal) == pytest.approx(wanted, abs=0.011)
    assert certified(editor, 2.5)
    # a tangle key that moves takes the pose it leads to along
    first = tangle_motion.state(editor).keys[0]
    carry_out(editor, protocol.MoveKeys("request-4", [first.id], 0.5))
    assert writhe_at(editor, 1.5, goal) == pytest.approx(0.4, abs=0.011)
    carry_out(editor, protocol.Undo("request-5"))
    assert writhe_at(editor, 1.0, goal) == pytest.approx(0.4, abs=0.011)


def test_a_key_holds_several_tangles_and_loses_them_one_by_one(editor: Editor) -> None:
    goal = arms()
    legs = TangleGoal(
        TangleChain(1, "left_hip", "left_toe_tip"),
        TangleChain(1, "right_hip", "right_toe_tip"),
        0.2,
    )
    carry_out(editor, KeyTangle("request-1", 1.0, goal, [1]))
    carry_out(editor, KeyTangle("request-2", 1.0, legs, [1]))
    carry_out(editor, KeyTangle("request-3", 1.0, arms(), [1]))  # the same again: replaced
    (key,) = tangle_motion.state(editor).keys
    assert key.titles == ["left leg with right leg", "left arm with right arm"]
    for request in ("request-4", "request-5"):
        carry_out(editor, tangle_motion.RemoveTangle(request, key.id, 0))
    assert tangle_motion.state(editor).keys == []


def test_the_partner_keeps_the_tangle_during_a_drag(pair: Editor) -> None:
    goal = TangleGoal(arm(1, "left"), arm(2, "right"), 0.25)
    found = run(pair, winding.wind(pair, WindTangle("request-1", goal, [1, 2])))
    assert found.reached, found.problem
    partner_follows.keep(pair, partner_follows.KeepTangle(goal))
    skeleton = pair.document.figure("human").skeleton
    place = Motion(skeleton, pair.posed_actor_by_number(1).q[None], 1.0).frames()
    hips = place.position("hips")[0]
    was = pair.posed_actor_by_number(2).q.copy()
    for sequence in range(40):
        aim = (hips[0] - 0.01 * sequence, hips[1], hips[2])
        hold = protocol.DragHandle(skeleton.index("hips"), (0.0, 0.0, 0.0), aim)
        answer = drag_result(pair, protocol.Drag(sequence, 1, [hold]))
    followed = answer.features["partner"]
    assert isinstance(followed, partner_follows.PartnerPose) and followed.actor == 2
    assert followed.winding.writhe == pytest.approx(0.25, abs=0.03)
    carry_out(pair, protocol.Release("request-2", 1))
    assert np.abs(pair.document.actor(2).configuration - was).max() > 0.02
    assert writhe_at(pair, 0.0, goal) == pytest.approx(0.25, abs=0.03)
    pair.document.undo()  # one command for both
    np.testing.assert_allclose(pair.document.actor(2).configuration, was, atol=1e-9)


def test_a_new_clip_of_one_is_followed_by_the_other(pair: Editor) -> None:
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
    assert pair.document.track(2, TrackKind.SAMPLED) is not None


def test_invalid_input_is_rejected(editor: Editor) -> None:
    goal = arms()
    with pytest.raises(WritheError):
        tangles.measure(editor, MeasureTangle(goal.first, TangleChain(1, "nose", "toe")))
    with pytest.raises(WritheError):
        winding.wind(editor, WindTangle("request-1", goal, [99]))
    with pytest.raises(WritheError, match="two different chains"):
        winding.wind(editor, WindTangle("request-2", TangleGoal(goal.first, goal.first, 0.3), [1]))
    with pytest.raises(WritheError, match="key a tangle first"):
        tangle_motion.wind_keys(editor, WindKeys("request-3"))


def test_a_winding_path_stays_certified_in_few_frames(editor: Editor) -> None:
    """Frames are put at the necessary corners where evenly spaced ones would penetrate."""
    q = editor.sample(np.array([0.0]))[0]
    there = [TangleGoal(arm(1, "left"), arm(1, "right"), w) for w in (0.5, -0.5)]
    path = [q[None]]
    for goal in there:
        stepper = tangle_setup_of(editor, [1], q).stepper([tangles.tangle_of(editor, goal)])
        path.append(solve(stepper, path[-1][-1]).path)
    whole, table = np.concatenate(path), editor.scene.layout.table
    for frames in (40, 20, 12):
        rows = time_path(table, whole, frames, 30.0)
        assert len(rows) == frames + 1
        np.testing.assert_allclose(rows[[0, -1]], whole[[0, -1]], atol=1e-9)
        assert certify(table, rows, 30.0).certified


def test_an_actor_stays_still_before_its_first_interval(pair: Editor) -> None:
    """One winds first, then both: the second one does not move until then."""
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
