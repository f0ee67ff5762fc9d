"""What a permission shows: a security boundary, so all agent text in it is made visible.

Options stand in the agent's order and words (C-181, C-185); the command is always there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.content import Diff, TerminalOutput, Text, ToolContent
from acp_nvim.session.model import Location, PermissionOption, PermissionQuestion
from acp_nvim.session.place import first_change
from acp_nvim.session.proposal.proposal import Preview
from acp_nvim.session.proposal.tool_input import SPOKEN, raw_proposals
from acp_nvim.session.state import ToolCall
from acp_nvim.session.terminal import Terminal
from acp_nvim.view.block import Line, VirtualText
from acp_nvim.view.chat import raw
from acp_nvim.view.chat.attachment import attachment
from acp_nvim.view.chat.terminal import surroundings
from acp_nvim.view.diff import change as diff
from acp_nvim.view.place import place, relative
from acp_nvim.view.question.deeds import Project, beyond_reading
from acp_nvim.view.question.menu import Menu, digest
from acp_nvim.view.question.padding import gathered, shortened
from acp_nvim.view.question.stake import at_stake, named
from acp_nvim.view.styled import after, coloured, plural
from acp_nvim.view.visible import one_line, visible


class Piece(Struct, frozen=True):
    """Some lines that need not be made."""

    told: object
    """What they are made of: other lines are of something else."""
    make: Callable[[], Iterable[Line]]
    size: int = 1
    """How many they are, at least."""


def made(lines: Sequence[Line]) -> Piece:
    """Return lines that there are already."""
    return Piece(tuple(lines), lambda: lines, len(lines))


def near_ends(
    pieces: Sequence[Piece],
    room: int,
    shortened: Callable[[list[Line]], Iterable[Line]] = list,
) -> tuple[list[Line], int, list[Line]]:
    """Return `room` lines of the beginning and of the end, and how many there are between at least.

    All are in the first where they are no more than that. What `shortened` takes out has no room.
    """
    above, first = _some(pieces, room, shortened)
    below, last = _some([_turned(it) for it in reversed(pieces[first:])], room, shortened)
    rest = pieces[first : len(pieces) - last]
    if not rest:
        lines = list(shortened([*above, *reversed(below)]))
        left = len(lines) - 2 * room
        return (lines[:room], left, lines[-room:]) if left > 0 else (lines, 0, [])
    begin, end = list(shortened(above)), list(shortened(below[::-1]))
    left = sum(max(len(it) - room, 0) for it in (begin, end)) + sum(it.size for it in rest)
    return begin[:room], left, end[-room:]


def _some(
    pieces: Sequence[Piece], room: int, shortened: Callable[[list[Line]], Iterable[Line]]
) -> tuple[list[Line], int]:
    """Return the lines of the first pieces that fill the room, and how many pieces that are."""
    lines: list[Line] = []
    enough = room
    for count, piece in enumerate(pieces):
        if len(lines) >= enough:
            if len(list(shortened(lines))) >= room:
                return lines, count
            enough = 2 * len(lines)  # of padding there may be much
        lines += piece.make()
    return lines, len(pieces)


def _turned(piece: Piece) -> Piece:
    return Piece(piece.told, lambda: reversed(tuple(piece.make())), piece.size)


PLACES = 5
BESIDE = 20
"""Rows of what is in an input besides its command."""
LEAF = 200
"""Characters of such a row; what is longer loses its middle, for its end may be what matters."""
SAID_LIMIT = 300
DETAIL = 5_000
"""Lines that `D` shows."""
ENDS = 150
"""Lines of a body that are handed on for drawing, from its beginning and its end."""
NAMED = 50
"""Files that are named, those outside of the session's directory first."""
SIGNS = {"allow": ("✓", "AcpAllow"), "reject": ("✗", "AcpReject")}
WORD = lazy_pattern(r"\w+")
DECIDING = frozenset(
    {"allow", "always", "reject", "once", "not", "no", "never", "deny", "disallow", "don", "cancel"}
)
"""Words in the name of an option that could make it look like one of another kind."""
SENTENCE_END = lazy_pattern(r"(?<=[.!?])\s+|\n+")
CHANGED = "! changed after it was asked: look at it before you answer"


