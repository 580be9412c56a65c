"""The status of a document is never better than what an independent check finds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from writhe.postures.preset_poses import preset_names, preset_pose
from writhe.research.evaluation.export_mechanism import export_mechanism, export_motion
from writhe.research.evaluation.independent import check
from writhe.studio.document import Document
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene import object_edits
from writhe.studio.editing.scene.scene_builder import SceneKey, build_scene, sample_document
from writhe.studio.features.motion import certificate
from writhe.studio.features.motion.certificate import CheckMotion, document_certificate
from writhe.studio.files.exports import certificate_of, export
from writhe.studio.server.jobs import Job

BEYOND_M = 1.1e-3  # the certificate promises 1 mm; the check samples


def with_box_over_leg(path: Path, keys: int) -> tuple[Document, int]:
    document = Document.create(path)
    actor = document.add_actor()
    q = document.actor(actor).configuration
    for k in range(keys):
        document.set_key(actor, float(k), q)
    with document.edit("Box") as edit:
        object_edits.add_object(document, edit, "box", position=(0.1, 0.4, 0.0))
    return document, actor


@pytest.mark.parametrize("keys", [0, 1, 2])
def test_a_box_over_a_leg_is_never_called_clear(tmp_path: Path, keys: int):
    document, actor = with_box_over_leg(tmp_path / "box.writhe", keys)
    found = document_certificate(document)
    assert not found.certified
    assert found.verdict in ("penetrating", "passes through")
    shown = found.pose or found.segments[0]
    assert "Box" in shown.a + shown.b
    assert shown.clearance_m < -0.01
    for suffix in ("bvh", "glb"):
        data, _ = export(document, [actor], suffix)
        assert not certificate_of(document, actor, data, suffix).certified


def test_a_check_that_was_asked_for_before_an_edit_judges_what_the_document_is_now(tmp_path: Path):
    document, _ = with_box_over_leg(tmp_path / "box.writhe", 0)
    document.undo()
    editor = Editor(document)
    before = certificate.check(editor, CheckMotion("a"))  # of the empty scene
    document.redo()
    shown = before(Job("1", "check", True, lambda _state: None)).show
    assert isinstance(shown, certificate.MotionCertificate)
    assert not shown.certified
    again = certificate.check(Editor(document), CheckMotion("b"))
    saved = again(Job("2", "check", True, lambda _state: None)).show
    assert isinstance(saved, certificate.MotionCertificate)
    assert not saved.certified


@pytest.mark.parametrize("seed", range(6))
def test_random_documents_agree_with_an_independent_check(tmp_path: Path, seed: int):
    rng = np.random.default_rng([3, seed])
    document = Document.create(tmp_path / f"{seed}.writhe")
    actor = document.add_actor()
    names = preset_names("basic")
    for k in range(int(rng.integers(0, 4))):
        database, number = preset_pose("basic", str(rng.choice(names)))
        document.set_key(actor, 0.4 * k, database.q[number])
    with document.edit("Boxes") as edit:
        for _ in range(int(rng.integers(0, 3))):
            x, z = rng.normal(scale=0.6, size=2)
            object_edits.add_object(
                document, edit, "box", position=(float(x), float(rng.uniform(0, 1.6)), float(z))
            )
    found = document_certificate(document)
    scene = build_scene(document, SceneKey.of(document))
    q = sample_document(document, scene, np.arange(found.frames) / document.fps)
    table = scene.layout.table
    deepest = check(export_mechanism(table), export_motion(table.skeleton, q)).depth_m
    if found.certified:
        assert deepest < BEYOND_M
    else:
        assert deepest > 0.0
