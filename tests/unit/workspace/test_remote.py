"""Remote agents: what is loaded for them, which hosts are known, and what is said of new ones."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from acp_nvim.config import parse
from acp_nvim.errors import UserError
from acp_nvim.storage.remembered import Told
from acp_nvim.transport import door
from acp_nvim.view.attention import introduction
from acp_nvim.workspace.launching import available, launch, start

LOADED = """
import sys
import acp_nvim.app, acp_nvim.nvim.editor
heavy = ("websockets", "httpx2", "truststore", "tarfile", "ssl")
print([name for name in heavy if name in sys.modules])
"""


def test_the_libraries_are_loaded_only_when_an_agent_is_remote() -> None:
    command = [sys.executable, "-c", LOADED]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.strip() in ("[]", "['ssl']")  # asyncio may load ssl


async def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(module: ModuleType) -> None:
        raise ModuleNotFoundError("no", name="websockets")

    monkeypatch.setattr(door.lazy, "load", missing)
    options, _ = parse({"agents": {"far": {"url": "ws://x"}}})
    with pytest.raises(UserError, match="far needs the Python package websockets: run :Acp inst"):
        await start(launch("far", options, root="/", cwd="/"), lambda group, alive: None)


def test_it_stands_among_the_agents_that_are_found() -> None:
    options, _ = parse({"agents": {"far": {"url": "wss://x/acp?key=3fe1"}}})
    row = available(options, root="/")[0]
    assert (row["name"], row["command"], row["found"]) == ("far", "wss://x/acp", True)


def test_a_host_is_new_once(tmp_path: Path) -> None:
    hosts = Told(lambda: str(tmp_path / "remote"))
    assert [hosts.first(it) for it in ("wss://a", "wss://b", "wss://a")] == [True, True, False]
    again = Told(lambda: str(tmp_path / "remote"))
    assert not again.first("wss://b")


def test_a_host_that_cannot_be_kept_is_new_once_in_this_host() -> None:
    hosts = Told(lambda: "/proc/nowhere")
    assert [hosts.first("wss://a"), hosts.first("wss://a")] == [True, False]


@pytest.mark.parametrize(
    ("place", "is_plain"),
    [
        ("ws://example.com", True),
        ("http://10.0.0.1:80", True),
        ("wss://example.com", False),
        ("ws://localhost:80", False),
        ("ws://localhost", False),
        ("http://[::1]:80", False),
        ("http://127.0.0.1:80", False),
    ],
)
def test_a_connection_that_others_can_read_is_told(place: str, *, is_plain: bool) -> None:
    assert introduction("far", place, []).endswith("not encrypted") is is_plain
