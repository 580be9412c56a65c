"""Shoulders that do not shrug, and a gaze that follows the hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from writhe import Controls, Target, builtin_database, figure, forward, make_poser, pin_here
from writhe.arrays import Floats, vector3
from writhe.hands import hand_of
from writhe.skeleton.limbs import SIDES
from writhe.studio import protocol
from writhe.studio.document import Document
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.starting_poses import starting_pose
from writhe.studio.features.posing.hands import SetHandPose
from writhe.studio.features.scene.objects import AddObject, ResizeObject
from writhe.studio.server.command_handlers import carry_out


def clavicle_deg(goal: tuple[float, float, float], rhythm: float) -> float:
    """By how much the right clavicle is turned when the hand has been dragged to a place."""
    human = figure("human")
    q = starting_pose(human)
    start = forward(human.skeleton, q).position("right_wrist")
    controls = Controls(balance=0.4, rhythm=rhythm)
    poser = make_poser("default", human, builtin_database("basic"), controls=controls)
    pins = [pin_here(human.skeleton, q, f"{s}_ankle", orientation=True) for s in ("left", "right")]
    for k in range(90):
        at = start + min(1.0, (k + 1) / 60) * (np.array(goal) - start)
        result = poser.step(q, [Target("right_wrist", tuple(at.tolist()))], pins)
        q = result.q
    assert result.status.value == "reached"  # pyright: ignore[reportPossiblyUnbound]
    w = abs(float(q[human.skeleton.q_slice("right_clavicle")][0]))
    return float(np.degrees(2.0 * np.arccos(min(w, 1.0))))


def test_a_hand_on_the_hip_does_not_raise_the_shoulder() -> None:
    assert clavicle_deg((-0.24, 1.02, 0.02), 1.0) < 5.0 < clavicle_deg((-0.24, 1.02, 0.02), 0.0)


def test_the_girdle_rises_with_a_raised_arm() -> None:
    assert clavicle_deg((-0.3, 1.95, 0.1), 1.0) > 12.0


def face_after_a_drag(
    goal: Floats, gaze: float, *, head_pinned: bool = False
) -> tuple[float, float, float]:
    """Degrees by which the face is turned to the left and up, and the hand's distance (m)."""
    human = figure("human")
    q = starting_pose(human)
    start = forward(human.skeleton, q).position("right_wrist")
    controls = Controls(balance=0.4, rhythm=1.0, gaze=gaze)
    poser = make_poser("default", human, builtin_database("basic"), controls=controls)
    pins = [pin_here(human.skeleton, q, f"{s}_ankle", orientation=True) for s in ("left", "right")]
    if head_pinned:
        pins.append(pin_here(human.skeleton, q, "head", orientation=True))
    for k in range(100):
        at = start + min(1.0, (k + 1) / 50) * (goal - start)
        q = poser.step(q, [Target("right_wrist", vector3(at))], pins).q
    frames = forward(human.skeleton, q)
    rest = forward(human.skeleton, human.skeleton.rest_configuration).rotation("head")
    face = frames.rotation("head") @ rest.T @ np.array([0.0, 0.0, 1.0])
    away = float(np.linalg.norm(frames.position("right_wrist") - goal))
    return np.degrees(np.arctan2(face[0], face[2])), np.degrees(np.arcsin(face[1])), away


def test_the_gaze_follows_a_dragged_hand() -> None:
    to_the_right = np.array([-0.5, 1.3, 0.4])  # 52 degrees aside, 23 below the head
    turned, raised, away = face_after_a_drag(to_the_right, 1.0)
    assert -45.0 < turned < -20.0
    assert -25.0 < raised < -6.0
    assert away < 0.005
    assert face_after_a_drag(to_the_right, 0.0)[0] > -10.0
    assert abs(face_after_a_drag(to_the_right, 1.0, head_pinned=True)[0]) < 3.0


@pytest.mark.parametrize("goal", [(-0.02, 1.5, 0.2), (-0.12, 1.62, 0.1)])
def test_a_hand_dragged_to_the_face_arrives_and_is_not_looked_at(
    goal: tuple[float, float, float],
) -> None:
    turned, raised, away = face_after_a_drag(np.array(goal), 1.0)
    assert away < 0.005
    assert abs(turned - face_after_a_drag(np.array(goal), 0.0)[0]) < 10.0
    assert abs(raised) < 10.0


