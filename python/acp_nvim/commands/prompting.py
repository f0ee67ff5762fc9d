"""Prompts and turns: send, steer, cancel; and the prompts that wait in a session."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from acp_nvim.commands.reviewing import waiting
from acp_nvim.errors import UserError
from acp_nvim.files import git
from acp_nvim.prompt.library import expanded, known
from acp_nvim.prompt.mentions import Held, named
from acp_nvim.session.action import ArrangeQueue, Refused, SubmitPrompt
from acp_nvim.session.content import (
    Audio,
    Content,
    Image,
    Resource,
    ResourceLink,
    Text,
)
from acp_nvim.session.context import file_uri
from acp_nvim.session.event import PromptQueued
from acp_nvim.session.mention import find_mentions
from acp_nvim.session.model import Prompt, Selection
from acp_nvim.session.state import Message
from acp_nvim.view.review.note import is_note
from acp_nvim.view.snapshot import prompt_text as queued_text
from acp_nvim.view.styled import plural
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host
from acp_nvim.workspace.waiting import words_of


class Cursor(Struct, frozen=True):
    """A file, and the line in it that the user is at."""

    path: str
    line: int

    def link(self) -> ResourceLink:
        """Return what names it. Some agents take a fragment of an address for a part of the file's
        name: the line is in the link's."""
        return ResourceLink(file_uri(self.path), f"{os.path.basename(self.path)}:{self.line}")


def prompt(
    host: Host,
    chat: Chat,
    text: str,
    selections: tuple[Selection, ...],
    bang: bool,
    blocks: tuple[Mapping[str, Any], ...] = (),
    images: tuple[int, ...] = (),
    spoken: tuple[str, ...] = (),
    file: Cursor | None = None,
) -> int:
    """Send a prompt, or queue it while a turn runs; `bang` cancels the turn first.

    `blocks` are content blocks as a script gives them, `images` numbers of what was attached,
    `spoken` names in mentions that the selections stand for, and `file` the one that the user is
    in. Answer the number of its turn, if nothing overtakes it in the queue.
    """
    of_agent = {command.name for command in chat.session.state.commands}
    prompts = known(host.workspace.options.prompts, of_agent)
    whole = expanded(text, prompts)
    said = (Text(whole, text if whole != text else ""),) if whole else ()
    here = (file.link(),) if file else ()
    content = (*said, *here, *map(_block, blocks), *chat.images.get(images))
    told = frozenset(spoken)
    mentions = tuple(it for it in find_mentions(whole) if told.isdisjoint(it.names))
    submit(host, chat, Prompt(content, selections, mentions=mentions), interrupt=bang)
    chat.images.drop(*images)
    state = chat.session.state
    return state.turn + len(state.queue)


async def edit(host: Host, chat: Chat, path: str, selection: Selection, text: str) -> str:
    """Have the agent edit lines of a file; once its turn is over, show what has changed there, and
    answer what came of it. Raises `UserError` if nothing did."""
    first, last, agent = selection.first, selection.last, chat.session.state.agent
    lines = f"line {first}" if first == last else f"lines {first}-{last}"
    place = {"type": "text", "text": f"Edit {lines} of {path} in place."}
    turn = prompt(host, chat, text, (selection,), False, (place,))
    end = await chat.session.end_of(turn)
    if end is None:
        raise UserError(f"{agent} has ended before the edit was made: :Acp chat shows more")
    if end.error:
        raise UserError(f"the edit has failed: {end.error}: :Acp chat shows more")
    if end.stop_reason in (None, "cancelled"):
        raise UserError("the edit was cancelled: :Acp chat shows more")
    name, count = os.path.basename(path), await waiting(host, chat, turn, path)
    if count:
        return f"{agent}: {plural(count, 'hunk')} in {name}: :Acp keep, :Acp reject, u"
    return f"{agent} has changed nothing in {name}: :Acp chat"


def submit(host: Host, chat: Chat, wanted: Prompt, *, interrupt: bool = False) -> None:
    """Send a prompt, or queue it; raises `UserError`."""
    if chat.client is not None:
        chat.client.submit(chat.session, wanted, interrupt=interrupt)
        return
    decision = chat.session.decide(SubmitPrompt(wanted, host.clock(), interrupt))
    if isinstance(decision, Refused):
        raise UserError(decision.reason)


async def steer(host: Host, chat: Chat, text: str) -> None:
    """Put text into the running turn; where the agent takes none, it is the next prompt."""
    text = text.strip()
    if not text:
        raise UserError("say what: :Acp steer {text}")
    takes = chat.session.state.is_running and not chat.session.state.parent
    if takes and chat.client is not None and await chat.client.steer(chat.session, text):
        host.editor.notifier.notice(f"{chat.session.state.agent} has got it")
        return
    wanted = Prompt((Text(text),), mentions=find_mentions(text))
    if not takes or not chat.session.state.is_running:
        submit(host, chat, wanted)
        return
    chat.session.apply(PromptQueued(wanted, first=True))
    said = "cannot be steered: your words are queued as the next prompt"
    host.editor.notifier.notice(f"{chat.session.state.agent} {said}")


def cancel(host: Host, chat: Chat) -> Awaitable[None] | None:
    """Cancel the running turn; an agent that is still starting is ended."""
    if chat.client is None:
        raise UserError("nothing is running")
    if chat.client.state == "starting":
        return chat.client.end(kill=True)
    if chat.session.state.status == "cancelling":
        raise UserError(f"still cancelling: :Acp stop! {chat.client.name} ends the agent by force")
    chat.client.cancel(chat.session)
    return None


