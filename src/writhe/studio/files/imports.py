"""Import of files: clips, characters, scenes, objects, databases, styles.

Only the suffix and a title are taken from an uploaded file name; files are read and written in a
temporary folder under fixed names.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from writhe.animation.clip_operations import layer
from writhe.errors import FileFormatError, WritheError
from writhe.io import load
from writhe.io.files import READABLE
from writhe.retargeting.motion_on_figure import on_figure
from writhe.retargeting.soles import standing_height
from writhe.skeleton import Motion
from writhe.skeleton.configurations import same_frames
from writhe.studio.document import Document
from writhe.studio.document.solver_settings import FROM_FILE, SolverSettings
from writhe.studio.editing import edits
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


def _plain_name(name: str) -> str:
    return re.sub(r"[^\w .-]+", "", name).strip(" .")[:60] or "motion"


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
