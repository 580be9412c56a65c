"""`load` and `save` motions and figures; the suffix selects the format.

To add a format, add a reader to `load` (and to `_load_figure`, if it has meshes) or a writer to
`save`, its suffix to `READABLE` or `WRITABLE`, its first bytes to `_MAGIC_BYTES`, and a section to
`docs/files.md`. The studio imports every format in `READABLE`. For a format with meshes also
extend `CHARACTERS` and `studio/files/character_import.inspect`; for export,
`studio/files/exports.py`; for certificates, `scene/file_certificate.py`.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from writhe.arguments import checked
from writhe.errors import FileFormatError, WritheError
from writhe.files import write_file
from writhe.skeleton import Figure, Motion

if TYPE_CHECKING:
    from writhe.io.gltf.write import Prop

GLTF = (".glb", ".gltf", ".vrm", ".vrma")
USD = (".usd", ".usda", ".usdc", ".usdz")
CHARACTERS = (*GLTF, ".fbx", *USD)  # formats with meshes
READABLE = (".bvh", *GLTF, ".fbx", *USD, ".npz")
WRITABLE = (".bvh", *GLTF, ".fbx", *USD)
# the first bytes of a file, and the suffix of its format
_MAGIC_BYTES = (
    (b"HIERARCHY", ".bvh"),
    (b"glTF", ".glb"),
    (b"Kaydara FBX Binary", ".fbx"),
    (b"; FBX", ".fbx"),
    (b"PXR-USDC", ".usdc"),
    (b"#usda", ".usda"),
)


def file_format(path: Path) -> str:
    """The suffix of a file's format: by its first bytes if they are known, else its own suffix."""
    suffix = path.suffix.lower()
    try:
        with path.open("rb") as file:
            start = file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip()
    except OSError:
        return suffix
    for magic, found in _MAGIC_BYTES:
        if start.startswith(magic):
            same_family = next((group for group in (GLTF, USD) if found in group), (found,))
            return suffix if suffix in same_family else found
    return suffix


def can_write(suffix: str) -> bool:
    """Whether this installation can write such files: USD needs usd-core, FBX Blender."""
    if suffix in USD:
        return importlib.util.find_spec("pxr") is not None
    if suffix == ".fbx":
        from writhe.io.fbx.write import has_blender

        return has_blender()
    return suffix in WRITABLE


@checked
def load(
    path: str | Path,
    *,
    metres_per_unit: float | None = None,
    repair: bool = True,
    model: str | Path | None = None,
    animation: str | int | None = None,
    up: str | None = None,
) -> Motion:
    """Read a motion from .bvh, glTF, .fbx, USD or .npz (AMASS): metres, Y up.

    The format is recognised by the first bytes of the file, else by its suffix: .bvh, .glb, .gltf,
    .vrm, .vrma, .fbx, .usd, .usda, .usdc, .usdz, .npz.

    metres_per_unit: the unit of a BVH file, which the file does not state; by default it is
        recognised or guessed, and `source["unit_from"]` says how.
    repair: restore the bones that a known conversion lost; `source["repairs"]` lists them.
    model: an SMPL model file (.npz) that gives the rest skeleton of an AMASS file.
    animation: the name or number of an animation of a file that has several; by default the
        animation last written by writhe, else the first.
    up: "y" or "z", the axis that is up in a BVH file, which the file does not state; by default z
        if the skeleton stands along it, else y. A file read as z-up has `source["up"] == "z"`.
    """
    file = Path(path)
    suffix = file_format(file)
    if up is not None and suffix != ".bvh" and suffix in READABLE:
        raise WritheError(f"{file}: {suffix} files state their axes; up is for BVH files only")
    if metres_per_unit is not None and suffix != ".bvh" and suffix in READABLE:
        raise WritheError(
            f"{file}: {suffix} files state their unit; metres_per_unit is for BVH files"
        )
    if model is not None and suffix != ".npz" and suffix in READABLE:
        raise WritheError(f"{file}: model (a body model file) is for AMASS files (.npz) only")
    if animation is not None and suffix in (".bvh", ".npz", *USD):
        raise WritheError(f"{file}: {suffix} files have one motion, not animations with names")
    match suffix:
        case ".bvh":
            from writhe.io.bvh.read import load_bvh

            return load_bvh(file, metres_per_unit=metres_per_unit, repair=repair, up=up)
        case suffix if suffix in GLTF:
            from writhe.io.gltf.read import load_gltf

            return load_gltf(file, animation)
        case ".fbx":
            from writhe.io.fbx.read import load_fbx

            return load_fbx(file, animation)
        case suffix if suffix in USD:
            from writhe.io.usd.read import load_usd

            return load_usd(file)
        case ".npz":
            from writhe.io.amass import load_amass

            return load_amass(file, model=None if model is None else Path(model))
        case other:
            raise FileFormatError(
                file, f"cannot read motions from {other!r} files", remedy=", ".join(READABLE)
            )


