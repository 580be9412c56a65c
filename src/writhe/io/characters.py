"""Several characters with their motions in one file, or in a set of files."""

from __future__ import annotations

import re
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from writhe.arguments import checked
from writhe.errors import WritheError
from writhe.files import write_file
from writhe.io.file_size_limits import unique_names
from writhe.io.files import GLTF, save
from writhe.io.gltf.write import Prop, Written, WrittenCharacter, write_gltf
from writhe.skeleton import Figure, Motion

ARCHIVE = ".zip"


@checked
def save_characters(
    characters: Sequence[tuple[Figure, Motion]],
    path: str | Path,
    *,
    props: Sequence[Prop] = (),
    name: str = "",
) -> Written:
    """Write characters to a glTF file, in one animation, or to a .zip file with a BVH file each.

    Characters that came from glTF files keep their meshes, materials, images and animations.
    Extensions of a whole file (VRM) are kept of the first character only; the result says so.

    props: for glTF, objects of the environment.
    name: of the animation; by default that of the first motion.
    """
    file = Path(path)
    suffix = file.suffix.lower()
    if not characters:
        raise WritheError("there is no character to write")
    if suffix == ARCHIVE:
        write_file(file, lambda part: _write_archive(part, characters))
        return Written()
    if suffix not in GLTF:
        known = ", ".join((*GLTF, ARCHIVE))
        raise WritheError(f"several characters are written to {known} files, not {suffix!r}")
    several = [WrittenCharacter(motion.skeleton, motion, figure) for figure, motion in characters]
    report = Written()

    def write(part: Path) -> None:
        found = write_gltf(part, several, props=props, suffix=suffix, name=name)
        report.animation, report.notes = found.animation, found.notes

    write_file(file, write)
    return report


def _write_archive(part: Path, characters: Sequence[tuple[Figure, Motion]]) -> None:
    titles = [re.sub(r"[^\w .-]+", "", figure.name).strip(" .") for figure, _ in characters]
    names = unique_names([title or "character" for title in titles])
    with (
        tempfile.TemporaryDirectory(prefix="writhe-") as folder,
        zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name, (_, motion) in zip(names, characters, strict=True):
            single = Path(folder) / f"{name}.bvh"
            save(motion, single)
            archive.write(single, single.name)
