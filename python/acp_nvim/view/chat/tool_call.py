"""A tool call as one line that opens to all it holds; called by `transcript`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.session.content import Diff, FileChange, Resource, TerminalOutput, Text, ToolContent
from acp_nvim.session.model import Location
from acp_nvim.session.state import ToolCall
from acp_nvim.session.terminal import Terminal
from acp_nvim.view.block import BLANK, Highlight, Line, LineHighlight, Margin, Mark, VirtualText
from acp_nvim.view.chat import ansi, raw, terminal
from acp_nvim.view.chat.attachment import attachment, label
from acp_nvim.view.chat.message import Drawn
from acp_nvim.view.chat.terminal import LINES, RUNNING, end_of_output
from acp_nvim.view.cut import ITEMS, head, rest, visible_lines
from acp_nvim.view.diff import change as diff
from acp_nvim.view.markdown import render as markdown
from acp_nvim.view.measure import signed, tally_of
from acp_nvim.view.pause import Pause, never
from acp_nvim.view.place import place
from acp_nvim.view.styled import coloured, filled, plural
from acp_nvim.view.visible import one_line

OUTPUT_LIMIT = 2_000
ROWS = 10
"""Members of an input that are shown beside its command."""
GIVEN = 400
"""Characters of one of them."""
TITLE = 200

STATUSES = {
    "pending": Margin("○", "AcpToolPending"),
    "in_progress": Margin("◐", "AcpToolRunning"),
    "completed": Margin("✓", "AcpToolDone"),
    "failed": Margin("✗", "AcpToolFailed"),
    "cancelled": Margin("⊘", "AcpToolCancelled"),
    "ended": Margin("•", "AcpToolPending"),
}

KINDS = {
    "read": "read",
    "edit": "edit",
    "delete": "delete",
    "move": "move",
    "search": "search",
    "execute": "run",
    "think": "think",
    "fetch": "fetch",
    "switch_mode": "mode",
}
ICONS = {
    "read": "≡",
    "edit": "✎",
    "delete": "⌫",
    "move": "→",
    "search": "⌕",
    "execute": "$",
    "think": "∴",
    "fetch": "↓",
    "switch_mode": "⇄",
}
"""Of one cell each, in the fonts of terminals."""

BAR = Margin("│", "AcpToolBar", every_row=True)


class _Compared(Struct, frozen=True):
    """A diff as it was drawn: nothing is compared again for a change of something else."""

    source: Diff
    room: int | None
    """Of its lines; None: they are only counted, those added and removed."""
    lines: Sequence[Line] = ()
    more: int = 0
    counts: tuple[int, int] = (0, 0)


class _Coloured:
    """Output that is being drawn in its colours, from where it was paused."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._coming = ansi.lines(text)
        self._lines: list[Line] = []

    @staticmethod
    def of(text: str, known: object) -> _Coloured:
        """Return what is known of that output, else begin."""
        is_known = isinstance(known, _Coloured) and known.text == text
        return known if isinstance(known, _Coloured) and is_known else _Coloured(text)

    def go_on(self, pause: Pause) -> tuple[Sequence[Line], bool, _Coloured]:
        """Return the lines that there are, and whether these are all."""
        for line in self._coming:
            self._lines.append(line)
            if pause():
                return tuple(self._lines), False, self
        return tuple(self._lines), True, self


class _Plain(Struct, frozen=True):
    """Text that is no markdown: raw input or output."""

    text: str


LONG = 40
"""Bytes of a title that leave room for more in a narrow window."""

Chunks: TypeAlias = tuple[tuple[str, str], ...]
_Piece: TypeAlias = ToolContent | Terminal | _Plain


def lines(tool: ToolCall, cwd: str, *, is_open: bool) -> Sequence[Line]:
    """Return what `draw` does, all of it."""
    return draw(tool, cwd, is_open=is_open).lines