def permission_menu(
    question: PermissionQuestion,
    tool: ToolCall | None,
    *,
    agent: str,
    cwd: str,
    said: str,
    previews: Sequence[Preview] = (),
    project: Project | None = None,
    within: str = "",
) -> Menu:
    """Return the menu of a permission; `said` is what the agent said before it, "" for nothing.

    `within` is the title of the call whose sub-agent asks; "" if the agent itself does.

    `previews` are of the files that it is about; of others the agent's own diffs are shown. Asked
    for again it is known: it is drawn, and compared with what is answered, many times.
    """
    known = (tuple(previews), project or Project((cwd,)), within)
    return _menu(question, tool, agent, cwd, said, *known)


@lru_cache(maxsize=4)
def _menu(
    question: PermissionQuestion,
    tool: ToolCall | None,
    agent: str,
    cwd: str,
    said: str,
    previews: tuple[Preview, ...],
    project: Project,
    within: str,
) -> Menu:
    title, pieces = _title(question.asks, tool), _body(tool, cwd, previews)
    above, omitted, below = near_ends(pieces, ENDS, gathered)
    deeds = beyond_reading(tool, cwd, project) if tool else ()
    notes = (*deeds, *_contradicted(previews, cwd), *_files(tool, cwd, previews))
    return Menu(
        id=question.id,
        seen=digest(at_stake(question, tool, cwd, previews)),
        title=f" {one_line(agent, 40)} asks " + _for(within),
        kind="permission",
        head=tuple(gathered(title)),
        body=(*above, *below),
        omitted=omitted,
        notes=tuple(map(shortened, notes)),
        about=tuple(_said(said)),
        options=tuple(
            _option(number, it, is_ours=question.is_ours)
            for number, it in enumerate(question.options, 1)
        ),
        option_ids=tuple(option.id for option in question.options),
        option_kinds=tuple(option.kind for option in question.options),
        comparable=sum(not it.misfit for it in previews),
    )


def _for(within: str) -> str:
    return f"· sub-agent: {one_line(within, 40)} " if within else ""


def changed(menu: Menu) -> Menu:
    """Return the menu of a question that is not any more as it was asked."""
    return replace(menu, notes=(coloured(CHANGED, "AcpWarning"), *menu.notes))


def detail(
    menu: Menu,
    tool: ToolCall | None,
    cwd: str,
    previews: Sequence[Preview] = (),
    *,
    asks: str = "",
) -> tuple[Line, ...]:
    """Return all that there is to see, nothing in it shortened, without the options.

    `asks` is as in the question.
    """
    further = _further(tool, previews) if tool is not None else []
    pieces = [made(_title(asks, tool)), *_body(tool, cwd, previews), made(further)]
    half = DETAIL // 2
    above, left, below = near_ends(pieces, half)
    gap = f"… {plural(left, 'more line')}: K on the tool call in the chat"
    return (*above, *([coloured(gap, "AcpDim")] if left else []), *below, *menu.about)


def _title(asks: str, tool: ToolCall | None) -> list[Line]:
    """Return the agent's words for what it asks, and what it asks that for."""
    words = [coloured(text, "AcpToolTitle") for text in _split(asks) if asks]
    if tool is None:
        return words or [coloured("(the agent did not say what for)", "AcpDim")]
    title = named(tool)
    if title == asks:
        return words
    return [*words, *(coloured(text, "AcpToolTitle") for text in _split(title))]


def _body(tool: ToolCall | None, cwd: str, previews: Sequence[Preview]) -> list[Piece]:
    """Return the whole command unless the title is just that, and what else would be done."""
    if tool is None:
        return []
    command = raw.command(tool.raw_input)
    is_said = command is None or command == named(tool)
    lines = [] if is_said else [coloured(text, "AcpCode") for text in _split(command or "")]
    main = _main(tool, cwd, previews)
    places = made([*_terminals(tool, cwd), *_places(tool, cwd)])
    if _says_nothing(tool, main, previews):
        return [made(lines), *main, made(_raw_input(tool)), places]
    return [made([*lines, *_beside(tool, cwd, previews)]), *main, places]


