"""`:Acp agents`: what is listed, what is fetched and when, and installing, end to end."""

from __future__ import annotations

import hashlib
import io
import json
import shlex
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.file_server import Answer, FileServer
from tests.support.main_job import MainJob

CHOOSE = """
_G.asked, _G.answer = {}, 1
vim.ui.select = function(items, options, chosen)
  table.insert(_G.asked, { options.kind, options.prompt, items })
  chosen(items[_G.answer], _G.answer)
end
"""

NPM = """#!/bin/sh
[ "$1 $2" = "install --prefix" ] || exit 9
[ -z "$NVIM" ] || exit 8
echo "adding $6"
[ "$6" != "broken@1.0.0" ] || {{ echo "npm ERR! no such package"; exit 1; }}
mkdir -p "$3/node_modules/.bin" "$3/node_modules/robo-npm"
printf '#!/bin/sh\\nexec {agent}\\n' > "$3/node_modules/robo-npm/robo-npm"
chmod +x "$3/node_modules/robo-npm/robo-npm"
ln -s ../robo-npm/robo-npm "$3/node_modules/.bin/robo-npm"
"""


def packed(program: str) -> bytes:
    """Return an archive with a program in it."""
    text, body = program.encode(), io.BytesIO()
    with tarfile.open(fileobj=body, mode="w:gz") as file:
        info = tarfile.TarInfo("robo-1.0/robo")
        info.size, info.mode = len(text), 0o755
        file.addfile(info, io.BytesIO(text))
    return body.getvalue()


def agent(name: str, **distribution: Any) -> dict[str, Any]:
    return {
        "id": name,
        "name": name.title(),
        "version": "1.0.0",
        "description": "Says \x1b[31mhello",
        "license": "MIT",
        "distribution": distribution,
    }


class Desk(MainJob):
    """A Neovim whose registry is on this machine, and what the user does with the list."""

    def __init__(self, server: FileServer) -> None:
        super().__init__({"registry": server.url + "/list"})
        scripted = self.stage.options()
        self.agent = shlex.join([scripted["command"], *scripted["args"]])
        self.nvim.lua(CHOOSE)
        self.server = server
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "npm").write_text(NPM.format(agent=self.agent.replace("'", "")))
        (tools / "npm").chmod(0o755)
        self.nvim.lua("vim.env.PATH = ... .. ':' .. vim.env.PATH", str(tools))

    def offer(self, *agents: dict[str, Any]) -> None:
        self.server.put("/list", json.dumps({"version": "1", "agents": list(agents)}))

    def program(self, path: str = "/robo.tar.gz", sha256: str | None = None) -> dict[str, Any]:
        """Serve an archive with the agent in it; return its distribution for this machine."""
        blob = packed(f"#!/bin/sh\nexec {self.agent}\n")
        target: dict[str, Any] = {
            "archive": self.server.put(path, blob),
            "cmd": "./robo-1.0/robo",
            "sha256": sha256 or hashlib.sha256(blob).hexdigest(),
        }
        return {f"linux-{machine}": target for machine in ("x86_64", "aarch64")} | {
            f"darwin-{machine}": target for machine in ("x86_64", "aarch64")
        }

    def open(self, command: str = "Acp agents") -> None:
        self.command(command)
        self.until(lambda: self.row("tutor"))

    def lines(self) -> list[str]:
        return self.nvim.lines(int(self.nvim.eval("bufnr('acp-agents')")))

    def row(self, name: str) -> str:
        """Return the line of an agent, "" if there is none."""
        return next((it for it in self.lines() if it[1:].split()[:1] == [name]), "")

    def on(self, name: str, keys: str) -> None:
        """Type keys on the row of an agent."""
        self.until(lambda: self.row(name))
        number = self.lines().index(self.row(name)) + 1
        self.nvim.lua(
            "vim.fn.win_execute(vim.fn.bufwinid('acp-agents'), ...)", f"normal! {number}G"
        )
        self.nvim.lua("vim.api.nvim_set_current_win(vim.fn.bufwinid('acp-agents'))")
        self.nvim.input(keys)

    def is_quiet(self) -> bool:
        """Tell whether nothing is being fetched, as the list shows it."""
        return "being fetched" not in self.lines()[0]

    def answer(self, number: int) -> None:
        self.nvim.lua("_G.answer = ...", number)

    def asked(self) -> list[Any]:
        return list(self.nvim.lua("return _G.asked"))

    def agents_folder(self) -> Path:
        return Path(self.nvim.eval("stdpath('data')")) / "acp.nvim" / "agents"

    def left(self) -> set[str]:
        """Return what is in the folder of the agents."""
        folder = self.agents_folder()
        return {it.name for it in folder.iterdir()} if folder.exists() else set()


@pytest.fixture
def server() -> Iterator[FileServer]:
    with FileServer() as started:
        yield started


@pytest.fixture
def desk(server: FileServer) -> Iterator[Desk]:
    with Desk(server) as started:
        yield started


def test_without_a_registry_of_ones_own_nothing_is_fetched(job: MainJob) -> None:
    job.command("Acp agents")
    buffer = int(job.nvim.eval("bufnr('acp-agents')"))
    job.until(lambda: "tutor" in "\n".join(job.nvim.lines(buffer)))
    text = "\n".join(job.nvim.lines(buffer))
    assert (
        "Registry cdn.agentclientprotocol.com: its list was not fetched yet, R fetches it" in text
    )
    assert job.nvim.eval("&filetype") == "acp-agents"
    assert not job.nvim.eval("&modifiable")


