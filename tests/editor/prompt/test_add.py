"""`:Acp add` and `require('acp').add()`: what goes along with the next prompt, from anywhere."""

from __future__ import annotations

import pytest

from tests.support.along import along
from tests.support.fakes.mentions import name_mentions
from tests.support.fakes.spy import BridgeSpy
from tests.support.nvim import Neovim


def opened(nvim: Neovim, spy: BridgeSpy) -> int:
    """Open a session and a file of its folder; return the prompt."""
    (nvim.cwd / "a b.py").write_text("one\ntwo\nthree\n")
    (nvim.cwd / "src").mkdir()
    chat, prompt = spy.open_session("gemini")
    spy.frame(chat, status={"agent": "gemini", "state": "idle"})
    nvim.command("wincmd t | edit a\\ b.py")
    return prompt


def written(nvim: Neovim, prompt: int) -> list[str]:
    return list(nvim.lua("return vim.api.nvim_buf_get_lines(..., 0, -1, true)", prompt))


@pytest.mark.parametrize(
    ("command", "text", "asked"),
    [
        ("Acp add", '@"a b.py" ', []),
        ("Acp add src", "@src ", []),
        ("Acp add @diagnostics", "@diagnostics ", ["@diagnostics"]),
        ('Acp add @"a b.py"', '@"a b.py" ', ['@"a b.py"']),
        ("lua require('acp').add({ '@diff', 'src' })", "@diff @src ", ["@diff", "src"]),
    ],
)
def test_a_mention_is_written_into_the_prompt(
    nvim: Neovim, spy: BridgeSpy, command: str, text: str, asked: list[str]
) -> None:
    prompt = opened(nvim, spy)
    told = nvim.command(command)
    if asked:
        name_mentions(nvim, spy, *asked)
    assert written(nvim, prompt) == [text]
    assert nvim.eval("expand('%:t')") == "a b.py"
    assert "attached to the next prompt to gemini" in told + nvim.messages()


def test_it_is_written_after_what_is_there(nvim: Neovim, spy: BridgeSpy) -> None:
    prompt = opened(nvim, spy)
    nvim.lua("vim.api.nvim_buf_set_lines(..., 0, -1, true, { 'look', 'at' })", prompt)
    nvim.command("Acp add")
    assert written(nvim, prompt) == ["look", 'at @"a b.py" ']


def test_lines_go_along_as_a_selection(nvim: Neovim, spy: BridgeSpy) -> None:
    prompt = opened(nvim, spy)
    nvim.command("2,3Acp add")
    assert written(nvim, prompt) == [""]
    assert along(nvim, prompt) == ["1 @a b.py:2-3 · 2 lines"]


@pytest.mark.parametrize("what", ["@nothing", "/etc/passwd", "none.py"])
def test_what_names_nothing_is_told(nvim: Neovim, spy: BridgeSpy, what: str) -> None:
    prompt = opened(nvim, spy)
    told = nvim.command(f"Acp add {what}")
    if what.startswith("@"):
        name_mentions(nvim, spy, what)
    assert written(nvim, prompt) == [""]
    assert f"{what} is not attached" in told + nvim.messages()


def test_an_image_from_elsewhere_is_attached(nvim: Neovim, spy: BridgeSpy) -> None:
    prompt = opened(nvim, spy)
    path = nvim.folder / "shot.png"
    path.write_bytes(b"")
    nvim.command(f"Acp add {path}")
    assert [it["text"] for it in spy.told("attach_image")] == [str(path)]
    spy.answer([{"image": 1, "name": "shot.png", "detail": "image/png, 3 kB"}])
    assert along(nvim, prompt) == ["1 shot.png · image/png, 3 kB"]
    assert written(nvim, prompt) == [""]
    assert "shot.png: attached to the next prompt to gemini" in nvim.messages()
