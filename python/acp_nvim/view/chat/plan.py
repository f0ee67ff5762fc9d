"""The plan as a checklist (v1/agent-plan); an unknown status is shown plainly (C-266)."""

from __future__ import annotations

from msgspec.structs import replace

from acp_nvim.session.model import PlanEntry
from acp_nvim.session.state import Plan
from acp_nvim.view import cut
from acp_nvim.view.block import BLANK, Line, Margin
from acp_nvim.view.cut import ITEMS, rest, visible_lines
from acp_nvim.view.styled import after, coloured
from acp_nvim.view.visible import one_line

ENTRY = 20
"""Lines of one step."""
STEP = 60
"""Characters of the step that stands for the plan."""

STATUSES = {
    "pending": ("☐ ", "AcpPlanPending"),
    "in_progress": ("◐ ", "AcpPlanActive"),
    "completed": ("☑ ", "AcpPlanDone"),
}


def lines(plan: Plan, *, is_live: bool = True, is_open: bool = True) -> tuple[Line, ...]:
    """Return a header that counts what is done, and a line for each entry, if it is open.

    Without `is_live` nobody works on it any more: what was begun is open.
    """
    counted, step = brief(plan, is_live=is_live)
    if not is_open:
        marks = (Margin("▸", "AcpDim"), *((after(step, "AcpPlanActive"),) if step else ()))
        return (coloured(f"Plan {counted}".rstrip(), "AcpPlan", *marks), BLANK)
    head = coloured(f"Plan {counted}".rstrip(), "AcpPlan")
    first = plan.entries[:ITEMS] if is_live else map(_stopped, plan.entries[:ITEMS])
    lines = [line for entry in first for line in _entry(entry)]
    if len(plan.entries) > ITEMS:
        lines.append(rest(len(plan.entries) - ITEMS, "more step"))
    return (head, *lines, BLANK)


def brief(plan: Plan, *, is_live: bool = True) -> tuple[str, str]:
    """Return how many steps are done, as in "2/4", and the one that is next to be: "◐ Fix it"."""
    statuses = [entry.status for entry in plan.entries]
    # a plan that came as a text may say of no step, or only of some, whether it is done
    count, done = len(statuses) - statuses.count(""), statuses.count("completed")
    places = [statuses.index(it) for it in ("in_progress", "pending") if it in statuses]
    if not places:
        return (f"{done}/{count}" if count else ""), ""
    step = plan.entries[places[0]] if is_live else _stopped(plan.entries[min(places)])
    return f"{done}/{count}", f"{_status(step)[0]}{one_line(step.content, STEP)}"


def _stopped(entry: PlanEntry) -> PlanEntry:
    """Return a step that nobody works on any more."""
    return replace(entry, status="pending") if entry.status == "in_progress" else entry


def text(plan: Plan) -> str:
    """Return all of it as plain text."""
    return "\n".join(f"{_status(entry)[0]}{entry.content}" for entry in plan.entries)


def _status(entry: PlanEntry) -> tuple[str, str]:
    return STATUSES.get(entry.status, ("• ", "AcpPlanPending"))


def _entry(entry: PlanEntry) -> list[Line]:
    icon, group = _status(entry)
    first, *more = visible_lines(cut.head(entry.content.strip("\n"), ENTRY)[0])
    urgent = (after("high priority", "AcpWarning"),) if entry.priority == "high" else ()
    return [
        coloured(first, group, Margin(icon.strip(), group), *urgent),
        *(coloured(text, group) for text in more),
    ]
