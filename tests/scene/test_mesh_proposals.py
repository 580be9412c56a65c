"""Strands proposed from meshes: pipes, rings, chairs, boards."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

from writhe.cli.app import run
from writhe.collision import box, capsule
from writhe.collision.mesh_pieces.surfaces import surface
from writhe.errors import FileFormatError, WritheError
from writhe.io.meshes import load_mesh
from writhe.scene import Scene
from writhe.scene.mesh_proposals import propose_for_mesh
from writhe.scene.objects.chair import chair


def torus(big=0.4, small=0.03, around=60, across=12):
    u, v = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    a, b = 2 * np.pi * u / around, 2 * np.pi * v / across
    ring = big + small * np.cos(b)
    points = np.stack([ring * np.cos(a), small * np.sin(b) + 1.0, ring * np.sin(a)], axis=-1)
    index = (u * across + v).astype(np.int64)
    right, up = np.roll(index, -1, axis=0), np.roll(index, -1, axis=1)
    corner = np.roll(right, -1, axis=1)
    faces = np.concatenate(
        [np.stack([index, corner, right], -1), np.stack([index, up, corner], -1)]
    )
    return points.reshape(-1, 3), faces.reshape(-1, 3)


def together(meshes):
    vertices, triangles, count = [], [], 0
    for points, faces in meshes:
        vertices.append(points)
        triangles.append(faces + count)
        count += len(points)
    return np.concatenate(vertices), np.concatenate(triangles)


def chair_mesh():
    return together([surface(shape, 0.04) for shape in chair()[0]])


def write_obj(path, vertices, triangles):
    lines = [f"v {x} {y} {z}" for x, y, z in vertices]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in triangles]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_ring_is_one_closed_strand():
    found = propose_for_mesh(*torus())
    assert len(found.strands) == 1
    (line,) = found.strands.values()
    assert np.allclose(line[0], line[-1])
    assert np.abs(np.hypot(line[:, 0], line[:, 2]) - 0.4).max() < 0.02
    length = np.linalg.norm(np.diff(line, axis=0), axis=1).sum()
    assert length == pytest.approx(2 * np.pi * 0.4, rel=0.05)
    # the hole stays open
    assert all(s.radius_m == pytest.approx(0.03, abs=0.01) for s in found.shapes)


def test_a_pipe_is_a_line_through_its_middle():
    found = propose_for_mesh(*surface(capsule([0, 0.5, 0], [0.9, 0.7, 0.1], 0.03)))
    (line,) = found.strands.values()
    ends = line[np.argsort(line[:, 0])][[0, -1]]
    assert np.linalg.norm(ends - [[0, 0.5, 0], [0.9, 0.7, 0.1]], axis=1).max() < 0.06
    assert found.shapes[0].radius_m == pytest.approx(0.03, abs=0.008)


def test_a_board_has_its_four_sides():
    found = propose_for_mesh(*surface(box([0, 0.5, 0], [0.6, 0.03, 0.4])))
    assert len(found.strands) == 4
    lengths = sorted(float(np.linalg.norm(p[1] - p[0])) for p in found.strands.values())
    assert lengths == pytest.approx([0.4, 0.4, 0.6, 0.6], abs=0.03)
    assert len(found.shapes) == 1


def test_a_chair_of_tubes_and_boards_gets_strands_along_all_of_them():
    found = propose_for_mesh(*chair_mesh(), max_strands=30)
    own = chair()[1]
    for name, points in own.items():
        expected = 0.5 * (points[0] + points[1])
        near = min(
            _distance(expected, a, b) for line in found.strands.values() for a, b in pairwise(line)
        )
        assert near < 0.03, name


def _distance(p, a, b):
    along = b - a
    share = np.clip((p - a) @ along / (along @ along), 0, 1)
    return float(np.linalg.norm(a + share * along - p))


def test_the_longest_strands_are_kept():
    found = propose_for_mesh(*chair_mesh(), max_strands=5)
    assert len(found.strands) == 5
    assert found.dropped > 0


@pytest.mark.parametrize("mesh", [torus, chair_mesh])
def test_the_command_writes_a_scene_that_can_be_edited(tmp_path, capsys, mesh):
    path = write_obj(tmp_path / "thing.obj", *mesh())
    scene = tmp_path / "room.json"
    with pytest.raises(SystemExit) as end:
        run(["scene", "strands", str(path), "-o", str(scene), "--json"])
    assert end.value.code in (0, None)
    told = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    document = json.loads(scene.read_text())
    item = next(o for o in document["objects"] if o["name"] == "thing")
    assert set(item["strands"]) == set(told["strands"])
    item["strands"] = {"mine": [[0, 0, 0], [0, 1, 0]]}
    scene.write_text(json.dumps(document))
    assert set(Scene.load(scene).object("thing").strands) == {"mine"}


def test_meshes_are_read_with_faces_of_any_size_and_errors_name_the_line(tmp_path):
    good = tmp_path / "square.obj"
    good.write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//1 3//1 4//1\n")
    vertices, triangles = load_mesh(good)
    assert len(vertices) == 4
    assert len(triangles) == 2
    bad = tmp_path / "bad.obj"
    bad.write_text("v 0 0 0\nf 1 2 3\n")
    with pytest.raises(FileFormatError, match="2"):
        load_mesh(bad)
    with pytest.raises(WritheError, match="four triangles"):
        propose_for_mesh(np.eye(3), np.array([[0, 1, 2]]))


def test_a_glb_mesh_is_read_as_it_is_placed(tmp_path):
    import struct

    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype="<f4").tobytes()
    document = {
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": len(points)}],
        "bufferViews": [{"buffer": 0, "byteLength": len(points)}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "nodes": [
            {"children": [1], "translation": [0, 2, 0]},
            {"mesh": 0, "scale": [2, 2, 2]},
        ],
    }
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
    chunks += struct.pack("<II", len(points), 0x004E4942) + points
    path = tmp_path / "flag.glb"
    path.write_bytes(struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks)
    vertices, _ = load_mesh(path)
    assert sorted(map(tuple, vertices.tolist())) == [(0, 2, 0), (0, 4, 0), (2, 2, 0)]
