"""Run by a Python that has writhe: answers the requests of Blender until its input ends."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import wire


def main() -> None:
    """Answer requests ({"request", "data"}) with {"answer"}, {"error"} or {"progress"}."""
    source = os.fdopen(os.dup(0), "rb")
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print must not get among the answers
    try:
        import writhe
        from writhe.errors import WritheError
        from writhe.plugin import Session
    except ImportError as error:
        wire.send(sink, {"error": f"{sys.executable} has no writhe ({error})", "missing": True})
        return
    wire.send(sink, {"answer": {"version": writhe.__version__, "python": sys.version.split()[0]}})
    session = Session()

    def progress(share: float | None, what: str = "", /) -> None:
        wire.send(sink, {"progress": share, "what": what})

    while True:
        try:
            message = wire.receive(source)
        except EOFError:
            return
        try:
            answer = session.request(message["request"], message["data"], progress)
            wire.send(sink, {"answer": answer})
        except WritheError as error:
            wire.send(sink, {"error": str(error)})
        except Exception as error:
            import traceback

            traceback.print_exc()
            wire.send(sink, {"error": f"{type(error).__name__}: {error} (see the console)"})


if __name__ == "__main__":
    main()
