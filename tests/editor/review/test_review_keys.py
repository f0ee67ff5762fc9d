"""Motions, operators and commands of a review: where they go, and what the host is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acp_nvim.view.review.marks import FileReview
from tests.editor.review.test_review import NEW, OLD
from tests.support.fakes.spy import BridgeSpy
from tests.support.files.reviews import ReviewingNeovim, review
from tests.support.nvim import Neovim

MAPS = """
nmap ]h <Plug>(acp-next-hunk)
nmap [h <Plug>(acp-prev-hunk)
xmap ]h <Plug>(acp-next-hunk)
xmap [h <Plug>(acp-prev-hunk)
omap ]h <Plug>(acp-next-hunk)
omap [h <Plug>(acp-prev-hunk)
map gk <Plug>(acp-keep)
map gR <Plug>(acp-reject)
"""


@pytest.fixture
def host(nvim: Neovim, spy: BridgeSpy) -> ReviewingNeovim:
    """Return what draws as the host would; the mappings that the help recommends are there."""
    assert spy.told("edited") == []
    nvim.command(MAPS.strip())
    return ReviewingNeovim(nvim)


@pytest.fixture
def shown(nvim: Neovim, host: ReviewingNeovim) -> FileReview:
    """Open a file with hunks in the lines 2, 5 (gone above it) and 6."""
    return opened(nvim, host)


def write(nvim: Neovim, name: str, text: str = NEW) -> Path:
    path = (nvim.cwd / name).resolve()
    path.write_text(text)
    return path


def opened(nvim: Neovim, host: ReviewingNeovim) -> FileReview:
    path = write(nvim, "a.txt")
    nvim.command(f"edit {path}")
    made = review(path, OLD, NEW)
    host.begin(made)
    return made


def line(nvim: Neovim) -> int:
    return int(nvim.eval("line('.')"))


def here(nvim: Neovim) -> tuple[str, int]:
    return str(nvim.eval("expand('%:t')")), line(nvim)


def message(nvim: Neovim) -> str:
    assert not nvim.mode()["blocking"]
    return (nvim.messages().splitlines() or [""])[-1]


def decided(spy: BridgeSpy) -> dict[str, Any]:
    """Return the last decision that the host was told, without the path and the mark."""
    held = ("path", "buffer", "mark")
    return {key: value for key, value in spy.told("decide")[-1].items() if key not in held}


# --- motions


def test_motions_go_from_hunk_to_hunk(nvim: Neovim, shown: FileReview) -> None:
    assert shown.count == 6
    lines = []
    for keys in ("]h", "]h", "]h", "]h", "[h", "gg2]h"):
        nvim.input(keys)
        lines.append(line(nvim))
    assert lines == [2, 5, 6, 6, 5, 5]
    nvim.input("<C-o>")
    assert line(nvim) == 1


@pytest.mark.parametrize(("keys", "side"), [("G]h", "after"), ("gg[h", "before")])
def test_at_the_end_it_says_so(nvim: Neovim, shown: FileReview, keys: str, side: str) -> None:
    assert shown.changes
    nvim.input(keys)
    assert message(nvim) == f"acp: no hunk {side} this"


def test_without_hunks_it_says_what_shows_them(nvim: Neovim, host: ReviewingNeovim) -> None:
    assert host
    nvim.input("]h")
    assert message(nvim) == "acp: no hunks: :Acp review shows them"


def test_motions_are_right_before_anything_is_drawn_anew(nvim: Neovim, shown: FileReview) -> None:
    assert shown.changes
    nvim.input("Ox<CR>y<Esc>gg]h")
    assert line(nvim) == 4


def test_motions_open_folds(nvim: Neovim, shown: FileReview) -> None:
    assert shown.changes
    nvim.command("4,6fold | normal! gg")
    nvim.input("2]h")
    assert nvim.eval("[line('.'), foldclosed('.')]") == [5, -1]


def test_they_go_on_in_the_next_file(nvim: Neovim, host: ReviewingNeovim) -> None:
    first, last = write(nvim, "a.txt"), write(nvim, "c.txt")
    gone = nvim.cwd / "b.txt"
    nvim.command(f"edit {first} | set hidden")
    reviews = review(first, OLD, NEW), review(gone, "x\n", ""), review(last, OLD, NEW)
    host.begin(*reviews)
    nvim.input("GOmine<Esc>G]h")
    assert here(nvim) == ("b.txt", 1)
    assert message(nvim) == "acp: b.txt"
    nvim.input("]h")
    assert here(nvim) == ("c.txt", 2)
    nvim.input("]h")
    assert here(nvim) == ("c.txt", 5)
    nvim.input("3[h")
    assert here(nvim) == ("a.txt", 7)
    nvim.input("gg5]h")
    assert here(nvim) == ("c.txt", 2)


def test_from_a_file_without_hunks_they_go_to_the_first_or_the_last(
    nvim: Neovim, host: ReviewingNeovim
) -> None:
    reviews = [review(write(nvim, name), OLD, NEW) for name in ("a.txt", "b.txt")]
    host.files(*reviews)
    nvim.command("enew")
    nvim.input("]h")
    assert here(nvim) == ("a.txt", 2)
    nvim.command("enew")
    nvim.input("[h")
    assert here(nvim) == ("b.txt", 6)


def test_a_buffer_that_cannot_be_left_is_not_left(nvim: Neovim, host: ReviewingNeovim) -> None:
    first = write(nvim, "a.txt")
    nvim.command(f"set nohidden | edit {first}")
    host.begin(review(first, OLD, NEW), review(write(nvim, "b.txt"), OLD, NEW))
    nvim.input("Gix<Esc>]h")
    assert here(nvim)[0] == "a.txt"
    assert "b.txt is not opened here" in nvim.messages()
    assert not nvim.mode()["blocking"]


def test_an_operator_goes_to_the_hunk_and_stays_in_the_buffer(
    nvim: Neovim, shown: FileReview
) -> None:
    assert shown.changes
    nvim.input("ggd]h")
    assert nvim.lines()[0] == "2"
    nvim.input("Gd]h")
    assert len(nvim.lines()) == 5
    assert message(nvim) == "acp: no hunk after this"
    nvim.input("ggc]h")
    nvim.input("<Esc>G0c]h")
    assert nvim.mode()["mode"] == "n"


def test_a_selection_goes_to_the_hunk(nvim: Neovim, shown: FileReview) -> None:
    assert shown.changes
    nvim.input("ggV2]h")
    assert nvim.eval("[mode(), line('v'), line('.')]") == ["V", 1, 5]


def test_motions_work_beside_a_diff(nvim: Neovim, shown: FileReview) -> None:
    assert shown.changes
    nvim.command("diffthis | vnew | call setline(1, ['one', 'two']) | diffthis | wincmd p")
    nvim.input("gg2]h")
    assert line(nvim) == 5


def test_the_host_goes_to_a_place(nvim: Neovim, spy: BridgeSpy, host: ReviewingNeovim) -> None:
    path = write(nvim, "a.txt")
    nvim.command(f"edit {write(nvim, 'mine.txt')}")
    nvim.input("ix<Esc>")
    spy.open_session()
    host.go(path, 5)
    assert here(nvim) == ("a.txt", 5)
    nvim.command("split mine.txt")
    host.go(path, 2)
    assert here(nvim) == ("a.txt", 2)
    assert nvim.eval("len(win_findbuf(bufnr()))") == 1
    nvim.input("Gix<Esc>")
    host.go(path, 900)
    assert here(nvim) == ("a.txt", 6)


# --- keep and reject


def test_the_doubled_operator_means_the_hunk(
    nvim: Neovim, spy: BridgeSpy, shown: FileReview
) -> None:
    nvim.input("2Ggkgk")
    hunk = {"scope": "lines", "hunk": True}
    assert decided(spy) == hunk | {"verdict": "keep", "first": 2, "last": 2}
    nvim.input("5GgRgR")
    assert decided(spy) == hunk | {"verdict": "reject", "first": 5, "last": 5}
    assert [it["path"] for it in spy.told("decide")] == [shown.path] * 2


def test_an_operator_takes_a_motion_and_a_count_and_is_repeated(
    nvim: Neovim, spy: BridgeSpy, shown: FileReview
) -> None:
    assert shown.changes
    nvim.input("gggkj")
    assert (decided(spy)["first"], decided(spy)["last"]) == (1, 2)
    nvim.input("3G.")
    assert (decided(spy)["first"], decided(spy)["last"]) == (3, 4)
    nvim.input("2GgRgR6G.")
    last = {"verdict": "reject", "scope": "lines", "first": 6, "last": 6}
    assert decided(spy) == last | {"hunk": True}
    nvim.input("gRl")
    assert decided(spy) == last


@pytest.mark.parametrize("keys", ["VjgR", "vjgR", "<C-v>jgR", ":2,3Acp reject<CR>"])
def test_a_selection_means_whole_lines(
    nvim: Neovim, spy: BridgeSpy, shown: FileReview, keys: str
) -> None:
    assert shown.changes
    nvim.input("2Gl" + keys)
    assert decided(spy) == {"verdict": "reject", "scope": "lines", "first": 2, "last": 3}
    assert nvim.mode()["mode"] == "n"


def test_without_a_hunk_an_operator_ends(nvim: Neovim, spy: BridgeSpy, shown: FileReview) -> None:
    assert shown.changes
    nvim.input("3Ggkgk")
    assert spy.told("decide") == []
    assert message(nvim) == "acp: no hunk here"
    assert nvim.mode() == {"mode": "n", "blocking": False}
    nvim.input("2Gdgk")
    assert nvim.lines() == ["one", "three", "four", "six", "seven"]
    nvim.input("4Gdgk")
    assert message(nvim) == "acp: only removed lines here"
    assert len(nvim.lines()) == 5


@pytest.mark.parametrize(
    ("command", "payload"),
    [
        ("Acp keep", {"verdict": "keep", "scope": "lines", "first": 2, "last": 2, "hunk": True}),
        ("Acp reject file", {"verdict": "reject", "scope": "file"}),
        ("%Acp keep", {"verdict": "keep", "scope": "file"}),
        ("Acp keep all", {"verdict": "keep", "scope": "all"}),
    ],
)
def test_commands_decide(
    nvim: Neovim, spy: BridgeSpy, shown: FileReview, command: str, payload: dict[str, Any]
) -> None:
    nvim.command(f"2 | {command}")
    assert decided(spy) == payload
    assert spy.told("decide")[0].get("path") == shown.path


def test_it_says_what_became_of_it(nvim: Neovim, spy: BridgeSpy, shown: FileReview) -> None:
    assert shown.changes
    nvim.command("2Acp keep")
    spy.answer("kept 1 hunk, 4 left")
    assert message(nvim) == "acp: kept 1 hunk, 4 left"


def test_what_the_host_cannot_do_is_said(nvim: Neovim, spy: BridgeSpy, shown: FileReview) -> None:
    assert shown.changes
    nvim.command("Acp keep all")
    spy.answer(None, "the file is locked")
    assert message(nvim) == "acp: the file is locked"


def test_after_a_rejection_the_cursor_is_where_the_hunk_was(
    nvim: Neovim, spy: BridgeSpy, host: ReviewingNeovim
) -> None:
    path = write(nvim, "a.txt", "one\nnew\nnewer\nnewest\ntwo\nthree\nfour\n")
    nvim.command(f"edit {path}")
    host.begin(review(path, "one\ntwo\nthree\nfour\n", path.read_text()))
    nvim.command("3 | Acp reject")
    nvim.command("2,4delete | 4")
    spy.answer("rejected 1 hunk, none is left")
    assert line(nvim) == 2


def test_a_buffer_that_is_of_another_file_has_no_hunks(nvim: Neovim, shown: FileReview) -> None:
    """An explorer renames the file and its buffer: no mark may promise a decision."""
    assert shown.changes
    marks = "vim.api.nvim_get_namespaces().acp_review, 0, -1, {}"
    shows = f"return #vim.api.nvim_buf_get_extmarks(0, {marks}) > 0"
    assert nvim.lua(shows)
    nvim.command("file other.txt")
    assert not nvim.lua(shows)
    nvim.input("2G:Acp reject<CR>")
    assert message(nvim).startswith("acp: no hunk here: :Acp review shows them")


def test_where_nothing_is_shown_there_is_nothing_to_decide(
    nvim: Neovim, spy: BridgeSpy, host: ReviewingNeovim
) -> None:
    assert host
    nvim.command(f"edit {write(nvim, 'a.txt')}")
    nvim.input(":Acp keep<CR>")
    said = "acp: no hunk here: :Acp review shows them; :Acp keep file, :Acp keep all"
    assert message(nvim) == said
    nvim.input(":enew <bar> Acp reject file<CR>")
    assert message(nvim).startswith("acp: this buffer is not a file")
    assert spy.told("decide") == []


# --- review, undo, redo


def test_review_undo_and_redo_tell_the_host(
    nvim: Neovim, spy: BridgeSpy, host: ReviewingNeovim
) -> None:
    assert host
    path = write(nvim, "a.txt")
    nvim.command(f"edit {path} | 3 | Acp review")
    assert spy.told("review") == [{"path": str(path), "line": 3}]
    nvim.input(":Acp review 2<CR>")
    assert message(nvim) == "acp: there is no session: :AcpStart opens one"
    chat, _ = spy.open_session()
    nvim.command("wincmd t")
    nvim.command("Acp review 2")
    nvim.command("Acp review off")
    place = {"chat": chat, "path": str(path), "line": 3}
    assert spy.told("review")[1:] == [place | {"turn": 2}, place | {"off": True}]
    for command in ("Acp undo", "Acp undo 2", "Acp redo"):
        nvim.command(command)
    place = {"chat": chat, "path": str(path)}
    assert spy.told("undo") == [place, place | {"turn": 2}]
    assert spy.told("redo") == [place]
    nvim.command("nmap gu <Plug>(acp-undo)")
    nvim.command("nmap gr <Plug>(acp-review)")
    nvim.input("gugr")
    assert len(spy.told("undo")) == 3
    assert len(spy.told("review")) == 4


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (
            "Acp review on",
            ":Acp review takes the number of a turn, off or a sub-agent's name, not on",
        ),
        ("Acp keep hunk", ":Acp keep takes file, all or a sub-agent's name, not hunk"),
        (
            "Acp undo last",
            ":Acp undo takes the number of a turn or a sub-agent's name, not last",
        ),
        (
            "Acp undo 2 all of it",
            "2 all of it is not a turn and a sub-agent of it",
        ),
        ("Acp redo 2", ":Acp redo takes no argument"),
        ("1Acp undo", ":Acp undo takes no range"),
    ],
)
def test_what_they_do_not_take_is_said(
    nvim: Neovim, spy: BridgeSpy, command: str, sentence: str
) -> None:
    spy.open_session()
    nvim.input(f":{command}<CR>")
    assert message(nvim) == f"acp: {sentence}"
    assert not any(spy.told(verb) for verb in ("review", "decide", "undo", "redo"))