def draw(
    tool: ToolCall, cwd: str, previous: Drawn | None = None, pause: Pause = never, *, is_open: bool
) -> Drawn:
    """Return the header, the body when open, and a blank line."""
    if not is_open:
        counted, is_whole = _counted(tool, previous, pause)
        summary = _summary(tool, counted) if is_whole else ()
        running = map(_barred, _running(tool))
        lines = (_header(tool, cwd, summary), *running, BLANK)
        return Drawn(lines, counted, paused=not is_whole)
    body = _body(tool, cwd, previous, pause)
    shown = map(_barred, body.lines)
    return replace(body, lines=(_header(tool, cwd, _seen(tool, ())), *shown, BLANK))


def _barred(line: Line) -> Line:
    return filled(line, BAR)


def _running(tool: ToolCall) -> Iterator[Line]:
    """Yield the last lines of a terminal that still runs: nobody has to open it to see that."""
    if tool.status == "in_progress":
        for each in tool.terminals:
            if each.exit is None:
                yield from terminal.output(each, RUNNING)


def locations(tool: ToolCall) -> tuple[Location, ...]:
    """Return the files that the call works on: its locations, then those of its diffs."""
    diffs = (Location(part.path) for part in tool.content if isinstance(part, Diff | FileChange))
    return (*tool.locations, *diffs, *(Location(it.path) for it in tool.changes))


def entry_text(tool: ToolCall) -> str:
    """Return the content as plain text: texts, diffs as unified diffs, else the raw output."""
    if not tool.content:
        return raw.readable(tool.raw_output)
    return "\n".join(map(_content_text, _pieces(tool)))


def printed(tool: ToolCall, logs: Mapping[str, str]) -> str:
    """Return what the call has printed, as it came; `logs` as in `terminal.printed`, by id."""
    parts = [
        terminal.printed(part, logs.get(part.id, ""))
        if isinstance(part, Terminal)
        else _content_text(part)
        for part in _pieces(tool)
    ]
    return "\n".join(parts) if parts else raw.readable(tool.raw_output)


def _header(tool: ToolCall, cwd: str, summary: Chunks) -> Line:
    title = one_line(tool.title or tool.kind or tool.id, TITLE)
    path = _unsaid_path(tool, cwd)
    middle, end = len(title.encode()), len((title + path).encode())
    marks: list[Mark] = [STATUSES[tool.status], *_kind(tool)]
    if middle + len(path) > LONG:  # what stands behind the end of a long line is not to be seen
        summary = _moved_before(marks, summary)
    if title:
        marks.append(Highlight(0, middle, "AcpToolTitle"))
    if path:
        marks.append(Highlight(middle, end, "AcpToolPath"))
    if summary:
        marks.append(VirtualText(0, summary, "eol"))
    return Line(title + path, tuple(marks))


def _moved_before(marks: list[Mark], summary: Chunks) -> Chunks:
    """Put what was changed before the title; return what is left of the summary."""
    counts = tuple(chunk for chunk in summary if chunk[1] in ("AcpAdded", "AcpRemoved"))
    if not counts:
        return summary
    spaced = (part for text, group in counts for part in ((text, group), (" ", "AcpDim")))
    marks.append(VirtualText(0, tuple(spaced)))
    return ()


def _kind(tool: ToolCall) -> Iterator[VirtualText]:
    """Yield its sign, and the word unless the title begins with it; before it nothing cuts it."""
    words = (ICONS.get(tool.kind, ""), _unsaid_kind(tool))
    if said := " ".join(filter(None, words)):
        yield VirtualText(0, ((f"{said} ", "AcpDim"),))


def _unsaid_kind(tool: ToolCall) -> str:
    """Return what kind of call it is, unless the title begins with that."""
    word, title = KINDS.get(tool.kind, ""), tool.title or tool.kind
    return "" if title[:TITLE].casefold().startswith((word, tool.kind)) else word


