"""The page in a real browser, used as a person would use it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser_user import (
    OpenPage,
    double_tap,
    drag,
    position,
    release,
    store,
    wait_for,
    wait_saved,
    wait_until_there,
    where,
)
from server_process import Server

from writhe import io


def picture(page: Any) -> bytes:
    return page.locator("canvas.viewport-canvas").screenshot()


def test_a_drag_takes_the_hand_along(open_page: OpenPage) -> None:
    page = open_page()
    before = picture(page)
    x, y = where(page, "left_wrist")
    drag(page, "left_wrist", 40, -60, let_go=False)
    at = where(page, "left_wrist")
    assert abs(at[0] - (x + 40)) < 6
    assert abs(at[1] - (y - 60)) < 6
    assert "ms" in page.locator(".readout").first.inner_text()
    release(page)
    assert picture(page) != before
    assert store(page, "state.undo") == "Pose"
    high = position(page, "left_wrist")[1]
    page.keyboard.press("Control+z")
    wait_for(page, "s.state.redo === 'Pose'")
    assert position(page, "left_wrist")[1] < high - 0.05
    page.get_by_role("button", name="Redo").click()
    wait_for(page, "s.state.undo === 'Pose'")
    assert position(page, "left_wrist")[1] == pytest.approx(high, abs=1e-5)


def test_a_quick_flick_ends_where_it_was_let_go(open_page: OpenPage) -> None:
    page = open_page()
    drag(page, "left_wrist", 4, -8)  # the first drag may wait for the solver to be made
    before = position(page, "left_wrist")
    x, y = where(page, "left_wrist")
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, 5):
        page.mouse.move(x + 6 * k, y - 10 * k)
    release(page)
    assert position(page, "left_wrist")[1] > before[1] + 0.15


def test_two_fingers_move_two_hands(open_page: OpenPage) -> None:
    page = open_page(touch=True)
    touch = page.context.new_cdp_session(page)
    left, right = where(page, "left_wrist"), where(page, "right_wrist")
    before = position(page, "left_wrist"), position(page, "right_wrist")

    def points(k: float) -> list[dict[str, float]]:
        return [
            {"x": left[0] + 8 * k, "y": left[1] - 40 * k, "id": 1},
            {"x": right[0] - 8 * k, "y": right[1] - 40 * k, "id": 2},
        ]

    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": points(0)})
    for k in range(1, 13):
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": points(k / 12)})
    wait_until_there(page)
    after = position(page, "left_wrist"), position(page, "right_wrist")
    assert after[0][1] > before[0][1] + 0.1
    assert after[1][1] > before[1][1] + 0.1
    assert abs(where(page, "left_wrist")[0] - (left[0] + 8)) < 6
    assert abs(where(page, "right_wrist")[0] - (right[0] - 8)) < 6
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    wait_saved(page)
    assert store(page, "state.undo") == "Pose"


def test_fingers_beside_the_body_move_the_camera(open_page: OpenPage) -> None:
    page = open_page(touch=True)
    touch = page.context.new_cdp_session(page)
    box = page.locator("canvas.viewport-canvas").bounding_box()
    wide = where(page, "left_wrist")[0] - where(page, "right_wrist")[0]

    def fingers(spread: float) -> list[dict[str, float]]:
        y = box["y"] + 80  # below the buttons
        return [
            {"x": box["x"] + 60 - spread, "y": y, "id": 1},
            {"x": box["x"] + 60, "y": y, "id": 2},
        ]

    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": fingers(20)})
    for spread in (26, 32, 38, 44, 50):
        points = fingers(spread)
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": points})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(100)
    now = where(page, "left_wrist")[0] - where(page, "right_wrist")[0]
    assert now > 1.5 * wide  # pinched apart: nearer
    assert store(page, "state.undo") == ""
    page.keyboard.press("f")
    page.wait_for_timeout(100)
    framed = where(page, "left_wrist")[0] - where(page, "right_wrist")[0]
    assert framed == pytest.approx(wide, rel=0.25)


def test_a_click_selects_and_a_key_or_a_double_tap_pins(open_page: OpenPage) -> None:
    page = open_page(touch=True)
    x, y = where(page, "left_wrist")
    page.mouse.click(x, y)
    wait_for(page, "s.selected !== null")
    assert store(page, "state.actors[0].pins.length") == 2  # a click does not pin
    page.keyboard.press("p")
    wait_for(page, "s.state.actors[0].pins.length === 3")
    held = position(page, "left_wrist")
    drag(page, "head", 30, 15)
    moved = position(page, "left_wrist")
    assert max(abs(a - b) for a, b in zip(held, moved, strict=True)) < 0.02
    page.keyboard.press("Escape")  # the arrows of the selected hand are in front of the other one
    x, y = where(page, "right_wrist")
    double_tap(page, x, y)
    wait_for(page, "s.state.actors[0].pins.length === 4")
    page.keyboard.press("p")  # the selected joint is freed again
    wait_for(page, "s.state.actors[0].pins.length === 3")


def test_the_ring_turns_the_hand(open_page: OpenPage) -> None:
    page = open_page(size=(900, 640))
    x, y = where(page, "head")
    page.mouse.click(x, y)
    wait_for(page, "s.selected !== null")
    page.wait_for_function("() => window.writhe.editor.rotateGizmo.group.visible")
    page.wait_for_timeout(300)  # for the frame in which the ring is drawn
    ring = page.evaluate(
        """() => { const { editor, store } = window.writhe; const gizmo = editor.rotateGizmo.group;
        const joint = store.selected, view = editor.viewport;
        const before = view.character(store.active).jointRotation(joint).toArray();
        const at = view.onPage(gizmo.localToWorld(gizmo.position.clone().set(1, 0, 0)));
        const to = view.onPage(gizmo.localToWorld(gizmo.position.clone().set(0.3, 0, 0.95)));
        return { at, to, joint, before }; }"""
    )
    page.mouse.move(ring["at"]["x"], ring["at"]["y"])
    page.mouse.down()
    for k in range(1, 9):
        page.mouse.move(
            ring["at"]["x"] + (ring["to"]["x"] - ring["at"]["x"]) * k / 8,
            ring["at"]["y"] + (ring["to"]["y"] - ring["at"]["y"]) * k / 8,
        )
    wait_until_there(page)
    release(page)
    after = page.evaluate(
        """j => { const { editor, store } = window.writhe;
        return editor.viewport.character(store.active).jointRotation(j).toArray(); }""",
        ring["joint"],
    )
    cosine = abs(sum(a * b for a, b in zip(after, ring["before"], strict=True)))
    assert cosine < 0.995  # turned by more than ten degrees
    assert store(page, "state.undo") == "Pose"


def test_keys_play_and_are_exported(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(size=(960, 520))
    page.get_by_role("button", name="Key", exact=True).click()
    wait_for(page, "s.state.keys.length === 1")
    lanes = page.locator(".ruler").bounding_box()
    page.mouse.click(lanes["x"] + lanes["width"] / 2, lanes["y"] + 8)
    assert store(page, "timeS") == pytest.approx(2.0, abs=0.05)
    drag(page, "left_wrist", 40, -60)
    wait_for(page, "s.state.keys.length === 2")
    raised = position(page, "left_wrist")[1]
    page.keyboard.press("Home")
    page.wait_for_timeout(50)
    assert position(page, "left_wrist")[1] < raised - 0.1
    page.keyboard.press("Space")
    page.wait_for_timeout(900)
    page.keyboard.press("Space")
    assert store(page, "timeS") > 0.2  # it plays; how far depends on how busy the machine is
    between = position(page, "left_wrist")[1]
    assert between < raised
    key = page.locator(".key").nth(1)
    key.focus()
    page.keyboard.press("ArrowLeft")
    wait_for(page, "Math.abs(s.state.keys[1].time_s - 59 / 30) < 1e-6")
    for suffix in ("BVH", "GLB", "PNG"):
        page.get_by_role("button", name="Export").click()
        with page.expect_download() as download:
            page.get_by_role("menuitem", name=suffix).click()
        path = tmp_path / f"export.{suffix.lower()}"
        download.value.save_as(path)
        if suffix == "PNG":
            assert path.read_bytes().startswith(b"\x89PNG")
        else:
            assert len(io.load(path)) == 60
    page.locator(".key").nth(1).focus()
    page.keyboard.press("Delete")
    wait_for(page, "s.state.keys.length === 1")


def test_a_file_dropped_on_the_page_is_opened(open_page: OpenPage, server: Server) -> None:
    from writhe.skeleton import Motion
    from writhe.skeleton.figures import figure
    from writhe.studio.editing.starting_poses import starting_pose

    human = figure("human")
    q = starting_pose(human)
    path = server.documents.parent / "dropped.bvh"
    io.save(Motion(human.skeleton, np.tile(q, (45, 1)), 30.0), path)
    page = open_page()
    page.evaluate(
        """text => { const data = new DataTransfer();
        data.items.add(new File([text], "dropped.bvh"));
        window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true })); }""",
        path.read_text(),
    )
    wait_for(page, "s.state.actors[0].clip === 'dropped'")
    assert store(page, "motions.get(1).frames") == 45


def test_poses_are_saved_with_pictures(open_page: OpenPage) -> None:
    page = open_page(size=(960, 520))
    drag(page, "left_wrist", 40, -60)
    raised = position(page, "left_wrist")[1]
    page.keyboard.press("s")
    wait_for(page, "s.state.features.saved_poses.poses.length === 1")
    assert (
        page.evaluate("window.writhe.store.state.features.saved_poses.poses[0].picture.length")
        > 500
    )
    page.get_by_role("button", name="Reset", exact=True).click()
    wait_for(page, "s.state.undo === 'Reset pose'")
    assert position(page, "left_wrist")[1] < raised - 0.1
    page.get_by_role("button", name="Apply Pose 1").click()
    wait_for(page, "s.state.undo === 'Apply pose'")
    assert position(page, "left_wrist")[1] == pytest.approx(raised, abs=1e-4)
    page.get_by_role("button", name="Mirror").click()
    wait_for(page, "s.state.undo === 'Mirror pose'")
    assert position(page, "right_wrist")[1] == pytest.approx(raised, abs=1e-4)


def test_a_comparison_moves_both_by_one_gesture(open_page: OpenPage) -> None:
    page = open_page(size=(960, 520))
    page.get_by_role("button", name="Side by side").click()
    wait_for(page, "s.comparedMethod === 'plain'")
    drag(page, "left_wrist", 30, -50, let_go=False)
    wait_for(page, "s.comparedPose !== null")
    other = page.evaluate(
        """() => { const { editor } = window.writhe; const c = editor.viewport.comparedCharacter;
        const joint = c.shape.joints.findIndex(one => one.name === 'left_wrist');
        return c.jointPosition(joint).toArray(); }"""
    )
    assert other[1] == pytest.approx(position(page, "left_wrist")[1], abs=0.03)
    release(page)
    assert page.locator(".readout.comparison").inner_text().startswith("Plain")


def test_reloading_brings_everything_back(open_page: OpenPage) -> None:
    page = open_page()
    drag(page, "left_wrist", 40, -60)
    kept = position(page, "left_wrist")
    page.reload()
    page.wait_for_selector("body.ready")
    assert position(page, "left_wrist") == pytest.approx(kept, abs=1e-6)
    page.keyboard.press("Control+z")  # undo reaches across the reload
    wait_for(page, "s.state.redo === 'Pose'")


def test_a_second_tab_works_apart(open_page: OpenPage) -> None:
    one, two = open_page(), open_page()
    before = position(two, "left_wrist")
    drag(one, "left_wrist", 40, -60)
    assert position(one, "left_wrist")[1] > before[1] + 0.1
    assert position(two, "left_wrist") == pytest.approx(before, abs=1e-6)
    raised = position(one, "right_wrist")
    drag(two, "right_wrist", -30, -40)
    assert position(one, "right_wrist") == pytest.approx(raised, abs=1e-6)


def test_kill_and_restart_lose_only_the_unfinished_drag(
    open_page: OpenPage, tmp_path: Path
) -> None:
    server = Server(tmp_path / "documents", tmp_path / "log")
    server.start()
    try:
        page = open_page(at=server, quiet=False)
        drag(page, "left_wrist", 40, -60)
        kept = position(page, "left_wrist")
        drag(page, "right_wrist", -40, -60, let_go=False)
        server.kill()
        page.get_by_text("Connection lost").wait_for()
        page.mouse.up()
        page.keyboard.press("m")  # a command made meanwhile waits for the server
        server.start()
        wait_for(page, "s.state.undo === 'Mirror pose'")
        page.get_by_text("Reconnected").wait_for()
        assert position(page, "right_wrist")[1] == pytest.approx(kept[1], abs=1e-4)
        page.keyboard.press("Control+z")
        wait_for(page, "s.state.redo === 'Mirror pose'")
        assert position(page, "left_wrist") == pytest.approx(kept, abs=1e-5)
    finally:
        server.stop()


def test_it_fits_a_tablet_in_portrait(open_page: OpenPage) -> None:
    page = open_page(size=(600, 800), touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 600
    small = page.evaluate(
        """() => [...document.querySelectorAll('.topbar button, .transport button')]
        .filter(b => b.offsetParent).map(b => [b.title, b.offsetWidth, b.offsetHeight])
        .filter(([, w, h]) => w < 34 || h < 34)"""
    )
    assert small == []
    page.get_by_role("button", name="Show or hide the panel").click()
    assert page.get_by_role("button", name="Mirror").is_visible()


def test_it_can_be_reached_by_keyboard(open_page: OpenPage) -> None:
    page = open_page(size=(960, 520))

    def focused() -> str:
        return page.evaluate(
            "document.activeElement.ariaLabel || document.activeElement.textContent || ''"
        )

    def in_region(region: str) -> bool:
        return page.evaluate(f"document.activeElement.closest('.{region}') !== null")

    regions = ["topbar", "viewport-canvas", "panel", "transport", "lanes"]
    for region in [*regions, "topbar"]:
        page.keyboard.press("F6")
        assert in_region(region), region
    page.keyboard.press("Shift+F6")
    assert in_region("lanes")
    controls = {
        "topbar": ["Title of the document", "Export"],
        "panel": ["Method", "Mirror"],
        "lanes": ["Time"],
    }
    for region, wanted in controls.items():
        while not in_region(region):
            page.keyboard.press("F6")
        names = {focused()}
        while in_region(region):
            page.keyboard.press("Tab")
            names.add(focused())
        assert set(wanted) <= names
    page.locator("canvas.viewport-canvas").focus()
    page.keyboard.press("?")
    assert page.get_by_role("dialog").get_by_text("Mirror the pose").is_visible()
    page.keyboard.press("Escape")
    theme = page.evaluate("document.documentElement.dataset.theme")
    page.keyboard.press("t")
    assert page.evaluate("document.documentElement.dataset.theme") != theme


def test_the_start_page_lists_documents(open_page: OpenPage, server: Server) -> None:
    page = open_page()
    page.get_by_role("textbox", name="Title of the document").fill("A walk")
    page.keyboard.press("Enter")
    wait_for(page, "s.state.name === 'A walk'")
    for _ in range(60):  # the picture is taken when things have been quiet for a while
        page.wait_for_timeout(250)
        listed = page.evaluate("async () => (await fetch('api/documents')).json()")
        if any(e["id"] == page.document and e["has_picture"] for e in listed):
            break
    page.goto(f"{server.address}?start&test=1&shadows=0&antialias=0")
    card = page.locator(".card", has_text="A walk")
    card.wait_for()
    picture = card.first.locator("img").element_handle()
    page.wait_for_function("image => image.naturalWidth > 0", arg=picture)
    page.get_by_role("button", name="Copy A walk").click()
    page.get_by_text("A walk copy").wait_for()
    card.first.locator("a").click()
    page.wait_for_selector("body.ready")
