"""What a worker process of this machine does when it starts (a preload module of Dask).

Ctrl+C in a terminal reaches every process of the command. The main process stops the workers; they
must not stop by themselves, which prints their stacks and would count as a death.
"""

from __future__ import annotations

import signal
import threading


def dask_setup(_worker: object) -> None:
    """Called by Dask in the process of the worker."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
