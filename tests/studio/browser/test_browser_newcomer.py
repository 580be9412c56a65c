"""The newcomer's task, with mouse and keyboard alone: seated, arms folded, two poses, exported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser_user import (
    OpenPage,
    drag,
    go_to,
    object_on_page,
    position,
    store,
    wait_for,
    wait_saved,
    where,
)

from writhe import io


def _export(page: Any, kind: str, folder: Path) -> Path:
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name=kind).click()
    path = folder / f"seated.{kind.lower()}"
    download.value.save_as(path)
    return path


def test_a_newcomer_seats_a_character_with_folded_arms(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(size=(1100, 700))
    page.get_by_role("searchbox", name="Find a pose").fill("sit folded")
    page.keyboard.press("Enter")  # the plainest of those found
    wait_for(page, "s.state.undo === 'Preset pose'")
    assert store(page, "state.objects[0].kind") == "chair"  # it came along
    assert page.locator(".guide").count() == 0
    assert position(page, "hips")[1] < 0.7
    assert position(page, "left_wrist")[0] < position(page, "right_wrist")[0]  # folded
    names = page.evaluate("() => window.writhe.store.figures.get('human').joints.map(j => j.name)")
    pinned = {names[pin["joint"]] for pin in store(page, "state.actors[0].pins")}
    assert pinned == {"left_ankle", "right_ankle", "hips"}  # what a sitter rests on
    page.get_by_role("button", name="Key", exact=True).click()
    page.get_by_text("change the pose: it is keyed automatically").wait_for()
    go_to(page, 0.5 * store(page, "state.duration_s"))
    hips = position(page, "hips")
    drag(page, "head", 30, 25)
    wait_for(page, "s.state.keys.length === 2")
    assert np.linalg.norm(np.subtract(position(page, "hips"), hips)) < 0.02  # still on the seat
    assert position(page, "left_wrist")[0] < position(page, "right_wrist")[0]
    page.locator(".certificate:not(.stale)").wait_for()
    if page.get_by_text("Fix …").count():  # half-way a hand may graze the other arm
        page.get_by_text("Fix …").click()
        sheet = page.get_by_role("dialog", name="Fix motion")
        sheet.get_by_role("button", name="Fix everything").click()
        sheet.get_by_text("Motion certified").wait_for()
        sheet.get_by_role("button", name="Done").click()
    page.get_by_text("Motion certified").first.wait_for()
    page.keyboard.press("Space")
    wait_for(page, "s.timeS > 0.2")
    page.keyboard.press("Space")
    for kind in ("GLB", "BVH"):
        motion = io.load(_export(page, kind, tmp_path))
        assert len(motion) == 61
        heads = motion.frames().position("head")
        assert np.linalg.norm(heads[-1] - heads[0]) > 0.05  # it moves
        assert motion.frames().position("hips")[0][1] < 0.7
    gltf = pytest.importorskip("pygltflib").GLTF2().load(str(tmp_path / "seated.glb"))
    assert len(gltf.animations) == 1
    assert gltf.skins
    assert {"left_wrist", "head"} <= {node.name for node in gltf.nodes}


def test_she_walks_to_the_chair_sits_with_folded_arms_and_stands_up(open_page: OpenPage) -> None:
    page = open_page(size=(1100, 700))
    page.evaluate(
        """() => window.writhe.editor.command({ type: 'add_object', kind: 'chair',
        position: [0.7, 0, -0.6] })"""
    )
    wait_for(page, "s.state.objects.length === 1")
    page.get_by_role("button", name="Walk to …").click()
    page.mouse.click(*object_on_page(page, 1))
    wait_for(page, "s.state.actors[0].sampled_tracks.length === 1")
    end_s = store(page, "state.actors[0].sampled_tracks[0].end_s")
    wait_for(page, f"Math.abs(s.timeS - {end_s}) < 0.03")
    for words in ("sit folded", "stand"):
        page.get_by_role("searchbox", name="Find a pose").fill(words)
        page.keyboard.press("Enter")
        wait_saved(page)
        if words == "sit folded":
            assert position(page, "hips")[1] < 0.7
            go_to(page, end_s + 6.0)  # the timeline has room for the next pose
    times = [key["time_s"] for key in store(page, "state.keys")]
    assert times == pytest.approx([0.0, end_s, end_s + 3.0, end_s + 6.0], abs=0.04)
    assert len(store(page, "state.actors[0].sampled_tracks")) == 1  # she still walks there
    page.get_by_text("Motion certified").first.wait_for()


def test_preset_poses_are_found_by_picture_and_by_keyboard(open_page: OpenPage) -> None:
    page = open_page(size=(1100, 700))
    tiles = page.get_by_role("listbox", name="Preset poses").get_by_role("option")
    tiles.first.wait_for()
    first = tiles.first.locator("canvas")
    page.wait_for_function(
        """canvas => canvas.getContext('2d').getImageData(0, 0, 156, 156).data.some(v => v > 0)""",
        arg=first.element_handle(),
    )
    page.get_by_role("combobox", name="Where").select_option("ladder")
    page.get_by_role("searchbox", name="Find a pose").press("ArrowDown")
    page.keyboard.press("ArrowRight")
    name = page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.keyboard.press("Enter")
    wait_for(page, "s.state.objects.length === 1")
    assert name.startswith("climb")
    assert store(page, "state.objects[0].kind") == "ladder"
    assert tiles.nth(1).get_attribute("aria-label") == name
    page.get_by_role("searchbox", name="Find a pose").fill("xyz")
    assert page.get_by_text("No pose of that name").is_visible()


def test_views_and_the_first_pins_by_mouse(open_page: OpenPage) -> None:
    """Sitting down by hand: a chair, the view from the side, the hips dragged back onto it."""
    page = open_page(size=(1000, 640))
    page.get_by_role("combobox", name="Scene").select_option("chair")
    wait_for(page, "s.state.objects.length === 1")
    page.get_by_role("button", name="Side", exact=True).click()
    left, right = where(page, "left_ankle"), where(page, "right_ankle")
    assert abs(left[0] - right[0]) < 8  # one behind the other
    seat = page.evaluate(
        """() => { const { viewport } = window.writhe.editor;
        const at = viewport.objects.object(1).position.clone().setY(0.62);
        return viewport.onPage(at); }"""
    )
    x, y = where(page, "hips")
    drag(page, "hips", seat["x"] - x, seat["y"] - y, let_go=False)
    page.wait_for_timeout(1000)  # the body follows
    assert store(page, "poseReport.pass_throughs") == 0
    page.mouse.up()
    wait_saved(page)
    hips = position(page, "hips")
    assert 0.5 < hips[1] < 0.75
    assert hips[2] < -0.2
