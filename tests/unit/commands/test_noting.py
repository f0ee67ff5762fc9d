"""What the prompt shows of the notes: found out once at a time, told when it has changed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import anyio
import pytest
from msgspec.structs import replace

from acp_nvim.client.session import Session
from acp_nvim.commands import attaching
from acp_nvim.commands.verbs import carry_out
from acp_nvim.editor import OpenFile
from acp_nvim.errors import UserError
from acp_nvim.files.knowledge import Knowledge
from acp_nvim.reactions.notes import refresh
from acp_nvim.review.comments import Comments
from acp_nvim.review.notes import PromptNotes
from acp_nvim.view.block import LineHighlight
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host
from acp_nvim.workspace.workspace import Workspace
from tests.support.fakes.fake_ports import FakeFiles
from tests.support.fakes.stores import kept_in
from tests.support.files.file_rig import FileRig

CHAT = 7
KEY = ("tutor", "session-1")


class CountingFiles(FakeFiles):
    """An editor that notes how often it was asked; `meanwhile` happens when it is."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0
        self.meanwhile: Callable[[], None] = lambda: None

    async def survey(self, roots: Sequence[str]) -> Sequence[OpenFile]:
        self.asked += 1
        self.meanwhile()
        return ()


class Drawn:
    """A review of which all is drawn."""

    async def settled(self) -> bool:
        return True


class Stand:
    """A host with one chat; what it starts runs when the test says so."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = CountingFiles()
        self.knowledge = Knowledge()
        store = kept_in(folder / "kept")
        comments = Comments(self.files, store.comments, lambda _: None)
        self.lessons = PromptNotes(
            self.files, self.knowledge, store.lessons, comments, lambda it: pytest.fail(str(it))
        )
        self.pushed: list[tuple[int, list[tuple[str, str, str]]]] = []
        self.tasks: list[tuple[Callable[..., Awaitable[None]], tuple[Any, ...]]] = []
        session = Session("tutor", str(folder), lambda *_: None)
        session.state = replace(session.state, id=KEY[1], status="idle")
        self.chat = Chat(CHAT, 8, session, lambda: 0.0)
        sync = FileRig(folder).sync
        parts = SimpleNamespace(
            workspace=Workspace(chats={CHAT: self.chat}),
            review=SimpleNamespace(notes=self.lessons, sync=sync, presenter=Drawn()),
            editor=SimpleNamespace(chats=SimpleNamespace(notes=self._push)),
            tasks=SimpleNamespace(start_soon=self._start_soon),
        )
        self.host = cast(Host, parts)

    def _push(self, chat: int, notes: Sequence[tuple[str, str, str]]) -> None:
        self.pushed.append((chat, list(notes)))

    def _start_soon(self, task: Callable[..., Awaitable[None]], *arguments: Any) -> None:
        self.tasks.append((task, arguments))

    def reject(self, name: str) -> None:
        """Let something of a file be rejected."""
        (self.folder / name).write_text("mine\n")
        self.lessons.rejected(KEY, str(self.folder / name), "theirs\n")

    def status(self, status: Any) -> None:
        self.chat.session.state = replace(self.chat.session.state, status=status)

    async def run(self) -> None:
        """Run what was started."""
        tasks, self.tasks = self.tasks, []
        async with anyio.create_task_group() as group:
            for task, arguments in tasks:
                group.start_soon(task, *arguments)

    async def refresh(self) -> None:
        attaching.notes(self.host, CHAT)
        await self.run()


@pytest.fixture
def stand(tmp_path: Path) -> Stand:
    return Stand(tmp_path.resolve())


async def test_labels_are_told_when_they_change(stand: Stand):
    await stand.refresh()
    assert stand.pushed == []
    stand.reject("a.py")
    await stand.refresh()
    await stand.refresh()
    assert stand.pushed == [(CHAT, [("rejected", "rejected: a.py", "+1 −1")])]
    stand.lessons.forget(KEY)
    await stand.refresh()
    assert stand.pushed[1:] == [(CHAT, [])]


async def test_what_is_asked_meanwhile_is_done_once_more(stand: Stand):
    stand.reject("a.py")
    for _ in range(3):
        refresh(stand.host, stand.chat)
    assert len(stand.tasks) == 1

    def again() -> None:
        stand.files.meanwhile = lambda: None
        refresh(stand.host, stand.chat)
        refresh(stand.host, stand.chat)

    stand.files.meanwhile = again
    await stand.run()
    assert stand.files.asked == 2
    assert stand.tasks == []
    await stand.refresh()
    assert stand.files.asked == 3


@pytest.mark.parametrize("status", ["running", "cancelling"])
async def test_while_a_turn_runs_nothing_is_shown_and_no_file_is_read(stand: Stand, status: str):
    stand.reject("a.py")
    await stand.refresh()
    asked = stand.files.asked
    stand.status(status)
    await stand.refresh()
    assert stand.pushed[-1] == (CHAT, [])
    assert stand.files.asked == asked
    stand.status("idle")
    await stand.refresh()
    assert stand.pushed[-1][1] != []


async def test_a_fault_does_not_stop_the_next_time(stand: Stand):
    stand.reject("a.py")

    def fault() -> None:
        raise ZeroDivisionError

    stand.files.meanwhile = fault
    with pytest.raises(ExceptionGroup):
        await stand.refresh()
    stand.files.meanwhile = lambda: None
    await stand.refresh()
    assert len(stand.pushed) == 1


async def test_dropping_forgets_at_once_and_only_that(stand: Stand):
    stand.reject("a.py")
    (stand.folder / "b.py").write_text("now\n")
    stand.knowledge.learn(KEY, str(stand.folder / "b.py"), "then\n", "read")
    await stand.refresh()
    attaching.drop_note(stand.host, stand.chat, "rejected")
    assert stand.pushed[-1] == (CHAT, [("changed", "changed: b.py", "+1 −1")])
    await stand.refresh()
    assert len(stand.pushed) == 2


async def test_the_text_of_one_note_or_of_all(stand: Stand):
    stand.reject("a.py")
    (stand.folder / "b.py").write_text("now\n")
    stand.knowledge.learn(KEY, str(stand.folder / "b.py"), "then\n", "read")
    await stand.refresh()

    def shown(key: str | None = None) -> str:
        (op,) = attaching.note_text(stand.host, stand.chat, key)["ops"]
        assert (op.first, op.last) == (0, -1)
        marks = [mark for line in op.lines for mark in line.marks]
        assert LineHighlight("AcpDiffDelete") in marks
        return "\n".join(line.text for line in op.lines)

    both = shown()
    assert "-theirs\n+mine\n\nThese files have changed" in both
    assert shown(key="rejected") + "\n\n" + shown(key="changed") == both


def test_a_chat_that_is_gone_has_no_notes(stand: Stand):
    carry_out(stand.host, "notes", {"chat": 99})
    assert stand.tasks == []
    with pytest.raises(UserError):
        carry_out(stand.host, "note_text", {"chat": 99})
    with pytest.raises(UserError):
        carry_out(stand.host, "drop_note", {"chat": 99, "key": "rejected"})
