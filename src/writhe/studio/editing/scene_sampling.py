"""The whole scene over time: every actor's timeline and every object's keys as configurations."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.scene import ObjectKind, Scene
from writhe.studio.document import Document
from writhe.studio.editing import scene_objects
from writhe.studio.editing.editor import Stage
from writhe.studio.editing.scene_builder import label


def sample_scene(stage: Stage, times_s: Floats) -> Floats:
    """(times, nq) configurations of the whole scene."""
    return sample_document(stage.document, stage.scene, times_s)


def sample_document(document: Document, scene: Scene, times_s: Floats) -> Floats:
    """(times, nq) configurations of a document's scene."""
    layout = scene.layout
    q = np.tile(layout.rest(), (len(times_s), 1))
    for actor in document.actors():
        if label(actor.id) in layout.actor_q:
            timeline = document.timeline(actor.id)
            poses = actor.configuration if timeline.empty else timeline.sample(times_s)
            q[:, layout.actor_q[label(actor.id)]] = poses
    moved = {thing.name for thing in scene.objects if thing.kind is ObjectKind.MOVED}
    for thing in document.objects():
        motion = scene_objects.key_motion(document, thing.id)
        if motion is not None and scene_objects.label(thing) in moved:
            q[:, layout.object_q[scene_objects.label(thing)]] = motion.at(times_s)
    return q
