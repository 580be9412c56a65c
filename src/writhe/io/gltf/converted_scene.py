"""A character of another format (FBX, USD) as a glTF document.

The document has joints, meshes with normals, texture coordinates, colours, weights and morph
targets, materials, images and animations. It is then read, shown and written like a file that was
glTF from the beginning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.io.gltf.buffers import FORMAT
from writhe.io.gltf.builder import FLOAT, INDICES, SHORT, UNSIGNED, VERTICES, GltfBuilder
from writhe.io.gltf.container import container_bytes
from writhe.io.gltf.new_character import add_skeleton, clean_weights
from writhe.io.gltf.write_animation import AnimationWriter, joint_tracks, set_current
from writhe.io.images import Image
from writhe.io.mesh_skin import polygons_to_triangles
from writhe.skeleton import Motion, Skeleton
from writhe.skeleton.source_file import SourceFile


@dataclass(frozen=True)
class Material:
    """A surface. Colours are linear; images are numbers of the scene's images, None for none."""

    name: str
    colour: tuple[float, float, float, float] = (0.8, 0.8, 0.8, 1.0)
    metallic: float = 0.0
    roughness: float = 0.7
    emission: tuple[float, float, float] = (0.0, 0.0, 0.0)
    colour_image: int | None = None
    normal_image: int | None = None
    emission_image: int | None = None
    occlusion_image: int | None = None
    cut_out: bool = False  # the alpha of the image says where there is no surface


@dataclass(frozen=True)
class Morph:
    """A morph target: offsets (k, 3) of the points `vertices` (k,), and its weight at first."""

    name: str
    vertices: Ints
    offsets: Floats
    weight: float = 0.0


@dataclass(frozen=True)
class Weights:
    """How a mesh follows joints: v = sum_j w_j W_j B_j v.

    bind_inverse (m, 4, 4): B of the joints; influences (v, 4) number these, weights (v, 4).
    """

    joints: Sequence[str]
    bind_inverse: Floats
    influences: Ints
    weights: Floats


@dataclass(frozen=True)
class PolygonMesh:
    """A mesh of polygons with values at their corners.

    points (v, 3); corners (c,) the point of each corner; faces (f, 2) first corner and number of
    corners; normals (c, 3); uvs (c, 2) each, with the origin in the lower left corner of the image;
    colours (c, 4); face_material (f,) number in `materials`, which numbers those of the scene.
    A mesh without `weights` is placed by `matrix` (4, 4) relative to the joint `parent`.
    """

    name: str
    points: Floats
    corners: Ints
    faces: Ints
    normals: Floats | None = None
    uvs: Sequence[Floats] = ()
    colours: Floats | None = None
    face_material: Ints | None = None
    materials: Sequence[int | None] = ()
    morphs: Sequence[Morph] = ()
    weights: Weights | None = None
    parent: str | None = None
    matrix: Floats | None = None


@dataclass(frozen=True)
class PlainNode:
    """A node that is no joint, such as an empty or a camera's place, below the joint `parent`."""

    name: str
    parent: str | None
    matrix: Floats


@dataclass(frozen=True)
class Clip:
    """A motion and, by the number of a mesh, the weights (frames, morphs) of its morph targets."""

    motion: Motion
    morph_weights: Mapping[int, Floats] = field(default_factory=dict[int, Floats])


@dataclass(frozen=True)
class CharacterScene:
    """Everything that is kept of a file; `current` is the number of the clip read by default."""

    skeleton: Skeleton
    meshes: Sequence[PolygonMesh] = ()
    materials: Sequence[Material] = ()
    images: Sequence[Image] = ()
    nodes: Sequence[PlainNode] = ()
    clips: Sequence[Clip] = ()
    current: int = 0


