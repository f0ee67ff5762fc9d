"""A signal between tasks of one loop: who does work, and those who bring it or wait for its end."""

from __future__ import annotations

import anyio


class Signal:
    """Needs no loop until somebody waits; `set` and `pulse` return at once."""

    def __init__(self) -> None:
        self._event = anyio.Event()

    def set(self) -> None:
        """Wake who waits; if nobody does, whoever waits next does not have to."""
        self._event.set()

    def pulse(self) -> None:
        """Wake those who wait now; who comes later waits for the next one."""
        self._event.set()
        self._event = anyio.Event()

    async def wait(self) -> None:
        """Return when it was set, which is taken with that, or at the next pulse."""
        event = self._event
        await event.wait()
        if self._event is event:
            self._event = anyio.Event()
