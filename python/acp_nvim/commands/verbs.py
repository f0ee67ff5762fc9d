"""The table of verbs: what Lua may ask for, and who does it (`doc/messages.md`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from msgspec import Struct

from acp_nvim.commands import (
    agent,
    answering,
    attaching,
    choosing,
    commenting,
    comparing,
    health,
    login,
    overviewing,
    prompting,
    reviewing,
    rewinding,
    terminals,
    viewing,
)
from acp_nvim.commands.agents import agent_list, tooling
from acp_nvim.commands.decode import handle
from acp_nvim.commands.sessions import deeds, listing, stayed
from acp_nvim.commands.worktrees import racing, versions, worktrees
from acp_nvim.errors import UserError
from acp_nvim.reactions.files import look_around
from acp_nvim.workspace.host import Host

Handler: TypeAlias = Callable[..., Any]


class Rare(Struct, frozen=True):
    """A handler in a module that is loaded when it is used first (`lazy`)."""

    handler: Callable[[], Handler]


def carry_out(host: Host, verb: str, raw: object) -> Any:
    """Do what Lua asks for; return the answer, or a coroutine that returns it.

    Raises `UserError`, also for a verb that is not known and for a payload that is wrong.
    """
    if verb not in VERBS:
        raise UserError("the Lua side is newer than the host: restart Neovim after an update")
    return handle(host, verb, handler_of(verb), raw)


def handler_of(verb: str) -> Handler:
    """Return who does it."""
    found = VERBS[verb]
    return found.handler() if isinstance(found, Rare) else found


VERBS: Mapping[str, Handler | Rare] = {
    "configure": agent.configure,
    "start": agent.start,
    "stop": agent.stop,
    "restart": agent.restart,
    "sessions": deeds.sessions,
    "list_sessions": listing.show,
    "list_shown": listing.appear,
    "filter_sessions": listing.narrow,
    "session": listing.act,
    "list_closed": listing.closed,
    "stayed": stayed.stayed,
    "recent": deeds.recent,
    "left_open": deeds.left_open,
    "reopen": deeds.reopen,
    "forget": deeds.forget,
    "rename": deeds.rename,
    "worktree": Rare(lambda: worktrees.worktree),
    "race": Rare(lambda: racing.race),
    "versions": Rare(lambda: versions.compare),
    "versions_checked": Rare(lambda: versions.checked),
    "versions_file": Rare(lambda: versions.file),
    "versions_take": Rare(lambda: versions.take),
    "versions_closed": Rare(lambda: versions.closed),
    "last_agent": deeds.last_agent,
    "health": Rare(lambda: health.health),
    "agent_list": agent_list.listing,
    "fetch_registry": agent_list.fetch,
    "install_agent": agent_list.install,
    "remove_agent": agent_list.remove,
    "cancel_install": agent_list.cancel,
    "pick_agent": agent.pick_agent,
    "tools": tooling.tools,
    "tool_answered": tooling.answered,
    "tools_changed": tooling.changed,
    "chosen": choosing.chosen,
    "log": agent.log,
    "login": login.login,
    "logout": login.logout,
    "login_ended": login.ended,
    "prompt": prompting.prompt,
    "attach_image": attaching.attach_image,
    "drop_image": attaching.drop_image,
    "queue": prompting.queue,
    "arrange": prompting.arrange,
    "files": prompting.files,
    "mentions": prompting.mentions,
    "sent": prompting.sent,
    "last_answer": prompting.last_answer,
    "steer": prompting.steer,
    "rewind": rewinding.rewind,
    "export": viewing.export,
    "outline": viewing.outline_of,
    "cancel": prompting.cancel,
    "mode": choosing.mode,
    "config": choosing.config,
    "respond": answering.respond,
    "fill": answering.fill,
    "ask_go": answering.go,
    "ask_whole": answering.whole,
    "ask_window": answering.moved,
    "ask_look": answering.look,
    "compare": comparing.compare,
    "toggle": viewing.toggle,
    "prompt_at": viewing.prompt_at,
    "repaint": viewing.repaint,
    "prompt_made": viewing.prompt_made,
    "follow": viewing.follow,
    "raw": viewing.raw,
    "follow_link": viewing.follow_link,
    "browse": viewing.browse,
    "chat_wiped": viewing.chat_wiped,
    "chat_room": viewing.chat_room,
    "inspect": viewing.inspect,
    "review": reviewing.review,
    "edit": prompting.edit,
    "edited": reviewing.edited,
    "met": reviewing.met,
    "writes": reviewing.writes,
    "ran": look_around,
    "free": reviewing.free,
    "decide": reviewing.decide,
    "undo": reviewing.undo,
    "redo": rewinding.redo,
    "diff": overviewing.diff,
    "decide_parts": overviewing.decide_parts,
    "comment": commenting.comment,
    "comments": commenting.comments,
    "refresh_comments": commenting.refresh_comments,
    "send_review": commenting.send_review,
    "why": reviewing.why,
    "notes": attaching.notes,
    "note_text": attaching.note_text,
    "drop_note": attaching.drop_note,
    "output": terminals.output,
    "output_of": terminals.output_of,
    "printed": terminals.printed_at,
    "terminals": terminals.pick,
    "terminal_input": terminals.typed,
    "terminal_size": terminals.resized,
}
