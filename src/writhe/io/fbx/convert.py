"""The arrays of an FBX file as a scene: joints in their bind pose, meshes, materials."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.errors import FileFormatError
from writhe.io.fbx.read import FbxContents, load_fbx, read_fbx
from writhe.io.file_size_limits import check_joint_count, unique_names
from writhe.io.gltf.converted_scene import (
    CharacterScene,
    Clip,
    Material,
    Morph,
    PlainNode,
    PolygonMesh,
    Weights,
)
from writhe.io.images import Image, image, image_beside
from writhe.io.keyed_motion import MAX_REFINE, EvaluatedRows, KeyedMotion, measured_keys
from writhe.io.mesh_skin import four_strongest
from writhe.io.world_frames import positions_and_rotations, skeleton_and_motion
from writhe.skeleton import Motion, Skeleton, quaternions

MOVES = 1e-6  # a stack in which no number varies by more is still


def character_scene(path: Path, contents: FbxContents) -> CharacterScene:
    """The scene of an FBX file; images beside the file are read."""
    joints = _joints(path, contents)
    check_joint_count(path, len(joints))
    about, parent, arrays = contents.about, contents.parent, contents.arrays
    names = unique_names([about["names"][n] or f"node_{n}" for n in joints])
    name_of = dict(zip(joints, names, strict=True))
    pose = _bind_pose(contents)
    stacks = [arrays[f"frames{i}"] for i in range(len(about["stacks"])) if f"frames{i}" in arrays]
    world = [_world(parent, frames)[:, joints] for frames in stacks]
    every = np.concatenate(world) if world else np.zeros((0, len(joints), 4, 4))
    index = {n: i for i, n in enumerate(joints)}
    above = [index.get(int(parent[n]), -1) for n in joints]
    deforming = _deforming(contents)
    moving = [bool(arrays["bone"][n]) or n in deforming for n in joints]
    skeleton, q = skeleton_and_motion(names, above, pose[joints], every, moving)
    images, image_of = _images(path, contents)
    meshes = [
        mesh
        for k, entry in enumerate(about["meshes"])
        for mesh in _meshes(contents, k, entry, pose, name_of)
    ]
    clips, current = _clips(contents, skeleton, q, stacks)
    return CharacterScene(
        skeleton,
        meshes,
        [_material(row, image_of) for row in about["materials"]],
        images,
        _plain_nodes(contents, pose, name_of),
        clips,
        current,
    )


def keyed_motion(path: Path, contents: FbxContents, stack: int) -> KeyedMotion:
    """The motion of an animation stack at its keys (contents read with `refine`).

    A stack that does not exist is the pose of the file.
    """
    arrays, parent = contents.arrays, contents.parent
    if f"rows{stack}" not in arrays:
        still: dict[str, Any] = {"rows": arrays["local"][None], "times": np.zeros(1)}
        still["jumps"] = np.zeros(0, dtype=np.bool_)
        still["between"] = np.zeros((0, 3, *arrays["local"].shape))
        arrays = {**arrays, **{f"{name}{stack}": values for name, values in still.items()}}
    joints = _joints(path, contents)
    index = {n: i for i, n in enumerate(joints)}
    deforming, between = _deforming(contents), arrays[f"between{stack}"]
    inner = _world(parent, between.reshape(-1, *between.shape[2:]))[:, joints]
    found = EvaluatedRows(
        arrays[f"times{stack}"],
        _world(parent, arrays[f"rows{stack}"])[:, joints],
        inner.reshape(*between.shape[:2], *inner.shape[1:]),
        arrays[f"jumps{stack}"],
    )
    return measured_keys(
        unique_names([contents.about["names"][n] or f"node_{n}" for n in joints]),
        [index.get(int(parent[n]), -1) for n in joints],
        _bind_pose(contents)[joints],
        found,
        [bool(arrays["bone"][n]) or n in deforming for n in joints],
        path.stem,
    )


def _deforming(contents: FbxContents) -> set[int]:
    return {
        int(bone)
        for k, entry in enumerate(contents.about["meshes"])
        if entry["skinned"]
        for bone in contents.arrays[f"bones{k}"]
    }


def _joints(path: Path, contents: FbxContents) -> list[int]:
    """Bones, nodes that deform a mesh, and their ancestors; parents before children."""
    parent, bone = contents.parent, contents.arrays["bone"]
    wanted = {int(n) for n in np.flatnonzero(bone)} | _deforming(contents)
    if not wanted:  # a rig of empties
        wanted = {n for n in range(1, len(parent)) if not contents.arrays["mesh"][n]}
    if not wanted:
        raise FileFormatError(path, "the file has no nodes that could be joints")
    for n in list(wanted):
        p = int(parent[n])
        while p > 0:  # node 0 is the root of the scene
            wanted.add(p)
            p = int(parent[p])
    return sorted(wanted, key=lambda n: (_depth(parent, n), n))


def _depth(parent: Ints, node: int) -> int:
    count = 0
    while parent[node] >= 0:
        node, count = int(parent[node]), count + 1
    return count


def _local_matrices(local: Floats) -> Floats:
    """(..., 4, 4) of (..., 10): translation, rotation (wxyz), scale."""
    out = np.zeros((*local.shape[:-1], 4, 4))
    columns = [quaternions.rotate(local[..., 3:7], axis) for axis in np.eye(3)]
    out[..., :3, :3] = np.stack(columns, axis=-1) * local[..., None, 7:10]
    out[..., :3, 3], out[..., 3, 3] = local[..., :3], 1.0
    return out


def _world(parent: Ints, local: Floats) -> Floats:
    """(frames, nodes, 4, 4) world matrices of (frames, nodes, 10) local transforms."""
    matrices = _local_matrices(local)
    order = sorted(range(len(parent)), key=lambda n: _depth(parent, n))
    for n in order:
        if parent[n] >= 0:
            matrices[:, n] = matrices[:, parent[n]] @ matrices[:, n]
    return matrices


def _bind_pose(contents: FbxContents) -> Floats:
    """World matrices of the pose to which the mesh is bound; other nodes follow their parents."""
    parent, arrays = contents.parent, contents.arrays
    bind: dict[int, Floats] = {}
    for k, entry in enumerate(contents.about["meshes"]):
        if entry["skinned"]:
            for bone, matrix in zip(arrays[f"bones{k}"], arrays[f"bind{k}"], strict=True):
                bind.setdefault(int(bone), matrix)
    matrices = _local_matrices(arrays["local"])
    pose = _world(parent, arrays["local"][None])[0]
    scale = np.linalg.norm(pose[:, :3, :3], axis=1)
    for n in sorted(range(len(parent)), key=lambda n: _depth(parent, n)):
        if n in bind:
            # scaled like the node: the matrices of a bind pose may be in another unit
            pose[n, :3, 3], turn = positions_and_rotations(bind[n])
            pose[n, :3, :3] = turn * scale[n]
        elif parent[n] >= 0:
            pose[n] = pose[parent[n]] @ matrices[n]
    return pose


def _clips(
    contents: FbxContents, skeleton: Skeleton, q: Floats, stacks: list[Floats]
) -> tuple[list[Clip], int]:
    """The animation stacks, and the number of the first in which something moves."""
    about, arrays = contents.about, contents.arrays
    names = unique_names([name or "animation" for name in about["stacks"][: len(stacks)]])
    clips: list[Clip] = []
    begin, current = 0, -1
    for i, frames in enumerate(stacks):
        motion = Motion(skeleton, q[begin : begin + len(frames)], about["fps"], names[i])
        begin += len(frames)
        weights: dict[int, Floats] = {}
        column = 0
        for number, entry in _mesh_numbers(contents):
            width = len(entry["morphs"])
            if width and f"weights{i}" in arrays:
                mine = arrays[f"weights{i}"][:, column : column + width]
                if np.ptp(mine, axis=0).max() > MOVES:
                    weights[number] = mine
            column += width
        clips.append(Clip(motion, weights))
        if current < 0 and (weights or np.ptp(frames, axis=0).max(initial=0.0) > MOVES):
            current = i
    return clips, max(current, 0)


def _mesh_numbers(contents: FbxContents) -> list[tuple[int, dict[str, Any]]]:
    """The meshes of the file with the number of the first mesh that each becomes."""
    out: list[tuple[int, dict[str, Any]]] = []
    count = 0
    for entry in contents.about["meshes"]:
        out.append((count, entry))
        count += 1 if entry["skinned"] else len(entry["nodes"])
    return out


def _meshes(
    contents: FbxContents, k: int, entry: dict[str, Any], pose: Floats, name_of: dict[int, str]
) -> list[PolygonMesh]:
    """A skinned mesh, or a mesh at each of its nodes."""
    arrays = contents.arrays
    points = arrays[f"vertices{k}"]

    def placed(name: str, **where: Any) -> PolygonMesh:
        return PolygonMesh(
            name,
            points,
            arrays[f"indices{k}"],
            arrays[f"faces{k}"],
            arrays.get(f"normals{k}"),
            [arrays[f"uvs{k}_{layer}"] for layer in range(entry["uvs"])],
            arrays.get(f"colours{k}"),
            arrays.get(f"face_material{k}"),
            [None if m < 0 else m for m in entry["materials"]],
            [
                Morph(
                    row["name"],
                    arrays[f"morph_vertices{k}_{m}"],
                    arrays[f"morph_offsets{k}_{m}"],
                    row["weight"],
                )
                for m, row in enumerate(entry["morphs"])
            ],
            **where,
        )

    if not entry["skinned"]:
        return [
            placed(
                contents.about["names"][n] or entry["name"],
                **_below(contents, n, pose[n] @ arrays["geometry"][n], pose, name_of),
            )
            for n in entry["nodes"]
        ]
    influences, weights = four_strongest(
        len(points), arrays[f"weight_vertex{k}"], arrays[f"weight_cluster{k}"], arrays[f"weight{k}"]
    )
    joints = [name_of[int(bone)] for bone in arrays[f"bones{k}"]]
    return [
        placed(entry["name"], weights=Weights(joints, arrays[f"to_bone{k}"], influences, weights))
    ]


def _below(
    contents: FbxContents, node: int, world: Floats, pose: Floats, name_of: dict[int, str]
) -> dict[str, Any]:
    """The nearest joint on or above a node, and `world` (4, 4) relative to it."""
    at = node
    while at >= 0 and at not in name_of:
        at = int(contents.parent[at])
    if at < 0:
        return {"parent": None, "matrix": world}
    position, turn = positions_and_rotations(pose[at])
    rigid = np.eye(4)
    rigid[:3, :3], rigid[:3, 3] = turn, position
    return {"parent": name_of[at], "matrix": np.linalg.inv(rigid) @ world}


def _plain_nodes(contents: FbxContents, pose: Floats, name_of: dict[int, str]) -> list[PlainNode]:
    """The nodes that are neither joints nor meshes nor the root of the scene."""
    shown = {n for entry in contents.about["meshes"] for n in entry["nodes"]}
    return [
        PlainNode(
            contents.about["names"][n] or f"node_{n}",
            **_below(contents, n, pose[n], pose, name_of),
        )
        for n in range(1, len(contents.parent))
        if n not in name_of and n not in shown
    ]


def _images(path: Path, contents: FbxContents) -> tuple[list[Image], dict[int, int]]:
    """The images of the textures, and the image of each texture that has one."""
    images: list[Image] = []
    number_of: dict[int, int] = {}
    known: dict[bytes, int] = {}
    for t, row in enumerate(contents.about["textures"]):
        stored = contents.arrays.get(f"image{t}")
        data = image_beside(path, row["file"]) if stored is None else stored.tobytes()
        if data is None:
            continue
        if data not in known:
            found = image(row["name"] or Path(row["file"].replace("\\", "/")).stem, data)
            if found is None:
                continue
            known[data] = len(images)
            images.append(found)
        number_of[t] = known[data]
    return images, number_of


def _material(row: dict[str, Any], image_of: dict[int, int]) -> Material:
    """A material of ufbx, which gives Phong materials the values of physically based ones."""

    def picture(name: str) -> int | None:
        return image_of.get(row[name]["texture"])

    def number(name: str, otherwise: float) -> float:
        value = row[name]["value"]
        return otherwise if value is None else float(np.clip(value[0], 0.0, 1.0))

    colour_image, emission_image = picture("base_color"), picture("emission_color")
    given = row["base_color"]["value"] or [0.8, 0.8, 0.8, 1.0]
    red, green, blue = (1.0, 1.0, 1.0) if colour_image is not None else given[:3]
    glow = row["emission_color"]["value"] or [0.0, 0.0, 0.0]
    factor = number("emission_factor", 1.0)
    emission = (1.0, 1.0, 1.0) if emission_image is not None else tuple(factor * x for x in glow)
    # files that were exported from Maya often state an opacity of 0 for what is opaque
    alpha = number("opacity", 1.0) or 1.0
    return Material(
        row["name"],
        (red, green, blue, 1.0 if colour_image is not None else alpha),
        number("metalness", 0.0),
        number("roughness", 0.7),
        (emission[0], emission[1], emission[2]),
        colour_image,
        picture("normal_map"),
        emission_image,
        picture("ambient_occlusion"),
        cut_out=colour_image is not None and picture("opacity") is not None,
    )


def load_fbx_keys(path: Path, refine: int = 1, animation: str | int | None = None) -> KeyedMotion:
    """An animation stack at the keys of its curves; `refine` rows for each key and frame.

    A file without animation is one row.
    """
    source = load_fbx(path, animation).source
    contents = read_fbx(path, min(refine, MAX_REFINE))
    stack = source["animations"].index(source["animation"]) if source["animation"] else 0
    found = keyed_motion(path, contents, stack)
    return replace(found, motion=replace(found.motion, source=source))
