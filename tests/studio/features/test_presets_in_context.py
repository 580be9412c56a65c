"""Preset poses are placed in context: standing up from a chair ends in front of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from writhe.postures.preset_poses import preset_names
from writhe.skeleton.heading import heading_of, yaw_matrix
from writhe.skeleton.move_root import moved_roots
from writhe.studio.document import Document
from writhe.studio.editing import edits
from writhe.studio.editing.editor import Editor
from writhe.studio.features.motion.certificate import document_certificate
from writhe.studio.features.posing import preset_poses
from writhe.studio.server.command_handlers import carry_out


def test_stand_after_sit_is_in_front_of_the_chair(tmp_path: Path) -> None:
    document = Document.create(tmp_path / "chair.writhe", "Chair")
    document.add_actor("human")
    editor = Editor(document)
    actor = document.actors()[0].id
    sit = next(name for name in preset_names("chair") if name.startswith("sit"))
    carry_out(editor, preset_poses.ApplyPresetPose("1", actor, "chair", sit))
    editor.refresh()
    contacts = set(document.setting("contacts", list[tuple[str, str]], []))
    carry_out(editor, preset_poses.ApplyPresetPose("2", actor, "basic", "stand"))
    editor.refresh()
    fresh = set(document.setting("contacts", list[tuple[str, str]], [])) - contacts
    assert not any("chair" in part for pair in fresh for part in pair)
    assert document_certificate(document).certified


def test_a_share_of_a_preset_pose_is_blended_into_the_current_one(tmp_path: Path) -> None:
    document = Document.create(tmp_path / "blend.writhe", "Blend")
    number = document.add_actor("human")
    editor = Editor(document)
    skeleton = document.figure("human").skeleton
    at = skeleton.q_slice("right_elbow")
    before = float(document.actor(number).configuration[at][0])
    ends: dict[float, float] = {}
    for share in (0.5, 1.0):
        carry_out(
            editor, preset_poses.ApplyPresetPose(f"{share}", number, "basic", "arms folded", share)
        )
        ends[share] = float(document.actor(number).configuration[at][0])
        document.undo()
        editor.refresh()
    assert abs(ends[1.0] - before) > 0.5
    assert ends[0.5] == pytest.approx(0.5 * (before + ends[1.0]), abs=1e-6)


def test_a_chair_that_comes_with_a_pose_is_put_behind_the_person(tmp_path: Path) -> None:
    document = Document.create(tmp_path / "elsewhere.writhe", "Elsewhere")
    number = document.add_actor("human")
    editor = Editor(document)
    skeleton, q = document.figure("human").skeleton, document.actor(number).configuration
    turned = moved_roots(skeleton, q[None], yaw_matrix(0.5 * np.pi), np.array([1.0, 0.0, 2.0]))[0]
    with document.edit("Move") as edit:
        edits.set_pose(document, edit, number, turned, 0.0)
    editor.refresh()
    carry_out(editor, preset_poses.ApplyPresetPose("1", number, "chair", "sit, arms folded"))
    chair = document.objects()[0].data
    assert np.allclose(chair.position, (0.58, 0.0, 2.0), atol=0.05)
    seated = document.actor(number).configuration
    assert abs(heading_of(document.figure("human"), seated) - 0.5 * np.pi) < 0.2
