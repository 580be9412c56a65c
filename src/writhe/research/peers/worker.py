"""A peer in a process of its own: `python -m writhe.research.peers.worker ADAPTER BODY.json`.

Reads one JSON request a line: `{"task": "in.npz", "answer": "out.npz"}`, runs the task and writes
the motion and the milliseconds of each frame; answers one JSON line. NumPy only.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Any, cast

import numpy as np

from writhe.research.peers.body import FAR_AWAY, PeerBody


def play(peer: Any, task: Any) -> dict[str, np.ndarray]:
    """The motion (frames + 1, n), the milliseconds of every frame and the ball's positions."""
    names = [str(name) for name in task["targets"]]
    pins = {str(n): p for n, p in zip(task["pins"], task["pin_places"], strict=True)}
    q = np.array(task["start"])
    peer.start(q.copy(), pins)
    motion: list[np.ndarray] = [q]
    times: list[float] = []
    ball: list[np.ndarray] = []
    for frame, points in enumerate(task["path"]):
        wanted = dict(zip(names, points, strict=True))
        began = time.perf_counter()
        moved = task["ball"][frame] if len(task["ball"]) else FAR_AWAY
        if peer.avoids_ball:
            peer.move_ball(moved)
        q = peer.step(wanted)
        times.append(1e3 * (time.perf_counter() - began))
        motion.append(np.array(q))
        ball.append(getattr(peer, "ball_place", moved))
    return {"motion": np.array(motion), "milliseconds": np.array(times), "ball": np.array(ball)}


def main(adapter: str, body_file: str) -> None:
    """Serve requests until standard input ends."""
    # output of libraries must not mix with the answers
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    module, _, variant = adapter.partition(":")
    make = importlib.import_module(f"writhe.research.peers.adapters.{module}").make
    peer = make(PeerBody.load(Path(body_file)), variant)
    _say(answers, {"settings": peer.settings, "avoids_ball": peer.avoids_ball})
    for line in sys.stdin:
        request = json.loads(line)
        with np.load(request["task"]) as task:
            played = play(peer, task)
        np.savez(request["answer"], **cast(Any, played))
        _say(answers, {"frames": len(played["motion"]), "peak_memory_mb": _peak_memory_mb()})


def _peak_memory_mb() -> float | None:
    """Peak memory of this process in MB, without what it inherited from its parent.

    Available on Linux only; None elsewhere.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    lines = status.read_text(encoding="utf-8").splitlines()
    line = next(line for line in lines if line.startswith("VmHWM"))
    return round(int(line.split()[1]) / 1024.0, 1)


def _say(answers: Any, message: dict[str, Any]) -> None:
    answers.write(json.dumps(message) + "\n")
    answers.flush()


if __name__ == "__main__":
    main(*sys.argv[1:3])
