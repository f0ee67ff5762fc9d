"""The plan as a checklist (v1/agent-plan); an unknown status is shown plainly (C-266)."""

from __future__ import annotations

from dataclasses import replace

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
    if not is_live:
        begun = {"in_progress": "pending"}
        steps = (replace(it, status=begun.get(it.status, it.status)) for it in plan.entries)
        plan = replace(plan, entries=tuple(steps))
    counted, step = brief(plan)
    if not is_open:
        marks = (Margin("▸", "AcpDim"), *((after(step, "AcpPlanActive"),) if step else ()))
        return (coloured(f"Plan {counted}".rstrip(), "AcpPlan", *marks), BLANK)
    head = coloured(f"Plan {counted}".rstrip(), "AcpPlan")
    lines = [line for entry in plan.entries[:ITEMS] for line in _entry(entry)]
    if len(plan.entries) > ITEMS:
        lines.append(rest(len(plan.entries) - ITEMS, "more step"))
    return (head, *lines, BLANK)


def brief(plan: Plan) -> tuple[str, str]:
    """Return how many steps are done, as in "2/4", and the one that is next to be: "◐ Fix it"."""
    # a plan that came as a text may say of no step, or only of some, whether it is done
    steps = [entry for entry in plan.entries if entry.status]
    done = sum(entry.status == "completed" for entry in steps)
    begun = (entry for entry in steps if entry.status == "in_progress")
    pending = (entry for entry in steps if entry.status == "pending")
    step = next(begun, None) or next(pending, None)
    shown = f"{_status(step)[0]}{one_line(step.content, STEP)}" if step else ""
    return (f"{done}/{len(steps)}" if steps else ""), shown


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
