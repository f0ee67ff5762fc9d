"""Updates that are in no stable schema of ACP v1 and come all the same: shown plainly.

Teaches what each of them means to a client that has asked for none. Called by `update` only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from acp_nvim.protocol.base import Items, Lenient, WireModel, compact
from acp_nvim.protocol.v1 import types
from acp_nvim.session.event import Event, Noticed, PlanReplaced, Unknown
from acp_nvim.session.model import PlanEntry

Update: TypeAlias = dict[str, Any]

_SHOWN = 200
"""Characters of a summary that are said; it is the agent's text for its model."""
_TASK = re.compile(r"[-*+] \[([ xX])\] ")


class _PlanContent(WireModel):
    """The plan of a `plan_update`: `items`, `markdown` or `file`."""

    plan_id: Lenient[str]
    type: Lenient[str]
    entries: Items[types.PlanEntry] = ()
    content: Lenient[str]
    uri: Lenient[str]


class _PlanUpdate(WireModel):
    """`plan_update`."""

    plan: _PlanContent


class _PlanRemoved(WireModel):
    """`plan_removed`."""

    plan_id: str


class _Notice(WireModel):
    """`notice`: any agent may send it."""

    title: str
    description: Lenient[str]
    severity: Lenient[Literal["info", "warning", "error"]]


class _Compaction(WireModel):
    """`compaction_update`: a patch, so what it does not mention is known already."""

    compaction_id: str
    status: Lenient[str]
    summary: Any = None
    error: Any = None


def plan_entries(entries: tuple[types.PlanEntry, ...]) -> tuple[PlanEntry, ...]:
    """Return the steps; what the agent did not say of one is the ordinary (C-266)."""
    return tuple(
        PlanEntry(entry.content, entry.priority or "medium", entry.status or "pending")
        for entry in entries
    )


def _plan_updated(update: Update) -> Event:
    plan = _PlanUpdate.model_validate(update).plan
    plan_id = plan.plan_id or "default"
    match plan.type:
        case "markdown":
            return PlanReplaced(_markdown_steps(plan.content or ""), plan_id)
        case "file" if plan.uri:
            return PlanReplaced((_plain(plan.uri),), plan_id)
        case "items":
            return PlanReplaced(plan_entries(plan.entries), plan_id)
        case _:
            return Unknown("plan_update", compact(update))


def _markdown_steps(text: str) -> tuple[PlanEntry, ...]:
    """Return a step for each line; those of a task list say whether they are done."""
    return tuple(_markdown_step(line.strip()) for line in text.splitlines() if line.strip())


def _markdown_step(line: str) -> PlanEntry:
    task = _TASK.match(line)
    if task is None:
        return _plain(line)
    return PlanEntry(line[task.end() :], "medium", "pending" if task[1] == " " else "completed")


def _plain(text: str) -> PlanEntry:
    return PlanEntry(text, "medium", "")


def _plan_removed(update: Update) -> Event:
    return PlanReplaced((), _PlanRemoved.model_validate(update).plan_id)


def _notice(update: Update) -> Event:
    notice = _Notice.model_validate(update)
    text = f"{notice.title}: {notice.description}" if notice.description else notice.title
    return Noticed(text, notice.severity or "info")


def _compaction(update: Update) -> Event | None:
    """Say how it ended; that it goes on is nothing to read."""
    compaction = _Compaction.model_validate(update)
    match compaction.status:
        case "completed":
            return Noticed(_with("Context compacted", compaction.summary))
        case "failed":
            return Noticed(_with("Context not compacted", compaction.error), "warning")
        case _:
            return None


def _with(said: str, more: object) -> str:
    """Return what is said, and the first line of what the agent has to add."""
    text = more.get("message") or more.get("text") if isinstance(more, dict) else more
    first = text.strip().partition("\n")[0][:_SHOWN] if isinstance(text, str) else ""
    return f"{said}: {first}" if first else said


def _dropped(_update: Update) -> None:
    """Take a piece of a summary: the agent's text for its model, not for the user."""


DECODERS: Mapping[str, Callable[[Update], Event | None]] = {
    "notice": _notice,
    "plan_update": _plan_updated,
    "plan_removed": _plan_removed,
    "compaction_update": _compaction,
    "compaction_summary_chunk": _dropped,
}
"""By `sessionUpdate`; each may raise `ValidationError`, and None means nothing happened."""
