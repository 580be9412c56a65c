"""`load` and `save` motions and figures; the suffix selects the format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from writhe.arguments import checked
from writhe.errors import FileFormatError, WritheError
from writhe.files import write_file
from writhe.skeleton import Figure, Motion

if TYPE_CHECKING:
    from writhe.io.gltf.write import Prop

READABLE = (".bvh", ".glb", ".npz")
WRITABLE = (".bvh", ".glb")


@checked
def load(
    path: str | Path,
    *,
    metres_per_unit: float | None = None,
    repair: bool = True,
    model: str | Path | None = None,
) -> Motion:
    """Read a motion from .bvh, .glb (glTF 2.0 binary) or .npz (AMASS), in metres and Y up.

    metres_per_unit: the unit of a BVH file, which the file does not state; by default it is
        recognised or guessed, and `source["unit_from"]` says how.
    repair: restore the bones that a known conversion lost; `source["repairs"]` lists them.
    model: an SMPL model file (.npz) that gives the rest skeleton of an AMASS file.
    """
    file = Path(path)
    suffix = file.suffix.lower()
    if metres_per_unit is not None and suffix in (".glb", ".npz"):
        raise WritheError(f"{file}: {suffix} files are in metres; metres_per_unit is for BVH files")
    if model is not None and suffix in (".bvh", ".glb"):
        raise WritheError(f"{file}: a model file gives the rest pose of AMASS files (.npz) only")
    match suffix:
        case ".bvh":
            from writhe.io.bvh.read import load_bvh

            return load_bvh(file, metres_per_unit=metres_per_unit, repair=repair)
        case ".glb":
            from writhe.io.gltf.read import load_glb

            return load_glb(file)
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
) -> None:
    """Write a motion to .bvh or .glb; an existing file is replaced only if writing succeeds.

    figure: for .glb, the figure whose skin is written too; its skeleton must be the motion's.
    props: for .glb, objects of the environment, which `load` ignores.
    metres_per_unit: for .bvh; by default that of the source file, else 1.
    undo_repairs: for .bvh, write repaired bones as the file had them.
    """
    file = Path(path)
    match file.suffix.lower():
        case ".bvh":
            from writhe.io.bvh.write import save_bvh

            write_file(
                file,
                lambda temporary: save_bvh(
                    motion, temporary, metres_per_unit=metres_per_unit, undo_repairs=undo_repairs
                ),
            )
        case ".glb":
            from writhe.io.gltf.write import save_glb

            write_file(
                file,
                lambda temporary: save_glb(
                    temporary, motion.skeleton, motion=motion, figure=figure, props=props
                ),
            )
        case other:
            raise WritheError(
                f"cannot write motions to {other!r} files; supported: " + ", ".join(WRITABLE)
            )


@checked
def load_figure(
    path: str | Path, *, shapes: str | Path | Mapping[str, Any] | None = None
) -> Figure:
    """Read a character from a .glb file: skeleton, skin if there is one, roles and strands.

    A .bvh or .npz file gives the skeleton with its roles and strands. Collision capsules are fitted
    to the skin, or to the bones if there is none; joints get masses and, if it is a person, the
    limits of the built-in human.

    shapes: corrections of the fitted capsules (see `io.shape_overrides`) or a JSON file of them.
    """
    from writhe.io.shape_overrides import read_overrides, with_overrides

    figure = _load_figure(Path(path))
    if shapes is None:
        return figure
    return with_overrides(
        figure, read_overrides(shapes) if isinstance(shapes, str | Path) else shapes
    )


def _load_figure(file: Path) -> Figure:
    from writhe.io.figure_from_skeleton import figure_of

    if file.suffix.lower() != ".glb":
        return figure_of(load(file), name=file.stem, partial=True, anatomy=True)
    from writhe.io.gltf.read import load_glb_figure

    skeleton, skin = load_glb_figure(file)
    return figure_of(skeleton, name=file.stem, skin=skin, partial=True, anatomy=True)


@checked
def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure's skeleton and skin in the rest pose to a .glb file."""
    file = Path(path)
    if file.suffix.lower() != ".glb":
        raise WritheError(f"figures are written to .glb files, not {file.suffix!r}")
    from writhe.io.gltf.write import save_glb

    write_file(file, lambda temporary: save_glb(temporary, figure.skeleton, figure=figure))
