"""Preset poses are placed in context: standing up from a chair ends in front of it."""

from __future__ import annotations

from pathlib import Path

from writhe.postures.preset_poses import preset_names
from writhe.studio.document import Document
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
