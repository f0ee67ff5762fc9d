"""Records the scene of the README: `make pictures`, or `python -m tests.support.screen.scene doc`.

A film of all of it, and a picture of each step: a real Neovim with the real host. The user changes
a file and asks an agent about lines of it. Only the agent is played: it always says the same.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.agents.stdio_agent import AgentStage, StdioAgent
from tests.support.main_job import PATIENT
from tests.support.nvim import Neovim
from tests.support.screen.film import Film
from tests.support.screen.grid import Picture, Screen
from tests.support.screen.picture import save

COLUMNS, ROWS = 110, 30
SESSION = "scene"

BEFORE = '''\
"""Values that are forgotten after a while."""

import time


class Cache:
    def __init__(self, lifetime=60):
        self.lifetime = lifetime
        self.items = {}

    def put(self, key, value):
        self.items[key] = (value, time.time())

    def get(self, key):
        value, stored = self.items[key]
        if time.time() - stored > self.lifetime:
            return None
        return value
'''
LOOKUP = "        value, stored = self.items[key]\n"
FOUND = """\
        found = self.items.get(key)
        if found is None:
            return None
        value, stored = found
"""
STORED = "        self.items[key] = (value, time.time())\n"
PRINTED = STORED + '        print("stored", key)\n'
OPTIONS = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]
LOOK = "set termguicolors background=dark number signcolumn=yes laststatus=2 shortmess+=I"


BEGINNING = "cache.py is changed, and not saved."
CAPTIONS = {
    "selection": "You select lines and ask. They are sent with your words.",
    "question": "The agent has read the unsaved text. You see its whole edit before you answer.",
    "typing": "You go on typing in the same file while its edit arrives.",
    "rejected": ":Acp review shows its changes in place. You reject one, with a reason.",
    "told": "K shows what the agent is told with your next prompt.",
    "undone": ":Acp undo undoes its whole turn. What you typed stays.",
}
KEY_SECONDS, LOOK_SECONDS = 0.06, 2.8


class Scene:
    """What the user and the agent do, one step a picture; the film has more between them."""

    def __init__(self, nvim: Neovim, screen: Screen, stage: AgentStage) -> None:
        self._nvim, self._screen, self._stage = nvim, screen, stage
        self._agent: StdioAgent | None = None
        self.film, self._caption = Film(), BEGINNING
        self._prompt: dict[str, Any] = {}
        self.steps: dict[str, Callable[[], None]] = {
            "selection": self._select,
            "question": self._ask,
            "typing": self._type,
            "rejected": self._reject,
            "told": self._tell,
            "undone": self._undo,
        }

    @property
    def agent(self) -> StdioAgent:
        """The agent, once it was started."""
        assert self._agent
        return self._agent

    def play(self, name: str) -> None:
        """Do one step, and look at its end for a while."""
        self._caption = CAPTIONS[name]
        self.steps[name]()
        self._look(LOOK_SECONDS)

    def _look(self, seconds: float) -> None:
        self.film.take(self._screen.picture(), self._caption, seconds)

    def _write(self, keys: str) -> None:
        """Type keys that move the cursor, each on a frame of its own."""
        for key in keys:
            before = self._screen.picture().cursor
            self._nvim.input("<lt>" if key == "<" else key)
            self._screen.wait(_moved(before))
            self._look(KEY_SECONDS)

    def start(self) -> None:
        """Open the file and a session; change the file, and do not save it."""
        self._nvim.lua(PATIENT)
        self._nvim.command(f"{LOOK} | filetype plugin on | syntax on | edit cache.py")
        self._nvim.command("AcpStart agent")
        self._agent = self._stage.accept()
        capabilities = {"promptCapabilities": {"embeddedContext": True}}
        self._agent.initialize(agentCapabilities=capabilities)
        self._agent.open(SESSION)
        self._screen.wait_for("idle")
        self._nvim.input("<C-w>h:7s/60/300<CR>:nohlsearch<CR>")
        self._screen.wait_for("lifetime=300")
        self._look(LOOK_SECONDS)

    def _select(self) -> None:
        """Lines go along with a question."""
        self._nvim.input("14GV")
        self._write("jjjj:AcpPrompt")
        self._nvim.input("<CR>")
        self._screen.wait_for("@cache.py:14-18 · 5 lines")
        self._nvim.input("i")
        self._write("A key that is not there should give None.")

    def _ask(self) -> None:
        """The agent has read what is not saved, and asks for what it would make of it."""
        self._nvim.input("<Esc><CR>")
        self._prompt = self.agent.prompted()
        path = self._nvim.cwd / "cache.py"
        read = self.agent.ask("fs/read_text_file", sessionId=SESSION, path=str(path))
        self._seen = read["result"]["content"]
        self._made = self._seen.replace(LOOKUP, FOUND).replace(STORED, PRINTED)
        diff = {"type": "diff", "path": str(path), "oldText": self._seen, "newText": self._made}
        call = {"toolCallId": "edit", "title": "Edit cache.py", "kind": "edit", "content": [diff]}
        self._screen.wait_for("running")
        self._look(1.0)
        self.agent.say("`get` fails for a key that is not there.", SESSION)
        self._screen.wait_for("not there.")
        self._look(0.8)
        self.agent.say(" I can fix that.", SESSION)
        self.agent.request_permission(1, SESSION, toolCall=call, options=OPTIONS)
        self._screen.wait_for("2. Reject")
        self._screen.wait(
            lambda picture: any('print("stored", key)' in row[:50] for row in picture.text())
        )

    def _type(self) -> None:
        """The edit comes while the user writes in the same file."""
        self._nvim.command("Acp permit 1")
        self.agent.answer_to(1)
        self._nvim.input("<C-w>t6Go")
        self._screen.wait_gone("2. Reject")
        self._write("    # Keeps values for a while, 300 se")
        path = str(self._nvim.cwd / "cache.py")
        self.agent.ask("fs/write_text_file", sessionId=SESSION, path=path, content=self._made)
        self._screen.wait_for("found = self.items.get(key)")
        self._screen.wait_for('print("stored", key)')
        self._look(1.0)
        self._write("conds.")

    def _reject(self) -> None:
        """One hunk is rejected, with a reason."""
        self._nvim.input("<Esc>")
        self.agent.update("tool_call_update", SESSION, toolCallId="edit", status="completed")
        self.agent.say("Done.", SESSION)
        self.agent.end(self._prompt)
        self._screen.wait_for("idle")
        self._nvim.wait("#require('acp.review.hunks').of(0) == 2")
        self._nvim.input(":Acp review<CR>")
        self._screen.wait(lambda picture: picture.cursor[0] == 13)
        self._look(1.5)
        self._write(":Acp reject because nobody reads what it prints")

    def _tell(self) -> None:
        """What the agent will be told of that."""
        self._nvim.input("<CR>")
        self._screen.wait_gone('print("stored", key)')
        self._screen.wait_for("rejected 1 hunk")
        self._screen.wait_for("· 1 hunk · gr review")
        self._nvim.input("<C-w>b")
        self._screen.wait_for("1 rejected: cache.py")
        self._nvim.input("K")
        self._screen.wait_for("What the agent will be told")
        self._screen.wait_for("nobody reads what it prints")

    def _undo(self) -> None:
        """All of the turn is taken back; what the user wrote stays."""
        self._nvim.input("q<C-w>t")
        self._screen.wait_gone("What the agent will be told")
        self._write(":Acp undo")
        self._nvim.input("<CR>")
        self._screen.wait_gone("found = self.items")
        self._screen.wait_for("undid turn 1")
        self._screen.wait_gone("┃")
        self._screen.wait_gone("gr review")


def _moved(before: tuple[int, int]) -> Callable[[Picture], bool]:
    return lambda picture: picture.cursor != before


def take(folder: Path) -> None:
    """Write the film `scene.svg` and the pictures `scene-….svg`."""
    with tempfile.TemporaryDirectory(prefix="acp") as made:
        made = str(Path(made).resolve())
        project = Path(made, "project")
        (project / ".git").mkdir(parents=True)
        (project / "cache.py").write_text(BEFORE)
        stage = AgentStage(Path(made))
        options = {"agents": {"agent": stage.options()}}
        with (
            Neovim(options, cwd=project, env={"HOME": made}, columns=COLUMNS, lines=ROWS) as nvim,
            Screen(nvim, COLUMNS, ROWS) as screen,
        ):
            scene = Scene(nvim, screen, stage)
            scene.start()
            for name in scene.steps:
                scene.play(name)
                save(screen, folder / f"scene-{name}.svg")
            (folder / "scene.svg").write_text(scene.film.draw(), encoding="utf-8")
        stage.close()


if __name__ == "__main__":
    take(Path(sys.argv[1]))
