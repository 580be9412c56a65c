"""Parts turned alone by a ring, and drags whose mirror image moves the other side."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from writhe.arrays import vector3
from writhe.hands import hand_of
from writhe.skeleton import Figure, Frames, forward
from writhe.skeleton.quaternions import quaternion_of, rotation_matrix
from writhe.studio import protocol
from writhe.studio.document import Document
from writhe.studio.editing.editor import Editor


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    made = Document.create(tmp_path / "drag.writhe", "Drag")
    made.add_actor("human")
    return Editor(made)


def frames(editor: Editor) -> Frames:
    posed = editor.posed_actor(editor.document.actors()[0])
    return forward(posed.figure.skeleton, posed.q)


def test_a_ring_turns_its_part_and_nothing_else(editor: Editor) -> None:
    actor = editor.document.actors()[0]
    skeleton = editor.document.figure(actor.figure).skeleton
    before, joint = frames(editor), "right_shoulder"
    half = np.radians(25.0) / 2
    swing = rotation_matrix([np.cos(half), np.sin(half), 0.0, 0.0])
    goal = swing.T @ before.rotation(joint)
    handle = protocol.DragHandle(
        skeleton.index(joint),
        (0.0, 0.0, 0.0),
        tuple(before.position(joint).tolist()),
        quaternion_of(goal),
        alone=True,
    )
    editor.drag(protocol.Drag(1, actor.id, [handle]))
    after = frames(editor)
    np.testing.assert_allclose(after.rotation(joint), goal, atol=1e-6)
    for name in ("chest", "hips", "head", "left_wrist", "right_ankle"):
        np.testing.assert_allclose(after.position(name), before.position(name), atol=1e-9)
    assert np.linalg.norm(after.position("right_wrist") - before.position("right_wrist")) > 0.1


def test_a_ring_stops_at_limits(editor: Editor) -> None:
    actor = editor.document.actors()[0]
    skeleton = editor.document.figure(actor.figure).skeleton
    before, joint = frames(editor), "left_knee"
    bent = rotation_matrix([np.cos(0.6), np.sin(0.6), 0.0, 0.0])  # forwards, where no knee goes
    for turn in (bent, bent.T):
        handle = protocol.DragHandle(
            skeleton.index(joint),
            (0.0, 0.0, 0.0),
            (0.0, 0.0, 0.0),
            quaternion_of(turn @ before.rotation(joint)),
            alone=True,
        )
        editor.drag(protocol.Drag(1, actor.id, [handle]))
        limits = skeleton.joints[skeleton.index(joint)].limits
        angle = editor.posed_actor(actor).q[skeleton.q_slice(joint)]
        assert limits is not None
        assert limits.lower[0] - 1e-9 <= angle[0] <= limits.upper[0] + 1e-9


def test_the_other_hand_moves_as_the_mirror_image(editor: Editor) -> None:
    actor = editor.document.actors()[0]
    index = editor.document.figure(actor.figure).skeleton.index("right_wrist")
    start = frames(editor).position("right_wrist")
    for i in range(40):
        goal = start + min(1.0, (i + 1) / 20) * np.array([-0.1, 0.45, 0.25])
        handle = protocol.DragHandle(index, (0.0, 0.0, 0.0), tuple(goal.tolist()))
        editor.drag(protocol.Drag(i, actor.id, [handle], 2, mirrored=True))
    now = frames(editor)
    left, right = now.position("left_wrist"), now.position("right_wrist")
    assert right[1] > start[1] + 0.4
    middle = now.position("hips")[0]
    np.testing.assert_allclose(
        left - [middle, 0, 0], (right - [middle, 0, 0]) * [-1, 1, 1], atol=0.02
    )


@pytest.mark.parametrize(
    ("part", "side"), [("chest", (0.2, 0.0, 1.0)), ("left_shoulder", (0.1, 0.8, 0.6))]
)
def test_a_hand_dragged_onto_the_body_lays_its_palm_on_it(
    tmp_path: Path, part: str, side: tuple[float, float, float]
) -> None:
    document = Document.create(tmp_path / "palm.writhe", "Palm")
    number = document.add_actor("human_with_fingers")
    editor = Editor(document)
    figure = document.figure("human_with_fingers")
    hand, normal = hand_of(figure, "right"), np.array(side) / np.linalg.norm(side)
    place = surface_point(frames(editor), figure, part, normal)
    start = frames(editor).point("right_wrist", hand.palm)
    for k in range(120):
        goal = place + 0.15 * normal if k < 50 else place
        at = start + min(1.0, (k + 1) / 40) * (goal - start)
        handle = protocol.DragHandle(
            figure.skeleton.index("right_wrist"),
            (0.0, 0.0, 0.0),
            vector3(at),
            surface_normal=vector3(normal),
        )
        result = editor.drag(protocol.Drag(k, number, [handle], 2))
    after = frames(editor)
    assert np.linalg.norm(after.point("right_wrist", hand.palm) - place) < 0.01
    assert -(after.rotation("right_wrist") @ hand.axes[:, 1]) @ normal > 0.7
    assert result.pose.clearance_m is not None and result.pose.clearance_m > -0.001


def surface_point(posed: Frames, figure: Figure, part: str, out: np.ndarray) -> np.ndarray:
    """The point of a part's shapes that is farthest in a direction."""
    ends = [
        posed.point(c.joint, end) + c.radius_m * out
        for c in figure.capsules
        if c.joint == part
        for end in (c.start_in_joint, c.end_in_joint)
    ]
    return max(ends, key=lambda point: float(point @ out))
