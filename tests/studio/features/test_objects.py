"""Objects of a document: placed, resized, keyed, undone; older files get them too."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import msgspec
import numpy as np
import pytest

from writhe.errors import WritheError
from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.studio.document import Document
from writhe.studio.document.history import Change
from writhe.studio.document.schema import APPLICATION_ID, MIGRATIONS, VERSION
from writhe.studio.editing.move_actor import move_actor
from writhe.studio.editing.scene import object_edits, placements, scene_objects
from writhe.studio.editing.starting_poses import starting_pose
from writhe.studio.files.imports import import_file


@pytest.fixture
def document(tmp_path: Path) -> Document:
    made = Document.create(tmp_path / "objects.writhe", "Objects")
    made.add_actor("human")
    return made


def test_an_object_goes_from_key_to_key(document: Document) -> None:
    with document.edit("Add") as edit:
        number = object_edits.add_object(document, edit, "box", (0.0, 0.5, 1.0))
        object_edits.key_object(document, edit, number, 0.0)
        turned = (float(np.cos(0.5)), 0.0, float(np.sin(0.5)), 0.0)  # by one radian about y
        object_edits.place_object(document, edit, number, (2.0, 0.5, 1.0), turned, 2.0)
    place = placements.placement_at(document, document.object_row(number), 1.0)
    np.testing.assert_allclose(place[:3], (1.0, 0.5, 1.0), atol=1e-12)
    np.testing.assert_allclose(place[3:], (np.cos(0.25), 0, np.sin(0.25), 0), atol=1e-12)
    for time_s, x in ((-1.0, 0.0), (5.0, 2.0)):
        assert placements.placement_at(document, document.object_row(number), time_s)[0] == x
    document.undo()
    assert document.objects() == []
    assert document.all_tracks() == []


def test_what_stands_goes_on_standing_when_it_is_resized(document: Document) -> None:
    with document.edit("Add") as edit:
        low = object_edits.add_object(document, edit, "box", (0.0, 0.2, 1.0))
        object_edits.resize_object(document, edit, low, (0.6, 0.4, 0.6))
        on_it = object_edits.add_object(document, edit, "box", (0.0, 0.5, 1.0))
        object_edits.resize_object(document, edit, on_it, (0.2, 0.2, 0.2))
        in_the_air = object_edits.add_object(document, edit, "box", (2.0, 1.0, 1.0))
    bottoms: list[float] = []
    for number in (low, on_it, in_the_air):
        with document.edit("Resize") as edit:
            object_edits.resize_object(document, edit, number, (0.3, 0.8, 0.3))
        if number == low:
            with document.edit("Put back") as edit:
                object_edits.resize_object(document, edit, number, (0.6, 0.4, 0.6))
        body = document.object_row(number).data
        bottoms.append(body.position[1] - 0.5 * body.size[1])
    np.testing.assert_allclose(bottoms, (0.0, 0.4, 0.6), atol=0.02)


@pytest.mark.parametrize(
    ("kind", "wanted", "got", "half_height"),
    [
        ("box", (0.2, 0.6, 0.4), (0.2, 0.6, 0.4), 0.3),
        ("ball", (0.2, 0.6, 0.4), (0.2, 0.2, 0.2), 0.1),
        ("capsule", (0.2, 0.6, 0.4), (0.2, 0.6, 0.2), 0.3),
        ("cylinder", (0.2, 0.6, 0.4), (0.2, 0.6, 0.2), 0.3),
    ],
)
def test_solids_have_the_size_asked_for(
    document: Document,
    kind: str,
    wanted: tuple[float, float, float],
    got: tuple[float, float, float],
    half_height: float,
) -> None:
    with document.edit("Add") as edit:
        number = object_edits.add_object(document, edit, kind)
        object_edits.resize_object(document, edit, number, wanted)
    item = document.object_row(number)
    assert item.data.size == got
    (shape,) = scene_objects.shapes_of(item)
    assert shape.points_in_joint[:, 1].max() + shape.radius_m == pytest.approx(half_height)


def test_what_makes_no_sense_is_refused(document: Document) -> None:
    with document.edit("Add") as edit:
        chair = object_edits.add_object(document, edit, "chair")
        box = object_edits.add_object(document, edit, "box")
    upright = (1.0, 0.0, 0.0, 0.0)
    for attempt in (
        lambda edit: object_edits.add_object(document, edit, "spaceship"),
        lambda edit: object_edits.resize_object(document, edit, chair, (1.0, 1.0, 1.0)),
        lambda edit: object_edits.resize_object(document, edit, box, (1.0, 0.0, 1.0)),
        lambda edit: object_edits.resize_object(document, edit, box, (1.0, np.nan, 1.0)),
        lambda edit: object_edits.place_object(document, edit, box, (1e9, 0, 0), upright, 0.0),
        lambda edit: object_edits.place_object(document, edit, box, (0, 0, 0), (0, 0, 0, 0), 0.0),
        lambda edit: object_edits.place_object(document, edit, 99, (0, 0, 0), upright, 0.0),
        lambda edit: object_edits.key_object(document, edit, box, -1.0),
    ):
        with pytest.raises(WritheError), document.edit("Try") as edit:
            attempt(edit)


def test_a_file_of_the_first_schema_is_migrated_with_its_history(tmp_path: Path) -> None:
    path = tmp_path / "old.writhe"
    row = {"id": 1, "name": "Chair", "kind": "chair"}
    old = {**row, "data": msgspec.msgpack.encode((0.0, 0.0, -0.42))}
    with sqlite3.connect(path) as connection:
        for statement in MIGRATIONS[0]:
            assert isinstance(statement, str)
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 1")
        connection.execute("INSERT INTO objects VALUES (:id, :name, :kind, :data)", old)
        connection.execute("INSERT INTO tracks VALUES (1, 1, 'pose', 'Pose', 0.0, 30.0, ?)", (b"",))
        changes = msgspec.msgpack.encode([Change("objects", 1, None, old)])
        connection.execute("INSERT INTO history VALUES (1, 'Choose scene', 0.0, ?)", (changes,))
        connection.execute("INSERT INTO meta VALUES ('cursor', 1)")
    connection.close()
    with Document.open(path) as document:
        (chair,) = document.objects()
        assert (chair.kind, chair.data.position) == ("chair", (0.0, 0.0, -0.42))
        assert [track.object for track in document.all_tracks()] == [0]
        assert document.undo() == "Choose scene"
        assert document.objects() == []
        document.redo()
        assert document.objects() == [chair]
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == VERSION


def test_a_moved_actor_takes_its_motion_and_pins_along(document: Document) -> None:
    human = figure("human")
    start = starting_pose(human)
    other = start.copy()
    other[human.skeleton.q_slice("left_elbow")] = 1.0
    document.set_key(1, 0.0, start)
    document.set_key(1, 1.0, other)
    before = [forward(human.skeleton, document.timeline(1).at(t)) for t in (0.0, 0.5, 1.0)]
    pins = document.actor(1).pins
    with document.edit("Move") as edit:
        move_actor(document, edit, 1, np.array([1.0, 0.0, -2.0]), np.pi / 2)
    root = before[0].positions[0]

    def wanted(point: np.ndarray) -> np.ndarray:
        x, y, z = point - root  # a quarter turn about y takes z to x and x to -z
        return np.array([z, y, -x]) + root + (1.0, 0.0, -2.0)

    for time_s, frames in zip((0.0, 0.5, 1.0), before, strict=True):
        now = forward(human.skeleton, document.timeline(1).at(time_s))
        for joint in ("hips", "left_wrist", "head", "right_ankle"):
            np.testing.assert_allclose(
                now.position(joint), wanted(frames.position(joint)), atol=1e-9
            )
    for old, new in zip(pins, document.actor(1).pins, strict=True):
        np.testing.assert_allclose(new.position_in_world, wanted(np.array(old.position_in_world)))
    document.undo()
    np.testing.assert_array_equal(document.timeline(1).at(0.0), start)


def test_a_scene_file_brings_its_objects(document: Document, tmp_path: Path) -> None:
    scene = {
        "writhe_scene": 1,
        "actors": [{"name": "ben", "figure": "not-here.bvh"}],
        "objects": [
            {"name": "floor", "shapes": [{"type": "half_space"}]},
            {"name": "seat", "built_in": "chair", "position_m": [0, 0, -0.4]},
            {
                "name": "ball",
                "kind": "animated",
                "shapes": [{"type": "ball", "radius_m": 0.1}],
                "keys": {"times_s": [0, 1], "positions_m": [[-1, 1, 0], [1, 1, 0]]},
            },
            {
                "name": "table",
                "shapes": [{"type": "box", "size": [1.0, 0.05, 0.6], "centre": [0, 0.7, 0]}],
            },
        ],
    }
    said, _ = import_file(document, 1, "room.json", json.dumps(scene).encode())
    assert "3 objects" in said
    assert "characters were not imported" in said
    seat, ball, table = document.objects()
    assert (seat.kind, seat.data.position) == ("chair", (0.0, 0.0, -0.4))
    assert placements.placement_at(document, ball, 0.5)[0] == pytest.approx(0.0)
    (shape,) = scene_objects.shapes_of(table)
    top = shape.points_in_joint[:, 1].max() + shape.radius_m
    assert top == pytest.approx(0.725)
    assert document.undo() == "Open scene"
    assert document.objects() == []


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"writhe_scene": 2}', '{"objects": 7}'])
def test_a_broken_scene_file_is_refused(document: Document, text: str) -> None:
    with pytest.raises(WritheError):
        import_file(document, 1, "room.json", text.encode())
    assert document.objects() == []


def test_a_dropped_mesh_is_an_object_before_the_character(tmp_path):
    document = Document.create(tmp_path / "drop.writhe", "Drop")
    actor = document.add_actor("human_with_fingers")
    corners = "".join(
        f"v {x} {y} {z}\n" for x in (-0.03, 0.03) for y in (0.0, 0.12) for z in (-0.03, 0.03)
    )
    faces = "f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n"
    text, _ = import_file(document, actor, "mug.obj", (corners + faces).encode())
    assert "1 convex piece" in text
    (item,) = document.objects()
    assert item.name == "mug" and item.kind == "own"
    assert item.data.position[1] == pytest.approx(0.06, abs=0.005)  # it stands on the floor
    assert item.data.position[2] > 0.2
    document.undo()
    assert document.objects() == []


def heights(document: Document, number: int) -> tuple[float, float]:
    """The lowest and the highest point of an object, m."""
    item = document.object_row(number)
    points = scene_objects.surface_of(item)[0][:, 1] + item.data.position[1]
    return float(points.min()), float(points.max())


def test_a_bar_comes_on_a_stand_and_both_are_one_edit(document: Document) -> None:
    actor = document.actors()[0]
    with document.edit("Add") as edit:
        object_edits.add_beside(document, edit, "bar", actor, actor.configuration, to_walk_to=False)
    bar, stand = document.objects()
    assert (bar.kind, stand.kind) == ("bar", "stand")
    low, _ = heights(document, bar.id)
    floor, top = heights(document, stand.id)
    assert top == pytest.approx(low, abs=0.002) and floor == pytest.approx(0.0, abs=0.002)
    document.undo()
    assert document.objects() == []


def test_a_bar_is_added_where_nobody_stands_at_that_time(document: Document) -> None:
    actor, other = document.actors()[0], document.add_actor("human")
    start = document.actor(other).configuration
    ahead = start.copy()
    ahead[0], ahead[2] = actor.configuration[0], actor.configuration[2] + 0.9
    for time_s, q in ((0.0, start), (1.0, ahead)):
        document.set_key(other, time_s, q)
    with document.edit("Add") as edit:
        object_edits.add_beside(
            document, edit, "bar", actor, actor.configuration, to_walk_to=False, time_s=1.0
        )
    bar = document.objects()[0].data.position
    assert np.hypot(bar[0] - ahead[0], bar[2] - ahead[2]) > 0.8


def test_what_is_put_down_stands_on_what_is_below_it(document: Document) -> None:
    with document.edit("Add") as edit:
        table = object_edits.add_object(document, edit, "box", (0.0, 0.2, 1.0))
        above = object_edits.add_object(document, edit, "ball", (0.1, 1.5, 1.0))
        beside = object_edits.add_object(document, edit, "bar", (2.0, 1.2, 1.0))
        for number in (above, beside):
            object_edits.put_down(document, edit, number, 0.0)
    assert heights(document, above)[0] == pytest.approx(heights(document, table)[1], abs=0.005)
    assert heights(document, beside)[0] == pytest.approx(0.0, abs=0.002)
