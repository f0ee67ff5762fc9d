"""What stands in the chat's winbar, and what `status()` tells a user's statusline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from acp_nvim.session.model import Command, ConfigOption, Cost, RateLimit
from acp_nvim.session.options import first_of, mode_of, modes_of, value_name
from acp_nvim.session.state import Message, SessionState, ToolCall, Usage
from acp_nvim.view.chat.boundary import sentence
from acp_nvim.view.chat.plan import brief
from acp_nvim.view.cut import ITEMS, TOLD, told
from acp_nvim.view.measure import elapsed, money
from acp_nvim.view.visible import one_line

SEPARATOR = " · "
RECENT = 16
"""Entries among which the tool call that runs is looked for."""
NEAR = 0.8
"""Of a limit: who has used so much of it wants to know."""
LIMITS = 3
SUB_AGENTS = 50
"""Whose names commands complete."""
_COUNTS = {"one": 1, "five": 5, "seven": 7}
EXACT = frozenset({"agent", "session", "parent", "cwd"})
"""What is told as it is: scripts find sessions and files by it."""
WORDS = 200
"""Characters of a description: the whole of it goes to Neovim with each status."""


class BarPart(Struct, frozen=True):
    """A word in the bar; without room those with the largest `need` are left out, 0 never."""

    group: str
    text: str
    need: int
    right: bool = False
    short: str = ""
    """The same in fewer letters."""
    grows: bool = False
    """Takes the room that all others leave."""


NOTHING = BarPart("", "", 0)
KEYS = (
    "i write",
    "<CR> send",
    "/ commands",
    "@ files",
    "<Tab> answer",
    "]] [[ prompts",
    "g? all keys",
)
"""Those of a chat that a newcomer wants first."""


class Bar(Struct, frozen=True):
    """What stands above a chat, from left to right."""

    parts: tuple[BarPart, ...] = ()

    @property
    def text(self) -> str:
        """All of it, whatever the room."""
        return SEPARATOR.join(part.text for part in self.parts)


def winbar(
    state: SessionState,
    *,
    title: str,
    now: float,
    login_since: float | None = None,
    pins_plan: bool = False,
) -> Bar:
    """Return the chat's bar; `title` names the agent at length, times are monotonic seconds.

    `login_since` is when a login to the agent began, None when none is going on. State, questions
    and the plan stand left, model and context right. All of an agent's text is visible.
    """
    model, usage = _value(state, "model"), _tokens(state.usage) or _turn_tokens(state)
    parts = (
        BarPart("State", _activity(state, now, login_since), 0),
        _asks(len(state.questions)),
        _plan(state) if pins_plan else NOTHING,
        BarPart("Mode", _mode_name(state), 3),
        _agent(title, state.agent, 4 if model or usage else 1),
        BarPart("", one_line(state.title or "", 40), 8),
        BarPart("Usage", spent(state.usage), 6),
        _limits(state.usage.limits if state.usage else ()),
        BarPart("Model", _value(state, "thought_level"), 5, right=True),
        BarPart("Model", model, 2, right=True),
        BarPart(_usage_group(state.usage), usage, 1, right=True, short=_share(state.usage)),
    )
    return Bar(tuple(replace(it, group=f"AcpWinbar{it.group}") for it in parts if it.text))


def welcome(
    state: SessionState, folder: str, earlier: Sequence[str], *, with_keys: bool
) -> list[tuple[str, list[str]]]:
    """Return what an empty chat teaches: the group of each line, and its parts, which are on more
    than one where it is narrow. `earlier`: titles of sessions that may go on."""
    who = (one_line(state.agent, TOLD), _value(state, "model"), _mode_name(state))
    lines = [("AcpToolTitle", [it for it in who if it]), ("AcpToolPath", [folder])]
    if state.agent == "tutor":  # by `:AcpStart`, not `:Acp tutor`
        lines.append(("AcpWarning", ["Send anything to begin"]))
    told = [[], list(KEYS)] if with_keys else []
    told += [[], ["Continue an earlier session:"]] if earlier else []
    for number, title in enumerate(earlier, 1):
        told.append([f"{'<CR>' if number == 1 else f'{number}<CR>':5} {title}"])
    return lines + [("AcpDim", parts) for parts in told]


def summary(state: SessionState) -> dict[str, Any]:
    """Return `b:acp_status`: plain JSON-able data, what is not known left out.

    All of an agent's text is visible, one line each; what completion would not insert as it is
    shown is left out.
    """
    usage = state.usage
    facts = {
        "agent": state.agent,
        "session": state.id,
        "parent": state.parent or None,
        "cwd": state.cwd,
        "state": state.status,
        "stop_reason": state.stop_reason,
        "mode": mode_of(state),
        "modes": [
            {"id": mode.id, "name": mode.name}
            for mode in modes_of(state)[:ITEMS]
            if _is_plain(mode.id)
        ],
        "model": _value(state, "model") or None,
        "config": [_option(it) for it in state.config[:ITEMS] if _is_plain(it.id)],
        "used": usage.used if usage else None,
        "size": usage.size if usage else None,
        "cost": _plain_cost(usage.cost) if usage and usage.cost else None,
        "limits": [asdict(it) for it in (usage.limits if usage else ())[:ITEMS]] or None,
        "pending": len(state.questions),
        "title": state.title,
        "turn": state.turn,
        "queue": len(state.queue),
        "doing": _doing(state) or None,
        "sub_agents": [{"turn": it.turn, "name": it.name} for it in state.sub_agents[-SUB_AGENTS:]]
        or None,
    }
    return {
        name: told(value if name in EXACT else _visible(value))
        for name, value in facts.items()
        if value is not None
    }


def _visible(value: Any) -> Any:
    """Return plain data with each text in it as one line: statuslines show it as it is."""
    match value:
        case str():
            return one_line(value, TOLD)
        case list():
            return [_visible(it) for it in value]
        case dict():
            return {key: _visible(it) for key, it in value.items()}
        case _:
            return value


def _is_plain(text: str) -> bool:
    """Tell whether it would be inserted as it is shown."""
    return one_line(text, WORDS) == text


def least(state: SessionState) -> dict[str, Any]:
    """Return of `b:acp_status` what needs no drawing: what is told where the rest cannot be."""
    facts = {"agent": state.agent, "session": state.id, "cwd": state.cwd, "state": state.status}
    counts = {"pending": len(state.questions), "turn": state.turn, "queue": len(state.queue)}
    return {name: value for name, value in facts.items() if value is not None} | counts


def faulty_bar(status: str, error: Exception) -> Bar:
    """Return the bar above something whose own bar cannot be drawn."""
    parts = (BarPart("State", status, 0), BarPart("Ask", f"! {sentence(error)}", 0))
    return Bar(tuple(replace(it, group=f"AcpWinbar{it.group}") for it in parts if it.text))


def _doing(state: SessionState) -> str:
    """Return what a running turn is busy with; "" for none."""
    if not state.is_running:
        return ""
    if state.status == "cancelling":
        return "cancelling"
    if state.questions:
        return "waiting for you"
    if tool := running_tool(state):
        return tool
    last = state.entries[-1] if state.entries else None
    return "writing" if isinstance(last, Message) and last.role == "agent" else "thinking"


def running_tool(state: SessionState, *, is_own: bool = False) -> str:
    """Return the title of the tool call that runs in this turn; "" for none.

    `is_own`: not one in which a sub-agent works, or that it has made.
    """
    recent = reversed(state.entries[-RECENT:])
    calls = (it for it in recent if isinstance(it, ToolCall) and it.turn == state.turn)
    calls = (it for it in calls if not is_own or (it.id and not it.children and not it.parent))
    titles = (it.title or it.kind for it in calls if it.status == "in_progress")
    return one_line(next(titles, ""), 60)


def _agent(title: str, name: str, need: int) -> BarPart:
    """Return the agent; without room it has the user's name for it, as everywhere else."""
    text, short = one_line(title, 30), one_line(name, 30)
    return BarPart("Agent", text, need, short=short if short != text else "")