def converted_document(path: Path, scene: CharacterScene) -> SourceFile:
    """The scene as a .glb document; `path` is the file that it came from."""
    builder = GltfBuilder()
    joints = add_skeleton(builder, scene.skeleton)
    node_of = dict(zip(scene.skeleton.names, joints, strict=True))
    for image in scene.images:
        _add_image(builder, image)
    for material in scene.materials:
        builder.add("materials", _material(material))
    mesh_nodes = [_add_mesh(builder, mesh, node_of) for mesh in scene.meshes]
    for plain in scene.nodes:
        _place(builder, plain.parent, plain.matrix, {"name": plain.name}, node_of)
    for clip in scene.clips:
        writer = AnimationWriter(builder, clip.motion.name, joints=set(joints))
        tracks = joint_tracks(clip.motion, joints, np.ones(len(joints)))
        writer.add(tracks, clip.motion.fps)
        weights = [(mesh_nodes[m], "weights", w) for m, w in clip.morph_weights.items()]
        writer.add(iter(weights), clip.motion.fps)
    for number, animation in enumerate(builder.json.get("animations", [])):
        set_current(animation, number == scene.current and len(scene.clips) > 1)
    return SourceFile(FORMAT, path, container_bytes(*builder.finish()))


def _add_image(builder: GltfBuilder, image: Image) -> None:
    stored = {"name": image.name, "mimeType": image.mime, "bufferView": builder.view(image.data)}
    source = builder.add("images", stored)
    if not builder.entries("samplers"):
        builder.add("samplers", {"wrapS": 10497, "wrapT": 10497})  # repeat
    builder.add("textures", {"source": source, "sampler": 0})


def _material(material: Material) -> dict[str, Any]:
    surface: dict[str, Any] = {
        "baseColorFactor": [float(x) for x in material.colour],
        "metallicFactor": float(material.metallic),
        "roughnessFactor": float(material.roughness),
    }
    if material.colour_image is not None:
        surface["baseColorTexture"] = {"index": material.colour_image}
    out: dict[str, Any] = {
        "name": material.name,
        "pbrMetallicRoughness": surface,
        "doubleSided": True,  # these formats do not leave out the back of surfaces
    }
    if max(material.emission) > 0.0:
        out["emissiveFactor"] = [min(1.0, float(x)) for x in material.emission]
    for key, image in (
        ("normalTexture", material.normal_image),
        ("occlusionTexture", material.occlusion_image),
        ("emissiveTexture", material.emission_image),
    ):
        if image is not None:
            out[key] = {"index": image}
    if material.cut_out:
        out["alphaMode"] = "MASK"
    elif material.colour[3] < 1.0:
        out["alphaMode"] = "BLEND"
    return out


def _add_mesh(builder: GltfBuilder, mesh: PolygonMesh, node_of: Mapping[str, int]) -> int:
    """Add a mesh with a node of its own, a primitive for each material; returns the node."""
    which = np.zeros(len(mesh.faces), dtype=np.int64)
    if mesh.face_material is not None:
        which = np.minimum(mesh.face_material, max(0, len(mesh.materials) - 1))
    primitives = [
        _primitive(builder, mesh, mesh.faces[which == slot], _nth(mesh.materials, int(slot)))
        for slot in np.unique(which)
    ]
    entry: dict[str, Any] = {"name": mesh.name, "primitives": [p for p in primitives if p]}
    if not entry["primitives"]:
        return _place(builder, mesh.parent, None, {"name": mesh.name}, node_of)
    if mesh.morphs:
        entry["weights"] = [float(m.weight) for m in mesh.morphs]
        entry["extras"] = {"targetNames": [m.name for m in mesh.morphs]}
    node: dict[str, Any] = {"name": mesh.name, "mesh": builder.add("meshes", entry)}
    if mesh.weights is None:
        return _place(builder, mesh.parent, mesh.matrix, node, node_of)
    columns = mesh.weights.bind_inverse.transpose(0, 2, 1).reshape(-1, 16)
    skin = {
        "joints": [node_of[name] for name in mesh.weights.joints],
        "inverseBindMatrices": builder.accessor(columns, FLOAT, "MAT4"),
    }
    node["skin"] = builder.add("skins", skin)
    return _place(builder, None, None, node, node_of)


