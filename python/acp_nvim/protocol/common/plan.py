"""Plans by id, as steps: in the unstable schemas they are a text, or a file, too.

Version 1 has them in its unstable schema only; they come all the same, and are shown plainly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from acp_nvim.patterns import lazy_pattern
from acp_nvim.protocol.base import Items, Lenient, WireModel, compact
from acp_nvim.session.event import Event, PlanReplaced, Unknown
from acp_nvim.session.model import PlanEntry

Update: TypeAlias = dict[str, Any]

_TASK = lazy_pattern(r"[-*+] \[([ xX])\] ")


class Step(WireModel):
    """A step of a plan."""

    content: str
    priority: Lenient[str]
    status: Lenient[str]


class _PlanContent(WireModel):
    """The plan of a `plan_update`: `items`, `markdown` or `file`."""

    plan_id: Lenient[str]
    type: Lenient[str]
    entries: Items[Step] = ()
    content: Lenient[str]
    uri: Lenient[str]


class _PlanUpdate(WireModel):
    """`plan_update`."""

    plan: _PlanContent


class _PlanRemoved(WireModel):
    """`plan_removed`."""

    plan_id: str


def plan_entries(entries: tuple[Step, ...]) -> tuple[PlanEntry, ...]:
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


DECODERS: Mapping[str, Callable[[Update], Event | None]] = {
    "plan_update": _plan_updated,
    "plan_removed": _plan_removed,
}
"""By `sessionUpdate`; each may raise `ValidationError`, and None means nothing happened."""
