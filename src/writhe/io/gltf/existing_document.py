"""Puts the document of an existing glTF file into a builder, alone or beside others.

A single document is kept unchanged: indices, order, extensions. If it is joined to others, its
indices are shifted.
"""

from __future__ import annotations

import copy
import mimetypes
from typing import Any

from writhe.io.gltf.buffers import uri_bytes
from writhe.io.gltf.builder import GltfBuilder
from writhe.io.gltf.compression import DRACO
from writhe.io.gltf.container import Glb
from writhe.json_values import is_list, is_object
from writhe.skeleton.source_file import SourceFile


def open_document(source: SourceFile, *, keep_files: bool = False) -> GltfBuilder:
    """A builder of the document, to which data can be appended.

    keep_files: leave buffers and images where they are and append to a new buffer, for .gltf files;
    else everything is moved into one buffer, as .glb files need.
    """
    glb = Glb(source)
    document = copy.deepcopy(glb.document)
    buffers = document.get("buffers", [])
    if keep_files:
        return GltfBuilder(document, b"", len(buffers))
    if buffers and "uri" not in buffers[0] and not source.attached:
        return GltfBuilder(document, glb.binary[: int(buffers[0].get("byteLength", 0))])
    return _packed(glb, document)


def _packed(glb: Glb, document: dict[str, Any]) -> GltfBuilder:
    """The document with the content of all buffers and of image files in one buffer."""
    builder = GltfBuilder(document)
    starts: dict[int, int] = {}
    rest: list[dict[str, Any]] = [{}]
    number_of: dict[int, int] = {}
    for number, buffer in enumerate(document.get("buffers", [])):
        if "uri" not in buffer and (number > 0 or not glb.binary):
            number_of[number] = len(rest)  # a buffer without data: the fallback of compressed views
            rest.append(buffer)
            continue
        builder.binary += b"\0" * (-len(builder.binary) % 4)
        starts[number], number_of[number] = len(builder.binary), 0
        builder.binary += glb.buffer(number)[: int(buffer.get("byteLength", 0))]
    document["buffers"] = rest
    for view in document.get("bufferViews", []):
        packed = [e for e in view.get("extensions", {}).values() if "buffer" in e]
        for part in (view, *packed):
            number = part["buffer"]
            part["buffer"] = number_of[number]
            if starts.get(number):
                part["byteOffset"] = part.get("byteOffset", 0) + starts[number]
    for number, image in enumerate(document.get("images", [])):
        uri = image.get("uri")
        if isinstance(uri, str) and (uri.startswith("data:") or uri in glb.source.attached):
            _embed(builder, image, uri_bytes(glb.source, image.pop("uri"), f"image {number}"), uri)
    return builder


def _embed(builder: GltfBuilder, image: dict[str, Any], data: bytes, uri: str) -> None:
    image["bufferView"] = builder.view(data)
    kind = uri[5:].split(";")[0] if uri.startswith("data:") else mimetypes.guess_type(uri)[0]
    image.setdefault("mimeType", kind or "image/png")


# top-level lists of a document whose entries are referred to by index
_LISTS = (
    "accessors",
    "animations",
    "bufferViews",
    "buffers",
    "cameras",
    "images",
    "materials",
    "meshes",
    "nodes",
    "samplers",
    "skins",
    "textures",
)
# for each top-level list: its fields that hold indices, and the list that these refer to
_KEYS = {
    "accessors": {"bufferView": "bufferViews"},
    "images": {"bufferView": "bufferViews"},
    "textures": {"sampler": "samplers", "source": "images"},
    "meshes": {
        "indices": "accessors",
        "material": "materials",
        "attributes": "accessors",
        "targets": "accessors",
    },
    "nodes": {
        "mesh": "meshes",
        "skin": "skins",
        "camera": "cameras",
        "children": "nodes",
        "attributes": "accessors",  # of EXT_mesh_gpu_instancing
        "light": "lights",
    },
    "skins": {"joints": "nodes", "skeleton": "nodes", "inverseBindMatrices": "accessors"},
    "animations": {"node": "nodes", "input": "accessors", "output": "accessors"},
}


def append_document(builder: GltfBuilder, source: SourceFile) -> tuple[int, list[str]]:
    """Add the content of another file; returns its first node, and what could not be kept.

    Extensions of the whole document (VRM, variants of materials) describe one character, so only
    lights are kept of a file that is not the first.
    """
    other = open_document(source)
    document = other.json
    lost: list[str] = []
    builder.binary += b"\0" * (-len(builder.binary) % 4)
    start = len(builder.binary)
    shift = {key: len(builder.entries(key)) if key in builder.json else 0 for key in _LISTS}
    shift["lights"] = len(_lights(builder.json) or [])
    extra = document.get("buffers", [])[1:]
    for view in document.get("bufferViews", []):
        for part in (view, *view.get("extensions", {}).values()):
            if part.get("buffer") == 0:
                part["byteOffset"] = part.get("byteOffset", 0) + start
            elif "buffer" in part:
                part["buffer"] += max(1, shift["buffers"]) - 1
    for key, fields in _KEYS.items():
        for entry in document.get(key, []):
            _shift(entry, fields, shift)
    for material in document.get("materials", []):
        _shift_textures(material, shift["textures"])
    builder.binary += other.binary
    if not builder.entries("buffers"):
        builder.entries("buffers").append({})
    builder.entries("buffers").extend(extra)
    for key in _LISTS:
        if key != "buffers" and document.get(key):
            builder.entries(key).extend(document[key])
    scenes = document.get("scenes", [])
    roots: list[int] = scenes[document.get("scene", 0)].get("nodes", []) if scenes else []
    builder.scene_nodes().extend(shift["nodes"] + n for n in roots)
    for name, value in document.get("extensions", {}).items():
        if name == "KHR_lights_punctual":
            known = builder.json.setdefault("extensions", {}).setdefault(name, {})
            known.setdefault("lights", []).extend(value.get("lights", []))
        else:
            lost.append(f"{source.path.name}: the extension {name} of the whole file is left out")
    for key in ("extensionsUsed", "extensionsRequired"):
        known = [*builder.json.get(key, [])]
        known += [name for name in document.get(key, []) if name not in known]
        if known:
            builder.json[key] = known
    return shift["nodes"], lost


def _lights(document: dict[str, Any]) -> list[Any] | None:
    return document.get("extensions", {}).get("KHR_lights_punctual", {}).get("lights")


def _shift(value: Any, fields: dict[str, str], shift: dict[str, int]) -> None:
    """Shift every index into another list, at any depth outside `extras`."""
    if is_list(value):
        for entry in value:
            _shift(entry, fields, shift)
    if not is_object(value):
        return
    for key, entry in value.items():
        if key == "extras":
            continue
        if key == DRACO:  # its attributes are ids within the compressed data, not accessors
            entry["bufferView"] += shift["bufferViews"]
        elif key in fields:
            value[key] = _plus(entry, shift[fields[key]])
        else:
            _shift(entry, fields, shift)


def _plus(value: Any, amount: int) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return value + amount
    if is_list(value):
        return [_plus(entry, amount) for entry in value]
    if is_object(value):
        return {key: _plus(entry, amount) for key, entry in value.items()}
    return value


def _shift_textures(value: Any, amount: int) -> None:
    """Shift the `index` of every texture reference of a material, extensions included."""
    if is_list(value):
        for entry in value:
            _shift_textures(entry, amount)
    if is_object(value):
        for key, entry in value.items():
            if key == "extras":
                continue
            if key.endswith("Texture") and is_object(entry) and "index" in entry:
                entry["index"] += amount
            else:
                _shift_textures(entry, amount)
