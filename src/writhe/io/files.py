"""One `load`, one `save`: the format is chosen by the suffix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from writhe.errors import FileFormatError, WritheError
from writhe.skeleton import Figure, Motion

if TYPE_CHECKING:
    from writhe.io.glb_write import Prop

READABLE = (".bvh", ".glb", ".npz")
WRITABLE = (".bvh", ".glb")


def load(
    path: str | Path,
    *,
    metres_per_unit: float | None = None,
    repair: bool = True,
    model: str | Path | None = None,
) -> Motion:
    """Read a motion from .bvh, .glb (glTF 2.0 binary) or .npz (AMASS), in metres and Y up.

    metres_per_unit: BVH files do not say how long their unit is; without it the unit is recognised
        or guessed, and `source["unit_from"]` says how.
    repair: put back the bones that a known conversion lost; `source["repairs"]` lists them.
    model: an SMPL model file (.npz) that gives the rest skeleton of an AMASS file.
    """
    at = Path(path)
    suffix = at.suffix.lower()
    if metres_per_unit is not None and suffix in (".glb", ".npz"):
        raise WritheError(f"{at}: {suffix} files are in metres; metres_per_unit is for BVH files")
    if model is not None and suffix in (".bvh", ".glb"):
        raise WritheError(f"{at}: a model file gives the rest pose of AMASS files (.npz) only")
    match suffix:
        case ".bvh":
            from writhe.io.bvh_read import load_bvh

            return load_bvh(at, metres_per_unit=metres_per_unit, repair=repair)
        case ".glb":
            from writhe.io.glb_read import load_glb

            return load_glb(at)
        case ".npz":
            from writhe.io.amass import load_amass

            return load_amass(at, model=None if model is None else Path(model))
        case other:
            raise FileFormatError(
                at, f"cannot read motions from {other!r} files", remedy=", ".join(READABLE)
            )


def save(
    motion: Motion,
    path: str | Path,
    *,
    figure: Figure | None = None,
    props: Sequence[Prop] = (),
    metres_per_unit: float | None = None,
    undo_repairs: bool = False,
) -> None:
    """Write a motion to .bvh or .glb; a file that is there already is replaced when all is well.

    figure: for .glb, the figure whose skin moves along; its skeleton must be the motion's.
    props: for .glb, what stands around; readers of motions leave it alone.
    metres_per_unit: for .bvh; by default that of the file it came from, otherwise 1.
    undo_repairs: for .bvh, write repaired bones as the file had them.
    """
    at = Path(path)
    match at.suffix.lower():
        case ".bvh":
            from writhe.io.bvh_write import save_bvh

            _replacing(
                at,
                lambda to: save_bvh(
                    motion, to, metres_per_unit=metres_per_unit, undo_repairs=undo_repairs
                ),
            )
        case ".glb":
            from writhe.io.glb_write import save_glb

            _replacing(
                at,
                lambda to: save_glb(to, motion.skeleton, motion=motion, figure=figure, props=props),
            )
        case other:
            raise WritheError(
                f"cannot write motions to {other!r} files; these can be written: "
                + ", ".join(WRITABLE)
            )


def load_figure(path: str | Path) -> Figure:
    """Read a character from a .glb file: skeleton, skin where there is one, roles and strands.

    From a .bvh or .npz file, the skeleton with its roles and strands.
    """
    from writhe.io.figure_from_skeleton import figure_of

    at = Path(path)
    if at.suffix.lower() != ".glb":
        return figure_of(load(at), name=at.stem, partial=True)
    from writhe.io.glb_read import load_glb_figure

    skeleton, skin = load_glb_figure(at)
    return figure_of(skeleton, name=at.stem, skin=skin, partial=True)


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure's skeleton and skin in the rest pose to a .glb file."""
    at = Path(path)
    if at.suffix.lower() != ".glb":
        raise WritheError(f"figures are written to .glb files, not {at.suffix!r}")
    from writhe.io.glb_write import save_glb

    _replacing(at, lambda to: save_glb(to, figure.skeleton, figure=figure))


def _replacing(path: Path, write: Callable[[Path], Any]) -> None:
    """Write beside `path`, then move into place: a failure leaves no half file."""
    part = path.with_name(f".{path.name}.part")
    try:
        try:
            write(part)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise WritheError(f"cannot write {path}: {error.strerror or error}") from None
