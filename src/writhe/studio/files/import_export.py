"""Import and export of files: clips, skeletons, scenes, databases, exported motion.

Only the suffix and a title are taken from an uploaded file name; files are read and written in a
temporary folder under fixed names.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from writhe.animation.clip_operations import layer
from writhe.arrays import Floats
from writhe.collision import Verdict
from writhe.errors import FileFormatError, WritheError
from writhe.io import load, save
from writhe.io.characters import save_characters
from writhe.io.files import READABLE
from writhe.io.gltf.write import Prop
from writhe.retargeting.motion_on_figure import on_figure
from writhe.retargeting.soles import standing_height
from writhe.scene import certify_file
from writhe.skeleton import Figure, Motion
from writhe.skeleton.configurations import same_frames
from writhe.studio.document import Document, TrackKind
from writhe.studio.document.solver_settings import FROM_FILE, SolverSettings
from writhe.studio.document.timeline import MAX_FRAMES
from writhe.studio.editing import edits
from writhe.studio.editing.scene import placements, scene_objects
from writhe.studio.editing.scene.scene_builder import (
    SceneKey,
    actor_label,
    build_scene,
    sample_document,
)
from writhe.studio.editing.starting_poses import starting_pose
from writhe.studio.files.character_import import import_character, inspect
from writhe.studio.files.scene_files import import_object, import_scene
from writhe.studio.files.shared_files import SharedFiles, is_style_file

SCENE = ".json"
DATABASE = ".parquet"
OBJECT = ".obj"
OPENED = (*READABLE, SCENE, DATABASE, OBJECT)
_UPPER_BODY = ("spine", "chest")  # roles; a layer moves the first that a body has, with all above


def import_suffixes() -> list[str]:
    """The file types that can be dropped onto the page."""
    return [suffix.lstrip(".") for suffix in OPENED]


def export_suffixes() -> list[str]:
    """The file types that a motion can be saved as."""
    return ["bvh", "glb"]


def _plain_name(name: str) -> str:
    return re.sub(r"[^\w .-]+", "", name).strip(" .")[:60] or "motion"


class ExportCertificate(msgspec.Struct, frozen=True):
    """The certificate of an exported file in the whole scene, as programs interpolate it.

    If the file could not be checked, the verdict is "undecided" and `note` says why.
    """

    certified: bool
    verdict: str
    frames: int
    interpolation: str
    pass_throughs: int
    penetration_m: float
    note: str = ""


def certificate_of_all(
    document: Document, actors: Sequence[int], data: bytes, suffix: str
) -> ExportCertificate:
    """The certificate of an exported file, or of the files of several actors.

    Several actors are certified as separate files, which store the same numbers: BVH files all at
    once, as programs interpolate the Euler angles of all of them; of glTF files, in which each is
    interpolated like the environment, the worst certificate counts.
    """
    if len(actors) == 1:
        return certificate_of(document, actors[0], data, suffix)
    until_s = _end_of(document, actors)
    files = {number: _exported(document, [number], suffix, until_s) for number in actors}
    if suffix == "bvh":
        return certificate_of(document, actors[0], files.pop(actors[0]), suffix, others=files)
    found = [certificate_of(document, number, each, suffix) for number, each in files.items()]
    return max(found, key=lambda one: (not one.certified, one.penetration_m))


def certificate_of(
    document: Document,
    actor: int,
    data: bytes,
    suffix: str,
    *,
    others: Mapping[int, bytes] | None = None,
) -> ExportCertificate:
    """Certify an exported file as it is stored, with those of other actors, by number."""
    scene, who = build_scene(document, SceneKey.of(document)), actor_label(actor)
    labels = {actor_label(number): each for number, each in (others or {}).items()}
    if any(name not in scene.layout.actor_q for name in (who, *labels)):
        return _unchecked("a character has no solid shapes")
    if len(document.motion(actor)) > MAX_FRAMES:
        return _unchecked(f"only files of up to {MAX_FRAMES} frames are checked")

    def environment(times_s: Floats) -> dict[str, Floats]:
        rows, layout = sample_document(document, scene, times_s), scene.layout
        return {n: rows[:, at] for n, at in (layout.actor_q | layout.object_q).items()}

    with tempfile.TemporaryDirectory(prefix="writhe-") as folder:
        paths = {name: Path(folder) / f"{name}.{suffix}" for name in (who, *labels)}
        for name, path in paths.items():
            path.write_bytes(data if name == who else labels[name])
        path = paths.pop(who)
        try:
            found = certify_file(
                path, scene=scene, actor=who, environment=environment, others=paths
            ).certificate
        except WritheError as error:
            return _unchecked(str(error).replace(str(path), "the file"))
    return ExportCertificate(
        found.certified,
        found.verdict.value,
        found.frames,
        found.interpolation,
        len(found.pass_throughs),
        found.penetration_upper_bound_m,
    )


def _unchecked(note: str) -> ExportCertificate:
    return ExportCertificate(False, Verdict.UNDECIDED.value, 0, "", 0, 0.0, note)


def export(document: Document, actors: Sequence[int], suffix: str) -> tuple[bytes, str]:
    """The motion of actors as the bytes of a file, and a name for the file.

    Several actors share one glTF file with the objects; as BVH they are a .zip with a file each.
    """
    if suffix not in export_suffixes():
        raise WritheError(f"motions are exported as {', '.join(export_suffixes())}")
    data = _exported(document, actors, suffix, _end_of(document, actors))
    kind = "zip" if suffix == "bvh" and len(actors) > 1 else suffix
    return data, f"{_title(document)}.{kind}"


def _title(document: Document) -> str:
    return re.sub(r"[^A-Za-z0-9 _-]+", "", document.name).strip() or "motion"


def _end_of(document: Document, actors: Sequence[int]) -> float:
    """The end of the longest motion of actors.

    All of them last so long in a file: players hold the last frame of a shorter one, which is not
    what the document does where keys over a clip fade out.
    """
    return max(document.timeline(number).end_s for number in actors)


def _exported(document: Document, actors: Sequence[int], suffix: str, until_s: float) -> bytes:
    """The motion of actors up to a time as the bytes of a file."""
    several = [_character(document, number, until_s) for number in actors]
    with tempfile.TemporaryDirectory(prefix="writhe-") as folder:
        if suffix == "bvh" and len(several) == 1:
            path = Path(folder) / "motion.bvh"
            save(several[0][1], path)
            return path.read_bytes()
        path = Path(folder) / ("motion.glb" if suffix == "glb" else "motion.zip")
        props = _props(document, several[0][1]) if suffix == "glb" else []
        name = _title(document) if len(several) > 1 else ""
        save_characters(several, path, props=props, name=name)
        return path.read_bytes()


def _character(document: Document, number: int, until_s: float) -> tuple[Figure, Motion]:
    """An actor's figure with its source file, named after the actor; its motion, after the clip.

    A clip that is an animation of the file replaces it there; any other motion is added to it.
    """
    row = document.actor(number)
    figure = replace(document.figure_with_file(row.figure), name=row.name)
    motion = document.motion(number, until_s=until_s)
    clip = document.track(number, TrackKind.CLIP)
    if clip is not None:
        motion = replace(motion, name=clip.name)
        if figure.source is not None:
            motion = replace(motion, source={"file": figure.source, "animation": clip.name})
    return figure, motion


def _props(document: Document, motion: Motion) -> list[Prop]:
    """The objects of the scene as meshes with one placement or one for each frame."""
    props: list[Prop] = []
    for item in document.objects():
        times_s = np.arange(len(motion)) / motion.fps
        still = not placements.moves(document, item)
        placed = placements.placements(document, item, times_s[:1] if still else times_s)
        props.append(Prop(item.name, *scene_objects.surface_of(item), placed))
    return props


def inspect_file(name: str, data: bytes) -> dict[str, Any]:
    """Whether a file holds a character, and its animations, before it is imported."""
    with tempfile.TemporaryDirectory(prefix="writhe-") as folder:
        path = Path(folder) / f"file{Path(name).suffix.lower()[:12]}"
        path.write_bytes(data)
        try:
            return inspect(path)
        except FileFormatError as error:
            raise FileFormatError(name, error.problem, remedy=error.remedy) from error


def import_file(
    document: Document,
    actor: int,
    name: str,
    data: bytes,
    *,
    form: str = "motion",
    animation: str | None = None,
    shared_files: SharedFiles | None = None,
) -> tuple[str, int]:
    """Import a file into the document; returns a message about the result, and the actor.

    form: "motion" puts the file's motion on the actor, "layer" over the upper body of its clip,
    "figure" replaces the actor's body, "actor" adds the character of the file, "object" an object
    beside the actor.
    animation: one of a file that has several, "-" for none.
    """
    suffix = Path(name).suffix.lower()
    if suffix not in OPENED:
        raise WritheError(
            f"{f'{suffix} files' if suffix else 'files without a suffix'} cannot be opened;"
            f" these can: {', '.join(OPENED)}"
        )
    title = _plain_name(Path(name).stem)
    try:
        if suffix == DATABASE:
            text = _import_database(document, shared_files or SharedFiles(), title, data)
            return text, actor
        if suffix == ".npz" and is_style_file(data):
            return _import_styles(shared_files or SharedFiles(), title, data), actor
    except FileFormatError as error:
        raise FileFormatError(name, error.problem, remedy=error.remedy) from error
    with tempfile.TemporaryDirectory(prefix="writhe-") as folder:
        path = Path(folder) / f"file{suffix}"
        path.write_bytes(data)
        try:
            if suffix == SCENE:
                return import_scene(document, path, title), actor
            if suffix == OBJECT or form == "object":
                return import_object(document, path, title, actor), actor
            if form in ("figure", "actor"):
                own = actor if form == "figure" else None
                return import_character(document, path, title, actor=own, animation=animation)
            motion = load(path, animation=animation)
            if form == "layer":
                return _import_layer(document, actor, motion, title), actor
            return _import_motion(document, actor, motion, title), actor
        except FileFormatError as error:
            raise FileFormatError(
                name, error.problem, line=error.line, remedy=error.remedy
            ) from error


def _import_database(document: Document, shared_files: SharedFiles, title: str, data: bytes) -> str:
    """Add a posture database to the shared files and select it in this document."""
    name = shared_files.postures.add(title, data)
    with document.edit("Open postures") as edit:
        settings = msgspec.structs.replace(SolverSettings.of(document), postures=FROM_FILE + name)
        edit.setting("solving", settings)
    return f"{name}: {len(shared_files.postures.get(name))} postures, chosen under Posing."


def _import_styles(shared_files: SharedFiles, title: str, data: bytes) -> str:
    """Add learnt styles to the shared files."""
    name = shared_files.styles.add(title, data)
    forest = shared_files.styles.get(name)
    count = len(forest.styles)
    limb = forest.chain.name.replace("_", " ")
    return f"{name}: {count} style{'' if count == 1 else 's'} for the {limb}, to choose under Path."


def _import_layer(document: Document, actor: int, motion: Motion, title: str) -> str:
    """Layer a motion over the upper body of the actor's clip, from its start."""
    clip, start_s = edits.clip_of(document, actor)
    figure = document.figure(document.actor(actor).figure)
    over = on_figure(motion, figure)
    roles = dict(figure.roles)
    upper = [roles[role] for role in _UPPER_BODY if role in roles]
    if not upper:
        raise WritheError("a layer needs a body whose upper part is recognised")
    with document.edit("Layer motion") as edit:
        layered = layer(clip, over, joints=upper[:1])
        edits.put_clip(document, edit, actor, layered, start_s)
    return f"{title}: layered over the upper body for {over.duration_s:.1f} s."


def _import_motion(document: Document, actor: int, motion: Motion, title: str) -> str:
    """Set a motion as the actor's clip, retargeted if its skeleton differs."""
    figure = document.figure(document.actor(actor).figure)
    if same_frames(motion.skeleton, figure.skeleton):  # bone lengths may differ
        clip = replace(motion, skeleton=figure.skeleton)
    else:
        clip = on_figure(motion, figure, floor_m=standing_height(figure, starting_pose(figure)))
    clip = replace(clip, name=title)
    with document.edit("Open motion") as edit:
        if all(document.timeline(other.id).empty for other in document.actors()):
            edit.setting("fps", float(min(120.0, max(1.0, motion.fps))))
            edit.setting("duration_s", max(0.5, clip.duration_s))
        edits.put_clip(document, edit, actor, clip, 0.0)
    return f"{title}: {len(clip)} frames at {clip.fps:.4g} per second."