def _unsaid_path(tool: ToolCall, cwd: str) -> str:
    """Return " path:line" of the first location, unless the title has it already."""
    if not tool.locations:
        return ""
    first = tool.locations[0]
    where = place(first, cwd)
    said = place(Location(first.path), cwd) in tool.title[:TITLE]
    return "" if said or not where else " " + where


def _counted(
    tool: ToolCall, previous: Drawn | None, pause: Pause
) -> tuple[tuple[_Compared, ...], bool]:
    """Return what is known of its diffs, and whether that is all; of very many that is nothing."""
    diffs = [part for part in tool.content if isinstance(part, Diff)]
    found: list[_Compared] = []
    for part in diffs if len(diffs) <= ITEMS else ():
        known = _known(previous, len(found))
        if isinstance(known, _Compared) and known.source is part and known.room is None:
            found.append(known)
            continue
        found.append(_Compared(part, None, counts=diff.counts(part)))
        if pause():
            return tuple(found), len(found) == len(diffs)
    return tuple(found), True


def _known(previous: Drawn | None, position: int) -> object:
    return previous.parts[position] if previous and position < len(previous.parts) else None


def _summary(tool: ToolCall, counted: Sequence[_Compared]) -> Chunks:
    opens = tool.content or tool.raw_input or tool.raw_output or len(tool.locations) > 1
    sign = ((" ▸", "AcpDim"),) if opens else ()
    return (*sign, *_seen(tool, counted), *(_amount(tool, counted) if opens else ()))


def _seen(tool: ToolCall, counted: Sequence[_Compared]) -> Chunks:
    """Return what it has changed, where it does not say so by itself."""
    if counted or not tool.changes:
        return ()
    tally = tally_of(tool.changes)
    files = ((f" {plural(tally.files, 'file')}", "AcpDim"),) if tally.files > 1 else ()
    return (*files, *signed(tally.added, tally.removed))


def _amount(tool: ToolCall, counted: Sequence[_Compared]) -> Chunks:
    if len(tool.content) > ITEMS:
        return ((f" {plural(len(tool.content), 'part')}", "AcpDim"),)
    if counted:
        added, removed = (sum(it) for it in zip(*(it.counts for it in counted), strict=True))
        return signed(added, removed)
    text = entry_text(tool).rstrip("\n")
    ended = tuple(part for each in tool.terminals for part in terminal.summary(each))
    gap = "  " if ended else " "  # the size comes last: where there is no room it is not missed
    size = ((f"{gap}{plural(text.count(chr(10)) + 1, 'line')}", "AcpDim"),) if text else ()
    return (*ended, *size)


def _body(tool: ToolCall, cwd: str, previous: Drawn | None, pause: Pause) -> Drawn:
    shown = _preamble(tool, cwd)
    parts: list[object] = []
    hidden = 0
    room = OUTPUT_LIMIT
    pieces = _pieces(tool) or _fallback(tool)
    for position, piece in enumerate(pieces):
        if position == ITEMS:
            shown.append(rest(len(pieces) - position, "more part"))
            break
        drawn, more, part = _content(piece, cwd, room, _known(previous, position), pause)
        parts.append(part)
        shown += drawn
        if more is None:
            return Drawn(tuple(shown), tuple(parts), paused=True)
        room -= len(drawn)
        hidden += more
    if hidden:
        shown.append(rest(hidden, "more line"))
    return Drawn(tuple(shown), tuple(parts))


def _preamble(tool: ToolCall, cwd: str) -> list[Line]:
    """Return what belongs above the content: the tool, the command, places beyond the first."""
    command = raw.command(tool.raw_input)
    shown = []
    if tool.name and tool.name not in tool.title:
        shown.append(coloured(one_line(tool.name, 60), "AcpDim"))
    if command and command != tool.title:
        code = LineHighlight("AcpCodeBlock")
        kept, more = head(command, ITEMS)
        shown += [Line(text, (code,)) for text in visible_lines(kept)]
        shown += more
    shown += _given(tool, cwd) if command else []
    if len(tool.locations) > 1:
        places = tool.locations[:ITEMS]
        shown += [coloured(place(location, cwd), "AcpToolPath") for location in places]
        if len(tool.locations) > ITEMS:
            shown.append(rest(len(tool.locations) - ITEMS, "more place"))
    return shown


