"""Reads triangle meshes of objects: Wavefront OBJ and glTF."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.errors import FileFormatError, WritheError
from writhe.io.gltf.container import Glb
from writhe.io.gltf.geometry import mesh_geometries
from writhe.io.gltf.nodes import world_matrices
from writhe.io.weld import weld

MAX_BYTES = 64 << 20
MAX_VERTICES = 500_000
_WELD = 1e-5  # relative to the mesh's size: nearer vertices are merged
MESH_SUFFIXES = (".obj", ".glb", ".gltf")


def load_mesh(path: str | Path) -> tuple[Floats, Ints]:
    """Vertices (v, 3) and triangles (t, 3) of a mesh file, in its own units, vertices welded."""
    file = Path(path)
    if not file.is_file():
        raise FileFormatError(file, "there is no such file")
    if file.stat().st_size > MAX_BYTES:
        raise FileFormatError(file, f"a mesh file may have at most {MAX_BYTES >> 20} MiB")
    suffix = file.suffix.lower()
    if suffix == ".obj":
        vertices, triangles = _obj(file)
    elif suffix in (".glb", ".gltf"):
        vertices, triangles = _glb(file)
    else:
        raise WritheError(f"{file}: meshes are read from {', '.join(MESH_SUFFIXES)} files")
    if len(triangles) == 0:
        raise FileFormatError(file, "contains no triangles")
    if not np.isfinite(vertices).all() or len(vertices) > MAX_VERTICES:
        raise FileFormatError(file, f"a mesh may have at most {MAX_VERTICES} vertices, all finite")
    size = float(np.ptp(vertices, axis=0).max())
    first, triangles = weld(vertices, triangles, max(_WELD * size, 1e-12))
    return np.ascontiguousarray(vertices[first]), triangles


def _obj(file: Path) -> tuple[Floats, Ints]:
    points: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    with file.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            words = line.split()
            if not words or words[0] not in ("v", "f"):
                continue
            try:
                if words[0] == "v":
                    x, y, z = (float(w) for w in words[1:4])
                    points.append([x, y, z])
                    continue
                corners = [int(word.split("/")[0]) for word in words[1:]]
            except ValueError:
                raise FileFormatError(file, f"not a number in {line[:60]!r}", line=number) from None
            numbers = [c - 1 if c > 0 else len(points) + c for c in corners]
            if len(numbers) < 3 or not all(0 <= n < len(points) for n in numbers):
                raise FileFormatError(
                    file, "a face refers to a vertex that does not exist", line=number
                )
            for b, c in pairwise(numbers[1:]):
                triangles.append((numbers[0], b, c))
    return (
        np.array(points, dtype=np.float64).reshape(-1, 3),
        np.array(triangles, dtype=np.int64).reshape(-1, 3),
    )


def _glb(file: Path) -> tuple[Floats, Ints]:
    glb = Glb(file)
    world = world_matrices(glb)
    vertices: list[Floats] = []
    triangles: list[Ints] = []
    count = 0
    for node in range(len(glb.items("nodes"))):
        record = glb.item("nodes", node)
        if "mesh" not in record:
            continue
        for part in mesh_geometries(glb, record):
            vertices.append(part.vertices @ world[node][:3, :3].T + world[node][:3, 3])
            triangles.append(part.triangles + count)
            count += len(part.vertices)
    if not vertices:
        glb.fail("contains no mesh")
    return np.concatenate(vertices), np.concatenate(triangles)
