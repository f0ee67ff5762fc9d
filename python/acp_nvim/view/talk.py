"""A conversation as markdown: for the user's files, and for an agent that is to go on with it."""

from __future__ import annotations

from collections.abc import Iterable

from acp_nvim.session.content import Content, Resource, ResourceLink, Text
from acp_nvim.session.state import Ending, Entry, Message, Notice, ToolCall
from acp_nvim.view.chat.ending import RULE, entry_text
from acp_nvim.view.visible import one_line

ADDRESS = "acp:talk.md"
"""Of what was said before, for an agent."""
MOST = 200_000
"""Characters that an agent is told at most: what was said last."""
_NOTE = """\
<!-- You do not know this conversation: it was had in an earlier session, which is gone. What it
says was done, is done. Go on from here. -->
"""
_CUT = "(what was said before this is left out)"


def talk_of(entries: Iterable[Entry], title: str = "") -> Resource:
    """Return what was said and done, for an agent that does not know it."""
    text = talk(entries, title, for_agent=True)
    if len(text) > MOST:
        text = f"{_CUT}\n{text[text.find(chr(10), len(text) - MOST) :]}"
    return Resource(ADDRESS, f"{_NOTE}\n{text}", mime_type="text/markdown")


def is_talk(block: Content) -> bool:
    """Tell whether a block is such a talk: it goes along anew where it is needed."""
    return isinstance(block, Resource) and block.uri == ADDRESS


def talk(entries: Iterable[Entry], title: str = "", *, for_agent: bool = False) -> str:
    """Return what was said and done, thoughts left out; texts stand as they were written.

    An agent is told what it was told: it does not know the user's own prompts by name.
    """
    parts = [f"# {one_line(title, 200)}"] if title else []
    speaker = ""
    for entry in entries:
        who = _speaker(entry)
        if who and who != speaker:
            parts.append(f"## {who}")
        speaker = who or speaker
        parts += filter(None, [_text(entry, for_agent=for_agent)])
    return "\n\n".join(parts) + "\n" if parts else ""


def _speaker(entry: Entry) -> str:
    if isinstance(entry, ToolCall):
        return "Agent"
    if not isinstance(entry, Message) or entry.role == "thought":
        return ""
    return "You" if entry.role == "user" else "Agent"


def _text(entry: Entry, *, for_agent: bool) -> str:
    match entry:
        case Message(role="user" | "agent", content=blocks):
            texts = (_block(it, for_agent=for_agent) for it in blocks)
            return "\n\n".join(filter(None, texts))
        case ToolCall(title=title, kind=kind, status=status):
            return f"- {one_line(title or kind, 200)} ({status})"
        case Ending():
            return f"*{entry_text(entry).removeprefix(f'{RULE} ')}*"
        case Notice(text=text):
            return f"> {one_line(text, 500)}"
        case _:
            return ""


def _block(block: Content, *, for_agent: bool) -> str:
    match block:
        case Text(text=text, typed=typed):
            return (text if for_agent else typed or text).strip("\n")
        case Resource(uri=uri) | ResourceLink(uri=uri):
            return f"[{one_line(uri, 200)}]"
        case _:
            return f"[{type(block).__name__.lower()}]"
