"""Rewind: the files as before a prompt, and a session that knows only what was said until then."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from acp_nvim.commands import reviewing
from acp_nvim.commands.prompting import prompt_text
from acp_nvim.commands.reviewing import doubtful, wants_found
from acp_nvim.errors import UserError
from acp_nvim.reactions import clients
from acp_nvim.reactions.files import catch_up
from acp_nvim.review.log import Turn, within
from acp_nvim.review.outcome import Undone, unrecoverable
from acp_nvim.session.saved import carried
from acp_nvim.session.state import Message, SessionState
from acp_nvim.view.place import relative
from acp_nvim.view.styled import plural
from acp_nvim.view.visible import one_line
from acp_nvim.workspace.chat import Chat, Rewound
from acp_nvim.workspace.host import Host


async def rewind(host: Host, chat: Chat, turn: int | None = None) -> dict[str, Any] | None:
    """Take back a turn, else the last one, and all later ones; answer the new chat and the prompt's
    text.

    The session that was is left as it is, and `:Acp redo` goes back to it. None: not wanted.
    """
    state = chat.session.state
    if state.parent:
        raise UserError("a sub-agent cannot be rewound: rewind its agent's session")
    if state.is_running:
        raise UserError("a turn is running: :Acp cancel ends it, then rewind")
    number = state.turn if turn is None else turn
    said = next((it for it in state.entries if _is_prompt(it, number)), None)
    if not isinstance(said, Message):
        raise UserError(_nothing(state, number))
    await catch_up(host)
    turns = [it for it in host.review.log.turns(*state.stretches) if it.author.turn >= number]
    text = prompt_text(said)
    since = (replace(it, first=max(it.first, number)) for it in state.stretches)
    lost = unrecoverable(host.review.decisions.lost.of(within(since)))
    if not await _is_wanted(host, number, text, turns, lost):
        return None
    found = sorted({path for it in turns for path in doubtful(host, it)})
    batches, left = await _undo(host, turns, found=bool(found and await wants_found(host, found)))
    opened = await host.editor.chats.open(state.agent)
    if opened is None:
        raise UserError("; ".join(filter(None, ["no chat could be opened", left])))
    new = _begin(host, chat, opened, number)
    new.rewound = Rewound(chat.number, batches)
    if left:  # not before the windows of the new chat, which would cover it
        host.editor.notifier.notice(left, warning=True)
    await _connect(host, new, chat)
    return {"chat": new.number, "text": text}


def _nothing(state: SessionState, number: int) -> str:
    if not any(_is_prompt(it, it.turn) for it in state.entries):
        return "there is nothing to rewind: this session has no prompt yet"
    return f"there is no turn {number} in this session: the last one is turn {state.turn}"


def _is_prompt(entry: object, number: int) -> bool:
    return isinstance(entry, Message) and entry.role == "user" and entry.turn == number


async def _is_wanted(
    host: Host, number: int, text: str, turns: Sequence[Turn], lost: Sequence[str]
) -> bool:
    """Ask, and name first what cannot be taken back."""
    paths = sorted({path for turn in turns for path in turn.paths})
    names = ", ".join(one_line(relative(path, os.getcwd()), 40) for path in paths[:3])
    files = f"{plural(len(paths), 'file')} ({names})" if paths else "no file"
    title = f"Rewind to before turn {number}, “{one_line(text, 40)}”? It changes {files}; what "
    title += "commands did elsewhere stays, and so do lines that you have changed since"
    title = "; ".join([title, *reviewing.here(lost)])
    return await host.agrees(title, "Yes (:Acp redo undoes it)")


async def _undo(host: Host, turns: Sequence[Turn], *, found: bool) -> tuple[tuple[str, ...], str]:
    """Undo the turns, the last one first; return the batches of these undos, and what stays.

    Without `found` what the agent is only supposed to have done stays.
    """
    decisions = host.review.decisions
    outcomes: list[Undone] = []
    async with decisions.acts:
        for turn in reversed(turns):
            outcomes.append(await decisions.undo(turn, found=found))
    stays = sorted({relative(path, os.getcwd()) for it in outcomes for path, _ in it.left})
    failed = reviewing.here(said for it in outcomes for said in it.failed)
    told = "; ".join([*failed, *(f"lines of yours stay in {name}" for name in stays)])
    batches = tuple(it.batch for it in outcomes if it.paths)
    return batches, told and f"rewound, but {told}"


def _begin(host: Host, old: Chat, opened: tuple[int, int], number: int) -> Chat:
    """Take in a chat that shows what was said before that turn."""
    state = old.session.state
    session = clients.new_session(host, state.agent, state.cwd)
    new = Chat(*opened, session, host.clock)
    host.add(new)
    said = "Rewound to here, in a new session: the conversation is sent with your next prompt"
    session.apply(*carried(state, number - 1, said))
    return new


async def _connect(host: Host, new: Chat, old: Chat) -> None:
    state = new.session.state
    new.client = clients.connect(host, host.workspace.launch(state.agent, state.cwd))
    await new.client.open(new.session)


async def redo(host: Host, chat: Chat | None = None, path: str = "") -> None:
    """Return what was taken back last: by a rewind, with its session, or by an undo, in the session
    of that chat or in any."""
    rewound = None if chat is None else chat.rewound
    if chat is None or rewound is None or host.review.log.last_undo(chat.session.state.stretches):
        await reviewing.redo(host, chat)
        return
    chat.rewound = None
    async with host.review.decisions.acts:
        for batch in reversed(rewound.batches):
            await host.review.decisions.redo(batch)
    if rewound.chat in host.workspace.chats:
        await host.editor.chats.show(rewound.chat)
    host.editor.notifier.notice("rewind undone: the files and the session are as before")
