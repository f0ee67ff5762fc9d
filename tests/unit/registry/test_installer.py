"""Installing: what is downloaded or run, where it lies then, and that nothing half done stays."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from acp_nvim.config import parse
from acp_nvim.editor import LoginProgram, LoginTerminals
from acp_nvim.errors import UserError
from acp_nvim.registry import installed, installer
from acp_nvim.registry.entry import Archive, Package, Way
from acp_nvim.registry.installed import version_of
from acp_nvim.registry.installer import Installer
from acp_nvim.registry.plan import Plan
from acp_nvim.workspace.launching import available, launch
from tests.support.file_server import Answer, FileServer

PROGRAM = b"#!/bin/sh\necho robo\n"
SHA = hashlib.sha256(PROGRAM).hexdigest()


class Terminals(LoginTerminals):
    """Runs `act` in place of a command, in the folder where that would run."""

    def __init__(self, act: Callable[[Path], int | None] = lambda folder: 0) -> None:
        self.act = act
        self.programs: list[LoginProgram] = []

    async def run(self, title: str, program: LoginProgram) -> int | None:
        self.programs.append(program)
        return self.act(Path(program.cwd))

    def ended(self, number: int, code: int | None) -> None:
        return


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of all agents."""
    return tmp_path / "acp.nvim" / "agents"


@pytest.fixture
def server() -> Iterator[FileServer]:
    with FileServer() as started:
        yield started


def plan(folder: Path, way: Way, number: int = 1) -> Plan:
    argv = () if isinstance(way, Archive) else ("npm", "install")
    return Plan("robo", way, "1.0.0", str(folder / f"robo-{number}"), argv)


async def install(
    folder: Path, way: Way, terminals: Terminals | None = None, *, number: int = 1
) -> None:
    it = Installer(lambda: str(folder), terminals or Terminals())
    await it.install(plan(folder, way, number), "Robo", {"PATH": "/bin"}, local=True)
    assert not it.jobs


async def refusal(folder: Path, way: Way, terminals: Terminals | None = None) -> str:
    """Return what is said; nothing of it may be left."""
    with pytest.raises(UserError) as raised:
        await install(folder, way, terminals)
    assert not [it for it in folder.iterdir() if it.name != "installed.json"]
    assert not installed.installed(str(folder))
    return str(raised.value)


async def test_a_program_is_downloaded_and_can_be_started_by_name(
    folder: Path, server: FileServer
) -> None:
    way = Archive(server.put("/robo", PROGRAM), "robo", SHA, ("acp",), {"A": "b", "NVIM": "x"})
    await install(folder, way)
    found = installed.installed(str(folder))
    options = parse({})[0]
    started = launch("robo", options, root="/", cwd="/", installs=found)
    assert started.command == f"{folder}/robo-1/agent/robo"
    assert Path(started.command).read_bytes() == PROGRAM
    assert started.args == ("acp",)
    assert started.env
    assert started.env["A"] == "b"
    assert "NVIM" not in started.env
    rows = {row["name"]: row for row in available(options, root="/", installs=found)}
    assert rows["robo"]["found"]
    assert list((folder / "robo-1").iterdir()) == [folder / "robo-1" / "agent"]


async def test_what_the_user_has_configured_counts(folder: Path, server: FileServer) -> None:
    await install(folder, Archive(server.put("/robo", PROGRAM), "robo", SHA, ("acp",)))
    options = parse({"agents": {"robo": {"command": "/bin/mine", "args": ["--own"]}}})[0]
    found = installed.installed(str(folder))
    started = launch("robo", options, root="/", cwd="/", installs=found)
    assert (started.command, started.args) == ("/bin/mine", ("--own",))


