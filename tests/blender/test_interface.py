"""The sample file, and what menus and panels offer (`make test-blender`)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from with_bpy import PYTHON, needs_bpy, script_result

pytestmark = needs_bpy
SAMPLE = Path(__file__).parents[2] / "tools" / "extension" / "sample.py"


@pytest.fixture(scope="module")
def result(tmp_path_factory) -> dict:
    file = tmp_path_factory.mktemp("sample") / "sample.blend"
    run = [PYTHON, str(SAMPLE), str(file)]
    subprocess.run(run, check=True, capture_output=True, timeout=600)
    return script_result("interface.py", str(file))


def test_the_sample_file_opens_as_a_character_whose_hand_goes_into_its_chest(result):
    assert result["character"]
    assert result["verdict"] in ("passes through", "penetrating")


def test_every_operator_is_in_a_menu_or_a_panel(result):
    # that of the menu Add > Armature, and that of the tool
    assert result["in_neither"] == ["writhe.add_human", "writhe.drag"]
    assert result["unknown"] == []


def test_work_on_characters_and_actions_is_in_the_menus_that_f3_searches(result):
    work = {
        "set_up", "certify", "clean", "connect", "preset_pose", "pin", "move_to_cursor", "wind",
        "key_tangle", "wind_keys", "follow_curve", "obstacle", "open_document", "write_document",
    }  # fmt: skip
    assert {f"writhe.{name}" for name in work} <= set(result["in_menu"])
