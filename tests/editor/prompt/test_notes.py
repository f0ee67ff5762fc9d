"""The notes that go along with a prompt: shown below its text, read, and dropped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.agents.agent_edits import looked, write
from tests.support.agents.stdio_agent import SESSION, StdioAgent
from tests.support.along import along, bar
from tests.support.fakes.spy import BridgeSpy
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim

REJECTED: dict[str, Any] = {"key": "rejected", "label": "rejected: 2 files", "size": "+8 −6"}
CHANGED: dict[str, Any] = {"key": "changed", "label": "changed: 100%.py"}
EMBEDDING: dict[str, Any] = {"agentCapabilities": {"promptCapabilities": {"embeddedContext": True}}}


def note(nvim: Neovim, chat: int, *notes: dict[str, Any]) -> None:
    """Say what goes along, as the host does."""
    nvim.lua("require('acp.prompt.attachment').note(...)", chat, list(notes))


def drawn(*lines: str) -> dict[str, Any]:
    """Return what the host answers when it is asked what the notes say."""
    return {"ops": [[0, 1, list(lines), []]]}


def windows(nvim: Neovim) -> int:
    return int(nvim.eval("winnr('$')"))


# --- with a host that is played


def test_notes_stand_below_the_text_and_go(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.command("set columns=160")
    chat, prompt = spy.open_session()
    note(nvim, chat, REJECTED, CHANGED)
    assert along(nvim, prompt) == ["1 rejected: 2 files · +8 −6", "2 changed: 100%.py"]
    assert bar(nvim, prompt) == "<CR> sends to tutor · <C-x> removes · K shows"
    note(nvim, chat)
    assert along(nvim, prompt) == []
    assert bar(nvim, prompt) == "<CR> sends to tutor"


def test_the_bar_says_what_there_is_room_for(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.command("set columns=80")
    chat, prompt = spy.open_session()
    note(nvim, chat, REJECTED)
    assert bar(nvim, prompt) == "<CR> sends · <C-x> removes"
    nvim.command("set columns=200 | vertical resize 90")
    nvim.wait(lambda: bar(nvim, prompt) == "<CR> sends to tutor · <C-x> removes · K shows")


def test_a_long_name_is_cut_in_the_middle(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.command("set columns=80")
    chat, prompt = spy.open_session()
    note(nvim, chat, {"key": "changed", "label": f"changed: {'x' * 40}.py", "size": "+4 −3"})
    (row,) = along(nvim, prompt)
    assert "…" in row
    assert row.startswith("1 changed: ")
    assert row.endswith("x.py")
    nvim.command("set columns=200 | vertical resize 90")
    nvim.wait(lambda: along(nvim, prompt) == [f"1 changed: {'x' * 40}.py · +4 −3"])


def test_the_rows_stay_below_the_text(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, prompt = spy.open_session()
    height = f"winheight(bufwinid({prompt}))"
    note(nvim, chat, REJECTED, CHANGED)
    grown = nvim.eval(height)
    assert grown == 3, "a line and two rows; the bar is not counted"
    nvim.input("ione<CR>two<CR>three")
    nvim.wait(lambda: nvim.eval(height) == grown + 2)
    assert len(along(nvim, prompt)) == 2
    nvim.input("<Esc>yyp")
    nvim.wait(lambda: nvim.eval(height) == grown + 3)
    assert len(along(nvim, prompt)) == 2
    nvim.input("ggdG")
    nvim.wait(lambda: nvim.eval(height) == grown)
    assert len(along(nvim, prompt)) == 2
    assert nvim.lines() == [""]


def selected(nvim: Neovim, line: int = 1) -> Any:
    """Return a selection of that line of a buffer without a name."""
    nvim.lua("vim.fn.setline(1, { 'a', 'b' })")
    return nvim.lua("return require('acp.prompt.attachment').select(...)", line, line)


def test_ctrl_x_drops_notes_first_then_selections(nvim: Neovim, spy: BridgeSpy) -> None:
    selection = selected(nvim)
    chat, prompt = spy.open_session()
    nvim.lua("require('acp.prompt.attachment').attach(...)", chat, selection)
    note(nvim, chat, REJECTED, CHANGED)
    rows = ["1 @buffer 1:1 · 1 line", "2 rejected: 2 files · +8 −6", "3 changed: 100%.py"]
    assert along(nvim, prompt) == rows
    nvim.input("<C-x>")
    assert spy.told("drop_note") == [{"chat": chat, "key": "changed"}]
    assert along(nvim, prompt) == rows[:2]
    nvim.input("<C-x>")
    assert spy.told("drop_note")[1] == {"chat": chat, "key": "rejected"}
    assert along(nvim, prompt) == rows[:1]
    nvim.input("<C-x>")
    assert along(nvim, prompt) == []
    assert bar(nvim, prompt) == "<CR> sends to tutor"
    nvim.input("<C-x>")
    assert len(spy.told("drop_note")) == 2
    assert "nothing is attached" in nvim.messages()


def test_a_number_says_which_row_goes(nvim: Neovim, spy: BridgeSpy) -> None:
    selection = selected(nvim)
    chat, prompt = spy.open_session()
    nvim.lua("require('acp.prompt.attachment').attach(...)", chat, selection)
    note(nvim, chat, REJECTED, CHANGED)
    nvim.input("4<C-x>")
    assert "there is no row 4" in nvim.messages()
    nvim.input("2<C-x>")
    assert spy.told("drop_note") == [{"chat": chat, "key": "rejected"}]
    nvim.input("1<C-x>")
    assert along(nvim, prompt) == ["1 changed: 100%.py"]


def test_k_shows_lines_as_they_are_now(nvim: Neovim, spy: BridgeSpy) -> None:
    selection = selected(nvim, 2)
    chat, prompt = spy.open_session()
    nvim.lua("require('acp.prompt.attachment').attach(...)", chat, selection)
    assert along(nvim, prompt) == ["1 @buffer 1:2 · 1 line"]
    nvim.command("wincmd t")
    nvim.input("Onew<Esc>GrA")
    nvim.command("wincmd b")
    assert along(nvim, prompt) == ["1 @buffer 1:3 · 1 line"]
    nvim.input("K")
    assert nvim.lines() == ["@buffer 1:3", "", "A", ""]
    nvim.input("q")
    note(nvim, chat, REJECTED, CHANGED)
    nvim.input("3K")
    assert spy.told("note_text") == [{"chat": chat, "key": "changed"}]
    spy.answer(drawn("+x"))
    assert nvim.lines() == ["+x"]
    nvim.input("qK")
    spy.answer(drawn("-y", "+x"))
    assert nvim.lines() == ["@buffer 1:3", "", "A", "", "-y", "+x"]


def test_sending_leaves_the_notes_to_the_host(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, prompt = spy.open_session()
    note(nvim, chat, REJECTED)
    nvim.input("ihello<Esc><CR>")
    assert spy.told("prompt")[0]["text"] == "hello"
    assert along(nvim, prompt) == ["1 rejected: 2 files · +8 −6"]


def test_k_shows_what_the_agent_will_be_told(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, prompt = spy.open_session()
    note(nvim, chat, REJECTED)
    before = windows(nvim)
    nvim.input("K")
    assert spy.told("note_text") == [{"chat": chat}]
    spy.answer(drawn("The user rejected:", "", "-bad"))
    assert nvim.lines() == ["The user rejected:", "", "-bad"]
    assert nvim.eval("[&modifiable, &buftype, &filetype]") == [0, "nofile", ""]
    shown = nvim.eval("bufnr()")
    nvim.input("q")
    assert nvim.eval("bufnr()") == prompt
    assert windows(nvim) == before
    assert nvim.eval(f"bufexists({shown})") == 0


@pytest.mark.parametrize("key", ["q", "<Esc>"])
def test_only_one_float_of_notes_is_open(nvim: Neovim, spy: BridgeSpy, key: str) -> None:
    chat, prompt = spy.open_session()
    note(nvim, chat, REJECTED)
    before = windows(nvim)
    for text in ("first", "second"):
        nvim.input("K")
        spy.answer(drawn(text))
        assert nvim.lines() == [text]
        nvim.command(f"call win_gotoid(bufwinid({prompt}))")
    assert windows(nvim) == before + 1
    nvim.command("wincmd w")
    nvim.lua("vim.api.nvim_set_current_win(vim.fn.win_findbuf(vim.fn.bufnr('$'))[1])")
    nvim.input(key)
    assert windows(nvim) == before


def test_k_opens_nothing_once_the_user_is_elsewhere(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    note(nvim, chat, REJECTED)
    nvim.input("K")
    nvim.command("wincmd t")
    before = windows(nvim)
    spy.answer(drawn("late"))
    assert windows(nvim) == before


def test_k_says_so_when_there_is_nothing_or_the_host_fails(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, prompt = spy.open_session()
    nvim.input("K")
    assert "nothing but the prompt" in nvim.messages()
    assert spy.told("note_text") == []
    note(nvim, chat, REJECTED)
    nvim.input("K")
    spy.answer(None, "this chat is history")
    assert "this chat is history" in nvim.messages()
    assert nvim.eval("bufnr()") == prompt


def test_without_default_keys_the_bar_names_none(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.lua("vim.g.acp = { default_keys = false }")
    chat, prompt = spy.open_session()
    note(nvim, chat, REJECTED)
    assert bar(nvim, prompt) == ":w sends to tutor"
    assert along(nvim, prompt) == ["1 rejected: 2 files · +8 −6"]
    assert nvim.eval("maparg('K', 'n') .. maparg('<C-x>', 'n')") == ""


def test_the_host_is_asked_when_the_prompt_is_entered_and_after_files_are_saved(
    nvim: Neovim, spy: BridgeSpy
) -> None:
    chat, _ = spy.open_session()
    spy.frame(chat, status={"state": "running"})
    nvim.command("wincmd t | wincmd b")
    assert spy.told("notes") == []
    spy.frame(chat, status={"state": "idle"})
    nvim.command("wincmd t | wincmd b")
    assert spy.told("notes") == [{"chat": chat}]
    nvim.command("wincmd t | silent write one.txt | silent write two.txt")
    nvim.wait(lambda: len(spy.told("notes")) > 1)
    assert spy.told("notes") == [{"chat": chat}] * 2


def test_a_closed_or_wiped_chat_has_no_notes(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, prompt = spy.open_session()
    spy.frame(chat, status={"state": "idle"})
    note(nvim, chat, REJECTED)
    spy.end_host()
    assert along(nvim, prompt) == []
    nvim.command("wincmd t | wincmd b")
    assert spy.told("notes") == []
    nvim.command(f"bwipeout! {chat}")
    note(nvim, chat, REJECTED)
    assert nvim.messages() == ""


# --- with the real host


def read(agent: StdioAgent, file: Path) -> None:
    """Let the agent read a file through the client."""
    answer = agent.ask("fs/read_text_file", sessionId=SESSION, path=str(file))
    assert answer["result"] == {"content": file.read_text()}


@pytest.fixture
def file(job: MainJob) -> Iterator[Path]:
    """Yield a file of the project."""
    path = job.work / "util.py"
    path.write_text("x = 1\n")
    yield path


def prompt_of(job: MainJob) -> int:
    return int(job.session()["prompt_bufnr"])


def test_what_the_user_changes_is_shown_then_told_then_over(job: MainJob, file: Path) -> None:
    agent = job.start(**EMBEDDING)
    prompt = prompt_of(job)
    request = job.turn(agent)
    read(agent, file)
    job.finish(agent, request)
    job.edit("util.py", "x = 1\n")
    job.nvim.command("call setline(1, 'x = 2')")
    job.command(f"call win_gotoid(bufwinid({prompt}))")
    job.until(lambda: along(job.nvim, prompt) == ["1 changed: util.py (unsaved) · +1 −1"])
    job.command("wall")
    job.until(lambda: along(job.nvim, prompt) == ["1 changed: util.py · +1 −1"])
    job.nvim.input("K")
    job.until(lambda: "+x = 2" in job.nvim.lines())
    job.nvim.input("qigo on<Esc><CR>")
    request = agent.prompted()
    text, told = request["params"]["prompt"]
    assert text == {"type": "text", "text": "go on"}
    assert told["resource"]["text"].endswith("-x = 1\n+x = 2\n")
    job.until(lambda: along(job.nvim, prompt) == [])
    job.finish(agent, request)
    assert any("@changed-since.diff" in line for line in job.chat())
    job.usable()


def test_what_another_session_writes_is_shown_though_no_buffer_has_it(
    job: MainJob, file: Path
) -> None:
    agent = job.start(**EMBEDDING)
    prompt = prompt_of(job)
    request = job.turn(agent)
    read(agent, file)
    job.finish(agent, request)
    job.command("Acp new scripted")
    agent.open("second")
    job.until(lambda: len(job.inspect()["sessions"]) == 2)
    job.until(lambda: job.session()["state"] == "idle")
    request = job.turn(agent, "other")
    assert write(agent, file, "x = 2\n", sessionId="second")["result"] == {}
    job.until(lambda: along(job.nvim, prompt) == ["1 changed: util.py · +1 −1"])
    job.finish(agent, request)


def test_what_the_user_drops_is_not_told(job: MainJob, file: Path) -> None:
    agent = job.start(**EMBEDDING)
    prompt = prompt_of(job)
    request = job.turn(agent)
    read(agent, file)
    job.finish(agent, request)
    looked(job)
    file.write_text("x = 2\n")
    job.command(f"wincmd t | call win_gotoid(bufwinid({prompt}))")
    job.until(lambda: "changed: util.py" in "".join(along(job.nvim, prompt)))
    job.nvim.input("<C-x>igo on<Esc><CR>")
    request = agent.prompted()
    assert request["params"]["prompt"] == [{"type": "text", "text": "go on"}]


NOTED = """
_G.noted = {}
local attachment = require('acp.prompt.attachment')
local note = attachment.note
function attachment.note(chat, found)
  vim.list_extend(_G.noted, found)
  return note(chat, found)
