"""What the tutor does in a turn, one scene for each command. Called by `agent`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import PurePosixPath

from acp_tutor import lessons
from acp_tutor.connection import RequestFailed
from acp_tutor.edit_scene import edit
from acp_tutor.prompt import Attachment, Prompt
from acp_tutor.reading import read_shown, target
from acp_tutor.session import OPTIONS, Session, TurnCancelled


async def play(session: Session, prompt: Prompt) -> str:
    """Play the scene that the prompt asks for and return the stop reason."""
    session.turns += 1
    session.count(prompt.text)
    if session.turns == 1:
        session.update("session_info_update", title="First steps")
    if prompt.attachment is not None:
        session.count(prompt.attachment.text)
        session.last_path = prompt.attachment.path
    try:
        await _scene(prompt)(session, prompt)
    except TurnCancelled:
        return "cancelled"
    session.report_usage()
    return "end_turn"


def _scene(prompt: Prompt) -> Callable[[Session, Prompt], Awaitable[None]]:
    if prompt.command is None:
        return talk
    return _SCENES.get(prompt.command, unknown)


async def talk(session: Session, prompt: Prompt) -> None:
    """Introduce ourselves, or talk about what came with the prompt."""
    await session.think("No model here, only a few lessons. The first that fits will do.")
    if prompt.attachment is not None:
        await session.say(_about(session, prompt.attachment))
    if not session.is_reviewed:
        session.is_reviewed = True
        said = lessons.REVIEWED[prompt.rejects, prompt.comments]
        await session.explain(said + lessons.TAKE_BACK)
    elif session.turns > 1:
        await session.explain(lessons.AGAIN)
    elif session.mode == "quiet":
        await session.say(lessons.WELCOME_QUIET)
    else:
        await session.say(lessons.WELCOME)


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
    return f"{where} It begins:\n\n~~~{path.suffix[1:]}\n{first}\n~~~\n\n`/edit` would change it.\n"


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
    await session.explain(lessons.READ_AFTERWARDS)


def _summary(path: PurePosixPath, text: str) -> str:
    lines = text.splitlines()
    size = "1 line" if len(lines) == 1 else f"{len(lines)} lines"
    heading = next((line.lstrip("# ") for line in lines if line.startswith("#")), "")
    if path.suffix == ".md" and heading:
        return f"`{path.name}` has {size}. Its first heading is **{heading}**.\n"
    return f"`{path.name}` has {size}.\n"


async def follow_plan(session: Session, _prompt: Prompt) -> None:
    """Show a plan and follow it."""
    session.plan(lessons.PLAN, 0)
    await session.explain(lessons.PLAN_INTRODUCTION)
    for done in range(1, len(lessons.PLAN) + 1):
        await session.pause(words=40)
        session.plan(lessons.PLAN, done)
    await session.say(lessons.PLAN_DONE)


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


_SCENES: dict[str, Callable[[Session, Prompt], Awaitable[None]]] = {
    "help": give_help,
    "read": read,
    "edit": edit,
    "plan": follow_plan,
    "ask": ask,
}
