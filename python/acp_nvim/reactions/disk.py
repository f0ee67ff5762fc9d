"""Where an agent works past the editor: its tools and commands write to the disk themselves."""

from __future__ import annotations

import os
from collections.abc import Collection
from itertools import islice

from acp_nvim.client.session import Session
from acp_nvim.files import git
from acp_nvim.files.roots import Roots
from acp_nvim.follow.follow_along import AgentId
from acp_nvim.history.author import Author
from acp_nvim.session.content import Diff, FileChange
from acp_nvim.session.event import (
    UNSET,
    Event,
    PromptSent,
    SessionOpened,
    ToolCallUpdated,
    TurnEnded,
)
from acp_nvim.session.place import LOOKING, MOST_PLACES, commanded, places
from acp_nvim.session.place import named as all_named
from acp_nvim.session.reduce.entries import OPEN
from acp_nvim.session.state import SessionState, ToolCall
from acp_nvim.workspace.authors import Authors
from acp_nvim.workspace.host import Host


def prepare(host: Host, session: Session, _before: SessionState, _event: SessionOpened) -> None:
    """Know what the files hold before the agent has done anything."""
    host.tasks.start_soon(_prepare, host, host.workspace.roots(session))


async def _prepare(host: Host, roots: Roots) -> None:
    await host.review.restore()
    await host.review.sync.prepare(roots)
    here = [it for it in host.workspace.chats.values() if it.session.state.cwd == roots.cwd]
    if len(here) == 1:  # said once for each project
        for why in filter(None, (_unnamed(roots.cwd), await git.refusal(roots.cwd))):
            host.editor.notifier.notice(why, warning=True)
    await host.review.sync.settle(roots)


def _unnamed(folder: str) -> str:
    """Return why no file of a folder can be read or written, for a message is UTF-8; or ""."""
    try:
        folder.encode()
    except UnicodeEncodeError:
        return (
            f"no agent can name a file in {folder}, which is not UTF-8: rename it, then :AcpStart"
        )
    return ""


def begin(host: Host, session: Session, _before: SessionState, _event: PromptSent) -> None:
    """Have it on disk that the turn runs, should the host be killed; a sub-agent's is a part."""
    if session.state.parent:
        return
    author, roots = Authors(host.workspace).of(session.state), host.workspace.roots(session)
    if author is not None:
        host.review.store.journal.begin(author, (roots.cwd, *roots.additional))


def sweep(host: Host, session: Session, before: SessionState, _event: TurnEnded) -> None:
    """Find all that the turn has changed."""
    author = Authors(host.workspace).of(before)
    host.review.sync.sweep(author, host.workspace.roots(session))
    if author is not None and not session.state.parent:
        host.review.sync.ended.end(author)
        host.tasks.start_soon(_end, host, author, host.workspace.roots(session))


async def _end(host: Host, author: Author, roots: Roots) -> None:
    await host.review.sync.drain()
    host.review.store.journal.end(author)
    await host.review.sync.settle(roots)


def forget(host: Host, session: Session, _before: SessionState, _event: Event) -> None:
    """What the agent was served is no base of a write any more: its session is over."""
    host.review.knowledge.close(session.state.key)
    sessions = (it for it in host.workspace.sessions() if it.state.status != "closed")
    used = {folder for it in sessions for folder in host.workspace.roots(it).folders()}
    host.tasks.start_soon(host.review.sync.leave, used)


def look(host: Host, session: Session, before: SessionState, event: ToolCallUpdated) -> None:
    """Go where a tool call says that its agent is, and follow the disk there; not in a replay."""
    state = session.state
    if state.status == "loading" or (call := state.tool_call(event.id)) is None:
        return
    roots, is_over = host.workspace.roots(session), event.status in ("completed", "failed")
    found = places(event, call, state.cwd, roots.paths)
    host.follow.walked(AgentId(state.agent, state.id), roots, event.id, found)
    named = [place.path for place in found]
    words = filter(_may_be_file, commanded(call, state.cwd, roots.paths) if is_over else ())
    changes = dict.fromkeys((*paths(event), *named, *words))
    old = before.tool_call(event.id)
    old = old if old is not None and old.key == call.key else None  # else another under a used id
    begins = event.status == "pending" or (event.status == "in_progress" and old is None)
    authors = Authors(host.workspace)
    author = authors.last(state, call.id, call) if changes or begins or is_over else None
    if author is not None and begins:
        host.review.sync.ended.begins(author)
    supposed = authors.found(state, author)
    # who has only read a file has not changed it; what is told once more was done before
    known = changes if call.kind in LOOKING else _done(old, event, state.cwd, roots)
    if told := changes.keys() & known:
        host.review.sync.look(supposed, roots, told)
    if changed := [it for it in changes if it not in known]:
        host.review.sync.look(author, roots, changed, sure=call.kind == "edit")
    if is_over and call.kind not in LOOKING:
        host.review.sync.sweep(supposed, roots)
    elif is_over and named:
        host.review.sync.was_read(state.key, roots, named, call.id)


def _done(call: ToolCall | None, event: ToolCallUpdated, cwd: str, roots: Roots) -> Collection[str]:
    """Return the files that a call had named when it was over, of which this only tells more.

    What has a title may be another call under a used id.
    """
    if call is None or call.status in OPEN or event.title is not UNSET:
        return ()
    return frozenset(all_named(call, cwd, roots.paths))


def paths(event: ToolCallUpdated) -> list[str]:
    """Return the files that an update names, as many as are looked at one by one."""
    locations = () if event.locations is UNSET else event.locations
    content = (*(() if event.content is UNSET else event.content), *event.more)
    changes = [item for item in content if isinstance(item, Diff | FileChange)]
    moved = (it.old_path for it in changes if isinstance(it, FileChange) and it.old_path)
    named = (it.path for it in (*locations, *changes))
    return [*islice(named, MOST_PLACES), *islice(moved, MOST_PLACES)]


def _may_be_file(path: str) -> bool:
    """Tell of a word of a command whether it may mean a file, also one that is gone."""
    return "." in os.path.basename(path) or os.path.lexists(path)
