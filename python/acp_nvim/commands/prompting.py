"""Prompts and turns: prompt, cancel, mode."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any

from acp_nvim.commands.desk import Desk
from acp_nvim.errors import UserError
from acp_nvim.ports import Choice
from acp_nvim.session.action import Refused, SubmitPrompt
from acp_nvim.session.content import (
    Audio,
    Content,
    Image,
    Resource,
    ResourceLink,
    Text,
)
from acp_nvim.session.noun import Prompt, Selection


def prompt(desk: Desk, payload: Mapping[str, Any]) -> None:
    """Send a prompt, or queue it while a turn runs; `bang` cancels the turn first."""
    chat = desk.chat(payload.get("chat"))
    text = str(payload.get("text") or "")
    blocks = ((Text(text),) if text else ()) + tuple(map(_block, payload.get("blocks") or ()))
    selections = tuple(map(_selection, payload.get("selections") or ()))
    wanted = Prompt(blocks, selections)
    interrupt = bool(payload.get("bang"))
    if chat.client is not None:
        chat.client.submit(chat.session, wanted, interrupt=interrupt)
        return
    decision = chat.session.decide(SubmitPrompt(wanted, desk.ground.clock(), interrupt))
    if isinstance(decision, Refused):
        raise UserError(decision.reason)


def cancel(desk: Desk, payload: Mapping[str, Any]) -> Awaitable[None] | None:
    """Cancel the running turn; an agent that is still starting is ended."""
    chat = desk.chat(payload.get("chat"))
    if chat.client is None:
        raise UserError("nothing is running")
    if chat.client.state == "starting":
        return chat.client.end(kill=True)
    if chat.session.state.status == "cancelling":
        raise UserError(f"still cancelling: :Acp stop! {chat.client.name} ends the agent by force")
    chat.client.cancel(chat.session)
    return None


async def mode(desk: Desk, payload: Mapping[str, Any]) -> None:
    """Set the session mode, or let the user pick one."""
    chat = desk.chat(payload.get("chat"))
    state = chat.session.state
    if chat.client is None or not state.modes:
        raise UserError(f"{state.agent} has no modes")
    chosen = payload.get("mode")
    if not chosen:
        rows = [Choice(_mode_label(it.name, it.description), it.id) for it in state.modes]
        chosen = await desk.ground.chooser.choose(f"Mode of {state.agent}", "acp.mode", rows)
    if chosen:
        await chat.client.set_mode(chat.session, str(chosen))


def _mode_label(name: str, description: str | None) -> str:
    return f"{name}: {description}" if description else name


def _selection(plain: Mapping[str, Any]) -> Selection:
    return Selection(
        buffer=int(plain["buffer"]),
        mark=int(plain["mark"]),
        path=plain.get("path") or None,
        first=int(plain["first"]),
        last=int(plain["last"]),
        lines=_texts(plain["lines"]),
        filetype=str(plain.get("filetype") or ""),
    )


def _texts(lines: Sequence[Any]) -> tuple[str, ...]:
    return tuple(str(line) for line in lines)


def _block(plain: Mapping[str, Any]) -> Content:
    """Return the content of a block of `require('acp').prompt(blocks)`; raises `UserError`."""
    try:
        match plain["type"]:
            case "text":
                return Text(plain["text"])
            case "image":
                return Image(plain["data"], plain["mimeType"], plain.get("uri"))
            case "audio":
                return Audio(plain["data"], plain["mimeType"])
            case "resource_link":
                return ResourceLink(plain["uri"], plain["name"], plain.get("mimeType"))
            case "resource":
                inner = plain["resource"]
                return Resource(
                    inner["uri"], inner.get("text"), inner.get("blob"), inner.get("mimeType")
                )
    except (KeyError, TypeError) as error:
        raise UserError(f"a content block lacks {error}: see :help acp-lua-prompt") from error
    raise UserError(f"a content block cannot be a {plain['type']!r}: see :help acp-lua-prompt")
