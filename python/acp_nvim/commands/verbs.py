"""The table of verbs: what Lua may ask for, and who does it (`doc/messages.md`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from msgspec import Struct

from acp_nvim.commands import (
    agent,
    answering,
    attaching,
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
    terminals,
    viewing,
)
from acp_nvim.commands.agents import agent_list, installing, tooling
from acp_nvim.commands.decode import decode
from acp_nvim.commands.payloads import (
    of_agents,
    of_prompts,
    of_questions,
    of_reviews,
    of_sessions,
    of_tools,
    of_views,
)
from acp_nvim.commands.sessions import deeds, left, listing, stayed
from acp_nvim.commands.worktrees import racing, versions, worktrees
from acp_nvim.errors import UserError
from acp_nvim.workspace.host import Host

P = TypeVar("P")


class Verb(Struct, Generic[P], frozen=True):
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
    "start": Verb(of_sessions.Start, agent.start),
    "stop": Verb(of_sessions.Stop, agent.stop),
    "restart": Verb(payloads.OfAgent, agent.restart),
    "sessions": Verb(of_sessions.Sessions, deeds.sessions),
    "list_sessions": Verb(of_sessions.ListSessions, listing.show),
    "list_shown": Verb(of_sessions.ListShown, listing.appear),
    "filter_sessions": Verb(of_sessions.FilterSessions, listing.narrow),
    "session": Verb(of_sessions.OfListed, listing.act),
    "list_closed": Verb(of_sessions.OfList, listing.closed),
    "stayed": Verb(of_sessions.Stayed, stayed.stayed),
    "recent": Verb(payloads.OfChat, deeds.recent),
    "left_open": Verb(of_sessions.OfProject, left.left_open),
    "reopen": Verb(of_sessions.Reopen, deeds.reopen),
    "forget": Verb(of_sessions.Forget, deeds.forget),
    "rename": Verb(of_sessions.Rename, deeds.rename),
    "worktree": Verb(of_sessions.OfWorktree, lambda *it: worktrees.worktree(*it)),
    "race": Verb(of_sessions.Race, lambda *it: racing.race(*it)),
    "versions": Verb(of_sessions.CompareVersions, lambda *it: versions.compare(*it)),
    "versions_checked": Verb(of_sessions.OfVersions, lambda *it: versions.checked(*it)),
    "versions_file": Verb(of_sessions.OfVersionsFile, lambda *it: versions.file(*it)),
    "versions_take": Verb(of_sessions.TakeVersion, lambda *it: versions.take(*it)),
    "versions_closed": Verb(of_sessions.OfVersions, lambda *it: versions.closed(*it)),
    "last_agent": Verb(of_sessions.OfProject, deeds.last_agent),
    "agents": Verb(payloads.Nothing, agent.agents),
    "agent_list": Verb(of_agents.ListAgents, agent_list.listing),
    "fetch_registry": Verb(payloads.Nothing, agent_list.fetch),
    "install_agent": Verb(of_agents.OfName, installing.install),
    "remove_agent": Verb(of_agents.OfName, installing.remove),
    "cancel_install": Verb(of_agents.OfName, installing.cancel),
    "pick_agent": Verb(payloads.Nothing, agent.pick_agent),
    "tools": Verb(of_tools.Tools, tooling.tools),
    "tool_answered": Verb(of_tools.Answered, tooling.answered),
    "tools_changed": Verb(payloads.Nothing, tooling.changed),
    "chosen": Verb(of_sessions.Chosen, choosing.chosen),
    "log": Verb(payloads.OfAgent, agent.log),
    "login": Verb(of_sessions.LogIn, login.login),
    "logout": Verb(payloads.OfChat, login.logout),
    "login_ended": Verb(of_sessions.LoginEnded, login.ended),
    "prompt": Verb(of_prompts.SendPrompt, prompting.prompt),
    "attach_image": Verb(of_prompts.AttachImage, attaching.attach_image),
    "drop_image": Verb(of_prompts.DropImage, attaching.drop_image),
    "queue": Verb(payloads.OfChat, queueing.queue),
    "arrange": Verb(queueing.Arrange, queueing.arrange),
    "files": Verb(payloads.OfChat, prompting.files),
    "mentions": Verb(of_prompts.FindMentions, prompting.mentions),
    "sent": Verb(payloads.OfChat, prompting.sent),
    "last_answer": Verb(payloads.OfChat, prompting.last_answer),
    "steer": Verb(of_prompts.Steer, prompting.steer),
    "rewind": Verb(of_sessions.Rewind, rewinding.rewind),
    "export": Verb(of_views.Export, viewing.export),
    "outline": Verb(payloads.OfChat, viewing.outline_of),
    "cancel": Verb(payloads.OfChat, prompting.cancel),
    "mode": Verb(of_prompts.SetMode, choosing.mode),
    "config": Verb(of_prompts.SetOption, choosing.config),
    "respond": Verb(of_questions.Respond, answering.respond),
    "fill": Verb(of_questions.Fill, answering.fill),
    "ask_go": Verb(of_questions.GoToQuestion, answering.go),
    "ask_whole": Verb(of_questions.OfQuestion, answering.whole),
    "ask_window": Verb(of_questions.WindowMoved, answering.moved),
    "compare": Verb(of_questions.Compare, comparing.compare),
    "toggle": Verb(of_views.Fold, viewing.toggle),
    "prompt_at": Verb(of_views.OfRow, viewing.prompt_at),
    "repaint": Verb(payloads.OfChat, viewing.repaint),
    "prompt_made": Verb(of_views.PromptMade, viewing.prompt_made),
    "follow": Verb(of_views.Follow, viewing.follow),
    "raw": Verb(of_views.OfRow, viewing.raw),
    "follow_link": Verb(of_views.FollowLink, viewing.follow_link),
    "browse": Verb(of_views.OpenLink, viewing.browse),
    "chat_wiped": Verb(payloads.OfChat, viewing.chat_wiped),
    "chat_room": Verb(of_views.ChatRoom, viewing.chat_room),
    "inspect": Verb(payloads.Nothing, viewing.inspect),
    "review": Verb(of_reviews.ShowReview, reviewing.review),
    "edited": Verb(payloads.OfFile, reviewing.edited),
    "met": Verb(payloads.Met, reviewing.met),
    "writes": Verb(payloads.OfFile, reviewing.writes),
    "ran": Verb(payloads.Nothing, reviewing.ran),
    "free": Verb(payloads.Nothing, reviewing.free),
    "decide": Verb(of_reviews.Decide, reviewing.decide),
    "undo": Verb(of_reviews.Undo, reviewing.undo),
    "redo": Verb(of_reviews.Redo, rewinding.redo),
    "diff": Verb(of_reviews.ShowDiff, overviewing.diff),
    "decide_parts": Verb(of_reviews.DecideParts, overviewing.decide_parts),
    "comment": Verb(of_reviews.CommentOn, commenting.comment),
    "comments": Verb(payloads.Nothing, commenting.comments),
    "refresh_comments": Verb(payloads.Nothing, commenting.refresh_comments),
    "send_review": Verb(payloads.OfChat, commenting.send_review),
    "why": Verb(of_reviews.OfLine, explaining.why),
    "notes": Verb(payloads.OfChat, noting.notes),
    "note_text": Verb(of_prompts.OfNote, noting.note_text),
    "drop_note": Verb(of_prompts.DropNote, noting.drop_note),
    "output": Verb(of_views.OfRow, terminals.output),
    "output_of": Verb(of_views.OfCall, terminals.output_of),
    "printed": Verb(of_views.OfRow, terminals.printed_at),
    "terminals": Verb(payloads.Nothing, terminals.pick),
    "terminal_input": Verb(of_views.TerminalInput, terminals.typed),
    "terminal_size": Verb(of_views.TerminalSize, terminals.resized),
}
