"""Inputs of the reader fuzzer: bytes turned into a file of one format, and seed files.

Containers with checksums and lengths would reject almost every changed byte, so for these formats
the fuzzed bytes are the contents: the JSON and the binary of a glTF file, the arrays of an archive.
"""

from __future__ import annotations

import io
import json
import struct
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from writhe.io import load, load_figure, save
from writhe.io.meshes import load_mesh
from writhe.scene import Scene
from writhe.skeleton import Figure, Joint, JointKind, Motion, Skeleton, Skin, Tip

_DTYPES = ("<f8", "<f4", "<i4", "<i8", "|u1", "|b1", "<U4", "|O", "<c16", ">f8")
_ARRAYS = ("poses", "trans", "mocap_framerate", "betas", "gender", "mocap_frame_rate", "J", "fps")


def _plain(data: bytes) -> bytes:
    return data


def _glb(data: bytes) -> bytes:
    """The first byte chooses raw bytes or a container around JSON, a zero byte and the binary."""
    if not data or data[0] % 8 == 0:
        return data[1:]
    text, _, binary = data[1:].partition(b"\0")
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
    if binary:
        chunks += struct.pack("<II", len(binary), 0x004E4942) + binary
    return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks


def _npz(data: bytes) -> bytes:
    """The first byte chooses raw bytes or an archive of arrays described by the bytes.

    Per array: name, type, number of dimensions, the dimensions, a flag for a wrong header, and how
    many of the remaining bytes it takes.
    """
    if not data or data[0] % 8 == 0:
        return data[1:]
    out, at = io.BytesIO(), 1
    with zipfile.ZipFile(out, "w") as target:
        used: set[str] = set()
        while at + 8 < len(data) and len(used) < 6:
            head, at = data[at : at + 8], at + 8
            name = _ARRAYS[head[0] % len(_ARRAYS)]
            if name in used:
                continue
            used.add(name)
            shape = tuple(int(n) for n in head[3 : 3 + head[2] % 4])
            body = data[at : at + 4 * head[6]]
            at += 4 * head[6]
            kind = np.dtype(_DTYPES[head[1] % len(_DTYPES)])
            needed = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
            if head[7] % 4:
                body = (body * (needed // max(len(body), 1) + 1))[:needed].ljust(needed, b"\0")
            text = f"{{'descr': '{kind.str}', 'fortran_order': False, 'shape': {shape}, }}"
            text += " " * (63 - (len(text) + 10) % 64) + "\n"
            npy = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + body
            target.writestr(f"{name}.npy", npy)
    return out.getvalue()


def _read_motion(path: Path) -> None:
    load(path)
    load_figure(path)


def _read_scene(path: Path) -> None:
    Scene.load(path)


# format: suffix, bytes to file, reader
FORMATS: dict[str, tuple[str, Callable[[bytes], bytes], Callable[[Path], object]]] = {
    "bvh": (".bvh", _plain, _read_motion),
    "glb": (".glb", _glb, _read_motion),
    "npz": (".npz", _npz, load),  # always the same skeleton, so there is no need to fit shapes
    "scene": (".json", _plain, _read_scene),
    "mesh": (".glb", _glb, load_mesh),
    "obj": (".obj", _plain, load_mesh),
}


def seeds(name: str) -> list[bytes]:
    """Valid inputs of a format, the seeds of the fuzzer."""
    with tempfile.TemporaryDirectory() as folder:
        return _seeds(name, Path(folder))


def _seeds(name: str, folder: Path) -> list[bytes]:
    figure = small_figure()
    q = np.repeat(figure.skeleton.rest_configuration[None], 4, axis=0)
    q[:, 0] = np.arange(4) * 0.1
    motion = Motion(figure.skeleton, q, fps=30.0)
    if name == "bvh":
        save(motion, folder / "s.bvh")
        text = (folder / "s.bvh").read_bytes()
        one = (
            b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\nJOINT b\n{\nOFFSET 0 1 0\n"
        )
        one += b"CHANNELS 2 Yrotation Zrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n}\nMOTION\n"
        return [text, one + b"Frames: 2\nFrame Time: 0.1\n1 2 3\n170 -170 1e1\n"]
    if name in ("glb", "mesh"):
        save(motion, folder / "s.glb", figure=figure)
        data = (folder / "s.glb").read_bytes()
        size = struct.unpack_from("<I", data, 12)[0]
        text, binary = data[20 : 20 + size], data[28 + size :]
        found = [b"\1" + text + b"\0" + binary, b"\0" + data]
        for kind in ("STEP", "CUBICSPLINE"):
            document = json.loads(text)
            for sampler in document["animations"][0]["samplers"]:
                sampler["interpolation"] = kind
                if kind == "CUBICSPLINE":
                    sampler["input"] = len(document["accessors"])
            times = next(
                a for a in document["accessors"] if a["type"] == "SCALAR" and a["count"] == 4
            )
            document["accessors"].append({**times, "count": 1})
            found.append(b"\1" + json.dumps(document).encode() + b"\0" + binary)
        return found
    if name == "npz":
        np.savez(
            folder / "s.npz", poses=np.zeros((3, 66)), trans=np.zeros((3, 3)), mocap_framerate=60.0
        )
        arrays = b"\1" + bytes([0, 0, 2, 3, 66, 0, 1, 1]) + b"\0\0\0\0"
        arrays += bytes([1, 0, 2, 3, 3, 0, 1, 1]) + b"\0\0\0\0"
        arrays += bytes([2, 0, 0, 0, 0, 0, 2, 1]) + struct.pack("<d", 60.0)
        return [b"\0" + (folder / "s.npz").read_bytes(), arrays]
    if name == "scene":
        return [_SCENE]
    return [b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1/1 2/2 4/3\nf 2 3 4\nf 3 1 -1\n"]


_TETRAHEDRON = {
    "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "triangles": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
}
_SCENE = json.dumps(
    {
        "writhe_scene": 1,
        "actors": [{"name": "p", "figure": "hand", "position_m": [0, 1, 0], "driven": True}],
        "objects": [
            {"name": "f", "shapes": [{"type": "half_space", "normal": [0, 1, 0]}]},
            {"name": "c", "built_in": "chair", "rotation": [0, 0, 1, 0]},
            {
                "name": "t",
                "kind": "animated",
                "shapes": [
                    {"type": "box", "size": [1, 0.1, 1], "rounding_m": 0.01},
                    {"type": "ball", "centre": [0, 0, 0], "radius_m": 0.1},
                    {"type": "capsule", "start": [0, 0, 0], "end": [0, 1, 0], "radius_m": 0.1},
                    {"type": "cylinder", "start": [0, 0, 0], "end": [0, 1, 0], "radius_m": 0.1},
                    {"type": "hull", "corners": _TETRAHEDRON["vertices"], "radius_m": 0.01},
                    {"type": "mesh", **_TETRAHEDRON, "most_pieces": 2},
                ],
                "strands": {"rail": [[0, 0, 0], [0, 1, 0]]},
                "keys": {"times_s": [0, 1], "positions_m": [[0, 0, 0], [0, 0, 1]]},
            },
        ],
        "contacts": [{"a": "t", "b": "f", "allowance_m": 0.005}],
    }
).encode()


def small_figure() -> Figure:
    """Four joints with a skin of four triangles."""
    up = np.array([0.0, 0.3, 0.0])
    skeleton = Skeleton(
        [
            Joint("Hips", None, JointKind.FREE, up),
            Joint("Spine", "Hips", JointKind.BALL, up),
            Joint("Arm", "Spine", JointKind.HINGE, up, axis=np.array([1.0, 0, 0])),
            Joint("Leg", "Hips", JointKind.BALL, -up),
        ],
        [Tip("end", "Arm", up)],
    )
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    triangles = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    joints = np.array([[0, 1, 0, 0], [1, 2, 0, 0], [2, 3, 0, 0], [3, 0, 0, 0]])
    weights = np.tile([0.5, 0.5, 0, 0], (4, 1))
    return Figure("small", skeleton, skin=Skin(vertices, triangles, joints, weights))
