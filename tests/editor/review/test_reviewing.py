"""The review of what an agent has done, in whatever way, by a user with files open."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.agents.agent_edits import (
    answer,
    command,
    files,
    hunks,
    looked,
    put,
    quickfix,
    removed,
    signs,
    tool,
    until_files,
    write,
)
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

LINES = "".join(f"line {number}\n" for number in range(1, 11))
THEIRS = LINES.replace("line 3\n", "line three\n").replace("line 8\n", "")
MAPS = ("map gk <Plug>(acp-keep)", "map gR <Plug>(acp-reject)", "map ]h <Plug>(acp-next-hunk)")


def turned(job: MainJob, agent: StdioAgent, path: Path, text: str = THEIRS) -> None:
    """Let the agent write the file in a turn of its own."""
    prompt = job.turn(agent)
    assert write(agent, path, text)["result"] == {}
    job.finish(agent, prompt)


def reviewed(job: MainJob) -> Path:
    """Open a file, let the agent change it, and show the review."""
    agent = job.start()
    path = job.edit("a.txt", LINES)
    turned(job, agent, path)
    job.command("wincmd t | Acp review")
    job.told("2 hunks in 1 file")
    return path


# --- finding it


def test_an_edit_through_the_client_is_reviewed(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    prompt = job.turn(agent)
    write(agent, path, THEIRS)
    until_files(job, {"a.txt": 2})
    assert hunks(job) == [(1, "a.txt", 3, 3, 1, 1), (1, "a.txt", 8, 7, 0, 1)]
    job.command("wincmd t")
    job.until(lambda: signs(job) == [2, 7])
    assert removed(job) == []
    job.finish(agent, prompt)


@pytest.mark.parametrize("opened", [False, True])
def test_what_a_tool_writes_to_the_disk_is_reviewed(job: MainJob, *, opened: bool) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    if not opened:
        job.command("wincmd t | bwipeout")
    prompt = job.turn(agent)
    tool(agent, path, THEIRS)
    until_files(job, {"a.txt": 2})
    tool(agent, job.work / "sub" / "new.txt", "new\n", "edit-2")
    until_files(job, {"a.txt": 2, "new.txt": 1})
    job.finish(agent, prompt)


def test_what_a_command_does_is_reviewed(job: MainJob) -> None:
    agent = job.start()
    path, gone = job.edit("a.txt", LINES), job.edit("gone.txt", "x\ny\n")
    prompt = job.turn(agent)
    command(agent, {path: THEIRS, gone: None, job.work / "b.txt": "new\n"})
    until_files(job, {"a.txt": 2, "b.txt": 1, "gone.txt": 1})
    job.finish(agent, prompt)
    assert job.nvim.eval(f"getbufline('{path}', 3)") == ["line three"]
    assert (1, "gone.txt", 1, 0, 0, 2) in hunks(job)


def test_what_was_done_without_a_word_is_found_at_the_end_of_the_turn(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    prompt = job.turn(agent)
    put(path, THEIRS)
    job.finish(agent, prompt)
    until_files(job, {"a.txt": 2})


def test_what_a_running_turn_has_done_without_a_word_is_found_by_whoever_asks(
    job: MainJob,
) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    prompt = job.turn(agent)
    put(path, THEIRS)
    job.command("wincmd t | Acp review")
    job.told("2 hunks in 1 file")
    put(job.work / "new.txt", "new\n")
    answer(job, to_take=True)
    job.command("Acp reject all")
    job.told("rejected 3 hunks")
    put(path, THEIRS)
    job.command("Acp undo")
    job.told("undid turn 1")
    # what was only found gone is back at once, the rest when the question was answered
    job.until(lambda: path.read_text() == LINES)
    job.finish(agent, prompt)


def test_what_happens_between_turns_is_the_users(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    turned(job, agent, path)
    looked(job)
    put(job.work / "mine.txt", "mine\n")
    put(path, "mine\n" + THEIRS)
    prompt = job.turn(agent)
    put(path, "mine\n" + THEIRS + "more\n")
    job.finish(agent, prompt)
    until_files(job, {"a.txt": 3})
    assert hunks(job)[-1] == (2, "a.txt", 11, 11, 1, 0)


def test_what_an_agent_does_after_its_turn_is_still_of_that_turn(job: MainJob) -> None:
    agent = job.start()
    path, other = job.edit("a.txt", LINES), job.edit("b.txt", LINES)
    job.finish(agent, job.turn(agent))
    looked(job)
    write(agent, path, THEIRS)
    tool(agent, other, "new\n" + LINES)
    until_files(job, {"a.txt": 2, "b.txt": 1})
    job.command("Acp undo")
    job.told("undid turn 1")
    assert path.read_text() == other.read_text() == LINES


def test_a_queued_prompt_does_not_take_over_what_the_turn_before_did(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    prompt = job.turn(agent, "first")
    job.command("AcpPrompt second")
    job.until(lambda: job.session()["queue"])
    put(path, THEIRS)
    agent.end(prompt)
    second = agent.prompted()
    put(path, THEIRS + "more\n")
    job.finish(agent, second)
    until_files(job, {"a.txt": 3})
    assert [turn for turn, *_ in hunks(job)] == [1, 1, 2]


def test_edits_that_are_replayed_are_of_long_ago(job: MainJob) -> None:
    agent = job.start(agentCapabilities={"loadSession": True})
    path = job.edit("a.txt", LINES)
    session = job.session()["id"]
    job.finish(agent, job.turn(agent))
    looked(job)
    job.command("Acp restart")
    agent = job.stage.accept()
    agent.initialize(agentCapabilities={"loadSession": True})
    load = agent.expect("session/load")
    put(path, THEIRS)
    agent.update(
        "tool_call",
        session,
        toolCallId="old",
        title="Edit",
        kind="edit",
        status="completed",
        locations=[{"path": str(path)}],
    )
    agent.reply(load, {})
    job.until(lambda: job.session()["state"] == "idle")
    job.until(lambda: job.nvim.eval(f"getbufline('{path}', 3)") == ["line three"])
    assert hunks(job) == []


def test_two_turns_have_a_quickfix_list_each(job: MainJob) -> None:
    agent = job.start()
    path, other = job.edit("a.txt", LINES), job.work / "b.txt"
    turned(job, agent, path)
    turned(job, agent, other, "new\n")
    job.command("wincmd t | Acp review")
    job.told("3 hunks in 2 files")
    assert quickfix(job) == ("acp: scripted turn 2 · go", [("b.txt", 1)])
    job.command("colder")
    assert quickfix(job) == ("acp: scripted turn 1 · go", [("a.txt", 3), ("a.txt", 8)])
    job.command("Acp review 2")
    job.told("1 hunk in 1 file")
    assert quickfix(job)[1] == [("b.txt", 1)]
    job.command("Acp review 7")
    job.told("turn 7 has changed nothing")


# --- showing it


def test_the_review_shows_all_and_goes_to_the_nearest_hunk(job: MainJob) -> None:
    path = reviewed(job)
    assert job.nvim.eval("[expand('%:p'), line('.')]") == [str(path), 3]
    assert removed(job) == ["line 3", "line 8"]
    job.command("Acp review off")
    job.until(lambda: removed(job) == [])
    assert signs(job) == [2, 7]


def test_the_review_opens_what_is_not_open(job: MainJob) -> None:
    agent = job.start()
    path = job.work / "deep" / "a.txt"
    prompt = job.turn(agent)
    tool(agent, path, "new\n")
    job.finish(agent, prompt)
    job.command("Acp review")
    job.until(lambda: job.nvim.eval("expand('%:p')") == str(path))
    job.until(lambda: signs(job) == [0])


def test_without_a_change_there_is_nothing_to_review(job: MainJob) -> None:
    job.command("Acp review")
    job.told("nothing to review")
    job.command("Acp undo")
    job.told("no turn has changed anything that can be undone")
    job.command("Acp redo")
    job.told("nothing to redo")
    job.command("Acp keep all")
    job.told("nothing to review: no change of an agent is pending")


# --- deciding


def test_the_hunk_under_the_cursor_is_kept_or_rejected(job: MainJob) -> None:
    path = reviewed(job)
    job.command("Acp keep")
    job.told("kept 1 hunk, 1 left")
    job.command("8 | Acp reject")
    job.told("rejected 1 hunk, none is left")
    assert path.read_text() == THEIRS.replace("line 9\n", "line 8\nline 9\n")
    assert job.nvim.lines() == path.read_text().splitlines()
    assert (files(job), len(hunks(job, "kept"))) == ({}, 1)
    job.until(lambda: signs(job) == [])


@pytest.mark.parametrize("scope", ["file", "all"])
def test_all_that_waits_is_rejected_at_once(job: MainJob, scope: str) -> None:
    path = reviewed(job)
    job.command(f"Acp reject {scope}")
    job.told("rejected 2 hunks, none is left")
    assert path.read_text() == LINES
    assert job.nvim.eval("&modified") == 0
    job.command(f"Acp reject {scope}")
    job.told("no hunk in this file" if scope == "file" else "nothing to review")


def test_a_part_of_a_hunk_is_rejected(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    theirs = LINES.replace("line 3\nline 4\nline 5\n", "three\nfour\nfive\n")
    turned(job, agent, path, theirs)
    job.command("wincmd t | 4,4Acp reject")
    job.told("rejected 1 hunk, 2 left")
    assert path.read_text() == theirs.replace("four", "line 4")


def test_an_operator_decides_on_the_hunk_and_a_selection_on_its_lines(job: MainJob) -> None:
    path = reviewed(job)
    for mapping in MAPS:
        job.command(mapping)
    job.nvim.input("gg]hgkgk")
    job.told("kept 1 hunk, 1 left")
    job.nvim.input("7GVjgR")
    job.told("rejected 1 hunk, none is left")
    assert path.read_text() == THEIRS.replace("line 9\n", "line 8\nline 9\n")
    assert job.nvim.mode() == {"mode": "n", "blocking": False}


def test_taking_a_rejection_back_in_the_editor_makes_it_wait_again(job: MainJob) -> None:
    reviewed(job)
    job.command("Acp reject all")
    job.told("rejected 2 hunks")
    job.until(lambda: signs(job) == [])
    job.nvim.input("u")
    assert job.nvim.lines() == THEIRS.splitlines()
    job.until(lambda: signs(job) == [2, 7])
    until_files(job, {"a.txt": 2})
    job.nvim.input("<C-r>")
    until_files(job, {})


def test_what_the_user_types_stays_and_the_hunks_go_along(job: MainJob) -> None:
    path = reviewed(job)
    job.nvim.input("ggOmine<Esc>5GA too<Esc>")
    job.until(lambda: signs(job) == [3, 8])
    job.command("Acp reject all")
    job.told("rejected 2 hunks")
    expected = "mine\n" + LINES.replace("line 4\n", "line 4 too\n")
    assert job.nvim.lines() == expected.splitlines()
    assert (job.nvim.eval("&modified"), path.read_text()) == (1, THEIRS)


def test_a_file_that_cannot_be_changed_does_not_keep_the_others(job: MainJob) -> None:
    agent = job.start()
    path, other = job.edit("a.txt", LINES), job.edit("b.txt", LINES)
    prompt = job.turn(agent)
    write(agent, path, THEIRS)
    write(agent, other, THEIRS)
    job.finish(agent, prompt)
    job.command(f"call setbufvar('{path}', '&modifiable', 0)")
    job.command("Acp reject all")
    job.told(str(path.name), "is not modifiable")
    assert (path.read_text(), other.read_text()) == (THEIRS, LINES)
    until_files(job, {"a.txt": 2})


@pytest.mark.parametrize("act", ["reject all", "undo"])
def test_a_prompt_waits_for_what_the_user_has_asked_for_before_it(job: MainJob, act: str) -> None:
    agent = job.start()
    paths = [job.edit(f"{name}.txt", LINES) for name in "abcdefgh"]
    prompt = job.turn(agent)
    for path in paths:
        assert write(agent, path, THEIRS)["result"] == {}
    job.finish(agent, prompt)
    until_files(job, {path.name: 2 for path in paths})
    job.command(f"exe 'Acp {act}' | AcpPrompt next")
    told = json.dumps(agent.prompted()["params"]["prompt"])
    assert [path.name for path in paths if path.read_text() != LINES] == []
    assert [path.name for path in paths if f"a/{path.name}" not in told] == []


# --- why


def test_a_line_leads_to_the_tool_call_that_wrote_it(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    prompt = job.turn(agent, "Fix line 3")
    tool(agent, path, THEIRS)
    until_files(job, {"a.txt": 2})
    agent.say("done")
    job.finish(agent, prompt)
    job.command("wincmd t | 3 | Acp why")
    job.until(lambda: job.nvim.eval("nvim_win_get_config(0).relative") != "")
    shown = "\n".join(job.nvim.lines())
    for word in ("scripted", "Fix line 3", "Edit a.txt"):
        assert word in shown
    job.nvim.input("<CR>")
    assert job.nvim.eval("&filetype") == "acp_chat"
    assert "Edit a.txt" in job.nvim.eval("getline('.')")
    job.command("wincmd t | 1 | Acp why")
    job.told("nobody but you")
