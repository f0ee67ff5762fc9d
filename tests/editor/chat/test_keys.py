"""The keys of chat and prompt: what each does, and that `g?` shows them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.fakes.spy import BridgeSpy
from tests.support.nvim import Neovim

MODES = [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}]


def go_to(nvim: Neovim, buffer: int) -> None:
    nvim.lua(
        "vim.api.nvim_set_current_win(require('acp.ui.layout').window_of(...))",
        buffer,
    )


def draw(nvim: Neovim, spy: BridgeSpy, chat: int, lines: list[str], *marks: list[Any]) -> None:
    """Let the chat show these lines, and put the cursor to its beginning."""
    spy.frame(chat, [0, -1, lines, list(marks)])
    go_to(nvim, chat)
    nvim.input("gg0")


def shown(nvim: Neovim) -> str:
    return "\n".join(nvim.lines())


@pytest.mark.parametrize("where", ["chat", "prompt"])
def test_help_is_made_of_the_mappings(nvim: Neovim, spy: BridgeSpy, where: str) -> None:
    chat, prompt = spy.open_session()
    buffer = chat if where == "chat" else prompt
    go_to(nvim, buffer)
    nvim.lua("vim.keymap.set('n', 'gz', 'x', { buffer = true, desc = 'Mine alone' })")
    nvim.input("g?")
    text = shown(nvim)
    mappings = [
        mapping
        for mode in "ni"
        for mapping in nvim.api.nvim_buf_get_keymap(buffer, mode)
        if mapping.get("desc")
    ]
    assert len(mappings) > 12
    for mapping in mappings:
        lines = [it.split() for it in text.splitlines() if mapping["desc"] in it]
        assert any(mapping["lhs"] in words for words in lines)
    assert "gz" in text
    assert "Mine alone" in text
    assert not nvim.eval("&modifiable")
    nvim.input("q")
    assert nvim.eval("bufnr()") == buffer


@pytest.mark.parametrize("columns", [40, 80, 160])
def test_help_fits_the_screen(nvim: Neovim, spy: BridgeSpy, columns: int) -> None:
    nvim.command(f"set columns={columns} lines=20")
    spy.open_session()
    nvim.input("g?")
    assert nvim.eval("winwidth(0)") <= columns
    assert nvim.eval("winheight(0)") <= 18
    nvim.command("wincmd p")
    assert nvim.eval("winnr('$')") == 3


def test_help_is_in_other_buffers_of_ours(nvim: Neovim, spy: BridgeSpy) -> None:
    spy.open_session()
    nvim.lua("require('acp.host.bridge').inspect = function() return {} end")
    nvim.command("Acp inspect")
    nvim.input("g?")
    assert "Close the window" in shown(nvim)
    nvim.input("qq")
    assert nvim.eval("&filetype") == "acp_prompt"


@pytest.mark.parametrize("where", ["chat", "prompt"])
@pytest.mark.parametrize(
    ("key", "verb", "payload"),
    [
        ("<C-c>", "cancel", {}),
        ("<S-Tab>", "mode", {"next": True}),
        ("gm", "config", {"category": "model"}),
    ],
)
def test_keys_of_the_session(
    nvim: Neovim, spy: BridgeSpy, where: str, key: str, verb: str, payload: dict[str, Any]
) -> None:
    chat, prompt = spy.open_session()
    status = {"agent": "tutor", "state": "running", "mode": "ask", "modes": MODES}
    spy.frame(chat, status=status)
    go_to(nvim, chat if where == "chat" else prompt)
    # not as input: <C-c> that comes while Neovim draws would interrupt that instead
    nvim.lua("vim.api.nvim_feedkeys(vim.keycode(...), 'mx', false)", key)
    assert spy.told(verb) == [{"chat": chat, **payload}]


@pytest.mark.parametrize("where", [0, 1])
def test_the_next_session_and_the_previous_one(nvim: Neovim, spy: BridgeSpy, where: int) -> None:
    sessions = [spy.open_session(name) for name in ("one", "two", "three")]
    nvim.input(":Acp next<CR>")
    assert nvim.eval("bufnr()") == sessions[0][1]
    go_to(nvim, sessions[0][where])
    for key, place in (("]s", 1), ("]s", 2), ("]s", 0), ("[s", 2), (":Acp previous<CR>", 1)):
        nvim.input(key)
        assert nvim.eval("bufnr()") == sessions[place][where]
        assert nvim.eval("winnr('$')") == 3


def test_one_session_alone_has_no_next(nvim: Neovim, spy: BridgeSpy) -> None:
    spy.open_session()
    nvim.input("]s")
    assert "no other session" in nvim.messages()


def test_motions_over_tool_calls(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    icon = [["✓ ", "AcpToolDone"]]
    rows = [[row, 0, {"virt_text": icon, "virt_text_pos": "inline"}] for row in (3, 5, 400)]
    bars = [[4, 0, {"virt_text": [["│ ", "AcpToolBar"]], "virt_text_pos": "inline"}]]
    draw(nvim, spy, chat, ["x"] * 500, *rows, *bars)
    seen = []
    for key in ("]t", "]t", "]t", "]t", "[t", "2[t"):
        nvim.input(key)
        seen.append(nvim.eval("line('.')"))
    assert seen == [4, 6, 401, 401, 6, 4]


@pytest.mark.parametrize("key", ["gf", "gF"])
def test_go_to_what_is_named_under_the_cursor(nvim: Neovim, spy: BridgeSpy, key: str) -> None:
    chat, _ = spy.open_session()
    file = nvim.cwd / "target.txt"
    file.write_text("x\n" * 50)
    draw(nvim, spy, chat, ["see ä [it](target.txt:9)"])
    nvim.lua("vim.api.nvim_win_set_cursor(0, { 1, ... })", 8)
    nvim.input(key)
    told = {"line": "see ä [it](target.txt:9)", "column": 8, "word": "it"}
    assert spy.told("follow_link") == [{"chat": chat, "row": 0, **told}]
    spy.answer({"path": str(file), "line": 9})
    assert nvim.eval("[expand('%'), line('.')]") == ["target.txt", 9]


def test_the_line_of_a_tool_call_comes_first(nvim: Neovim, spy: BridgeSpy, tmp_path: Path) -> None:
    chat, _ = spy.open_session()
    (tmp_path / "x").write_text("x\n" * 50)
    draw(nvim, spy, chat, ["a.py:12"])
    nvim.input("gf")
    spy.answer({"path": str(tmp_path / "x"), "line": 30})
    assert nvim.eval("line('.')") == 30


def test_the_host_is_told_the_text_with_an_address(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    draw(nvim, spy, chat, ["see https://a.example"])
    nvim.input("wgx")
    assert spy.told("browse") == [{"line": "see https://a.example", "column": 4}]
    spy.answer(None, error="no web address here: gf goes to a file", verb="browse")
    assert "no web address" in nvim.messages()


CODE = [
    "Text",
    "```python",
    "one",
    "",
    "two",
    "```",
    "more",
    "- item",
    "  ```",
    "  in list",
    "  ```",
]


def test_yank_a_code_block(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    draw(nvim, spy, chat, CODE)
    for keys, code in (("3Gyc", "one\n\ntwo\n"), ("7Gyc", "one\n\ntwo\n"), ("Gyc", "in list\n")):
        nvim.input(keys)
        assert nvim.eval('@"') == code
    nvim.input('3G"ayc')
    assert nvim.eval("[@a, getregtype('a')]") == ["one\n\ntwo\n", "V"]
    draw(nvim, spy, chat, ["nothing"])
    nvim.input("yc")
    assert "no code block" in nvim.messages()


def test_a_code_block_that_is_still_being_written(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    draw(nvim, spy, chat, ["```", "one", "```x"])
    nvim.input("yc")
    assert nvim.eval('@"') == "one\n```x\n"


def test_yank_the_last_answer(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    go_to(nvim, chat)
    nvim.input('"bya')
    assert spy.told("last_answer") == [{"chat": chat}]
    spy.answer("All done.\n\nReally.\n")
    assert nvim.eval("@b") == "All done.\n\nReally.\n"


def test_the_tool_call_as_it_is(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    draw(nvim, spy, chat, ["x", "y"])
    nvim.input("jK")
    assert spy.told("raw") == [{"chat": chat, "row": 1}]
    spy.answer("title: x\n\ninput:\n{}")
    assert nvim.lines() == ["title: x", "", "input:", "{}"]
    nvim.input("q")
    assert nvim.eval("bufnr()") == chat


@pytest.mark.parametrize("insert", ["", "A"])
def test_sent_prompts_come_back_at_the_edges(nvim: Neovim, spy: BridgeSpy, insert: str) -> None:
    _, prompt = spy.open_session()
    nvim.api.nvim_buf_set_lines(prompt, 0, -1, True, ["draft", "two"])
    nvim.input(f"G{insert}<Up>")
    assert (spy.told("sent"), nvim.eval("line('.')")) == ([], 1)
    nvim.input("<Up>")
    spy.answer(["first", "second\nof two"])
    assert nvim.lines(prompt) == ["second", "of two"]
    nvim.input("<Up>")
    assert nvim.lines(prompt) == ["first"]
    nvim.input("<Up>")
    assert nvim.lines(prompt) == ["first"]
    nvim.input("<Down>")
    assert nvim.lines(prompt) == ["second", "of two"]
    nvim.input("<Down>")
    assert nvim.lines(prompt) == ["draft", "two"]
    nvim.input("<Down>")
    assert nvim.lines(prompt) == ["draft", "two"]


def test_a_prompt_that_was_changed_is_a_draft(nvim: Neovim, spy: BridgeSpy) -> None:
    _, prompt = spy.open_session()
    nvim.input("<Up>")
    spy.answer(["first"])
    nvim.input("A!<Esc><Down>")
    assert nvim.lines(prompt) == ["first!"]
    nvim.input("<Up>")
    spy.answer(["first"])
    nvim.input("<Down>")
    assert nvim.lines(prompt) == ["first!"]


def test_resend_brings_back_the_last_prompt(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, prompt = spy.open_session()
    nvim.command("1wincmd w")
    nvim.command("Acp resend")
    assert spy.told("sent") == [{"chat": chat}]
    spy.answer(["one", "two"])
    assert nvim.lines(prompt) == ["two"]
    assert nvim.eval("bufnr()") == prompt
    nvim.command("Acp resend")
    spy.answer([])
    assert "nothing was sent" in nvim.messages()


def test_q_closes_from_the_prompt(nvim: Neovim, spy: BridgeSpy) -> None:
    spy.open_session()
    nvim.input("q")
    assert nvim.eval("[winnr('$'), bufnr()]") == [1, 1]


def test_the_model_by_command(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    option = {"id": "m", "category": "model", "values": ["opus", "haiku"]}
    spy.frame(chat, status={"agent": "tutor", "state": "idle", "config": [option]})
    nvim.command("Acp model opus")
    assert spy.told("config") == [{"chat": chat, "category": "model", "value": "opus"}]
    assert nvim.lua("return vim.fn.getcompletion('Acp model h', 'cmdline')") == ["haiku"]


def test_a_plug_works_without_default_keys(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.lua("vim.g.acp = { default_keys = false }")
    _, prompt = spy.open_session()
    assert nvim.api.nvim_buf_get_keymap(prompt, "n") == []
    nvim.api.nvim_buf_set_lines(prompt, 0, -1, True, ["hello"])
    nvim.command(r'execute "normal \<Plug>(acp-send)"')
    assert [it["text"] for it in spy.told("prompt")] == ["hello"]
    nvim.input("<Plug>(acp-yank-code)")
    assert "does nothing here" in nvim.messages()


def test_a_buffer_may_have_options_of_its_own(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.lua(
        """vim.api.nvim_create_autocmd('FileType', {
          pattern = 'acp_chat',
          callback = function()
            vim.b.acp = { default_keys = false, window = { number = true } }
          end,
        })"""
    )
    chat, prompt = spy.open_session()
    assert nvim.api.nvim_buf_get_keymap(chat, "n") == []
    assert nvim.api.nvim_buf_get_keymap(prompt, "n") != []
    go_to(nvim, chat)
    assert nvim.eval("&number") == 1


FENCED = ["Look:", "```python", "a = 1", "b = 2", "```", "and", "```", "c", "```", "end"]


def test_code_folds(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    draw(nvim, spy, chat, FENCED)

    def closed() -> list[int]:
        rows: list[int] = nvim.eval("map(range(1, line('$')), 'foldclosed(v:val)')")
        return [row for row, start in enumerate(rows, 1) if start == row]

    nvim.input("3Gza")
    assert closed() == [2]
    assert nvim.eval("foldclosedend(2)") == 5
    nvim.input("<CR>")
    assert closed() == []
    nvim.input("2Gzczo5Gzc")
    assert closed() == [2]
    assert spy.told("toggle") == []  # no matter of the host
    nvim.input("zM")
    assert closed() == [2, 7]
    nvim.input("zR")
    assert closed() == []
    assert [it["action"] for it in spy.told("toggle")] == ["close_all", "open_all"]
    nvim.input("1Gza")
    assert spy.told("toggle")[-1]["action"] == "toggle"


def test_code_of_a_tool_call_closes_with_it(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    bar = [1, 0, {"sign_text": "│", "sign_hl_group": "AcpToolBar"}]
    draw(nvim, spy, chat, FENCED, bar)
    nvim.input("3Gza")
    assert nvim.eval("foldclosed(3)") == -1
    assert spy.told("toggle")[-1]["row"] == 2
