"""`:Acp compare`: what several worktrees have made of the same files, and one hunk of one taken."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from itertools import count
from typing import Any

from msgspec.structs import replace

from acp_nvim.aside import aside
from acp_nvim.commands.worktrees.meant import NONE, OfWorktree, chats_in, meant, project
from acp_nvim.commands.worktrees.merging import author_of, prompt_of, unwanted
from acp_nvim.errors import RequestFailed, UserError
from acp_nvim.files.live import load
from acp_nvim.files.roots import resolved
from acp_nvim.review.merging import Foreign
from acp_nvim.session.request import (
    CreateTerminalRequest,
    ReleaseTerminalRequest,
    TerminalCreated,
    TerminalExited,
    WaitForTerminalRequest,
)
from acp_nvim.session.state import Ending, Entry
from acp_nvim.view.lists.versions import ComparedFile, Outcome, Racer, lines
from acp_nvim.view.measure import Tally, elapsed
from acp_nvim.view.op import Replace
from acp_nvim.view.place import relative
from acp_nvim.view.status import spent
from acp_nvim.view.visible import one_line, visible
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host
from acp_nvim.worktrees import comparing
from acp_nvim.worktrees.comparing import Version, Versions
from acp_nvim.worktrees.merging import Change, pending
from acp_nvim.worktrees.records import Check, Worktree

_NUMBERS = count(1)


async def compare(
    host: Host, names: tuple[str, ...], file: str, cwd: str, chat: int | None = None
) -> dict[str, Any]:
    """Find out what the worktrees of these names or titles hold, without any all of the project;
    answer the list of it."""
    at = OfWorktree("merge", file, cwd, chat=chat)
    home = project(host, at)
    if names:
        named = [await meant(host, replace(at, name=it), "") for it in names]
        found = [it for it in named if it is not None]
    else:
        found = [it for it in host.workspace.worktrees.of(home) if it.is_made]
    if not found:
        raise UserError(f"{NONE}; :Acp diff shows what was changed in your own files")
    await _offer_check(host, found)
    made = [comparing.version(it, await pending(it, merged=False)) for it in found]
    number, began = next(_NUMBERS), host.review.log.now()
    host.workspace.worktrees.compared[number] = shown = comparing.versions(made, began)
    host.workspace.folders.add(home)
    listed = await aside(partial(_listed, host, shown, home))
    return {"number": number, "files": len(shown.paths), "first": len(made) + 1, **listed}


def _listed(host: Host, shown: Versions, home: str) -> dict[str, Any]:
    racers = [_racer(host, it) for it in shown.versions]
    files = [
        ComparedFile(relative(path, home), sum(path in it.changes for it in shown.versions))
        for path in shown.paths
    ]
    return {"ops": [Replace(0, -1, lines(racers, files))]}


def _racer(host: Host, version: Version) -> Racer:
    counts = [comparing.count(it) for it in version.changes.values()]
    added, removed = (sum(it[side] for it in counts) for side in (0, 1))
    tally, name = Tally(len(counts), added, removed), version.worktree.name
    chat = next(iter(chats_in(host, version.worktree)), None)
    entries = _entries(host, version.worktree) if chat is None else chat.session.state.entries
    endings = [it for it in entries if isinstance(it, Ending)]
    time = elapsed(sum(it.seconds or 0.0 for it in endings)) if endings else ""
    last = endings[-1].how if endings else "no turn yet"
    if chat is None:
        return Racer(name, tally, "" if last == "done" else last, time)
    state = chat.session.state
    how = "running" if state.is_running else "" if last == "done" else last
    check, outcome = _checked(host, version.worktree, chat)
    return Racer(name, tally, how, time, spent(state.usage), check, outcome)


def _entries(host: Host, worktree: Worktree) -> Sequence[Entry]:
    """Return what was kept of the last session in a worktree that is not open."""
    head = next((it for it in host.store.heads() if it.cwd == worktree.folder), None)
    kept = None if head is None else host.store.read(head.agent, head.id)
    return () if kept is None else kept.entries


# --- the check


def _checked(host: Host, worktree: Worktree, chat: Chat) -> tuple[str, Outcome]:
    """Return what the row of a worktree says of its check."""
    check = host.workspace.worktrees.checks.get(worktree.folder)
    if check is None or check.turn != chat.session.state.turn or check.is_unwanted:
        return "", ""
    if check.is_running:
        return "◐", "runs"
    if check.code == 0:
        return "✓ 0", "done"
    return f"✗ {'signal' if check.code is None else check.code}", "failed"


def _to_check(host: Host, found: Sequence[Worktree]) -> list[Chat]:
    """Return the chats of those that were not checked since their last turn, which is over."""
    chats = [chats_in(host, it)[:1] for it in found]
    return [
        it
        for few in chats
        for it in few
        if it.client is not None and it.session.state.status == "idle" and it.session.state.turn
        if host.workspace.worktrees.checks.get(it.session.state.cwd, Check(-1)).turn
        != it.session.state.turn
    ]


async def _offer_check(host: Host, found: Sequence[Worktree]) -> None:
    """Ask once, after a turn, whether the check of the configuration is to be run."""
    command, chats = host.workspace.options.race.check, _to_check(host, found)
    if not command or not chats:
        return
    places = ", ".join(it.session.state.cwd for it in chats)
    title = f"Run `{command}` in {len(chats)} worktrees ({places})?"
    is_wanted = await host.agrees(title, "Yes, run it in a terminal in each")
    for it in chats:
        state = it.session.state
        check = Check(state.turn, is_running=is_wanted, is_unwanted=not is_wanted)
        host.workspace.worktrees.checks[state.cwd] = check


async def checked(host: Host, number: int) -> dict[str, Any] | None:
    """Run the checks that the user has agreed to; answer the list anew when they are over."""
    shown = _versions(host, number)
    found = [it.worktree for it in shown.versions]
    checks = host.workspace.worktrees.checks
    wanted = [it for it in found if it.folder in checks and checks[it.folder].is_running]
    chats = [it for each in wanted for it in chats_in(host, each)[:1]]
    if not chats:
        return None
    command = host.workspace.options.race.check or ""
    await comparing.together([partial(_run, host, it, command) for it in chats])
    return await aside(partial(_listed, host, shown, found[0].home))


async def _run(host: Host, chat: Chat, command: str) -> None:
    """Run the check in the worktree of a chat, in a terminal of its agent's."""
    state, turn = chat.session.state, chat.session.state.turn
    code: int | None = None
    try:
        code = await _exit_code(chat, command)
    except RequestFailed as error:
        host.editor.notifier.notice(f"`{command}` does not run: {error.message}", warning=True)
    finally:
        host.workspace.worktrees.checks[state.cwd] = Check(turn, code)


