"""Entry point of the studio's exports: one or two characters among objects, as BVH or glTF."""

from __future__ import annotations

import io
import tempfile
import zipfile
from pathlib import Path

import numpy as np

from writhe.arrays import Floats
from writhe.research.evaluation.export_mechanism import export_mechanism, export_motion
from writhe.research.evaluation.independent.rotations import of_vector, product
from writhe.research.evaluation.independent.stored_files import StoredFile, read_bvh, read_gltf
from writhe.research.fuzzing.case import Case
from writhe.research.fuzzing.entry_points.figures import figure_table
from writhe.research.fuzzing.entry_points.scenes import random_poses
from writhe.research.fuzzing.entry_points.steps import clear_posture
from writhe.research.fuzzing.entry_points.stored_bodies import StoredScene, near_contact
from writhe.skeleton import Motion
from writhe.skeleton.figures import figure
from writhe.studio.document import Document, TrackKind
from writhe.studio.document.row_types import pack
from writhe.studio.editing import edits
from writhe.studio.editing.scene import object_edits, scene_objects
from writhe.studio.editing.scene.scene_builder import SceneKey, actor_label, build_scene
from writhe.studio.files.exports import certificate_of_all, export


def studio_export(rng: np.random.Generator) -> Case:
    """A document with keys, clips and moving objects, exported in a random format."""
    suffix, count = str(rng.choice(["bvh", "glb"])), int(rng.integers(1, 3))
    with tempfile.TemporaryDirectory() as folder:
        document = Document.create(Path(folder) / "case.writhe")
        try:
            with document.edit("Rate") as edit:
                edit.setting("fps", float(rng.choice([10.0, 24.0, 30.0])))
            actors = [_actor(rng, document, number) for number in range(count)]
            _objects(rng, document)
            chosen = [int(n) for n in rng.permutation(actors)[: int(rng.integers(1, count + 1))]]
            data, name = export(document, chosen, suffix)
            claim = certificate_of_all(document, chosen, data, suffix)
            scene = _as_written(document, chosen, data, suffix)
            note = f"{name}, {len(chosen)} of {count} characters: {claim.verdict} {claim.note}"
            stored = (Path(folder) / "case.writhe").read_bytes()
            return Case("studio export", scene.mechanism, scene.motions(), claim.certified, None,
                        note, {name: data, "case.writhe": stored})  # fmt: skip
        finally:
            document.close()


def _actor(rng: np.random.Generator, document: Document, number: int) -> int:
    """A character beside the others, with nothing, keys, a clip, or both."""
    table, _ = figure_table("human")
    actor = document.add_actor()
    away = np.array([0.9 * number + rng.normal(0, 0.15), 0.0, rng.normal(0, 0.1)])
    yaw = of_vector(np.array([0.0, rng.uniform(-np.pi, np.pi), 0.0]))
    start = _placed(clear_posture(rng), away, yaw)
    if rng.random() < 0.5:
        frames = int(rng.integers(1, 8))
        q = near_contact(table, rng, frames, start)
        clip = Motion(table.skeleton, q, float(rng.choice([12.0, 24.0, 30.0])), "clip")
        with document.edit("Clip") as edit:
            edits.put_clip(document, edit, actor, clip, float(rng.choice([0.0, 0.13])))
    for time_s in np.sort(rng.uniform(0.0, 0.5, int(rng.integers(0, 3)))):
        document.set_key(actor, float(time_s), near_contact(table, rng, 2, start)[-1])
    return actor


def _placed(q: Floats, away: np.ndarray, turn: np.ndarray) -> Floats:
    """A pose of the human turned, moved over the ground, and put on it."""
    out = q.copy()
    table, mechanism = figure_table("human")
    part = table.skeleton.q_slice(table.skeleton.names[0])
    if np.abs(mechanism.rest[0] - [1.0, 0.0, 0.0, 0.0]).max() > 1e-9:
        raise AssertionError("the root of the human has a rest rotation")
    out[part.start : part.start + 3] = q[part.start : part.start + 3] + away
    out[part.stop - 4 : part.stop] = product(turn, q[part.stop - 4 : part.stop])
    shift, turns = export_motion(table.skeleton, out).at(np.zeros(1))
    at, turned = mechanism.place(shift, turns)
    lowest = min(
        float((at[0, s.joint] + s.points @ turned[0, s.joint].T)[:, 1].min()) - s.radius
        for s in mechanism.solids
    )
    out[part.start + 1] -= lowest - 0.01
    return out


def _objects(rng: np.random.Generator, document: Document) -> None:
    """Boxes and balls that stand or follow placement keys."""
    for _ in range(int(rng.integers(0, 3))):
        poses = random_poses(rng, int(rng.integers(1, 4)), 0.9)
        with document.edit("Object") as edit:
            kind = str(rng.choice(["box", "ball"]))
            number = object_edits.add_object(document, edit, kind, _triple(poses[0]))
        if len(poses) > 1:
            with document.edit("Placements") as edit:
                track = edits.track_for(
                    document, edit, TrackKind.PLACEMENT, "Place", object_id=number
                )
                for time_s, pose in zip(rng.uniform(0, 0.6, len(poses)), poses, strict=True):
                    edits.put_track_key(document, edit, track, float(time_s), pack(pose))


def _triple(pose: Floats) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in pose[:3])
    return x, y, z


def _as_written(document: Document, actors: list[int], data: bytes, suffix: str) -> StoredScene:
    """The scene in which the exported file moves its characters, and glTF the objects too."""
    layout = build_scene(document, SceneKey.of(document)).layout
    scene = StoredScene(export_mechanism(layout.table), document.fps)
    labels = {o.name: scene_objects.object_label(o) for o in document.objects()}
    if suffix == "glb":
        stored = read_gltf(data)
        roots = [c for c, above in enumerate(stored.parent) if above < 0]
        bodies = [c for c in roots if stored.names[c] == figure("human").skeleton.names[0]]
        for actor, root in zip(actors, bodies, strict=True):
            scene.add_file(stored, f"{actor_label(actor)}.", _below(stored, root))
        for column in roots:
            if stored.names[column] in labels:
                scene.add_object(stored, column, labels[stored.names[column]])
    else:
        for actor, stored in zip(actors, _bvh_files(data, len(actors)), strict=True):
            scene.add_file(stored, f"{actor_label(actor)}.")
        for item in document.objects():
            motion = scene_objects.key_motion(document, item.id)
            if motion is not None:
                poses = np.concatenate([motion.positions_m, motion.rotations], axis=1)
                scene.add_poses(labels[item.name], motion.times_s, poses)
    for row in document.actors():
        if row.id not in actors:
            times = np.arange(int(scene.length) + 1) / document.fps
            timeline = document.timeline(row.id)
            q = row.configuration[None] if timeline.empty else timeline.sample(times)
            scene.add_motion(f"{actor_label(row.id)}.", timeline.skeleton, q)
    return scene


def _below(stored: StoredFile, root: int) -> list[int]:
    """The nodes of a file from a root down."""
    inside = {root}
    for column, above in enumerate(stored.parent):
        if above in inside:
            inside.add(column)
    return sorted(inside)


def _bvh_files(data: bytes, count: int) -> list[StoredFile]:
    """The files of an export, in metres; several are in an archive."""
    if count == 1:
        return [read_bvh(data.decode())]
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [read_bvh(archive.read(name).decode()) for name in archive.namelist()]
