"""The timeline as animators use it, in a real browser."""

from __future__ import annotations

import zipfile
from typing import Any

import numpy as np
from browser_user import (
    OpenPage,
    drag,
    go_to,
    object_on_page,
    position,
    squat,
    store,
    wait_for,
    wait_saved,
)


def test_escape_cancels_a_drag_of_the_body_and_of_a_key(open_page: OpenPage) -> None:
    page = open_page(size=(1100, 760))
    before = position(page, "left_wrist")
    drag(page, "left_wrist", 60, -60, let_go=False)
    assert np.linalg.norm(np.subtract(position(page, "left_wrist"), before)) > 0.05
    page.keyboard.press("Escape")
    page.wait_for_function("() => !window.writhe.store.dragging")
    page.mouse.up()
    wait_saved(page)
    assert store(page, "state.undo") == ""
    page.wait_for_function(
        """y => { const { editor, store } = window.writhe;
        const character = editor.viewport.character(store.active);
        const joint = character.shape.joints.findIndex(one => one.name === "left_wrist");
        return Math.abs(character.jointPosition(joint).y - y) < 1e-3; }""",
        arg=before[1],
    )
    squat(page)
    box = page.locator(".row[data-kind=pose] .key").nth(1).bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 120, box["y"] + 5, steps=4)
    page.keyboard.press("Escape")
    page.mouse.up()
    wait_saved(page)
    assert sorted(key["time_s"] for key in store(page, "state.keys")) == [0, 1]


def test_a_pose_in_a_box_is_moved_out_when_the_animator_agrees(open_page: OpenPage) -> None:
    page = open_page(size=(1100, 760))
    page.keyboard.press("u")
    wrist = position(page, "left_wrist")
    page.evaluate(
        "at => window.writhe.editor.command({ type: 'add_object', kind: 'box', position: at })",
        [wrist[0] + 0.16, wrist[1], wrist[2]],
    )
    wait_for(page, "s.state.objects.length === 1")
    page.evaluate(
        """() => window.writhe.editor.command({ type: 'resize_object',
        object: window.writhe.store.state.objects[0].id, size: [0.3, 0.2, 0.2] })"""
    )
    page.wait_for_selector(".readout.certificate.bad:not(.stale)")
    page.keyboard.press("i")
    page.get_by_role("button", name="Separate the overlapping parts").click()
    wait_for(page, "s.certificate && s.certificate.certified")
    assert np.linalg.norm(np.subtract(position(page, "left_wrist"), wrist)) < 0.3
    page.keyboard.press("Escape")
    page.wait_for_function("() => document.querySelector('dialog[open]') === null")
    page.keyboard.press("Control+z")
    page.wait_for_selector(".readout.certificate.bad:not(.stale)")


def test_keys_of_two_characters_are_selected_by_a_box_stretched_and_flipped(
    open_page: OpenPage,
) -> None:
    page = open_page(size=(1280, 800))
    squat(page)
    page.get_by_role("button", name="Add another character").click()
    wait_for(page, "s.state.actors.length === 2")
    page.evaluate("() => { window.writhe.editor.seek(0.5); }")
    page.evaluate("() => window.writhe.editor.command({ type: 'set_key', actor: 2, time_s: 0.5 })")
    wait_for(page, "s.state.keys.length === 3")
    rows = page.locator(".rows").bounding_box()
    page.keyboard.down("Shift")
    page.mouse.move(rows["x"] + 0.5 * rows["width"], rows["y"] + rows["height"] - 2)
    page.mouse.down()
    page.mouse.move(rows["x"] - 12, rows["y"] - 2, steps=5)
    page.mouse.up()
    page.keyboard.up("Shift")
    assert page.evaluate("() => window.writhe.store.selectedKeys.size") == 3
    page.get_by_role("combobox", name="Stretch the time").select_option("2")
    wait_for(page, "Math.max(...s.state.keys.map(k => k.time_s)) === 2")
    assert sorted(key["time_s"] for key in store(page, "state.keys")) == [0, 1, 2]
    page.get_by_role("button", name="Flip", exact=True).click()
    wait_for(page, "s.state.undo === 'Flip keys'")


def test_a_pose_is_copied_and_pasted_flipped(open_page: OpenPage) -> None:
    page = open_page(size=(1100, 760))
    drag(page, "left_wrist", 60, -80)
    wait_saved(page)
    left = position(page, "left_wrist")
    page.keyboard.press("Control+c")
    page.keyboard.press("Control+Shift+v")
    wait_for(page, "s.state.undo === 'Paste pose'")
    wait_saved(page)
    np.testing.assert_allclose(position(page, "right_wrist")[1], left[1], atol=5e-3)