@checked
def save(
    motion: Motion,
    path: str | Path,
    *,
    figure: Figure | None = None,
    props: Sequence[Prop] = (),
    metres_per_unit: float | None = None,
    undo_repairs: bool = False,
    rotation_orders: Mapping[str, str] | None = None,
) -> None:
    """Write a motion to .bvh, glTF, USD or .fbx.

    An existing file is replaced only if writing succeeds.

    A character that was read from a glTF file is written back as it was, with its meshes,
    materials, images and other animations; only the animation is replaced or added.

    figure: for glTF, USD and .fbx, the figure that is written too; its skeleton must be the
        motion's. By default the character of the file that the motion was read from.
    props: for glTF, objects of the environment, which `load` ignores.
    metres_per_unit: for .bvh; by default that of the source file, else 1.
    undo_repairs: for .bvh, write repaired bones as they were in the source file.
    rotation_orders: for .bvh, orders such as "ZXY" of the rotation channels by joint name; by
        default those of the source file, else "ZXY".
    """
    file = Path(path)
    match file.suffix.lower():
        case ".bvh":
            from writhe.io.bvh.write import save_bvh

            write_file(
                file,
                lambda temporary: save_bvh(
                    motion,
                    temporary,
                    metres_per_unit=metres_per_unit,
                    undo_repairs=undo_repairs,
                    rotation_orders=rotation_orders,
                ),
            )
        case suffix if suffix in GLTF:
            from writhe.io.gltf.write import WrittenCharacter, write_gltf

            one = WrittenCharacter(motion.skeleton, motion, figure)
            write_file(file, lambda part: write_gltf(part, [one], props=props, suffix=suffix))
        case ".fbx":
            from writhe.io.fbx.write import save_fbx, write_body

            write_file(file, lambda part: save_fbx(part, motion, figure=figure, props=props))
            write_body(file, figure)
        case suffix if suffix in USD:
            from writhe.io.usd.write import save_usd

            write_file(
                file,
                lambda part: save_usd(
                    part, motion.skeleton, motion=motion, figure=figure, suffix=suffix
                ),
            )
        case other:
            raise WritheError(
                f"cannot write motions to {other!r} files; supported: " + ", ".join(WRITABLE)
            )


@checked
def load_figure(
    path: str | Path,
    *,
    animation: str | int | None = None,
    shapes: str | Path | Mapping[str, object] | None = None,
) -> Figure:
    """Read a character: its skeleton with roles and strands, and what else its format has.

    - glTF and VRM: the skin, and the document itself, which `save` writes back with a motion in it;
    - FBX and USD: the skin;
    - BVH and .npz: nothing else.

    Collision capsules are fitted to the skin, or to the bones if there is none; joints get masses
    and, if it is a person, the limits of the built-in human.

    animation: the animation whose channels decide which joints can translate; see `load`.
    shapes: corrections of the fitted capsules (see `io.shape_overrides`) or a JSON file of them.
    """
    from writhe.io.shape_overrides import read_overrides, with_overrides

    figure = _load_figure(Path(path), animation)
    if shapes is None:
        return figure
    return with_overrides(
        figure, read_overrides(shapes) if isinstance(shapes, str | Path) else shapes
    )


def _load_figure(file: Path, animation: str | int | None) -> Figure:
    from writhe.io.figure_from_skeleton import figure_of
    from writhe.io.stored_body import read_sidecar, remembered_body

    suffix = file_format(file)
    if suffix == ".fbx" or suffix in USD:
        if suffix == ".fbx":
            from writhe.io.fbx.read import load_fbx_figure

            skeleton, skin, source = load_fbx_figure(file, animation)
            note = read_sidecar(file)
        else:
            from writhe.io.usd.read import load_usd_figure

            skeleton, skin, note, source = load_usd_figure(file)
        note = remembered_body(skeleton) or note
        found = figure_of(
            skeleton, name=file.stem, skin=skin, partial=True, anatomy=True, stored=note
        )
        return replace(found, source=source)
    if suffix not in GLTF:
        motion = load(file, animation=animation)
        note = remembered_body(motion.skeleton)
        return figure_of(motion, name=file.stem, partial=True, anatomy=True, stored=note)
    from writhe.io.gltf.read import load_gltf_figure
    from writhe.recognition import corrected

    skeleton, skin, roles, note, source = load_gltf_figure(file, animation)
    found = figure_of(
        skeleton,
        name=file.stem,
        skin=skin,
        roles=corrected(skeleton, roles),
        partial=True,
        anatomy=True,
        stored=remembered_body(skeleton) or note,
    )
    return replace(found, source=source)


@checked
def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure in its rest pose to glTF or USD; one read from glTF is written as it was."""
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix in USD:
        from writhe.io.usd.write import save_usd

        write_file(file, lambda part: save_usd(part, figure.skeleton, figure=figure, suffix=suffix))
        return
    if suffix not in GLTF:
        known = ", ".join((*GLTF, *USD))
        raise WritheError(f"figures are written to {known} files, not {suffix!r}")
    from writhe.io.gltf.write import WrittenCharacter, write_gltf

    one = WrittenCharacter(figure.skeleton, None, figure)
    write_file(file, lambda part: write_gltf(part, [one], suffix=suffix))
