"""The bridge: starts the host, talks to it, and cleans up after it. The host is a fake one."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.fakes.fake_host import HostStage, script, until_gone
from tests.support.nvim import Neovim
from tests.support.screen.grid import Screen

pytestmark = pytest.mark.usefixtures("cold")

WAITS = """
_G.waits = {}
local wait = vim.wait
vim.wait = function(milliseconds, ...)
  table.insert(_G.waits, milliseconds)
  return wait(milliseconds, ...)
end
"""
"""Keeps how long Lua was ready to wait: how long it took, a busy machine decides."""
AWAITED = """
local path, wait = ..., vim.fn.jobwait
vim.fn.jobwait = function(jobs, milliseconds)
  vim.fn.writefile({ milliseconds }, path, 'a')
  return wait(jobs, milliseconds)
end
"""
"""The same of waiting for jobs, in a file."""


@pytest.fixture
def stage() -> Iterator[HostStage]:
    with HostStage() as started:
        yield started


def test_nothing_runs_before_the_first_use(stage: HostStage) -> None:
    snapshot = stage.nvim.lua("return require('acp').inspect()")
    assert snapshot["host"] == {"running": False}
    assert snapshot["sessions"] == snapshot["connections"] == snapshot["asks"] == []
    assert not stage.running()


def test_the_configuration_goes_first_and_again_when_it_changes(stage: HostStage) -> None:
    for _ in range(2):
        assert stage.notify("start", {"agent": "x"})
    stage.until_told("start", 2)
    assert [it[0] for it in stage.nvim.lua("return _G.told")] == ["configure", "start", "start"]
    first = stage.told("configure")[0]
    assert first["options"] == {"python": sys.executable, "context": "off"}
    assert first["paths"]["root"] == str(stage.root)
    assert first["paths"]["data"].endswith("/acp.nvim")
    stage.nvim.lua("require('acp').setup({ log = { level = 'debug' } })")
    stage.notify("start")
    assert stage.until_told("configure", 2)["options"]["log"] == {"level": "debug"}


def test_the_configuration_may_be_a_function_and_setup_goes_over_it(stage: HostStage) -> None:
    stage.nvim.lua(
        """local python = vim.g.acp.python
        vim.g.acp = function()
          return { python = python, default_keys = false, default_agent = 'a', hook = print }
        end
        require('acp').setup({ default_agent = 'b', agents = { mine = { args = {} } } })"""
    )
    stage.notify("start")
    assert stage.until_told("configure")["options"] == {
        "python": sys.executable,
        "default_keys": False,
        "default_agent": "b",
        "agents": {"mine": {"args": []}},
    }


def test_mistakes_in_the_configuration_are_told_once_and_kept() -> None:
    with HostStage({"problems": ["one is odd", "two is odd"]}) as stage:
        for number in range(2):
            stage.nvim.lua("require('acp').setup({ number = ... })", number)
            stage.notify("start")
            stage.until_told("start", number + 1)
        assert stage.messages() == ["acp: one is odd (and 1 more, see :checkhealth acp)"]
        problems = stage.nvim.lua("return require('acp.host.bridge').problems")
        assert problems == ["one is odd", "two is odd"]


def test_a_configuration_that_is_no_table(stage: HostStage) -> None:
    stage.nvim.lua("local p = vim.g.acp.python ; vim.g.python3_host_prog = p ; vim.g.acp = 5")
    assert stage.call("start") == [None, {}]
    expected = "acp: vim.g.acp is a number: it must be a table, or a function that returns one"
    assert stage.messages() == [expected]


def test_a_configuration_that_fails(stage: HostStage) -> None:
    stage.nvim.lua(
        "vim.g.python3_host_prog = vim.g.acp.python ; vim.g.acp = function() error('oh no', 0) end"
    )
    assert stage.call("start") == [None, {}]
    assert stage.messages() == ["acp: vim.g.acp is a function that fails: oh no"]


def test_a_call_is_answered(stage: HostStage) -> None:
    assert stage.call("echo", {"a": [1, 2]}) == [None, {"a": [1, 2]}]


def test_the_host_is_killed(stage: HostStage) -> None:
    chat = stage.nvim.lua("return require('acp.chat.window').open_session('x').chat")
    child = stage.child()
    first = stage.host()
    stage.nvim.lua("require('acp.host.bridge').call('ignore', {}, function(err) _G.err = err end)")
    os.kill(first, signal.SIGKILL)
    stage.nvim.wait("_G.err ~= nil")
    until_gone(child)
    messages = stage.messages()
    assert len(messages) == 1
    assert "the host ended (exit code 137)" in messages[0]
    assert not stage.nvim.mode()["blocking"]
    assert stage.nvim.lua("return vim.b[...].acp_status.state", chat) == "closed"
    snapshot = stage.nvim.lua("return require('acp').inspect()")
    assert snapshot["host"]["running"] is False
    assert "exit code 137" in snapshot["host"]["error"]
    assert stage.call("echo", {"b": 1}) == [None, {"b": 1}]
    assert stage.host() != first


KILLED = """
local channel = vim.iter(vim.api.nvim_list_chans()):find(function(it)
  return it.stream == 'job'
end)
vim.uv.kill(..., 'sigkill')
repeat -- no exit is told meanwhile, but the channel closes
  vim.fn.system({ 'true' })
