"""Installs agents, once the user has agreed to a `Plan`: nothing half done stays."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import IO

import anyio
from anyio.from_thread import check_cancelled
from msgspec import Struct, field

from acp_nvim.editor import LoginProgram, LoginTerminals
from acp_nvim.errors import UserError
from acp_nvim.registry import installed, unpack
from acp_nvim.registry.entry import Archive, Package
from acp_nvim.registry.installed import Installed, package, version_of
from acp_nvim.registry.plan import Plan
from acp_nvim.storage import private
from acp_nvim.transport import download as network
from acp_nvim.transport.door import door

MOST = 1 << 30
"""Bytes of what is downloaded."""
ATTEMPTS, PAUSE = 5, 0.2
"""How often a folder is removed that is still written in, and the seconds in between."""


class Job(Struct):
    """An installation that runs."""

    says: str
    """What it does at the moment."""
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)


class Installer:
    """What is being installed; one at a time of each name."""

    def __init__(self, folder: Callable[[], str], terminals: LoginTerminals) -> None:
        """Take the folder of all agents, asked at each use, and where commands are run."""
        self._folder = folder
        self._terminals = terminals
        self._jobs: dict[str, Job] = {}

    @property
    def jobs(self) -> Mapping[str, str]:
        """What is done, by agents that are being installed."""
        return {name: job.says for name, job in self._jobs.items()}

    def cancel(self, agent: str) -> bool:
        """Stop installing it; False if it is not being installed."""
        job = self._jobs.get(agent)
        if job is not None:
            job.scope.cancel()
        return job is not None

    async def install(self, plan: Plan, title: str, env: Mapping[str, str], *, local: bool) -> None:
        """Carry out a plan; raises `UserError`. `local`: addresses on this machine may be asked."""
        if plan.agent in self._jobs:
            raise UserError(f"{plan.agent} is being installed")
        job = self._jobs[plan.agent] = Job("is being installed")
        try:
            with job.scope:
                await self._install(plan, title, env, job, local=local)
        except OSError as error:
            said = error.strerror or error
            raise UserError(f"{plan.agent} is not installed: {said}") from error
        finally:
            del self._jobs[plan.agent]
        if job.scope.cancelled_caught:
            raise UserError(f"{plan.agent} is not installed: you have stopped it")

    async def _install(
        self, plan: Plan, title: str, env: Mapping[str, str], job: Job, *, local: bool
    ) -> None:
        installed.clear(self._folder())
        _make(Path(plan.folder))
        try:
            if isinstance(plan.way, Archive):
                command = await self._download(plan, plan.way, job, local=local)
            else:
                command = await self._run(plan, plan.way, env)
            _check(plan, command)
            new = Installed(
                name=plan.agent,
                title=title,
                command=str(command),
                folder=plan.folder,
                origin=plan.way.origin,
                version=plan.version or version_of(str(command)),
                args=plan.way.args,
                env=plan.way.env,
            )
            old = installed.remember(self._folder(), new)
        except BaseException:
            await _remove(plan.folder)
            raise
        if old is not None and old.folder != plan.folder:
            await _remove(old.folder)

    # --- packages

    async def _run(self, plan: Plan, way: Package, env: Mapping[str, str]) -> Path:
        # there, no project's configuration of npm or uv is obeyed
        program = LoginProgram(argv=plan.argv, env=env, cwd=plan.folder)
        code = await self._terminals.run(f"{plan.agent}: {plan.shown}", program)
        if code != 0:
            how = "its terminal was closed" if code is None else f"exit code {code}"
            raise UserError(f"{plan.agent} is not installed ({how})")
        return _of_npm(plan, way) if way.source == "npm" else _of_pypi(plan, way)

    # --- downloads

    async def _download(self, plan: Plan, way: Archive, job: Job, *, local: bool) -> Path:
        door(network, plan.agent)
        archive, place = Path(plan.folder, "download"), Path(plan.folder, "agent")
        private.make_folder(place)

        def progress(count: int, total: int) -> None:
            of_total = f" of {total / 2**20:.0f}" if total else ""
            job.says = f"{count / 2**20:.0f}{of_total} MB are here"

        try:
            with _new(archive) as into:
                wanted = network.Download(way.url, MOST, local)
                digest = await network.download(wanted, into, progress)
            if way.sha256 and digest != way.sha256:
                said = (
                    f"its checksum is {digest[:12]}…, not {way.sha256[:12]}…, as the registry says"
                )
                raise UserError(f"{said}: what came was thrown away")  # noqa: TRY301
            job.says = "is being unpacked"
            program = await anyio.to_thread.run_sync(
                unpack.unpack, archive, place, way.command, check_cancelled
            )
        except UserError as error:
            raise UserError(f"{plan.agent} is not installed: {error}") from error
        finally:
            private.remove(archive)
        return program


def _make(folder: Path) -> None:
    private.make_folder(folder.parent)
    folder.mkdir(0o700)  # another Neovim may do the same: one of the two fails


def _new(file: Path) -> IO[bytes]:
    return file.open("xb")


def _is_there(path: str) -> bool:
    return os.path.lexists(path)


async def remove(folder: str, name: str) -> None:
    """Remove an agent that was installed by us; raises `UserError` for any other."""
    try:
        gone = installed.forget(folder, name)
    except OSError as error:
        raise UserError(f"{name} cannot be removed: {error.strerror}") from error
    if gone is None:
        raise UserError(f"{name} was not installed by acp.nvim")
    if os.path.dirname(gone.folder) == folder:
        await _remove(gone.folder)


async def _remove(folder: str) -> None:
    """Remove a folder; what has just been stopped may still be writing in it."""
    with anyio.CancelScope(shield=True):
        for _ in range(ATTEMPTS):
            await anyio.to_thread.run_sync(partial(shutil.rmtree, folder, ignore_errors=True))
            if not _is_there(folder):
                return
            await anyio.sleep(PAUSE)


def _check(plan: Plan, command: Path) -> None:
    """Make sure that the program is there, and is what was installed."""
    root = os.path.realpath(plan.folder)
    is_inside = os.path.commonpath([root, os.path.realpath(command)]) == root
    if not is_inside or not command.is_file() or not os.access(command, os.X_OK):
        raise UserError(f"{plan.agent} is not installed: no program {command.name} has come of it")


def _of_npm(plan: Plan, way: Package) -> Path:
    """Return the program of a package: the one that is wanted, else as `npx` chooses it."""
    modules = Path(plan.folder, "node_modules")
    said = package(modules / way.name / "package.json")
    name = way.command or _only(said.get("bin"), way.name.rpartition("/")[2])
    return modules / ".bin" / name


def _only(programs: object, name: str) -> str:
    if isinstance(programs, dict) and len(programs) == 1 and name not in programs:
        return os.path.basename(str(next(iter(programs))))
    return name


def _of_pypi(plan: Plan, way: Package) -> Path:
    name = way.command or way.name.partition("[")[0]
    folder = Path(plan.folder, "bin")
    if not (folder / name).exists() and not way.command:
        found = [it.name for it in folder.iterdir()] if folder.is_dir() else []
        name = found[0] if len(found) == 1 else name
    return folder / name