def _asks(count: int) -> BarPart:
    text, short = (f"{count} waiting for you", f"{count} waiting") if count else ("", "")
    return BarPart("Ask", text, 0, short=short)


def _plan(state: SessionState) -> BarPart:
    """Return how far the plan is that the agent works on, and its step."""
    counted, step = plan_step(state)
    if not counted and not step:
        return NOTHING
    return BarPart("Plan", f"{counted} {step}".rstrip(), 2, short=counted, grows=True)


def plan_step(state: SessionState) -> tuple[str, str]:
    """Return how many steps of the running turn's plan are done, and which is next; "" for none."""
    if state.plan is None or not state.is_running or state.plan.turn != state.turn:
        return "", ""
    return brief(state.plan)


def _mode_name(state: SessionState) -> str:
    """Return the current mode's name; its id when the agent never listed it (C-248)."""
    current = mode_of(state)
    names = (mode.name for mode in modes_of(state) if mode.id == current)
    return one_line(next(names, current or ""), 30)


def _activity(state: SessionState, now: float, login_since: float | None) -> str:
    if login_since is not None:
        return f"logging in {elapsed(now - login_since)}"
    if state.status == "loading":
        return "starting"
    if state.is_running and state.turn_started is not None:
        return f"{state.status} {elapsed(now - state.turn_started)}"
    if state.status == "idle" and state.stop_reason not in (None, "end_turn"):
        return f"idle ({one_line(state.stop_reason or '', 30)})"
    if state.status == "idle" and state.background:
        return f"{len(state.background)} in the background"
    return state.status


