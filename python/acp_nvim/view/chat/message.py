"""Messages of the user and the agent, thoughts, notices and queued prompts as lines.

The user's words stand verbatim behind a bar, the agent's are markdown; called by `transcript`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.content import Content, Text
from acp_nvim.session.log import Log
from acp_nvim.session.model import Prompt
from acp_nvim.session.state import Message, Notice
from acp_nvim.view.block import BLANK, Line, LineHighlight, Margin
from acp_nvim.view.chat.attachment import attachment, has_text, label
from acp_nvim.view.cut import (
    LINES,
    Beginning,
    beginning,
    end_after,
    head,
    rest,
    rest_between,
    visible_lines,
)
from acp_nvim.view.markdown import render as markdown
from acp_nvim.view.markdown.render import LOOSE, Fit
from acp_nvim.view.pause import Pause, never
from acp_nvim.view.styled import before, coloured, filled, prefixed
from acp_nvim.view.visible import one_line

PREVIEW = 100
_MARKUP = lazy_pattern(r"\*\*|`|^#+ ", re.MULTILINE)
THOUGHT = before("Thought: ", "AcpThought")
BAR = Margin("▌", "AcpUserBar", every_row=True)
LAID_OUT = 20_000
"""Characters of a text whose tables are laid out for the window: in another one, all in one go."""
_BEFORE_COMMAND = lazy_pattern(r"(?<=[:.,;]) (?=:Acp)")
QUEUED = (Margin("◌", "AcpDim"), before("queued: ", "AcpDim"))

NOTICES = {
    "info": Margin("·", "AcpNotice"),
    "warning": Margin("!", "AcpWarning"),
    "error": Margin("✗", "AcpError"),
}


class Drawn(Struct, frozen=True):
    """The lines of a message, and what the next drawing of it can go on from."""

    lines: Sequence[Line]
    parts: tuple[object, ...] = ()
    """By position in the content; None where drawing it anew costs nothing."""
    paused: bool = False
    """There is more to draw: what comes is for the next time."""

    def rendered(self, position: int) -> markdown.Rendered | None:
        """Return the markdown at that position, if there was some."""
        part = self.parts[position] if position < len(self.parts) else None
        return part if isinstance(part, markdown.Rendered) else None

    @property
    def breadth(self) -> int:
        """How much room its widest table wants; 0 without one."""
        return max(
            (it.breadth for it in self.parts if isinstance(it, markdown.Rendered)), default=0
        )


def draw(
    message: Message,
    cwd: str,
    previous: Drawn | None,
    pause: Pause = never,
    fit: Fit = LOOSE,
    *,
    is_open: bool,
) -> Drawn:
    """Return the lines of a message, with a blank one at the end."""
    if message.peer:
        label = coloured(f"{one_line(message.peer, PREVIEW)}:", "AcpDim")
        drawn = draw(replace(message, peer=""), cwd, previous, pause, is_open=is_open)
        return replace(drawn, lines=(label, *drawn.lines))
    if message.role == "user":
        return Drawn((*_user(message, cwd, is_open=is_open), BLANK))
    if message.role == "thought":
        return Drawn((*_thought(message, cwd, is_open=is_open), BLANK))
    body = contents(message.content, cwd, previous, pause, fit, is_open=is_open)
    lines = Log.of(body.lines)
    ends_blank = len(lines) > 0 and not lines[-1].text and not body.paused
    return body if ends_blank else replace(body, lines=lines.appended(BLANK))


def is_foldable(message: Message) -> bool:
    """Say whether there is something to open and close: a thought, or the text of a resource."""
    return message.role == "thought" or any(map(has_text, message.content))


def notice(entry: Notice) -> tuple[Line, ...]:
    """Return the lines of a notice, with a blank one at the end; none if it is over.

    Each command begins a line: Neovim would break it behind its colon.
    """
    if not entry.text:
        return ()
    icon = NOTICES[entry.severity]
    kept, rest = head(entry.text.rstrip("\n"))
    first, *more = visible_lines(_BEFORE_COMMAND.sub("\n", kept))
    tail = (coloured(text, icon.group) for text in more)
    return (coloured(first, icon.group, icon), *tail, *rest, BLANK)


def queued(prompt: Prompt, cwd: str) -> tuple[Line, ...]:
    """Return the one line of a prompt that waits."""
    words = " ".join(label(content, cwd) for content in prompt.blocks)
    return (coloured(one_line(words, PREVIEW), "AcpDim", *QUEUED),)


def entry_text(entry: Message | Notice) -> str:
    """Return the plain text, verbatim, with a placeholder for what is no text."""
    if isinstance(entry, Notice):
        return entry.text
    return "\n".join(
        content.text if isinstance(content, Text) else label(content, "")
        for content in entry.content
    )


def _user(message: Message, cwd: str, *, is_open: bool) -> list[Line]:
    look = LineHighlight("AcpUser")
    return [
        filled(Line(line.text, (look, *line.marks)), BAR)
        for content in message.content
        for line in _plain(content, cwd, is_open=is_open)
    ]


def _plain(content: Content, cwd: str, *, is_open: bool) -> tuple[Line, ...]:
    if isinstance(content, Text):
        kept, rest = head((not is_open and content.typed) or content.text)
        return (*map(Line, visible_lines(kept)), *rest)
    return attachment(content, cwd, is_open=is_open)


def _thought(message: Message, cwd: str, *, is_open: bool) -> list[Line]:
    if not is_open:
        return [coloured(_first_words(message), "AcpThought", Margin("▸", "AcpThought"), THOUGHT)]
    lines = [
        coloured(line.text, "AcpThought")
        for content in message.content
        for line in _plain(content, cwd, is_open=True)
    ] or [BLANK]
    return [prefixed(prefixed(lines[0], THOUGHT), Margin("▾", "AcpThought")), *lines[1:]]


def _first_words(message: Message) -> str:
    """Return the beginning only: a long thought that grows stays cheap, and its line still."""
    texts = (part.part(0, 4 * PREVIEW) for part in message.content if isinstance(part, Text))
    return one_line(_MARKUP.sub("", next(texts, "").strip()), PREVIEW)


def contents(
    parts: Sequence[Content],
    cwd: str,
    previous: Drawn | None,
    pause: Pause,
    fit: Fit = LOOSE,
    *,
    is_open: bool,
) -> Drawn:
    """Return the lines of what an agent writes: markdown, and what goes with it."""
    lines: Log[Line] = Log()
    texts: list[markdown.Rendered | None] = []
    kept, more = Beginning(Text(""), 0), tuple[Line, ...]()
    for position, content in enumerate(parts):
        room = LINES - len(lines)
        if more or room <= 0:
            break
        if isinstance(content, Text):
            known = previous.rendered(position) if previous else None
            kept, more = beginning(content, room, known.source if known else None)
            is_over = fit.is_over or position < len(parts) - 1
            whole = Fit(fit.room if kept.end <= LAID_OUT else None, is_over)
            rendered = markdown.render(kept, known, pause, whole, from_first_word=not position)
            lines = lines.extended(rendered.lines) if lines else Log.of(rendered.lines)
            texts.append(rendered)
            if rendered.source.end != kept.end:
                return Drawn(lines, tuple(texts), paused=True)
        else:
            lines = lines.extended(attachment(content, cwd, is_open=is_open))
            texts.append(None)
    if not more and len(texts) == len(parts):
        return Drawn(lines, tuple(texts))
    return _with_end(Drawn(lines, tuple(texts)), kept, more, parts, previous, pause, fit)


def _with_end(
    cut: Drawn,
    kept: Beginning,
    more: tuple[Line, ...],
    parts: Sequence[Content],
    previous: Drawn | None,
    pause: Pause,
    fit: Fit,
) -> Drawn:
    """Return what is cut with the end of its last text: what is being said is never hidden.

    `kept` is what is shown of the last text that is not hidden as a whole.
    """
    said, left, lines = parts[-1], len(parts) - len(cut.parts), Log.of(cut.lines)
    more = (*more, rest(left, "more part")) if left else more
    if not isinstance(said, Text):
        return replace(cut, lines=lines.extended(more))
    end = end_after(said, 0 if left else kept.end)
    more = more if left else rest_between(kept, end)
    drawn = markdown.render(end, previous.rendered(len(parts)) if previous else None, pause, fit)
    known = (*cut.parts, *(None for _ in range(left)), drawn)
    lines = lines.extended((*more, *drawn.lines))
    return Drawn(lines, known, paused=drawn.source.end != len(end))
