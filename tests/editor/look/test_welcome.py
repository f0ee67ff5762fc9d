"""What an empty chat teaches, and that it is gone with the first prompt."""

from __future__ import annotations

import pytest

from tests.support.fakes.spy import BridgeSpy
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim
from tests.support.screen.grid import Screen

IDLE = {"agent": "tutor", "state": "idle", "turn": 0, "queue": 0}
RECENT = {
    "lines": [
        ["AcpToolTitle", ["tutor", "Opus 5", "Ask before edits"]],
        ["AcpToolPath", ["/work/project"]],
        ["AcpWarning", ["Send anything to begin"]],
        ["AcpDim", []],
        [
            "AcpDim",
            ["i write", "<CR> send", "/ commands", "@ files", "g? all keys"],
        ],
        ["AcpDim", []],
        ["AcpDim", ["Continue an earlier session:"]],
        ["AcpDim", ["<CR>  Fix the cache · 2 h ago"]],
        ["AcpDim", ["2<CR> Write tests · 3 d ago"]],
    ],
    "sessions": [{"agent": "tutor", "session": "s/1"}, {"agent": "mine", "session": "s2"}],
}


def begin(nvim: Neovim, spy: BridgeSpy) -> int:
    chat, _ = spy.open_session()
    event = {"name": "AcpSessionStarted", "data": {"agent": "tutor"}}
    spy.frame(chat, [0, -1, [""], []], status=IDLE, events=[event])
    nvim.wait(lambda: spy.told("recent") == [{"chat": chat}])
    spy.answer(RECENT)
    return chat


@pytest.mark.parametrize("columns", [60, 80, 160])
def test_it_shows_who_is_there_the_keys_and_the_last_sessions(
    nvim: Neovim, spy: BridgeSpy, columns: int
) -> None:
    with Screen(nvim, columns=columns, rows=30) as screen:
        chat = begin(nvim, spy)
        text = "\n".join(screen.wait_for("Fix the").text())
        lessons = "Send anything to begin"
        for words in ("tutor", "Opus 5", "Ask before", "/work/project", lessons, "g? all keys"):
            assert words in text
        assert nvim.lines(chat) == [""]
        event = {"name": "AcpTurnStarted", "data": {"agent": "tutor"}}
        spy.frame(chat, [0, -1, ["hello"], []], status=IDLE | {"turn": 1}, events=[event])
        screen.wait(lambda picture: "all keys" not in "\n".join(picture.text()))


@pytest.mark.parametrize(
    ("keys", "name"), [("<CR>", "acp://tutor/s%2F1"), ("2<CR>", "acp://mine/s2")]
)
def test_an_earlier_session_is_opened(nvim: Neovim, spy: BridgeSpy, keys: str, name: str) -> None:
    chat = begin(nvim, spy)
    nvim.lua("vim.api.nvim_set_current_win(require('acp.ui.layout').window_of(...))", chat)
    nvim.input(keys)
    (payload,) = spy.told("reopen")
    assert nvim.api.nvim_buf_get_name(payload["chat"]) == name
    shown = nvim.lua("return vim.tbl_map(vim.api.nvim_win_get_buf, vim.api.nvim_list_wins())")
    assert shown == [1, payload["chat"], payload["prompt"]]
    assert spy.told("toggle") == []


def test_without_sessions_enter_is_what_it_was(nvim: Neovim, spy: BridgeSpy) -> None:
    chat = begin(nvim, spy)
    nvim.lua("vim.api.nvim_set_current_win(require('acp.ui.layout').window_of(...))", chat)
    nvim.input("3<CR>")
    assert len(spy.told("toggle")) == 1


def test_the_last_sessions_of_the_project(job: MainJob) -> None:
    agent = job.start()
    prompt = job.turn(agent, "Fix the cache")
    job.finish(agent, prompt)
    job.command(f"bwipeout! {job.session()['bufnr']}")
    job.until(lambda: not job.inspect()["sessions"])
    job.command("Acp new scripted")
    agent.open("second")
    job.until(lambda: job.session().get("state") == "idle")
    job.nvim.lua(
        """require('acp.host.bridge').call('recent', { chat = ... }, function(err, found)
          _G.found = err or found
        end)""",
        job.session()["bufnr"],
    )
    job.until(lambda: job.nvim.lua("return _G.found"))
    found = job.nvim.lua("return _G.found")
    (kept,) = found["sessions"]
    assert kept["agent"] == "scripted"
    texts = ["".join(parts) for _, parts in found["lines"]]
    assert texts[0].startswith("scripted")
    assert texts[1].endswith(job.work.name)
    assert texts[-2] == "Continue an earlier session:"
    assert texts[-1].startswith("<CR>  Fix the cache · ")
