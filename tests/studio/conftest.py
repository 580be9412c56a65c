"""A running studio server, and a real browser in front of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from browser_user import CHROMIUM, FLAGS, OpenPage
from server_process import Server

from writhe.studio.server.app import STATIC


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server shared by all tests that do not kill it."""
    folder = tmp_path_factory.mktemp("studio")
    running = Server(folder / "documents", folder / "log")
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Debian's Chromium, driven by Playwright."""
    if not shutil.which(CHROMIUM):
        pytest.skip("no Chromium: apt-get install chromium")
    if not (STATIC / "index.html").is_file():
        pytest.skip("the studio's page is not built: make studio-client")
    api = pytest.importorskip("playwright.sync_api", reason="no Playwright: pip install playwright")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Any, server: Server) -> Iterator[OpenPage]:
    """Opens documents in separate pages; fails if a page logged an error."""
    contexts: list[Any] = []
    complaints: list[str] = []

    def opened(
        document: str | None = None,
        *,
        at: Server = server,
        size: tuple[int, int] = (560, 420),
        touch: bool = False,
        quiet: bool = True,
    ) -> Any:
        context = chromium.new_context(
            viewport={"width": size[0], "height": size[1]}, has_touch=touch, accept_downloads=True
        )
        context.set_default_timeout(150_000)  # the first use of a kernel may compile it
        contexts.append(context)
        page = context.new_page()
        if quiet:
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on(
                "console",
                lambda message: (
                    complaints.append(message.text) if message.type == "error" else None
                ),
            )
        number = document or at.new_document()
        page.goto(f"{at.address}?document={number}&test=1&shadows=0&antialias=0")
        page.wait_for_selector("body.ready")
        page.document = number
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
