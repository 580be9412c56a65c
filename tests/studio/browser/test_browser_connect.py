"""Connected keys, cleared in-betweens and certified exports in a real browser."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from browser_user import OpenPage, go_to, store, wait_for, where
from paper_scenes_by_hand import fold_both_ways

from writhe import io


def certified(page: Any) -> None:
    page.locator(".certificate:not(.bad):not(.stale)").wait_for()


def test_two_keys_are_connected_by_one_of_several_paths(open_page: OpenPage) -> None:
    page = open_page(size=(1100, 760))
    fold_both_ways(page)
    page.keyboard.press("j")
    page.get_by_text("Select two pose keys").first.wait_for()  # what is missing is said
    keys = page.locator(".row[data-kind=pose] .key")
    keys.nth(0).click()
    keys.nth(1).click(modifiers=["Shift"])
    assert page.get_by_role("checkbox", name="Left foot").is_checked()  # as pinned
    page.keyboard.press("j")
    page.locator(".path-card").first.wait_for()
    assert page.locator(".path-card").count() >= 2
    assert page.locator(".energy polyline").first.get_attribute("points").count(",") > 20
    page.get_by_role("button", name="Preview Close").click()
    page.wait_for_function(
        "() => !document.querySelector('.energy-now').hasAttribute('visibility')", polling=30
    )
    page.get_by_role("button", name="Play side by side").click()
    page.wait_for_function("() => window.writhe.editor.viewport.comparedCharacter !== null")
    assert page.locator(".path-labels span").all_text_contents() == ["Close", "Wide"]
    page.wait_for_function("() => window.writhe.editor.viewport.comparedCharacter === null")
    feet = where(page, "left_ankle")
    page.get_by_role("button", name="Use Wide").click()
    wait_for(page, "s.state.undo === 'Connect keys'")
    certified(page)
    assert page.locator(".track-bar").count() == 1
    assert len(store(page, "state.keys")) == 2  # the path is one sampled track, not many keys
    page.locator("summary", has_text="Refine").click()
    page.locator(".refine button").click()
    wait_for(page, "s.state.undo === 'Refine the segment'")
    certified(page)
    compared = page.get_by_role("group", name="Before and after").locator("visible=true")
    assert "angular momentum" in compared.inner_text()
    page.keyboard.press("Control+z")
    certified(page)
    go_to(page, 1.0)
    assert where(page, "left_ankle") == pytest.approx(feet, abs=2.0)
    page.keyboard.press("Control+z")
    page.locator(".certificate.bad:not(.stale)").wait_for()


def test_in_betweens_are_cleared_before_export(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(size=(1100, 760))
    fold_both_ways(page)
    page.get_by_role("button", name="Export").click()
    deepest_mm = max(-1000.0 * s["clearance_m"] for s in store(page, "certificate.segments"))
    assert deepest_mm > 50.0
    note = page.locator(".menu-note").first.inner_text()
    assert note.endswith(f"pass through each other, by up to {math.ceil(deepest_mm)} mm.")
    page.get_by_role("menuitem", name="GLB").click()
    dialog = page.get_by_role("dialog", name="Export as GLB")
    assert "pass through" in dialog.inner_text()
    dialog.get_by_role("button", name="Fix it first").click()
    sheet = page.get_by_role("dialog", name="Fix motion")
    sheet.get_by_role("button", name="Go around").click()
    sheet.get_by_text("Motion certified").wait_for()
    assert sheet.get_by_role("button", name="Blend again").count() == 1
    page.keyboard.press("Escape")
    for suffix in ("GLB", "BVH"):
        page.get_by_role("button", name="Export").click()
        with page.expect_download() as download:
            page.get_by_role("menuitem", name=suffix).click()
        path = tmp_path / f"clear.{suffix.lower()}"
        download.value.save_as(path)
        assert len(io.load(path)) == 61
        page.get_by_text(f"as {suffix}. Certified").wait_for()
    page.keyboard.press("i")
    sheet.get_by_role("button", name="Blend again").click()
    sheet.get_by_role("button", name="Fix everything").click()
    sheet.get_by_text("Fixed 1 segment").wait_for()
    page.keyboard.press("Escape")
    certified(page)
    page.reload()  # what was proven is kept with the document
    page.wait_for_selector("body.ready")
    certified(page)


def test_a_tablet_in_portrait_reaches_all_of_it(open_page: OpenPage) -> None:
    page = open_page(size=(768, 1024), touch=True)
    page.get_by_role("button", name="Show or hide the panel").tap()
    page.locator(".panel-section:has(.tangle-chains) summary").tap()
    page.get_by_role("button", name="Pick two chains").tap()
    for joint in ("left_elbow", "right_elbow"):
        x, y = where(page, joint)
        page.touchscreen.tap(x, y + 12)
    page.wait_for_function("() => window.writhe.editor.panels.tangles.found !== null")
    panel = page.locator(".panel")
    assert panel.evaluate("box => box.scrollWidth <= box.clientWidth")  # nothing sticks out
    page.get_by_role("spinbutton", name="Writhe, as a number").fill("0.3")
    page.keyboard.press("Enter")
    wait_for(page, "s.state.undo === 'Wind'")
