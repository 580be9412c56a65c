"""Two scenes of the paper on topology coordinates, made by mouse and keyboard alone.

Hands do only what a person's could; eyes may ask the page where something is to be seen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from browser_user import actor_in_scene, go_to, next_frame, store, wait_for, wait_saved

Shot = Callable[[str], None]

# a point of the page where a part of an actor's joint is to be seen, looking along its bone
_SEEN = """([actor, name, first]) => {
  const { editor: { viewport }, store } = window.writhe;
  const { shape, bones } = viewport.character(actor);
  const joint = shape.joints.findIndex(one => one.name === name);
  const child = shape.joints.findIndex(one => one.parent === joint);
  const from = viewport.onPage(viewport.character(actor).jointPosition(joint));
  const ends = store.state.features.tangles.actors.find(one => one.actor === actor).ends;
  const tip = ends.find(end => end.joint === joint && end.offset.some(Boolean))?.offset;
  const to = viewport.onPage(child < 0 && tip
    ? bones[joint].localToWorld(bones[joint].position.clone().set(...tip))
    : viewport.character(actor).jointPosition(Math.max(child, 0)));
  for (const u of [first, 0.6, 0.35, 0.85, 0.15])
    for (const aside of [0, 5, -5, 10, -10]) {
      const x = from.x + u * (to.x - from.x) + aside, y = from.y + u * (to.y - from.y);
      const hit = viewport.pick(x, y), item = viewport.objects.pick(viewport.ray(x, y));
      if (hit?.actor !== actor || hit.joint !== joint || item?.distance < hit.distance) continue;
      if (document.elementFromPoint(x, y) === viewport.canvas) return { x, y };
    }
  return null;
}"""
_STEP = """([actor, axis]) => {
  const { editor: { viewport } } = window.writhe;
  const at = viewport.character(actor).jointPosition(0), from = viewport.onPage(at.clone());
  const to = viewport.onPage(at.clone().setComponent(axis, at.getComponent(axis) + 0.1));
  return [10 * (to.x - from.x), 10 * (to.y - from.y), at.getComponent(axis)];
}"""


def seen(page: Any, actor: int, joint: str, share: float = 0.5) -> tuple[float, float] | None:
    """Where a part of the body is to be seen, if it is; at best so far along its bone."""
    next_frame(page)
    at = page.evaluate(_SEEN, [actor, joint, share])
    return None if at is None else (at["x"], at["y"])


def shown(page: Any, actor: int, joint: str, share: float = 0.5) -> tuple[float, float]:
    """The same for a part that is in view; fails if it is not."""
    at = seen(page, actor, joint, share)
    assert at is not None, f"{joint} of actor {actor} is not in view"
    return at


def draw(
    page: Any, start: tuple[float, float], end: tuple[float, float], button: str = "left"
) -> None:
    """Press, move in steps (the camera in fewer), let go."""
    page.mouse.move(*start)
    page.mouse.down(button=button)
    steps = 8 if button == "left" else 2
    for k in range(1, steps + 1):
        x, y = (a + (b - a) * k / steps for a, b in zip(start, end, strict=True))
        page.mouse.move(x, y)
    page.mouse.up(button=button)


def look_at(page: Any, *parts: tuple[int, str]) -> None:
    """Circle the camera until all of these parts are to be seen."""
    box = page.locator("canvas.viewport-canvas").bounding_box()
    start = (box["x"] + 0.25 * box["width"], box["y"] + 0.6 * box["height"])
    for _ in range(16):
        if all(seen(page, *part) is not None for part in parts):
            return
        draw(page, start, (start[0] + 110, start[1]), "right")
    raise AssertionError(f"{parts} are not to be seen from any side")


def click(page: Any, actor: int, joint: str, share: float = 0.5) -> None:
    """Click a part of the body."""
    page.mouse.click(*shown(page, actor, joint, share))


def slide(page: Any, name: str, value: float, maximum: float = 1.5) -> None:
    """Drag a slider of the tangle to a value, and wait until the bodies are there."""
    slider = page.get_by_role("slider", name=name, exact=True)
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    y = box["y"] + box["height"] / 2

    def place(value: float) -> tuple[float, float]:
        return box["x"] + 8 + (box["width"] - 16) * (value + maximum) / (2 * maximum), y

    for _ in range(3):  # on a slow machine a hand may be quicker than the page: it tries again
        draw(page, place(float(slider.input_value())), place(value))
        page.wait_for_function(
            "() => !window.writhe.editor.panels.tangles.winder.active", polling=30
        )
        wait_saved(page)
        if name != "Writhe" or abs(measured(page) - value) < 0.05:
            return


def measured(page: Any) -> float:
    """The writhe that the panel shows."""
    return page.evaluate("() => window.writhe.editor.panels.tangles.found.writhe")


def key_tangle(page: Any) -> None:
    """Key what the sliders say at the playhead."""
    count = "s.state.features.tangle_motion.keys.reduce((n, key) => n + key.tangles.length, 0)"
    before = page.evaluate(f"() => {{ const s = window.writhe.store; return {count}; }}")
    page.keyboard.press("Shift+W")
    wait_for(page, f"{count} === {before + 1}")


def choose(page: Any, who: str) -> None:
    """Work on a character."""
    actors = page.get_by_role("radiogroup", name="Characters")
    actors.get_by_role("radio", name=who, exact=True).click()


def key_pose(page: Any, who: str | None = None) -> None:
    """Key a character's pose at the playhead."""
    if who is not None:
        choose(page, who)
    before = len(store(page, "state.keys"))
    page.keyboard.press("k")
    wait_for(page, f"s.state.keys.length === {before + 1}")


