"""Exported files show what the document shows, for as long as any of their characters moves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from writhe.research.evaluation.independent import CurveMotion
from writhe.research.evaluation.independent.stored_files import read_gltf
from writhe.skeleton import Motion
from writhe.studio.document import Document, TrackKind
from writhe.studio.document.row_types import pack
from writhe.studio.editing import edits
from writhe.studio.editing.scene import object_edits
from writhe.studio.files.import_export import certificate_of_all, export


def test_characters_and_objects_move_until_the_longest_motion_ends(tmp_path: Path):
    """A box that makes way for the second character, and keys over a clip that fade out."""
    document = Document.create(tmp_path / "two.writhe")
    first, second = document.add_actor(), document.add_actor()
    q = document.actor(first).configuration
    clip = Motion(document.timeline(first).skeleton, np.tile(q, (16, 1)), 30.0, "stand")
    with document.edit("Clip") as edit:
        edits.put_clip(document, edit, first, clip, 0.0)
    aside = q.copy()
    aside[2] -= 0.3
    document.set_key(first, 0.5, aside)
    here = document.actor(second).configuration
    ahead = here.copy()
    ahead[2] += 0.8
    document.set_key(second, 0.0, here)
    document.set_key(second, 1.0, ahead)
    with document.edit("Box") as edit:
        box = object_edits.add_object(document, edit, "box", (float(here[0]), 1.2, 0.7))
        track = edits.track_for(document, edit, TrackKind.PLACEMENT, "Place", object_id=box)
        for time_s, z in ((0.0, 0.7), (1.0, 3.0)):
            place = np.array([float(here[0]), 1.2, z, 1.0, 0.0, 0.0, 0.0])
            edits.put_track_key(document, edit, track, time_s, pack(place))
    data, _ = export(document, [first, second], "glb")
    assert certificate_of_all(document, [first, second], data, "glb").certified
    stored = read_gltf(data)
    motion = stored.motions[0]
    assert isinstance(motion, CurveMotion)
    shift, _ = motion.at(np.array([1.0]))
    assert shift[0, stored.names.index("Box"), 2] == pytest.approx(3.0, abs=1e-5)
    root = document.timeline(first).skeleton.names[0]
    one, other = (c for c, name in enumerate(stored.names) if name == root)
    moved = document.timeline(first).at(1.0) - q
    assert abs(moved[2]) < 0.2  # the key fades after the end of the clip
    assert shift[0, one, 2] - motion.offset[one, 2] == pytest.approx(
        document.timeline(first).at(1.0)[2], abs=1e-5
    )
    assert shift[0, other, 2] - motion.offset[other, 2] == pytest.approx(ahead[2], abs=1e-5)
    # BVH files of both last equally long, so that they can be certified together
    files, name = export(document, [first, second], "bvh")
    assert name.endswith(".zip")
    assert certificate_of_all(document, [first, second], files, "bvh").certified
