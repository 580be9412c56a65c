"""Changing keys in a real browser: the motion is shown while a key moves; curves and easing."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from browser_user import OpenPage, drag, go_to, position, release, squat, store, wait_for

HEIGHTS = """() => {
    const s = window.writhe.store, m = s.previews.get(s.active) ?? s.motions.get(s.active);
    return Array.from({ length: m.frames }, (_, f) => m.q[f * m.size + 1]);
}"""  # of the root, in every frame that is shown


def picture(page: Any, name: str) -> None:
    if folder := os.environ.get("WRITHE_TEST_PICTURES"):
        page.screenshot(path=f"{folder}/{name}.png")


def test_the_motion_follows_a_key_while_it_is_dragged(open_page: OpenPage) -> None:
    page = open_page(size=(1100, 760))
    squat(page)
    go_to(page, 0.5)
    before = position(page, "hips")[1]
    key = page.locator(".key").nth(1).bounding_box()
    ruler = page.locator(".ruler").bounding_box()
    page.mouse.move(key["x"] + 13, key["y"] + 14)
    page.mouse.down()
    page.mouse.move(key["x"] + 13 + 0.1 * ruler["width"], key["y"] + 14, steps=4)
    wait_for(page, "s.previews.size > 0")
    page.wait_for_function("() => window.writhe.editor.previews.allMs.length > 0")
    first = position(page, "hips")[1]
    page.mouse.move(key["x"] + 13 + 0.25 * ruler["width"], key["y"] + 14, steps=4)
    page.wait_for_function("() => window.writhe.editor.previews.allMs.length > 1")
    slower = position(page, "hips")[1]
    assert before + 0.01 < first < slower
    assert slower > before + 0.03, "the later key leaves the hips higher at 0.5 s"
    picture(page, "key_dragged")
    page.keyboard.press("Escape")
    wait_for(page, "s.previews.size === 0")
    page.mouse.up()
    assert abs(position(page, "hips")[1] - before) < 1e-4
    assert [key["time_s"] for key in store(page, "state.keys")] == [0.0, 1.0]


def test_the_frames_around_a_dragged_pose_follow_it(open_page: OpenPage) -> None:
    page = open_page(size=(1100, 760))
    squat(page)
    before = page.evaluate(HEIGHTS)
    drag(page, "hips", 0, -60, let_go=False)
    wait_for(page, "s.previews.size > 0")
    picture(page, "pose_dragged")
    live = page.evaluate(HEIGHTS)
    assert live[27] > before[27] + 0.02
    release(page)
    wait_for(page, "s.previews.size === 0")
    assert np.abs(np.subtract(page.evaluate(HEIGHTS)[24:], live[24:])).max() < 0.02


def test_a_handle_of_the_curves_changes_the_easing_of_a_key(open_page: OpenPage) -> None:
    page = open_page(size=(1100, 760))
    squat(page)
    page.keyboard.press("e")
    go_to(page, 0.5)
    before = position(page, "hips")[1]
    page.wait_for_selector(".easing-grip")
    grip = page.locator(".easing-grip").first.bounding_box()
    page.mouse.move(grip["x"] + 12, grip["y"] + 12)
    page.mouse.down()
    page.mouse.move(grip["x"] + 12, grip["y"] - 60, steps=4)
    wait_for(page, "s.previews.size > 0")
    picture(page, "easing")
    page.mouse.up()
    wait_for(page, "s.state.keys[0].ease.split(' ').length === 4")
    assert position(page, "hips")[1] < before - 0.03, "progress is ahead of the smooth curve"
    assert page.locator(".curves polyline").count() == 3
    page.locator(".curves select").select_option("speed")
    assert page.locator(".curves polyline").count() == 1
    page.locator(".key").first.click()
    page.get_by_label("Easing of the selected keys").select_option("ease_in")
    wait_for(page, "s.state.keys[0].ease === 'ease_in'")
