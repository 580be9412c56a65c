"""The process that answers another program: requests by standard input, answers by output.

It lives as long as its input is open, also in the middle of a request: a program that has gone
leaves nothing behind.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import traceback
from typing import Any, BinaryIO

from writhe import __version__
from writhe.errors import WritheError
from writhe.plugin import wire
from writhe.plugin.session import Session


def main() -> None:
    """Answer requests ({"request", "data"}) with {"answer"}, {"error"} or {"progress"}."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the program that started this
    source = os.fdopen(os.dup(0), "rb")
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print must not get among the answers
    python = sys.version.split()[0]
    about = {"version": __version__, "python": python, "protocol": wire.PROTOCOL}
    wire.send(sink, {"answer": about})
    session = Session()
    requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(source, requests), daemon=True).start()

    def progress(share: float | None, what: str = "", /) -> None:
        wire.send(sink, {"progress": share, "what": what})

    while True:
        message = requests.get()
        try:
            answer = session.request(message["request"], message["data"], progress)
            wire.send(sink, {"answer": answer})
        except WritheError as error:
            wire.send(sink, {"error": str(error)})
        except BrokenPipeError:  # the program has gone
            os._exit(0)
        except Exception as error:
            traceback.print_exc()
            wire.send(sink, {"error": f"{type(error).__name__}: {error} (see the console)"})


def _receive(source: BinaryIO, requests: queue.SimpleQueue[Any]) -> None:
    """Queue the requests; end the process when there can be no more."""
    while True:
        try:
            requests.put(wire.receive(source))
        except (EOFError, OSError):
            os._exit(0)
        except (ValueError, TypeError):
            traceback.print_exc()
            os._exit(1)


if __name__ == "__main__":
    main()
