"""Roles and collision shapes of an imported character, corrected in a document."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from writhe.errors import WritheError
from writhe.io import figure_of, load_figure
from writhe.research.evaluation.generated_characters import STYLES, generate
from writhe.skeleton import Capsule, Figure, Skeleton
from writhe.studio.document import Document
from writhe.studio.document.embedded_figures import encode_figure
from writhe.studio.editing import character_bodies as bodies
from writhe.studio.editing import edits
from writhe.studio.files.exports import export


@pytest.fixture(scope="module")
def body() -> Figure:
    """A character of three shapes, as if read from a file."""

    def plain(skeleton: Skeleton, **settings: Any) -> Figure:
        shapes = tuple(Capsule(name, np.zeros(3), np.zeros(3), 0.1) for name in skeleton.names[1:4])
        return figure_of(skeleton, **settings, shapes=shapes)

    return replace(generate(STYLES[0], plain).figure, name="hero")


@pytest.fixture
def document(body: Figure, tmp_path: Path) -> Document:
    found = Document.create(tmp_path / "own.writhe", "own")
    with found.edit("Open character") as edit:
        edit.insert("figures", name="hero", data=encode_figure(body))
        edits.add_actor(found, edit, "hero", "hero")
    return found


def _actor(document: Document) -> int:
    return next(actor.id for actor in document.actors() if actor.figure == "hero")


def _change(document: Document, figure: Figure, excluded: tuple[Capsule, ...]) -> None:
    with document.edit("Correct") as edit:
        bodies.put_figure(document, edit, _actor(document), figure, excluded)


def test_a_role_given_to_a_joint_is_kept_and_undone(document: Document) -> None:
    figure, _ = bodies.own_figure(document, _actor(document))
    wrong = figure.joint_of("left_toe")
    before = document.figure_version("hero")
    changed = bodies.with_role(figure, wrong, "")
    assert "left_toe" not in dict(changed.roles)
    others = {r: j for r, j in figure.roles if r != "left_toe"}
    assert dict(changed.roles) == others, "only the role of that joint changes"
    _change(document, changed, ())
    assert dict(document.figure("hero").roles) == others
    assert document.figure_version("hero") != before
    document.undo()
    assert dict(document.figure("hero").roles) == dict(figure.roles)
    assert document.figure_version("hero") == before


def test_shapes_are_resized_excluded_and_included_again(document: Document) -> None:
    figure, excluded = bodies.own_figure(document, _actor(document))
    thin = bodies.with_radius(figure, 1, 0.02)
    _change(document, *bodies.without_shape(thin, excluded, 0))
    now, out = bodies.own_figure(document, _actor(document))
    assert [c.radius_m for c in now.capsules] == [0.02, 0.1]
    assert [c.joint for c in out] == [figure.capsules[0].joint]
    _change(document, *bodies.with_shape(now, out, 0))
    again, out = bodies.own_figure(document, _actor(document))
    assert {c.joint for c in again.capsules} == {c.joint for c in figure.capsules}
    assert out == ()


def test_corrected_shapes_are_in_the_exported_file(document: Document, tmp_path: Path) -> None:
    figure, _ = bodies.own_figure(document, _actor(document))
    _change(document, bodies.with_radius(figure, 1, 0.021), ())
    path = tmp_path / "hero.glb"
    path.write_bytes(export(document, [_actor(document)], "glb")[0])
    assert [c.radius_m for c in load_figure(path).capsules] == [0.1, 0.021, 0.1]


def test_built_in_figures_and_missing_shapes_are_refused(document: Document, body: Figure) -> None:
    with document.edit("Add") as edit:
        human = edits.add_actor(document, edit, "human", "human")
    with pytest.raises(WritheError, match="built-in"):
        bodies.own_figure(document, human)
    for shape in (-1, 3):
        with pytest.raises(WritheError, match="no longer exists"):
            bodies.with_radius(body, shape, 0.1)
    with pytest.raises(WritheError, match="not a role"):
        bodies.with_role(body, body.skeleton.names[0], "tail")
