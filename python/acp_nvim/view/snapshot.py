"""A session as plain JSON-able data, for `inspect()` (`:help acp-inspect`).

Keys without a value are left out, so that Lua finds nil and not `vim.NIL`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from acp_nvim.history.hunk import ReviewHunk
from acp_nvim.session.content import Text
from acp_nvim.session.model import ConfigOption, Prompt
from acp_nvim.session.options import mode_of, modes_of
from acp_nvim.session.state import (
    Compaction,
    Ending,
    Entry,
    Message,
    Notice,
    SessionState,
    ToolCall,
)
from acp_nvim.view.chat.transcript import entry_text

_PUBLIC = {"ended": "completed"}
"""By a tool call's status, what scripts are told: its turn ended well, and so did the call."""


def snapshot(state: SessionState) -> dict[str, Any]:
    """Return the session's part of `inspect()`, without what only the editor knows."""
    usage = state.usage
    return pruned(
        {
            "id": state.id,
            "agent": state.agent,
            "title": state.title,
            "cwd": state.cwd,
            "state": state.status,
            "stop_reason": state.stop_reason,
            "mode": mode_of(state),
            "modes": [{"id": mode.id, "name": mode.name} for mode in modes_of(state)],
            "config": [_option(option) for option in state.config],
            "commands": [
                pruned({"name": it.name, "description": it.description, "hint": it.hint})
                for it in state.commands
            ],
            "usage": usage
            and pruned(
                {
                    "used": usage.used,
                    "size": usage.size,
                    "cost": usage.cost
                    and {"amount": usage.cost.amount, "currency": usage.cost.currency},
                }
            ),
            "plan": [
                {"content": it.content, "priority": it.priority, "status": it.status}
                for it in (state.plan.entries if state.plan else ())
            ],
            "queue": [{"text": prompt_text(prompt)} for prompt in state.queue],
            "turn": state.turn,
            "entries": [_entry(entry) for entry in state.entries],
        }
    )


def prompt_text(prompt: Prompt) -> str:
    """Return what the user wrote, without attachments."""
    return "\n".join(block.text for block in prompt.blocks if isinstance(block, Text))


def pruned(data: dict[str, Any]) -> dict[str, Any]:
    """Return the data without the keys that have no value."""
    return {key: value for key, value in data.items() if value is not None}


def _option(option: ConfigOption) -> dict[str, Any]:
    choices = [
        pruned({"value": it.value, "name": it.name, "group": it.group}) for it in option.choices
    ]
    return pruned(
        {
            "id": option.id,
            "name": option.name,
            "category": option.category,
            "type": option.type,
            "value": option.value,
            "options": choices,
        }
    )


def _entry(entry: Entry) -> dict[str, Any]:
    data: dict[str, Any] = {"key": entry.key, "text": entry_text(entry)}
    match entry:
        case Message(role=role, message_id=message_id):
            data |= {"kind": role, "message_id": message_id}
        case ToolCall():
            places = [pruned({"path": it.path, "line": it.line}) for it in entry.locations]
            data |= {
                "kind": "tool",
                "status": _PUBLIC.get(entry.status, entry.status),
                "title": entry.title,
                "tool_kind": entry.kind,
                "locations": places,
            }
        case Notice() | Compaction() | Ending():
            data |= {"kind": "notice"}
    return pruned(data)


def edits_snapshot(path: str, changes: Sequence[ReviewHunk]) -> list[dict[str, Any]]:
    """Return one table for each turn that has hunks in the file, and each sub-agent in it, the
    oldest first.

    A hunk that several turns have made is the last one's. `first` and `last` are 1-based and
    inclusive; where lines are only gone, `first` is the line below them and `last` the one above.
    """
    found: dict[tuple[float, str, int, str], list[ReviewHunk]] = {}
    for change in changes:
        author = change.authors[-1]
        key = author.began, author.session, author.turn, author.sub_name
        found.setdefault(key, []).append(change)
    return [
        {
            "session": session,
            "turn": turn,
            "path": path,
            "hunks": [_hunk(it) for it in sorted(hunks, key=lambda it: it.first)],
        }
        | ({"sub_agent": name} if name else {})
        for (_, session, turn, name), hunks in sorted(found.items())
    ]


def _hunk(change: ReviewHunk) -> dict[str, Any]:
    form = {"form": change.form} if change.form else {}
    return form | {
        "first": change.first + 1,
        "last": change.last,
        "added": len(change.added),
        "removed": len(change.removed),
        "state": change.state,
    }
