"""A terminal within a tool call: the end of its output, and how it ended; called by `tool_call`."""

from __future__ import annotations

from collections.abc import Iterator

from acp_nvim.session.plain_text import plain
from acp_nvim.session.terminal import ExitStatus, Terminal
from acp_nvim.view.block import Line, LineHighlight
from acp_nvim.view.chat import ansi
from acp_nvim.view.chat.output import LINES
from acp_nvim.view.cut import rest
from acp_nvim.view.styled import coloured
from acp_nvim.view.visible import one_line, visible

ENV = 400
"""Characters of variables that are shown."""


def lines(terminal: Terminal, cwd: str) -> tuple[Line, ...]:
    """Return the command, the last lines of output, and how it ended; `cwd` is the session's."""
    code = LineHighlight("AcpCodeBlock")
    command = one_line(terminal.command, 200)
    head = (Line(f"$ {command}", (code,)),) if command else ()
    return (*head, *_where(terminal, cwd), *_printed(terminal), *_end(terminal))


def surroundings(terminal: Terminal, cwd: str) -> Iterator[str]:
    """Yield where it runs, if not in the session's folder, and with which variables."""
    if terminal.cwd.rstrip("/") != cwd.rstrip("/") and terminal.cwd:
        yield f"in {one_line(terminal.cwd, 200)}"
    if terminal.env:
        env = " ".join(f"{name}={value}" for name, value in terminal.env)
        yield f"with {one_line(env, ENV)}"


def _where(terminal: Terminal, cwd: str) -> tuple[Line, ...]:
    """Return its surroundings, and for what size it writes."""
    size = "{} × {}".format(*terminal.size) if terminal.size else ""
    said = ", ".join((*surroundings(terminal, cwd), *filter(None, (size,))))
    return (coloured(said, "AcpDim"),) if said else ()


def summary(terminal: Terminal) -> tuple[tuple[str, str], ...]:
    """Return how it ended and a highlight group, for the line of the closed tool call."""
    if terminal.exit is None:
        return ()
    return ((f" {ended(terminal.exit)}", _group(terminal.exit)),)


def text(terminal: Terminal) -> str:
    """Return the end of the output as plain text."""
    return plain(terminal.tail)


def ended(status: ExitStatus) -> str:
    """Return "exit 1" or the name of the signal; "ended" where the agent told neither."""
    if status.signal is not None:
        return one_line(status.signal, 40)
    return "ended" if status.code is None else f"exit {status.code}"


def printed(terminal: Terminal, log: str = "") -> str:
    """Return what it has printed, as it came, with the command and how it ended.

    `log` is all of it, as plain text, where that is known; of the end the colours are.
    """
    said = plain(terminal.tail)
    output = log.removesuffix(said) + terminal.tail if log.endswith(said) else terminal.tail
    command = (f"$ {terminal.command}",) if terminal.command else ()
    end = (f"[{ended(terminal.exit)}]",) if terminal.exit else ()
    return "\n".join((*command, output.removesuffix("\n"), *end))


def output(terminal: Terminal, most: int) -> list[Line]:
    """Return the last lines of what it has printed."""
    if ansi.ESCAPE in terminal.tail:
        shown = list(ansi.lines(terminal.tail.rstrip("\r\n")))
        return shown[-most:]
    text = visible(plain(terminal.tail)).rstrip("\n")
    return list(map(Line, text.split("\n")[-most:])) if text else []


def _printed(terminal: Terminal) -> Iterator[Line]:
    """Yield the end of it, below how many lines there are before, as far as they are kept."""
    shown = output(terminal, LINES)
    more = text(terminal).rstrip("\n").count("\n") + 1 - len(shown) if shown else 0
    if more > 0:
        yield rest(more, "more line")
    yield from shown


def _end(terminal: Terminal) -> tuple[Line, ...]:
    if terminal.exit is None:
        return ()
    return (coloured(f"[{ended(terminal.exit)}]", _group(terminal.exit)),)


def _group(status: ExitStatus) -> str:
    return "AcpToolDone" if status in (ExitStatus(code=0), ExitStatus()) else "AcpToolFailed"
