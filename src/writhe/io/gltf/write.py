"""Writes glTF 2.0 binary files: joints as nodes, skin, motion as linear (slerp) animation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from writhe import __version__
from writhe.arrays import Floats, Ints
from writhe.errors import WritheError
from writhe.io.gltf.container import write_container
from writhe.skeleton import Figure, JointKind, Motion, Skeleton, Skin, quaternions, transforms

_FLOAT, _UNSIGNED, _SHORT = 5126, 5125, 5123
_VERTICES, _INDICES = 34962, 34963
_COLOUR = [0.62, 0.66, 0.72, 1.0]
_PROP_COLOUR = [0.45, 0.53, 0.66, 1.0]


@dataclass(frozen=True)
class Prop:
    """An object next to the character: its surface mesh and its poses.

    `poses` (F, 7) are positions and quaternions, one for each frame of the motion, or a single one.
    """

    name: str
    vertices: Floats
    triangles: Ints
    poses: Floats


def save_glb(
    path: Path,
    skeleton: Skeleton,
    *,
    motion: Motion | None = None,
    figure: Figure | None = None,
    props: Sequence[Prop] = (),
) -> None:
    """Write a skeleton with an optional motion, the optional skin of a figure, and props."""
    if figure is not None and figure.skeleton.names != skeleton.names:
        raise WritheError(
            f"the joints of the figure {figure.name!r} differ from those of the motion"
        )
    document = _Document(skeleton)
    if figure is not None and figure.skin is not None:
        document.add_skin(figure.skin, figure.name)
    if motion is not None:
        document.add_motion(motion)
    for prop in props:
        document.add_prop(prop, None if motion is None else motion.fps)
    document.write(path)


class _Document:
    """The JSON document and its binary buffer, under construction."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.binary = bytearray()
        self.json: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": f"writhe {__version__}"},
            "scene": 0,
            "accessors": [],
            "bufferViews": [],
            "materials": [],
            "meshes": [],
        }
        nodes: list[dict[str, Any]] = []
        for joint in skeleton.joints:
            note: dict[str, Any] = {"kind": joint.kind.name.lower()}
            if joint.kind in (JointKind.HINGE, JointKind.PRISMATIC):
                note["axis"] = [float(x) for x in joint.axis]
            node: dict[str, Any] = {
                "name": joint.name,
                "translation": [float(x) for x in joint.offset_in_parent],
                "rotation": _xyzw(quaternions.normalised(np.asarray(joint.rest))).tolist(),
                "extras": {"writhe": note},
            }
            children = [int(c) for c in skeleton.children(joint.name)]
            if children:
                node["children"] = children
            nodes.append(node)
        for tip in skeleton.tips:
            parent = nodes[skeleton.index(tip.joint)]
            parent.setdefault("children", []).append(len(nodes))
            nodes.append(
                {
                    "name": tip.name,
                    "translation": [float(x) for x in tip.offset_in_joint],
                    "extras": {"writhe": {"kind": "tip"}},
                }
            )
        roots = [j for j, joint in enumerate(skeleton.joints) if joint.parent is None]
        if len(roots) > 1:  # the joints of a skin must share an ancestor
            nodes.append(
                {"name": "roots", "children": roots, "extras": {"writhe": {"kind": "group"}}}
            )
            roots = [len(nodes) - 1]
        self.json["nodes"] = nodes
        self.json["scenes"] = [{"nodes": roots}]

    def _accessor(
        self, values: np.ndarray, component: int, kind: str, target: int = 0, bounds: bool = False
    ) -> int:
        dtype = {_FLOAT: "<f4", _UNSIGNED: "<u4", _SHORT: "<u2"}[component]
        data = np.ascontiguousarray(values, dtype=dtype)
        view: dict[str, Any] = {
            "buffer": 0,
            "byteOffset": len(self.binary),
            "byteLength": data.nbytes,
        }
        if target:
            view["target"] = target
        self.binary += data.tobytes()
        self.binary += b"\0" * (-len(self.binary) % 4)
        self.json["bufferViews"].append(view)
        accessor: dict[str, Any] = {
            "bufferView": len(self.json["bufferViews"]) - 1,
            "componentType": component,
            "count": len(data),
            "type": kind,
        }
        if bounds:
            flat = data.reshape(len(data), -1)
            accessor["min"] = [float(x) for x in flat.min(axis=0)]
            accessor["max"] = [float(x) for x in flat.max(axis=0)]
        self.json["accessors"].append(accessor)
        return len(self.json["accessors"]) - 1

    def add_skin(self, skin: Skin, name: str) -> None:
        """Add the mesh with its weights, bound in the rest pose."""
        joints, weights = _clean_weights(skin)
        attributes = {
            "POSITION": self._accessor(skin.vertices, _FLOAT, "VEC3", _VERTICES, bounds=True),
            "NORMAL": self._accessor(
                _normals(skin.vertices, skin.triangles), _FLOAT, "VEC3", _VERTICES
            ),
            "JOINTS_0": self._accessor(joints, _SHORT, "VEC4", _VERTICES),
            "WEIGHTS_0": self._accessor(weights, _FLOAT, "VEC4", _VERTICES),
        }
        indices = self._accessor(skin.triangles.reshape(-1), _UNSIGNED, "SCALAR", _INDICES)
        primitive = {"attributes": attributes, "indices": indices}
        inverse = self._accessor(_inverse_bind(self.skeleton), _FLOAT, "MAT4")
        primitive["material"] = self._material("skin", _COLOUR)
        self.json["meshes"].append({"name": name, "primitives": [primitive]})
        self.json["skins"] = [
            {"joints": list(range(len(self.skeleton))), "inverseBindMatrices": inverse}
        ]
        self.json["nodes"].append({"name": f"{name} skin", "mesh": 0, "skin": 0})
        self.json["scenes"][0]["nodes"].append(len(self.json["nodes"]) - 1)

    def add_motion(self, motion: Motion) -> None:
        """Add an animation: rotations of joints that rotate, translations of those that slide."""
        skeleton = self.skeleton
        if motion.skeleton.names != skeleton.names:
            raise WritheError("the joints of the motion differ from those of the skeleton")
        times = self._accessor(
            (np.arange(len(motion)) / motion.fps)[:, None], _FLOAT, "SCALAR", bounds=True
        )
        translation, rotation = transforms.joint_displacements(skeleton, motion.q)
        samplers: list[dict[str, Any]] = []
        channels: list[dict[str, Any]] = []
        for j, joint in enumerate(skeleton.joints):
            rest = quaternions.normalised(np.asarray(joint.rest))
            tracks: list[tuple[str, int]] = []
            if joint.kind in (JointKind.FREE, JointKind.PRISMATIC):
                position = joint.offset_in_parent + quaternions.rotate(rest, translation[:, j])
                tracks.append(("translation", self._accessor(position, _FLOAT, "VEC3")))
            if joint.kind in (JointKind.FREE, JointKind.BALL, JointKind.HINGE):
                local = quaternions.normalised(quaternions.multiply(rest, rotation[:, j]))
                tracks.append(("rotation", self._accessor(_xyzw(local), _FLOAT, "VEC4")))
            for path, output in tracks:
                channels.append({"sampler": len(samplers), "target": {"node": j, "path": path}})
                samplers.append({"input": times, "output": output, "interpolation": "LINEAR"})
        if not channels:
            raise WritheError("no joint of the skeleton can move: there is nothing to animate")
        self.json["animations"] = [
            {"name": motion.name, "samplers": samplers, "channels": channels}
        ]

    def add_prop(self, prop: Prop, fps: float | None) -> None:
        """Add a mesh on a node of its own, animated at `fps` if its pose changes."""
        normals = _normals(prop.vertices, prop.triangles)
        attributes = {
            "POSITION": self._accessor(prop.vertices, _FLOAT, "VEC3", _VERTICES, bounds=True),
            "NORMAL": self._accessor(normals, _FLOAT, "VEC3", _VERTICES),
        }
        indices = self._accessor(prop.triangles.reshape(-1), _UNSIGNED, "SCALAR", _INDICES)
        material = self._material("prop", _PROP_COLOUR)
        primitive = {"attributes": attributes, "indices": indices, "material": material}
        self.json["meshes"].append({"name": prop.name, "primitives": [primitive]})
        rotations = quaternions.normalised(prop.poses[:, 3:])
        node = len(self.json["nodes"])
        self.json["nodes"].append(
            {
                "name": prop.name,
                "mesh": len(self.json["meshes"]) - 1,
                "translation": [float(x) for x in prop.poses[0, :3]],
                "rotation": _xyzw(rotations[0]).tolist(),
                "extras": {"writhe": {"kind": "prop"}},
            }
        )
        self.json["scenes"][0]["nodes"].append(node)
        if fps is None or "animations" not in self.json or np.ptp(prop.poses, axis=0).max() == 0.0:
            return
        animation = self.json["animations"][0]
        times = self._accessor(
            (np.arange(len(rotations)) / fps)[:, None], _FLOAT, "SCALAR", bounds=True
        )
        for path, values, kind in (
            ("translation", prop.poses[:, :3], "VEC3"),
            ("rotation", _xyzw(rotations), "VEC4"),
        ):
            output = self._accessor(values, _FLOAT, kind)
            sampler = {"input": times, "output": output, "interpolation": "LINEAR"}
            target = {"node": node, "path": path}
            animation["channels"].append({"sampler": len(animation["samplers"]), "target": target})
            animation["samplers"].append(sampler)

    def _material(self, name: str, colour: list[float]) -> int:
        """The index of the material of this name, added on first use."""
        known = self.json["materials"]
        for number, material in enumerate(known):
            if material["name"] == name:
                return number
        surface = {"baseColorFactor": colour, "metallicFactor": 0.0, "roughnessFactor": 0.7}
        known.append({"name": name, "pbrMetallicRoughness": surface})
        return len(known) - 1

    def write(self, path: Path) -> None:
        """Complete the document and write it."""
        if self.binary:
            self.json["buffers"] = [{"byteLength": len(self.binary)}]
        document = {key: value for key, value in self.json.items() if value or key == "scene"}
        write_container(path, document, bytes(self.binary))


