"""The list of agents as it was fetched last: kept on disk, to be there without a network."""

from __future__ import annotations

import io
import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import anyio
from msgspec import Struct

from acp_nvim.errors import UserError
from acp_nvim.registry.entry import Entry, parse
from acp_nvim.storage import private
from acp_nvim.transport import download as network
from acp_nvim.transport.door import door

PUBLIC = "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json"
"""The registry of the protocol itself."""
MOST = 8 << 20
"""Bytes of a list."""
TAKEN = 60.0
"""Seconds in which it must be here."""

_MACHINES = {"arm64": "aarch64", "amd64": "x86_64"}


class Listing(Struct, frozen=True):
    """What the registry at that address has listed, and when: seconds since 1970."""

    url: str
    fetched: float
    text: str
    entries: tuple[Entry, ...]

    def __repr__(self) -> str:
        return f"Listing(url={self.url!r}, fetched={self.fetched!r}, entries={self.entries!r})"


def this_machine() -> str:
    """Return what registries call a machine like this one: "linux-x86_64"."""
    here = os.uname()
    machine = here.machine.lower()
    return f"{here.sysname.lower()}-{_MACHINES.get(machine, machine)}"


class Registry:
    """The list of agents of one address; `folder` is asked at each use, for it comes late."""

    def __init__(self, folder: Callable[[], str]) -> None:
        self._folder = folder
        self._listing: Listing | None = None
        self.problem = ""
        """Why it could not be fetched the last time."""
        self.is_fetching = False

    def listing(self, url: str) -> Listing | None:
        """Return what was fetched from there last; None if nothing was, or it cannot be read."""
        if self._listing is None or self._listing.url != url:
            self._listing = _read(self._path, url)
        return self._listing

    async def fetch(self, url: str) -> Listing:
        """Fetch the list anew and keep it; raises `UserError`, and then what was kept stays."""
        self.is_fetching, self.problem = True, ""
        try:
            self._listing = await _fetch(url)
        except UserError as error:
            self.problem = str(error)
            raise
        finally:
            self.is_fetching = False
        self._keep(self._listing)
        return self._listing

    @property
    def _path(self) -> Path:
        return Path(self._folder(), "list.json")

    def _keep(self, listing: Listing) -> None:
        record = {"url": listing.url, "fetched": listing.fetched, "text": listing.text}
        with suppress(OSError):  # then it is fetched again
            private.replace(self._path, json.dumps(record))


def _read(path: Path, url: str) -> Listing | None:
    try:
        if path.stat().st_size > 2 * MOST:
            return None
        with private.read(path) as file:
            record = json.load(file)
        if record["url"] != url:
            return None
        return _listing(url, float(record["fetched"]), str(record["text"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError, UserError):
        return None


def _listing(url: str, fetched: float, text: str) -> Listing:
    return Listing(url, fetched, text, parse(text, this_machine()))


async def _fetch(url: str) -> Listing:
    door(network, "the list of agents")
    body = io.BytesIO()
    with anyio.move_on_after(TAKEN) as scope:
        wanted = network.Download(url, MOST, local=network.is_local(url))
        await network.download(wanted, body, lambda _count, _total: None)
    if scope.cancelled_caught:
        raise UserError(f"{network.shown(url)}: it is not here within {TAKEN:.0f} seconds")
    text = body.getvalue().decode("utf-8", "replace")
    try:
        return await anyio.to_thread.run_sync(_listing, url, time.time(), text)
    except UserError as error:
        raise UserError(f"{network.shown(url)} {error}: check the option registry") from error
