"""`:Acp why`: a float at the cursor that says who wrote the line."""

from __future__ import annotations

from typing import Any

from acp_nvim.nvim.plain import op
from acp_nvim.view.op import Replace
from acp_nvim.view.review.why import why
from tests.support.fakes.spy import BridgeSpy
from tests.support.files.reviews import author
from tests.support.nvim import Neovim

FLOAT = "vim.api.nvim_win_get_config(0).relative ~= ''"


def answer(**place: int) -> dict[str, Any]:
    lines = why(author(3), "pending", "14:02", in_chat=bool(place))
    return {"ops": [op(Replace(0, -1, lines))], **place}


def ask(nvim: Neovim) -> None:
    path = (nvim.cwd / "a.txt").resolve()
    path.write_text("one\ntwo\nthree\n")
    nvim.command(f"edit {path} | 2 | Acp why")


def test_it_says_who_wrote_the_line(nvim: Neovim, spy: BridgeSpy) -> None:
    ask(nvim)
    assert spy.told("why") == [{"path": str((nvim.cwd / "a.txt").resolve()), "line": 2}]
    spy.answer(answer())
    assert nvim.lua(f"return {FLOAT}")
    assert nvim.lines() == ["gemini · turn 3  pending · 14:02", "> Fix it"]
    config = nvim.api.nvim_win_get_config(0)
    assert (config["width"], config["height"]) == (32, 2)
    float_buffer = nvim.eval("bufnr()")
    nvim.input("q")
    assert nvim.eval("[expand('%:t'), line('.')]") == ["a.txt", 2]
    assert not nvim.eval(f"bufexists({float_buffer})")


def test_leaving_it_closes_it(nvim: Neovim, spy: BridgeSpy) -> None:
    ask(nvim)
    spy.answer(answer())
    nvim.input("<C-w>w")
    nvim.wait("#vim.api.nvim_list_wins() == 1")
    assert nvim.messages() == ""


def test_it_leads_to_the_chat(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    spy.frame(chat, [0, 1, [f"line {number}" for number in range(50)], []])
    nvim.command("wincmd t")
    ask(nvim)
    spy.answer(answer(chat=chat, row=20))
    nvim.input("<CR>")
    assert nvim.eval("[bufnr(), line('.')]") == [chat, 21]
    nvim.wait(f"not ({FLOAT})")
    nvim.wait("#vim.api.nvim_list_wins() == 3")
    nvim.command("wincmd t")
    ask(nvim)
    spy.answer(answer(chat=chat, row=20))
    nvim.lua("vim.api.nvim_buf_delete(..., { force = true })", chat)
    nvim.input("<CR>")
    assert nvim.messages().splitlines()[-1] == "acp: its chat is not open"


def test_a_line_of_the_user_is_the_users(nvim: Neovim, spy: BridgeSpy) -> None:
    ask(nvim)
    spy.answer(None)
    said = "acp: nobody but you has written this line"
    assert nvim.messages().splitlines()[-1] == said
    nvim.lua("require('acp.review.hunks').put(vim.fn.bufnr(), { { 1, 2 }, { 2, 2 } })")
    for line, more in ((2, ", in a hunk of an agent: :Acp review"), (3, "")):
        nvim.command(f"{line} | Acp why")
        spy.answer(None)
        assert nvim.messages().splitlines()[-1] == said + more
    nvim.input(":enew <bar> Acp why<CR>")
    assert len(spy.told("why")) == 3
    assert "this buffer is not a file" in nvim.messages()


def test_an_answer_that_comes_too_late_opens_nothing(nvim: Neovim, spy: BridgeSpy) -> None:
    ask(nvim)
    nvim.input("j")
    spy.answer(answer())
    ask(nvim)
    nvim.input("i")
    spy.answer(answer())
    assert nvim.eval("[winnr('$'), mode()]") == [1, "i"]
