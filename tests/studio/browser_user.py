"""User actions in the page: find a joint, drag it, tap it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]

OpenPage = Callable[..., Any]  # opens a document in a page of its own (see conftest)

_WHERE = """name => {
  const { editor, store } = window.writhe;
  const character = editor.viewport.character(store.active);
  const joint = character.shape.joints.findIndex(one => one.name === name);
  return editor.viewport.onPage(character.jointPosition(joint));
}"""
_POSITION = """name => {
  const { editor, store } = window.writhe;
  const character = editor.viewport.character(store.active);
  const joint = character.shape.joints.findIndex(one => one.name === name);
  return character.jointPosition(joint).toArray();
}"""


def where(page: Any, joint: str) -> tuple[float, float]:
    """Where a joint is on the page, in pixels, once the page has laid itself out."""
    next_frame(page)
    at = page.evaluate(_WHERE, joint)
    return at["x"], at["y"]


def position(page: Any, joint: str) -> list[float]:
    """Where a joint is in the world, in metres."""
    return page.evaluate(_POSITION, joint)


def object_position(page: Any, number: int) -> list[float]:
    """Where an object is in the world, in metres."""
    return page.evaluate(
        "id => window.writhe.editor.viewport.objects.object(id).position.toArray()", number
    )


def object_on_page(page: Any, number: int) -> tuple[float, float]:
    """Where the middle of an object is on the page, in pixels."""
    next_frame(page)
    at = page.evaluate(
        """id => { const { viewport } = window.writhe.editor;
        return viewport.onPage(viewport.objects.object(id).position); }""",
        number,
    )
    return at["x"], at["y"]


def open_section(page: Any, title: str) -> None:
    """Unfold a section of the panel."""
    section = page.locator(
        "details.panel-section", has=page.get_by_role("heading", name=title, exact=True)
    )
    if section.get_attribute("open") is None:
        section.locator("summary").click()


def store(page: Any, what: str) -> Any:
    """A value of the page's store, such as `state.undo`."""
    return page.evaluate(f"() => window.writhe.store.{what}")


def wait_for(page: Any, condition: str) -> None:
    """Wait until a condition on the store holds, such as `s.state.keys.length === 2`."""
    page.wait_for_function(f"() => {{ const s = window.writhe.store; return {condition}; }}")


def go_to(page: Any, time_s: float) -> None:
    """Move the playhead by clicking the ruler."""
    ruler = page.locator(".ruler").bounding_box()
    share = time_s / store(page, "state.duration_s")
    page.mouse.click(ruler["x"] + share * ruler["width"], ruler["y"] + 10)
    wait_for(page, f"Math.abs(s.timeS - {time_s}) < 0.03")


def drag(page: Any, joint: str, dx: float, dy: float, *, let_go: bool = True) -> None:
    """Drag a joint by pixels with the mouse, in steps."""
    x, y = where(page, joint)
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, 11):
        page.mouse.move(x + dx * k / 10, y + dy * k / 10)
    wait_until_there(page)
    if let_go:
        release(page)


def press_and_drag(page: Any, x: float, y: float, dx: float, dy: float) -> None:
    """Press at a position of the page, move in steps, release."""
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, 9):
        page.mouse.move(x + dx * k / 8, y + dy * k / 8)
    page.mouse.up()


def double_tap(page: Any, x: float, y: float) -> None:
    """Tap twice; the events say a tenth of a second apart, however busy the machine is."""
    touch, start = page.context.new_cdp_session(page), time.time()
    for k in range(2):
        for kind, points, after_s in (
            ("touchStart", [{"x": x, "y": y}], 0.0),
            ("touchEnd", [], 0.02),
        ):
            event = {"type": kind, "touchPoints": points, "timestamp": start + 0.1 * k + after_s}
            touch.send("Input.dispatchTouchEvent", event)


def actor_in_scene(page: Any, feature: str, kind: str, axis: int) -> tuple[float, float]:
    """Where a feature's arrow ("shift") or ring ("turn") about an axis is on the page."""
    next_frame(page)
    at = page.evaluate(
        "([feature, kind, axis]) => window.writhe.editor.gizmos[feature].grip(kind, axis)",
        [feature, kind, axis],
    )
    return at["x"], at["y"]


def next_frame(page: Any) -> None:
    """Wait until the page has redrawn."""
    page.evaluate(
        """() => new Promise(done => { window.writhe.editor.viewport.draw();
        requestAnimationFrame(() => requestAnimationFrame(done)); })"""
    )


def release(page: Any) -> None:
    """Release, and wait until the pose is saved."""
    page.mouse.up()
    wait_saved(page)


def wait_until_there(page: Any) -> None:
    """Wait until the figure has followed the pointer."""
    page.wait_for_function(
        """() => { const { editor: { drag }, store } = window.writhe;
        return drag.caughtUp && ["reached", "settled"].includes(store.poseReport?.status); }""",
        polling=30,
    )


def wait_saved(page: Any) -> None:
    """Wait until the server has acknowledged everything."""
    page.wait_for_function("() => window.writhe.editor.connection.waiting === 0", polling=30)


def squat(page: Any) -> None:
    """Key the pose at 0 s, and the hips dragged down at 1 s."""
    page.keyboard.press("k")
    wait_for(page, "s.state.keys.length === 1")
    go_to(page, 1.0)
    drag(page, "hips", 0, 90)
    wait_for(page, "s.state.keys.length === 2")
    wait_saved(page)