async def test_another_checksum(folder: Path, server: FileServer) -> None:
    way = Archive(server.put("/robo", PROGRAM), "robo", "ab" * 32)
    said = await refusal(folder, way)
    assert said == (
        f"robo is not installed: its checksum is {SHA[:12]}…, not abababababab…, as the registry "
        "says: what came was thrown away"
    )


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(status=404), "there is nothing at this address (status 404)"),
        (Answer(b"<html>", "text/html"), "it answers with a web page"),
        (Answer(b"<html>"), "it is neither an archive nor a program"),
        (Answer(PROGRAM, length=9_999), "the connection was closed before all had come"),
        (Answer(PROGRAM, length=2 << 30), "it is larger than 1024 MB"),
    ],
)
async def test_a_download_that_fails(
    folder: Path, server: FileServer, answer: Answer, said: str
) -> None:
    refused = await refusal(folder, Archive(server.put("/robo", answer), "robo"))
    assert refused.startswith("robo is not installed: ")
    assert said in refused


async def test_a_registry_elsewhere_does_not_lead_to_this_machine(
    folder: Path, server: FileServer
) -> None:
    it = Installer(lambda: str(folder), Terminals())
    way = Archive(server.put("/robo", PROGRAM), "robo", SHA)
    with pytest.raises(UserError, match="an address on this machine is refused"):
        await it.install(plan(folder, way), "Robo", {}, local=False)
    assert not server.requests


async def test_a_download_is_stopped(folder: Path, server: FileServer) -> None:
    gate = threading.Event()
    way = Archive(server.put("/robo", Answer(PROGRAM, gate=gate)), "robo", SHA)
    it = Installer(lambda: str(folder), Terminals())
    said: list[str] = []

    async def run() -> None:
        with pytest.raises(UserError) as raised:
            await it.install(plan(folder, way), "Robo", {}, local=True)
        said.append(str(raised.value))

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            while "MB are here" not in it.jobs.get("robo", ""):
                await anyio.lowlevel.checkpoint()
            with pytest.raises(UserError, match="robo is being installed"):
                await it.install(plan(folder, way, 2), "Robo", {}, local=True)
            assert it.cancel("robo")
    gate.set()
    assert said == ["robo is not installed: you have stopped it"]
    assert not list(folder.iterdir())
    assert not it.cancel("robo")


def npm(bins: object, *programs: str) -> Callable[[Path], int]:
    """Return what npm would leave of the package @robo/cli."""

    def act(folder: Path) -> int:
        package = folder / "node_modules" / "@robo" / "cli"
        package.mkdir(parents=True)
        (package / "package.json").write_text(json.dumps({"version": "1.2.3", "bin": bins}))
        (folder / "node_modules" / ".bin").mkdir()
        for name in programs:
            (package / name).write_bytes(PROGRAM)
            (package / name).chmod(0o755)
            (folder / "node_modules" / ".bin" / name).symlink_to(f"../@robo/cli/{name}")
        return 0

    return act


@pytest.mark.parametrize(
    ("bins", "program", "wanted"),
    [
        ("./cli", "cli", ""),
        ({"cli": "./cli", "other": "./cli"}, "cli", ""),
        ({"robo": "./robo"}, "robo", ""),
        ({"a": "./a", "b": "./b"}, "b", "b"),
    ],
)
async def test_a_package_of_npm(folder: Path, bins: object, program: str, wanted: str) -> None:
    terminals = Terminals(npm(bins, program))
    await install(folder, Package("npm", "@robo/cli", command=wanted), terminals)
    found = installed.installed(str(folder))["robo"]
    assert found.command == f"{folder}/robo-1/node_modules/.bin/{program}"
    ran = terminals.programs[0]
    assert (ran.argv, ran.cwd) == (("npm", "install"), f"{folder}/robo-1")
    assert "NVIM" not in ran.env


async def test_a_package_of_pypi(folder: Path) -> None:
    def act(place: Path) -> int:
        (place / "bin").mkdir()
        (place / "bin" / "robo-acp").write_bytes(PROGRAM)
        (place / "bin" / "robo-acp").chmod(0o755)
        return 0

    await install(folder, Package("pypi", "robo[acp]", "1.0.0"), Terminals(act))
    assert installed.installed(str(folder))["robo"].command == f"{folder}/robo-1/bin/robo-acp"


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda folder: 3, "robo is not installed (exit code 3)"),
        (lambda folder: None, "robo is not installed (its terminal was closed)"),
        (lambda folder: 0, "robo is not installed: no program cli has come of it"),
        (npm("./cli"), "robo is not installed: no program cli has come of it"),
        (npm({"../../../bin/sh": "x"}), "robo is not installed: no program sh has come of it"),
        (npm(3), "robo is not installed: no program cli has come of it"),
    ],
)
async def test_a_package_that_does_not_come(
    folder: Path, act: Callable[[Path], int | None], said: str
) -> None:
    assert await refusal(folder, Package("npm", "@robo/cli"), Terminals(act)) == said


