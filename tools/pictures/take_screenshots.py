"""Pictures of the studio's main states: `take_screenshots.py FOLDER [SCENE ...]`.

`make screenshots` takes all of them. Starts its own server with an empty document folder, poses by
real drags in Chromium, and writes PNG files.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "studio"))

from browser_user import (
    CHROMIUM,
    FLAGS,
    drag,
    go_to,
    next_frame,
    object_on_page,
    open_section,
    store,
    wait_for,
    wait_saved,
    where,
)
from paper_scenes_by_hand import arms_swap, fold_both_ways, piggyback
from server_process import Server


def crossed_arms(page: Any) -> None:
    """A slight crouch with the arms crossed."""
    drag(page, "hips", -5, 25)
    drag(page, "left_wrist", -75, -80)
    drag(page, "right_wrist", 75, -60)


def first_sight(page: Any, shot: Callable[[str], None]) -> None:
    page.wait_for_timeout(1500)
    shot("first-sight")


def posing(page: Any, shot: Callable[[str], None]) -> None:
    crossed_arms(page)
    drag(page, "head", 40, 10, let_go=False)
    shot("posing")
    page.mouse.up()
    wait_saved(page)


def animating(page: Any, shot: Callable[[str], None]) -> None:
    page.keyboard.press("k")
    wait_for(page, "s.state.keys.length === 1")
    page.evaluate("window.writhe.editor.seek(2)")
    crossed_arms(page)
    page.evaluate("window.writhe.editor.seek(3.5)")
    drag(page, "left_wrist", 130, -200)
    page.keyboard.press("s")
    wait_for(page, "s.state.features.saved_poses.poses.length === 1")
    page.keyboard.press("o")
    page.evaluate("window.writhe.editor.seek(1.2)")
    shot("animating")


def rings(page: Any, shot: Callable[[str], None]) -> None:
    page.mouse.click(*where(page, "left_wrist"))
    wait_for(page, "s.selected !== null")
    shot("rings-and-pins")


def duel(page: Any, shot: Callable[[str], None]) -> None:
    page.keyboard.press("d")
    wait_for(page, "s.comparedMethod !== null")
    page.wait_for_timeout(300)
    drag(page, "left_wrist", -110, -20, let_go=False)
    shot("duel")
    page.mouse.up()


def seated(page: Any, shot: Callable[[str], None]) -> None:
    find = page.get_by_role("searchbox", name="Find a pose")
    find.fill("sit folded")
    page.keyboard.press("Enter")
    wait_for(page, "s.state.undo === 'Preset pose'")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Key", exact=True).click()
    go_to(page, 0.5 * store(page, "state.duration_s"))
    drag(page, "head", 22, 12)
    wait_for(page, "s.state.keys.length === 2")
    page.locator(".certificate").wait_for()
    page.wait_for_timeout(4500)
    shot("seated")


def pushing(page: Any, shot: Callable[[str], None]) -> None:
    page.get_by_role("button", name="+ Ball").click()
    wait_for(page, "s.selectedObject !== null")
    page.evaluate(
        """() => window.writhe.editor.command({ type: 'place_object', object: 1,
        position: [0.75, 1.2, 0], rotation: [1, 0, 0, 0] })"""
    )
    wait_saved(page)
    page.get_by_role("button", name="Front", exact=True).click()
    x, y = object_on_page(page, 1)
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, 21):
        page.mouse.move(x - 8.5 * k, y)
        next_frame(page)
    shot("pushing")
    page.mouse.up()
    wait_saved(page)


def path(page: Any, shot: Callable[[str], None]) -> None:
    open_section(page, "Path")
    page.get_by_role("button", name="Draw a path").scroll_into_view_if_needed()
    page.keyboard.press("y")
    x, y = where(page, "right_wrist")
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, 25):
        page.mouse.move(x - 40 * math.sin(k / 7), y - 8 * k)
    page.mouse.up()
    wait_for(page, "s.state.undo === 'Follow the path'")
    page.evaluate("window.writhe.editor.seek(1.4)")
    page.locator(".certificate").wait_for()
    page.wait_for_timeout(1000)
    shot("path")


def hand(page: Any, shot: Callable[[str], None]) -> None:
    page.get_by_role("combobox", name="Body").select_option("hand")
    wait_for(page, "s.state.actors[0].figure === 'hand'")
    page.keyboard.press("f")
    drag(page, "index_3", -20, 60)
    drag(page, "middle_3", -20, 50)
    shot("hand")


def octopus(page: Any, shot: Callable[[str], None]) -> None:
    page.get_by_role("combobox", name="Body").select_option("octopus")
    wait_for(page, "s.state.actors[0].figure === 'octopus'")
    page.keyboard.press("f")
    shot("octopus")


def objects(page: Any, shot: Callable[[str], None]) -> None:
    page.get_by_role("combobox", name="Scene").select_option("chair")
    wait_for(page, "s.state.objects.length === 1")
    page.get_by_role("button", name="+ Ball").click()
    wait_for(page, "s.selectedObject !== null")
    page.keyboard.press("f")
    shot("objects")


def certificate(page: Any, shot: Callable[[str], None]) -> None:
    page.keyboard.press("k")
    wait_for(page, "s.state.keys.length === 1")
    page.evaluate("window.writhe.editor.seek(1.5)")
    crossed_arms(page)
    page.evaluate("window.writhe.editor.seek(3)")
    drag(page, "left_wrist", 120, -140)
    wait_for(page, "s.state.keys.length === 3")
    page.evaluate("window.writhe.editor.seek(2.2)")
    page.get_by_role("button", name="+ Rod").click()
    wait_for(page, "s.selectedObject !== null")
    page.keyboard.press("g")
    page.locator(".certificate").wait_for()
    page.wait_for_timeout(1500)
    shot("certificate")


def tangles(page: Any, shot: Callable[[str], None]) -> None:
    """Arms that swap over and under: red while blended, green through the tangle keys."""
    arms_swap(page, lambda name: shot("tangle-keys") if name == "swap-blended" else None)
    page.locator(".panel-section:has(.tangle-chains)").evaluate("box => box.scrollIntoView()")
    shot("tangles")


def tangles_by_night(page: Any, shot: Callable[[str], None]) -> None:
    """The same on a tablet in portrait."""
    tangles(page, lambda name: shot("tablet-tangles") if name == "tangles" else None)


def carried(page: Any, shot: Callable[[str], None]) -> None:
    """A piggyback by four tangles."""
    piggyback(page, lambda name: None)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Three-quarter", exact=True).click()
    page.keyboard.press("f")
    shot("piggyback")


def connecting(page: Any, shot: Callable[[str], None]) -> None:
    """Arms folded one way, then the other: interpolation and two planned paths."""
    fold_both_ways(page)
    page.keyboard.press("i")
    shot("in-betweens")
    page.keyboard.press("Escape")
    keys = page.locator(".row[data-kind=pose] .key")
    keys.nth(0).click()
    keys.nth(1).click(modifiers=["Shift"])
    page.keyboard.press("j")
    page.locator(".path-card").first.wait_for()
    page.get_by_role("button", name="Play side by side").click()
    page.wait_for_timeout(300)
    shot("connect")


def sheet(page: Any, shot: Callable[[str], None]) -> None:
    page.keyboard.press("?")
    shot("help")


def tablet(page: Any, shot: Callable[[str], None]) -> None:
    crossed_arms(page)
    shot("tablet")


def tablet_panel(page: Any, shot: Callable[[str], None]) -> None:
    page.get_by_role("button", name="Show or hide the panel").click()
    shot("tablet-panel")


Theme = Literal["light", "dark"]
SCENES: dict[str, tuple[Callable[[Any, Callable[[str], None]], None], tuple[int, int], Theme]] = {
    "first sight": (first_sight, (1280, 800), "light"),
    "posing": (posing, (1280, 800), "light"),
    "animating": (animating, (1280, 800), "light"),
    "rings": (rings, (1280, 800), "light"),
    "duel": (duel, (1280, 800), "dark"),
    "seated": (seated, (1280, 800), "light"),
    "pushing": (pushing, (1280, 800), "light"),
    "path": (path, (1280, 800), "dark"),
    "hand": (hand, (1280, 800), "light"),
    "octopus": (octopus, (1280, 800), "dark"),
    "objects": (objects, (1280, 800), "light"),
    "certificate": (certificate, (1280, 860), "light"),
    "tangles": (tangles, (1280, 860), "light"),
    "tangles by night": (tangles_by_night, (820, 1180), "dark"),
    "piggyback": (carried, (1280, 860), "light"),
    "connecting": (connecting, (1280, 860), "light"),
    "help": (sheet, (1280, 800), "light"),
    "tablet": (tablet, (820, 1180), "dark"),
    "tablet by day": (tablet_panel, (768, 1024), "light"),
}


def main(folder: Path, only: set[str]) -> None:
    """Take all pictures, or those of some scenes."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        server = Server(Path(temporary) / "documents", Path(temporary) / "log")
        server.start()
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        chosen = [scene for name, scene in SCENES.items() if not only or name in only]
        for act, (width, height), theme in chosen:
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=theme
            )
            page = context.new_page()
            page.goto(f"{server.address}?document={server.new_document()}&test=1")
            page.wait_for_selector("body.ready")

            def shot(name: str, page: Any = page) -> None:
                page.wait_for_timeout(600)
                page.screenshot(path=folder / f"{name}.png")
                print(folder / f"{name}.png")

            act(page, shot)
            context.close()
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(server.address)
        page.wait_for_selector(".documents")
        page.wait_for_timeout(1500)
        page.screenshot(path=folder / "documents.png")
        browser.close()
        server.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/screenshots"), set(sys.argv[2:]))