def sent(host: Host, chat: Chat) -> list[str]:
    """Answer the texts of the prompts of a session, oldest first, a repeated one once."""
    texts = [
        text
        for entry in chat.session.state.entries
        if isinstance(entry, Message) and entry.role == "user" and (text := prompt_text(entry))
    ]
    return [text for at, text in enumerate(texts) if at == 0 or texts[at - 1] != text]


def prompt_text(message: Message) -> str:
    """Return what the user has written of a prompt: not what went along with it as text."""
    texts = [it.typed or it.text for it in message.content if isinstance(it, Text)]
    written = [*texts[:1], *(it for it in texts[1:] if not _is_attached(it))]
    said = ""
    for part in (it for it in written if not is_note(it)):
        is_apart = not said or said[-1].isspace() or part[:1].isspace()
        said += part if is_apart else f" {part}"
    return said.strip()


def _is_attached(text: str) -> bool:
    """Tell whether it stands for a resource, image or sound that the agent does not take."""
    return text.startswith("```") or text.endswith(("takes no images]", "takes no audio]"))


def last_answer(host: Host, chat: Chat) -> str:
    """Answer what the agent has said since the last prompt, thoughts left out; "" for nothing."""
    texts: list[str] = []
    for entry in reversed(chat.session.state.entries):
        if isinstance(entry, Message) and entry.role == "user" and texts:
            break
        if isinstance(entry, Message) and entry.role == "agent":
            texts.insert(0, "".join(it.text for it in entry.content if isinstance(it, Text)))
    return "\n\n".join(text.strip("\n") for text in texts)


async def files(host: Host, chat: Chat) -> dict[str, Any]:
    """Answer the folders of a chat, and what is in them that completion may offer after `@`.

    Files come first, then their folders, which end in "/". What is in the first folder is relative
    to it, the others absolute.
    """
    root = chat.session.state.cwd
    more = host.workspace.options.additional_directories
    names = await git.files(root)
    for folder in more:
        names += [os.path.join(folder, name) for name in await git.files(folder)]
    names = names[: git.MOST_NAMES]
    return {"roots": [root, *more], "names": names + _folders(names)}


def mentions(
    host: Host,
    chat: Chat,
    lines: tuple[str, ...],
    buffers: tuple[str, ...] = (),
    open: tuple[str, ...] = (),
) -> list[list[dict[str, Any]]]:
    """Answer of each line of a prompt what its mentions name.

    `open`: paths of the files that are; `buffers`: the names of what is no file.
    """
    roots, held = host.workspace.roots(chat.session), Held(set(open), set(buffers))
    return [[asdict(it) for it in named(line, roots, held)] for line in lines]


def _folders(names: Sequence[str]) -> list[str]:
    found = {os.path.dirname(name) for name in names}
    while parents := {os.path.dirname(folder) for folder in found} - found:
        found |= parents
    return sorted(f"{folder}/" for folder in found - {"", "/"})


def _block(plain: Mapping[str, Any]) -> Content:
    """Return the content of a block of `require('acp').prompt(blocks)`; raises `UserError`."""
    try:
        match plain["type"]:
            case "text":
                return Text(plain["text"])
            case "image":
                return Image(plain["data"], plain["mimeType"], plain.get("uri"))
            case "audio":
                return Audio(plain["data"], plain["mimeType"])
            case "resource_link":
                return ResourceLink(plain["uri"], plain["name"], plain.get("mimeType"))
            case "resource":
                inner = plain["resource"]
                return Resource(
                    inner["uri"], inner.get("text"), inner.get("blob"), inner.get("mimeType")
                )
    except (KeyError, TypeError) as error:
        raise UserError(f"a content block lacks {error}: see :help acp-lua-prompt") from error
    raise UserError(f"a content block cannot be a {plain['type']!r}: see :help acp-lua-prompt")


def queue(host: Host, chat: Chat) -> dict[str, Any]:
    """Answer what waits, the next one first: its lines, their numbers, and how many they are."""
    prompts = chat.session.state.queue
    count = "prompt waits" if len(prompts) == 1 else "prompts wait"
    return {
        "lines": [f"{place}  {words_of(prompt)}" for place, prompt in enumerate(prompts, 1)],
        "numbers": [chat.waiting.number(prompt) for prompt in prompts],
        "title": f"{len(prompts)} {count}" if prompts else "no prompt waits",
    }


def arrange(
    host: Host,
    chat: Chat,
    shown: tuple[int, ...],
    lines: tuple[str, ...],
    taken: int | None = None,
) -> dict[str, Any]:
    """Put what waits into the order of the user's lines, of which these numbers were `shown`.

    Answer what waits now, and the text of the line that is `taken` back, from 1. What has come
    since stays behind it; what was sent meanwhile stays sent. Raises `UserError`, and changes
    nothing, if that is what was to be taken back.
    """
    waits, text = chat.session.state.queue, ""
    numbers = chat.waiting.meant(waits, shown, lines)
    if taken is not None:
        number = numbers.pop(taken - 1)
        back = next((it for it in waits if chat.waiting.number(it) == number), None)
        if back is None:
            raise UserError("this prompt does not wait any more: it was sent, or taken back")
        text = queued_text(back)
    order = [number for number in numbers if number is not None]
    prompts = chat.waiting.arranged(waits, shown, order)
    if prompts != tuple(waits):
        chat.session.act(ArrangeQueue(prompts))
    return queue(host, chat) | {"taken": text}
