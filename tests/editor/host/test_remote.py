"""An agent behind an address, from a real Neovim: headers by Lua, an outage, and what is told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.agents.socket_thread import SocketThread
from tests.support.files.kept import kept
from tests.support.main_job import MainJob

SECRET = "Bearer 3fe1-secret"


@pytest.fixture
def far() -> Iterator[SocketThread]:
    """Yield an agent that is elsewhere, which is here."""
    with SocketThread() as agent:
        yield agent


def opened(job: MainJob) -> dict[str, Any]:
    """Start it; return its session."""
    job.command("AcpStart far")
    job.until(lambda: job.session() and job.session()["state"] == "idle")
    return job.session()


def test_headers_by_a_function_are_asked_for_at_each_connection(far: SocketThread) -> None:
    with MainJob() as job:
        job.nvim.lua(
            """local url, secret = ...
            _G.count = 0
            require('acp').setup({ agents = { far = { url = url, headers = function()
              _G.count = _G.count + 1
              return { Authorization = secret .. _G.count }
            end } } })""",
            far.url,
            SECRET,
        )
        opened(job)
        job.told(f"far is at {far.url.removesuffix('/acp')}, new to you")
        far.cut()
        job.until(lambda: len(far.headers) == 2)
        job.until(lambda: job.session()["state"] == "idle")
        assert "as before" in "\n".join(job.chat())
        sent = [headers["Authorization"] for headers in far.headers]
        assert sent == [SECRET + "1", SECRET + "2"]
        job.command("checkhealth acp")
        health = "\n".join(job.nvim.api.nvim_buf_get_lines(0, 0, -1, False))
        assert f"far 1: {far.url}" in health and "vim.g.acp is valid" in health
        assert SECRET not in kept(job.folder, "**/*")
        assert SECRET not in str(job.inspect()) + health + job.nvim.messages()


def test_a_table_of_headers_never_leaves_the_editor_but_to_connect(far: SocketThread) -> None:
    options = {"agents": {"far": {"url": far.url, "headers": {"X-Key": SECRET}}}}
    with MainJob(options) as job:
        opened(job)
        assert far.headers[0]["X-Key"] == SECRET
        told = job.nvim.lua("return require('acp.host.options').get()")
        assert told["agents"]["far"]["headers"] == {"X-Key": ""}
        job.command("AcpPrompt hello")
        job.until(lambda: "you said hello" in "\n".join(job.chat()))


@pytest.mark.parametrize(
    ("headers", "sentence"),
    [
        ("function() error('no key ring', 0) end", "is a function that fails: no key ring"),
        ("function() return 'x' end", "must be a table, or a function that returns one"),
        ("function() return { A = 5 } end", "the value of A must be a string"),
    ],
)
def test_headers_that_are_none(far: SocketThread, headers: str, sentence: str) -> None:
    with MainJob() as job:
        code = "require('acp').setup({ agents = { far = { url = ..., headers = %s } } })"
        job.nvim.lua(code % headers, far.url)
        job.command("AcpStart far")
        job.told("agents.far.headers", sentence)
        job.usable()
        assert not far.headers


def test_what_is_no_address_is_told_with_the_key(job: MainJob) -> None:
    job.start()
    for url in ("example.com/acp", "https://me:pass@example.com/", "ftp://example.com"):
        job.nvim.lua("require('acp').setup({ agents = { far = { url = ... } } })", url)
        job.command("checkhealth acp")
        health = "\n".join(job.nvim.api.nvim_buf_get_lines(0, 0, -1, False))
        assert "vim.g.acp.agents.far.url must be the address of an agent" in health
        assert "pass" not in health
