"""What came of a worktree into the user's tree: as hunks under review, or as commits by git."""

from __future__ import annotations

import os
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.commands.reviewing import in_order
from acp_nvim.commands.worktrees.meant import OfWorktree, chats_in, meant, titled
from acp_nvim.editor import Choice
from acp_nvim.errors import UserError
from acp_nvim.files.guard import meant as meant_by_guard
from acp_nvim.history.author import MERGED, Author
from acp_nvim.reactions.files import catch_up
from acp_nvim.review.merging import Foreign
from acp_nvim.session.event import Noticed
from acp_nvim.view.measure import Tally
from acp_nvim.view.place import relative
from acp_nvim.view.visible import one_line
from acp_nvim.workspace.authors import SHOWN, Authors
from acp_nvim.workspace.host import Host
from acp_nvim.worktrees.git_merge import incoming, merge_branch
from acp_nvim.worktrees.merging import Change, Pending, pending, took
from acp_nvim.worktrees.records import Worktree


class _Outcome(Struct):
    """What became of the files of a merge: names, and what could not be done in sentences."""

    done: list[str]
    conflicts: list[str]
    failed: list[str]


async def merge(host: Host, payload: OfWorktree) -> None:
    """Bring what is new in a worktree into the user's files, under review."""
    found = await meant(host, payload, "Merge a worktree")
    if found is None:
        return
    waits = await _pending(found)
    if not any(of.changes or of.left for of in waits):
        raise UserError(f"nothing is new in {found.name} since it was made, or merged last")
    without = await unwanted(host, found, [it.path for of in waits for it in of.changes])
    if without is None:
        return
    host.workspace.folders.add(found.home)
    author = author_of(host, found, host.review.log.now())
    outcome = await _bring(host, found, waits, author, without)
    board = host.review.presenter
    board.show(everything=True)
    await board.settled()
    _tell(host, found, author, outcome)


async def _pending(found: Worktree) -> tuple[Pending, ...]:
    if not found.is_made:
        raise UserError(f"{found.name} is not whole: :Acp worktree remove {found.name}")
    return await pending(found)


async def unwanted(
    host: Host, found: Worktree, paths: Sequence[str], no: str = "No, leave that out"
) -> frozenset[str] | None:
    """Ask about files that the user's own tools obey; return those to leave out, None: stop."""
    guarded = await meant_by_guard(paths, tuple(host.workspace.options.fs.guard), found.home)
    if not guarded:
        return frozenset()
    choices = [
        Choice(no, frozenset(guarded)),
        Choice("Yes, merge it as well", frozenset()),
    ]
    names = ", ".join(one_line(relative(it, found.home), 60) for it in guarded)
    title = f"{found.name} has changed what your tools obey: {names}. Merge it as well?"
    answer: frozenset[str] | None = await host.editor.chooser.choose(title, "acp.confirm", choices)
    return answer


def author_of(host: Host, found: Worktree, at: float) -> Author:
    """Return the turn as which a merge counts: the session's last one, merged at that time."""
    chat = next(iter(chats_in(host, found)), None)
    last = None if chat is None else Authors(host.workspace).last(chat.session.state)
    if last is None:
        head = next((it for it in host.store.heads() if it.cwd == found.folder), None)
        kept = None if head is None else host.store.read(head.agent, head.id)
        turn = 0 if kept is None or not kept.entries else kept.entries[-1].turn
        session = f"worktree {found.name}" if head is None else head.id
        last = Author(found.agent, session, turn, 0.0)
    began, title = round(at, 3), f"{MERGED}{found.branch}"
    return replace(last, began=began, tool_call="", title=title, how="named")


@in_order
async def _bring(
    host: Host,
    found: Worktree,
    waits: Sequence[Pending],
    author: Author,
    without: frozenset[str],
) -> _Outcome:
    await catch_up(host)
    outcome = _Outcome([], [], [])
    for of in waits:
        brought: set[str] = set()
        for change in of.changes:
            if change.path in without or not await _one(host, change, author, outcome):
                continue
            brought.add(change.entry.name)
        await took(found, of, brought)
        outcome.failed += (f"{it.source} {it.reason}" for it in of.left)
    return outcome


async def _one(host: Host, change: Change, author: Author, outcome: _Outcome) -> bool:
    """Bring in one file; return whether that is done."""
    decisions, name = host.review.decisions, os.path.basename(change.path)
    author = replace(author, prompt=prompt_of(host, change) or author.prompt)
    foreign = Foreign(change.path, change.base, change.theirs, author, change.mode)
    try:
        brought = await decisions.merging.bring(foreign)
        await decisions.keep(change.source)  # it is decided upon in the user's own file
    except UserError as error:
        outcome.failed.append(str(error))
        return False
    if brought.is_conflict:
        outcome.conflicts.append(name)
    if brought.is_new:
        outcome.done.append(change.path)
    return True


def prompt_of(host: Host, change: Change) -> str:
    """Return the prompt of the last turn that has changed the file in the worktree."""
    file = host.review.log.file(change.source)
    changes = () if file is None else file.changes
    return changes[-1].author.prompt[:SHOWN] if changes else ""


def _tell(host: Host, found: Worktree, author: Author, outcome: _Outcome) -> None:
    log, done = host.review.log, outcome.done
    counts = [it for path in done for it in log.counts(path, author)]
    tally = Tally(len(done), sum(it[0] for it in counts), sum(it[1] for it in counts))
    said = [f"merged {found.name}: {tally.text} to review: :Acp review" if done else ""]
    if outcome.conflicts:
        names = ", ".join(outcome.conflicts)
        said.append(f"you have changed the same places of {names}: :Acp review there shows both")
    said += outcome.failed
    said = [one_line(it, 300) for it in said if it]
    text = "; ".join(said) or f"{found.name} has no changes that you do not have"
    host.editor.notifier.notice(text, warning=bool(outcome.failed or outcome.conflicts))
    for chat in chats_in(host, found)[:1]:
        chat.session.apply(Noticed(text))


# --- by git


async def commit(host: Host, payload: OfWorktree) -> None:
    """Commit what a worktree holds, and let git merge its branch into the user's."""
    found = await meant(host, payload, "Merge a worktree by git")
    if found is None:
        return
    waits = await _pending(found)
    for session in host.workspace.sessions():
        if session.state.is_running and host.workspace.roots(session).has(f"{found.home}/."):
            who = session.state.agent
            raise UserError(f"a turn of {who} runs in {found.home}: :Acp cancel ends it")
    names = await incoming(found, waits)
    if await unwanted(host, found, names, "No, merge nothing") != frozenset():
        raise UserError("nothing is merged: :Acp worktree merge can leave files out")
    opened = await host.editor.files.survey([found.home])
    unsaved = [it.path for it in opened if it.modified]
    async with host.review.sync.exclusive():
        title = titled(host, found) or found.name
        said = await merge_branch(found, waits, title, unsaved, names)
        for path in said.paths:
            await host.review.sync.sync(path)
    host.editor.notifier.notice(f"merged {found.branch}: {said.text}")
