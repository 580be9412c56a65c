"""What a person does in the page: look where a joint is, drag it, tap it."""

from __future__ import annotations

from typing import Any

_WHERE = """name => {
  const { studio, store } = window.writhe;
  const character = studio.viewport.character(store.active);
  const joint = character.shape.joints.findIndex(one => one.name === name);
  return studio.viewport.onPage(character.jointPosition(joint));
}"""
_POSITION = """name => {
  const { studio, store } = window.writhe;
  const character = studio.viewport.character(store.active);
  const joint = character.shape.joints.findIndex(one => one.name === name);
  return character.jointPosition(joint).toArray();
}"""


def where(page: Any, joint: str) -> tuple[float, float]:
    """Where a joint is on the page, in pixels."""
    at = page.evaluate(_WHERE, joint)
    return at["x"], at["y"]


def position(page: Any, joint: str) -> list[float]:
    """Where a joint is in the world, in metres."""
    return page.evaluate(_POSITION, joint)


def store(page: Any, what: str) -> Any:
    """Something of what the page knows, as `state.undo`."""
    return page.evaluate(f"() => window.writhe.store.{what}")


def wait_for(page: Any, condition: str) -> None:
    """Wait until something about the store holds, as `s.state.keys.length === 2`."""
    page.wait_for_function(f"() => {{ const s = window.writhe.store; return {condition}; }}")


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


def release(page: Any) -> None:
    """Let go, and wait until the pose is saved."""
    page.mouse.up()
    wait_saved(page)


def wait_until_there(page: Any) -> None:
    """Wait until the figure has followed the hand."""
    page.wait_for_function("() => window.writhe.studio.posing.settled", polling=30)


def wait_saved(page: Any) -> None:
    """Wait until the server has acknowledged everything."""
    page.wait_for_function("() => window.writhe.studio.connection.waiting === 0", polling=30)