end
"""


def test_what_the_agent_has_done_itself_without_a_word_is_no_news_to_it(
    job: MainJob, file: Path
) -> None:
    job.nvim.lua(NOTED)
    agent = job.start(**EMBEDDING)
    request = job.turn(agent)
    read(agent, file)
    file.write_text("x = 2\n")
    job.finish(agent, request)
    job.until(lambda: job.inspect()["edits"])
    request = job.turn(agent, "go on")
    assert request["params"]["prompt"] == [{"type": "text", "text": "go on"}]
    job.finish(agent, request)
    assert job.nvim.lua("return _G.noted") == []


@pytest.mark.parametrize("through_us", [True, False])
def test_a_tool_call_that_has_read_through_us_knows_what_it_was_served(
    job: MainJob, file: Path, *, through_us: bool
) -> None:
    agent = job.start(**EMBEDDING)
    job.edit("util.py", "x = 1\n")
    job.nvim.command("call setline(1, 'x = 2')")
    request = job.turn(agent)
    named = {"kind": "read", "locations": [{"path": str(file)}]}
    agent.update("tool_call", toolCallId="t1", title="read", status="in_progress", **named)
    job.until(lambda: any(it["kind"] == "tool" for it in job.session()["entries"]))
    if through_us:
        answer = agent.ask("fs/read_text_file", sessionId=SESSION, path=str(file))
        assert answer["result"] == {"content": "x = 2\n"}
    agent.update("tool_call_update", toolCallId="t1", status="completed")
    job.finish(agent, request)
    if not through_us:
        prompt = prompt_of(job)
        job.command(f"call win_gotoid(bufwinid({prompt}))")
        job.until(lambda: any("(unsaved)" in row for row in along(job.nvim, prompt)))
    job.command("wall")
    request = job.turn(agent, "go on")
    told = [it["resource"]["text"] for it in request["params"]["prompt"][1:]]
    assert (told == []) is through_us, told
    job.finish(agent, request)


def test_what_was_rejected_is_told_when_another_host_loads_the_session(
    job: MainJob, file: Path
) -> None:
    agent = job.start(**EMBEDDING)
    request = job.turn(agent, "remember the milk")
    agent.ask("fs/write_text_file", sessionId=SESSION, path=str(file), content="x = 2\n")
    job.finish(agent, request)
    job.command("Acp undo")
    job.told("undid turn 1")
    chat = job.nvim.api.nvim_buf_get_name(job.session()["bufnr"]).replace("%", r"\%")
    state = Path(str(job.nvim.eval("stdpath('state')")), "acp.nvim")
    job.until(lambda: list(state.glob("edits/*.lessons.json")) and list(state.glob("sessions/*")))
    job.kill(job.host())
    job.until(lambda: not job.inspect()["host"]["running"])
    job.command(f"silent! %bwipeout! | edit {chat}")
    again = job.stage.accept()
    again.initialize(agentCapabilities={"loadSession": True})
    again.reply(again.expect("session/load"), {})
    job.until(lambda: job.session()["state"] == "idle")
    job.command("Acp prompt")
    job.until(lambda: "rejected: util.py" in "".join(along(job.nvim, prompt_of(job))))
    request = job.turn(again, "go on")
    assert "-x = 2\n+x = 1" in request["params"]["prompt"][1]["text"]
    job.finish(again, request)
    job.until(lambda: not list(state.glob("edits/*.lessons.json")))
