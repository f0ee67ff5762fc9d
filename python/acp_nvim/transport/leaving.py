"""What is done when the host ends, however Neovim has gone.

The interpreter waits for worker threads (anyio's) before it runs what `atexit` has, and pynvim's
loop ends without cancelling anything, so those would wait for ever. Hence one thread of ours, which
waits for the main thread and ends the process.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Callable

PATIENCE = 10.0
"""Seconds that the action may take in the thread while the main thread waits."""


def at_end(action: Callable[[], None]) -> None:
    """Run the action once the main thread has ended, then end the process.

    The action must neither wait nor raise. It is run once, by whoever comes first: where no worker
    thread waits, that may be `atexit`.
    """
    ending = threading.Lock()

    def end() -> None:
        if ending.acquire(blocking=False):
            action()
        else:
            time.sleep(PATIENCE)  # the other one ends the process

    def end_after_main() -> None:
        threading.main_thread().join()
        if ending.acquire(blocking=False):
            try:
                action()
            finally:
                os._exit(0)

    atexit.register(end)
    threading.Thread(target=end_after_main, name="acp: end", daemon=True).start()
