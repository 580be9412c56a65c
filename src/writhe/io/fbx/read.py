"""Reads FBX files: joints in their bind pose, skin, animation stacks."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.errors import FileFormatError, WritheError
from writhe.io.file_size_limits import check_joint_count, checked_size, unique_names
from writhe.io.mesh_skin import four_strongest, merged_skin, polygons_to_triangles
from writhe.io.world_frames import skeleton_and_motion, skin_in_rest_pose
from writhe.skeleton import Motion, Skeleton, Skin, quaternions

TIMEOUT_S = 300.0


@dataclass(frozen=True)
class FbxContents:
    """The arrays of an FBX file in metres, Y up."""

    path: Path
    about: dict[str, Any]
    arrays: dict[str, Any]

    @property
    def parent(self) -> Ints:
        """(nodes,) the parent of each node, -1 for the root of the scene."""
        return self.arrays["parent"]


def read_fbx(path: Path, animation: str | int | None = None) -> FbxContents:
    """Run the reader in its own process; `animation` is the name or number of a stack."""
    checked_size(path)
    if importlib.util.find_spec("ufbx") is None:
        raise WritheError(
            f"{path}: FBX files are read with ufbx; install it with pip install 'writhe[fbx]'"
        )
    script = Path(__file__).with_name("extract.py")
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "fbx.npz"
        command = [sys.executable, str(script), str(path), str(output)]
        if animation is not None:
            command.append(str(animation))
        try:
            done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired:
            raise FileFormatError(path, f"reading took longer than {TIMEOUT_S:g} s") from None
        if done.returncode != 0 or not output.is_file():
            said = done.stderr.decode(errors="replace").strip().splitlines()
            problem = said[-1] if said else f"the reader ended with code {done.returncode}"
            raise FileFormatError(
                path,
                f"cannot be read as FBX ({problem})",
                remedy="is it an FBX file, and complete?",
            )
        with np.load(output, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
    about = json.loads(arrays.pop("about").tobytes())
    if animation is not None and about["chosen"] < 0:
        known = ", ".join(about["stacks"]) or "none"
        raise WritheError(f"{path}: there is no animation {animation!r}; it has: {known}")
    return FbxContents(path, about, arrays)


def load_fbx(path: Path, animation: str | int | None = None) -> Motion:
    """The motion of an FBX file; see `writhe.io.load`."""
    return _motion(read_fbx(path, animation))[0]


def load_fbx_figure(path: Path, animation: str | int | None = None) -> tuple[Skeleton, Skin | None]:
    """The skeleton and, if there is one, the skin of an FBX file."""
    contents = read_fbx(path, animation)
    motion, nodes = _motion(contents)
    return motion.skeleton, _skin(contents, motion.skeleton, nodes)


def _motion(contents: FbxContents) -> tuple[Motion, list[int]]:
    about, parent = contents.about, contents.parent
    nodes = _joints(contents)
    check_joint_count(contents.path, len(nodes))
    names = unique_names([about["names"][n] or f"node_{n}" for n in nodes])
    index = {n: i for i, n in enumerate(nodes)}
    above = [index.get(int(parent[n]), -1) for n in nodes]
    world = _world(parent, contents.arrays["local"][None])[0]
    bind: dict[int, Floats] = {}
    for k in range(about["meshes"]):
        for bone, matrix in zip(
            contents.arrays[f"bones{k}"], contents.arrays[f"bind{k}"], strict=True
        ):
            bind.setdefault(int(bone), matrix)
    rest = _bind_pose(parent, contents.arrays["local"], world, bind)
    frames = contents.arrays.get("frames")
    moves = np.zeros((0, len(nodes), 4, 4)) if frames is None else _world(parent, frames)[:, nodes]
    deforming = {int(b) for k in range(about["meshes"]) for b in contents.arrays[f"bones{k}"]}
    moving = [bool(contents.arrays["bone"][n]) or n in deforming for n in nodes]
    skeleton, q = skeleton_and_motion(names, above, rest[nodes], moves, moving)
    source: dict[str, Any] = {
        "format": "fbx",
        "animations": about["stacks"],
        "contents": {
            "animations": [
                {"name": name, "duration_s": duration, "morphs": False}
                for name, duration in zip(about["stacks"], about["durations"], strict=True)
            ]
        },
        "animation": about["stacks"][about["chosen"]] if about["chosen"] >= 0 else "",
        "metres_per_unit": about["unit"],
        "unit_from": "stated in the file",
    }
    order = [nodes[names.index(name)] for name in skeleton.names]
    return Motion(skeleton, q, about["fps"], contents.path.stem, source), order


def _joints(contents: FbxContents) -> list[int]:
    """Bones, nodes that deform a mesh, and their ancestors; parents before children."""
    parent, bone = contents.parent, contents.arrays["bone"]
    wanted = {int(n) for n in np.flatnonzero(bone)}
    for k in range(contents.about["meshes"]):
        wanted |= {int(b) for b in contents.arrays[f"bones{k}"]}
    if not wanted:  # a rig of empties
        wanted = {n for n in range(1, len(parent)) if not contents.arrays["mesh"][n]}
    if not wanted:
        raise FileFormatError(contents.path, "the file has no nodes that could be joints")
    for n in list(wanted):
        p = int(parent[n])
        while p > 0:  # node 0 is the root of the scene
            wanted.add(p)
            p = int(parent[p])
    depth = {n: _depth(parent, n) for n in wanted}
    return sorted(wanted, key=lambda n: (depth[n], n))


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


def _bind_pose(parent: Ints, local: Floats, world: Floats, bind: dict[int, Floats]) -> Floats:
    """World matrices of the pose to which the mesh is bound; other nodes follow their parents."""
    matrices = _local_matrices(local)
    pose = world.copy()
    for n in sorted(range(len(parent)), key=lambda n: _depth(parent, n)):
        if n in bind:
            pose[n] = bind[n]
        elif parent[n] >= 0:
            pose[n] = pose[parent[n]] @ matrices[n]
    return pose


def _skin(contents: FbxContents, skeleton: Skeleton, nodes: list[int]) -> Skin | None:
    parts: list[tuple[Floats, Ints, Ints, Floats]] = []
    count = 0
    arrays = contents.arrays
    joint_of = {n: skeleton.names[i] for i, n in enumerate(nodes)}
    for k in range(contents.about["meshes"]):
        vertices = arrays[f"vertices{k}"]
        joints = [joint_of[int(b)] for b in arrays[f"bones{k}"]]
        influences, weights = four_strongest(
            len(vertices), arrays[f"weight_vertex{k}"], arrays[f"weight_cluster{k}"],
            arrays[f"weight{k}"],
        )  # fmt: skip
        posed = skin_in_rest_pose(
            skeleton, joints, arrays[f"to_bone{k}"], vertices, influences, weights
        )
        triangles = polygons_to_triangles(arrays[f"indices{k}"], arrays[f"faces{k}"])
        index = np.array([skeleton.index(name) for name in joints], dtype=np.int64)
        parts.append((posed, triangles + count, index[influences], weights))
        count += len(vertices)
    return merged_skin(parts)
