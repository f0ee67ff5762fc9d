"""The language server of the prompts: lists that open by themselves, and what other clients get."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.fakes.mentions import name_mentions
from tests.support.fakes.spy import BridgeSpy
from tests.support.nvim import Neovim

COMMANDS = [
    {"name": "plan", "description": "Make a plan", "hint": "what"},
    {"name": "play it", "description": "Play"},
]


@pytest.fixture
def opens(nvim: Neovim) -> None:
    if not nvim.eval("has('nvim-0.11')"):
        pytest.skip("the client of Neovim 0.10 completes by 'omnifunc' alone")


def ready(nvim: Neovim, spy: BridgeSpy) -> int:
    """Open a session, and wait until the server is attached to its prompt: once somebody types."""
    chat, prompt = spy.open_session("gemini")
    spy.frame(chat, status={"agent": "gemini", "state": "idle", "commands": COMMANDS})
    assert nvim.lua("return #vim.lsp.get_clients({ bufnr = ... })", prompt) == 0
    nvim.input("i<Esc>")
    nvim.wait(lambda: nvim.lua("return #vim.lsp.get_clients({ bufnr = ... }) == 1", prompt))
    return prompt


def tell_names(nvim: Neovim, spy: BridgeSpy, *names: str) -> None:
    spy.answer({"roots": [str(nvim.cwd)], "names": list(names)}, verb="files")


def offered(nvim: Neovim) -> list[str]:
    """Return the words of the list that is open."""
    if not nvim.eval("pumvisible()"):
        return []
    return [it["word"] for it in nvim.eval("complete_info(['items']).items")]


def asked(nvim: Neovim, method: str, column: int) -> Any:
    """Return what the server answers a client on the first line."""
    return nvim.lua(
        """local method, column = ...
        local client = vim.lsp.get_clients({ bufnr = 0, name = 'acp' })[1]
        local document = { uri = vim.uri_from_bufnr(0) }
        local position = { line = 0, character = column }
        local params = { textDocument = document, position = position }
        local answer = vim.lsp.buf_request_sync(0, method, params, 10000)[client.id]
        return { answer.result }""",
        method,
        column,
    )


@pytest.mark.usefixtures("opens")
def test_the_list_of_files_opens_by_itself(nvim: Neovim, spy: BridgeSpy) -> None:
    ready(nvim, spy)
    nvim.input("isee ")
    tell_names(nvim, spy, "src/main.py", "src/other.py", "docs/my file.txt")
    nvim.input("@")
    nvim.wait(lambda: "@src/main.py" in offered(nvim))
    nvim.input("smain")
    nvim.wait(lambda: nvim.lines() == ["see @smain"])
    nvim.input("<C-n><C-y>")
    nvim.wait(lambda: nvim.lines() == ["see @src/main.py"])
    nvim.input(" @")
    nvim.wait(lambda: '@"docs/my file.txt"' in offered(nvim))
    nvim.input("myfi<C-n><C-y>")
    nvim.wait(lambda: nvim.lines() == ['see @src/main.py @"docs/my file.txt"'])
    assert nvim.eval("execute('messages')") == ""


@pytest.mark.usefixtures("opens")
def test_the_list_says_what_a_command_is_for(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session("gemini")
    long = {"name": "review", "description": "Review it all\nand more"}
    status = {"agent": "gemini", "state": "idle", "commands": [*COMMANDS, long]}
    spy.frame(chat, status=status)
    nvim.input("i")
    nvim.wait("#vim.lsp.get_clients({ bufnr = 0 }) == 1")
    nvim.input("/")
    nvim.wait(lambda: offered(nvim) == ["/plan", "/play it", "/review"])
    rows = nvim.eval("complete_info(['items']).items")
    assert [(row["kind"], row["menu"]) for row in rows[:3]] == [
        ("", "<what> Make a plan"),
        ("", "Play"),
        ("", "Review it all"),
    ]


@pytest.mark.usefixtures("opens")
def test_nothing_is_chosen_unasked(nvim: Neovim, spy: BridgeSpy) -> None:
    ready(nvim, spy)
    nvim.input("i/")
    nvim.wait(lambda: offered(nvim) == ["/plan", "/play it"])
    nvim.input("<CR>x")
    nvim.wait(lambda: nvim.lines() == ["/", "x"])


@pytest.mark.usefixtures("opens")
def test_a_command_with_a_blank_is_inserted_whole(nvim: Neovim, spy: BridgeSpy) -> None:
    ready(nvim, spy)
    nvim.input("i/")
    nvim.wait(lambda: offered(nvim) == ["/plan", "/play it"])
    nvim.input("<C-n><C-n><C-y>")
    nvim.wait(lambda: nvim.lines() == ["/play it"])


@pytest.mark.usefixtures("opens")
def test_the_list_comes_when_the_names_have_come(nvim: Neovim, spy: BridgeSpy) -> None:
    ready(nvim, spy)
    nvim.input("i@main")
    nvim.wait(lambda: spy.told("files") != [])
    assert offered(nvim) == []
    tell_names(nvim, spy, "src/main.py")
    nvim.wait(lambda: offered(nvim) == ["@src/main.py"])


def test_the_omnifunc_waits_for_the_names(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.lua("vim.g.acp = { ui = { completion = false } }")
    spy.open_session("gemini")
    nvim.command("set completeopt=menuone,noselect")
    nvim.input("i@main<C-x><C-o>")
    nvim.wait(lambda: nvim.lines() == ["@main"])
    assert "not found" not in nvim.eval("execute('messages')")
    tell_names(nvim, spy, "src/main.py")
    nvim.wait(lambda: offered(nvim) == ["@src/main.py"])


def test_a_plugin_that_asks_the_omnifunc_gets_a_list(nvim: Neovim, spy: BridgeSpy) -> None:
    ready(nvim, spy)
    nvim.input("i")
    tell_names(nvim, spy, "src/main.py")
    code = "return vim.islist(require('acp.prompt.complete').omnifunc(0, '@main'))"
    assert nvim.lua(code) is True


def test_it_can_be_turned_off(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.lua("vim.g.acp = { ui = { completion = false } }")
    _, prompt = spy.open_session("gemini")
    assert nvim.lua("return #vim.lsp.get_clients({ bufnr = ... })", prompt) == 0


@pytest.mark.usefixtures("opens")
@pytest.mark.parametrize("engine", ["blink.cmp", "cmp", "mini.completion"])
def test_a_plugin_for_completion_opens_the_list(nvim: Neovim, spy: BridgeSpy, engine: str) -> None:
    nvim.lua("package.loaded[...] = true", engine)
    ready(nvim, spy)
    nvim.lua("vim.lsp.completion.get = function() _G.opened = true end")
    nvim.input("i/x")
    nvim.wait(lambda: nvim.lines() == ["/x"])
    nvim.lua("vim.wait(0)")
    assert nvim.lua("return _G.opened") is None


def test_what_a_client_gets(nvim: Neovim, spy: BridgeSpy) -> None:
    ready(nvim, spy)
    nvim.input("iü @oth<Esc>")
    tell_names(nvim, spy, "src/main.py", "src/other.py")
    (answer,) = asked(nvim, "textDocument/completion", len("ü @oth".encode()))
    (item,) = answer["items"]
    assert answer["isIncomplete"] is False
    assert item["textEdit"] == {
        "newText": "@src/other.py",
        "range": {"start": {"line": 0, "character": 3}, "end": {"line": 0, "character": 7}},
    }
    (answer,) = asked(nvim, "textDocument/completion", 1)
    assert answer["items"] == []


@pytest.mark.parametrize(
    ("line", "column", "shown"),
    [
        ("/plan it", 2, "/plan <what>\nMake a plan"),
        ("see @diff now", 6, "@diff\nwhat is not committed"),
        ("see @none now", 6, "@none\nnames nothing: it is sent as text"),
    ],
)
def test_hover_explains(nvim: Neovim, spy: BridgeSpy, line: str, column: int, shown: str) -> None:
    ready(nvim, spy)
    nvim.lua("vim.api.nvim_set_current_line(...)", line)
    if "@" in line:
        name_mentions(nvim, spy, line)
    (answer,) = asked(nvim, "textDocument/hover", column)
    assert answer["contents"] == {"kind": "plaintext", "value": shown}
    assert asked(nvim, "textDocument/hover", len(line) - 1) in ([], [None])


def test_k_explains_the_word(nvim: Neovim, spy: BridgeSpy) -> None:
    ready(nvim, spy)
    nvim.lua("vim.api.nvim_set_current_line('see @diff')")
    name_mentions(nvim, spy, "see @diff")
    nvim.input("$K")
    floats = "return #vim.tbl_filter(function(window) return vim.api.nvim_win_get_config(window)"
    nvim.wait(lambda: nvim.lua(f"{floats}.relative ~= '' end, vim.api.nvim_list_wins())") == 1)


def test_each_prompt_has_the_same_server(nvim: Neovim, spy: BridgeSpy) -> None:
    ready(nvim, spy)
    ready(nvim, spy)
    assert nvim.lua("return #vim.lsp.get_clients()") == 1


PROGRESS = """
_G.progress = {}
vim.api.nvim_create_autocmd('LspProgress', {
  callback = function(event)
    local value = event.data.params.value
    table.insert(_G.progress, { value.kind, value.title or '', value.message or '' })
  end,
})
"""
READING = {"agent": "gemini", "state": "running", "turn": 1, "doing": "Reading a.py"}


def test_what_a_turn_does_is_progress(nvim: Neovim, spy: BridgeSpy) -> None:
    prompt = ready(nvim, spy)
    chat = nvim.lua("return require('acp.chat.registry').of(...).chat", prompt)
    nvim.lua(PROGRESS)
    spy.frame(chat, status=READING)
    assert nvim.lua("return vim.lsp.status()") == "gemini: Reading a.py"
    spy.frame(chat, status=READING | {"used": 5})
    spy.frame(chat, status=READING | {"doing": "thinking"})
    spy.frame(chat, status=READING | {"turn": 2})
    nvim.command(f"bwipeout! {prompt} | bwipeout! {chat}")
    nvim.wait("#_G.progress == 5")
    assert nvim.lua("return _G.progress") == [
        ["begin", "gemini", "Reading a.py"],
        ["report", "gemini", "thinking"],
        ["end", "gemini", ""],
        ["begin", "gemini", "Reading a.py"],
        ["end", "gemini", ""],
    ]


def test_who_wants_no_server_gets_no_progress(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.lua("vim.g.acp = { ui = { completion = false } }")
    chat, _ = spy.open_session("gemini")
    spy.frame(chat, status=READING)
    assert nvim.lua("return vim.lsp.status()") == ""
    assert nvim.messages() == ""


def test_a_turn_has_progress_though_nobody_has_typed(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session("gemini")
    nvim.lua(PROGRESS)
    spy.frame(chat, status=READING)
    nvim.wait(lambda: nvim.lua("return vim.lsp.status()") == "gemini: Reading a.py")


def test_a_turn_begins_no_client_where_nobody_can_see_its_progress(
    nvim: Neovim, spy: BridgeSpy
) -> None:
    chat, _ = spy.open_session("gemini")
    spy.frame(chat, status=READING)
    assert nvim.lua("return package.loaded['vim.lsp.client'] == nil")
    assert nvim.lua("return vim.lsp.status()") == ""
    spy.frame(chat, status=READING | {"doing": "thinking"})
    nvim.wait(lambda: nvim.lua("return vim.lsp.status()") == "gemini: thinking")
    spy.frame(chat, status=READING)
    assert nvim.lua("return vim.lsp.status()") == "gemini: Reading a.py"


def test_a_start_does_without_the_client_and_without_what_is_rare(
    nvim: Neovim, spy: BridgeSpy
) -> None:
    chat, _ = spy.open_session("gemini")
    spy.frame(chat, status={"agent": "gemini", "state": "idle", "commands": COMMANDS})
    names = ["vim.lsp.client", "acp.ask.pane", "acp.review.marks", "acp.files.marks"]
    loaded = "return vim.tbl_filter(function(name) return package.loaded[name] ~= nil end, ...)"
    assert nvim.lua(loaded, names) == []
    assert nvim.lua("return require('acp.ask.window').current ~= 0")
    assert nvim.lua(loaded, names) == names[1:3]
