"""A turn that ends, fails or asks in a chat that is not on screen is told."""

from __future__ import annotations

import pytest

from tests.support.fakes.spy import BridgeSpy
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim

LISTEN = """
_G.written, _G.notified = {}, {}
require('acp.ui.attention').write = function(text) table.insert(_G.written, text) end
vim.notify = function(text, level) table.insert(_G.notified, { text, level }) end
vim.env.TMUX, vim.env.TERM, vim.env.VTE_VERSION = nil, 'xterm', nil
"""
TELL = "require('acp.ui.attention').tell(...)"


@pytest.fixture
def chat(nvim: Neovim, spy: BridgeSpy) -> int:
    chat, _ = spy.open_session("show")
    nvim.lua(LISTEN)
    return chat


def use(nvim: Neovim, way: str) -> None:
    nvim.lua("vim.g.acp = { ui = { notify = ... } }", way)


def test_a_turn_that_ends_with_its_chat_closed(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("code.py", "one\ntwo\n")
    prompt = job.turn(agent)
    job.command("Acp chat close")
    path.write_text("one\nTWO\n")
    job.finish(agent, prompt)
    job.told("scripted is done, 1 file +1 −1 · 1 hunk: :Acp review")


def test_a_turn_that_fails_is_a_warning(job: MainJob) -> None:
    agent = job.start()
    prompt = job.turn(agent)
    job.command("Acp chat close")
    agent.refuse(prompt, -32603, "no money")
    assert "no money" in job.told("scripted failed")


COUNT = """
local attention = require('acp.ui.attention')
local tell = attention.tell
_G.asked = 0
attention.tell = function(...)
  tell(...)
  _G.asked = _G.asked + 1
end
"""


def test_one_that_ends_on_screen_is_not_told(job: MainJob) -> None:
    agent = job.start()
    job.nvim.lua(COUNT)
    job.finish(agent, job.turn(agent))
    job.until(lambda: job.nvim.lua("return _G.asked") == 1)
    job.command("Acp chat close")
    job.finish(agent, job.turn(agent))
    job.told("scripted is done")
    assert job.nvim.messages().count("is done") == 1


def test_an_agent_that_dies_unseen_is_told(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    job.command("Acp chat close")
    agent.exit()
    job.told("scripted", "ended")


def test_the_line_is_for_a_chat_that_is_not_on_screen(nvim: Neovim, chat: int) -> None:
    nvim.lua(TELL, chat, "show is done")
    nvim.lua(TELL, 0, "it stands in no chat")
    nvim.command("Acp chat close")
    nvim.lua(TELL, chat, "show is done, too")
    assert nvim.messages().strip().splitlines()[-1] == "acp: show is done, too"
    assert nvim.messages().count("acp:") == 1


def test_in_another_tabpage_it_is_not_seen(nvim: Neovim, chat: int) -> None:
    nvim.command("tabnew")
    nvim.lua(TELL, chat, "show is done")
    assert "show is done" in nvim.messages()


def test_off_says_nothing(nvim: Neovim, chat: int) -> None:
    use(nvim, "off")
    nvim.command("Acp chat close")
    nvim.lua(TELL, chat, "show is done")
    assert "show" not in nvim.messages()


def test_vim_notify(nvim: Neovim, chat: int) -> None:
    use(nvim, "vim.notify")
    nvim.command("Acp chat close")
    nvim.lua(TELL, chat, "show is done", False)
    nvim.lua(TELL, chat, "show failed", True)
    assert nvim.lua("return _G.notified") == [["show is done", 2], ["show failed", 3]]


def test_the_terminal_is_told_while_neovim_has_no_focus(nvim: Neovim, chat: int) -> None:
    use(nvim, "terminal")
    nvim.lua(TELL, chat, "seen")
    nvim.command("doautocmd FocusLost")
    nvim.lua(TELL, chat, "done; \x1b\x07really")
    nvim.lua("vim.env.TERM = 'foot'")
    nvim.lua(TELL, chat, "done")
    nvim.command("doautocmd FocusGained")
    nvim.lua(TELL, chat, "seen")
    assert nvim.lua("return _G.written") == [
        "\x1b]9;acp: done    really\x07",
        "\x1b]777;notify;acp.nvim;acp: done\x07",
    ]


def test_tmux_hands_it_on(nvim: Neovim, chat: int) -> None:
    nvim.lua("vim.env.TMUX = '/tmp/x,1,0'")
    sequence = nvim.lua("return require('acp.ui.attention').sequence('acp: x')")
    assert sequence == "\x1bPtmux;\x1b\x1b]9;acp: x\x07\x1b\\"


def test_a_question_of_a_chat_that_is_closed_is_told_once(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    nvim.command("Acp chat close")
    spy.open_ask(chat)
    spy.open_ask(chat, seen="something else")
    assert nvim.messages().count("tutor asks: Run the tests: :Acp permit") == 1


def test_comments_of_another_neovim_are_asked_for_with_the_focus(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    nvim.command("doautocmd FocusLost | doautocmd FocusGained")
    assert len(spy.told("refresh_comments")) == 1
    nvim.lua("require('acp.host.bridge').running = function() return false end")
    nvim.command("doautocmd FocusLost | doautocmd FocusGained")
    assert len(spy.told("refresh_comments")) == 1  # no host is started for it
