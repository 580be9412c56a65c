"""Styles (octrees learnt from clips) and forests (named styles that can be blended and saved)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.errors import FileFormatError, UnknownNameError, WritheError
from writhe.kernels.trajectory.octree_cells import OctreeCells
from writhe.skeleton import Figure
from writhe.solvers.trajectory.chain import Chain
from writhe.solvers.trajectory.octree import JointOctree, OctreeOptions, learn_octree

FORMAT = "writhe styles 1"


@dataclass(frozen=True)
class Style:
    """One octree for each effector of the chain, learnt from the same clips."""

    name: str
    octrees: tuple[JointOctree, ...]
    clips: tuple[str, ...] = ()


def learn_style(
    chain: Chain,
    name: str,
    takes: Sequence[tuple[Floats, float]],
    options: OctreeOptions | None = None,
    clips: Sequence[str] = (),
) -> Style:
    """Learn a style from takes: configurations (F, nq) of the chain's figure, and frame rates."""
    coordinates = [(chain.coordinates(q), fps) for q, fps in takes]
    octrees = tuple(
        learn_octree(chain, coordinates, e, options) for e in range(len(chain.effectors))
    )
    return Style(name, octrees, tuple(clips))


class Forest:
    """Styles of one chain, by name."""

    def __init__(self, chain: Chain, styles: Sequence[Style]) -> None:
        if not styles:
            raise WritheError("a forest needs at least one style")
        self.chain = chain
        self.styles = {style.name: style for style in styles}
        if len(self.styles) != len(styles):
            raise WritheError("the styles of a forest must have different names")
        for style in styles:
            if len(style.octrees) != len(chain.effectors):
                raise WritheError(
                    f"the style {style.name!r} has {len(style.octrees)} octrees; the chain "
                    f"{chain.name!r} has {len(chain.effectors)} effectors"
                )

    def style(self, name: str) -> Style:
        """The style called `name`."""
        if name not in self.styles:
            raise UnknownNameError("style", name, list(self.styles))
        return self.styles[name]

    def blend(self, shares: Mapping[str, float] | str | None = None) -> OctreeCells:
        """Cell tables of the styles blended by `shares` (one name, or by default all equally)."""
        if shares is None:
            shares = dict.fromkeys(self.styles, 1.0)
        if isinstance(shares, str):
            shares = {shares: 1.0}
        chosen = {name: share for name, share in shares.items() if share != 0.0}
        if not chosen or min(chosen.values()) < 0.0:
            raise WritheError("a blend needs positive shares of at least one style")
        total = sum(chosen.values())
        return _cells(self.chain, [(self.style(n), s / total) for n, s in chosen.items()])

    def save(self, path: str | Path) -> None:
        """Write the forest to a .npz file."""
        header = {
            "format": FORMAT,
            "figure": self.chain.figure.name,
            "chain": self.chain.name,
            "root": self.chain.root,
            "effectors": self.chain.effectors,
            "coordinates": self.chain.coordinate_names,
            "styles": [{"name": s.name, "clips": s.clips} for s in self.styles.values()],
        }
        arrays: dict[str, Any] = {
            "header": np.array(json.dumps(header)),
            "reference": self.chain.reference,
        }
        for number, style in enumerate(self.styles.values()):
            for e, octree in enumerate(style.octrees):
                for field in fields(octree):
                    arrays[f"{number}.{e}.{field.name}"] = getattr(octree, field.name)
        at = Path(path)
        part = at.with_name(f".{at.name}.part.npz")
        try:
            np.savez_compressed(part, **arrays)
            part.replace(at)
        except OSError as error:
            raise WritheError(f"cannot write {at}: {error.strerror or error}") from None
        finally:
            part.unlink(missing_ok=True)

    @staticmethod
    def load(path: str | Path, figure: Figure) -> Forest:
        """Read a forest that was learnt on this figure."""
        try:
            with np.load(path, allow_pickle=False) as stored:
                header = json.loads(str(stored["header"]))
                if header.get("format") != FORMAT:
                    raise KeyError("format")
                chain = Chain(figure, header["root"], header["effectors"], header["chain"])
                if chain.coordinate_names != tuple(header["coordinates"]) or not np.allclose(
                    stored["reference"], chain.reference, atol=1e-9
                ):
                    raise FileFormatError(
                        path,
                        f"learnt on {header['figure']!r}, whose joints or limits are not those of "
                        f"{figure.name!r}",
                        remedy="learn again with `writhe learn`",
                    )
                styles = [
                    Style(
                        about["name"],
                        tuple(
                            _stored_octree(stored, f"{number}.{e}.")
                            for e in range(len(chain.effectors))
                        ),
                        tuple(about["clips"]),
                    )
                    for number, about in enumerate(header["styles"])
                ]
        except OSError as error:
            raise WritheError(f"cannot read {path}: {error.strerror or error}") from None
        except (KeyError, ValueError, UnknownNameError):
            raise FileFormatError(
                path, "not a style file", remedy="make one with `writhe learn DIR -o FILE`"
            ) from None
        return Forest(chain, styles)


def _stored_octree(stored: Mapping[str, Any], prefix: str) -> JointOctree:
    return JointOctree(**{f.name: stored[prefix + f.name] for f in fields(JointOctree)})


def _cells(chain: Chain, styles: Sequence[tuple[Style, float]]) -> OctreeCells:
    """The octrees concatenated into common tables, with their weights.

    Styles are weighted by their shares. Within a style, the effectors that depend on a coordinate
    are weighted by the inverse square of its mean range in the finest cells of their octree.
    """
    octrees = [(o, e, share) for style, share in styles for e, o in enumerate(style.octrees)]
    first = np.cumsum([0] + [len(o) for o, _, _ in octrees])
    edge = max(o.grid.shape[0] for o, _, _ in octrees)
    moved = np.repeat(chain.tree.carries, np.diff(chain.start), axis=1).astype(np.float64)
    weight = np.zeros((len(octrees), len(chain)))
    for v, (octree, e, _) in enumerate(octrees):
        deepest = np.unique(octree.grid)
        width = (octree.upper - octree.lower)[deepest].mean(axis=0)
        weight[v] = moved[e] / (width + 0.05) ** 2
    count = len(chain.effectors)
    for s, (_, share) in enumerate(styles):
        rows = slice(s * count, (s + 1) * count)
        weight[rows] *= share / weight[rows].sum(axis=0)

    def stack(name: str) -> Floats:
        return np.ascontiguousarray(np.concatenate([getattr(o, name) for o, _, _ in octrees]))

    parents = [
        np.where(o.parent < 0, -1, o.parent + f)
        for (o, _, _), f in zip(octrees, first, strict=False)
    ]
    grids = [
        np.repeat(np.repeat(np.repeat(o.grid, r, 0), r, 1), r, 2) + f
        for (o, _, _), f in zip(octrees, first, strict=False)
        for r in (edge // o.grid.shape[0],)
    ]
    return OctreeCells(
        parent=np.concatenate(parents).astype(np.int64),
        lower=stack("lower"),
        upper=stack("upper"),
        inverse_damping=1.0 / stack("damping_m2"),
        mean=stack("mean"),
        slope=stack("slope"),
        centre=stack("centre_m"),
        grid=np.ascontiguousarray(np.stack(grids)).astype(np.int64),
        root=first[:-1].astype(np.int64),
        corner=np.stack([o.corner_m for o, _, _ in octrees]),
        size=np.stack([o.size_m for o, _, _ in octrees]),
        effector=np.array([e for _, e, _ in octrees], dtype=np.int64),
        weight=weight,
    )