def _beside(tool: ToolCall, cwd: str, previews: Sequence[Preview]) -> list[Line]:
    """Return what else the tool was given: it may say where, and in what, a command runs.

    Nothing of an input that is shown as a change of files, or that its texts say.
    """
    is_change = any(isinstance(it, Diff) for it in tool.content) or is_previewed(previews)
    given = raw.beside(tool.raw_input)
    is_command = raw.command(tool.raw_input) or any(
        name.partition(".")[0] in raw.COMMANDS for name, _ in given
    )
    if is_change and tool.kind != "execute" and not is_command:
        return []
    if (size := len(tool.raw_input or "")) > raw.LIMIT:
        return [coloured(f"… {size:,} characters of input: D shows all", "AcpWarning")]
    spoken = SPOKEN if raw_proposals(tool) else frozenset()
    said = {tool.title, *(it.text.strip() for it in tool.content if isinstance(it, Text))}
    leaves = [
        (name, text)
        for name, text in given
        if name.partition(".")[0] not in spoken
        and text.strip() not in said
        and not raw.is_here(name, text, cwd)
    ]
    lines = [coloured(_ends(f"{name}: {text}"), "AcpDim") for name, text in leaves[:BESIDE]]
    left = len(leaves) - len(lines)
    more = [coloured(f"… {left:,} more of its input: D shows all", "AcpWarning")] if left else []
    return [*lines, *more]


def _ends(text: str) -> str:
    """Return a text as one row, the middle of it left out if it is long."""
    left = len(text) - LEAF
    if left <= 0:
        return one_line(text, 2 * LEAF)
    half = LEAF // 2
    ends = one_line(text[:half], LEAF), one_line(text[-half:], LEAF)
    return f"{ends[0]} ⟨{plural(left, 'character')}: D shows all⟩ {ends[1]}"


def _files(tool: ToolCall | None, cwd: str, previews: Sequence[Preview]) -> tuple[Line, ...]:
    """Return the names of the files that would change, where they are several."""
    diffs = [it.path for it in tool.content if isinstance(it, Diff)] if tool else []
    moved = [it.moved_to for it in previews if it.moved_to]
    paths = dict.fromkeys(relative(it, cwd) for it in (*diffs, *(p.path for p in previews), *moved))
    if len(paths) < 2:
        return ()
    named = sorted(paths, key=lambda it: not it.startswith(("/", "..")))[:NAMED]
    left = len(paths) - len(named)
    more = f", … {left:,} more: D shows what changes" if left else ""
    return (coloured(f"{plural(len(paths), 'file')}: {', '.join(named)}{more}", "AcpDiffFile"),)


def _contradicted(previews: Sequence[Preview], cwd: str) -> tuple[Line, ...]:
    """Return the names of the files of which the agent shows another change than it has in mind."""
    paths = [relative(it.path, cwd) for it in previews if it.contradicted]
    said = f"! the diff is not what the tool was given for {', '.join(paths)}: D shows both"
    return (coloured(visible(said), "AcpWarning"),) if paths else ()


def _main(tool: ToolCall, cwd: str, previews: Sequence[Preview]) -> list[Piece]:
    """Return what the call would do, as its diffs and texts and the files tell."""
    told = {part: it for it in reversed(previews) for part in it.told}
    left = list(previews)
    pieces: list[Piece] = []
    for part in tool.content:
        found = told.get(part) if isinstance(part, Diff) else None
        if found in left:
            left.remove(found)
            pieces.append(made(preview_lines(found, cwd)))
        elif found is None and not isinstance(part, TerminalOutput):
            pieces.append(Piece(part, partial(_content, part, cwd), _least(part)))
    return [*pieces, *(made(preview_lines(it, cwd)) for it in left)]


def _least(part: ToolContent) -> int:
    """Return how many lines it is shown as, at least."""
    return (
        2 if isinstance(part, Diff) else part.text.count("\n") + 1 if isinstance(part, Text) else 1
    )


def _says_nothing(tool: ToolCall, main: list[Piece], previews: Sequence[Preview]) -> bool:
    """Tell whether only the raw input can say what the call would do."""
    if raw.command(tool.raw_input):
        return False
    return not main or (not tool.content and not is_previewed(previews))


def _further(tool: ToolCall, previews: Sequence[Preview]) -> list[Line]:
    """Return the raw input where something else was shown; a diff that was compared says it all."""
    told = [it for shown in previews if not shown.contradicted for it in shown.told]
    diffs = [part for part in tool.content if isinstance(part, Diff)]
    return [] if diffs and all(it in told for it in diffs) else _raw_input(tool)


def _raw_input(tool: ToolCall) -> list[Line]:
    text = raw.readable(tool.raw_input)
    return [Line(line) for line in _split(text)] if text else []


def _content(part: ToolContent, cwd: str) -> tuple[Line, ...]:
    """Return it without markdown, which would conceal where a link leads."""
    match part:
        case Diff():
            return diff.lines(part, cwd)
        case Text(text):
            return tuple(map(Line, _split(text)))
        case TerminalOutput():
            return ()
        case _:
            return attachment(part, cwd, is_open=True)


