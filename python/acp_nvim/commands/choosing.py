"""Modes and config options: set one, or let the user pick (`:help acp-options`)."""

from __future__ import annotations

from collections.abc import Mapping

from acp_nvim.client.client import Client
from acp_nvim.editor import Choice
from acp_nvim.errors import UserError, suggest
from acp_nvim.session.model import ConfigOption
from acp_nvim.session.options import find, first_of, mode_of, mode_option, modes_of, shown
from acp_nvim.session.state import SessionState
from acp_nvim.view.options import mode_labels, option_labels, value_labels, value_title
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host

SWITCHES: Mapping[str, bool] = {
    "on": True,
    "true": True,
    "yes": True,
    "1": True,
    "off": False,
    "false": False,
    "no": False,
    "0": False,
}
"""How a boolean option is typed."""


def chosen(host: Host, call: int, index: int | None = None) -> None:
    """Take the row that the user has picked in any of the pickers, or none."""
    host.editor.chooser.chosen(call, index)


async def mode(host: Host, chat: Chat, mode: str | None = None, next: bool = False) -> None:
    """Set the session mode, or let the user pick one; `next`: the one behind the current one."""
    state = chat.session.state
    modes = modes_of(state)
    if chat.client is None or not modes:
        hint = "; :Acp config shows its options" if state.config else ""
        raise UserError(f"{state.agent} has no modes{hint}")
    chosen = _next_mode(state) if next else mode
    if not chosen:
        labels = mode_labels(modes, mode_of(state))
        rows = [Choice(label, it.id) for label, it in zip(labels, modes, strict=True)]
        chosen = await host.editor.chooser.choose(f"Mode of {state.agent}", "acp.mode", rows)
    if chosen:
        await chat.client.set_mode(chat.session, chosen)
        host.choices.note(state.agent, "mode", chosen)


def _next_mode(state: SessionState) -> str:
    ids = [it.id for it in modes_of(state)]
    if len(ids) < 2:
        raise UserError(f"{state.agent} has no other modes")
    current = mode_of(state)
    return ids[(ids.index(current) + 1) % len(ids) if current in ids else 0]


async def config(
    host: Host,
    chat: Chat,
    option: str | None = None,
    value: str | None = None,
    category: str | None = None,
) -> None:
    """Set a config option; let the user pick what the command does not name.

    `category` names the option by what it is for.
    """
    if chat.client is None or not (chat.session.state.config or category):
        raise UserError(f"{chat.session.state.agent} has no config options")
    if category:
        found: ConfigOption | None = _of_category(chat, category)
    else:
        found = _named(chat, option) if option else await _pick_option(host, chat)
    if found is None:
        return
    wanted = _typed(found, value) if value else await _pick_value(host, found)
    if wanted is not None:
        await _set(host, chat.client, chat, found, wanted)


async def _set(
    host: Host, client: Client, chat: Chat, option: ConfigOption, value: str | bool
) -> None:
    """Set it, and remember that it was chosen, by what it is for."""
    state = chat.session.state
    is_first = option in (mode_option(state), first_of(state.config, "model"))
    key = option.category if is_first and option.category else option.id
    await client.set_option(chat.session, option.id, value)
    host.choices.note(state.agent, key, value)


def _named(chat: Chat, option_id: str) -> ConfigOption:
    """Return the option of that id; raises `UserError` that names the nearest."""
    state = chat.session.state
    if option := find(state.config, option_id):
        return option
    known = [option.id for option in state.config]
    raise UserError(f"{state.agent} has no option {option_id!r}: {suggest(option_id, known)}")


def _of_category(chat: Chat, category: str) -> ConfigOption:
    state = chat.session.state
    if option := first_of(state.config, category):
        return option
    raise UserError(f"{state.agent} has no {category.replace('_', ' ')} to choose")


async def _pick_option(host: Host, chat: Chat) -> ConfigOption | None:
    options = shown(chat.session.state.config)
    rows = [Choice(label, it) for label, it in zip(option_labels(options), options, strict=True)]
    title = f"Options of {chat.session.state.agent}"
    picked: ConfigOption | None = await host.editor.chooser.choose(title, "acp.config", rows)
    return picked


async def _pick_value(host: Host, option: ConfigOption) -> str | bool | None:
    """Return the value that the user picks; of two there is only the other one."""
    if isinstance(option.value, bool):
        return not option.value
    values = zip(value_labels(option), option.choices, strict=True)
    rows = [Choice(label, it.value) for label, it in values]
    title = value_title(option)
    picked: str | None = await host.editor.chooser.choose(title, "acp.config.value", rows)
    return picked


def _typed(option: ConfigOption, text: str) -> str | bool:
    """Return the value that the text means; whether the option has it, the session decides."""
    if option.type == "select":
        return text
    if text.lower() not in SWITCHES:
        raise UserError(f"{option.id} is on or off, not {text!r}")
    return SWITCHES[text.lower()]