def _usage_group(usage: Usage | None) -> str:
    """Return how the context is coloured: it is a warning when there is not much left of it."""
    return "Ask" if usage and usage.size > 0 and usage.used >= NEAR * usage.size else "Usage"


def _share(usage: Usage | None) -> str:
    """Return how much of the context is used."""
    return f"{usage.used * 100 // usage.size}%" if usage and usage.size > 0 else ""


def _tokens(usage: Usage | None) -> str:
    if usage is None:
        return ""
    if usage.size <= 0:
        return f"{_short(usage.used)} tokens"
    return f"{_short(usage.used)}/{_short(usage.size)} ({_share(usage)})"


def _turn_tokens(state: SessionState) -> str:
    """Return what the last turn took: the only figure that some agents tell."""
    return f"{_short(state.turn_tokens)} tokens" if state.turn_tokens else ""


def _short(number: int) -> str:
    number = min(number, 10**15)
    for unit, suffix in ((1_000_000, "M"), (1_000, "k")):
        if number >= unit:
            return f"{number / unit:.1f}".removesuffix(".0") + suffix
    return str(number)


def _limits(limits: Sequence[RateLimit]) -> BarPart:
    """Return what is used of the account's limits; the fullest is needed more when it is near."""
    if not limits:
        return NOTHING
    fullest = max(limits, key=lambda it: it.used)
    is_near = fullest.used >= NEAR
    text = ", ".join(map(_limit, limits[:LIMITS]))
    return BarPart("Ask" if is_near else "Usage", text, 2 if is_near else 7, short=_limit(fullest))


def _limit(limit: RateLimit) -> str:
    """Return a limit as in "5h 78%"; those of a name that nobody knows have it."""
    name, _, rest = limit.name.partition("_")
    unit, _, kind = rest.partition("_")
    count = _COUNTS.get(name)
    known = f"{count}{unit[0]} {kind}".rstrip() if count and unit in ("hour", "day") else ""
    words = known or limit.name.replace("_", " ")
    return f"{one_line(words, 20)} {min(int(limit.used * 100), 999)}%"


def spent(usage: Usage | None) -> str:
    """Return what the session has cost; "" where that is not known."""
    return money(usage.cost) if usage and usage.cost else ""


def _plain_cost(cost: Cost) -> dict[str, Any]:
    return {"amount": cost.amount, "currency": cost.currency}


def _value(state: SessionState, category: str) -> str:
    """Return the value of the first option of that category (C-251)."""
    option = first_of(state.config, category)
    return "" if option is None else one_line(value_name(option), 30)


def _option(option: ConfigOption) -> dict[str, Any]:
    """Return what completion needs: the id, what it is for, and what it can be."""
    booleans = ["on", "off"] if option.type == "boolean" else None
    choices = (choice.value for choice in option.choices[:ITEMS])
    values = booleans or [it for it in choices if _is_plain(it)]
    category = {"category": option.category} if option.category else {}
    return {"id": option.id, "values": values} | category


def completed(commands: Sequence[Command]) -> list[dict[str, str]]:
    """Return what completion offers of the agent's commands: plain data, all of it visible."""
    return [
        {"name": command.name, "description": one_line(command.description, WORDS)}
        | ({"hint": one_line(command.hint, WORDS)} if command.hint else {})
        for command in commands[:ITEMS]
        if _is_plain(command.name)
    ]
