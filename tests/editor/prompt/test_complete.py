"""Completion of `:Acp` and of the slash commands in the prompt."""

from __future__ import annotations

import pytest

from acp_nvim.agents import PRESETS
from tests.support.fakes.spy import BridgeSpy
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim

STATUS = {
    "agent": "gemini",
    "state": "idle",
    "turn": 3,
    "modes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}],
    "config": [
        {"id": "model", "values": ["big", "small"]},
        {"id": "mode", "values": []},
        {"id": "web", "values": ["on", "off"]},
    ],
    "commands": [
        {"name": "plan", "description": "Make a plan", "hint": "what"},
        {"name": "play", "description": "Play it"},
        {"name": "ask", "description": "Ask"},
    ],
}


def completed(nvim: Neovim, line: str) -> list[str]:
    return list(nvim.lua("return vim.fn.getcompletion(..., 'cmdline')", line))


def open_session(spy: BridgeSpy) -> int:
    chat, prompt = spy.open_session("gemini")
    spy.frame(chat, status=STATUS)
    return prompt


@pytest.mark.parametrize("line", ["Acp ", "'<,'>Acp ", "silent Acp ", "Acp  "])
def test_sub_commands(nvim: Neovim, line: str) -> None:
    names = nvim.lua(
        "local all = require('acp.command.subcommands').list"
        " return vim.tbl_map(function(it) return it.name end, all)"
    )
    assert completed(nvim, line) == names
    assert {"start", "mode", "config", "install"} <= set(names)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Acp st", ["start", "steer", "stop"]),
        ("Acp start gem", ["gemini"]),
        ("AcpStart gem", ["gemini"]),
        ("Acp stop! gem", ["gemini"]),
        ("Acp chat ", ["open", "close", "toggle"]),
        ("Acp start gemini ", []),
        ("Acp nonsense ", []),
        ("Acp cancel ", []),
        ("Acp stop ", ["gemini"]),
        ("Acp restart ", ["gemini"]),
        ("Acp log ", ["gemini"]),
        ("Acp review ", ["3", "2", "1", "off"]),
        ("Acp diff ", ["3", "2", "1"]),
        ("Acp undo ", ["3", "2", "1"]),
        ("Acp rewind ", ["3", "2", "1"]),
        ("Acp reject ", ["file", "all", "because"]),
        ("Acp mode ", ["ask", "code"]),
        ("Acp mode c", ["code"]),
        ("Acp mode code ", []),
        ("Acp config ", ["model", "mode", "web"]),
        ("Acp config mo", ["model", "mode"]),
        ("Acp config model ", ["big", "small"]),
        ("Acp config model s", ["small"]),
        ("Acp config web o", ["on", "off"]),
        ("Acp config nothing ", []),
        ("Acp config model big ", []),
        ("AcpPrompt /pl", ["/plan", "/play"]),
        ("'<,'>AcpPrompt! /a", ["/ask"]),
        ("AcpPrompt /ask /pl", []),
        ("AcpP /pl", ["/plan", "/play"]),
        ("Acp prompt say Acp st", []),
    ],
)
def test_arguments(nvim: Neovim, spy: BridgeSpy, line: str, expected: list[str]) -> None:
    open_session(spy)
    assert completed(nvim, line) == expected


def test_agents_are_the_presets_the_tutor_and_the_users_own(nvim: Neovim) -> None:
    presets = sorted([preset.name for preset in PRESETS.values()] + ["tutor"])
    assert completed(nvim, "AcpStart ") == presets
    nvim.lua("require('acp').setup({ agents = { aaa = { command = 'x' }, gemini = {} } })")
    assert completed(nvim, "AcpStart ") == ["aaa", *presets]
    nvim.lua("vim.g.acp = { agents = 5 } ; require('acp.host.options').setup({ agents = 5 })")
    assert completed(nvim, "AcpStart ") == presets


def test_what_is_closed_cannot_be_stopped_but_started_anew(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session("gemini")
    spy.frame(chat, status=STATUS | {"state": "closed"})
    assert completed(nvim, "Acp stop ") == []
    assert completed(nvim, "Acp restart ") == ["gemini"]


def test_nothing_is_started_for_it(nvim: Neovim) -> None:
    for line in ("Acp ", "Acp start ", "Acp mode ", "AcpPrompt /"):
        completed(nvim, line)
    assert nvim.lua("return require('acp.host.bridge').running()") is False


def test_slash_commands_in_the_prompt(nvim: Neovim, spy: BridgeSpy) -> None:
    open_session(spy)
    nvim.command("set completeopt=menuone,noinsert")
    nvim.input("i/pl<C-x><C-o>")
    info = nvim.eval("complete_info(['items']).items")
    assert [(it["word"], it["menu"], it["info"]) for it in info] == [
        ("/plan", "<what> Make a plan", "Make a plan"),
        ("/play", "Play it", "Play it"),
    ]
    nvim.input("<C-y> it")
    assert nvim.lines() == ["/plan it"]


@pytest.mark.parametrize("text", ["say /pl", "first<CR>/pl", " /pl"])
def test_only_at_the_start_of_the_prompt(nvim: Neovim, spy: BridgeSpy, text: str) -> None:
    open_session(spy)
    nvim.input(f"i{text}<C-x><C-o>")
    assert nvim.eval("pumvisible()") == 0
    assert nvim.lines()[-1].endswith("/pl")


def test_prompts_of_the_users_own(job: MainJob) -> None:
    job.nvim.lua(
        "local acp = vim.g.acp acp.prompts = { tests = 'Write tests\\nfor all', x = 'y' } "
        "vim.g.acp = acp"
    )
    agent = job.start()
    assert job.nvim.eval("getcompletion('AcpPrompt /te', 'cmdline')") == ["/tests"]
    job.nvim.input("i/tests of a.py<Esc>0")
    found = job.nvim.lua(
        "return require('acp.prompt.complete').explain(require('acp.chat.registry').current(), "
        "1, '/tests of a.py', 2)"
    )
    assert found == ["/tests your prompt", "Write tests", "for all"]
    job.nvim.input("<CR>")
    prompt = agent.prompted()
    assert prompt["params"]["prompt"][0]["text"] == "Write tests\nfor all of a.py"
    job.until(lambda: any("/tests of a.py" in line for line in job.chat()))
    assert not any("Write tests" in line for line in job.chat())
    job.finish(agent, prompt)
    job.nvim.input("<Up>")
    job.until(lambda: job.nvim.lines() == ["/tests of a.py"])
    job.command("Acp export")
    job.until(lambda: "/tests of a.py" in job.nvim.lines())
