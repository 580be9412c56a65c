"""The timeline as animators use it, in a real browser."""

from __future__ import annotations

from typing import Any

import numpy as np
from browser_user import OpenPage, drag, go_to, position, store, wait_for, wait_saved


def keyed_squat(page: Any) -> None:
    """Key the pose at 0 s, and the hips dragged down at 1 s."""
    page.keyboard.press("k")
    wait_for(page, "s.state.keys.length === 1")
    go_to(page, 1.0)
    drag(page, "hips", 0, 90)
    wait_for(page, "s.state.keys.length === 2")
    wait_saved(page)


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
    keyed_squat(page)
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
    page.get_by_role("button", name="Move the pose out").click()
    wait_for(page, "s.certificate && s.certificate.certified")
    assert np.linalg.norm(np.subtract(position(page, "left_wrist"), wrist)) < 0.3
    page.keyboard.press("Escape")
    page.keyboard.press("Control+z")
    page.wait_for_selector(".readout.certificate.bad:not(.stale)")
