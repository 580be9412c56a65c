"""The other files that a motion file consists of, such as the buffers of a .gltf file."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from writhe.errors import WritheError
from writhe.io.files import GLTF, USD, file_format
from writhe.io.stored_body import SIDECAR


def attached_files(path: Path) -> list[Path]:
    """Existing files that are read together with `path`, sorted: buffers, layers, a stored body.

    A file that cannot be read has none.
    """
    suffix = file_format(path)
    found: list[Path] = []
    if suffix in GLTF:
        from writhe.io.gltf.buffers import read_source, relative_name

        try:
            found = [path.parent / relative_name(uri) for uri in read_source(path).attached]
        except WritheError:
            return []
    elif suffix in USD and importlib.util.find_spec("pxr") is not None:
        found = _layers(path)
    elif suffix == ".fbx":
        found = [path.with_name(path.name + SIDECAR)]
    return sorted(each for each in found if each.is_file() and each.resolve() != path.resolve())


def _layers(path: Path) -> list[Path]:
    """The layers and images that a USD file refers to."""
    from writhe.io.usd import usd_modules

    Sdf, Tf, UsdUtils = usd_modules("Sdf", "Tf", "UsdUtils")
    try:
        layers, assets, _ = UsdUtils.ComputeAllDependencies(Sdf.AssetPath(str(path)))
    except Tf.ErrorException:
        return []
    return [Path(str(name)) for name in (*(layer.realPath for layer in layers), *assets)]
