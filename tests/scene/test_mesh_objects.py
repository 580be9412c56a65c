"""Objects from mesh files."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from writhe import Scene
from writhe.cli.app import build_app
from writhe.collision.shapes import hull_directions
from writhe.errors import WritheError
from writhe.scene.mesh_objects import object_from_mesh

_FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def _write_boxes(path: Path, boxes: list[tuple[tuple[float, ...], tuple[float, ...]]]) -> None:
    lines: list[str] = []
    for k, (centre, size) in enumerate(boxes):
        for corner in product((-0.5, 0.5), repeat=3):
            x, y, z = np.array(centre) + np.array(corner) * size
            lines.append(f"v {x} {y} {z}")
        lines += ["f " + " ".join(str(8 * k + 1 + i) for i in face) for face in _FACES]
    path.write_text("\n".join(lines))


@pytest.fixture
def stool(tmp_path: Path) -> Path:
    """A stool of a seat and four legs, in centimetres."""
    legs = [((x, 20.0, z), (4.0, 40.0, 4.0)) for x in (-16.0, 16.0) for z in (-16.0, 16.0)]
    path = tmp_path / "stool.obj"
    _write_boxes(path, [((0.0, 43.0, 0.0), (40.0, 4.0, 40.0)), *legs])
    return path


def test_a_mesh_becomes_an_object_of_covering_pieces_on_the_floor(stool: Path) -> None:
    item = object_from_mesh(stool)
    assert len(item.shapes) == 5  # under the seat it is open: a hand or a leg fits
    corners = np.concatenate([shape.points_in_joint for shape in item.shapes])
    assert float(item.position_m[1] + corners[:, 1].min()) == pytest.approx(0.0, abs=0.005)
    assert np.ptp(corners, axis=0) == pytest.approx([0.40, 0.45, 0.40], abs=0.01)
    for point in np.random.default_rng(1).uniform(-0.195, 0.195, (50, 2)):  # points of the seat
        place = np.array([point[0], 0.205, point[1]])
        assert any(_contains(shape, place) for shape in item.shapes)


def _contains(shape, place: np.ndarray) -> bool:
    points, normals, _ = hull_directions(shape)
    return bool(((normals @ place) <= (normals @ points.T).max(axis=1) + shape.radius_m).all())


def test_an_open_mesh_becomes_its_hull_and_a_wrong_scale_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sheet.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 0.5 0.4 0.5\nf 1 2 5\nf 2 3 5\nf 3 4 5")
    assert len(object_from_mesh(path).shapes) == 1
    with pytest.raises(WritheError, match="would be 5e\\+03 m large"):
        object_from_mesh(path, scale=5000.0)


def test_the_command_writes_a_scene_that_can_be_read(stool: Path, tmp_path: Path) -> None:
    out = tmp_path / "room.json"
    done = CliRunner().invoke(build_app("scene"), ["scene", "object", str(stool), "-o", str(out)])
    assert done.exit_code == 0, done.output
    assert len(Scene.load(out).object("stool").shapes) == 5
