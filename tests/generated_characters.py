"""Characters as users bring them, generated: textures, morphs, several skins, rigid parts."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from writhe.io.gltf.builder import FLOAT, SHORT, UNSIGNED, VERTICES, GltfBuilder
from writhe.io.gltf.container import write_container
from writhe.skeleton import Motion, forward, quaternions
from writhe.skeleton.figures import figure

CENTIMETRE = 0.01
SHARED = Path(__file__).resolve().parents[2] / "shared" / "characters"


def png(width: int = 8, height: int = 8, seed: int = 0) -> bytes:
    """A picture of random colours."""
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)

    def chunk(kind: bytes, data: bytes) -> bytes:
        whole = kind + data
        return struct.pack(">I", len(data)) + whole + struct.pack(">I", zlib.crc32(whole))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = (chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def wave(frames: int = 13, fps: float = 24.0) -> Motion:
    """The human raising its arms and stepping aside."""
    human = figure("human")
    q = np.tile(human.skeleton.rest_configuration, (frames, 1))
    share = np.linspace(0.0, 1.0, frames)
    q[:, 0] += 0.3 * share
    for side, sign in (("left", 1.0), ("right", -1.0)):
        at = human.skeleton.q_slice(f"{side}_shoulder")
        turn = quaternions.from_axis_angle(np.array([0.0, 0.0, 1.0]), sign * 0.5 * share)
        q[:, at] = turn
    return Motion(human.skeleton, q, fps, "Wave")


class RichCharacter:
    """The built-in human as a game character: see the module's docstring."""

    def __init__(self, texture: int = 8, vrm: str = "") -> None:
        self.human = figure("human")
        self.builder = GltfBuilder()
        self.builder.json["asset"]["generator"] = "another program"
        self.node_of: dict[str, int] = {}
        self._nodes()
        self._materials(texture)
        self._meshes()
        self._animations()
        self._extras()
        if vrm:
            self._vrm(vrm)

    def _nodes(self) -> None:
        """An Armature in centimetres and Z up, as Blender's FBX detour leaves it."""
        skeleton, builder = self.human.skeleton, self.builder
        self.turn = quaternions.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.array(-np.pi / 2))
        matrix = np.diag([CENTIMETRE] * 3 + [1.0])
        matrix[:3, :3] = CENTIMETRE * quaternions.rotate(self.turn[None], np.eye(3)).T
        self.armature = builder.add(
            "nodes", {"name": "Armature", "matrix": matrix.T.ravel().tolist(), "children": []}
        )
        builder.scene_nodes().append(self.armature)
        back = quaternions.conjugate(self.turn)
        for joint in skeleton.joints:
            offset = np.asarray(joint.offset_in_parent) / CENTIMETRE
            rest = quaternions.normalised(np.asarray(joint.rest))
            if joint.parent is None:
                offset, rest = quaternions.rotate(back, offset), quaternions.multiply(back, rest)
            number = builder.add(
                "nodes",
                {
                    "name": f"rig:{joint.name}",
                    "translation": offset.tolist(),
                    "rotation": np.roll(rest, -1).tolist(),
                    "extras": {"bone": joint.name},
                },
            )
            self.node_of[joint.name] = number
            above = self.armature if joint.parent is None else self.node_of[joint.parent]
            builder.json["nodes"][above].setdefault("children", []).append(number)

    def _materials(self, size: int) -> None:
        builder = self.builder
        for number in range(2):
            data = png(size, size, number)
            builder.binary += b"\0" * (-len(builder.binary) % 4)
            view = {"buffer": 0, "byteOffset": len(builder.binary), "byteLength": len(data)}
            builder.binary += data
            image = {"name": f"picture {number}", "mimeType": "image/png"}
            builder.add("images", {**image, "bufferView": builder.add("bufferViews", view)})
            builder.add("textures", {"source": number, "sampler": 0})
        builder.add("samplers", {"magFilter": 9729, "wrapS": 10497})
        shift = {"KHR_texture_transform": {"offset": [0.25, 0.5], "scale": [2, 2]}}
        for number, name in enumerate(("skin", "cloth")):
            surface = {
                "baseColorTexture": {"index": number, **({"extensions": shift} if number else {})},
                "metallicFactor": 0.1,
            }
            builder.add("materials", {"name": name, "pbrMetallicRoughness": surface})
        builder.json["extensionsUsed"] = ["KHR_texture_transform", "KHR_lights_punctual"]
        lights = [{"type": "point", "color": [1, 0.5, 0.5], "intensity": 3}]
        builder.json["extensions"] = {"KHR_lights_punctual": {"lights": lights}}

    def _meshes(self) -> None:
        """The skin in two meshes with a skin each, a hat fixed to the head, a floor beside."""
        human, builder = self.human, self.builder
        skin, names = human.skin, human.skeleton.names
        assert skin is not None
        rest = forward(human.skeleton, human.skeleton.rest_configuration)
        upper = skin.vertices[skin.triangles].mean(axis=1)[:, 1] > 1.0
        self.vertex_count = 0
        for number, (part, joints) in enumerate(
            ((upper, range(len(names))), (~upper, reversed(range(len(names)))))
        ):
            joints = list(joints)
            used, flat = np.unique(skin.triangles[part], return_inverse=True)
            points = skin.vertices[used]
            self.vertex_count += len(points)
            place = np.argsort(joints)
            morph = self._sparse(np.flatnonzero(points[:, 1] > 1.4), len(points))
            primitive = {
                "attributes": {
                    "POSITION": builder.accessor(points, FLOAT, "VEC3", VERTICES, bounds=True),
                    "TEXCOORD_0": builder.accessor(points[:, :2], FLOAT, "VEC2", VERTICES),
                    "JOINTS_0": builder.accessor(place[skin.joints[used]], SHORT, "VEC4", VERTICES),
                    "WEIGHTS_0": builder.accessor(skin.weights[used], FLOAT, "VEC4", VERTICES),
                },
                "indices": builder.accessor(flat.ravel(), UNSIGNED, "SCALAR", 34963),
                "material": number,
                "targets": [{"POSITION": morph}],
            }
            mesh = builder.add(
                "meshes",
                {
                    "name": f"part {number}",
                    "primitives": [primitive],
                    "weights": [0.0],
                    "extras": {"targetNames": ["taller"]},
                },
            )
            inverse = np.tile(np.eye(4), (len(joints), 1, 1))
            for row, j in enumerate(joints):
                world = np.eye(4)
                world[:3, :3], world[:3, 3] = CENTIMETRE * rest.rotations[j], rest.positions[j]
                inverse[row] = np.linalg.inv(world)
            bind = builder.accessor(inverse.transpose(0, 2, 1).reshape(-1, 16), FLOAT, "MAT4")
            nodes = [self.node_of[names[j]] for j in joints]
            bound = builder.add("skins", {"joints": nodes, "inverseBindMatrices": bind})
            self.body = builder.add(
                "nodes", {"name": f"body {number}", "mesh": mesh, "skin": bound}
            )
            builder.json["nodes"][self.armature]["children"].append(self.body)
        hat = self._box("hat")
        number = builder.add(
            "nodes", {"name": "hat", "mesh": hat, "translation": [0, 20, 0], "scale": [9, 4, 9]}
        )
        builder.json["nodes"][self.node_of["head"]].setdefault("children", []).append(number)
        self.vertex_count += 8
        floor = builder.add("nodes", {"name": "floor", "mesh": hat, "scale": [3, 0.01, 3]})
        builder.scene_nodes().append(floor)

    def _box(self, name: str) -> int:
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
        sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        faces = np.array([t for a, b, c, d in sides for t in ((a, b, c), (a, c, d))])
        return self.builder.mesh(name, corners, faces, ("felt", [0.2, 0.2, 0.3, 1.0]))

    def _sparse(self, rows: np.ndarray, count: int) -> int:
        """A morph target that lifts some vertices, stored as a sparse array without a base."""
        builder = self.builder
        rows = rows if len(rows) else np.array([0])
        lift = np.tile([0.0, 0.1, 0.0], (len(rows), 1))
        where = builder.accessor(rows, UNSIGNED, "SCALAR")
        values = builder.accessor(lift, FLOAT, "VEC3")
        views = [builder.json["accessors"][n]["bufferView"] for n in (where, values)]
        del builder.json["accessors"][-2:]
        return builder.add(
            "accessors",
            {
                "componentType": FLOAT,
                "count": count,
                "type": "VEC3",
                "min": [0, 0, 0],
                "max": [0, float(np.float32(0.1)), 0],
                "sparse": {
                    "count": len(rows),
                    "indices": {"bufferView": views[0], "componentType": UNSIGNED},
                    "values": {"bufferView": views[1]},
                },
            },
        )

    def _matrix(self, node: int) -> np.ndarray:
        return np.array(self.builder.json["nodes"][node]["matrix"]).reshape(4, 4).T

    def _animations(self) -> None:
        """A wave with morph weights, in cubic splines for the neck; and a nod in steps."""
        builder, motion = self.builder, wave()
        human = self.human.skeleton
        times = builder.accessor(
            (np.arange(len(motion)) / motion.fps)[:, None], FLOAT, "SCALAR", bounds=True
        )
        samplers: list[dict[str, Any]] = []
        channels: list[dict[str, Any]] = []

        def channel(
            node: int, path: str, output: int, how: str = "LINEAR", at: int = times
        ) -> None:
            channels.append({"sampler": len(samplers), "target": {"node": node, "path": path}})
            samplers.append({"input": at, "output": output, "interpolation": how})

        back = quaternions.conjugate(self.turn)
        for side in ("left", "right"):
            joint = human.joints[human.index(f"{side}_shoulder")]
            local = quaternions.multiply(
                np.asarray(joint.rest), motion.q[:, human.q_slice(joint.name)]
            )
            values = builder.accessor(np.roll(local, -1, axis=1), FLOAT, "VEC4")
            channel(self.node_of[joint.name], "rotation", values)
        root = human.joints[0]
        moved = np.asarray(root.offset_in_parent) + motion.q[:, :3]
        places = quaternions.rotate(back, moved) / CENTIMETRE
        channel(self.node_of[root.name], "translation", builder.accessor(places, FLOAT, "VEC3"))
        weights = builder.accessor(np.linspace(0, 1, len(motion))[:, None], FLOAT, "SCALAR")
        channel(self.body, "weights", weights)
        builder.add("animations", {"name": "Wave", "samplers": samplers, "channels": channels})
        samplers, channels = [], []
        neck = np.asarray(human.joints[human.index("neck")].rest)
        nod = quaternions.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.3, 0.0]))
        two = builder.accessor(np.array([[0.0], [0.5], [1.0]]), FLOAT, "SCALAR", bounds=True)
        keys = builder.accessor(np.roll(quaternions.multiply(neck, nod), -1, axis=1), FLOAT, "VEC4")
        channel(self.node_of["neck"], "rotation", keys, "STEP", two)
        builder.add("animations", {"name": "Nod", "samplers": samplers, "channels": channels})

    def _extras(self) -> None:
        builder = self.builder
        lens = {"type": "perspective", "perspective": {"yfov": 0.7, "znear": 0.1}, "name": "eye"}
        camera = builder.add("cameras", lens)
        light = {"KHR_lights_punctual": {"light": 0}}
        for entry in (
            {"name": "viewpoint", "camera": camera, "translation": [0, 1.5, 4]},
            {"name": "lamp", "extensions": light, "translation": [1, 3, 1]},
        ):
            builder.scene_nodes().append(builder.add("nodes", entry))
        builder.json["extras"] = {"licence": "mine", "nested": {"n": [1, 2.5, None]}}
        builder.json["scenes"][0]["name"] = "stage"

    def _vrm(self, version: str) -> None:
        """The humanoid table of VRM 0.x or 1.0, under joint names that say nothing."""
        from writhe.recognition.naming_conventions import VRM_PARTS

        nodes = self.builder.json["nodes"]
        for number, node in enumerate(self.node_of.values()):
            nodes[node]["name"] = f"J_{number}"
        roles = {role: role for role in ("hips", "spine", "chest", "neck", "head")}
        for side in ("left", "right"):
            roles |= {side + bone: f"{side}_{part}" for bone, part in VRM_PARTS.items()}
        bones = {b: self.node_of[r] for b, r in roles.items() if r in self.node_of}
        known = self.builder.json["extensions"]
        if version == "1.0":
            table = {bone: {"node": node} for bone, node in bones.items()}
            known["VRMC_vrm"] = {"specVersion": "1.0", "humanoid": {"humanBones": table}}
        else:
            rows = [{"bone": bone, "node": node} for bone, node in bones.items()]
            known["VRM"] = {"exporterVersion": "x", "humanoid": {"humanBones": rows}}
        self.builder.json["extensionsUsed"].append("VRMC_vrm" if version == "1.0" else "VRM")

    def write(self, path: Path) -> Path:
        """Write a .glb or .vrm file, or a .gltf file with a .bin file and pictures beside it."""
        document, binary = self.builder.finish()
        if path.suffix != ".gltf":
            write_container(path, document, binary)
            return path
        document = json.loads(json.dumps(document))
        (path.parent / "data file.bin").write_bytes(binary)
        document["buffers"][0]["uri"] = "data%20file.bin"
        for number, image in enumerate(document["images"]):
            view = document["bufferViews"][image.pop("bufferView")]
            start = view["byteOffset"]
            data = binary[start : start + view["byteLength"]]
            if number:
                image["uri"] = "data:image/png;base64," + base64.b64encode(data).decode()
                continue
            (path.parent / "textures").mkdir(exist_ok=True)
            (path.parent / "textures" / "skin.png").write_bytes(data)
            image["uri"] = "textures/skin.png"
        path.write_text(json.dumps(document))
        return path
