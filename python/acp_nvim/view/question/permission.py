"""What the permission menu shows: a security boundary, so all agent text in it is made visible.

Options stand in the agent's order and words (C-181, C-185); the whole command is always there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from acp_nvim.session.content import Diff, TerminalOutput, Text, ToolContent
from acp_nvim.session.model import PermissionOption, PermissionQuestion
from acp_nvim.session.proposal.proposal import Preview
from acp_nvim.session.state import ToolCall
from acp_nvim.view.block import BLANK, Line
from acp_nvim.view.chat import raw
from acp_nvim.view.chat.attachment import attachment
from acp_nvim.view.diff import change as diff
from acp_nvim.view.place import place
from acp_nvim.view.question import preview
from acp_nvim.view.question.menu import Menu
from acp_nvim.view.styled import coloured, plural
from acp_nvim.view.visible import one_line, visible

PREVIEW_LINES = 12
PLACES = 5
SAID_LIMIT = 300
FOOTER = " 1-9 · :Acp permit N · d details · q later "
FOOTER_WITH_DIFF = " 1-9 · :Acp permit N · d diff · D text · q later "
SENTENCE_END = re.compile(r"(?<=[.!?:])\s+")


def permission_menu(
    question: PermissionQuestion,
    tool: ToolCall | None,
    *,
    agent: str,
    cwd: str,
    said: str,
    previews: Sequence[Preview] = (),
) -> Menu:
    """Return the menu of a permission; `said` is what the agent said before it, "" for nothing.

    `previews` are of the files that it is about; of others the agent's own diffs are shown.
    """
    main = _main(tool, cwd, previews) if tool else []
    instead = _raw_input(tool) if tool and _says_nothing(tool, main, previews) else []
    further = _further(tool) if tool and not instead else []
    main += instead
    detail = (*_subject(tool), *main, *further) if tool else ()
    head = main[:PREVIEW_LINES]
    comparable = sum(not it.misfit for it in previews)
    more = _more(len(main) - len(head), "D" if comparable else "d")
    above = [*_subject(tool), *head, *more, *_places(tool, cwd), *_said(said), BLANK]
    options = [_option(number, option) for number, option in enumerate(question.options, 1)]
    return Menu(
        id=question.id,
        title=f" {one_line(agent, 40)} asks ",
        footer=FOOTER_WITH_DIFF if comparable else FOOTER,
        lines=(*above, *options),
        option_rows=tuple(range(len(above), len(above) + len(options))),
        option_ids=tuple(option.id for option in question.options),
        detail=detail,
        comparable=comparable,
    )


def _subject(tool: ToolCall | None) -> list[Line]:
    """Return the whole title, and the whole command unless the title is just that."""
    if tool is None:
        return [coloured("(the agent did not say what for)", "AcpDim")]
    command = raw.command(tool.raw_input)
    title = tool.title or tool.kind
    lines = [coloured(text, "AcpToolTitle") for text in _split(title)]
    if command and command != title:
        lines += [coloured(text, "AcpCode") for text in _split(command)]
    return lines


def _main(tool: ToolCall, cwd: str, previews: Sequence[Preview]) -> list[Line]:
    """Return what the call would do, as its diffs and texts and the files tell."""
    lines: list[Line] = []
    left = list(previews)
    for part in tool.content:
        found = next((it for it in previews if part in it.told), None)
        if found is None:
            lines += _content(part, cwd)
        elif found in left:
            left.remove(found)
            lines += preview.lines(found, cwd)
    lines += (line for it in left for line in preview.lines(it, cwd))
    return lines


def _says_nothing(tool: ToolCall, main: list[Line], previews: Sequence[Preview]) -> bool:
    """Tell whether only the raw input can say what the call would do."""
    if raw.command(tool.raw_input):
        return False
    return not main or (not tool.content and not preview.is_shown(previews))


def _further(tool: ToolCall) -> list[Line]:
    """Return the raw input where something was shown instead; a diff of the agent's says it all."""
    return [] if any(isinstance(part, Diff) for part in tool.content) else _raw_input(tool)


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


def _more(hidden: int, key: str) -> list[Line]:
    text = f"… {plural(hidden, 'more line')}: {key} shows all"
    return [coloured(text, "AcpDim")] if hidden else []


def _places(tool: ToolCall | None, cwd: str) -> list[Line]:
    """Return the locations that are not in the title already."""
    if tool is None:
        return []
    places = [place(location, cwd) for location in tool.locations]
    unsaid = [text for text in places if text not in tool.title]
    lines = [coloured(text, "AcpToolPath") for text in unsaid[:PLACES]]
    left = len(unsaid) - len(lines)
    return [*lines, coloured(f"… {plural(left, 'more place')}", "AcpDim")] if left else lines


def _said(text: str) -> list[Line]:
    """Return the last sentence of what the agent said."""
    sentences = SENTENCE_END.split(text[-SAID_LIMIT:].strip())
    return [coloured(one_line(sentences[-1], SAID_LIMIT), "AcpDim")] if sentences[-1] else []


def _option(number: int, option: PermissionOption) -> Line:
    kind = option.kind.partition("_")[0]
    group = {"allow": "AcpAllow", "reject": "AcpReject"}.get(kind, "AcpNeutral")
    return coloured(f"{number}. {one_line(option.name, 100)}", group)


def _split(text: str) -> list[str]:
    return visible(text).rstrip("\n").split("\n")