def test_a_recorded_clip_is_looped_and_stretched(open_page: OpenPage) -> None:
    page = open_page(size=(1280, 800))
    page.keyboard.press("Shift+K")
    drag(page, "left_wrist", 60, -80)
    wait_for(page, "s.state.features.clips.clips.length === 1")
    page.get_by_label("Length of the clip").fill("2")
    page.get_by_role("button", name="Stretch", exact=True).click()
    wait_for(page, "Math.abs(s.state.features.clips.clips[0].duration_s - 2) < 0.02")
    page.get_by_role("button", name="Loop clip").click()
    wait_for(page, "s.state.features.clips.clips[0].duration_s > 3.5")
    page.get_by_role("button", name="Mirror clip").click()
    wait_for(page, "s.state.undo === 'Mirror clip'")
    page.get_by_label("Trim to").fill("1")
    page.get_by_role("button", name="Trim", exact=True).click()
    wait_for(page, "Math.abs(s.state.features.clips.clips[0].duration_s - 1) < 0.02")


def test_the_view_is_exported_as_numbered_pictures(open_page: OpenPage, tmp_path: Any) -> None:
    page = open_page(size=(900, 640))
    page.keyboard.press("k")
    wait_for(page, "s.state.keys.length === 1")
    page.evaluate("() => window.writhe.editor.seek(0.2)")
    drag(page, "left_wrist", 60, -80)
    wait_for(page, "s.state.keys.length === 2 && s.motions.size === 1")
    page.get_by_role("button", name="Export", exact=True).click()
    page.get_by_role("menuitem").filter(has_text="Video").click()
    page.get_by_role("combobox", name="Format").select_option("zip")
    page.get_by_role("combobox", name="Size").select_option("3")
    page.get_by_label("Frames per second").last.fill("10")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Export the video").click()
    saved.value.save_as(tmp_path / "film.zip")
    with zipfile.ZipFile(tmp_path / "film.zip") as film:
        pictures = [film.read(name) for name in film.namelist()]
    assert len(pictures) == 3 and len(set(pictures)) == 3  # every frame is another one
    assert abs(store(page, "timeS") - 0.2) < 1e-6


def test_onion_skins_show_the_neighbouring_keys_and_are_removed_again(open_page: OpenPage) -> None:
    page = open_page(size=(1100, 760))
    squat(page)
    page.evaluate("() => window.writhe.editor.seek(0.5)")
    skins = "() => window.writhe.editor.viewport.onionSkins.group.children.length"
    assert page.evaluate(skins) == 0
    page.keyboard.press("o")
    page.wait_for_function(f"() => ({skins})() === 2")
    page.keyboard.press("o")
    page.wait_for_function(f"() => ({skins})() === 0")


def test_the_space_bar_plays_after_a_click_on_a_button_and_after_a_search(
    open_page: OpenPage,
) -> None:
    page = open_page(size=(1100, 760))
    page.get_by_role("button", name="Key", exact=True).click()
    wait_for(page, "s.state.keys.length === 1")
    go_to(page, 1.0)
    find = page.get_by_role("searchbox", name="Find a pose")
    page.get_by_role("listbox", name="Preset poses").get_by_role("option").first.wait_for()
    find.fill("squat")
    find.press("Enter")
    wait_for(page, "s.state.keys.length === 2 && s.motions.size === 1")
    page.keyboard.press("Space")
    wait_for(page, "s.playing")
    page.keyboard.press("Space")
    wait_for(page, "!s.playing")
    page.get_by_role("button", name="Previous key").click()
    page.keyboard.press("Space")
    wait_for(page, "s.playing")


def test_a_new_object_is_in_view(open_page: OpenPage) -> None:
    page = open_page(size=(1100, 760))
    page.get_by_role("button", name="+ Chair").click()
    wait_for(page, "s.state.objects.length === 1")
    x, y = object_on_page(page, store(page, "state.objects[0].id"))  # between its feet
    view = page.locator(".view").bounding_box()
    assert view["x"] < x < view["x"] + view["width"]
    assert view["y"] < y < view["y"] + view["height"]


def test_the_wheel_zooms_the_timeline_about_the_pointer(open_page: OpenPage) -> None:
    page = open_page(size=(1100, 760))
    squat(page)
    key = page.locator(".row[data-kind=pose] .key").nth(1)
    box = key.bounding_box()
    middle = box["x"] + 0.5 * box["width"]
    ruler = page.locator(".ruler")
    width = ruler.bounding_box()["width"]
    page.mouse.move(middle, box["y"] + 10)
    page.mouse.wheel(0, -500)
    page.wait_for_function(
        "width => document.querySelector('.ruler').clientWidth > 2 * width", arg=width
    )
    after = key.bounding_box()
    assert abs(after["x"] + 0.5 * after["width"] - middle) < 2
    page.mouse.click(middle, ruler.bounding_box()["y"] + 8)
    wait_for(page, "Math.abs(s.timeS - 1) < 0.03")  # the ruler is clicked where it is drawn
    page.evaluate("() => window.writhe.editor.seek(3.9)")
    page.wait_for_function(
        """() => { const head = document.querySelector('.playhead').getBoundingClientRect();
        return head.left > 0 && head.left < innerWidth; }"""
    )
