"""Objects, contacts, layers and certificates in a real browser."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from browser_user import (
    OpenPage,
    actor_in_scene,
    drag,
    object_on_page,
    object_position,
    open_section,
    position,
    press_and_drag,
    store,
    wait_for,
    wait_saved,
    where,
)
from server_process import Server

from writhe import io
from writhe.skeleton import Motion
from writhe.skeleton.figures import figure
from writhe.studio.editing.starting_poses import starting_pose


def test_an_object_dragged_up_in_a_low_view_moves_away(open_page: OpenPage) -> None:
    page = open_page(size=(960, 640))
    page.get_by_role("button", name="+ Box").click()
    wait_for(page, "s.state.objects.length === 1 && s.selectedObject === s.state.objects[0].id")
    before = object_position(page, 1)
    press_and_drag(page, *object_on_page(page, 1), 0, -30)
    wait_for(page, "s.state.undo === 'Move object'")
    slid = object_position(page, 1)
    assert slid[1] == pytest.approx(before[1], abs=1e-6)
    assert slid[2] < before[2] - 0.1


def test_an_object_is_added_dragged_lifted_and_keyed(open_page: OpenPage) -> None:
    page = open_page(size=(960, 640))
    page.get_by_role("button", name="+ Box").click()
    wait_for(page, "s.state.objects.length === 1 && s.selectedObject === s.state.objects[0].id")
    before = object_position(page, 1)
    press_and_drag(page, *object_on_page(page, 1), 40, 20)
    wait_for(page, "s.state.undo === 'Move object'")
    slid = object_position(page, 1)
    assert slid[1] == pytest.approx(before[1], abs=1e-6)  # over the floor
    assert np.hypot(slid[0] - before[0], slid[2] - before[2]) > 0.1
    grip = actor_in_scene(page, "objects", "shift", 1)
    press_and_drag(page, *grip, 0, -40)
    wait_for(page, f"s.state.objects[0].position[1] > {slid[1] + 0.1}")
    lifted = store(page, "state.objects[0].position")
    assert lifted[0] == pytest.approx(slid[0], abs=1e-6)
    page.get_by_role("spinbutton", name="Width in centimetres").fill("80")
    page.keyboard.press("Enter")
    wait_for(page, "s.state.objects[0].size[0] === 0.8")
    page.get_by_role("button", name="Key object").click()
    wait_for(page, "s.state.keys.length === 1 && s.state.keys[0].kind === 'place'")
    page.evaluate("window.writhe.editor.seek(2)")
    press_and_drag(page, *object_on_page(page, 1), -60, 0)
    wait_for(page, "s.state.keys.length === 2")
    page.evaluate("window.writhe.editor.seek(1)")
    halfway = object_position(page, 1)
    ends = [key["position"] for key in store(page, "state.objects[0].keys")]
    np.testing.assert_allclose(halfway, np.mean(ends, axis=0), atol=1e-5)
    for _ in range(6):
        page.keyboard.press("Control+z")
    wait_for(page, "s.state.objects.length === 0")


def test_the_whole_character_is_moved_and_turned(open_page: OpenPage) -> None:
    page = open_page(size=(900, 640))
    page.get_by_role("button", name="Move", exact=True).click()
    page.wait_for_function("() => window.writhe.store.movingActor")
    hips, foot = position(page, "hips"), position(page, "left_ankle")
    press_and_drag(page, *actor_in_scene(page, "move_actor", "shift", 0), 60, 0)
    wait_for(page, "s.state.undo === 'Move character'")
    moved = position(page, "hips")
    shift = np.subtract(moved, hips)
    assert shift[0] > 0.15
    assert abs(shift[1]) < 1e-5
    np.testing.assert_allclose(np.subtract(position(page, "left_ankle"), foot), shift, atol=1e-5)
    wrist = position(page, "left_wrist")
    press_and_drag(page, *actor_in_scene(page, "move_actor", "turn", 1), 60, 12)
    wait_saved(page)
    assert np.linalg.norm(np.subtract(position(page, "left_wrist"), wrist)) > 0.05
    np.testing.assert_allclose(position(page, "hips"), moved, atol=1e-5)
    drag(page, "left_wrist", 30, -40)  # its pins came along: the feet stay
    np.testing.assert_allclose(position(page, "hips")[:1], moved[:1], atol=0.1)


def test_contacts_are_declared_by_two_clicks(open_page: OpenPage) -> None:
    page = open_page(size=(960, 640))
    page.get_by_role("button", name="Add contact").click()
    assert page.get_by_text("Click the first part or object").is_visible()
    page.mouse.click(*where(page, "left_wrist"))
    assert page.get_by_text("Click the part or object that it may touch").is_visible()
    page.mouse.click(*where(page, "head"))
    wait_for(page, "s.state.contacts.length > 0")
    open_section(page, "Contacts")
    words = store(page, "state.features.contacts.contacts")[0]
    assert "left" in words
    page.get_by_role("button", name=f"Remove contact: {words}").click()
    wait_for(page, "s.state.undo === 'Remove contact'")
    assert store(page, "state.actors[0].pins.length") == 2  # the clicks pinned nothing


def test_a_drag_inside_a_clip_is_a_layer(open_page: OpenPage, server: Server) -> None:
    human = figure("human")
    path = server.documents.parent / "still.bvh"
    io.save(Motion(human.skeleton, np.tile(starting_pose(human), (151, 1)), 30.0), path)
    page = open_page(size=(900, 560))
    page.evaluate(
        """text => { const data = new DataTransfer();
        data.items.add(new File([text], "still.bvh"));
        window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true })); }""",
        path.read_text(),
    )
    wait_for(page, "s.state.actors[0].clip === 'still'")
    page.evaluate("window.writhe.editor.seek(2.5)")
    low = position(page, "left_wrist")[1]
    drag(page, "left_wrist", 40, -60)
    wait_for(page, "s.state.keys.length === 1")  # one sparse key, the clip as it came
    high = position(page, "left_wrist")[1]
    assert high > low + 0.1
    for time_s, wanted in ((0.5, low), (2.5, high), (4.5, low)):
        page.evaluate(f"window.writhe.editor.seek({time_s})")
        assert position(page, "left_wrist")[1] == pytest.approx(wanted, abs=1e-3)
    page.keyboard.press("g")
    lines = page.locator(".graph-lines polyline")
    assert lines.count() == 10  # pairs of five strands
    points = lines.first.get_attribute("points").split()
    assert len(points) == 151
    page.locator(".key").click()
    page.get_by_role("combobox", name="Easing of the selected keys").select_option("hold")
    wait_for(page, "s.state.keys[0].ease === 'hold'")


def test_in_betweens_through_an_object_turn_red(open_page: OpenPage) -> None:
    page = open_page(size=(960, 640))
    page.keyboard.press("k")
    wait_for(page, "s.state.keys.length === 1")
    page.evaluate("window.writhe.editor.seek(2)")
    drag(page, "left_wrist", 50, -90)
    wait_for(page, "s.state.keys.length === 2")
    page.get_by_text("Motion certified").wait_for()
    assert page.locator(".segment.certified").count() > 0
    page.evaluate("window.writhe.editor.seek(1)")
    middle = position(page, "left_wrist")
    page.evaluate(
        "at => window.writhe.editor.command({ type: 'add_object', kind: 'capsule', position: at })",
        middle,
    )
    page.locator(".certificate.bad").wait_for()
    assert "through" in page.locator(".certificate").inner_text()
    page.locator(".certificate").click()
    assert store(page, "timeS") == pytest.approx(1.0, abs=0.5)


def test_documents_go_out_and_come_back(open_page: OpenPage, tmp_path: Any) -> None:
    page = open_page(size=(960, 520))
    drag(page, "left_wrist", 40, -60)
    kept = position(page, "left_wrist")
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="Document").click()
    path = tmp_path / "mine.writhe"
    download.value.save_as(path)
    page.get_by_role("button", name="Open a file").click()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("menuitem", name="Document").click()
    number = page.url.split("document=")[1][:12]
    chooser.value.set_files(path)
    page.wait_for_url(lambda url: "document=" in url and number not in url)
    page.wait_for_selector("body.ready")
    assert position(page, "left_wrist") == pytest.approx(kept, abs=1e-6)
    assert store(page, "state.undo") == "Pose"
