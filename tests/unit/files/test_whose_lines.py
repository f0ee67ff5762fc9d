"""Any number of writes in all ways, by agents who never mean the user's lines: none is lost."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from acp_nvim.errors import RequestFailed
from acp_nvim.files.baselines.baselines import Baselines
from acp_nvim.history.author import Author
from tests.support.files.file_rig import AGENT, FileRig


def text(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


class Plan:
    """Two agents and a user at one file; the agents write whole texts from memory, or edit.

    `apart`: the agents change the first line alone, and the user none of the first four.
    """

    def __init__(self, folder: Path, *, apart: bool) -> None:
        self.rig = FileRig(folder, folder / ".kept", baselines=Baselines(quiet=0))
        self.authors = [AGENT, replace(AGENT, session="t")]
        self.rig.turns["t"] = self.authors[1]
        self.apart = apart
        self.path = self.rig.file(text(*map(str, range(1, 9))))
        self.known = ["", ""]
        self.last = ["", ""]
        self.number = 0
        self.words: set[str] = set()
        self.saved: set[str] = set()

    async def begin(self) -> None:
        self.rig.files.open(self.path)
        await self.rig.begin()
        self.rig.running[""] = replace(AGENT, how="found")
        for agent in (0, 1):
            await self.read(agent, 0)

    # --- the user

    async def type(self, _: int, at: int) -> None:
        self._typed(at, amends=False)

    async def amend(self, _: int, at: int) -> None:
        self._typed(at, amends=True)

    async def save(self, _: int, __: int) -> None:
        self.rig.files.save(self.path)
        self.saved |= self.words
        await self.rig.look(self.path, None)

    async def reload(self, _: int, __: int) -> None:
        """As 'autoread' does."""
        if not self.rig.files.buffers[str(self.path)].modified:
            self.rig.files.reload(self.path)
            await self.look(0, 0)

    def _typed(self, at: int, *, amends: bool) -> None:
        lines, least = self.lines, 4 if self.apart else 0
        row = least + at % (len(lines) - least + 1)
        word = self._word("u")
        self.words.add(word)
        if amends and row < len(lines) and lines[row].startswith("u"):
            lines[row] += word
        else:
            lines.insert(row, word)
        self.rig.files.type(self.path, *lines)

    # --- the agents

    async def read(self, agent: int, _: int) -> None:
        self.known[agent] = await self.rig.read(self.path, self.authors[agent].session)

    async def own_read(self, agent: int, _: int) -> None:
        self.known[agent] = self.path.read_text()
        author = self._seen(agent)
        session = (author.agent, author.session)
        self.rig.sync.was_read(session, self.rig.roots, [str(self.path)])
        await self.rig.sync.drain()

    async def write(self, agent: int, at: int) -> None:
        content = self._edited(self.known[agent], at)
        try:
            await self.rig.write(self.path, content, self.authors[agent].session)
        except RequestFailed:
            assert not self.apart
            await self.read(agent, 0)
        else:
            self.known[agent] = self.last[agent] = content

    async def write_disk(self, agent: int, at: int) -> None:
        """From memory."""
        self.known[agent] = self.last[agent] = self._edited(self.known[agent], at)
        self.path.write_text(self.known[agent])

    async def write_again(self, agent: int, _: int) -> None:
        """What it wrote last, to the disk."""
        if self.last[agent]:
            self.path.write_text(self.last[agent])

    async def edit_disk(self, _: int, at: int) -> None:
        """As `sed` does, or any program."""
        self.path.write_text(self._edited(self.path.read_text(), at))

    def _edited(self, content: str, at: int) -> str:
        """Return it with a line of the agent's own changed, or put in."""
        lines = content.splitlines()
        own = [row for row, line in enumerate(lines) if not line.startswith("u")]
        at = 0 if self.apart else at
        row = own[at % len(own)] if own else 0
        lines[row : row + 1 - at % 2] = [self._word("g")]
        return text(*lines)

    # --- the client

    async def look(self, agent: int, _: int) -> None:
        self._seen(agent)
        await self.rig.sync.drain()

    async def sweep(self, agent: int, _: int) -> None:
        self.rig.sync.sweep(replace(self.authors[agent], how="found"), self.rig.roots)
        await self.rig.sync.drain()

    async def prepare(self, _: int, __: int) -> None:
        await self.rig.begin()

    async def end_turn(self, _: int, __: int) -> None:
        self.rig.running.clear()

    async def begin_turn(self, agent: int, _: int) -> None:
        self.rig.running[""] = replace(self.authors[agent], how="found")

    def _seen(self, agent: int) -> Author:
        author = self.authors[agent]
        self.rig.sync.look(author, self.rig.roots, [str(self.path)])
        return author

    # --- what there is

    @property
    def lines(self) -> list[str]:
        return self.rig.files.lines(self.path)

    def check(self, *, all_of_them: bool) -> None:
        shown = re.findall(r"u\d+", text(*self.lines))
        lost = (self.words if all_of_them else self.words - self.saved) - set(shown)
        assert not lost, f"lost {sorted(lost)}: {self.lines}"
        if self.apart:
            assert self.rig.conflicts == []

    def _word(self, kind: str) -> str:
        self.number += 1
        return f"{kind}{self.number}"


Act = Callable[[Plan, int, int], Awaitable[None]]
Step = tuple[Act, int, int]
BY_ONE: list[Act] = [
    *2 * [Plan.type],
    *(Plan.amend, Plan.save, Plan.reload, Plan.read, Plan.own_read),
    *2 * [Plan.write],
    *(Plan.write_disk, Plan.write_again, Plan.edit_disk),
    *(Plan.look, Plan.sweep, Plan.prepare, Plan.begin_turn),
]
BY_ALL = [*BY_ONE, Plan.end_turn]


def plans(acts: list[Act], agents: int) -> st.SearchStrategy[list[Step]]:
    drawn = st.integers(0, len(acts) - 1).map(acts.__getitem__)
    step = st.tuples(drawn, st.integers(0, agents - 1), st.integers(0, 9))
    return st.lists(step, max_size=30)


def run(steps: list[Step], *, all_of_them: bool, apart: bool = False) -> None:
    async def carry_out() -> None:
        with tempfile.TemporaryDirectory() as folder:
            plan = Plan(Path(folder).resolve(), apart=apart)
            await plan.begin()
            for act, agent, at in (*steps, (Plan.sweep, 0, 0)):
                await act(plan, agent, at)
                plan.check(all_of_them=all_of_them)
            if apart:
                assert plan.lines[0] == plan.path.read_text().partition("\n")[0]

    asyncio.run(carry_out())


QUICK = settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@QUICK
@given(plans(BY_ALL, 2))
def test_no_word_that_the_user_has_not_saved_leaves_the_buffer(steps: list[Step]) -> None:
    run(steps, all_of_them=False)


@QUICK
@given(plans(BY_ONE, 1))
def test_nor_one_that_is_saved_and_that_the_only_agent_does_not_know(steps: list[Step]) -> None:
    run(steps, all_of_them=True)


@QUICK
@given(plans(BY_ONE, 1))
def test_who_keeps_apart_has_no_conflict(steps: list[Step]) -> None:
    run(steps, all_of_them=True, apart=True)


def test_what_another_agent_may_have_written_from_memory_takes_out_no_edit_of_the_users() -> None:
    typed, read, write = (Plan.type, 0, 0), (Plan.read, 0, 0), (Plan.write, 0, 0)
    run([typed, read, write, (Plan.write_disk, 1, 0)], all_of_them=True)
