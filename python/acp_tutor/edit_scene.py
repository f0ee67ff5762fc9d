"""The scene in which a file is changed: plan, read, ask, write, and all that can go wrong.

Called by `scenes`.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from acp_tutor import lessons
from acp_tutor.connection import RequestFailed
from acp_tutor.edits import Change, change_of
from acp_tutor.prompt import Prompt
from acp_tutor.reading import read_shown, target
from acp_tutor.session import Session


async def edit(session: Session, prompt: Prompt) -> bool:
    """Make a small change to a file, if the user agrees; return whether it was made."""
    if not (session.abilities.read and session.abilities.write):
        await session.say(lessons.CANNOT_WRITE)
        return False
    path = target(session, prompt)
    steps = tuple(step.format(PurePosixPath(path).name) for step in lessons.EDIT_STEPS)
    await session.think(lessons.EDIT_THOUGHT)
    session.plan(steps, 0)
    change = await _prepared(session, path)
    is_made = change is not None and await _made(session, path, change, steps)
    session.plan(steps if is_made else (), len(steps) if is_made else 0)
    return is_made


async def _prepared(session: Session, path: str) -> Change | None:
    text = await read_shown(session, path)
    if text is None:
        return None
    change = change_of(path, text)
    if change is None:
        await session.say(lessons.EDIT_IMPOSSIBLE.format(PurePosixPath(path).name))
    return change


async def _made(session: Session, path: str, change: Change, steps: tuple[str, ...]) -> bool:
    name = PurePosixPath(path).name
    await session.explain(lessons.EDIT_INTRODUCTION.format(change.what, change.line))
    title = f"Edit {name}: {change.what}"
    call = session.start_call(title, "edit", **_shown(path, change))
    session.plan(steps, 1)
    if not await _permitted(session, call, title=title, kind="edit", **_shown(path, change)):
        session.update_call(call, status="failed")
        return False
    session.plan(steps, 2)
    session.update_call(call, status="in_progress")
    written = await _written(session, path, change, call)
    session.update_call(call, status="failed" if written is None else "completed")
    if written is None:
        return False
    await session.say(lessons.EDIT_DONE.format(name, written.line))
    session.before_edit = written.old
    return True


def _shown(path: str, change: Change) -> dict[str, Any]:
    diff = {"type": "diff", "path": path, "oldText": change.old, "newText": change.new}
    return {"content": [diff], "locations": [{"path": path, "line": change.line}]}


async def _permitted(session: Session, call: str, **shown: Any) -> bool:
    if session.standing is None:
        return await _asked(session, call, **shown)
    yes = session.standing
    await session.say(lessons.EDIT_STANDING_YES if yes else lessons.EDIT_REJECTED_ALWAYS)
    return yes


async def _asked(session: Session, call: str, **shown: Any) -> bool:
    try:
        chosen = await session.ask(call, **shown)
    except RequestFailed as error:
        await session.say(lessons.ASK_FAILED.format(error))
        return False
    yes = chosen.startswith("allow")
    if chosen.endswith("always"):
        session.standing = yes
    if not yes:
        await session.say(lessons.EDIT_REJECTED)
    return yes


async def _written(session: Session, path: str, change: Change, call: str) -> Change | None:
    """Return the change as it was written; tries again once, on what the file holds by then."""
    try:
        await session.write_file(path, change.new)
    except RequestFailed as error:
        await session.say(lessons.EDIT_RETRY.format(error))
    else:
        return change
    again = await _prepared(session, path)
    if again is None:
        return None
    session.update_call(call, **_shown(path, again))
    try:
        await session.write_file(path, again.new)
    except RequestFailed as error:
        await session.say(lessons.EDIT_FAILED.format(error))
        return None
    return again
