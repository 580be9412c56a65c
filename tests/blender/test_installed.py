"""The zip of `make blender`, installed into Blender as users do (`make test-blender`)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from blender_runs import result_of

from mixamo_character import write_mixamo_character

PYTHON = os.environ.get("WRITHE_BARE_BLENDER_PYTHON", "")
ZIPS = sorted((Path(__file__).parents[2] / "dist").glob("writhe-blender-*.zip"))
pytestmark = [
    pytest.mark.skipif(
        not PYTHON, reason="set WRITHE_BARE_BLENDER_PYTHON to a Python with bpy and no writhe"
    ),
    pytest.mark.skipif(not ZIPS, reason="no zip in dist: run make blender"),
]


@pytest.fixture(scope="module")
def result(tmp_path_factory) -> dict:
    script = Path(__file__).with_name("installed.py")
    character = write_mixamo_character(tmp_path_factory.mktemp("character"))
    user = tmp_path_factory.mktemp("user")
    return result_of([PYTHON, str(script), str(ZIPS[-1]), str(user), str(character)])


def test_blenders_own_validator_accepts_the_zip():
    packages = Path(PYTHON).parents[1] / "lib"
    (cli,) = packages.glob("*/site-packages/bpy/*/scripts/addons_core/bl_pkg/cli")
    run = subprocess.run(
        [PYTHON, str(cli / "blender_ext.py"), "validate", str(ZIPS[-1])],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr


def test_it_installs_and_loads_nothing_at_registration(result):
    assert result["installed"] and result["enabled"]
    assert result["loaded_at_registration"] == []


def test_the_hand_of_a_mixamo_character_is_dragged_across_the_chest_and_keyed(result):
    assert "a person" in result["summary"]
    assert result["error_m"] < 0.02
    assert result["moved_m"] > 0.5
    assert result["keyed"] > 3


def test_certify_says_what_the_keyed_action_is(result):
    assert result["verdict"] == "certified"
    assert result["sentence"] == "Nothing penetrates, between the keys either."
    assert result["cleaned"] == "certified"


def test_nothing_is_compiled_in_blender(result):
    assert result["from_wheel"]
    assert result["compiled"] == []
