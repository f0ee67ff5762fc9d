"""The plan as a checklist (v1/agent-plan); an unknown status is shown plainly (C-266)."""

from __future__ import annotations

from dataclasses import replace

from acp_nvim.session.model import PlanEntry
from acp_nvim.session.state import Plan
from acp_nvim.view import cut
from acp_nvim.view.block import BLANK, Line
from acp_nvim.view.cut import ITEMS, rest, visible_lines
from acp_nvim.view.styled import after, before, coloured

ENTRY = 20
"""Lines of one step."""

STATUSES = {
    "pending": ("☐ ", "AcpNeutral"),
    "in_progress": ("◐ ", "AcpPlanActive"),
    "completed": ("☑ ", "AcpPlanDone"),
}


def lines(plan: Plan, *, is_live: bool = True) -> tuple[Line, ...]:
    """Return a header that counts what is done, and a line for each entry.

    Without `is_live` nobody works on it any more: what was begun is open.
    """
    # a plan that came as a text may say of no step, or only of some, whether it is done
    steps = [entry for entry in plan.entries if entry.status]
    done = sum(entry.status == "completed" for entry in steps)
    head = coloured(f"Plan {done}/{len(steps)}" if steps else "Plan", "AcpPlan")
    shown = plan.entries[:ITEMS]
    if not is_live:
        begun = {"in_progress": "pending"}
        shown = tuple(replace(it, status=begun.get(it.status, it.status)) for it in shown)
    lines = [line for entry in shown for line in _entry(entry)]
    if len(plan.entries) > ITEMS:
        lines.append(rest(len(plan.entries) - ITEMS, "more step"))
    return (head, *lines, BLANK)


def text(plan: Plan) -> str:
    """Return all of it as plain text."""
    return "\n".join(f"{_status(entry)[0]}{entry.content}" for entry in plan.entries)


def _status(entry: PlanEntry) -> tuple[str, str]:
    return STATUSES.get(entry.status, ("• ", "AcpNeutral"))


def _entry(entry: PlanEntry) -> list[Line]:
    icon, group = _status(entry)
    first, *more = visible_lines(cut.head(entry.content.strip("\n"), ENTRY)[0])
    urgent = (after("!", "AcpWarning"),) if entry.priority == "high" else ()
    return [
        coloured(first, group, before(icon, group), *urgent),
        *(coloured(text, group, before("  ", group)) for text in more),
    ]
