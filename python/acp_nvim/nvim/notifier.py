"""Notices and events: what the user, and the user's scripts, are told."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Mapping
from typing import Any

from acp_nvim.editor import Notifier
from acp_nvim.nvim.call import Call
from acp_nvim.nvim.painter import Painter
from acp_nvim.view.cut import told


class Notices(Notifier):
    """Events are fired by the painter, after the drawing that they follow."""

    def __init__(self, call: Call, painter: Painter) -> None:
        self._call = call
        self._painter = painter

    def notice(self, text: str, *, warning: bool = False) -> None:
        """See `Notifier`."""
        self._call.post("acp.ui.notice.notice", text, warning)

    def attend(self, chat: int, text: str, *, warning: bool = False) -> None:
        """See `Notifier`."""
        self._call.post("acp.ui.attention.tell", chat, text, warning)

    def event(self, name: str, data: Mapping[str, Any]) -> None:
        """See `Notifier`."""
        self._painter.event(name, told(data))

    def fault(self, error: BaseException) -> None:
        """See `Notifier`."""
        fault(self._call, error)


def fault(call: Call, error: BaseException) -> None:
    """Tell of our own mistake: a traceback into the log (stderr), one line on screen."""
    traceback.print_exception(error, file=sys.stderr)
    said = f"acp: internal error ({error!r}): see :checkhealth acp"
    call.post("acp.ui.notice.notice", said, True)
