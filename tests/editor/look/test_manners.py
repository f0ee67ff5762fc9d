"""Whatever an agent does, the user's hands and eyes stay where they are.

The agent does all that the protocol has, in any order, while the user is in the middle of something
in another window. After each deed what the user has is compared with what it was before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support.agents.repertoire import Repertoire
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

LOOK = Path(__file__).with_name("belongings.lua").read_text(encoding="utf-8")
SETUP = """
set hidden nowrapscan complete=. hlsearch splitbelow
edit {other}
new {mine}
normal! 30G0
let @a = 'of the user'
let @/ = 'line 4'
normal! mamB
normal! 50GmC20G0ylp
call setqflist([{{'text': 'one'}}, {{'text': 'two'}}], ' ')
call setqflist([{{'text': 'three'}}, {{'bufnr': bufnr(), 'lnum': 3, 'text': 'four'}}], ' ')
cc! 1
normal! 38Gzt40G5|
"""

NAME = "mannerly"
"""Its own: what agents of other tests leave behind is told to those of the same name."""
AGENT = """
local name, protocol = ...
local options = vim.g.acp
options.agents[name] = options.agents.scripted
options.agents[name].protocol = protocol
vim.g.acp = options
"""


@dataclass(frozen=True)
class Hands:
    """`enter` leads from normal mode into what the user is in the middle of, `leave` out of it.

    `types` is typed while the agent acts; it comes behind what is in the line.
    """

    name: str
    enter: str
    leave: str = "<Esc>"
    types: str = ""

    def __repr__(self) -> str:
        return self.name

    def typed(self, has: dict[str, Any]) -> dict[str, Any]:
        """Return what the user has once that is typed."""
        if not self.types:
            return has
        if has["command_line"][0]:
            kind, line, place = has["command_line"]
            return has | {"command_line": [kind, line + self.types, place + 1]}
        column, *rest, left = has["column"]
        text = has["text"] + self.types
        return has | {"text": text, "column": [column + 1, rest[0], column + 1, left]}


HANDS = [
    Hands("normal", "", ""),
    Hands("insert", "Atyped", types="x"),
    Hands("replace", "Rtyped"),
    Hands("visual", "vl"),
    Hands("lines", "Vj"),
    Hands("block", "<C-v>jl"),
    Hands("select", "gh"),
    Hands("command line", ":echo 'ty", types="x"),
    Hands("search", "/line 4"),
    Hands("completion", "oli<C-n>", "<C-e><Esc>u"),
    Hands("recording", "qbAtyped", "<Esc>q", types="x"),
    Hands("one command", "A<C-o>", "<Esc><Esc>"),
    Hands("command-line window", "q:iecho 'ty", "<Esc>:quit<CR>", types="x"),
    Hands("terminal", ":split | terminal cat<CR>i", "<C-\\><C-n>:bwipeout!<CR>"),
]


@dataclass
class Room:
    """The user with a file, and the agent beside it."""

    job: MainJob
    agent: Repertoire
    random: Random
    files: tuple[Path, ...]

    def look(self) -> dict[str, Any]:
        """Return what the user has, once all that the agent has done is drawn."""
        self.agent.take()
        return self.see()

    def see(self) -> dict[str, Any]:
        """Return what the user has, once all is drawn."""
        self.job.inspect()
        has = dict(self.job.nvim.lua(LOOK))
        if self.job.inspect()["follow"]["enabled"]:
            del has["shown"]  # the window that goes along shows other files
        return has

    def change_hands(self, leave: Hands, enter: Hands) -> dict[str, Any]:
        """Let the user come to an end, and begin something else; return what the user has then."""
        self.job.nvim.input(leave.leave)
        self.look()
        self.job.nvim.input(enter.enter)
        return self.look()

    def prompt(self) -> dict[str, Any]:
        """Let a turn begin; return what the user has then."""
        self.job.nvim.lua("require('acp').prompt('go')")
        self.job.until(lambda: (self.agent.take(), self.agent.runs())[1])
        return self.look()


LIST = "execute 'Acp sessions' | wincmd p"


@pytest.fixture(params=[(1, ""), (2, ""), (1, "Acp follow on"), (2, "Acp chat close"), (1, LIST)])
def room(request: pytest.FixtureRequest) -> Iterator[Room]:
    """Yield a project in which a session is open, and the user is in a file of it."""
    version, command = request.param
    with MainJob({"ui": {"notify": "off", "sessions": "sidebar"}}) as job:
        job.nvim.lua(AGENT, NAME, version)
        job.command(f"AcpStart {NAME}")
        agent = job.stage.accept(version)
        greet(agent, version)
        agent.open()
        job.until(lambda: job.session().get("state") == "idle")
        files = tuple(job.work / name for name in ("mine.txt", "other.txt", "new.txt"))
        for path in files[:2]:
            path.write_text("".join(f"line {number}\n" for number in range(1, 101)))
        job.command("wincmd t | if &buftype != '' | topleft vnew | endif")
        job.nvim.command(SETUP.format(mine=files[0], other=files[1]).strip())
        job.command(command)
        yield Room(job, Repertoire(agent, job.work, version), Random(11), files)


def greet(agent: StdioAgent, version: int) -> None:
    """Answer `initialize` in that version."""
    message = agent.expect("initialize")
    info = {"info": {"name": "s", "version": "1"}, "capabilities": {"session": {}}}
    agent.reply(message, {"protocolVersion": version} | (info if version == 2 else {}))


def test_nothing_of_the_users_changes(room: Room) -> None:
    waiting = list(HANDS)
    hands = waiting.pop(0)
    had = room.look()
    for number, (name, deed) in enumerate(room.agent.deeds(room.random, room.files)):
        if number % 8 == 7:
            later = waiting.pop(0) if waiting else room.random.choice(HANDS)
            hands, had = later, room.change_hands(hands, later)
        if not room.agent.runs():
            had = room.prompt()
        deed()
        room.job.nvim.rpc.notify("nvim_input", hands.types)
        has = room.look()
        compare(hands.typed(had), has, f"{name}, while the user is in {hands}")
        had = has
    room.agent.exit()
    room.job.until(lambda: room.job.session()["state"] == "closed")
    compare(had, room.see(), f"exit, while the user is in {hands}")


def compare(had: dict[str, Any], has: dict[str, Any], when: str) -> None:
    """Assert that the user has the same."""
    changed = {key: (had[key], has[key]) for key in had if has[key] != had[key]}
    assert not changed, f"{when}: {changed}"
