from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from acp_nvim.editor import LiveBuffer
from acp_nvim.errors import EditorError
from acp_nvim.files.attribution import MOST_NAMED
from acp_nvim.files.baselines.baselines import Baselines, DiskChange
from acp_nvim.files.disk import stamp
from acp_nvim.files.event import Unrecoverable
from acp_nvim.files.knowledge import NOTHING
from acp_nvim.files.sync import MOST_READS
from acp_nvim.history.author import Author
from acp_nvim.history.conflict import Conflict
from tests.support.files.file_rig import AGENT, FileRig


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[FileRig]:
    rig = FileRig(tmp_path.resolve())
    yield rig
    assert not rig.faults


async def test_a_sweep_finds_every_change_below_the_roots(rig: FileRig) -> None:
    changed, gone = rig.file("1\n"), rig.file("2\n", "b")
    opened = rig.file("3\n", "c")
    rig.files.open(opened)
    await rig.begin()
    changed.write_text("one\n")
    gone.unlink()
    rig.file("3\nthree\n", "c")
    rig.file("4\n", "d")
    rig.sync.sweep(AGENT, rig.roots)
    await rig.passed()
    assert sorted(rig.named) == [
        ("a", "1\n", "one\n"),
        ("b", "2\n", None),
        ("c", "3\n", "3\nthree\n"),
        ("d", None, "4\n"),
    ]
    assert rig.files.lines(opened) == ["3", "three"]
    rig.sync.sweep(AGENT, rig.roots)
    await rig.passed()
    assert len(rig.named) == 4


async def test_open_files_are_followed_before_the_rest_of_a_tree(rig: FileRig) -> None:
    names = [f"{number:02}" for number in range(30)]
    for name in names:
        rig.file("1\n", name)
    rig.files.open(rig.folder / names[-1])
    await rig.begin()
    for name in names:
        rig.file("2\n", name)
    rig.sync.sweep(AGENT, rig.roots)
    await rig.passed()
    assert [it[0] for it in rig.named] == [names[-1], *names[:-1]]


async def test_what_a_turn_has_done_is_its_however_late_the_look(rig: FileRig) -> None:
    first, second = rig.file("1\n"), rig.file("1\n", "b")
    await rig.begin()
    async with rig.sync.exclusive():
        rig.file("2\n")
        rig.file("2\n", "b")
        rig.sync.sweep(AGENT, rig.roots)
        # somebody draws the review, and no turn runs any more
        await rig.sync.sync(str(first))
    assert rig.named == [("a", "1\n", "2\n")]
    await rig.sync.prepare(rig.roots)
    rig.file("3\n", "b")
    rig.sync.look(AGENT, rig.roots, [str(second)])
    await rig.look(second, Author("other", "t", 1, 0.0))
    assert rig.deltas[1:] == [
        (str(second), "1\n", "2\n", AGENT),
        (str(second), "2\n", "3\n", AGENT),
    ]


async def test_whoever_holds_off_the_passes_has_all_before_it_that_was_asked_for(
    rig: FileRig,
) -> None:
    path = rig.file("1\n")
    await rig.begin()
    rig.file("2\n")
    rig.sync.sweep(AGENT, rig.roots)
    async with rig.sync.exclusive():
        assert rig.named == [("a", "1\n", "2\n")]
    await rig.look(path)
    assert len(rig.named) == 1


async def test_a_turn_that_begins_takes_nothing_from_one_that_runs(rig: FileRig) -> None:
    mine, theirs = rig.file("1\n"), rig.file("1\n", "b")
    rig.files.open(theirs)
    await rig.begin()
    rig.running["b"] = AGENT
    for path in (mine, theirs):
        path.write_text("22\n")
    (rig.folder / "c").write_bytes(b"\0")
    await rig.begin()
    assert rig.deltas == [(str(theirs), "1\n", "22\n", AGENT)]


@pytest.mark.parametrize("modified", [False, True])
async def test_a_file_that_changes_while_it_is_looked_at_is_looked_at_again(
    rig: FileRig, monkeypatch: pytest.MonkeyPatch, *, modified: bool
) -> None:
    path = rig.file("1\n2\n3\n")
    rig.files.open(path)
    await rig.begin()
    rig.file("")
    writes = iter(["1\n2\n", "1\n2\n3\n4\n"])
    look = Baselines.look

    async def moved(self: Baselines, path: str, encoding: str = "") -> DiskChange | None:
        change = await look(self, path, encoding)
        if text := next(writes, ""):
            rig.file(text)
        return change

    monkeypatch.setattr(Baselines, "look", moved)
    if modified:
        rig.files.type(path, "mine", "1", "2", "3")
    async with rig.sync.exclusive():
        synced = await rig.sync.sync(str(path), AGENT)
    assert (synced.known, synced.live.on_disk) == ("1\n2\n3\n", "1\n2\n3\n4\n")
    mine = "mine\n" if modified else ""
    assert rig.named == [("a", mine + "1\n2\n3\n", mine + "1\n2\n3\n4\n")]


