"""The page opens while the server still compiles, and says so."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from browser_user import drag, position, press_and_drag, where

from writhe.studio.files.document_folder import DocumentFolder
from writhe.studio.server.app import build_app
from writhe.studio.server.preparation import Preparation


@pytest.fixture
def unprepared(tmp_path: Path) -> Iterator[tuple[str, Preparation]]:
    """The address of a server whose preparation goes on when the test says so."""
    made = Preparation()
    app = build_app(DocumentFolder(tmp_path), preparation=made)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    running = threading.Thread(target=server.run)
    running.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}/", made
    made.visible.set()
    made.ready.set()
    server.should_exit = True
    running.join()


def test_the_page_shows_the_progress_and_drags_when_it_is_ready(
    chromium: Any, unprepared: tuple[str, Preparation]
) -> None:
    address, made = unprepared
    made._report(0.3, "posing")
    page = chromium.new_context(viewport={"width": 800, "height": 600}).new_page()
    page.set_default_timeout(150_000)
    page.goto(f"{address}?test=1&shadows=0&antialias=0")
    page.get_by_text("Preparing posing: 30 %").wait_for()
    assert page.locator("canvas").count() == 0  # nothing to see yet
    made.visible.set()
    page.wait_for_selector("body.ready")
    page.get_by_text("Preparing posing: 30 %").wait_for()
    before = position(page, "left_wrist")
    eye = "() => window.writhe.editor.viewport.orbit.camera.position.toArray()"
    camera = page.evaluate(eye)
    press_and_drag(page, *where(page, "left_wrist"), 40, -30)
    assert position(page, "left_wrist") == before  # not yet
    assert page.evaluate(eye) != camera  # the camera moves instead
    made.ready.set()
    page.locator(".preparing").wait_for(state="detached")
    drag(page, "left_wrist", 40, -30)
    page.wait_for_function("() => window.writhe.store.state.undo === 'Pose'")
    assert position(page, "left_wrist") != before
    page.context.close()
