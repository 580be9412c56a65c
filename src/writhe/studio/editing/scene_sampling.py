"""Samples the whole scene over time: actor timelines and object keys as configurations."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.scene import ObjectKind, Scene
from writhe.studio.document import Document
from writhe.studio.editing import placements, scene_objects
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene_builder import actor_label


def sample_scene(editor: Editor, times_s: Floats) -> Floats:
    """Configurations (times, nq) of the editor's scene."""
    return sample_document(editor.document, editor.scene, times_s)


def sample_document(document: Document, scene: Scene, times_s: Floats) -> Floats:
    """Configurations (times, nq) of a document's scene."""
    layout = scene.layout
    q = np.tile(layout.rest(), (len(times_s), 1))
    for actor in document.actors():
        if actor_label(actor.id) in layout.actor_q:
            timeline = document.timeline(actor.id)
            poses = actor.configuration if timeline.empty else timeline.sample(times_s)
            q[:, layout.actor_q[actor_label(actor.id)]] = poses
    moved = {item.name for item in scene.objects if item.kind is ObjectKind.MOVED}
    for item in document.objects():
        name = scene_objects.object_label(item)
        if name in moved and placements.moves(document, item):
            q[:, layout.object_q[name]] = placements.placements(document, item, times_s)
    return q