async def test_a_file_that_never_comes_to_rest_is_taken_at_the_next_look(
    rig: FileRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = rig.file("0\n")
    rig.files.open(path)
    await rig.begin()
    look, count = Baselines.look, itertools.count(1)

    async def moved(self: Baselines, path: str, encoding: str = "") -> DiskChange | None:
        change = await look(self, path, encoding)
        rig.file(f"{next(count)}\n")
        return change

    with monkeypatch.context() as patch:
        patch.setattr(Baselines, "look", moved)
        await rig.look(path)
    assert rig.named == []
    assert rig.files.lines(path) == ["0"]
    last = path.read_text()
    await rig.look(path, None)
    assert rig.deltas == [(str(path), "0\n", last, AGENT)]


async def test_what_changes_between_turns_is_nobodys(rig: FileRig) -> None:
    path = rig.file("1\n")
    rig.files.open(path)
    await rig.begin()
    rig.file("2\n")
    await rig.begin()
    rig.sync.sweep(AGENT, rig.roots)
    await rig.passed()
    assert rig.named == []
    assert rig.files.lines(path) == ["2"]


async def test_a_look_takes_the_files_that_are_named_inside_of_the_roots(rig: FileRig) -> None:
    path, other = rig.file("1\n"), rig.file("1\n", "b")
    await rig.begin()
    rig.file("2\n")
    rig.file("2\n", "b")
    rig.sync.look(None, rig.roots, [str(path)])
    rig.sync.look(AGENT, rig.roots, [str(path), "/etc/passwd", "relative"])
    rig.sync.look(None, rig.roots, [str(path)])
    await rig.passed()
    assert rig.deltas == [(str(path), "1\n", "2\n", AGENT)]
    await rig.look(other, None)
    assert len(rig.deltas) == 1


async def test_a_clash_is_told_with_its_places_and_outlives_a_save(rig: FileRig) -> None:
    path = rig.file("1\n2\n")
    rig.files.open(path)
    await rig.begin()
    rig.files.type(path, "1", "mine")
    rig.file("0\n1\ntheirs\n")
    await rig.look(path)
    assert rig.conflicts == [
        Conflict(str(path), AGENT, "1\n2\n", "0\n1\ntheirs\n", ((2, 3),), True, "1\n2\n")
    ]
    assert rig.named == [("a", "1\nmine\n", "0\n1\nmine\n")]
    assert rig.sync.conflicts.line(str(path)) is None, "an agent's own text does not count"
    await rig.look(path)
    rig.files.save(path)
    await rig.look(path)
    assert rig.settled == [], "a save alone does not throw the agent's text away"
    assert len(rig.named) == 1


async def test_another_programs_text_is_in_dispute_until_the_user_has_settled_it(
    rig: FileRig,
) -> None:
    path = rig.file("1\n2\n")
    rig.files.open(path)
    await rig.begin()
    rig.files.type(path, "1", "mine")
    rig.file("1\nforeign\n")
    await rig.look(path, None)
    assert rig.sync.conflicts.line(str(path)) == 1
    assert rig.conflicts == []
    rig.files.save(path)
    assert rig.sync.conflicts.line(str(path)) is None


async def test_what_the_editor_refuses_is_taken_later_and_is_still_that_agents(
    rig: FileRig,
) -> None:
    path = rig.file("1\n2\n3\n")
    rig.files.open(path)
    await rig.begin()
    rig.files.type(path, "1", "2", "mine")
    rig.files.refuse = "E565"
    rig.file("I\n2\n3\n")
    await rig.look(path)
    async with rig.sync.exclusive():
        assert (await rig.sync.sync(str(path))).known == "1\n2\n3\n"
    rig.file("one\n2\n3\n")
    rig.files.refuse = None
    rig.sync.sweep(None, rig.roots)
    await rig.passed()
    assert rig.files.lines(path) == ["one", "2", "mine"]
    assert rig.deltas == [(str(path), "1\n2\nmine\n", "one\n2\nmine\n", AGENT)]


async def test_one_file_that_cannot_follow_does_not_keep_the_others_back(rig: FileRig) -> None:
    first, second = rig.file("1\n"), rig.file("1\n", "b")
    rig.files.open(first)
    rig.files.open(second)
    await rig.begin()
    rig.file("\0")
    rig.file("2\n", "b")
    rig.sync.look(AGENT, rig.roots, [str(first), str(second)])
    await rig.passed()
    assert rig.files.lines(first) == ["1"]
    assert rig.files.lines(second) == ["2"]


async def test_a_fault_of_the_editor_is_reported_and_the_watch_goes_on(rig: FileRig) -> None:
    path = rig.file("1\n")
    await rig.begin()
    loaded = rig.files.loaded

    async def broken(path: str) -> None:
        raise EditorError("gone")

    rig.files.loaded = broken  # type: ignore[method-assign]
    rig.sync.look(AGENT, rig.roots, [str(path)])
    await rig.passed()
    assert [str(fault) for fault in rig.faults] == ["gone"]
    rig.faults.clear()
    rig.files.loaded = loaded  # type: ignore[method-assign]
    rig.file("2\n")
    rig.sync.look(AGENT, rig.roots, [str(path)])
    await rig.passed()
    assert rig.named == [("a", "1\n", "2\n")]


async def test_nothing_is_looked_at_while_somebody_writes(rig: FileRig) -> None:
    path = rig.file("1\n")
    await rig.begin()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(rig.sync.run)
        async with rig.sync.exclusive():
            rig.file("2\n")
            rig.sync.look(AGENT, rig.roots, [str(path)])
            await anyio.wait_all_tasks_blocked()
            await rig.sync.refresh(str(path), "")
        await rig.idle()
        tasks.cancel_scope.cancel()
    assert rig.named == []


async def test_what_the_user_has_saved_and_closed_is_no_agents(rig: FileRig) -> None:
    path = rig.file("1\n")
    rig.files.open(path)
    await rig.begin()
    rig.files.type(path, "1", "mine")
    rig.files.save(path)
    del rig.files.buffers[str(path)]
    rig.sync.sweep(AGENT, rig.roots)
    await rig.passed()
    await rig.look(path)
    assert rig.deltas == []
    rig.file("1\nmine\ntheirs\n")
    await rig.look(path)
    assert rig.named == [("a", "1\nmine\n", "1\nmine\ntheirs\n")]


async def test_typing_meanwhile_is_merged(rig: FileRig) -> None:
    path = rig.file("1\n2\n3\n")
    rig.files.open(path)
    await rig.begin()
    rig.files.before_change = lambda: rig.files.type(path, "1", "2", "typed")
    rig.file("one\n2\n3\n")
    await rig.look(path)
    assert rig.files.lines(path) == ["one", "2", "typed"]
    assert rig.named == [("a", "1\n2\ntyped\n", "one\n2\ntyped\n")]


async def test_typing_without_end_puts_it_off(rig: FileRig) -> None:
    path = rig.file("1\n2\n3\n")
    rig.files.open(path)
    await rig.begin()
    rig.file("one\n2\n3\n")

    def type_on() -> None:
        rig.files.type(path, *rig.files.lines(path))
        rig.files.before_change = type_on

    rig.files.before_change = type_on
    await rig.look(path)
    assert (rig.files.lines(path), rig.named) == (["1", "2", "3"], [])
    rig.files.before_change = None
    await rig.look(path, None)
    assert rig.files.lines(path) == ["one", "2", "3"]
    assert [by for _, _, _, by in rig.deltas] == [AGENT]


@pytest.mark.parametrize("question", ["loaded", "survey"])
async def test_a_file_that_is_opened_while_it_is_looked_at_has_a_buffer(
    rig: FileRig, monkeypatch: pytest.MonkeyPatch, question: str
) -> None:
    path = rig.file("1\n2\n3\n")
    await rig.begin()
    ask = getattr(rig.files, question)

    async def asked(what: Any) -> Any:
        answer = await ask(what)
        if str(path) not in rig.files.buffers:
            rig.files.open(path)
            rig.files.type(path, "1", "2", "mine")
            rig.file("one\n2\n3\n")
        return answer

    monkeypatch.setattr(rig.files, question, asked)
    if question == "loaded":
        rig.sync.look(AGENT, rig.roots, [str(path)])
    else:
        rig.sync.sweep(AGENT, rig.roots)
    await rig.passed()
    assert rig.files.lines(path) == ["one", "2", "mine"]
    assert rig.texts == [("1\n2\nmine\n", "one\n2\nmine\n")]


async def test_whoever_names_a_file_is_surer_than_whose_turn_it_was_found_in(rig: FileRig) -> None:
    found, other = replace(AGENT, how="found"), Author("other", "t", 1, 0.0)
    await rig.begin()
    for text, calls in (("1\n", (AGENT, found)), ("2\n", (found, AGENT))):
        path = rig.file(text)
        for author in calls:
            rig.sync.look(author, rig.roots, [str(path)])
        await rig.passed()
    rig.running["a"] = other
    rig.file("3\n")
    rig.sync.sweep(found, rig.roots)
    await rig.passed()
    rig.file("4\n", "b")
    rig.sync.sweep(found, rig.roots)
    await rig.passed()
    assert [whose for *_, whose in rig.deltas] == [AGENT, AGENT, other, found]


async def test_a_swap_file_is_nothing_to_speak_of(rig: FileRig) -> None:
    await rig.begin()
    for name in (".a.swp", ".a.un~"):
        rig.file(b"b0VIM\0", name)
    rig.file(b"\0", "binary")
    rig.sync.sweep(AGENT, rig.roots)
    await rig.passed()
    missed = [it.paths for it in rig.events if isinstance(it, Unrecoverable)]
    assert missed == [(str(rig.folder / "binary"),)]


async def test_what_the_user_has_written_and_is_no_text_is_not_told(rig: FileRig) -> None:
    await rig.begin()
    mine = rig.file(b"\0", "mine")
    rig.files.stamps[str(mine)] = stamp(str(mine))
    rig.file(b"\0", "theirs")
    rig.sync.sweep(AGENT, rig.roots)
    await rig.passed()
    missed = [it.paths for it in rig.events if isinstance(it, Unrecoverable)]
    assert missed == [(str(rig.folder / "theirs"),)]


async def test_a_call_that_names_a_file_as_it_was_read_asks_the_editor_nothing(
    rig: FileRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_nvim.files.baselines.snapshot.RACY", -(10**12))  # as if of long ago
    path = rig.file("1\n")
    rig.files.open(path)
    await rig.begin()
    buffer, ask, asked = rig.files.buffers[str(path)], rig.files.loaded, list[str]()

    async def loaded(name: str) -> LiveBuffer | None:
        asked.append(name)
        return await ask(name)

    monkeypatch.setattr(rig.files, "loaded", loaded)
    monkeypatch.setattr(rig.files, "known", lambda _path: buffer)
    rig.sync.look(AGENT, rig.roots, [str(path)])
    await rig.passed()
    assert not asked
    rig.file("22\n")
    rig.sync.look(AGENT, rig.roots, [str(path)])
    await rig.passed()
    assert asked and rig.files.lines(path) == ["22"]


async def test_of_reads_that_nobody_has_learned_of_the_oldest_are_forgotten(rig: FileRig) -> None:
    path = rig.file("1\n")
    await rig.begin()
    session = AGENT.session_key
    async with rig.sync.exclusive():  # the user keeps a key pressed, and an agent reads on
        rig.sync.was_read(session, rig.roots, [str(path)])
        for number in range(MOST_READS):
            rig.sync.was_read(session, rig.roots, [str(rig.folder / "none")], f"call {number}")
        assert len(rig.sync._reads) == MOST_READS
    await rig.sync.drain()
    assert rig.knowledge.of(session, str(path)) == NOTHING
    rig.sync.was_read(session, rig.roots, [str(path)])
    await rig.sync.drain()
    assert rig.knowledge.of(session, str(path)).base == "1\n"


async def test_where_too_many_files_are_named_the_folders_are_swept(rig: FileRig) -> None:
    path = rig.file("1\n")
    await rig.begin()
    async with rig.sync.exclusive():
        for number in range(3):
            names = [f"{rig.folder}/{number}.{row}" for row in range(MOST_NAMED // 2)]
            rig.sync.look(AGENT, rig.roots, names, sure=True)
        rig.sync.look(AGENT, rig.roots, [str(path)], sure=True)
        assert sum(map(len, rig.sync._asked._named.values())) == MOST_NAMED
        path.write_text("2\n")
    await rig.sync.drain()
    assert rig.deltas == [(str(path), "1\n", "2\n", replace(AGENT, how="found"))]
