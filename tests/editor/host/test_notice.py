"""What the user is told: one line that fits, wherever the user is, and never a prompt to go on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.nvim import Neovim
from tests.support.screen.grid import Screen


def notice(nvim: Neovim, text: str, *, warning: bool = False) -> None:
    nvim.lua("require('acp.ui.notice').notice(...)", text, warning)


def messages(nvim: Neovim) -> list[str]:
    return nvim.messages().splitlines()


def test_one_line_with_the_name_in_front(nvim: Neovim) -> None:
    notice(nvim, "first\nsecond\x1b[31m\0 third ")
    notice(nvim, "acp: once")
    assert messages(nvim) == ["acp: first second [31m  third", "acp: once"]


def is_cut(row: str) -> bool:
    return row.startswith("acp: a") and row.endswith("…")


@pytest.mark.parametrize("letter", ["x", "界", "é", "👩‍💻"])
def test_a_long_text_is_cut_to_fit(nvim: Neovim, letter: str) -> None:
    if len(letter) > 1 and not nvim.eval("has('nvim-0.11')"):
        pytest.skip("Neovim 0.10 joins no characters by U+200D, it shows that")
    notice(nvim, letter * 300)
    assert "".join(messages(nvim)) == f"acp:{letter * 300}"
    with Screen(nvim, 100, 30) as screen:
        notice(nvim, "a " + letter * 300)
        picture = screen.wait(lambda picture: any(map(is_cut, picture.text())))
        shown = next(filter(is_cut, picture.text()))
        assert not nvim.mode()["blocking"]
    space = nvim.eval("v:echospace")
    assert space - 2 <= nvim.eval(f"strdisplaywidth('{shown}')") <= space
    log = Path(nvim.lua("return require('acp.host.log').path()")).read_text()
    assert letter * 300 in log


def test_the_log_has_a_bound_while_it_grows(nvim: Neovim) -> None:
    """An agent may have much told in the time of one Neovim."""
    path = Path(nvim.lua("return require('acp.host.log').path()"))
    nvim.lua("for _ = 1, 20 do require('acp.host.log').write(('x'):rep(2 ^ 18) .. 'end\\n') end")
    files = [path, path.with_name(path.name + ".old")]
    assert all(1 << 18 <= it.stat().st_size <= 1 << 21 for it in files)
    assert path.read_text().endswith("xend\n")


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("agent has removed a.py, what you have not saved stays: :Acp review", "…: :Acp review"),
        ("undid turn 1 of agent in many files; :Acp redo restores it", "…; :Acp redo restores it"),
        ("no hunk: ]h is next; :Acp keep file, :Acp keep all", "…; :Acp keep file, :Acp keep all"),
        ("nothing here; " + ":Acp " + "x" * 20 + " or :Acp keep all", "… :Acp keep all"),
        ("nothing to be done: " + "x" * 100, "xxx…"),
    ],
)
def test_where_it_is_cut_what_to_do_stays(nvim: Neovim, text: str, end: str) -> None:
    with Screen(nvim, 58, 20) as screen:
        notice(nvim, text)
        row = screen.wait(lambda it: it.text()[-1].rstrip().endswith(end)).text()[-1]
        assert row.startswith("acp: ")
        assert nvim.eval(f"strdisplaywidth('{row.rstrip()}') <= v:echospace")
    assert messages(nvim)[0].startswith(f"acp: {text[:12]}")


def test_many_at_once_make_no_prompt(nvim: Neovim) -> None:
    with Screen(nvim, 80, 24) as screen:
        for number in range(8):
            notice(nvim, f"{number} " + "x" * 200, warning=number % 2 == 0)
        nvim.lua("for i = 1, 4 do require('acp.ui.notice').warn('last ' .. i) end")
        screen.wait_for("acp: last 4")
        assert not nvim.mode()["blocking"]


def test_a_mishap_that_is_told_by_two_is_told_once(nvim: Neovim) -> None:
    nvim.lua("for _ = 1, 2 do require('acp.ui.notice').warn('gone') end")
    assert messages(nvim) == ["acp: gone"]
    notice(nvim, "gone")
    assert messages(nvim) == ["acp: gone"] * 2


def test_in_a_fast_event(nvim: Neovim) -> None:
    nvim.lua(
        """local timer = vim.uv.new_timer()
        timer:start(0, 0, function()
          timer:close()
          require('acp.ui.notice').notice('from far')
        end)"""
    )
    nvim.wait(lambda: messages(nvim) == ["acp: from far"])


@pytest.mark.parametrize("keys", ["ihello", "Rword", "V", "gh"])
def test_it_is_seen_in_the_middle_of_something(nvim: Neovim, keys: str) -> None:
    with Screen(nvim, 80, 24) as screen:
        nvim.input(keys)
        screen.wait_for("-- ")
        notice(nvim, "look here")
        screen.wait_for("acp: look here")
        assert nvim.eval("&showmode") == 1 and nvim.mode()["mode"] != "n"


@pytest.mark.parametrize("keys", ["ihello", "V"])
def test_what_passes_goes_when_it_is_over(nvim: Neovim, keys: str) -> None:
    with Screen(nvim, 80, 24) as screen:
        nvim.input(keys)
        nvim.lua("require('acp.ui.notice').notice('waits', false, true)")
        screen.wait_for("acp: waits")
        nvim.input("<Esc>")
        nvim.lua("require('acp.ui.notice').over()")
        screen.wait_gone("acp: waits")
        nvim.input(":echo 'of the user'<CR>")
        nvim.lua("require('acp.ui.notice').over()")
        screen.wait_for("of the user")


@pytest.mark.parametrize("keys", ["ihello", ":echo 1", "/word", "V"])
def test_it_is_seen_when_another_mode_is_over(nvim: Neovim, keys: str) -> None:
    with Screen(nvim, 80, 24) as screen:
        nvim.input(keys)
        notice(nvim, "look here", warning=True)
        assert not nvim.mode()["blocking"]
        nvim.input("<Esc>")
        screen.wait_for("acp: look here")
        assert messages(nvim) == ["acp: look here"]
        assert nvim.mode() == {"mode": "n", "blocking": False}


def test_a_warning_has_its_own_colour(nvim: Neovim) -> None:
    with Screen(nvim, 80, 24) as screen:
        notice(nvim, "careful", warning=True)
        screen.wait_for("acp: careful")
        found = screen.find("acp: careful")
        assert found and "WarningMsg" in screen.cell(*found).groups


def test_a_state_folder_that_cannot_be_written_to(nvim: Neovim) -> None:
    (nvim.folder / "state" / "nvim").write_text("a file in the way")
    notice(nvim, "still said")
    assert messages(nvim) == ["acp: still said"]


@pytest.mark.parametrize("command", ["Acp nonsense", "Acp why", "Acp keep", "Acp chat"])
def test_without_a_command_line_it_makes_no_prompt(nvim: Neovim, command: str) -> None:
    nvim.command("set cmdheight=0")
    with Screen(nvim, 80, 24) as screen:
        nvim.input(f":{command}<CR>")
        screen.wait_for("acp: ")
        assert not nvim.mode()["blocking"]
        notice(nvim, "long " * 60)
        screen.wait_for("acp: long")
        assert not nvim.mode()["blocking"]
