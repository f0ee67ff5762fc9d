"""The plan as a checklist (v1/agent-plan); an unknown status is shown plainly (C-266)."""

from __future__ import annotations

from acp_nvim.session.model import PlanEntry
from acp_nvim.session.state import Plan
from acp_nvim.view.block import BLANK, Line
from acp_nvim.view.styled import after, before, coloured
from acp_nvim.view.visible import visible

STATUSES = {
    "pending": ("☐ ", "AcpNeutral"),
    "in_progress": ("◐ ", "AcpPlanActive"),
    "completed": ("☑ ", "AcpPlanDone"),
}


def lines(plan: Plan) -> tuple[Line, ...]:
    """Return a header that counts what is done, and a line for each entry."""
    # a plan that came as a text may say of no step, or only of some, whether it is done
    steps = [entry for entry in plan.entries if entry.status]
    done = sum(entry.status == "completed" for entry in steps)
    head = coloured(f"Plan {done}/{len(steps)}" if steps else "Plan", "AcpPlan")
    return (head, *(line for entry in plan.entries for line in _entry(entry)), BLANK)


def _entry(entry: PlanEntry) -> list[Line]:
    icon, group = STATUSES.get(entry.status, ("• ", "AcpNeutral"))
    first, *rest = visible(entry.content).strip("\n").split("\n")
    urgent = (after("!", "AcpWarning"),) if entry.priority == "high" else ()
    return [
        coloured(first, group, before(icon, group), *urgent),
        *(coloured(text, group, before("  ", group)) for text in rest),
    ]
