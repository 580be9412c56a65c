"""Writes glTF files whose meshes or keys are compressed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from writhe.io.gltf.container import Glb, write_container


def compressed(rich: Path, path: Path, kind: str) -> None:
    """The character with its first mesh compressed by Draco, or all keys and indices by meshopt."""
    glb = Glb(rich)
    document, binary = glb.document, bytearray(glb.binary)
    if kind == "draco":
        encoder = pytest.importorskip("DracoPy", reason="pip install 'writhe[draco]'")
        extension = "KHR_draco_mesh_compression"
        primitive = document["meshes"][2]["primitives"][0]  # the hat
        accessors = primitive["attributes"]
        points = glb.array(accessors["POSITION"], "VEC3", "points").astype(np.float32)
        faces = glb.integers(primitive["indices"], "SCALAR", "faces").reshape(-1, 3)
        data = encoder.encode(points, faces.astype(np.uint32), quantization_bits=16)
        number = len(document["bufferViews"])
        packed = {"bufferView": number, "attributes": {"POSITION": 0}}
        primitive["extensions"] = {extension: packed}
        for n in (*accessors.values(), primitive["indices"]):
            document["accessors"][n].pop("bufferView", None)
        view = {"buffer": 0, "byteOffset": len(binary), "byteLength": len(data)}
        document["bufferViews"].append(view)
        binary += data
    else:
        encoder = pytest.importorskip("meshoptimizer", reason="pip install 'writhe[meshopt]'")
        extension = "EXT_meshopt_compression"
        document["buffers"].append({"byteLength": len(binary), "extensions": {}})
        document["buffers"][1]["extensions"] = {extension: {"fallback": True}}
        for n, accessor in enumerate(document["accessors"]):
            width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}.get(accessor["type"], 0)
            if "sparse" in accessor or accessor["componentType"] != 5126 or not width:
                continue
            values = glb.array(n, accessor["type"], "values").astype(np.float32)
            data = encoder.encode_vertex_buffer(values, len(values), 4 * width)
            binary += b"\0" * (-len(binary) % 4)
            packed = {
                "buffer": 0,
                "byteOffset": len(binary),
                "byteLength": len(data),
                "byteStride": 4 * width,
                "count": len(values),
                "mode": "ATTRIBUTES",
            }
            binary += bytes(data)
            view = document["bufferViews"][accessor["bufferView"]]
            view |= {"buffer": 1, "extensions": {extension: packed}}
            start = view["byteOffset"]  # what is compressed is nowhere else
            binary[start : start + view["byteLength"]] = b"\xff" * view["byteLength"]
    document["extensionsUsed"].append(extension)
    document["extensionsRequired"] = [extension]
    document["buffers"][0]["byteLength"] = len(binary)
    write_container(path, document, bytes(binary))
