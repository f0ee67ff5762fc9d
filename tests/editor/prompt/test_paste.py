"""What is pasted into a prompt: lines of an open file become a mention, undo gives them back."""

from __future__ import annotations

import pytest

from tests.support.along import bar
from tests.support.fakes.mentions import name_mentions
from tests.support.fakes.spy import BridgeSpy
from tests.support.nvim import Neovim

CODE = ["def mean(values):", "    total = sum(values)", "    return total / len(values)"]
ANCHORS = """
local space = vim.api.nvim_create_namespace('acp_selection')
return #vim.api.nvim_buf_get_extmarks(vim.fn.bufnr('stats.py'), space, 0, -1, {})
"""
OTHER = ["import sys", "", "# the end of it all"]


def opened(nvim: Neovim, spy: BridgeSpy, **files: list[str]) -> int:
    """Open files of the project and a session; the cursor is in its prompt."""
    for name, lines in (files or {"stats": [*OTHER, *CODE, *OTHER]}).items():
        nvim.command(f"edit {name}.py")
        nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, ...)", lines)
        nvim.command("set hidden")
    _, prompt = spy.open_session("gemini")
    return prompt


def paste(nvim: Neovim, *chunks: str) -> None:
    """Paste as a terminal does: at once, or in portions."""
    phases = [-1] if len(chunks) == 1 else [1, *[2] * (len(chunks) - 2), 3]
    for chunk, phase in zip(chunks, phases, strict=True):
        assert nvim.api.nvim_paste(chunk, True, phase)


@pytest.mark.parametrize("end", ["", "\n"])
def test_lines_of_an_open_file_become_a_mention(nvim: Neovim, spy: BridgeSpy, end: str) -> None:
    prompt = opened(nvim, spy)
    nvim.input("iWhy does")
    paste(nvim, "\n".join(CODE) + end)
    assert nvim.lines() == ["Why does @stats.py:4-6 "]
    assert bar(nvim, prompt) == "@stats.py:4-6: u restores the text"
    nvim.input("fail?")
    nvim.wait(lambda: "sends to" in bar(nvim, prompt))
    nvim.input("<Esc>u")
    assert nvim.lines() == ["Why does @stats.py:4-6 "]
    nvim.input("u")
    assert "\n".join(nvim.lines()) == "Why does" + "\n".join(CODE) + end
    nvim.input("<C-r>")
    assert nvim.lines() == ["Why does @stats.py:4-6 "]


def test_it_goes_between_words_and_from_normal_mode(nvim: Neovim, spy: BridgeSpy) -> None:
    opened(nvim, spy)
    nvim.input("iwhy is ü slow<Esc>Fü")
    paste(nvim, "\n".join(CODE))
    assert nvim.lines() == ["why is ü @stats.py:4-6  slow"]
    nvim.input("u")
    assert nvim.lines() == ["why is ü" + CODE[0], CODE[1], CODE[2] + " slow"]


def test_a_paste_that_comes_in_portions(nvim: Neovim, spy: BridgeSpy) -> None:
    opened(nvim, spy)
    nvim.input("i")
    text = "\n".join(CODE)
    paste(nvim, text[:5], text[5:30], text[30:])
    assert nvim.lines() == ["@stats.py:4-6 "]
    nvim.input("<Esc>u")
    assert nvim.lines() == CODE


@pytest.mark.parametrize("keys", ["p", "P", '"ap'])
def test_what_was_yanked_and_is_put(nvim: Neovim, spy: BridgeSpy, keys: str) -> None:
    opened(nvim, spy)
    nvim.command("wincmd t")
    nvim.input(f"4GV2j{keys[:-1]}y")
    nvim.command("wincmd b")
    nvim.input(keys)
    assert sorted(nvim.lines()) == ["", "@stats.py:4-6 "]
    nvim.input("u")
    assert sorted(nvim.lines()) == sorted(["", *CODE])