until not pcall(vim.rpcnotify, channel.id, 'acp', 'ignore', {}, vim.NIL)
assert(require('acp.host.bridge').running())
"""
"""The host of this process id is dead, and nobody was told so yet."""


def test_a_command_right_after_the_host_was_killed_starts_a_new_one(stage: HostStage) -> None:
    stage.call("echo")
    first = stage.host()
    assert stage.nvim.lua(
        KILLED + "return require('acp.host.bridge').notify('start', { agent = 'y' })", first
    )
    stage.until_told("start")
    assert stage.host() != first


TOLD_BY_EVENTS = {
    "what goes along": """
    require('acp.prompt.attachment').ask(require('acp.chat.registry').all()[1])
    """,
    "what the user chose": """
    vim.ui.select = function(_, _, done)
      done(nil, nil)
    end
    require('acp.ui.choose').select(1, 'which', 'acp', {})
    """,
    "the size of a terminal": "vim.cmd.sbuffer(require('acp.chat.terminal').open(7, 'acp://x/7'))",
}


@pytest.mark.parametrize("event", TOLD_BY_EVENTS.values(), ids=TOLD_BY_EVENTS)
def test_what_an_event_tells_starts_no_host(stage: HostStage, event: str) -> None:
    stage.nvim.lua(
        """local chat = require('acp.chat.window').open_session('x')
        chat.status = { agent = 'x', state = 'idle' }"""
    )
    stage.call("echo")
    stage.nvim.lua(KILLED + event, stage.host())
    stage.nvim.wait("not require('acp').inspect().host.running")
    stage.nvim.lua("vim.wait(20)")
    assert not stage.nvim.lua("return require('acp').inspect().host.running")


def test_a_program_that_is_not_there() -> None:
    with HostStage({"python": "/no/such/python"}) as stage:
        sentence = "cannot run /no/such/python (from vim.g.acp.python): run :Acp install"
        assert stage.call("start") == [sentence, None]
        assert not stage.notify("start")
        stage.nvim.lua("vim.g.python3_host_prog = vim.g.acp.python ; vim.g.acp = {}")
        assert not stage.notify("start")
        assert stage.messages()[-1] == (
            "acp: cannot run /no/such/python (from vim.g.python3_host_prog): run :Acp install"
        )


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        ("printf 'Python 3.9' >&2; exit 3", "PATH is Python 3.9, the host needs 3.11 or newer"),
        (f'exec {sys.executable} -I -S "$@"', "Python package pynvim is missing in PATH"),
        ("echo tea >&2; echo oh no >&2; exit 7", "the host ended (exit code 7, oh no)"),
    ],
)
def test_an_interpreter_that_cannot_run_the_host(
    tmp_path: Path, program: str, sentence: str
) -> None:
    python = script(tmp_path / "python", program)
    with HostStage({"python": python}) as stage:
        err, _ = stage.call("start")
        assert err.startswith(sentence.replace("PATH", python))
        assert stage.nvim.lua("return require('acp.host.bridge').problems") == []
        assert len(stage.messages()) == 1


@pytest.fixture
def bare_python(tmp_path: Path) -> str:
    """Return a Python that has pynvim, and none of the program's other packages."""
    packages = tmp_path / "packages"
    packages.mkdir()
    for name in ("pynvim", "msgpack", "greenlet", "typing_extensions"):
        found = importlib.util.find_spec(name)
        assert found and found.origin
        path = Path(found.origin)
        path = path.parent if found.submodule_search_locations else path
        (packages / path.name).symlink_to(path)
    command = f'PYTHONPATH={packages} exec {sys.executable} -S "$@"'
    return script(tmp_path / "python", command)


def check_chat(nvim: Neovim, sentence: str) -> None:
    """What hinders the host stands in the chat as well; nothing waits for a key."""
    nvim.input(":AcpStart tutor<CR>")
    nvim.wait("require('acp').status().state == 'closed'")
    chat = nvim.lua("return require('acp.chat.window').current()")
    assert nvim.lines(chat) == [sentence]
    assert nvim.messages().splitlines()[-1].startswith("acp: ")
    assert nvim.lua("return require('acp').inspect()")["host"] == {
        "running": False,
        "error": sentence,
    }
    assert nvim.mode() == {"mode": "n", "blocking": False}


def test_a_package_of_the_program_is_missing(bare_python: str) -> None:
    with Neovim({"python": bare_python}) as nvim, Screen(nvim, 120, 30):
        sentence = f"Python package anyio is missing in {sys.executable}: run :Acp install"
        check_chat(nvim, sentence)


