"""What the tutor does in a turn, one scene for each command. Called by `agent`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import PurePosixPath

from acp_tutor import lessons
from acp_tutor.agents_here import found
from acp_tutor.connection import RequestFailed
from acp_tutor.edit_scene import edit
from acp_tutor.prompt import Attachment, Prompt
from acp_tutor.reading import read_shown, target
from acp_tutor.session import OPTIONS, Session, TurnCancelled

TALK, POINT, DECIDE, REVIEW, TAKE_BACK, STOP = range(1, 7)
"""The lessons that wait for something; the last one does not."""


async def play(session: Session, prompt: Prompt) -> str:
    """Play the scene that the prompt asks for and return the stop reason."""
    session.turns += 1
    if session.turns == 1:
        session.update("session_info_update", title="First steps")
    if prompt.attachment is not None:
        session.last_path = prompt.attachment.path
    try:
        await _scene(prompt)(session, prompt)
    except TurnCancelled:
        return "cancelled"
    return "end_turn"


def _scene(prompt: Prompt) -> Callable[[Session, Prompt], Awaitable[None]]:
    if prompt.command is None:
        return talk
    return _SCENES.get(prompt.command, unknown)


async def teach(session: Session, number: int) -> None:
    """Go on with that lesson."""
    session.lesson = number
    agents = found() if number == len(lessons.LESSONS) else ()
    await session.explain(lessons.lesson(number, agents))


async def talk(session: Session, prompt: Prompt) -> None:
    """Introduce ourselves, or see what the user has done and go on with the next lesson."""
    shown = prompt.attachment if prompt.attachment and prompt.attachment.text else None
    if shown is not None:
        await session.say(_about(session, shown))
    if session.turns == 1 and session.mode == "quiet":
        await session.say(lessons.WELCOME_QUIET)
    elif session.lesson == 0:
        await session.explain(lessons.WELCOME)
        await teach(session, 1)
    elif session.lesson == POINT and shown is not None:
        await teach(session, POINT + 1)
    elif session.lesson == REVIEW:
        await session.say(lessons.REVIEWED[prompt.rejects, prompt.comments])
        await teach(session, REVIEW + 1)
    elif session.lesson == TAKE_BACK:
        is_back = await _holds(session, session.before_edit)
        await session.say(lessons.TAKEN_BACK if is_back else lessons.NOT_TAKEN_BACK)
        await teach(session, TAKE_BACK + 1)
    else:
        await session.explain(lessons.LESSONS[session.lesson - 1].again)


async def _holds(session: Session, text: str) -> bool:
    """Tell whether the file that was edited last has that text."""
    try:
        return await session.read_file(session.last_path or "") == text
    except RequestFailed:
        return False


def _about(session: Session, attachment: Attachment) -> str:
    path = PurePosixPath(attachment.path)
    name = path.relative_to(session.cwd) if path.is_relative_to(session.cwd) else path
    if attachment.first is None:
        where = f"You showed me `{name}`."
    elif attachment.first == attachment.last:
        where = f"You showed me `{name}`, line {attachment.first}."
    else:
        where = f"You showed me `{name}`, lines {attachment.first} to {attachment.last}."
    first = next(iter(attachment.text.splitlines()), "")
    if not first:
        return f"{where}\n"
    return f"{where} It begins:\n\n~~~{path.suffix[1:]}\n{first}\n~~~\n"


async def unknown(session: Session, prompt: Prompt) -> None:
    """Say which commands there are."""
    await session.say(lessons.UNKNOWN_COMMAND.format(prompt.command))


async def give_help(session: Session, _prompt: Prompt) -> None:
    """Say what the commands do."""
    await session.say(lessons.HELP)


async def read(session: Session, prompt: Prompt) -> None:
    """Read a file and say how long it is and how it begins."""
    if not session.abilities.read:
        await session.say(lessons.CANNOT_READ)
        return
    path = target(session, prompt)
    text = await read_shown(session, path)
    if text is None:
        return
    await session.say(_summary(PurePosixPath(path), text))
    if session.lesson == TALK:
        await session.explain(lessons.READ_AFTERWARDS)
        await teach(session, TALK + 1)


def _summary(path: PurePosixPath, text: str) -> str:
    lines = text.splitlines()
    size = "1 line" if len(lines) == 1 else f"{len(lines)} lines"
    heading = next((line.lstrip("# ") for line in lines if line.startswith("#")), "")
    if path.suffix == ".md" and heading:
        return f"`{path.name}` has {size}. Its first heading is **{heading}**.\n"
    return f"`{path.name}` has {size}.\n"


async def follow_plan(session: Session, _prompt: Prompt) -> None:
    """Show a plan and follow it; a lesson goes on also if it is stopped."""
    session.plan(lessons.PLAN, 0)
    await session.explain(lessons.PLAN_INTRODUCTION)
    try:
        for done in range(1, len(lessons.PLAN) + 1):
            await session.pause(words=120)
            session.plan(lessons.PLAN, done)
    except asyncio.CancelledError:
        session.plan((), 0)  # nobody follows it any more
        if session.lesson == STOP and session.mode == "guide":
            session.lesson = STOP + 1
            session.say_at_once(lessons.PLAN_STOPPED + lessons.lesson(STOP + 1, found()))
        raise
    await session.say(lessons.PLAN_DONE)
    if session.lesson == STOP:
        await teach(session, STOP + 1)


async def ask(session: Session, _prompt: Prompt) -> None:
    """Ask something that has no consequences."""
    await session.explain(lessons.ASK_INTRODUCTION)
    call = session.start_call(lessons.ASK_TITLE, "other")
    try:
        chosen = await session.ask(call)
    except RequestFailed as error:
        session.update_call(call, status="failed")
        await session.say(lessons.ASK_FAILED.format(error))
        return
    session.update_call(call, status="completed")
    names = {option["optionId"]: option["name"] for option in OPTIONS}
    await session.say(lessons.ASKED.format(names.get(chosen, chosen)))


async def change(session: Session, prompt: Prompt) -> None:
    """Change a file, and go on with the lesson that looks at it."""
    if await edit(session, prompt):
        await teach(session, REVIEW)
    elif session.lesson == DECIDE:
        await session.explain(lessons.LESSONS[DECIDE - 1].again)


_SCENES: dict[str, Callable[[Session, Prompt], Awaitable[None]]] = {
    "help": give_help,
    "read": read,
    "edit": change,
    "plan": follow_plan,
    "ask": ask,
}
