"""Export of motion files, and their certificates.

BVH and glTF files hold any number of characters; VRM, USD and FBX files hold one.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np

from writhe.arrays import Floats
from writhe.collision import Verdict
from writhe.errors import WritheError
from writhe.io import save
from writhe.io.characters import save_characters
from writhe.io.files import can_write
from writhe.io.gltf.write import Prop
from writhe.scene import certify_file
from writhe.skeleton import Figure, Motion
from writhe.studio.document import Document, TrackKind
from writhe.studio.document.timeline import MAX_FRAMES
from writhe.studio.editing.scene import placements, scene_objects
from writhe.studio.editing.scene.scene_builder import (
    SceneKey,
    actor_label,
    build_scene,
    sample_document,
)

_SEVERAL_CHARACTERS = ("bvh", "glb")
_ONE_CHARACTER = ("vrm", "usdz", "fbx")


def export_suffixes() -> list[str]:
    """The file types that this installation can write; .vrm only for avatars of VRM files."""
    return [s for s in (*_SEVERAL_CHARACTERS, *_ONE_CHARACTER) if can_write(f".{s}")]


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
    if suffix not in (*_SEVERAL_CHARACTERS, *_ONE_CHARACTER):
        raise WritheError(f"motions are exported as {', '.join(export_suffixes())}")
    if suffix in _ONE_CHARACTER and len(actors) > 1:
        raise WritheError(f"a .{suffix} file holds one character: export one at a time, or .glb")
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
        if len(several) == 1 and suffix != "glb":
            path = Path(folder) / f"motion.{suffix}"
            figure, motion = several[0]
            save(motion, path, figure=None if suffix == "bvh" else figure)
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
