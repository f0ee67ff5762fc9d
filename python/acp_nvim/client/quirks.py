"""What some agents do in a way of their own, made into what the others do.

Which agent has which quirk is data in `agents.json`; here is what each means. Called by the client
on every event of an agent, before its session sees it.
"""

from __future__ import annotations

from collections.abc import Set

from msgspec.structs import replace

from acp_nvim.agents import CONTEXT_AS_USER, LEGACY_MODELS, MODE_AS_TEXT
from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.content import Text
from acp_nvim.session.event import ChunkReceived, Event, ModeChanged, SessionOpened
from acp_nvim.session.options import first_of

_OPENS, _CLOSES = "<system-reminder>", "</system-reminder>"
_MODE_UPDATE = lazy_pattern(r"\[MODE_UPDATE\] (\S+)\s*")


def opened(event: SessionOpened, quirks: Set[str]) -> SessionOpened:
    """Make the list of models an option, if the agent has no option for them."""
    config = event.config or ()
    if event.models is None or LEGACY_MODELS not in quirks or first_of(config, "model"):
        return replace(event, models=None)
    return replace(event, config=(*config, event.models), models=None)


def heard(events: tuple[Event, ...], quirks: Set[str]) -> tuple[Event, ...]:
    """Take a change of mode that is said as text for what it is; leave out what nobody said."""
    if MODE_AS_TEXT in quirks:
        events = tuple(map(_mode_said, events))
    if not any(isinstance(it, ChunkReceived) and it.role == "user" for it in events):
        return events
    if CONTEXT_AS_USER in quirks:
        events = tuple(event for event in events if not _is_context(event))
    return tuple(told for event in events if (told := _without_reminders(event)) is not None)


def _mode_said(event: Event) -> Event:
    match event:
        case ChunkReceived("agent", Text(text)) if found := _MODE_UPDATE.fullmatch(text):
            return ModeChanged(found[1])
        case _:
            return event


def _without_reminders(event: Event) -> Event | None:
    """Take away what an agent has put around the user's words for its model; None if it is all."""
    match event:
        case ChunkReceived("user", Text(text), message_id) if (said := _said(text)) != text:
            return ChunkReceived("user", Text(said), message_id) if said.strip() else None
        case _:
            return event


def _is_context(event: Event) -> bool:
    match event:
        case ChunkReceived("user", Text(text)):
            return text.startswith("<session_context>")
        case _:
            return False


def _said(text: str) -> str:
    """Return the text without reminders before and after it; what is quoted in its midst stays.

    No regular expression: on an agent's text that may try more ways than there is time for.
    """
    first, last = 0, len(text)
    while (found := text.find(_OPENS, first)) >= 0 and not text[first:found].strip():
        closed = text.find(_CLOSES, found)
        if closed < 0:
            break
        first = closed + len(_CLOSES)
    while (found := text.rfind(_CLOSES, first, last)) >= 0:
        opened = text.rfind(_OPENS, first, found)
        if opened < 0 or text[found + len(_CLOSES) : last].strip():
            break
        last = opened
    if (first, last) == (0, len(text)):
        return text
    said = text[first:last]
    said = said.lstrip() if first else said
    return said.rstrip() if last < len(text) else said
