"""Obstacles dragged into figures, and relations between parts, by mouse in a real browser."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from browser_user import (
    OpenPage,
    drag,
    next_frame,
    object_on_page,
    object_position,
    position,
    store,
    wait_for,
    wait_saved,
    where,
)
from server_process import Server

from writhe.studio.document import Document
from writhe.studio.editing.editor import Editor

STEPS = 20


def _push(page: Any, number: int, dx: float, dy: float, *, let_go: bool = True) -> None:
    """Drag an object over the floor, slowly enough to see bodies pushed aside."""
    x, y = object_on_page(page, number)
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, STEPS + 1):
        page.mouse.move(x + dx * k / STEPS, y + dy * k / STEPS)
        next_frame(page)
    if let_go:
        page.mouse.up()
        wait_saved(page)


def _clearance_m(server: Server, number: str) -> float:
    """The smallest clearance in a document, by the studio's own diagnostics."""
    with Document.open(server.documents / f"{number}.writhe") as document:
        editor = Editor(document)
        posed = editor.posed_actor(document.actors()[0])
        found = posed.diagnostics.measure(posed.q).clearance_m
    assert found is not None
    return found


@pytest.mark.parametrize("kind", ["Ball", "Box", "Rod", "Cylinder"])
def test_an_obstacle_pushes_the_body_aside(open_page: OpenPage, server: Server, kind: str) -> None:
    page = open_page(size=(960, 640))
    page.get_by_role("button", name=f"+ {kind}").click()
    wait_for(page, "s.selectedObject !== null")
    page.get_by_role("button", name="Front", exact=True).click()
    # to the height of the body beside it
    page.evaluate(
        """() => window.writhe.editor.command({ type: 'place_object', object: 1,
        position: [0.75, 1.1, 0], rotation: [1, 0, 0, 0] })"""
    )
    wait_saved(page)
    chest, pose = position(page, "chest"), store(page, "state.actors[0].q")
    wanted = page.evaluate(
        "() => { const { viewport } = window.writhe.editor;"
        " const p = viewport.objects.object(1).position; const at = viewport.onPage(p);"
        " return viewport.onPage(p.clone().setX(0.12)).x - at.x; }"
    )
    _push(page, 1, wanted, 0)
    assert store(page, "state.undo") == "Move object"
    reached = object_position(page, 1)
    assert reached[0] < 0.5  # well inside where the arm hung
    assert reached[1] == pytest.approx(1.1, abs=1e-6)
    moved = np.linalg.norm(np.subtract(position(page, "chest"), chest))
    wrist = np.linalg.norm(np.subtract(position(page, "left_elbow"), chest))
    assert moved > 0.02 or wrist > 0.05
    assert _clearance_m(server, page.document) > -0.001
    page.keyboard.press("Control+z")
    wait_for(page, "s.state.objects[0].position[0] === 0.75")
    assert store(page, "state.actors[0].q") == pose  # one undo takes both back


def test_without_pushing_a_moved_object_leaves_the_body_alone(open_page: OpenPage) -> None:
    page = open_page(size=(960, 640))
    page.get_by_role("button", name="+ Ball").click()
    wait_for(page, "s.selectedObject !== null")
    page.keyboard.press("u")
    toggle = page.get_by_role("button", name="Objects push bodies")
    assert toggle.get_attribute("aria-pressed") == "false"
    pose = store(page, "state.actors[0].q")
    x, y = object_on_page(page, 1)
    ankle = where(page, "left_ankle")
    _push(page, 1, ankle[0] - x, ankle[1] - y)
    wait_for(page, "s.state.undo === 'Place object'")
    assert store(page, "state.actors[0].q") == pose


def test_an_object_pushes_the_fingers_of_the_hand(open_page: OpenPage, server: Server) -> None:
    page = open_page(size=(960, 640))
    page.get_by_role("combobox", name="Body").select_option("hand")
    wait_for(page, "s.state.actors[0].figure === 'hand'")
    page.get_by_role("button", name="+ Ball").click()
    wait_for(page, "s.selectedObject !== null")
    assert store(page, "state.objects[0].size[0]") < 0.06  # in the hand's measure
    page.get_by_role("button", name="Top", exact=True).click()
    index, wrist = position(page, "index_3"), position(page, "wrist")
    x, y = object_on_page(page, 1)
    goal = where(page, "middle_3")
    _push(page, 1, goal[0] - x, goal[1] - y)
    assert np.linalg.norm(np.subtract(position(page, "index_3"), index)) > 0.004
    np.testing.assert_allclose(position(page, "wrist"), wrist, atol=1e-3)  # it is pinned
    assert _clearance_m(server, page.document) > -0.001


def _apart(page: Any) -> float:
    hands = position(page, "left_wrist"), position(page, "right_wrist")
    return float(np.linalg.norm(np.subtract(*hands)))


def test_two_hands_keep_their_distance_as_on_a_bar(open_page: OpenPage) -> None:
    page = open_page(size=(960, 640))
    page.get_by_text("Two parts of one character").click()
    page.get_by_role("combobox", name="What two parts keep").select_option("distance")
    page.get_by_role("button", name="Hold two things").click()
    page.mouse.click(*where(page, "left_wrist"))
    assert page.get_by_text("Click what it is held on").is_visible()
    page.mouse.click(*where(page, "right_wrist"))
    wait_for(page, "s.state.features.relations.relations.length === 1")
    assert page.locator(".mode-hint").is_hidden()
    apart, height = _apart(page), position(page, "right_wrist")[1]
    drag(page, "left_wrist", -60, -160)
    assert _apart(page) == pytest.approx(apart, abs=1e-3)
    assert position(page, "right_wrist")[1] > height + 0.03  # it was taken along
    page.get_by_role("button", name="Remove hold: left wrist").click()
    wait_for(page, "s.state.features.relations.relations.length === 0")
    drag(page, "left_wrist", 80, 0)
    assert abs(_apart(page) - apart) > 0.02
