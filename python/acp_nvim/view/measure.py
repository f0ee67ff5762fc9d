"""Times, amounts and numbers in a few letters. Pure."""

from __future__ import annotations

from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.model import Cost
from acp_nvim.view.visible import one_line

_MONEY = lazy_pattern("[A-Z]{3}")
"""What a currency of ISO 4217 looks like; the schema asks for one, agents write `credits`, too."""


def elapsed(seconds: float) -> str:
    """Return m:ss, or h:mm:ss from one hour on."""
    minutes, rest = divmod(max(0, int(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def money(cost: Cost) -> str:
    """Return the amount: of money with two places, of what else agents count as they tell it.

    What is less than a hundredth has the first place that is no zero: it is not nothing.
    """
    if not _MONEY.fullmatch(cost.currency):
        return f"{cost.amount:.4f}".rstrip("0").rstrip(".") + f" {one_line(cost.currency, 12)}"
    places = 2 if cost.amount >= 0.01 or cost.amount <= 0 else 4
    return f"{cost.amount:.{places}f} {cost.currency}"
