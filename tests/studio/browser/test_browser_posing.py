"""Posing with less effort: several parts at once, arrows in depth, limbs posed joint by joint."""

from __future__ import annotations

import numpy as np
import pytest
from browser_user import (
    OpenPage,
    actor_in_scene,
    drag,
    position,
    press_and_drag,
    release,
    store,
    wait_for,
    wait_until_there,
    where,
)


def test_parts_that_are_selected_together_are_dragged_together(open_page: OpenPage) -> None:
    page = open_page(size=(1000, 700))
    page.mouse.click(*where(page, "left_wrist"))
    page.keyboard.down("Shift")
    page.mouse.click(*where(page, "right_wrist"))
    page.keyboard.up("Shift")
    wait_for(page, "s.selectedTogether.size === 2")
    before = [np.array(position(page, f"{side}_wrist")) for side in ("left", "right")]
    drag(page, "right_wrist", 0, -60)
    after = [np.array(position(page, f"{side}_wrist")) for side in ("left", "right")]
    moved = [b - a for a, b in zip(before, after, strict=True)]
    assert moved[1][1] > 0.1
    # the pressed point is on the skin, beside the joint, so the joints differ by its rotation
    np.testing.assert_allclose(moved[0], moved[1], atol=0.06)
    page.keyboard.press("p")  # pins both
    wait_for(page, "s.state.actors[0].pins.length === 4")
    page.keyboard.press("Escape")
    x, y = where(page, "left_ankle")
    right, _ = where(page, "right_ankle")
    page.keyboard.down("Shift")
    press_and_drag(page, max(x, right) + 60, y - 60, min(x, right) - max(x, right) - 120, 120)
    page.keyboard.up("Shift")
    wait_for(page, "s.selectedTogether.size >= 2")
    names = page.evaluate(
        """() => { const { editor, store } = window.writhe;
        const { joints } = editor.viewport.character(store.active).shape;
        return [...store.selectedTogether].map(joint => joints[joint].name); }"""
    )
    assert {"left_ankle", "right_ankle"} <= set(names)


def test_an_arrow_moves_the_selected_part_in_depth_whatever_the_view(open_page: OpenPage) -> None:
    page = open_page(size=(1000, 700))
    page.mouse.click(*where(page, "left_wrist"))
    wait_for(page, "s.selected !== null")
    before = np.array(position(page, "left_wrist"))
    x, y = actor_in_scene(page, "joint_arrows", "shift", 2)
    mx, my = where(page, "left_wrist")
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, 9):
        page.mouse.move(x + (x - mx) * 0.15 * k, y + (y - my) * 0.15 * k)
    wait_until_there(page)
    release(page)
    moved = np.array(position(page, "left_wrist")) - before
    assert moved[2] > 0.05
    assert abs(moved[0]) < 0.02 and abs(moved[1]) < 0.02


def test_no_two_actions_share_a_shortcut(open_page: OpenPage) -> None:
    page = open_page(size=(1000, 700))
    keys = page.evaluate("() => window.writhe.editor.actions.flatMap(action => action.keys)")
    assert len(keys) > 40
    assert sorted({key for key in keys if keys.count(key) > 1}) == []


def test_a_limb_is_posed_joint_by_joint(open_page: OpenPage) -> None:
    page = open_page(size=(1000, 700))
    page.mouse.click(*where(page, "left_elbow"))
    wait_for(page, "s.selected !== null")
    page.keyboard.press("Shift+I")
    wait_for(page, "s.state.features.limb_modes.limbs.length === 1")
    page.keyboard.press("Escape")
    names = ("left_shoulder", "left_wrist", "right_wrist", "head", "hips")
    before = {name: np.array(position(page, name)) for name in names}
    (ex, ey), (wx, wy) = where(page, "left_elbow"), where(page, "left_wrist")
    page.mouse.move(0.4 * ex + 0.6 * wx, 0.4 * ey + 0.6 * wy)  # the forearm
    page.mouse.down()
    for k in range(1, 9):
        page.mouse.move(0.4 * ex + 0.6 * wx + 8 * k, 0.4 * ey + 0.6 * wy - 8 * k)
    wait_until_there(page)
    release(page)
    after = {name: np.array(position(page, name)) for name in names}
    assert np.linalg.norm(after["left_wrist"] - before["left_wrist"]) > 0.02
    for name in ("left_shoulder", "right_wrist", "head", "hips"):
        np.testing.assert_allclose(after[name], before[name], atol=1e-5)
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    wait_for(page, "s.state.features.limb_modes.limbs.length === 0")


def test_actions_are_found_by_everyday_words(open_page: OpenPage) -> None:
    page = open_page(size=(1000, 700))
    page.keyboard.press("Control+k")
    page.keyboard.type("handshake")
    page.keyboard.press("Enter")
    banner = page.get_by_text("Click a hand, or an object")
    banner.wait_for()
    page.keyboard.press("Escape")
    banner.wait_for(state="hidden")
    page.get_by_role("button", name="Find an action").click()
    find = page.get_by_role("searchbox", name="Find an action")
    find.wait_for()
    page.keyboard.type("grip")
    offered = page.get_by_role("listbox", name="Actions").get_by_role("option").first
    assert offered.inner_text().startswith("Grip an object or shake hands")
    find.fill("add bar")
    page.keyboard.press("Enter")
    wait_for(page, "s.state.objects.length === 2")
    assert find.count() == 0  # Enter does not press the search button, which has the focus again
    kinds = [one["kind"] for one in store(page, "state.objects")]
    assert kinds == ["bar", "stand"]
    page.get_by_label("Mass in kilograms").fill("12")
    page.keyboard.press("Tab")
    wait_for(page, "s.state.objects[0].mass_kg === 12")
    search = page.get_by_role("searchbox", name="Find a pose")
    search.fill("handshake")
    page.get_by_role("button", name="Grip an object or shake hands").wait_for()


def test_a_symmetric_drag_and_a_mark_for_the_balance(open_page: OpenPage) -> None:
    page = open_page(size=(1000, 700))
    page.keyboard.press("x")
    drag(page, "left_wrist", 40, -60, let_go=False)
    assert page.evaluate(
        "() => window.writhe.editor.viewport.overlay.getObjectByName('balance').visible"
    )
    release(page)
    left, right = position(page, "left_wrist"), position(page, "right_wrist")
    assert left[0] == pytest.approx(-right[0], abs=0.02)
    assert left[1:] == pytest.approx(right[1:], abs=0.02)
