"""What stands in the chat's winbar, and what `status()` tells a user's statusline."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from acp_nvim.session.model import ConfigOption, Cost
from acp_nvim.session.options import first_of, mode_of, modes_of, value_name
from acp_nvim.session.state import SessionState, Usage
from acp_nvim.view.block import Highlight, Line
from acp_nvim.view.cut import ITEMS
from acp_nvim.view.visible import one_line

SEPARATOR = " · "
WORDS = 200
"""Characters of a description: the whole of it goes to Neovim with each status."""
_MONEY = re.compile("[A-Z]{3}")
"""What a currency of ISO 4217 looks like; the schema asks for one, agents write `credits`, too."""


def winbar(
    state: SessionState, *, title: str, now: float, login_since: float | None = None
) -> Line:
    """Return the chat's line of state; `title` names the agent, times are monotonic seconds.

    `login_since` is when a login to the agent began, None when none is going on.
    What matters most stands first, for it is cut at its end. All of an agent's text is visible.
    """
    parts = [
        ("Agent", one_line(title, 30)),
        ("State", _activity(state, now) if login_since is None else _login(now - login_since)),
        ("Ask", f"{len(state.questions)} waiting for you" if state.questions else ""),
        ("Mode", _mode_name(state)),
        ("Model", _value(state, "model")),
        ("Model", _value(state, "thought_level")),
        ("Usage", _tokens(state.usage) or _turn_tokens(state)),
        ("Usage", _cost(state.usage.cost if state.usage else None)),
        ("", one_line(state.title or "", 40)),
    ]
    chunks = [chunk for group, text in parts if text for chunk in (("", SEPARATOR), (group, text))]
    return _coloured((*chunks[1:], ("", " ")))


def summary(state: SessionState) -> dict[str, Any]:
    """Return `b:acp_status`: plain JSON-able data, what is not known left out."""
    usage = state.usage
    facts = {
        "agent": state.agent,
        "session": state.id,
        "cwd": state.cwd,
        "state": state.status,
        "stop_reason": state.stop_reason,
        "mode": mode_of(state),
        "modes": [{"id": mode.id, "name": mode.name} for mode in modes_of(state)[:ITEMS]],
        "model": _value(state, "model") or None,
        "config": [_option(option) for option in state.config[:ITEMS]],
        "used": usage.used if usage else None,
        "size": usage.size if usage else None,
        "cost": _plain_cost(usage.cost) if usage and usage.cost else None,
        "pending": len(state.questions),
        "title": state.title,
        "turn": state.turn,
        "queue": len(state.queue),
        "commands": _commands(state),
    }
    return {name: value for name, value in facts.items() if value is not None}


def elapsed(seconds: float) -> str:
    """Return m:ss, or h:mm:ss from one hour on."""
    minutes, rest = divmod(max(0, int(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _coloured(chunks: Sequence[tuple[str, str]]) -> Line:
    """Return a line of these texts, each in its group; a blank stands before them."""
    text, marks = " ", list[Highlight]()
    for group, chunk in chunks:
        start = len(text.encode())
        text += chunk
        marks.append(Highlight(start, len(text.encode()), f"AcpWinbar{group}"))
    return Line(text, tuple(marks))


def _mode_name(state: SessionState) -> str:
    """Return the current mode's name; its id when the agent never listed it (C-248)."""
    current = mode_of(state)
    names = (mode.name for mode in modes_of(state) if mode.id == current)
    return one_line(next(names, current or ""), 30)


def _activity(state: SessionState, now: float) -> str:
    if state.status == "loading":
        return "starting"
    if state.is_running and state.turn_started is not None:
        return f"{state.status} {elapsed(now - state.turn_started)}"
    if state.status == "idle" and state.stop_reason not in (None, "end_turn"):
        return f"idle ({one_line(state.stop_reason or '', 30)})"
    return state.status


def _login(seconds: float) -> str:
    return f"logging in {elapsed(seconds)}"


def _tokens(usage: Usage | None) -> str:
    if usage is None:
        return ""
    if usage.size <= 0:
        return _short(usage.used)
    return f"{_short(usage.used)}/{_short(usage.size)} ({usage.used * 100 // usage.size}%)"


def _turn_tokens(state: SessionState) -> str:
    """Return what the last turn took: the only figure that some agents tell."""
    return f"{_short(state.turn_tokens)} tokens" if state.turn_tokens else ""


def _short(number: int) -> str:
    number = min(number, 10**15)
    for unit, suffix in ((1_000_000, "M"), (1_000, "k")):
        if number >= unit:
            return f"{number / unit:.1f}".removesuffix(".0") + suffix
    return str(number)


def _cost(cost: Cost | None) -> str:
    """Return the amount: of money with two places, of what else agents count as they tell it."""
    if cost is None:
        return ""
    if _MONEY.fullmatch(cost.currency):
        return f"{cost.amount:.2f} {cost.currency}"
    return f"{cost.amount:.4f}".rstrip("0").rstrip(".") + f" {one_line(cost.currency, 12)}"


def _plain_cost(cost: Cost) -> dict[str, Any]:
    return {"amount": cost.amount, "currency": cost.currency}


def _value(state: SessionState, category: str) -> str:
    """Return the value of the first option of that category (C-251)."""
    option = first_of(state.config, category)
    return "" if option is None else one_line(value_name(option), 30)


def _option(option: ConfigOption) -> dict[str, Any]:
    """Return what completion needs: the id and what it can be."""
    if option.type == "boolean":
        return {"id": option.id, "values": ["on", "off"]}
    return {"id": option.id, "values": [choice.value for choice in option.choices[:ITEMS]]}


def _commands(state: SessionState) -> list[dict[str, str]]:
    return [
        {"name": command.name, "description": one_line(command.description, WORDS)}
        | ({"hint": one_line(command.hint, WORDS)} if command.hint else {})
        for command in state.commands[:ITEMS]
    ]