def dragged(joint: str, *goals: tuple[float, float, float], rhythm: float = 1.0) -> Floats:
    """The pose of the human after a joint was dragged to places one after another, 1 s each."""
    human = figure("human")
    q = starting_pose(human)
    at = forward(human.skeleton, q).position(joint)
    controls = Controls(rhythm=rhythm)
    poser = make_poser("default", human, builtin_database("basic"), controls=controls)
    pins = [pin_here(human.skeleton, q, f"{s}_ankle", orientation=True) for s in ("left", "right")]
    for goal in goals:
        for k in range(60):
            place = at + min(1.0, (k + 1) / 40) * (np.array(goal) - at)
            q = poser.step(q, [Target(joint, vector3(place))], pins).q
        at = np.array(goal)
    return q


def test_the_body_straightens_up_when_the_arm_reaches_without_it() -> None:
    """A hand dragged far forward, where the body bends, and back: the head is where it was."""
    human = figure("human")
    before = forward(human.skeleton, starting_pose(human)).position("head")
    moved: dict[float, float] = {}
    for rhythm in (0.0, 1.0):
        q = dragged("right_wrist", (-0.2, 0.9, 1.0), (-0.25, 1.25, 0.35), rhythm=rhythm)
        frames = forward(human.skeleton, q)
        assert np.linalg.norm(frames.position("right_wrist") - (-0.25, 1.25, 0.35)) < 0.01
        moved[rhythm] = float(np.linalg.norm(frames.position("head") - before))
    assert moved[1.0] < 0.03 < moved[0.0]


def test_the_studio_poses_as_the_library_does(tmp_path: Path) -> None:
    """A hand dragged in the editor and by a poser of the same controls: the same pose."""
    document = Document.create(tmp_path / "drag.writhe", "Drag")
    document.add_actor("human")
    editor, actor = Editor(document), document.actors()[0]
    posed = editor.posed_actor(actor)
    human, q = posed.figure, posed.q.copy()
    pins = editor.pins_now(actor, posed)
    poser = make_poser(
        "default",
        human,
        builtin_database(),
        controls=Controls(balance=0.4, idle=0.85, rhythm=1.0, gaze=1.0),
    )
    start = forward(human.skeleton, q).position("right_wrist")
    for k in range(60):
        at = vector3(start + min(1.0, (k + 1) / 40) * (np.array([-0.5, 1.3, 0.4]) - start))
        handle = protocol.DragHandle(human.skeleton.index("right_wrist"), (0.0, 0.0, 0.0), at)
        editor.drag(protocol.Drag(k, actor.id, [handle]))
        q = poser.step(q, [Target("right_wrist", at)], pins).q
    np.testing.assert_allclose(posed.q, q, atol=1e-3)


@pytest.mark.parametrize("goal", [(-0.2, 1.28, 0.53), (-0.24, 1.25, 0.53), (-0.18, 1.32, 0.53)])
def test_legs_stay_straight_while_palms_are_laid_on_a_wall(
    tmp_path: Path, goal: tuple[float, float, float]
) -> None:
    """Fingers that touch the wall keep the palms from it: crouching would not help."""
    document = Document.create(tmp_path / "wall.writhe", "Wall")
    number = document.add_actor("human_with_fingers")
    editor = Editor(document)
    carry_out(editor, AddObject("wall", "box", position=(0.0, 1.0, goal[2] + 0.05)))
    carry_out(editor, ResizeObject("size", document.objects()[-1].id, (1.2, 2.0, 0.1)))
    for side in SIDES:
        carry_out(editor, SetHandPose(side, number, side, "flat"))
    editor.refresh()
    posed = editor.posed_actor(document.actor(number))
    skeleton, before = posed.figure.skeleton, forward(posed.figure.skeleton, posed.q)
    wrist, palm = "right_wrist", hand_of(posed.figure, "right").palm
    start = before.point(wrist, palm)
    for k in range(80):
        at = start + min(1.0, (k + 1) / 40) * (np.array(goal) - start)
        at[2] = goal[2]  # the pointer is on the wall
        point, normal = vector3(palm), (0.0, 0.0, -1.0)
        handle = protocol.DragHandle(
            skeleton.index(wrist), point, vector3(at), surface_normal=normal
        )
        editor.drag(protocol.Drag(k, number, [handle], 2, True))
    after = forward(skeleton, editor.posed_actor(document.actor(number)).q)
    document.close()
    assert before.position("hips")[1] - after.position("hips")[1] < 0.01
    assert np.linalg.norm(after.point(wrist, palm) - np.array(goal)) < 0.06
