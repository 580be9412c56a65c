"""Shapes, roles and limits that are stored with a character's file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from writhe.io import load_figure, save_figure
from writhe.io.shape_overrides import with_overrides
from writhe.io.stored_body import body_note, forget_body, remember_body, stored_body
from writhe.research.evaluation.generated_characters import STYLES, generate
from writhe.skeleton import Figure, Skin
from writhe.skeleton.figures import figure


@pytest.fixture(scope="module")
def character() -> Figure:
    """A character with a skin, not read from a glTF file."""
    made = generate(STYLES[0]).figure
    return replace(
        made, capsules=tuple(replace(c, radius_m=0.9 * c.radius_m) for c in made.capsules)
    )


def _shapes(figure: Figure) -> list[tuple[object, ...]]:
    return [
        (c.joint, *c.start_in_joint, *c.end_in_joint, c.radius_m, c.part) for c in figure.capsules
    ]


@pytest.mark.parametrize("suffix", [".glb", ".gltf", ".usda"])
def test_a_character_written_to_another_format_keeps_its_body(
    character: Figure, tmp_path: Path, suffix: str
) -> None:
    if suffix == ".usda":
        pytest.importorskip("pxr")
    path = tmp_path / f"hero{suffix}"
    save_figure(character, path)
    again = load_figure(path)
    assert _shapes(again) == _shapes(character)
    assert dict(again.roles) == dict(character.roles)
    limits = {j.name: j.limits for j in again.skeleton.joints if j.limits is not None}
    for joint in character.skeleton.joints:
        if joint.limits is not None:
            np.testing.assert_array_equal(limits[joint.name].lower, joint.limits.lower)
            np.testing.assert_array_equal(limits[joint.name].upper, joint.limits.upper)


def test_shapes_of_a_changed_mesh_are_out_of_date(character: Figure) -> None:
    note, skin = body_note(character), character.skin
    assert skin is not None
    rounded = replace(skin, vertices=skin.vertices.astype(np.float32).astype(np.float64))
    assert stored_body(note, character.skeleton, rounded) is not None
    wider = skin.vertices.copy()
    leg = skin.vertex_joint == character.skeleton.index(character.joint_of("left_knee"))
    wider[leg] += [0.0, 0.0, 0.01]
    assert stored_body(note, character.skeleton, replace(skin, vertices=wider)) is None
    assert stored_body(note, character.skeleton, None) is None


@pytest.mark.parametrize("key", ["capsules", "limits", "roles", "of", "version"])
def test_a_note_that_was_damaged_is_ignored(character: Figure, key: str) -> None:
    note = body_note(character)
    for wrong in (None, 7, [{"joint": "nobody"}], {"nobody": [1]}, "text"):
        assert stored_body(note | {key: wrong}, character.skeleton, character.skin) is None
    assert stored_body("text", character.skeleton, character.skin) is None


def test_only_corrected_shapes_change_the_file_of_a_character(
    character: Figure, tmp_path: Path
) -> None:
    path, copy, edited = (tmp_path / name for name in ("hero.glb", "copy.glb", "edited.glb"))
    save_figure(character, path)
    opened = load_figure(path)
    save_figure(opened, copy)
    assert copy.read_bytes() == path.read_bytes()
    hand = character.joint_of("left_wrist")
    save_figure(with_overrides(opened, {"exclude": [hand]}), edited)
    again = load_figure(edited)
    assert {c.joint for c in opened.capsules} - {c.joint for c in again.capsules} == {hand}
    save_figure(again, copy)
    assert copy.read_bytes() == edited.read_bytes()


def test_a_remembered_body_is_used_for_every_file_with_it(
    character: Figure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WRITHE_CONFIG_DIR", str(tmp_path / "settings"))
    path = tmp_path / "hero.glb"
    save_figure(character, path)
    hand = character.joint_of("left_wrist")
    remember_body(with_overrides(character, {"exclude": [hand]}))
    assert hand not in {c.joint for c in load_figure(path).capsules}
    assert forget_body(character.skeleton)
    assert hand in {c.joint for c in load_figure(path).capsules}


def test_another_mesh_on_the_bones_of_the_human_gets_its_own_shapes(tmp_path: Path) -> None:
    human = figure("human")
    skin = human.skin
    assert skin is not None
    path = tmp_path / "human.glb"
    save_figure(human, path)
    assert _shapes(load_figure(path)) == _shapes(human)
    vertices = skin.vertices.copy()
    x, y, z = vertices.T
    belly = (np.abs(y - 1.05) < 0.15) & (np.abs(x) < 0.2) & (z > 0.0)
    vertices[belly, 2] += 0.15
    fat = replace(human, skin=Skin(vertices, skin.triangles, skin.joints, skin.weights))
    save_figure(fat, path)
    again = load_figure(path)

    def front(body: Figure) -> float:
        at = body.skeleton.rest_positions
        ends = [(c, at[body.skeleton.index(c.joint)]) for c in body.capsules]
        return max(
            max(p[2] + c.start_in_joint[2], p[2] + c.end_in_joint[2]) + c.radius_m
            for c, p in ends
            if 0.9 < p[1] < 1.2 and abs(p[0]) < 0.05
        )

    assert front(again) > front(human) + 0.1