def _xyzw(quaternions: Floats) -> Floats:
    return np.roll(quaternions, -1, axis=-1)


def _inverse_bind(skeleton: Skeleton) -> Floats:
    """(n, 16) inverse world matrices of the rest pose, column-major."""
    from writhe.skeleton import forward

    rest = forward(skeleton, skeleton.rest_configuration)
    matrices = np.zeros((len(skeleton), 4, 4))
    matrices[:, :3, :3] = rest.rotations.transpose(0, 2, 1)
    matrices[:, :3, 3] = -np.einsum("jab,jb->ja", matrices[:, :3, :3], rest.positions)
    matrices[:, 3, 3] = 1.0
    return matrices.transpose(0, 2, 1).reshape(-1, 16)


def _clean_weights(skin: Skin) -> tuple[np.ndarray, Floats]:
    """Weights as glTF requires: no joint twice, joint 0 where the weight is 0, sum 1."""
    joints, weights = skin.joints.copy(), np.maximum(skin.weights, 0.0).astype(np.float64)
    for slot in range(1, 4):
        for earlier in range(slot):
            same = joints[:, slot] == joints[:, earlier]
            weights[same, earlier] += weights[same, slot]
            weights[same, slot] = 0.0
    single = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
    single[single < 1e-6] = 0.0
    single /= single.sum(axis=1, keepdims=True)
    joints[single == 0.0] = 0
    return joints, single.astype(np.float64)


def _normals(vertices: Floats, triangles: Ints) -> Floats:
    """Unit vertex normals, area-weighted means of the adjacent triangles."""
    corner = vertices[triangles]
    facing = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    normals = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(normals, triangles[:, k], facing)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.where(length > 1e-20, normals / np.maximum(length, 1e-20), [0.0, 1.0, 0.0])
