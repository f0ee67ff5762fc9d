"""What is done when the host ends, however Neovim has gone.

The interpreter waits for worker threads (anyio's) before it runs what `atexit` has, and pynvim's
loop ends without cancelling anything, so those would wait for ever. Hence one thread of ours, which
waits for the main thread and ends the process.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable


def at_end(action: Callable[[], None]) -> None:
    """Run the action once the main thread has ended, then end the process.

    The action must neither wait nor raise, and may be run twice.
    """
    atexit.register(action)
    threading.Thread(target=_end, args=(action,), name="acp: end", daemon=True).start()


def _end(action: Callable[[], None]) -> None:
    threading.main_thread().join()
    try:
        action()
    finally:
        os._exit(0)