def test_the_list_is_fetched_once_and_then_by_command_only(desk: Desk) -> None:
    desk.offer(agent("robo", npx={"package": "robo-npm@1.0.0"}))
    assert not desk.server.requests
    desk.open()
    desk.until(lambda: desk.row("robo"))
    assert "1.0.0" in desk.row("robo")
    assert "npm: robo-npm" in desk.row("robo")
    desk.nvim.input("q")
    desk.until(lambda: desk.nvim.eval("bufexists('acp-agents')") == 0)
    desk.open()
    desk.until(lambda: desk.row("robo"))
    assert desk.server.requests == ["/list"]
    desk.offer(agent("robo", npx={"package": "robo-npm@1.0.1"}) | {"version": "1.0.1"})
    desk.nvim.input("R")
    desk.until(lambda: "1.0.1" in desk.row("robo") and desk.is_quiet())
    desk.command("Acp! agents")
    desk.until(lambda: len(desk.server.requests) == 3)


def test_without_a_network_what_was_fetched_is_shown(desk: Desk) -> None:
    desk.offer(agent("robo", npx={"package": "robo-npm@1.0.0"}))
    desk.open()
    desk.until(lambda: desk.row("robo"))
    desk.server.put("/list", Answer(b"<html>", "text/html"))
    desk.nvim.input("R")
    said = desk.told("web page")
    assert said.startswith("acp: http://127.0.0.1:")
    desk.until(lambda: "web page" in "\n".join(desk.lines()))
    assert desk.row("robo")


def test_details_and_what_is_hostile(desk: Desk) -> None:
    desk.offer(
        agent("robo", npx={"package": "robo-npm@1.0.0", "args": ["--acp"], "env": {"A": "b"}}),
        agent("evil", npx={"package": "--prefix=/"}),
    )
    desk.open()
    desk.on("robo", "<CR>")
    desk.until(lambda: "about" in "\n".join(desk.lines()))
    text = " ".join(" ".join(desk.lines()).split())
    assert "about: Says ␛[31mhello" in text
    assert "install --prefix" in text
    assert "starts as: A=b robo-npm --acp" in text
    assert "does not say how" in desk.row("evil")
    desk.on("evil", "i")
    desk.told("evil does not say how it is installed")
    assert not desk.asked()


def test_nothing_is_installed_without_a_yes(desk: Desk) -> None:
    desk.offer(agent("robo", binary=desk.program()))
    desk.open()
    desk.on("robo", "i")
    desk.until(desk.asked)
    kind, title, rows = desk.asked()[0]
    assert kind == "acp.confirm"
    assert title == "Install robo 1.0.0? It is started as: robo-1.0/robo"
    assert rows[0] == "No"
    assert rows[1].startswith(f"Yes, download {desk.server.url}/robo.tar.gz (sha256 ")
    desk.until(lambda: desk.row("robo"))
    assert desk.server.requests == ["/list"]
    assert not desk.left()


def test_a_program_is_installed_started_and_removed(desk: Desk) -> None:
    desk.offer(agent("robo", binary=desk.program()))
    desk.open()
    desk.answer(2)
    desk.on("robo", "i")
    desk.told("robo is installed: :Acp start robo starts it")
    desk.until(lambda: "installed by acp.nvim" in desk.row("robo"))
    assert desk.row("robo").startswith("●")
    assert "robo" in desk.nvim.eval("getcompletion('Acp start r', 'cmdline')")
    desk.on("robo", "s")
    peer = desk.stage.accept()
    peer.initialize()
    peer.open()
    desk.until(lambda: desk.session().get("state") == "idle")
    assert desk.session()["agent"] == "robo"
    desk.on("robo", "D")
    desk.told("robo is running: :Acp stop robo first")
    desk.command("Acp stop robo")
    desk.until(lambda: desk.inspect()["connections"][0]["state"] == "closed")
    desk.on("robo", "D")
    desk.until(lambda: desk.left() == {"installed.json"})
    desk.until(lambda: desk.row("robo").startswith("○"))


def test_one_that_is_not_here_is_not_started(desk: Desk) -> None:
    desk.offer(agent("robo", npx={"package": "robo-npm@1.0.0"}))
    desk.open()
    desk.on("robo", "s")
    desk.told("robo is not here: i installs it")
    assert not desk.inspect()["sessions"]


def test_another_checksum_leaves_nothing(desk: Desk) -> None:
    desk.offer(agent("robo", binary=desk.program(sha256="ab" * 32)))
    desk.open()
    desk.answer(2)
    desk.on("robo", "i")
    desk.told("robo is not installed: its checksum is")
    assert not desk.left()


def test_a_package_is_installed_in_a_terminal(desk: Desk) -> None:
    desk.offer(agent("robo", npx={"package": "robo-npm@1.0.0"}))
    desk.open()
    desk.answer(2)
    desk.on("robo", "i")
    desk.told("robo is installed: :Acp start robo starts it")
    shown = desk.asked()[0][2][1]
    assert f"/npm install --prefix {desk.agents_folder()}/robo-1 " in shown
    assert shown.endswith("robo-npm@1.0.0")
    desk.command("AcpStart robo")
    desk.stage.accept().initialize()


def test_a_package_that_fails_stays_to_be_read(desk: Desk) -> None:
    desk.offer(agent("robo", npx={"package": "broken@1.0.0"}))
    desk.open()
    desk.answer(2)
    desk.on("robo", "i")
    desk.told("robo is not installed (exit code 1)")
    desk.until(lambda: not desk.left())


def test_the_configuration_is_checked(job: MainJob) -> None:
    job.nvim.lua("local o = vim.g.acp; o.registry = 'http://example.org/x'; vim.g.acp = o")
    job.command("Acp agents")
    job.told("vim.g.acp.registry must be the address of a list of agents")
