"""What is shown follows the drag while the head is turned towards the hand."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from writhe import Motion, certify, forward
from writhe.studio import protocol
from writhe.studio.document import Document
from writhe.studio.editing.editor import Editor


@pytest.mark.parametrize(
    "goal",
    [(0.02, 0.10, 0.16), (-0.12, 0.06, 0.04), (-0.06, 0.10, -0.14), (0.14, 0.05, 0.08)],
    ids=["before the face", "at the ear", "behind the head", "across the face"],
)
def test_a_hand_at_the_head_is_shown_where_it_was_dragged(
    tmp_path: Path, goal: tuple[float, float, float]
) -> None:
    document = Document.create(tmp_path / "a.writhe", "A")
    document.add_actor("human")
    editor, actor = Editor(document), document.actors()[0]
    posed = editor.posed_actor(actor)
    skeleton = posed.figure.skeleton
    head = skeleton.q_slice("head")
    joint = skeleton.index("right_wrist")
    frames = forward(skeleton, posed.q)
    start, end = frames.position("right_wrist"), frames.position("head") + np.array(goal)
    shown = [posed.q.copy()]
    for number in range(1, 121):
        x, y, z = (start + min(1.0, number / 60) * (end - start)).tolist()
        handle = protocol.DragHandle(joint, (0.0, 0.0, 0.0), (x, y, z))
        answer = editor.drag(protocol.Drag(number, actor.id, [handle]))
        shown.append(posed.q.copy())
    missed_m = np.linalg.norm(forward(skeleton, posed.q).position("right_wrist") - end)
    assert answer.pose.status == "reached"  # pyright: ignore[reportPossiblyUnbound]
    assert missed_m < 0.002
    turned = [abs(float(a[head] @ b[head])) for a, b in pairwise(shown)]
    assert 2.0 * np.arccos(min(1.0, *turned)) < 0.1  # the head does not snap
    assert certify(posed.figure, Motion(skeleton, np.array(shown), fps=60)).certified
