"""The agent is told exactly what it does not know, whatever happens."""

from __future__ import annotations

from pathlib import Path

import anyio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acp_nvim.view.diff.unified import unified
from tests.support.files.notes_rig import KEY, NotesRig

TEXT = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("\n".join)
NAME = st.sampled_from(["one.py", "two.py"])
STEP = st.one_of(
    st.tuples(st.just("user edits"), NAME, TEXT),
    st.tuples(st.just("agent reads"), NAME),
    st.tuples(st.just("agent writes"), NAME, TEXT),
    st.tuples(st.sampled_from(["arrives", "fails", "is dropped", "is shown"])),
)


class Model:
    """What the agent takes each file for, by the book."""

    def __init__(self, rig: NotesRig) -> None:
        self.rig = rig
        self.live = dict.fromkeys(["one.py", "two.py"], "")
        self.view: dict[str, str] = {}
        self.shown: dict[str, str] = {}
        for name in self.live:
            rig.save(name, "")

    async def step(self, verb: str, *details: str) -> None:
        rig = self.rig
        match (verb, *details):
            case ("user edits", name, text):
                self.live[name] = text
                rig.save(name, text)
            case ("agent reads", name):
                self.view[name] = self.live[name]
                self.shown = {}
                rig.knows(name, self.live[name])
            case ("agent writes", name, text):
                self.view[name] = self.live[name] = text
                self.shown = {}
                rig.saw(name, text)
            case ("is dropped",):
                rig.lessons.drop(KEY, "changed")
                self.view |= self.shown
                self.shown = {}
            case _:
                await self._prompt(verb)

    async def _prompt(self, verb: str) -> None:
        draft = await self.rig.draft()
        self.shown = {
            name: text
            for name, text in sorted(self.live.items())
            if name in self.view and self.view[name] != text
        }
        diffs = [unified(name, self.view[name], text) for name, text in self.shown.items()]
        assert [note.diff for note in draft.notes] == (["\n".join(diffs)] if diffs else [])
        if verb != "is shown":
            self.rig.lessons.sent(KEY, draft)
            if verb == "arrives":
                self.rig.lessons.arrived(KEY)
                self.view |= self.shown
            else:
                self.rig.lessons.failed(KEY)
            self.shown = {}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(steps=st.lists(STEP, max_size=30))
def test_the_agent_is_told_exactly_what_it_does_not_know(
    tmp_path: Path, steps: list[tuple[str, ...]]
):
    model = Model(NotesRig(tmp_path.resolve()))

    async def play() -> None:
        for step in steps:
            await model.step(*step)
        await model.step("arrives")
        assert all(model.view[name] == model.live[name] for name in model.view)

    anyio.run(play)
