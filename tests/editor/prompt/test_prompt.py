"""The prompt buffer: sending, never modified, drafts, selections."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.along import along
from tests.support.fakes.spy import BridgeSpy
from tests.support.nvim import Neovim


@pytest.fixture
def session(spy: BridgeSpy) -> tuple[int, int]:
    """Open a session; the cursor is in the prompt."""
    return spy.open_session()


def drafts(nvim: Neovim) -> list[Path]:
    return sorted((nvim.folder / "state" / "nvim" / "acp.nvim" / "drafts").glob("*.md"))


def sent(chat: int, text: str, **more: Any) -> dict[str, Any]:
    return {"chat": chat, "text": text, "selections": [], "bang": False} | more


@pytest.mark.parametrize("keys", ["<Esc><CR>", "<C-s>", "<Esc>:w<CR>"])
def test_ways_to_send(nvim: Neovim, spy: BridgeSpy, session: tuple[int, int], keys: str) -> None:
    chat, prompt = session
    nvim.input('ifirst | "<CR>  second' + keys)
    assert spy.told("prompt") == [sent(chat, 'first | "\n  second')]
    assert nvim.lines(prompt) == [""]
    assert nvim.eval("&modified") == 0


def test_the_menu_of_a_completion_goes_with_the_text(
    nvim: Neovim, spy: BridgeSpy, session: tuple[int, int]
) -> None:
    nvim.command("set completeopt=menuone")
    nvim.input("ifirst <C-x><C-n>")
    nvim.wait("vim.fn.pumvisible() == 1")
    nvim.input("<C-s>")
    assert spy.told("prompt") == [sent(session[0], "first first")]
    nvim.wait("vim.fn.pumvisible() == 0")
    assert nvim.lines(session[1]) == [""]
    assert nvim.eval("mode()") == "i"


def test_a_menu_that_comes_after_the_text_was_sent_goes(
    nvim: Neovim, spy: BridgeSpy, session: tuple[int, int]
) -> None:
    nvim.lua("""
        _G.shown = 0
        vim.cmd('setlocal completeopt=menuone,noselect')
        vim.api.nvim_create_autocmd('CompleteChanged', { callback = function()
          _G.shown = _G.shown + 1
        end })
    """)
    nvim.input("i/read<C-s>")
    assert spy.told("prompt") == [sent(session[0], "/read")]
    nvim.lua("vim.fn.complete(1, { '/read' })")
    nvim.wait("_G.shown == 1 and vim.fn.pumvisible() == 0")
    nvim.lua("vim.fn.complete(1, { '/read' })")
    nvim.wait("_G.shown == 2 and vim.fn.pumvisible() == 1")
    assert nvim.lines(session[1]) == [""]


def test_undo_brings_the_text_back(nvim: Neovim, spy: BridgeSpy, session: tuple[int, int]) -> None:
    nvim.input("ihello<Esc><CR>u")
    assert nvim.lines(session[1]) == ["hello"]


def test_an_empty_prompt_is_not_sent(
    nvim: Neovim, spy: BridgeSpy, session: tuple[int, int]
) -> None:
    nvim.input("i  <CR><Esc><CR>")
    assert spy.told("send_review") == [{"chat": session[0]}]
    spy.answer(False)
    assert spy.told("prompt") == []
    assert "nothing was sent" in nvim.messages()


def test_it_is_never_modified_so_that_wa_does_not_send(
    nvim: Neovim, spy: BridgeSpy, session: tuple[int, int]
) -> None:
    nvim.command("normal! ihalf a prompt")
    nvim.command("wall")
    assert spy.told("prompt") == []
    nvim.input("A and more")
    assert nvim.eval("&modified") == 0
    nvim.input("<Esc>u")
    assert nvim.eval("&modified") == 0
    nvim.command("wall")
    assert spy.told("prompt") == []


def test_writing_to_a_file_is_not_sending(
    nvim: Neovim, spy: BridgeSpy, session: tuple[int, int], tmp_path: Path
) -> None:
    nvim.input("ikeep me<Esc>")
    nvim.command(f"write {tmp_path}/kept.md")
    assert (tmp_path / "kept.md").read_text() == "keep me\n"
    assert spy.told("prompt") == []


def test_text_that_cannot_be_sent_stays(
    nvim: Neovim, spy: BridgeSpy, session: tuple[int, int]
) -> None:
    nvim.lua("require('acp.host.bridge').notify = function() return false end")
    nvim.input("ihello<Esc><CR>")
    assert nvim.lines(session[1]) == ["hello"]


def test_a_prompt_by_command_leaves_the_buffer_alone(
    nvim: Neovim, spy: BridgeSpy, session: tuple[int, int]
) -> None:
    chat, prompt = session
    nvim.input("ihalf<Esc>")
    nvim.command("AcpPrompt! other")
    (told,) = spy.told("prompt")
    assert (told["chat"], told["text"], told["bang"]) == (chat, "other", True)
    assert nvim.lines(prompt) == ["half"]


def test_a_draft_is_kept_and_forgotten_when_sent(
    nvim: Neovim, spy: BridgeSpy, session: tuple[int, int]
) -> None:
    spy.frame(session[0], status={"session": "open", "agent": "tutor", "state": "idle"})
    nvim.input("imy draft")
    nvim.wait(lambda: bool(drafts(nvim)))
    (file,) = drafts(nvim)
    assert file.read_text() == "my draft\n"
    assert file.parent.stat().st_mode & 0o777 == 0o700
    nvim.input("!<Esc>")
    assert file.read_text() == "my draft!\n"
    nvim.input("<CR>")
    assert drafts(nvim) == []


def test_another_prompt_does_not_take_a_draft_that_is_in_use(
    nvim: Neovim, spy: BridgeSpy, session: tuple[int, int]
) -> None:
    nvim.input("imine<Esc>")
    _, prompt = spy.open_session()
    assert nvim.lines(prompt) == [""]
    assert len(drafts(nvim)) == 1


def test_the_draft_of_a_crashed_neovim_comes_back(tmp_path: Path) -> None:
    state = {"XDG_STATE_HOME": str(tmp_path)}
    with Neovim(env=state, cwd=tmp_path) as crashed:
        BridgeSpy(crashed).open_session("my agent")
        crashed.input("ilost?<CR>no<Esc>")
        crashed.kill()
    with Neovim(env=state, cwd=tmp_path) as other:
        _, unrelated = BridgeSpy(other).open_session("tutor")
        _, prompt = BridgeSpy(other).open_session("my agent")
        assert other.lines(unrelated) == [""]
        assert other.lines(prompt) == ["lost?", "no"]


@pytest.mark.parametrize("others", [False, True])
def test_a_draft_goes_by_its_age_where_the_clock_is_known_to_be_right(
    tmp_path: Path, *, others: bool
) -> None:
    state = {"XDG_STATE_HOME": str(tmp_path)}
    with Neovim(env=state, cwd=tmp_path) as crashed:
        BridgeSpy(crashed).open_session()
        crashed.input("ilost?<Esc>")
        crashed.kill()
    (file,) = (tmp_path / "nvim" / "acp.nvim" / "drafts").glob("*.md")
    days = {file: 400} | ({file.with_name("other-1.md"): 3} if others else {})
    for path, age in days.items():
        path.touch()
        os.utime(path, (time.time() - age * 86400,) * 2)
    with Neovim(env=state, cwd=tmp_path) as later:
        _, prompt = BridgeSpy(later).open_session()
        assert later.lines(prompt) == ([""] if others else ["lost?"])


def test_the_draft_is_saved_when_neovim_quits(tmp_path: Path) -> None:
    state = {"XDG_STATE_HOME": str(tmp_path)}
    with Neovim(env=state, cwd=tmp_path) as first:
        BridgeSpy(first).open_session()
        first.input("ilater")
        first.quit()
    (file,) = (tmp_path / "nvim" / "acp.nvim" / "drafts").glob("*.md")
    assert file.read_text() == "later\n"


def test_editing_again_and_wiping_keep_the_draft(
    nvim: Neovim, spy: BridgeSpy, session: tuple[int, int]
) -> None:
    chat, prompt = session
    nvim.input("ihello<Esc>")
    nvim.command("edit")
    assert nvim.lines(prompt) == ["hello"]
    nvim.input("A again<Esc>")
    assert nvim.eval("[&modified, &buftype]") == [0, "acwrite"]
    nvim.command("bwipeout")
    nvim.lua("require('acp.chat.window').show(...)", chat)
    assert nvim.lines() == ["hello again"]
    nvim.input("<CR>")
    assert spy.told("prompt") == [sent(chat, "hello again")]


def select(nvim: Neovim, first: int, last: int) -> dict[str, Any]:
    return nvim.lua("return require('acp.prompt.attachment').select(...)", first, last)


def test_a_selection_of_a_file(nvim: Neovim, spy: BridgeSpy) -> None:
    file = nvim.cwd / "foo.py"
    file.write_text("a\nb\nc\n")
    nvim.command("edit foo.py | set filetype=python")
    selection = select(nvim, 2, 3)
    mark = selection.pop("mark")
    assert selection == {
        "buffer": 1,
        "path": str(file),
        "first": 2,
        "last": 3,
        "lines": ["b", "c"],
        "filetype": "python",
    }
    nvim.command("0put ='above'")
    nvim.command("$put ='below'")
    now = nvim.lua("return require('acp.prompt.attachment').selected(...)", 1, mark)
    assert now == {"first": 3, "last": 4, "lines": ["b", "c"]}


def test_a_buffer_without_a_file_has_no_path(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.lua("vim.fn.setline(1, { 'a', 'b' })")
    selection = select(nvim, 1, 1)
    assert "path" not in selection
    assert selection["lines"] == ["a"]


def test_attached_selections_are_shown_and_go_along(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.lua("vim.fn.setline(1, { 'a', 'b' })")
    first, second = select(nvim, 1, 1), select(nvim, 1, 2)
    chat, prompt = spy.open_session()
    for selection in (first, second):
        nvim.lua("require('acp.prompt.attachment').attach(...)", chat, selection)
    rows = ["1 @buffer 1:1 · 1 line", "2 @buffer 1:1-2 · 2 lines"]
    assert along(nvim, prompt) == rows
    nvim.input("<C-x>")
    assert along(nvim, prompt) == rows[:1]
    nvim.input("iexplain<Esc><CR>")
    assert spy.told("prompt") == [sent(chat, "explain", selections=[first])]
    nvim.input("iagain<Esc><CR>")
    assert spy.told("prompt")[1] == sent(chat, "again")


def test_its_name(nvim: Neovim, spy: BridgeSpy) -> None:
    _, prompt = spy.open_session("my agent")
    assert nvim.api.nvim_buf_get_name(prompt) == "acp-prompt://my%20agent"
