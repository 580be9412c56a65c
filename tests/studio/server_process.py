"""`writhe studio` as a process that tests can kill."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path


class Server:
    """`writhe studio` in a process of its own, which can be killed and started again."""

    def __init__(self, documents: Path, log: Path) -> None:
        self.documents = documents
        self.log = log
        self.port = 0
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start on the same port as before, or on a free one."""
        command = [
            *(sys.executable, "-c", "from writhe.cli import main; main()", "studio"),
            *("--port", str(self.port), "--documents", str(self.documents), "--no-browser"),
        ]
        with self.log.open("wb") as out:
            self.process = subprocess.Popen(
                command, stderr=out, stdout=out, env={**os.environ, "COLUMNS": "200"}
            )
        for _ in range(9000):  # the first start on a machine compiles
            found = re.search(r"http://127\.0\.0\.1:(\d+)/", self.log.read_text())
            if found:
                self.port = int(found[1])
                self._wait_until_prepared()
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        self.process.kill()
        raise RuntimeError(f"the server did not start: {self.log.read_text()}")

    def _wait_until_prepared(self) -> None:
        """Bodies can be dragged from then on."""
        while True:
            with urllib.request.urlopen(f"{self.address}api/preparation") as answer:
                if json.load(answer)["ready"]:
                    return
            time.sleep(0.1)

    def kill(self) -> None:
        """kill -9."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """End it as Ctrl+C does."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def new_document(self) -> str:
        """A fresh document's number."""
        request = urllib.request.Request(self.address + "api/documents", b"{}", method="POST")
        with urllib.request.urlopen(request) as answer:
            return str(json.load(answer)["id"])