def make_motion(page: Any) -> None:
    """Have the motion through the tangle keys made, and checked."""
    page.keyboard.press("Shift+J")
    wait_for(page, "s.state.undo === 'Motion through the tangles' && s.certificate !== null")
    page.locator(".strip:not(.stale)").wait_for()


def arms_swap(page: Any, shot: Shot) -> None:
    """Figure 1: arms crossed one way, then the other; joint angles would lead through them."""
    key_pose(page)
    page.keyboard.press("w")
    click(page, 1, "left_elbow")
    click(page, 1, "right_elbow")
    page.wait_for_function("() => window.writhe.editor.panels.tangles.found !== null")
    for time_s, writhe in ((1.0, 0.35), (2.5, -0.35)):
        go_to(page, time_s)
        slide(page, "Writhe", writhe)
        shot(f"swap-{time_s:.0f}")
        key_tangle(page)
    page.locator(".certificate.bad").wait_for()
    shot("swap-blended")
    make_motion(page)
    go_to(page, 1.8)
    shot("swap-made")


def stand_behind(page: Any, actor: int, distance_m: float) -> None:
    """Put the active character behind the one at the origin, by its arrows."""
    page.get_by_role("button", name="Move", exact=True).click()
    page.wait_for_function("() => window.writhe.store.movingActor")
    page.keyboard.press("f")
    box = page.locator("canvas.viewport-canvas").bounding_box()
    at = (box["x"] + 0.2 * box["width"], box["y"] + 0.6 * box["height"])
    for axis, goal in ((0, 0.0), (2, -distance_m)):
        if axis == 2:  # from the front this arrow points at the eye
            page.keyboard.press("f")
            draw(page, at, (at[0] + 220, at[1]), "right")
        for _ in range(5):
            next_frame(page)
            across, down, now = page.evaluate(_STEP, [actor, axis])
            if abs(goal - now) < 0.012:
                break
            grip = actor_in_scene(page, "move_actor", "shift", axis)
            draw(page, grip, (grip[0] + across * (goal - now), grip[1] + down * (goal - now)))
            wait_saved(page)
        assert abs(goal - now) < 0.03, (axis, now)
    page.get_by_role("button", name="Move", exact=True).click()
    page.keyboard.press("f")


def piggyback(page: Any, shot: Shot) -> None:
    """One climbs onto the other's back: arms over the shoulders, legs held, four tangles."""
    page.get_by_role("button", name="Add another character").click()
    wait_for(page, "s.state.actors.length === 2")
    choose(page, "Human 2")
    stand_behind(page, 2, 0.40)
    # who is to be carried must not stay on the floor
    for left, foot in ((1, "left_ankle"), (0, "right_ankle")):
        look_at(page, (2, foot))
        click(page, 2, foot, 0.0)
        page.keyboard.press("p")
        wait_for(page, f"s.state.actors[1].pins.length === {left}")
    page.keyboard.press("Escape")
    key_pose(page, "Human")
    key_pose(page, "Human 2")
    go_to(page, 1.0)
    for side, writhe in (("right", -0.3), ("left", 0.3)):
        look_at(page, (2, f"{side}_elbow"), (1, f"{side}_wrist"), (1, "head"))
        page.keyboard.press("w")
        click(page, 2, f"{side}_elbow")
        draw(page, shown(page, 1, "head"), shown(page, 1, f"{side}_wrist"))
        page.wait_for_function("() => window.writhe.editor.panels.tangles.found !== null")
        slide(page, "Writhe", writhe)
        key_tangle(page)
        shot(f"piggyback-{side}-arm")
    go_to(page, 2.0)
    look_at(page, (2, "hips"))
    x, y = shown(page, 2, "hips")
    draw(page, (x, y), (x, y - 45))
    wait_saved(page)
    shot("piggyback-up")
    for side, writhe in (("left", 0.3), ("right", -0.3)):
        look_at(page, (1, f"{side}_elbow"), (2, f"{side}_knee"))
        page.keyboard.press("w")
        click(page, 1, f"{side}_elbow")
        click(page, 2, f"{side}_knee")
        page.wait_for_function("() => window.writhe.editor.panels.tangles.found !== null")
        page.get_by_role("radio", name="Both").click()
        slide(page, "Writhe", writhe)
        key_tangle(page)
        shot(f"piggyback-{side}-leg")
    make_motion(page)
    shot("piggyback-made")


def fold_both_ways(page: Any) -> None:
    """Arms folded at 0 s, folded the other way at 2 s: blending leads through them."""
    page.get_by_role("searchbox", name="Find a pose").fill("folded")
    poses = page.get_by_role("listbox", name="Preset poses")
    poses.get_by_role("option", name="arms folded", exact=True).click()
    wait_for(page, "s.state.undo === 'Preset pose'")
    page.get_by_role("button", name="Key", exact=True).click()
    wait_for(page, "s.state.keys.length === 1")
    go_to(page, 2.0)
    page.keyboard.press("m")
    wait_for(page, "s.state.keys.length === 2")
    page.locator(".certificate.bad:not(.stale)").wait_for()
