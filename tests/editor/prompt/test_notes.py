"""The notes that go along with a prompt: shown above it, read, and dropped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.agents.agent_edits import looked
from tests.support.agents.stdio_agent import SESSION, StdioAgent
from tests.support.fakes.spy import BridgeSpy
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim

REJECTED = {"key": "rejected", "label": "rejected: 2 files"}
CHANGED = {"key": "changed", "label": "changed: 100%.py"}
EMBEDDING: dict[str, Any] = {"agentCapabilities": {"promptCapabilities": {"embeddedContext": True}}}


def note(nvim: Neovim, chat: int, *notes: dict[str, str]) -> None:
    """Say what goes along, as the host does."""
    nvim.lua("require('acp.prompt.attachment').note(...)", chat, list(notes))


def bar(nvim: Neovim, prompt: int) -> str:
    """Return the winbar of the prompt as it is drawn."""
    window = nvim.eval(f"bufwinid({prompt})")
    return str(
        nvim.lua(
            """local window = ...
            return vim.api.nvim_eval_statusline(vim.wo[window].winbar,
              { winid = window, use_winbar = true }).str""",
            window,
        )
    )


def drawn(*lines: str) -> dict[str, Any]:
    """Return what the host answers when it is asked what the notes say."""
    return {"ops": [[0, 1, list(lines), []]]}


def windows(nvim: Neovim) -> int:
    return int(nvim.eval("winnr('$')"))


# --- with a host that is played


def test_notes_stand_above_the_prompt_and_go(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.command("set columns=160")
    chat, prompt = spy.open_session()
    note(nvim, chat, REJECTED, CHANGED)
    assert bar(nvim, prompt).split("  ") == [
        " rejected: 2 files",
        "changed: 100%.py",
        "<C-x> removes · K shows",
    ]
    assert "%#AcpNote#" in nvim.lua("return vim.b[...].acp_winbar", prompt)
    note(nvim, chat)
    assert bar(nvim, prompt).strip() == "<CR> sends to tutor"


def test_the_hint_goes_before_the_labels_where_there_is_little_room(
    nvim: Neovim, spy: BridgeSpy
) -> None:
    nvim.command("set columns=80")
    chat, prompt = spy.open_session()
    note(nvim, chat, REJECTED)
    assert bar(nvim, prompt).rstrip() == " rejected: 2 files  K shows"
    nvim.command("set columns=200 | vertical resize 90")
    nvim.wait(lambda: bar(nvim, prompt).endswith("<C-x> removes · K shows"))


def test_ctrl_x_drops_notes_first_then_selections(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.command("set columns=200")
    nvim.lua("vim.fn.setline(1, { 'a', 'b' })")
    selection = nvim.lua("return require('acp.prompt.attachment').select(1, 1)")
    chat, prompt = spy.open_session()
    nvim.lua("require('acp.prompt.attachment').attach(...)", chat, selection)
    note(nvim, chat, REJECTED, CHANGED)
    assert bar(nvim, prompt).startswith(" @buffer 1:1  rejected: 2 files  changed: 100%.py")
    nvim.input("<C-x>")
    assert spy.told("drop_note") == [{"chat": chat, "key": "changed"}]
    assert "changed" not in bar(nvim, prompt)
    nvim.input("<C-x>")
    assert spy.told("drop_note")[1] == {"chat": chat, "key": "rejected"}
    assert bar(nvim, prompt).startswith(" @buffer 1:1  <C-x> removes")
    nvim.input("<C-x><C-x>")
    assert bar(nvim, prompt).strip() == "<CR> sends to tutor"
    assert len(spy.told("drop_note")) == 2


def test_sending_leaves_the_notes_to_the_host(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, prompt = spy.open_session()
    note(nvim, chat, REJECTED)
    nvim.input("ihello<Esc><CR>")
    assert spy.told("prompt")[0]["text"] == "hello"
    assert "rejected" in bar(nvim, prompt)


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


def test_without_default_keys_the_winbar_names_none(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.lua("vim.g.acp = { default_keys = false }")
    chat, prompt = spy.open_session()
    note(nvim, chat, REJECTED)
    assert bar(nvim, prompt).strip() == "rejected: 2 files"
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
    assert "rejected" not in bar(nvim, prompt)
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
    job.until(lambda: "changed: util.py (unsaved)" in bar(job.nvim, prompt))
    job.command("wall")
    job.until(lambda: "changed: util.py  " in bar(job.nvim, prompt))
    job.nvim.input("K")
    job.until(lambda: "+x = 2" in job.nvim.lines())
    job.nvim.input("qigo on<Esc><CR>")
    request = agent.prompted()
    text, told = request["params"]["prompt"]
    assert text == {"type": "text", "text": "go on"}
    assert told["resource"]["text"].endswith("-x = 1\n+x = 2\n")
    job.until(lambda: "sends to" in bar(job.nvim, prompt))
    job.finish(agent, request)
    assert any("@changed-since.diff" in line for line in job.chat())
    job.usable()


def test_what_the_user_drops_is_not_told(job: MainJob, file: Path) -> None:
    agent = job.start(**EMBEDDING)
    prompt = prompt_of(job)
    request = job.turn(agent)
    read(agent, file)
    job.finish(agent, request)
    looked(job)
    file.write_text("x = 2\n")
    job.command(f"wincmd t | call win_gotoid(bufwinid({prompt}))")
    job.until(lambda: "changed: util.py" in bar(job.nvim, prompt))
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
        job.until(lambda: "changed: util.py (unsaved)" in bar(job.nvim, prompt))
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
    job.told("took back turn 1")
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
    job.until(lambda: "rejected: util.py" in bar(job.nvim, prompt_of(job)))
    request = job.turn(again, "go on")
    assert "-x = 2\n+x = 1" in request["params"]["prompt"][1]["text"]
    job.finish(again, request)
    job.until(lambda: not list(state.glob("edits/*.lessons.json")))
