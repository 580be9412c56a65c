"""The studio page in Chromium: time until it is usable, and frame rate while dragging.

Needs Playwright and Chromium; without them these figures are omitted. Chromium renders in software
here, so the frame rate is a lower bound; `page_task_ms_per_frame` is the time of the page's own
code.
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import shutil
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np

import writhe

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
OPENINGS, MOVES = 5, 60
_STATIC = Path(writhe.__file__).parent / "studio" / "static"
_READY = """() => new Promise(done => { const look = () => document.querySelector("body.ready")
  ? done(performance.now()) : requestAnimationFrame(look); look(); })"""
_HAND = """() => { const { editor, store } = window.writhe;
  const c = editor.viewport.character(store.active);
  const joint = c.shape.joints.findIndex(one => one.name === "left_wrist");
  return editor.viewport.onPage(c.jointPosition(joint)); }"""


def bundle_kb() -> float | None:
    """Compressed size of all files of the page, in kB; None if it is not built."""
    files = [path for path in _STATIC.rglob("*") if path.is_file()]
    if not files:
        return None
    return round(sum(len(gzip.compress(path.read_bytes())) for path in files) / 1e3, 1)


def measure(address: str) -> dict[str, Any]:
    """Measurements of the page served at an address."""
    found: dict[str, Any] = {"bundle_kb": bundle_kb()}
    if not shutil.which(CHROMIUM) or importlib.util.find_spec("playwright") is None:
        return found
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        times: list[float] = []
        for _ in range(OPENINGS):
            page, taken = _open(browser, address)
            times.append(taken)
            page.context.close()  # an open page keeps rendering
        page, _ = _open(browser, address)
        found["page_interactive_ms_median"] = round(float(np.median(times)))
        found |= _dragging(page)
        browser.close()
    return found


def _open(browser: Any, address: str) -> tuple[Any, float]:
    """A page with a new document in a fresh context, and the milliseconds until it is usable."""
    request = urllib.request.Request(address + "api/documents", b"{}", method="POST")
    with urllib.request.urlopen(request) as answer:
        number = json.load(answer)["id"]
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.goto(f"{address}?document={number}&test=1", wait_until="commit")
    return page, float(page.evaluate(_READY))


def _dragging(page: Any) -> dict[str, float]:
    """Frame rate and task time per frame while the hand is dragged."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def counters() -> tuple[float, float, float]:
        metrics = {m["name"]: m["value"] for m in session.send("Performance.getMetrics")["metrics"]}
        frames = page.evaluate("window.writhe.editor.viewport.frames")
        return float(frames), float(metrics["TaskDuration"]), float(metrics["Timestamp"])

    at = page.evaluate(_HAND)
    page.mouse.move(at["x"], at["y"])
    page.mouse.down()
    page.mouse.move(at["x"] + 10, at["y"] - 10)
    page.wait_for_timeout(300)
    before = counters()
    for k in range(MOVES):
        angle = 2 * np.pi * k / MOVES
        page.mouse.move(
            at["x"] + 60 * float(np.sin(angle)), at["y"] - 80 + 40 * float(np.cos(angle))
        )
    after = counters()
    page.mouse.up()
    frames, worked, passed = (b - a for a, b in zip(before, after, strict=True))
    return {
        "frames_per_second_software": round(frames / passed, 1),
        "page_task_ms_per_frame": round(1e3 * worked / max(frames, 1.0), 2),
    }