def _nth(numbers: Sequence[int | None], slot: int) -> int | None:
    return numbers[slot] if slot < len(numbers) else None


def _place(
    builder: GltfBuilder,
    parent: str | None,
    matrix: Floats | None,
    node: dict[str, Any],
    node_of: Mapping[str, int],
) -> int:
    if matrix is not None and np.abs(matrix - np.eye(4)).max() > 1e-9:
        node["matrix"] = [float(x) for x in matrix.T.ravel()]
    number = builder.add("nodes", node)
    if parent is None:
        builder.scene_nodes().append(number)
    else:
        builder.json["nodes"][node_of[parent]].setdefault("children", []).append(number)
    return number


def _primitive(
    builder: GltfBuilder, mesh: PolygonMesh, faces: Ints, material: int | None
) -> dict[str, Any] | None:
    triangles = polygons_to_triangles(np.arange(len(mesh.corners)), faces)
    if len(triangles) == 0:
        return None
    used, position = np.unique(triangles, return_inverse=True)
    layers = [layer for layer in (mesh.normals, *mesh.uvs, mesh.colours) if layer is not None]
    first, vertex = _distinct(mesh.corners[used], [layer[used] for layer in layers])
    corner = used[first]
    point = mesh.corners[corner]

    def values(rows: Floats, kind: str, *, bounds: bool = False) -> int:
        return builder.accessor(rows, FLOAT, kind, VERTICES, bounds=bounds)

    attributes = {"POSITION": values(mesh.points[point], "VEC3", bounds=True)}
    if mesh.normals is not None:
        normals = mesh.normals[corner]
        length = np.linalg.norm(normals, axis=1, keepdims=True)
        normals = np.where(length > 1e-9, normals / np.maximum(length, 1e-9), [0.0, 1.0, 0.0])
        attributes["NORMAL"] = values(normals, "VEC3")
    for layer, uv in enumerate(mesh.uvs):
        flipped = np.stack([uv[corner, 0], 1.0 - uv[corner, 1]], axis=1)
        attributes[f"TEXCOORD_{layer}"] = values(flipped, "VEC2")
    if mesh.colours is not None:
        attributes["COLOR_0"] = values(np.clip(mesh.colours[corner], 0.0, 1.0), "VEC4")
    if mesh.weights is not None:
        joints, shares = clean_weights(mesh.weights.influences[point], mesh.weights.weights[point])
        attributes["JOINTS_0"] = builder.accessor(joints, SHORT, "VEC4", VERTICES)
        attributes["WEIGHTS_0"] = values(shares, "VEC4")
    indices = vertex[position.reshape(-1)]
    out: dict[str, Any] = {
        "attributes": attributes,
        "indices": builder.accessor(indices, UNSIGNED, "SCALAR", INDICES),
    }
    if material is not None:
        out["material"] = material
    if mesh.morphs:
        out["targets"] = []
        for morph in mesh.morphs:
            offsets = np.zeros_like(mesh.points)
            offsets[morph.vertices] = morph.offsets
            out["targets"].append({"POSITION": values(offsets[point], "VEC3", bounds=True)})
    return out


def _distinct(point: Ints, layers: Sequence[Floats]) -> tuple[Ints, Ints]:
    """Of corners with equal points and values, the first one (n,); for each corner its row (c,)."""
    columns = [point.astype(np.int32).view(np.float32)[:, None]]
    columns += [layer.astype(np.float32) for layer in layers]
    rows = np.ascontiguousarray(np.concatenate(columns, axis=1))
    as_bytes = rows.view(np.dtype((np.void, rows.shape[1] * 4))).ravel()
    _, first, inverse = np.unique(as_bytes, return_index=True, return_inverse=True)
    return first, inverse
