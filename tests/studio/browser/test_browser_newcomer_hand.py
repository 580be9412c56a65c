"""Overlapping targets of the pointer: pins and rings, keys under the playhead."""

from __future__ import annotations

import pytest
from browser_user import OpenPage, drag, go_to, position, store, wait_for, where
from paper_scenes_by_hand import fold_both_ways


def test_the_middle_of_the_rings_moves_the_pinned_part(open_page: OpenPage) -> None:
    """A pinned hand with rings around it: a drag on its mark still moves the hand."""
    page = open_page(size=(1000, 700))
    page.mouse.dblclick(*where(page, "left_wrist"))
    wait_for(page, "s.state.actors[0].pins.length === 3 && s.selected !== null")
    assert page.get_by_text("Pinned the left hand").is_visible()
    x, y = where(page, "left_wrist")
    drag(page, "left_wrist", 50, -70)
    assert where(page, "left_wrist") == pytest.approx((x + 50, y - 70), abs=6)
    placed = position(page, "left_wrist")
    page.keyboard.press("Escape")
    drag(page, "head", 25, 10)
    assert position(page, "left_wrist") == pytest.approx(placed, abs=0.02)
    assert store(page, "state.actors[0].pins.length") == 3


def test_a_finger_on_the_playhead_moves_it_and_not_the_key(open_page: OpenPage) -> None:
    """Scrubbing from where a key lies; a key is dragged by finger once it was tapped."""
    page = open_page(size=(820, 700), touch=True)
    page.keyboard.press("k")
    wait_for(page, "s.state.keys.length === 1")
    touch = page.context.new_cdp_session(page)
    ruler = page.locator(".ruler").bounding_box()
    key = page.locator(".key").bounding_box()
    y = key["y"] + key["height"] / 2

    def swipe(start_x: float, by: float) -> None:
        steps = [{"x": start_x + by * k / 6, "y": y, "id": 1} for k in range(7)]
        touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [steps[0]]})
        for at in steps[1:]:
            touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [at]})
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    swipe(ruler["x"], ruler["width"] / 2)
    wait_for(page, "Math.abs(s.timeS - s.state.duration_s / 2) < 0.1")
    assert store(page, "state.keys[0].time_s") == 0.0
    page.touchscreen.tap(ruler["x"], y)
    wait_for(page, "s.selectedKeys.size === 1 && s.timeS === 0")
    swipe(ruler["x"], ruler["width"] / 4)
    wait_for(page, "s.state.keys[0].time_s > 0.5")
    page.get_by_text("Moved the key from 0.00 to").wait_for()


def test_overlaps_are_fixed_from_the_dialog(open_page: OpenPage) -> None:
    """Red while it passes through; everything made clear with both keys kept; undo says what."""
    page = open_page(size=(1100, 700))
    fold_both_ways(page)
    go_to(page, 1.0)
    red = "window.writhe.editor.viewport.character(1).touching.size"
    assert page.evaluate(red) > 0
    assert page.locator(".readout:visible").count() == 1  # nothing left of another moment
    go_to(page, 2.0)
    assert page.evaluate(red) == 0
    folded = position(page, "left_wrist")
    page.locator(".certificate").click()
    dialog = page.get_by_role("dialog", name="Fix motion")
    assert store(page, "timeS") == pytest.approx(2.0)
    dialog.get_by_role("button", name="Fix everything").click()
    dialog.get_by_text("Fixed 1 segment").wait_for()
    dialog.get_by_text("s: Detour").wait_for()
    dialog.get_by_role("button", name="Done").click()
    assert position(page, "left_wrist") == pytest.approx(folded, abs=1e-4)
    page.reload()
    page.wait_for_selector("body.ready")
    wait_for(page, "Math.abs(s.timeS - 2) < 0.01")  # the playhead is where it was
    page.get_by_role("button", name="Export").click()
    page.get_by_text("Exported files run from 0 to 2.00 s").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("Home")
    page.keyboard.press("Control+z")  # the sampled track
    page.get_by_text("Undone: Fix the motion").wait_for()
    page.keyboard.press("Control+z")  # the key at 2 s: the playhead goes there
    page.get_by_text("Undone: Mirror pose, at 2.00 s").wait_for()
    assert store(page, "timeS") == pytest.approx(2.0)


def test_poses_are_found_by_everyday_words(open_page: OpenPage) -> None:
    page = open_page(size=(1100, 700))
    search = page.get_by_role("searchbox", name="Find a pose")
    tiles = page.get_by_role("listbox", name="Preset poses").get_by_role("option")
    tiles.first.wait_for()
    for words, pose in (
        ("arms crossed", "arms folded"),
        ("hands on knees", "squat hands on knees"),
        ("sitting hands knees", "sit, hands on thighs"),
        ("hands up", "arms raised"),
        ("kneeling", "kneel"),
    ):
        search.fill(words)
        names = tiles.evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
        assert pose in names[:4], (words, names)
    search.fill("")
    assert tiles.count() == 12
    page.get_by_role("button", name="Show all").click()
    assert tiles.count() > 200