def _terminals(tool: ToolCall, cwd: str) -> list[Line]:
    """Return what runs in its terminals, whole, unless that was said; else their names.

    What they have printed is no part of what is asked.
    """
    known = {it.id: it for it in tool.terminals}
    lines: list[Line] = []
    for part in tool.content:
        if isinstance(part, TerminalOutput):
            it = known.get(part.terminal_id, Terminal(part.terminal_id))
            if it.command not in ("", named(tool), raw.command(tool.raw_input)):
                lines += (coloured(text, "AcpCode") for text in _split(f"$ {it.command}"))
            where = (f"in terminal {one_line(it.id, 60)}", *surroundings(it, cwd))
            lines.append(coloured(", ".join(where), "AcpDim"))
    return lines


def _places(tool: ToolCall, cwd: str) -> list[Line]:
    """Return the locations that are not in the title already."""
    places = [place(location, cwd) for location in tool.locations]
    unsaid = [text for text in places if text not in tool.title]
    lines = [coloured(text, "AcpToolPath") for text in unsaid[:PLACES]]
    left = len(unsaid) - len(lines)
    return [*lines, coloured(f"… {plural(left, 'more place')}", "AcpDim")] if left else lines


def _said(text: str) -> list[Line]:
    """Return the last sentence of what the agent said."""
    sentences = SENTENCE_END.split(text[-SAID_LIMIT:].strip())
    return [coloured(one_line(sentences[-1], SAID_LIMIT), "AcpDim")] if sentences[-1] else []


def _option(number: int, option: PermissionOption, *, is_ours: bool) -> Line:
    """Return its row: a sign of its kind, the words, and the kind where an agent's do not say."""
    sign, group = SIGNS.get(option.kind.partition("_")[0], ("·", "AcpNeutral"))
    name, kind = one_line(option.name, 100), option.kind.replace("_", " ")
    words, meant = set(WORD.findall(name.lower())), set(kind.split())
    is_said = is_ours or (meant - {"once"} <= words and not words & DECIDING - meant)
    said = () if is_said else (after(f" ({one_line(kind, 40)})"),)
    return coloured(f"{sign} {number}. {name}", group, *said)


def _split(text: str) -> list[str]:
    return visible(text).rstrip("\n").split("\n")


UNSAVED = "your unsaved edits are in it"
MISFIT = "does not fit the file as it is now: "


def preview_lines(preview: Preview, cwd: str) -> tuple[Line, ...]:
    """Return header, remarks and changed lines; where it does not fit, what the agent told."""
    if preview.misfit:
        remark = coloured(MISFIT + preview.misfit, "AcpWarning")
        if not preview.told:
            return (coloured(relative(preview.path, cwd), "AcpDiffFile"), remark)
        told = (line for each in preview.told for line in diff.lines(each, cwd))
        return (*told, remark)
    change = Diff(preview.path, preview.before, preview.after or "")
    remarks = (coloured(UNSAVED, "AcpWarning"),) if preview.unsaved else ()
    body = diff.lines(change, cwd)[1:]
    is_same = preview.before == preview.after
    return (_header(preview, change, cwd), *remarks, *(() if is_same else body))


def is_previewed(previews: Sequence[Preview]) -> bool:
    """Tell whether any of it shows what would change."""
    return any(not it.misfit or it.told for it in previews)


def _header(preview: Preview, change: Diff, cwd: str) -> Line:
    row = None
    if preview.before and preview.after:
        row = first_change(preview.before, preview.after)
    path = place(Location(preview.path, row), cwd)
    added, removed = diff.counts(change)
    counts = (("  ", "AcpDim"), (f"+{added}", "AcpAdded"), (f" −{removed}", "AcpRemoved"))
    said = _told_of(preview, cwd)
    chunks = (
        *(((f"  {said}", "AcpDim"),) if said else ()),
        *(counts if added or removed else ()),
    )
    marks = (VirtualText(0, chunks, "eol"),) if chunks else ()
    return coloured(path, "AcpDiffFile", *marks)


def _told_of(preview: Preview, cwd: str) -> str:
    """Return what happens to the file itself."""
    if preview.moved_to:
        return f"→ {relative(preview.moved_to, cwd)}"
    if preview.after is None:
        return "deleted"
    if preview.before is None:
        return "new file"
    return "no change" if preview.before == preview.after else ""
