"""Corrections of roles: from a file, remembered per skeleton, by command."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from writhe import recognise, save
from writhe.cli.app import run
from writhe.errors import WritheError
from writhe.recognition import forget_roles, read_roles, remember_roles, using_roles
from writhe.research.evaluation.rigs import STYLES, build_rig
from writhe.skeleton import Motion, Skeleton


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("WRITHE_CONFIG_DIR", str(tmp_path / "config"))


@pytest.fixture
def rig() -> Skeleton:
    return build_rig(STYLES["lafan1"]).skeleton


def test_a_correction_is_remembered_for_the_same_skeleton_only(rig):
    remember_roles(rig, {"chest": "Spine1", "left_toe": None})
    again = Skeleton(rig.joints, rig.tips)
    found = recognise(again)
    assert found.roles["chest"] == "Spine1"
    assert "left_toe" not in found.roles
    taller = Skeleton(
        (replace(j, offset_in_parent=j.offset_in_parent * [1, 1.1, 1]) for j in rig.joints),
        rig.tips,
    )
    assert recognise(taller).roles["chest"] == "Spine2"
    assert forget_roles(rig)
    assert recognise(rig).roles["chest"] == "Spine2"


def test_a_joint_has_one_role(rig):
    remember_roles(rig, {"neck": "Head"})
    remember_roles(rig, {"head": "Head"})
    assert recognise(rig).roles["head"] == "Head"
    assert recognise(rig).roles["neck"] == "Neck"


def test_roles_in_use_that_fit_no_skeleton_are_an_error(rig):
    with using_roles({"chest": "Spine1"}):
        assert recognise(rig).roles["chest"] == "Spine1"
    unknown = pytest.raises(WritheError, match="no skeleton here has: Spien1")
    with unknown, using_roles({"chest": "Spien1"}):
        recognise(rig)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is no JSON"),
        ("[]", "not a JSON object"),
        ('{"left_fin": "a"}', "'left_fin' is not a role"),
        ('{"left_knee": 3}', "must be a name"),
    ],
)
def test_a_bad_file_is_refused_by_name(tmp_path, text, says):
    path = tmp_path / "roles.json"
    path.write_text(text)
    with pytest.raises(WritheError, match=says) as error:
        read_roles(path)
    assert str(path) in str(error.value)


def command(capsys, *words: object) -> dict:
    with pytest.raises(SystemExit) as leaving:
        run([str(w) for w in words])
    assert leaving.value.code == 0
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_commands_show_take_and_remember_roles(tmp_path, rig, capsys):
    file, table = tmp_path / "a.bvh", tmp_path / "roles.json"
    save(Motion(rig, rig.rest_configuration[None], fps=30.0), file)
    shown = command(capsys, "info", file, "--json")
    assert shown["roles"]["chest"] == "Spine2"
    assert shown["confidence"] > 0.8
    table.write_text(json.dumps({"chest": "Spine1"}))
    given = command(capsys, "info", file, "--roles", table, "--json")
    assert given["roles"]["chest"] == "Spine1"
    assert command(capsys, "info", file, "--json")["roles"]["chest"] == "Spine2"
    command(capsys, "roles", file, "--set", "chest=Spine1", "--json")
    assert command(capsys, "info", file, "--json")["roles"]["chest"] == "Spine1"
    command(capsys, "roles", file, "--forget", "--json")
    assert command(capsys, "info", file, "--json")["roles"]["chest"] == "Spine2"
