"""A glTF document under construction: new, or an existing one to which data is appended."""

from __future__ import annotations

from typing import Any

import numpy as np

from writhe import __version__
from writhe.arrays import Floats, Ints

FLOAT, UNSIGNED, SHORT = 5126, 5125, 5123
VERTICES, INDICES = 34962, 34963
_DTYPES = {FLOAT: "<f4", UNSIGNED: "<u4", SHORT: "<u2"}


class GltfBuilder:
    """The JSON document and the content of the buffer to which new data is appended."""

    def __init__(
        self, document: dict[str, Any] | None = None, binary: bytes = b"", buffer: int = 0
    ) -> None:
        self.json: dict[str, Any] = document or {
            "asset": {"version": "2.0", "generator": f"writhe {__version__}"},
            "scene": 0,
            "scenes": [{"nodes": []}],
        }
        self.binary = bytearray(binary)
        self.buffer = buffer

    def entries(self, key: str) -> list[Any]:
        """A top-level list of the document, created if it is absent."""
        return self.json.setdefault(key, [])

    def scene_nodes(self) -> list[int]:
        """The root nodes of the default scene."""
        scenes = self.json.setdefault("scenes", [{}])
        return scenes[self.json.setdefault("scene", 0)].setdefault("nodes", [])

    def add(self, key: str, entry: dict[str, Any]) -> int:
        """Append to a top-level list; returns the number of the entry."""
        entries = self.entries(key)
        entries.append(entry)
        return len(entries) - 1

    def view(self, data: bytes, target: int = 0) -> int:
        """Append bytes to the buffer; returns the number of their view."""
        self.binary += b"\0" * (-len(self.binary) % 4)
        view = {"buffer": self.buffer, "byteOffset": len(self.binary), "byteLength": len(data)}
        if target:
            view["target"] = target
        self.binary += data
        return self.add("bufferViews", view)

    def accessor(
        self, values: np.ndarray, component: int, kind: str, target: int = 0, bounds: bool = False
    ) -> int:
        """Append an array; returns the number of its accessor."""
        data = np.ascontiguousarray(values, dtype=_DTYPES[component])
        accessor: dict[str, Any] = {
            "bufferView": self.view(data.tobytes(), target),
            "componentType": component,
            "count": len(data),
            "type": kind,
        }
        if bounds:
            flat = data.reshape(len(data), -1)
            accessor["min"] = [float(x) for x in flat.min(axis=0)]
            accessor["max"] = [float(x) for x in flat.max(axis=0)]
        return self.add("accessors", accessor)

    def mesh(
        self,
        name: str,
        vertices: Floats,
        triangles: Ints,
        colour: tuple[str, list[float]],
        attributes: dict[str, int] | None = None,
    ) -> int:
        """Add a mesh with normals in a plain colour (material name, RGBA); returns its number."""
        primitive: dict[str, Any] = {
            "attributes": {
                "POSITION": self.accessor(vertices, FLOAT, "VEC3", VERTICES, bounds=True),
                "NORMAL": self.accessor(_normals(vertices, triangles), FLOAT, "VEC3", VERTICES),
                **(attributes or {}),
            },
            "indices": self.accessor(triangles.reshape(-1), UNSIGNED, "SCALAR", INDICES),
            "material": self._material(*colour),
        }
        return self.add("meshes", {"name": name, "primitives": [primitive]})

    def _material(self, name: str, colour: list[float]) -> int:
        """The number of the plain material of this name, added on first use."""
        surface = {"baseColorFactor": colour, "metallicFactor": 0.0, "roughnessFactor": 0.7}
        wanted = {"name": name, "pbrMetallicRoughness": surface}
        known = self.entries("materials")
        return known.index(wanted) if wanted in known else self.add("materials", wanted)

    def release(self, accessors: set[int]) -> None:
        """Remove the last accessors of the document, if listed here and unused, with their data.

        So a file that is saved repeatedly does not grow: what was appended last is replaced.
        """
        unused = accessors - self._used_accessors()
        known, views = self.entries("accessors"), self.entries("bufferViews")
        while known and len(known) - 1 in unused:
            number = known[-1].get("bufferView")
            if number != len(views) - 1 or "sparse" in known[-1]:
                return
            view = views[-1]
            start = view.get("byteOffset", 0)
            at_end = start + view["byteLength"] + 3 >= len(self.binary)
            shared = any(entry.get("bufferView") == number for entry in known[:-1])
            if view.get("buffer") != self.buffer or not at_end or shared or "extensions" in view:
                return
            del known[-1], views[-1], self.binary[start:]

    def _used_accessors(self) -> set[int]:
        """The accessors that animations, meshes, skins and instances refer to."""
        used: set[int] = set()
        for animation in self.json.get("animations", []):
            for sampler in animation.get("samplers", []):
                used |= {sampler.get("input"), sampler.get("output")}
        for mesh in self.json.get("meshes", []):
            for primitive in mesh.get("primitives", []):
                used.add(primitive.get("indices"))
                used |= set(primitive.get("attributes", {}).values())
                for target in primitive.get("targets", []):
                    used |= set(target.values())
        used |= {skin.get("inverseBindMatrices") for skin in self.json.get("skins", [])}
        for node in self.json.get("nodes", []):
            instances = node.get("extensions", {}).get("EXT_mesh_gpu_instancing", {})
            used |= set(instances.get("attributes", {}).values())
        return used

    def finish(self) -> tuple[dict[str, Any], bytes]:
        """The complete document and the content of the buffer, whose length it states."""
        if self.binary:
            buffers = self.entries("buffers")
            while len(buffers) <= self.buffer:
                buffers.append({})
            self.binary += b"\0" * (-len(self.binary) % 4)
            buffers[self.buffer]["byteLength"] = len(self.binary)
        return self.json, bytes(self.binary)


def _normals(vertices: Floats, triangles: Ints) -> Floats:
    """Unit vertex normals, area-weighted means of the adjacent triangles."""
    corner = vertices[triangles]
    facing = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    normals = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(normals, triangles[:, k], facing)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.where(length > 1e-20, normals / np.maximum(length, 1e-20), [0.0, 1.0, 0.0])