def _given(tool: ToolCall, cwd: str) -> list[Line]:
    """Return where, with what variables and on what input its command runs."""
    found = [it for it in raw.beside(tool.raw_input) if not raw.is_here(*it, cwd)]
    shown = [coloured(one_line(f"{name}: {text}", GIVEN), "AcpDim") for name, text in found[:ROWS]]
    left = len(found) - len(shown)
    return [*shown, rest(left, "more member")] if left else shown


def _pieces(tool: ToolCall) -> tuple[ToolContent | Terminal, ...]:
    """Return the content, with the terminals that are known in the place of their ids."""
    said = {tool.title, raw.command(tool.raw_input)}
    known: dict[str, Terminal] = {
        each.id: replace(each, command="") if each.command in said else each
        for each in tool.terminals
    }
    return tuple(
        known.get(part.terminal_id, part) if isinstance(part, TerminalOutput) else part
        for part in tool.content
    )


def _fallback(tool: ToolCall) -> tuple[_Plain, ...]:
    """Return the raw input, if it is no command, and the raw output (C-172, C-173)."""
    given = "" if raw.command(tool.raw_input) else raw.readable(tool.raw_input)
    texts = (given, raw.readable(tool.raw_output))
    return tuple(_Plain(text) for text in texts if text)


def _content(
    part: _Piece, cwd: str, room: int, known: object, pause: Pause
) -> tuple[Sequence[Line], int | None, object]:
    """Return at most `room` lines of one piece of content, how many more it has, and it as drawn.

    None more: it is not drawn as far yet. `known` is it as drawn before.
    """
    match part:
        case Text(text) | _Plain(text):
            return _output(text, room, known, pause, is_plain=isinstance(part, _Plain))
        case Diff():
            if isinstance(known, _Compared) and known.source is part and known.room == room:
                return known.lines, known.more, known
            compared = _Compared(part, room, *diff.first_lines(part, cwd, room))
            return compared.lines, None if pause() else compared.more, compared
        case Terminal():
            drawn = terminal.lines(part, cwd)
        case TerminalOutput(terminal_id):
            drawn = (coloured(f"[terminal {one_line(terminal_id, 60)}]", "AcpDim"),)
        case _:
            drawn = attachment(part, cwd, is_open=True)
    return drawn[:room], max(0, len(drawn) - room), None


def _output(
    text: str, room: int, known: object, pause: Pause, *, is_plain: bool
) -> tuple[Sequence[Line], int | None, object]:
    """Return the last lines of what was printed, below how many there are before them."""
    if room <= 0:
        return (), text.rstrip("\n").count("\n") + 1, None
    end = end_of_output(text, min(LINES, room))
    before = (rest(end.more, "more line"),) if end.more else ()
    if not end.text:
        return before, 0, None
    if ansi.ESCAPE in end.text:
        drawn, is_whole, part = _Coloured.of(end.text, known).go_on(pause)
        return (*before, *drawn), 0 if is_whole else None, part
    if is_plain:
        return (*before, *map(Line, visible_lines(end.text))), 0, None
    source = f"{end.fence}\n{end.text}" if end.fence else end.text
    rendered_before = known if isinstance(known, markdown.Rendered) else None
    rendered = markdown.render(source, rendered_before, pause)
    is_whole = rendered.source.end == len(source)
    return (*before, *rendered.lines[bool(end.fence) :]), 0 if is_whole else None, rendered


def _content_text(part: ToolContent | Terminal) -> str:
    match part:
        case Terminal():
            return terminal.text(part)
        case Text(text) | Resource(_, str(text)):
            return text
        case Diff():
            return diff.plain(part)
        case TerminalOutput(terminal_id):
            return f"[terminal {terminal_id}]"
        case _:
            return label(part, "")
