"""Hands dragged onto surfaces, and what they hold on the way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from writhe import forward
from writhe.arrays import Floats, Vector3, vector3
from writhe.hands import hand_of
from writhe.skeleton.kinematics import difference
from writhe.studio import protocol
from writhe.studio.document import Document
from writhe.studio.editing.editor import Editor
from writhe.studio.features.posing.hands import GripObject, grip_object
from writhe.studio.features.scene.objects import AddObject, ResizeObject
from writhe.studio.server.command_handlers import carry_out
from writhe.studio.server.jobs import Job


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    document = Document.create(tmp_path / "hands.writhe", "Hands")
    document.add_actor("human_with_fingers")
    yield Editor(document)
    document.close()


def pose(editor: Editor) -> Floats:
    return editor.posed_actor(editor.document.actors()[0]).q


def drag(
    editor: Editor, place: Vector3, normal: Vector3 | None, *, both: bool = False, frames: int = 60
) -> protocol.DragResult:
    """Drag the right hand straight to a place and hold it there; the last answer."""
    actor = editor.document.actors()[0]
    skeleton = editor.posed_actor(actor).figure.skeleton
    joint, start = skeleton.index("right_wrist"), forward(skeleton, pose(editor))
    begin = start.position("right_wrist")
    for k in range(frames):
        at = begin + min(1.0, (k + 1) / 30) * (np.array(place) - begin)
        handle = protocol.DragHandle(
            joint, (0.0, 0.0, 0.0), vector3(at), surface_normal=normal if k > 8 else None
        )
        result = editor.drag(protocol.Drag(k, actor.id, [handle], 2, both))
    return result  # pyright: ignore[reportPossiblyUnboundVariable]


def palm(editor: Editor, side: str) -> tuple[Floats, Floats]:
    """The middle of the palm and its direction in the world."""
    body = editor.posed_actor(editor.document.actors()[0]).figure
    hand, frames = hand_of(body, side), forward(body.skeleton, pose(editor))
    return frames.point(hand.wrist, hand.palm), frames.rotation(hand.wrist) @ hand.axes[:, 1]


def test_both_palms_face_the_chest_that_they_are_laid_on(editor: Editor) -> None:
    place, normal = (-0.06, 1.3, 0.115), (-0.2, 0.0, 0.98)
    result = drag(editor, place, normal, both=True)
    assert result.pose.pass_throughs == 0
    for side, sign in (("right", 1.0), ("left", -1.0)):
        at, out = palm(editor, side)
        assert np.linalg.norm(at - (sign * place[0], place[1], place[2])) < 0.03
        assert out @ (sign * normal[0], normal[1], normal[2]) < -0.85


def test_relaxed_fingers_open_on_a_surface_and_rest_on_it(editor: Editor) -> None:
    actor = editor.document.actors()[0]
    body, before = editor.posed_actor(actor).figure, pose(editor).copy()
    fingers = [body.skeleton.v_slice(joint) for joint in hand_of(body, "right").joints]

    def bent(q: Floats) -> float:
        """The mean angle by which the finger joints differ from those before, rad."""
        step = difference(body.skeleton, before, q)
        return float(np.mean([np.linalg.norm(step[at]) for at in fingers]))

    assert drag(editor, (0.06, 1.3, 0.115), (0.2, 0.0, 0.98)).pose.pass_throughs == 0
    open_by = bent(pose(editor))
    assert open_by > 0.3
    editor.release(protocol.Release("1", actor.id))
    assert bent(pose(editor)) < open_by - 0.05
    clearance = editor.posed_actor(actor).diagnostics.measure(pose(editor)).clearance_m
    assert clearance is not None
    assert clearance > -1e-3


def test_a_cup_is_carried_to_the_mouth_upright(editor: Editor) -> None:
    actor = editor.document.actors()[0]
    carry_out(editor, AddObject("0", "cylinder", position=(-0.2, 1.1, 0.4)))
    item = editor.document.objects()[-1].id
    carry_out(editor, ResizeObject("1", item, (0.07, 0.1, 0.07)))
    editor.refresh()
    skeleton = editor.posed_actor(actor).figure.skeleton
    grip = GripObject("2", actor.id, skeleton.index("right_wrist"), item)
    found = grip_object(editor, grip)(Job("grip", "Grip", True, lambda _: None))
    assert found.commit is not None
    with editor.document.edit("Grip") as edit:
        found.commit(editor, edit)
    editor.refresh()
    up = forward(skeleton, pose(editor)).rotation("right_wrist").T @ np.array([0.0, 1.0, 0.0])
    forearm = forward(skeleton, pose(editor)).rotation("right_elbow")
    drag(editor, (-0.15, 1.47, 0.2), None)
    after = forward(skeleton, pose(editor))
    turned = after.rotation("right_elbow") @ forearm.T
    assert np.degrees(np.arccos((np.trace(turned) - 1.0) / 2.0)) > 30.0
    assert np.degrees(np.arccos((after.rotation("right_wrist") @ up)[1])) < 20.0
