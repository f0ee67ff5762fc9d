"""How what is told of a terminal reaches the tool calls that show it (v1/tool-calls § Terminals).

A reducer of this package. A terminal may be told of before the tool call that embeds it, and long
after it was released (C-205): so all are kept by id, and a tool call holds those that it names.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from acp_nvim.session.content import TerminalOutput, ToolContent
from acp_nvim.session.event import UNSET, TerminalUpdated
from acp_nvim.session.log import Table
from acp_nvim.session.reduce.entries import put
from acp_nvim.session.state import SessionState, ToolCall
from acp_nvim.session.terminal import Terminal, tail

MOST_TERMINALS = 2_000
"""Terminals that are known of one session; of more the agent's updates are left out."""
MOST_WHOLE, LEAST = 250, 4_096
"""So many, the newest, have all of their tail; of older ones that have ended so many characters."""


def terminal_updated(state: SessionState, event: TerminalUpdated) -> SessionState:
    """Create the terminal or patch it, and with it each tool call that shows it."""
    known = state.terminals.get(event.id)
    if known is None and len(state.terminals) >= MOST_TERMINALS:
        return state
    if known is not None and _begins_again(state, known, event):
        known, state = None, _let_go(state, event.id)
    terminal = _patched(known or Terminal(event.id), event)
    if terminal == known:
        return state
    state = replace(state, terminals=Table.of(state.terminals).put(event.id, terminal))
    for position in state.shown.get(event.id, ()):
        entry = state.entries[position]
        if isinstance(entry, ToolCall) and TerminalOutput(event.id) in entry.content:
            shown = replace(entry, terminals=shown_in(state, entry.content))
            state = put(state, shown, current=state.current)
    return _shortened(state) if known is None else state


def _shortened(state: SessionState) -> SessionState:
    """Keep the last lines of one that has become old by a new one."""
    at = len(state.terminals) - 1 - MOST_WHOLE
    old = Table.of(state.terminals).at(at) if at >= 0 else None
    if old is None or old.exit is None or len(old.tail) <= LEAST:
        return state
    return terminal_updated(state, TerminalUpdated(old.id, tail=tail(old.tail, LEAST)))


def noted(state: SessionState, call: ToolCall) -> SessionState:
    """Note at which position the terminals are shown that a tool call of the state names."""
    position, shown = state.index[call.key], state.shown
    for part in call.content:
        if isinstance(part, TerminalOutput):
            known = shown.get(part.terminal_id, ())
            if position not in known:
                shown = Table.of(shown).put(part.terminal_id, (*known, position))
    return state if shown is state.shown else replace(state, shown=shown)


def shown_in(state: SessionState, content: Iterable[ToolContent]) -> tuple[Terminal, ...]:
    """Return the terminals that the content of a tool call names, as far as they are known."""
    ids = (part.terminal_id for part in content if isinstance(part, TerminalOutput))
    return tuple(state.terminals[id] for id in dict.fromkeys(ids) if id in state.terminals)


def _begins_again(state: SessionState, known: Terminal, event: TerminalUpdated) -> bool:
    """Tell whether this is another one under a used id: some agents count anew in each turn.

    The first one has ended, and a call of an earlier turn shows it.
    """
    has_more = event.command is not UNSET or event.tail is not UNSET or bool(event.more)
    if known.exit is None or not has_more or event.exit not in (UNSET, None):
        return False
    return any(state.entries[at].turn < state.turn for at in state.shown.get(event.id, ()))


def _let_go(state: SessionState, terminal_id: str) -> SessionState:
    """Let the calls of earlier turns that show a terminal show what it was."""
    positions = state.shown.get(terminal_id, ())
    here = tuple(at for at in positions if state.entries[at].turn >= state.turn)
    return replace(state, shown=Table.of(state.shown).put(terminal_id, here))


def _mended(text: str) -> str:
    """Return the text with the characters whose bytes came in two pieces."""
    if text.isascii():
        return text
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # it holds what never was a byte
        return text


def _patched(terminal: Terminal, event: TerminalUpdated) -> Terminal:
    output = terminal.tail if event.tail is UNSET else event.tail
    return Terminal(
        terminal.id,
        terminal.command if event.command is UNSET else event.command,
        tail(_mended(output + event.more)),
        terminal.exit if event.exit is UNSET else event.exit,
        terminal.cancellable if event.cancellable is UNSET else event.cancellable,
        terminal.cwd if event.cwd is UNSET else event.cwd,
        terminal.size if event.size is UNSET else event.size,
        terminal.env if event.env is UNSET else event.env,
    )
