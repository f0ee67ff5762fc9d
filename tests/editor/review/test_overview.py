"""`:Acp diff`: all changes in one buffer, decided on there."""

from __future__ import annotations

from pathlib import Path

from tests.support.agents.agent_edits import files, until_files, write
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

LINES = "".join(f"line {number}\n" for number in range(1, 21))
THEIRS = LINES.replace("line 3\n", "three\nand more\n").replace("line 15\n", "")


def shown(job: MainJob) -> list[str]:
    """Return what is said in the overview, without the lines around the changes."""
    return [line for line in job.nvim.lines() if not line.startswith(" ")]


def opened(job: MainJob, *, turn: str = "") -> tuple[StdioAgent, Path, Path]:
    """Let two turns change two files, and show it."""
    agent = job.start()
    one, two = job.edit("one.txt", LINES), job.work / "two.txt"
    for path, text in ((one, THEIRS), (two, "new\n")):
        prompt = job.turn(agent)
        write(agent, path, text)
        job.finish(agent, prompt)
    until_files(job, {"one.txt": 2, "two.txt": 1})
    job.command(f"wincmd t | Acp diff {turn}")
    job.until(lambda: [line for line in shown(job) if line.startswith("@@")])
    return agent, one, two


def test_all_changes_of_the_session_or_of_a_turn(job: MainJob) -> None:
    opened(job)
    assert shown(job) == [
        "one.txt  +2 −2  2 hunks",
        "@@ 3 @@ scripted turn 1 · +2 −1  three",
        "-line 3",
        "+three",
        "+and more",
        "@@ 16 @@ scripted turn 1 · +0 −1  line 15",
        "-line 15",
        "",
        "two.txt  +1 −0  1 hunk",
        "@@ 1 @@ scripted turn 2 · new file · 1 line",
        "+new",
    ]
    assert job.nvim.eval("[&modifiable, &buftype]") == [0, "nofile"]
    job.command("close | Acp diff 2")
    job.until(lambda: shown(job)[:1] == ["two.txt  +1 −0  1 hunk"])
    job.command("close | Acp diff x")
    job.told("takes the number of a turn")


def test_hunks_and_lines_are_kept_and_rejected(job: MainJob) -> None:
    _, one, two = opened(job)
    job.command("/^ line 2/Acp reject")
    job.told("no hunk here that waits")
    job.command("/^+and more/Acp reject because too long")
    job.told("rejected 1 hunk")
    assert one.read_text() == THEIRS.replace("and more\n", "")
    job.until(lambda: "+and more" not in shown(job))
    job.command("call search('^-line 15')")
    job.nvim.input("gh")
    job.told("kept 1 hunk")
    job.until(lambda: [line for line in shown(job) if line.startswith("@@ 15 @@ kept")])
    job.command("call search('^+new')")
    job.nvim.input("VgH")
    job.until(lambda: not two.exists())
    until_files(job, {"one.txt": 1})
    job.command("Acp reject all")
    job.until(lambda: files(job) == {})
    assert one.read_text() == LINES.replace("line 15\n", "")


def test_lines_moved_since_are_found_and_what_has_changed_is_left(job: MainJob) -> None:
    _, one, _ = opened(job)
    window = job.nvim.eval("win_getid()")
    buffer = job.nvim.eval(f"bufnr('{one}')")
    job.nvim.lua("vim.api.nvim_buf_set_lines(..., 0, 0, true, { 'mine', 'mine too' })", buffer)
    job.command("call search('^+three')")
    job.nvim.input("gH")
    job.told("rejected 1 hunk")
    expected = ["mine", "mine too", *LINES.replace("line 15\n", "").splitlines()]
    assert job.nvim.lines(buffer) == expected
    assert job.nvim.eval("win_getid()") == window
    job.until(lambda: "+three" not in shown(job))
    job.command("call search('^-line 15')")
    job.nvim.lua("vim.api.nvim_buf_set_lines(..., 16, 16, true, { 'line 15' })", buffer)
    job.nvim.input("gH")
    job.told("has changed since")


def test_it_follows_what_is_decided_elsewhere(job: MainJob) -> None:
    opened(job)
    overview = job.nvim.api.nvim_get_current_buf()
    job.command("wincmd j | Acp undo")

    def said() -> list[str]:
        return [line for line in job.nvim.lines(overview) if "hunk" in line]

    job.until(lambda: said() == ["one.txt  +2 −2  2 hunks"])
    job.command("Acp redo")
    job.until(lambda: len(said()) == 2)


def test_motions_and_the_way_to_the_file(job: MainJob) -> None:
    opened(job)
    job.nvim.input("gg]h]h")
    assert job.nvim.eval("getline('.')[:5]") == "@@ 16 "
    job.nvim.input("[hjjjj")
    assert job.nvim.eval("getline('.')") == "+three"
    job.nvim.input("<CR>")
    job.until(lambda: job.nvim.eval("expand('%:t')") == "one.txt")
    assert job.nvim.eval("line('.')") == 3


def test_until_all_is_drawn_no_row_is_a_hunk(job: MainJob) -> None:
    opened(job)
    draw = "return require('acp.review.overview').draw(vim.api.nvim_get_current_buf(), ...)"
    hunk = {"row": 1, "path": "/p", "key": "k", "line": 1, "offsets": [-1], "is_pending": True}
    assert job.nvim.lua(draw, [0, 900, ["a", "@@ b"], []], [hunk]) is True
    assert job.nvim.lines() == ["a", "@@ b"]
    job.nvim.input("gg]h")
    job.told("no hunk after this")
    assert job.nvim.lua(draw, [2, -1, ["c"], []], [])
    job.nvim.input("gg]h")
    job.until(lambda: job.nvim.eval("line('.')") == 2)
    assert job.nvim.lines() == ["a", "@@ b", "c"]
    closed = "return require('acp.review.overview').draw(987654, { 0, -1, { 'x' }, {} }, {})"
    assert job.nvim.lua(closed) is False