async def _exit_code(chat: Chat, command: str) -> int | None:
    session, cwd = chat.session.id or "", chat.session.state.cwd
    if chat.client is None:
        return None
    terminals, folder = chat.client.terminals, resolved(cwd)
    creating = CreateTerminalRequest(session, command, cwd=cwd)
    made = await terminals.answer(creating, folder, lambda _told: None)
    assert isinstance(made, TerminalCreated)
    waiting = WaitForTerminalRequest(session, made.terminal_id)
    ended = await terminals.answer(waiting, folder, lambda _told: None)
    releasing = ReleaseTerminalRequest(session, made.terminal_id)
    await terminals.answer(releasing, folder, lambda _told: None)
    return ended.exit.code if isinstance(ended, TerminalExited) else None


# --- one file


def _versions(host: Host, number: int) -> Versions:
    found: Versions | None = host.workspace.worktrees.compared.get(number)
    if found is None:
        raise UserError("this comparison is of a host that has ended: :Acp compare makes another")
    return found


async def file(host: Host, number: int, file: int) -> dict[str, Any]:
    """Answer a file of the user's by its place in the list, and what each worktree made of it."""
    shown = _versions(host, number)
    path = shown.paths[file]
    live = await load(host.editor.files, path)
    name = one_line(relative(path, shown.versions[0].worktree.home), 200)
    is_there = live.buffer is not None or live.mode is not None
    changed = [it for it in shown.versions if path in it.changes]
    columns = await aside(partial(_columns, changed, path))
    title = "yours" if is_there else "you have none"
    own = {"path": path if is_there else "", "file": path, "name": name, "title": title}
    return {**own, "columns": columns}


def _columns(changed: Sequence[Version], path: str) -> list[dict[str, Any]]:
    return [_column(it.worktree.name, it.changes[path]) for it in changed]


def _column(worktree: str, change: Change) -> dict[str, Any]:
    added, removed = comparing.count(change)
    how = "removed" if change.theirs is None else Tally(1, added, removed).lines
    return {
        "name": worktree,
        "title": f"{worktree} {how}",
        "lines": [visible(it) for it in comparing.lines(change)],
        "line": comparing.first_line(change),
    }


async def take(host: Host, number: int, file: int, name: str, line: int) -> str:
    """Bring the hunk at that line of a worktree's version into the user's file, under review."""
    shown = _versions(host, number)
    path = shown.paths[file]
    version = next(it for it in shown.versions if it.worktree.name == name)
    change, own = version.changes[path], os.path.basename(path)
    theirs = None if change.theirs is None else comparing.only(change, line - 1)
    if theirs is None and change.theirs is not None:
        raise UserError(f"{name} has changed nothing at this line: ]c goes to a change")
    if await unwanted(host, version.worktree, [path]) != frozenset():
        return f"{own} stays as it is"
    author = author_of(host, version.worktree, shown.began)
    author = replace(author, prompt=prompt_of(host, change) or author.prompt)
    async with host.review.decisions.acts:
        await host.review.restore()
        foreign = Foreign(path, change.base, theirs, author, change.mode)
        brought = await host.review.decisions.merging.bring(foreign)
    host.review.presenter.show(everything=True)
    await host.review.presenter.settled()
    if brought.is_conflict:
        return f"you have also changed this place of {own}: :Acp review there shows both"
    if not brought.is_new:
        return f"{own} has this already"
    return f"taken from {name}: :Acp keep keeps it, :Acp undo undoes it"


def closed(host: Host, number: int) -> None:
    """Forget a comparison."""
    host.workspace.worktrees.compared.pop(number, None)
