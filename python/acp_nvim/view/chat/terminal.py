"""A terminal within a tool call: the end of its output, and how it ended; called by `tool_call`."""

from __future__ import annotations

from acp_nvim.session.plain_text import plain
from acp_nvim.session.terminal import ExitStatus, Terminal
from acp_nvim.view.block import Line, LineHighlight
from acp_nvim.view.styled import coloured
from acp_nvim.view.visible import one_line, visible

LINES = 200
"""Lines of output that are shown in the chat."""


def lines(terminal: Terminal) -> tuple[Line, ...]:
    """Return the command, the last lines of output, and how it ended."""
    code = LineHighlight("AcpCodeBlock")
    command = one_line(terminal.command, 200)
    head = (Line(f"$ {command}", (code,)),) if command else ()
    return (*head, *map(Line, _output(terminal)), *_end(terminal))


def summary(terminal: Terminal) -> tuple[tuple[str, str], ...]:
    """Return how it ended and a highlight group, for the line of the closed tool call."""
    if terminal.exit is None:
        return ()
    return ((f"  {ended(terminal.exit)}", _group(terminal.exit)),)


def text(terminal: Terminal) -> str:
    """Return the end of the output as plain text."""
    return plain(terminal.tail)


def ended(status: ExitStatus) -> str:
    """Return "exit 1" or the name of the signal; "ended" where the agent told neither."""
    if status.signal is not None:
        return one_line(status.signal, 40)
    return "ended" if status.code is None else f"exit {status.code}"


def _output(terminal: Terminal) -> list[str]:
    shown = visible(plain(terminal.tail)).rstrip("\n")
    return shown.split("\n")[-LINES:] if shown else []


def _end(terminal: Terminal) -> tuple[Line, ...]:
    if terminal.exit is None:
        return ()
    return (coloured(f"[{ended(terminal.exit)}]", _group(terminal.exit)),)


def _group(status: ExitStatus) -> str:
    return "AcpToolDone" if status in (ExitStatus(code=0), ExitStatus()) else "AcpToolFailed"
