"""Shared files: posture databases and learnt styles are checked, stored and used."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from writhe.errors import FileFormatError, WritheError
from writhe.postures.builtin import builtin_database
from writhe.skeleton.figures import figure
from writhe.solvers.trajectory import Chain, Forest, learn_style
from writhe.studio.document import Document
from writhe.studio.document.solver_settings import SolverSettings
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.posers import Posers
from writhe.studio.features.motion import trajectories
from writhe.studio.features.posing import solver_settings
from writhe.studio.files.imports import import_file
from writhe.studio.files.shared_files import MAX_FILES, SharedFiles
from writhe.studio.server.command_handlers import carry_out

RATE = 30.0


@pytest.fixture(scope="module")
def forest() -> Forest:
    """A style of the right arm, learnt from a hand that swings up."""
    human = figure("human")
    chain = Chain.named(human, "right_arm")
    q = np.repeat(human.skeleton.rest_configuration[None], 60, axis=0)
    lift = np.linspace(0.0, 1.2, 60)
    at = human.skeleton.q_slice("right_shoulder")
    q[:, at.start] = np.cos(lift / 2)
    q[:, at.start + 2] = np.sin(lift / 2)
    return Forest(chain, [learn_style(chain, "swing", [(q, RATE)])])


@pytest.fixture
def styles(forest: Forest, tmp_path: Path) -> bytes:
    forest.save(tmp_path / "mine.npz")
    return (tmp_path / "mine.npz").read_bytes()


@pytest.fixture
def postures(tmp_path: Path) -> bytes:
    some = builtin_database()
    few = replace(
        some,
        q=some.q[:40],
        linking=some.linking[:40],
        clip=some.clip[:40],
        frame=some.frame[:40],
        penetrating=some.penetrating[:40],
        object_linking=some.object_linking[:40],
        object_pose=some.object_pose[:40],
    )
    few.save(tmp_path / "few.parquet")
    return (tmp_path / "few.parquet").read_bytes()


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    document = Document.create(tmp_path / "one.writhe", "One")
    document.add_actor("human")
    return Editor(document, Posers(shared_files=SharedFiles(tmp_path / "documents")))


def test_a_database_from_a_file_is_chosen_and_can_be_undone(
    editor: Editor, postures: bytes
) -> None:
    shared_files = editor.posers.shared_files
    said, _ = import_file(
        editor.document, 1, "../../few.parquet", postures, shared_files=shared_files
    )
    assert "40 postures" in said
    assert solver_settings.state(editor).postures == "file:few"
    assert len(editor.posers.postures(SolverSettings.of(editor.document)) or ()) == 40
    editor.document.undo()
    assert solver_settings.state(editor).postures == "basic"
    choose = solver_settings.SetSolverSettings("choosechoose", "file:few", 1.0, 1.0, 1.0)
    carry_out(editor, choose)
    assert SolverSettings.of(editor.document).postures == "file:few"
    with pytest.raises(WritheError, match="few"):
        carry_out(
            editor, solver_settings.SetSolverSettings("anotherone", "file:../x", 1.0, 1.0, 1.0)
        )


def test_a_missing_database_is_replaced_by_the_built_in_one(
    editor: Editor, postures: bytes
) -> None:
    import_file(
        editor.document, 1, "few.parquet", postures, shared_files=editor.posers.shared_files
    )
    elsewhere = Editor(editor.document, Posers())
    assert elsewhere.posers.postures(SolverSettings.of(editor.document)) is builtin_database()
    named = {choice.name: choice.about for choice in solver_settings.state(elsewhere).choices}
    assert "not on this server" in named["file:few"]


def test_learnt_styles_are_offered_for_their_limb(editor: Editor, styles: bytes) -> None:
    said, _ = import_file(
        editor.document, 1, "mine.npz", styles, shared_files=editor.posers.shared_files
    )
    assert "1 style for the right arm" in said
    offered = {style.name: style.limbs for style in trajectories.state(editor).styles}
    assert offered["mine/swing"] == ["right_arm"]
    points = [(-0.3, 1.0, 0.3), (-0.3, 1.3, 0.3)]
    wrong = trajectories.FollowPath("r" * 8, 1, "left_arm", "mine/swing", points, 0.0, 1.0)
    with pytest.raises(WritheError, match="right_arm"):
        trajectories.follow_path(editor, wrong)(cast(Any, _NoJob()))


class _NoJob:
    number = "none"

    def report(self, done: float, text: str) -> None:
        """Ignore progress."""


@pytest.mark.parametrize(
    ("table", "spoil"),
    [
        ("0.0.parent", lambda a: np.where(np.arange(len(a)) == 5, len(a) + 7, a)),
        ("0.0.parent", lambda a: np.where(np.arange(len(a)) == 5, 5, a)),  # its own parent
        ("0.0.grid", lambda a: a - 10_000),
        ("0.0.grid", lambda a: a[:-1]),
        ("0.0.mean", lambda a: a[:, :-1]),
        ("0.0.lower", lambda a: a * np.nan),
        ("0.0.damping_m2", lambda a: -a),
        ("0.0.slope", lambda a: a.astype(object)),
        ("header", lambda a: np.array('{"format": "writhe styles 1"}')),
    ],
)
def test_styles_that_kernels_could_not_index_are_rejected(
    tmp_path: Path, styles: bytes, table: str, spoil
) -> None:
    (tmp_path / "whole.npz").write_bytes(styles)
    with np.load(tmp_path / "whole.npz") as stored:
        arrays = {name: stored[name] for name in stored.files}
    arrays[table] = spoil(arrays[table])
    np.savez_compressed(tmp_path / "bad.npz", **arrays)
    folder = SharedFiles(tmp_path / "documents").styles
    with pytest.raises(FileFormatError):
        folder.add("bad", (tmp_path / "bad.npz").read_bytes())
    assert folder.names() == []
    assert list((tmp_path / "documents" / "styles").iterdir()) == []  # no temporary file is left


def test_broken_files_are_refused(tmp_path: Path, postures: bytes, styles: bytes) -> None:
    shared_files = SharedFiles(tmp_path / "documents")
    rng = np.random.default_rng(5)
    for folder, whole in ((shared_files.postures, postures), (shared_files.styles, styles)):
        for data in (b"", b"PK\x03\x04", b"PAR1" * 9, whole[: len(whole) // 2]):
            with pytest.raises(WritheError):
                folder.add("bad", data)
        for _ in range(30):
            damaged = np.frombuffer(whole, np.uint8).copy()
            damaged[rng.integers(len(damaged), size=40)] = rng.integers(256, size=40)
            try:
                folder.add("damaged", damaged.tobytes())
            except WritheError:
                continue
            folder.get("damaged")  # accepted files can be read


def test_the_number_of_files_is_bounded_and_titles_are_cleaned(
    tmp_path: Path, postures: bytes
) -> None:
    folder = SharedFiles(tmp_path).postures
    assert folder.add("../../etc/pass wd?", postures) == "etcpass wd"
    for k in range(MAX_FILES - 1):
        (tmp_path / "postures" / f"{k}.parquet").write_bytes(postures)
    with pytest.raises(WritheError, match=str(MAX_FILES)):
        folder.add("one more", postures)
    folder.add("etcpass wd", postures)  # one of the same name is replaced
    with pytest.raises(WritheError, match="no folder"):
        SharedFiles().postures.add("any", postures)
