"""Limbs that are posed joint by joint: chosen by any of their joints, stored and undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from writhe.errors import WritheError
from writhe.studio.document import Document
from writhe.studio.editing.editor import Editor
from writhe.studio.features.posing import limb_modes
from writhe.studio.server.command_handlers import carry_out


def test_a_limb_is_switched_by_any_of_its_joints(tmp_path: Path) -> None:
    document = Document.create(tmp_path / "limbs.writhe", "Limbs")
    actor = document.add_actor("human_with_fingers")
    editor = Editor(document)
    skeleton = document.figure("human_with_fingers").skeleton
    finger, shoulder = skeleton.index("left_index_2"), skeleton.index("left_shoulder")
    carry_out(editor, limb_modes.SetLimbMode("1", actor, finger, True))
    (limb,) = limb_modes.state(editor).limbs
    assert limb.actor == actor and {finger, shoulder} <= set(limb.joints)
    assert skeleton.index("right_wrist") not in limb.joints
    carry_out(editor, limb_modes.SetLimbMode("2", actor, skeleton.index("chest"), True))
    trunk = limb_modes.state(editor).limbs[1].joints
    assert skeleton.index("spine") in trunk and shoulder not in trunk
    carry_out(editor, limb_modes.SetLimbMode("3", actor, shoulder, False))
    assert [one.joints for one in limb_modes.state(editor).limbs] == [trunk]
    document.undo()
    assert len(limb_modes.state(editor).limbs) == 2
    with pytest.raises(WritheError, match="no joint number"):
        carry_out(editor, limb_modes.SetLimbMode("4", actor, 999, True))
