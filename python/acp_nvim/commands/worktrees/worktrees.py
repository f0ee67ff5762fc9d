"""Worktrees by the user's commands: make one with a session in it, remove one."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Collection, Iterable, Sequence

from acp_nvim.commands.agent import begin
from acp_nvim.commands.sessions.deeds import DEEDS
from acp_nvim.commands.worktrees import merging
from acp_nvim.commands.worktrees.meant import OfWorktree, chats_in, meant, project
from acp_nvim.errors import UserError
from acp_nvim.reactions import clients
from acp_nvim.view.lists.sessions import Row
from acp_nvim.view.place import relative
from acp_nvim.view.styled import plural
from acp_nvim.view.visible import one_line
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host
from acp_nvim.workspace.root import is_too_wide
from acp_nvim.worktrees import copying, losses, making
from acp_nvim.worktrees.merging import pending
from acp_nvim.worktrees.records import Worktree
from acp_nvim.worktrees.repository import repository


def worktree(host: Host, payload: OfWorktree) -> Awaitable[None]:
    """Do with a worktree what the user wants."""
    does = {"new": _new, "merge": merging.merge, "commit": merging.commit, "remove": _remove}
    return does[payload.action](host, payload)


async def _new(host: Host, payload: OfWorktree) -> None:
    """Make a worktree, once the user agrees, and open a session in it."""
    home = project(host, payload)
    await _offer_half(host, home)
    (planned,) = await plan(host, home, [payload.agent])
    title = f"Make a worktree for {planned.agent}: {planned.folder}, branch {planned.branch}"
    title += f"? It begins with what {await begun_with(host, home)}"
    if await host.agrees(title, "Yes, make it"):
        await make(host, planned)
        await begin(host, await opened(host, planned))


async def plan(host: Host, home: str, agents: Sequence[str]) -> tuple[Worktree, ...]:
    """Return the worktrees that would be made for these agents. Raises `UserError`."""
    records = host.workspace.worktrees
    if is_too_wide(home) or not home.isprintable():
        raise UserError(f"{home} is not a project of which a worktree is made: :cd to one")
    for agent in agents:
        if host.workspace.launch(agent, home).remote is not None:
            raise UserError(f"{agent} runs elsewhere: it does not see a worktree on this machine")
    return await making.planned(records, home, agents)


async def begun_with(host: Host, home: str) -> str:
    """Say what is in a worktree at first, and what git does not track that is copied into it."""
    names = host.workspace.options.worktree.copied
    found = await copying.named(await repository(home), names) if names else ()
    texts = [it.text for it in found if it.files]
    copied = f"; copied with it: {listed(texts)}" if texts else ""
    return f"{home} has on the disk{copied}; what is not saved stays here"


async def make(host: Host, planned: Worktree) -> None:
    """Make it, and say what is not in it."""
    copied = host.workspace.options.worktree.copied
    said = await making.make(host.workspace.worktrees, planned, copied)
    if said:
        first = "; ".join(one_line(it, 100) for it in said[:3])
        told = f"not in the worktree {planned.name} as in the project: {first}"
        more = f" and {len(said) - 3} more" if len(said) > 3 else ""
        host.editor.notifier.notice(told + more, warning=True)


async def opened(host: Host, made: Worktree) -> Chat:
    """Return a new chat in a worktree; nothing is asked of its agent yet."""
    buffers = await host.editor.chats.open(made.agent)
    if buffers is None:
        raise UserError(f"no chat could be opened: :Acp worktree remove {made.name} removes it")
    session = clients.new_session(host, made.agent, made.folder)
    chat = Chat(*buffers, session, host.clock)
    host.add(chat)
    return chat


async def _offer_half(host: Host, home: str) -> None:
    """Offer to remove what a kill has left half made, or half removed."""
    for it in host.workspace.worktrees.of(home):
        if not it.is_made:
            title = f"The worktree {it.name} is not whole (Neovim has ended meanwhile): remove it?"
            if await host.agrees(title, f"Yes, remove {it.folder}"):
                await making.remove(host.workspace.worktrees, it)


# --- removing


async def _remove(host: Host, payload: OfWorktree) -> None:
    """Remove a worktree; ask first where something would be lost with it."""
    found = await meant(host, payload, "Remove a worktree")
    if found is None:
        return
    chats = chats_in(host, found)
    if any(it.session.state.is_running for it in chats):
        raise UserError(f"a turn runs in {found.name}: :Acp cancel ends it, then remove it")
    stashed = await losses.stashes(found) if found.is_made else {}
    lost = await _lost(host, found, stashed.values()) if found.is_made else []
    if lost:
        title = f"Remove the worktree {found.name}? Lost with it: {'; '.join(lost)}"
        if not await host.agrees(title, f"Yes, remove {found.folder}"):
            return
    for chat in chats:
        state = chat.session.state
        row = Row("open", state.agent, state.id or "", state.cwd, chat=chat.number)
        await DEEDS["close"](host, row, state.cwd)
    async with host.review.decisions.acts:
        await losses.drop(found, [*stashed])
        await making.remove(host.workspace.worktrees, found)
    host.review.log.forget_below(found.folder)
    host.touch_lists()
    host.editor.notifier.notice(f"worktree {found.name} removed, with its branch {found.branch}")


async def _lost(host: Host, found: Worktree, stashed: Collection[str]) -> list[str]:
    """Return what would be lost, in sentences."""
    try:
        waits = await pending(found)
        commits = await losses.own_commits(found)
        ignored = await losses.ignored(found)
    except UserError as error:
        return [f"what it holds, which git does not tell ({error})"]
    names = [it.entry.name for of in waits for it in of.changes]
    names += [relative(it.source, found.folder) for of in waits for it in of.left]
    ids = {it.session.id for it in chats_in(host, found)}
    terminals = [it for client in host.workspace.clients for it in client.terminals]
    running = [it.command for it in terminals if it.exit is None and it.session_id in ids]
    opened = await host.editor.files.survey([found.folder])
    unsaved = [os.path.basename(it.path) for it in opened if it.modified]
    lost = (
        (len(names), f"changes of {plural(len(names), 'file')} not merged ({listed(names)})"),
        (commits, f"{plural(commits, 'commit')} on no other branch"),
        (len(stashed), f"{listed(stashed)} in git stash"),
        (
            ignored.count,
            f"{plural(ignored.count, 'file')} that git ignores ({listed(ignored.names)})",
        ),
        (len(unsaved), f"unsaved text in {listed(unsaved)}"),
        (len(running), f"{plural(len(running), 'running terminal')} ({listed(running)})"),
    )
    return [text for count, text in lost if count]


def listed(names: Iterable[str]) -> str:
    """Return the first names, and how many there are more."""
    every = [one_line(it, 40) for it in names]
    more = f" and {len(every) - 3} more" if len(every) > 3 else ""
    return ", ".join(every[:3]) + more