@pytest.mark.parametrize(
    "text",
    [
        CODE[0],
        "\n".join(OTHER),
        "\n".join(CODE)[4:],
        "\n".join(CODE)[:-4],
        "\n".join([*CODE, "new"]),
        "\n\n\n",
        "one\ntwo",
    ],
    ids=["one-line", "in-two-places", "begins-inside", "ends-inside", "more", "blank", "elsewhere"],
)
def test_whatever_else_stays_as_it_is(nvim: Neovim, spy: BridgeSpy, text: str) -> None:
    prompt = opened(nvim, spy)
    nvim.input("i")
    paste(nvim, text)
    assert "\n".join(nvim.lines()) == text
    assert bar(nvim, prompt) == "<C-s> sends to gemini"


def test_lines_that_two_files_have_stay(nvim: Neovim, spy: BridgeSpy) -> None:
    opened(nvim, spy, one=CODE, two=CODE)
    nvim.input("i")
    paste(nvim, "\n".join(CODE))
    assert nvim.lines() == CODE


def test_a_file_outside_of_the_project_is_not_mentioned(nvim: Neovim, spy: BridgeSpy) -> None:
    opened(nvim, spy, **{"../out": CODE})
    nvim.input("i")
    paste(nvim, "\n".join(CODE))
    assert nvim.lines() == CODE


def test_other_buffers_are_pasted_into_as_ever(nvim: Neovim, spy: BridgeSpy) -> None:
    opened(nvim, spy)
    nvim.command("wincmd t | enew")
    nvim.input("i")
    paste(nvim, "\n".join(CODE))
    assert nvim.lines() == CODE


def test_a_register_that_is_empty_and_a_count(nvim: Neovim, spy: BridgeSpy) -> None:
    opened(nvim, spy)
    nvim.input('"zp')
    assert "E353" in nvim.messages()
    nvim.lua("vim.fn.setreg('a', ...)", "x")
    nvim.input('3"ap')
    assert nvim.lines() == ["xxx"]
    nvim.input(".")
    assert nvim.lines() == ["xxxxxx"]


def test_the_lines_of_a_mention_follow_the_edits_of_their_file(
    nvim: Neovim, spy: BridgeSpy
) -> None:
    opened(nvim, spy)
    nvim.input("isee ")
    paste(nvim, "\n".join(CODE))
    nvim.input("and @stats.py:1.<Esc>")
    name_mentions(nvim, spy, "see @stats.py:4-6 and @stats.py:1.")
    assert nvim.lua(ANCHORS) == 2
    nvim.command("wincmd t")
    nvim.input("2Gonew<Esc>5Gonew<Esc>")
    nvim.command("wincmd b")
    assert nvim.lines() == ["see @stats.py:5-8 and @stats.py:1."]
    nvim.command("call appendbufline('stats.py', 1, 'more')")
    nvim.input("<CR>")
    (sent,) = spy.told("prompt")
    assert sent["text"] == "see @stats.py:6-9 and @stats.py:1."
    assert sorted(sent["spoken"]) == ["stats.py:1", "stats.py:6-9"]
    found = sorted((it["first"], it["last"], it["lines"][0]) for it in sent["selections"])
    assert found == [(1, 1, OTHER[0]), (6, 9, CODE[0])]
    for it in sent["selections"]:  # as the host does
        nvim.lua("require('acp.prompt.attachment').selected(...)", it["buffer"], it["mark"])
    nvim.wait(lambda: nvim.lua(ANCHORS) == 0)


def test_lines_that_are_gone_are_what_is_written(nvim: Neovim, spy: BridgeSpy) -> None:
    opened(nvim, spy)
    nvim.input("i@stats.py:2-3<Esc>")
    name_mentions(nvim, spy, "@stats.py:2-3")
    nvim.command("wincmd t | %delete | wincmd b")
    assert nvim.lines() == ["@stats.py:2-3"]
    nvim.input("<CR>")
    assert "spoken" not in spy.told("prompt")[0]


def test_putting_has_a_plug(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.lua("vim.g.acp = { default_keys = false }")
    opened(nvim, spy)
    nvim.lua("vim.fn.setreg('a', ...)", CODE, "V")
    nvim.lua("vim.keymap.set('n', 'gz', '<Plug>(acp-put)')")
    nvim.input('"ap')
    assert nvim.lines() == ["", *CODE]
    nvim.input('u"agz')
    assert nvim.lines() == ["", "@stats.py:4-6 "]
