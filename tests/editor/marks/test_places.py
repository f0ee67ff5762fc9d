"""What the user goes on with after an agent's edit: it means the text that it meant before."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.editor.files.test_buffer import change, open_file
from tests.support.nvim import Neovim

LINES = [f"line {number}" for number in range(1, 31)]
TOP = [0, 0, ["first", "second"]]


def opened(nvim: Neovim) -> Path:
    return open_file(nvim, "".join(f"{line}\n" for line in LINES).encode())


@pytest.mark.parametrize("verb", ["write", "edit"])
@pytest.mark.parametrize(
    ("hunks", "first", "last"),
    [
        ([TOP], 9, 11),
        ([[0, 2, []]], 5, 7),
        ([[7, 8, ["more", "and more"]]], 7, 10),
        ([[6, 8, []]], 7, 7),
        ([[20, 21, []]], 7, 9),
        ([[1, 2, ["two"]]], 7, 9),
    ],
    ids=["above", "less above", "inside", "less inside", "below", "as many above"],
)
def test_the_last_change_is_still_the_users(
    nvim: Neovim, verb: str, hunks: list[list[object]], first: int, last: int
) -> None:
    path = opened(nvim)
    nvim.input("6Gyy3p")
    assert nvim.eval('[line("\'["), line("\']")]') == [7, 9]
    assert "ok" in change(nvim, verb, path, hunks)
    assert nvim.eval('[line("\'["), line("\']")]') == [first, last]


@pytest.mark.parametrize("verb", ["write", "edit"])
def test_the_cursor_returns_to_its_text_in_a_buffer_that_was_hidden(
    nvim: Neovim, verb: str
) -> None:
    path = opened(nvim)
    nvim.input("6G3|")
    nvim.command("enew")
    for _ in range(2):
        assert "ok" in change(nvim, verb, path, [TOP, [9, 10, []]])
    nvim.command(f"buffer {path.name}")
    nvim.wait(lambda: nvim.eval("[getline('.'), line('.'), col('.')]") == ["line 6", 10, 3])


def test_where_the_user_goes_elsewhere_in_it_the_cursor_is_there(nvim: Neovim) -> None:
    path = opened(nvim)
    nvim.input("6G3|")
    nvim.command("enew")
    assert "ok" in change(nvim, "write", path, [TOP])
    nvim.command(f"edit +20 {path}")
    nvim.lua("vim.wait(10, function() end)")
    assert nvim.eval("line('.')") == 20
