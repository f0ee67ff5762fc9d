"""Notices and events: what the user, and the user's scripts, are told."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from acp_nvim.editor import Notifier
from acp_nvim.nvim.call import Call
from acp_nvim.nvim.painter import Painter
from acp_nvim.view.cut import told
from acp_nvim.view.visible import one_line

AGAIN = 60.0
"""Seconds after which the same mistake is told again."""
MOST = 20
"""Mistakes that are told in that time."""
SHOWN = 300
"""Characters of one on the screen."""
MOST_OF_ONE = 32_000
"""Characters of one in the log: it may quote what an agent has sent."""


class Notices(Notifier):
    """Events are fired by the painter, after the drawing that they follow."""

    def __init__(self, call: Call, painter: Painter, faults: Faults) -> None:
        self._call = call
        self._painter = painter
        self._faults = faults

    def notice(self, text: str, *, warning: bool = False, passing: bool = False) -> None:
        """See `Notifier`."""
        self._call.post("acp.ui.notice.notice", text, warning, passing)

    def attend(self, chat: int, text: str, *, warning: bool = False) -> None:
        """See `Notifier`."""
        self._call.post("acp.ui.attention.tell", chat, text, warning)

    def event(self, name: str, data: Mapping[str, Any], *, at_once: bool = False) -> None:
        """See `Notifier`."""
        self._painter.event(name, told(data), at_once=at_once)

    def fault(self, error: BaseException) -> None:
        """See `Notifier`."""
        self._faults(error)

    def redact(self, safe: Callable[[str], str]) -> None:
        """See `Notifier`."""
        self._faults.safe = safe


class Faults:
    """Tells of our own mistakes: a traceback into the log (stderr), one line on screen.

    The same one again is told once a minute, and a few of them at most: what fails at each chunk
    fills neither, also if its words have a number.
    """

    def __init__(self, call: Call, clock: Callable[[], float] = time.monotonic) -> None:
        self._call = call
        self._clock = clock
        self._told: dict[str, float] = {}
        self.safe: Callable[[str], str] = str
        """Takes secrets out of a text."""

    def __call__(self, error: BaseException) -> None:
        """Tell of a mistake; never raises."""
        now, what = self._clock(), _sentence(self.safe(repr(error)))
        self._told = {it: at for it, at in self._told.items() if now - at < AGAIN}
        if what in self._told or len(self._told) >= MOST:
            return
        self._told[what] = now
        with suppress(Exception):  # there is nobody left to tell
            shown = self.safe("".join(traceback.format_exception(error)))
            if len(shown) > MOST_OF_ONE:
                shown = f"{shown[: MOST_OF_ONE // 2]}\n…\n{shown[-MOST_OF_ONE // 2 :]}"
            print(shown, end="", file=sys.stderr)
            self._call.post("acp.ui.notice.notice", what, True)


def _sentence(error: str) -> str:
    said = error.encode("utf-8", "replace").decode()
    return f"acp: internal error ({one_line(said, SHOWN)}): see :checkhealth acp"
