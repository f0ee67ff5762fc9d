"""What other programs of the user's do to files while agents work: another editor, a script, git.

No look can tell these from what an agent's command does: they are counted as found, and the user
is asked before that is taken back.
"""

from __future__ import annotations

from tests.proof.agent_steps import AgentSteps
from tests.proof.lines import edited, users
from tests.proof.steps import Outside
from tests.proof.world import NAMES


class OutsideSteps(AgentSteps):
    """`first`: the files as they were when the plan began; `elsewhere`: as another editor of the
    user's has last read or written them; `stashed`: what git has put away, until it is back."""

    first: dict[str, str | None]
    elsewhere: dict[str, str | None]
    stashed: dict[str, str | None]

    def _begin_outside(self) -> None:
        self.first, self.elsewhere, self.stashed = dict(self.sight.disk), {}, {}

    async def _outside(self, step: Outside) -> None:
        name = NAMES[step.file % len(NAMES)]
        match step.how:
            case "edit":
                self._change(name, self._edited(name, self.sight.disk[name], step))
            case "save":
                text = self.elsewhere.get(name, self.first[name])
                self.elsewhere[name] = self._edited(name, text, step)
                self._change(name, self.elsewhere[name], rename=True)
            case "read":
                self.elsewhere[name] = self.sight.disk[name]
            case "checkout":
                self._check_out((name,))
            case "stash" if not self.stashed:
                self.stashed = self._check_out(NAMES)
            case "stash":
                for other, text in self.stashed.items():
                    self._change(other, text, rename=True)
                self.stashed = {}

    def _edited(self, name: str, text: str | None, step: Outside) -> str:
        return edited(text or "", step.edits, lambda: self._scripted_word(name))

    def _check_out(self, names: tuple[str, ...]) -> dict[str, str | None]:
        """Let these be again what they were first; return what they were. New ones stay."""
        known = (name for name in names if self.first[name] is not None)
        was = {it: self.sight.disk[it] for it in known if self.sight.disk[it] != self.first[it]}
        for name in was:
            self._change(name, self.first[name], rename=True)
        return was

    def _change(self, name: str, text: str | None, *, rename: bool = False) -> None:
        if text == self.sight.disk[name]:
            return
        self.scripted |= users(text) - users(self.sight.live(name)) - users(self.sight.disk[name])
        self._put(name, text, rename=rename)
        if self._unsettled(name):
            self.commanded.add(name)
