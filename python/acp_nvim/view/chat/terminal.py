"""A terminal within a tool call: the end of its output, and how it ended; called by `tool_call`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.plain_text import plain
from acp_nvim.session.terminal import ExitStatus, Terminal
from acp_nvim.view.block import Line, LineHighlight
from acp_nvim.view.chat import ansi
from acp_nvim.view.chat.ansi import ESCAPE
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


LINES = 20
"""Lines of an output that are shown."""
RUNNING = 5
"""Lines of what still runs."""
_FENCE = lazy_pattern(r"\s*^([`~]{3,})[^\n`]*$\n?", re.MULTILINE)
_FENCES = lazy_pattern(r"^ {0,3}([`~]{3,})[^\n]*$", re.MULTILINE)
_PEN = lazy_pattern(r"\x1b\[[\d;:]*m")


class End(Struct, frozen=True):
    """The last lines of an output, and how many are before them."""

    text: str
    more: int
    fence: str = ""
    """The line by which the code begins that it is in, which is not shown; "": it is in none."""


def end_of_output(text: str, most: int = LINES) -> End:
    """Return the end of an output; a fence around all of it is taken away."""
    text = text.rstrip("\r\n")
    opened = _FENCE.match(text)
    body = _inside(text, opened) if opened else None
    if opened and body is not None:
        kept, more = _last(body, most)
        return End(kept, more, opened[0].strip())
    kept, more = _last(text, most)
    return End(kept, more, _open_fence(text[: len(text) - len(kept)]) if more else "")


def _last(text: str, most: int) -> tuple[str, int]:
    """Return the last lines in the colour that was set before them, and how many are before."""
    at = len(text)
    for _ in range(most):
        at = text.rfind("\n", 0, at)
        if at < 0:
            return text, 0
    escape = text.rfind(ESCAPE, 0, at)
    pen = _PEN.match(text, escape) if escape >= 0 else None
    return (pen[0] if pen else "") + text[at + 1 :], text.count("\n", 0, at + 1)


def _inside(text: str, opened: re.Match[str]) -> str | None:
    """Return what is in the fence, if all of the text is; its end may not have come yet."""
    fence, body = opened[1], text[opened.end() :]
    if body == fence:
        return ""
    body = body.removesuffix(f"\n{fence}")
    return None if re.search(rf"^ {{0,3}}{re.escape(fence)}", body, re.MULTILINE) else body


def _open_fence(text: str) -> str:
    """Return the line of the fence that is open at the end of a text, "" if none is."""
    opened = ""
    for found in _FENCES.finditer(text) if "```" in text or "~~~" in text else ():
        if not opened:
            opened = found[0]
        elif found[1].startswith(re.sub(r"[^`~].*", "", opened.strip())):
            opened = ""
    return opened
