"""`writhe studio`: pose and animate in the browser."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

from writhe.cli.options import option
from writhe.cli.output import console
from writhe.cli.progress import progress_bar


def studio(
    host: Annotated[
        str, option("Address to listen on; other than loopback requires a token.")
    ] = "127.0.0.1",
    port: Annotated[int, option("Port; 0 for any free port.", min=0, max=65535)] = 8765,
    documents: Annotated[
        Path | None, option("Folder of the documents (default: the user's data folder).")
    ] = None,
    database: Annotated[
        Path | None, option("Posture database (.parquet) for natural poses.", exists=True)
    ] = None,
    pairs: Annotated[
        Path | None,
        option("Database of two people (.parquet) for partners that react.", exists=True),
    ] = None,
    no_browser: Annotated[bool, option("Do not open a browser window.", "--no-browser")] = False,
) -> None:
    """Pose and animate in the browser, with mouse or fingers.

    Example: `writhe studio`
    """
    console.print("Starting the studio.")
    from writhe.studio.files.document_folder import default_folder
    from writhe.studio.server.preparation import Preparation
    from writhe.studio.server.start import serve

    def announce(address: str) -> None:
        console.print(f"The studio is at [bold]{address}[/bold] (Ctrl+C ends it)", highlight=False)

    screen = sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    with progress_bar("Preparing") as progress:
        serve(
            host,
            port,
            documents or default_folder(),
            database=database,
            pairs=pairs,
            browser=screen and not no_browser,
            announce=announce,
            preparation=Preparation(progress),
        )
