"""Names of parts as the page shows them."""

from __future__ import annotations

import pytest

from writhe.studio.view.part_labels import body_name, display_name, display_sentence


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        ("left_hip", "left thigh"),
        ("right_ring", "right ring finger"),
        ("left_index_2", "left index finger"),
        ("left_thumb_1", "left thumb 1"),
        ("neck", "neck"),
    ],
)
def test_parts_have_the_names_of_body_parts(part: str, shown: str) -> None:
    assert body_name(part) == shown


def test_parts_of_several_characters_name_their_owner() -> None:
    assert display_name("actor1.right_ring", {"actor1": "Anna"}) == "Anna’s right ring finger"
    assert display_name("actor1.right_ring", {"actor1": ""}) == "right ring finger"


def test_parts_of_imported_characters_are_called_by_their_roles() -> None:
    names = {"actor1": "Kim", "actor1.mixamorig:LeftHand": "left hand"}
    assert display_name("actor1.mixamorig:LeftHand", names) == "Kim’s left hand"
    assert display_name("actor1.mixamorig:Spine2", names) == "Kim’s Spine2"
    sentence = "actor1.mixamorig:LeftHand: meets actor1.left_hip."
    assert display_sentence(sentence, names) == "Kim’s left hand: meets Kim’s left thigh."
