"""Whatever happens, each change is told once and right."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import anyio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acp_nvim.files.baselines.baselines import Changes, DiskChange
from acp_nvim.files.baselines.watch import Watch
from acp_nvim.files.roots import Roots
from tests.support.files.baselines import plain

NAMES = st.sampled_from(("a", "b", "d/a", "d/b", "d/e/a"))
TEXTS = st.sampled_from(("1", "2", "three\n", ""))
ACTS = st.one_of(
    st.tuples(st.sampled_from(("write", "replace", "note")), NAMES, TEXTS),
    st.tuples(st.sampled_from(("delete", "drop", "touch", "look")), NAMES),
    st.tuples(st.just("rename"), NAMES, NAMES),
    st.tuples(st.sampled_from(("changes", "refresh"))),
)


class Model:
    """A folder, and what its baselines must have seen: a path that is not in a dict is no file."""

    def __init__(self, folder: Path, watch: Watch | None = None) -> None:
        self.folder = folder
        self.roots = Roots(str(folder))
        self.baselines = plain(watch=watch)
        self.disk: dict[str, str] = {}
        self.seen: dict[str, str] = {}

    async def play(self, acts: list[tuple[str, ...]]) -> None:
        await self.baselines.refresh(self.roots)
        for act, *rest in [*acts, ("changes",)]:
            if act in ("changes", "refresh"):
                await self.sweep(act)
            elif act == "look":
                await self.look(rest[0])
            else:
                getattr(self, act)(*rest)

    async def sweep(self, act: str) -> None:
        told: Changes = await getattr(self.baselines, act)(self.roots)
        assert told.unknown == ()
        assert len(set(told.known)) == len(told.known)
        names = self.disk.keys() | self.seen.keys()
        assert set(told.known) == {it for it in map(self.change, names) if it}
        self.seen = dict(self.disk)
        for name in names:
            assert self.baselines.text(str(self.folder / name)) == self.disk.get(name)

    async def look(self, name: str) -> None:
        assert await self.baselines.look(str(self.folder / name)) == self.change(name)
        self.settle(name)

    def change(self, name: str) -> DiskChange | None:
        before, after = self.seen.get(name), self.disk.get(name)
        return None if before == after else DiskChange(str(self.folder / name), before, after)

    def settle(self, name: str) -> None:
        self.seen.pop(name, None)
        if name in self.disk:
            self.seen[name] = self.disk[name]

    def write(self, name: str, text: str) -> None:
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text)
        self.disk[name] = text

    def replace(self, name: str, text: str) -> None:
        self.write("new~", text)
        self.rename("new~", name)

    def note(self, name: str, text: str) -> None:
        self.write(name, text)
        self.baselines.note(str(self.folder / name), text)
        self.settle(name)

    def delete(self, name: str) -> None:
        if self.disk.pop(name, None) is not None:
            (self.folder / name).unlink()

    def drop(self, name: str) -> None:
        self.delete(name)
        self.baselines.note(str(self.folder / name), None)
        self.settle(name)

    def touch(self, name: str) -> None:
        if name in self.disk:
            os.utime(self.folder / name, (1, 1))

    def rename(self, name: str, to: str) -> None:
        if name in self.disk:
            (self.folder / to).parent.mkdir(parents=True, exist_ok=True)
            os.rename(self.folder / name, self.folder / to)
            self.disk[to] = self.disk.pop(name)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(acts=st.lists(ACTS, max_size=25))
def test_whatever_happens_each_change_is_told_once_and_right(
    acts: list[tuple[str, ...]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        anyio.run(Model(Path(os.path.realpath(folder))).play, acts)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(acts=st.lists(ACTS, max_size=25))
def test_so_it_is_where_the_folder_is_watched(acts: list[tuple[str, ...]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(os.path.realpath(name))
        (folder / "d/e").mkdir(parents=True)
        watch = Watch()
        anyio.run(Model(folder, watch).play, acts)
        watch.leave_others(())