def test_there_is_no_such_program() -> None:
    with Neovim({"python": "/no/python"}) as nvim, Screen(nvim, 120, 30):
        check_chat(nvim, "cannot run /no/python (from vim.g.acp.python): run :Acp install")
        nvim.input(":AcpPrompt hello<CR>")
        assert nvim.messages().splitlines()[-1] == ("acp: closed: :Acp restart tutor goes on")


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("sessions", "Reading the sessions …"),
        ("agents", "Looking for agents …"),
        ("diff", "Reading the changes …"),
    ],
)
def test_a_list_says_what_comes_before_there_is_a_host(command: str, sentence: str) -> None:
    marks = "vim.api.nvim_buf_get_extmarks(0, require('acp.ui.apply').namespace, 0, -1, "
    told = f"vim.iter({marks}{{ details = true }})):map(function(it) return it[4].virt_text end)"
    with Neovim() as nvim:
        shown = nvim.lua(f"vim.cmd.Acp('{command}') return {told}:totable()")
        assert shown == [[[sentence, "AcpDim"]]]
        if command != "diff":  # here nobody has changed anything
            nvim.wait("vim.fn.wordcount().chars > 0")
            assert sentence not in str(nvim.lua(f"return {told}:totable()"))
    with Neovim({"python": "/no/python"}) as nvim:
        shown = nvim.lua(f"vim.cmd.Acp('{command}') return {told}:totable()")
        why = "cannot run /no/python (from vim.g.acp.python): run :Acp install"
        assert shown == [[[why, "AcpDim"]]]


def test_the_default_agent_cannot_be_started_for_a_prompt() -> None:
    with Neovim({"python": "/no/python", "default_agent": "tutor"}) as nvim, Screen(nvim, 120, 30):
        nvim.input(":AcpPrompt hello<CR>")
        assert nvim.messages().splitlines() == [
            "acp: cannot run /no/python (from vim.g.acp.python): run :Acp install"
        ]


def test_the_plugins_own_environment_is_preferred_to_other_pythons(nvim: Neovim) -> None:
    nvim.lua("vim.g.acp = {} ; vim.g.python3_host_prog = '~/my python'")
    find = "return { require('acp.host.interpreter').find() }"
    home = nvim.eval("$HOME")
    assert nvim.lua(find) == [f"{home}/my python", "vim.g.python3_host_prog"]
    venv = Path(nvim.lua("return require('acp.host.interpreter').venv_python()"))
    venv.parent.mkdir(parents=True)
    script(venv, "exit 0")
    assert nvim.lua(find) == [str(venv), ":Acp install"]
    nvim.lua("vim.g.acp = { python = '~/mine' }")
    assert nvim.lua(find) == [f"{home}/mine", "vim.g.acp.python"]


def test_modules_of_the_project_are_not_imported(stage: HostStage) -> None:
    for name in ("pynvim", "greenlet", "json"):
        (stage.nvim.cwd / f"{name}.py").write_text("raise SystemExit('imported')")
    assert stage.call("echo") == [None, {}]


def test_the_host_says_that_it_is_of_no_use(stage: HostStage) -> None:
    stage.notify("fail")
    stage.nvim.wait("not require('acp.host.bridge').running()")
    stage.nvim.wait(lambda: stage.messages())
    assert stage.messages() == ["acp: no package"]


def test_what_the_host_writes_to_stderr_is_logged(stage: HostStage) -> None:
    stage.notify("complain")
    stage.nvim.wait(lambda: "something is odd" in stage.log())
    assert stage.messages() == []


def test_a_late_snapshot_is_the_last_one_with_an_error(stage: HostStage) -> None:
    stage.call("echo")
    host = stage.host()
    os.kill(host, signal.SIGSTOP)
    stage.nvim.lua(WAITS)
    snapshot = stage.nvim.lua("return require('acp').inspect()")
    assert stage.nvim.lua("return _G.waits") == [1000]
    assert snapshot["host"]["pid"] == host
    assert snapshot["host"]["error"] == "no answer within a second"
    os.kill(host, signal.SIGCONT)
    stage.nvim.wait("require('acp').inspect().host.error == nil")


def test_a_snapshot_in_a_fast_event_does_not_raise(stage: HostStage) -> None:
    stage.call("echo")
    stage.nvim.lua(
        """local timer = vim.uv.new_timer()
        timer:start(0, 0, function()
          timer:close()
          _G.fast = require('acp').inspect()
        end)"""
    )
    snapshot = stage.nvim.wait("_G.fast")
    assert snapshot["host"]["error"] == "not possible in a fast event"


def test_leaving_ends_the_host_and_its_children(stage: HostStage) -> None:
    child, host = stage.child(), stage.host()
    stage.nvim.quit()
    until_gone(child, host)


def test_leaving_does_not_wait_for_a_host_that_hangs(stage: HostStage, tmp_path: Path) -> None:
    child, host = stage.child(), stage.host()
    os.kill(host, signal.SIGSTOP)
    stage.nvim.lua(AWAITED, str(tmp_path / "waits"))
    assert stage.nvim.quit() == 0
    assert (tmp_path / "waits").read_text() == "500\n"
    until_gone(child, host)
