"""The table of verbs: what Lua may ask for, and who does it (`doc/architecture.md`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from acp_nvim.commands import (
    agent,
    answering,
    choosing,
    commenting,
    comparing,
    explaining,
    login,
    noting,
    overviewing,
    payloads,
    prompting,
    queueing,
    reviewing,
    rewinding,
    sessions,
    terminals,
    viewing,
)
from acp_nvim.commands.decode import decode
from acp_nvim.commands.payloads import of_sessions
from acp_nvim.errors import UserError
from acp_nvim.workspace.host import Host

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Verb(Generic[P]):
    """What comes with a verb, and who does it."""

    payload: type[P]
    handler: Callable[[Host, P], Any]


def carry_out(host: Host, verb: str, raw: object) -> Any:
    """Do what Lua asks for; return the answer, or a coroutine that returns it.

    Raises `UserError`, also for a verb that is not known and for a payload that is wrong.
    """
    found = VERBS.get(verb)
    if found is None:
        raise UserError("the Lua side is newer than the host: restart Neovim after an update")
    return found.handler(host, decode(verb, found.payload, raw))


VERBS: Mapping[str, Verb[Any]] = {
    "configure": Verb(payloads.Configure, agent.configure),
    "start": Verb(payloads.Start, agent.start),
    "stop": Verb(payloads.Stop, agent.stop),
    "restart": Verb(payloads.OfAgent, agent.restart),
    "sessions": Verb(of_sessions.Sessions, sessions.sessions),
    "recent": Verb(payloads.OfChat, sessions.recent),
    "reopen": Verb(of_sessions.Reopen, sessions.reopen),
    "forget": Verb(of_sessions.Forget, sessions.forget),
    "rename": Verb(of_sessions.Rename, sessions.rename),
    "last_agent": Verb(of_sessions.OfProject, sessions.last_agent),
    "agents": Verb(payloads.Nothing, agent.agents),
    "pick_agent": Verb(payloads.Nothing, agent.pick_agent),
    "chosen": Verb(payloads.Chosen, choosing.chosen),
    "log": Verb(payloads.OfAgent, agent.log),
    "login": Verb(payloads.LogIn, login.login),
    "logout": Verb(payloads.OfChat, login.logout),
    "login_ended": Verb(payloads.LoginEnded, login.ended),
    "prompt": Verb(payloads.SendPrompt, prompting.prompt),
    "queue": Verb(payloads.OfChat, queueing.queue),
    "arrange": Verb(queueing.Arrange, queueing.arrange),
    "files": Verb(payloads.OfChat, prompting.files),
    "sent": Verb(payloads.OfChat, prompting.sent),
    "last_answer": Verb(payloads.OfChat, prompting.last_answer),
    "steer": Verb(of_sessions.Steer, prompting.steer),
    "rewind": Verb(of_sessions.Rewind, rewinding.rewind),
    "export": Verb(payloads.OfChat, viewing.export),
    "cancel": Verb(payloads.OfChat, prompting.cancel),
    "mode": Verb(payloads.SetMode, choosing.mode),
    "config": Verb(payloads.SetOption, choosing.config),
    "respond": Verb(payloads.Respond, answering.respond),
    "fill": Verb(payloads.Fill, answering.fill),
    "ask_go": Verb(payloads.GoToQuestion, answering.go),
    "ask_whole": Verb(payloads.OfQuestion, answering.whole),
    "ask_window": Verb(payloads.WindowMoved, answering.moved),
    "compare": Verb(payloads.Compare, comparing.compare),
    "toggle": Verb(payloads.Fold, viewing.toggle),
    "repaint": Verb(payloads.OfChat, viewing.repaint),
    "prompt_made": Verb(payloads.PromptMade, viewing.prompt_made),
    "follow": Verb(payloads.Follow, viewing.follow),
    "raw": Verb(payloads.FollowLink, viewing.raw),
    "follow_link": Verb(payloads.FollowLink, viewing.follow_link),
    "chat_wiped": Verb(payloads.OfChat, viewing.chat_wiped),
    "inspect": Verb(payloads.Nothing, viewing.inspect),
    "review": Verb(payloads.ShowReview, reviewing.review),
    "edited": Verb(payloads.OfFile, reviewing.edited),
    "met": Verb(payloads.OfFile, reviewing.met),
    "free": Verb(payloads.Nothing, reviewing.free),
    "decide": Verb(payloads.Decide, reviewing.decide),
    "undo": Verb(payloads.Undo, reviewing.undo),
    "redo": Verb(payloads.Redo, rewinding.redo),
    "diff": Verb(payloads.ShowDiff, overviewing.diff),
    "decide_parts": Verb(payloads.DecideParts, overviewing.decide_parts),
    "comment": Verb(payloads.CommentOn, commenting.comment),
    "comments": Verb(payloads.Nothing, commenting.comments),
    "send_review": Verb(payloads.OfChat, commenting.send_review),
    "why": Verb(payloads.OfLine, explaining.why),
    "notes": Verb(payloads.OfChat, noting.notes),
    "note_text": Verb(payloads.OfNote, noting.note_text),
    "drop_note": Verb(payloads.DropNote, noting.drop_note),
    "terminals": Verb(payloads.Nothing, terminals.pick),
    "terminal_input": Verb(payloads.TerminalInput, terminals.typed),
    "terminal_size": Verb(payloads.TerminalSize, terminals.resized),
}