async def test_a_program_that_is_a_link_to_elsewhere_is_none(folder: Path) -> None:
    def act(place: Path) -> int:
        (place / "node_modules" / ".bin").mkdir(parents=True)
        (place / "node_modules" / ".bin" / "cli").symlink_to("/bin/sh")
        return 0

    said = await refusal(folder, Package("npm", "@robo/cli"), Terminals(act))
    assert said == "robo is not installed: no program cli has come of it"


async def test_a_newer_version_takes_the_place_of_the_older(
    folder: Path, server: FileServer
) -> None:
    way = Archive(server.put("/robo", PROGRAM), "robo", SHA)
    await install(folder, way)
    await install(folder, way, number=2)
    assert installed.installed(str(folder))["robo"].folder == f"{folder}/robo-2"
    assert sorted(it.name for it in folder.iterdir()) == ["installed.json", "robo-2"]


async def test_a_folder_that_another_neovim_has_made_is_let_alone(
    folder: Path, server: FileServer
) -> None:
    (folder / "robo-1").mkdir(parents=True)
    (folder / "robo-1" / "theirs").touch()
    with pytest.raises(UserError, match=f"robo is not installed: {os.strerror(errno.EEXIST)}"):
        await install(folder, Archive(server.put("/robo", PROGRAM), "robo", SHA))
    assert (folder / "robo-1" / "theirs").exists()


async def test_an_agent_is_removed(folder: Path, server: FileServer) -> None:
    await install(folder, Archive(server.put("/robo", PROGRAM), "robo", SHA))
    await installer.remove(str(folder), "robo")
    assert [it.name for it in folder.iterdir()] == ["installed.json"]
    with pytest.raises(UserError, match="robo was not installed by acp"):
        await installer.remove(str(folder), "robo")


async def test_a_record_that_names_a_folder_elsewhere_removes_nothing(
    tmp_path: Path, folder: Path
) -> None:
    (tmp_path / "precious").mkdir()
    new = installed.Installed("robo", "Robo", "/bin/sh", str(tmp_path / "precious"), "npm: robo")
    installed.remember(str(folder), new)
    await installer.remove(str(folder), "robo")
    assert (tmp_path / "precious").exists()


def test_what_an_installation_left_that_died_is_removed_later(folder: Path) -> None:
    (folder / "robo-1").mkdir(parents=True)
    (folder / "robo-2").mkdir()
    kept = installed.Installed("robo", "Robo", "/bin/sh", str(folder / "robo-2"), "npm: robo")
    installed.remember(str(folder), kept)
    installed.clear(str(folder))
    assert (folder / "robo-1").exists()
    later = (folder / "robo-1").stat().st_mtime + installed.ABANDONED + 60
    installed.clear(str(folder), now=later)
    assert sorted(it.name for it in folder.iterdir()) == ["installed.json", "robo-2"]


@pytest.mark.parametrize("text", ["", "{}", "[3]", '[{"name": "x"}]', "\0"])
def test_a_record_that_is_broken_is_none(folder: Path, text: str) -> None:
    folder.mkdir(parents=True)
    (folder / "installed.json").write_text(text)
    assert installed.installed(str(folder)) == {}


@pytest.mark.parametrize("said", ["[1]", "null", '"x"', "[" * 100_000, "{", '{"version": [1]}'])
def test_a_package_that_says_anything_of_itself_has_no_version(tmp_path: Path, said: str) -> None:
    program = tmp_path / "node_modules" / "robo" / "cli.js"
    program.parent.mkdir(parents=True)
    program.touch()
    (program.parent / "package.json").write_text(said)
    assert version_of(str(program)) == ""
