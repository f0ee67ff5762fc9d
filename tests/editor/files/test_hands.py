"""What agents do to a file while the user is in the middle of a command in it: it waits.

Each case is a state with the keys that lead into it and those that end it. What the user's command
does is what it would do without an agent: the same keys are typed in an editor of its own first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.editor.files.test_edits import change_on_disk
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.agents.voice import SESSION
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim

LINES = [f"line {number} text" for number in range(1, 21)]
TOP = ["first", "second"]
"""The agent puts these above all."""
BOTTOM = "the end"
"""And this in the place of the last line."""
SETUP = """
set hidden timeoutlen=100000 notimeout complete=.
nnoremap ,g <Cmd>call getchar()<CR>
nnoremap <expr> ,e getcharstr() ==# 'x' ? 'x' : 'y'
onoremap ,o <Cmd>call getchar() <Bar> normal! j<CR>
inoremap ,i <Cmd>call getchar()<CR>
nnoremap ,n <Cmd>call input('')<CR>
nnoremap <expr> ,p OnMotion()
function! OnMotion(...)
  if a:0 == 0
    let &operatorfunc = 'OnMotion'
    return 'g@'
  endif
  call getchar()
  '[,']substitute/text/x/
endfunction
nnoremap ,xy x
"""


@dataclass(frozen=True)
class State:
    """`enter` leads into it from normal mode in line 6, `leave` ends it and all that follows."""

    name: str
    enter: str
    leave: str
    quiet: bool = False
    """Neovim answers nothing meanwhile: it cannot be looked at."""
    asks: bool = False
    """Neovim asks the user meanwhile."""

    def __repr__(self) -> str:
        return self.name


STATES = [
    State("operator pending", "d", "j"),
    State("operator with a register", '"ad', "j10Gp"),
    State("a register", '"a', "dd10Gp"),
    State("a count", "3", "dd", quiet=True),
    State("a replaced character", "r", "x", quiet=True),
    State("a mark", "m", "a10Gd'a", quiet=True),
    State("half a mapping", ",x", "y", quiet=True),
    State("change", "c", "jnew<Esc>"),
    State("change inserting", "cwnew", " and<Esc>"),
    State("linewise visual", "V", "jd"),
    State("charwise visual", "v", "jd"),
    State("blockwise visual", "<C-v>j", "jlld"),
    State("block insert", "<C-v>jjIfoo", "bar<Esc>"),
    State("block append", "<C-v>jj$Afoo", "bar<Esc>"),
    State("block change", "<C-v>jjlcfoo", "bar<Esc>"),
    State("select", "gh", "foo<Esc>"),
    State("select line", "gH", "foo<Esc>"),
    State("confirmed substitute", ":3,8s/line/x/gc<CR>", "ynyyyy", asks=True),
    State("global substitute", ":6,15g/line/s/text/x/c<CR>", "yy" + "n" * 8, asks=True),
    State("command line", ":3,5", "d<CR>"),
    State("search", "/line 1", "5<CR>dd"),
    State("operator with a search", "d/line 1", "0<CR>"),
    State("command-line window", "q:", "i3,5d<CR>"),
    State("replace", "Rfoo", "bar<BS><BS><Esc>"),
    State("virtual replace", "gRfoo", "bar<BS><Esc>"),
    State("insert, <C-u>", "Afoo", "<C-u>x<Esc>"),
    State("insert, <C-w>", "Afoo bar", "<C-w><C-w>x<Esc>"),
    State("insert, <BS> over a line break", "I", "<BS>x<Esc>"),
    State("insert, <BS> over the new line", "Afoo<CR>b", "<BS><BS><BS>x<Esc>"),
    State("insert with a count", "3Ifoo", "<Esc>"),
    State("open with a count", "3ofoo", "<Esc>"),
    State("insert, repeated", "Afoo", "<Esc>j."),
    State("insert, marks", "Afoo", "<Esc>`[ix<Esc>`]iy<Esc>"),
    State("insert, a literal character", "A<C-v>", "x<Esc>", quiet=True),
    State("one command from insert mode", "A<C-o>", "Dx<Esc>"),
    State("an operator from insert mode", "I<C-o>d", "wx<Esc>"),
    State("completion", "oli<C-n>", "<C-n><C-y>x<Esc>"),
    State("completion ended", "oli<C-n>", "<C-e>x<Esc>"),
    State("completion mode", "oli<C-x>", "<C-n>x<Esc>"),
    State("recording", "qqAx", "y<Esc>qj@q"),
    State("getchar() in a mapping", ",g", "xdd"),
    State("getchar() in an <expr> mapping", ",e", "xdd"),
    State("getchar() after an operator", "d,o", "x"),
    State("getchar() in an operator", ",pj", "xdd"),
    State("getchar() while inserting", "A,i", "xfoo<Esc>"),
    State("input() in a mapping", ",n", "x<CR>dd"),
    State("an expression while inserting", "A<C-r>=6*", "7<CR><Esc>"),
    State("hit-enter", ":echo 1<Bar>echo 2<CR>", "<CR>dd", quiet=True),
]


@pytest.fixture(scope="module")
def alone() -> Any:
    """Yield an editor without an agent."""
    with Neovim() as nvim:
        nvim.api.nvim_ui_attach(120, 30, {"rgb": True, "ext_linegrid": True})
        yield nvim


def prepare(nvim: Neovim) -> None:
    nvim.command(SETUP.strip())
    nvim.command("normal! 6G07l")


def expected(alone: Neovim, state: State, folder: Path) -> list[str]:
    """Return what the user's keys make of the text."""
    path = folder / "alone.txt"
    path.write_text("\n".join(LINES) + "\n")
    alone.command(f"edit! {path}")
    prepare(alone)
    alone.input(state.enter)
    alone.input(state.leave)
    alone.input("<Esc>")
    return alone.lines()


def is_quiet(nvim: Neovim, state: State) -> bool:
    """Tell whether Neovim answers nothing in that state."""
    return state.quiet or (state.asks and not nvim.answers_while_it_asks)


def theirs(lines: list[str]) -> list[str]:
    """Return the lines with what the agent does to them."""
    return [*TOP, *lines[:-1], BOTTOM]


def text(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"


Way = Callable[[MainJob, StdioAgent, Path], Callable[[], None]]


def through_the_editor(job: MainJob, agent: StdioAgent, path: Path) -> Callable[[], None]:
    content = text(theirs(LINES))
    agent.request(
        "fs/write_text_file", {"sessionId": SESSION, "path": str(path), "content": content}, "w"
    )

    def done() -> None:
        assert agent.answer_to("w").get("result") == {}

    return done


def by_a_tool(job: MainJob, agent: StdioAgent, path: Path) -> Callable[[], None]:
    change_on_disk(path, text(theirs(LINES)))
    call = {"toolCallId": path.name, "title": "sed", "status": "completed"}
    agent.update("tool_call", **call, locations=[{"path": str(path)}])
    agent.quiet()
    return lambda: None


def by_a_command(job: MainJob, agent: StdioAgent, path: Path) -> Callable[[], None]:
    change_on_disk(path, text(theirs(LINES)))
    call = {"toolCallId": path.name, "title": "make", "status": "completed"}
    agent.update("tool_call", **call, kind="execute")
    agent.quiet()
    return lambda: None


WAYS: list[Way] = [through_the_editor, by_a_tool, by_a_command]


def refused(nvim: Neovim) -> bool:
    """Return whether an edit of the agent's waits."""
    found = "pcall(vim.api.nvim_get_autocmds, { group = 'acp_hands' })"
    return bool(nvim.lua(f"local is_there, found = {found} return is_there and #found > 0"))


def walk(nvim: Neovim) -> None:
    """Assert that the undo tree is whole: to its end and back, in one leap and step by step."""
    last, final = nvim.eval("undotree().seq_last"), nvim.lines()
    nvim.command("silent undo 0")
    assert nvim.lines() == LINES
    nvim.command(f"silent undo {last}")
    assert nvim.lines() == final
    nvim.command("silent undo 0")
    texts = [nvim.lines()]
    for _ in range(last):
        nvim.command("silent redo")
        texts.append(nvim.lines())
    assert texts[-1] == final
    for each in reversed(texts[:-1]):
        nvim.command("silent undo")
        assert nvim.lines() == each


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("state", STATES, ids=repr)
def test_it_waits_for_the_end_of_a_command(
    shared: tuple[MainJob, StdioAgent], alone: Neovim, tmp_path: Path, state: State, way: Way
) -> None:
    job, agent = shared
    wanted = expected(alone, state, tmp_path)
    path = job.edit(f"{way.__name__}-{STATES.index(state)}.txt", text(LINES))
    agent.ask("fs/read_text_file", path=str(path))
    buffer = job.nvim.api.nvim_get_current_buf()
    job.turn(agent)
    job.nvim.command("let v:errmsg = ''")
    prepare(job.nvim)
    job.nvim.input(state.enter)
    before = None if is_quiet(job.nvim, state) else job.nvim.lines(buffer)
    done = way(job, agent, path)
    if before is not None:
        job.until(lambda: refused(job.nvim))
        assert job.nvim.lines(buffer) == before
    job.nvim.input(state.leave)
    job.nvim.input("<Esc>")
    done()
    job.until(lambda: job.nvim.lines(buffer)[:2] == TOP)
    assert job.nvim.lines(buffer) == [*TOP, *wanted[:-1], BOTTOM]
    walk(job.nvim)
    assert job.nvim.eval("v:errmsg") == ""
    job.usable()


ASKING = {
    "scheduled": "vim.schedule(function() KEY end)",
    "deferred": "vim.defer_fn(function() KEY end, 0)",
    "scheduled, deeper": "local function ask() KEY end vim.schedule(function() ask() end)",
    "in a timer": "vim.fn.timer_start(0, 'WaitForKey')",
    "in a coroutine": "vim.schedule(function() coroutine.wrap(function() KEY end)() end)",
    "in a coroutine, resumed": "local co = coroutine.create(function() KEY end) "
    "vim.schedule(function() coroutine.resume(co) end)",
    "by a command": "vim.schedule(function() vim.cmd('call WaitForKey(1)') end)",
}
KEY = "local l = vim.fn.line('.') ready() vim.fn.getcharstr() kill(l)"
"""What a plugin does when no key was typed: it waits, and goes on with the line in which it was."""
PLUGIN = """
_G.is_ready = false
function _G.ready()
  _G.is_ready = true
end
function _G.kill(line)
  vim.cmd(line .. 'delete')
end
vim.cmd([[
function! WaitForKey(id)
  let l:line = line('.')
  call v:lua.ready()
  call getchar()
  call v:lua.kill(l:line)
endfunction
]])
"""


@pytest.mark.parametrize("case", ASKING)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_it_waits_while_a_plugin_waits_for_a_key(
    shared: tuple[MainJob, StdioAgent], case: str, way: Way
) -> None:
    job, agent = shared
    path = job.edit(f"{way.__name__} {case}.txt", text(LINES))
    agent.ask("fs/read_text_file", path=str(path))
    job.turn(agent)
    job.nvim.command("normal! 6G07l")
    job.nvim.lua(PLUGIN)
    job.nvim.lua(ASKING[case].replace("KEY", KEY))
    job.until(lambda: job.nvim.lua("return _G.is_ready"))
    done = way(job, agent, path)
    job.until(lambda: refused(job.nvim))
    assert job.nvim.lines() == LINES
    job.nvim.input("x")
    done()
    job.until(lambda: job.nvim.lines()[:2] == TOP)
    assert job.nvim.lines() == [*TOP, *LINES[:5], *LINES[6:-1], BOTTOM]
    walk(job.nvim)
    job.usable()


SCRIPT = """
function _G.has_it()
  return vim.api.nvim_buf_get_lines(0, 0, 1, true)[1] == 'first'
end
function _G.wait(...)
  local is_there = vim.wait(...)
  return is_there
end
"""


@pytest.mark.parametrize("waits", ["return vim.wait", "vim.wait", "WAIT", "CO"])
def test_a_script_that_waits_for_the_edit_itself_gets_it(job: MainJob, waits: str) -> None:
    agent = job.start()
    path = job.edit("a.txt", text(LINES))
    job.nvim.lua(SCRIPT)
    call = waits.replace("WAIT", "wait").replace("CO", "coroutine.wrap(vim.wait)")
    job.nvim.lua(f"vim.schedule(function() {call}(20000, has_it, 2) end)")
    through_the_editor(job, agent, path)()
    assert job.nvim.lines() == theirs(LINES)


def test_so_does_a_mapping_that_waits_for_it(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", text(LINES))
    job.nvim.lua(SCRIPT)
    job.command("nnoremap X <Cmd>lua _G.waited = vim.wait(20000, has_it, 2)<CR>")
    job.nvim.rpc.request("nvim_input", "X")
    through_the_editor(job, agent, path)()
    assert job.nvim.lua("return _G.waited")
    assert job.nvim.lines() == theirs(LINES)


BESIDE = {
    "a line": (LINES[:2], ["theirs", *LINES[9:]]),
    "more lines": (LINES[:2], [*LINES[8:10], *TOP, *LINES[10:]]),
    "fewer lines": (LINES[:2], [*LINES[8:10], *LINES[13:]]),
    "the next lines": (LINES[:2], [*TOP, *LINES[8:]]),
    "a line above": ([LINES[0], "theirs"], LINES[8:]),
    "lines above and below": (["theirs", LINES[1]], [LINES[8], *TOP, *LINES[10:]]),
}
"""What an agent may make of the first two lines, and of those from the ninth on, while the user
inserts in line 6."""
INSERTS = [
    state for state in STATES if state.name.startswith(("insert", "open")) and not state.quiet
]
OPTIONS = ["", "backspace=", "backspace=indent,eol autoindent cindent", "virtualedit=all"]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("edit", BESIDE)
def test_beside_an_insert_it_arrives_at_once(
    shared: tuple[MainJob, StdioAgent], alone: Neovim, tmp_path: Path, edit: str, options: str
) -> None:
    job, agent = shared
    job.turn(agent)
    first, rest = BESIDE[edit]
    for number, state in enumerate(INSERTS):
        path = job.edit(f"{edit} {OPTIONS.index(options)} {number}.txt", text(LINES))
        for nvim in (alone, job.nvim):
            nvim.command(f"set backspace& autoindent& cindent& virtualedit& | set {options}")
        wanted = expected(alone, state, tmp_path)
        job.nvim.command("let v:errmsg = ''")
        prepare(job.nvim)
        agent.ask("fs/read_text_file", path=str(path))
        job.nvim.input(state.enter)
        answer = agent.ask(
            "fs/write_text_file", path=str(path), content=text([*first, *LINES[2:8], *rest])
        )
        assert answer.get("result") == {}, state
        assert job.nvim.mode()["mode"] == "i"
        job.nvim.input(state.leave)
        assert job.nvim.lines() == [*first, *wanted[2:-12], *rest], state
        walk(job.nvim)
        assert job.nvim.eval("v:errmsg") == ""


OTHERS = [
    "operator pending",
    "a register",
    "change inserting",
    "linewise visual",
    "blockwise visual",
    "block insert",
    "select",
    "replace",
    "insert, <C-u>",
    "one command from insert mode",
    "completion",
]
"""States that have to do with the current buffer only."""


@pytest.mark.parametrize("state", [it for it in STATES if it.name in OTHERS], ids=repr)
def test_another_buffer_need_not_wait(
    job: MainJob, alone: Neovim, tmp_path: Path, state: State
) -> None:
    wanted = expected(alone, state, tmp_path)
    agent = job.start()
    other = job.edit("other.txt", text(LINES))
    shown = job.nvim.api.nvim_get_current_buf()
    job.command("split")
    path = job.edit("a.txt", text(LINES))
    prepare(job.nvim)
    job.nvim.input(state.enter)
    mode = job.nvim.mode()
    answer = agent.ask("fs/write_text_file", path=str(other), content=text(theirs(LINES)))
    assert answer.get("result") == {}
    assert job.nvim.mode() == mode
    assert job.nvim.lines(shown) == theirs(LINES)
    job.nvim.input(state.leave)
    assert job.nvim.lines() == wanted
    assert path.read_text() == text(LINES)
    job.usable()


ALL = [
    "confirmed substitute",
    "command line",
    "command-line window",
    "input() in a mapping",
    "getchar() in a mapping",
    "getchar() in an <expr> mapping",
]
"""States in which another buffer may be meant."""


@pytest.mark.parametrize("state", [it for it in STATES if it.name in ALL], ids=repr)
def test_where_it_may_be_meant_another_buffer_waits_too(job: MainJob, state: State) -> None:
    if is_quiet(job.nvim, state):
        pytest.skip("Neovim 0.10 answers nothing while it asks")
    agent = job.start()
    other = job.edit("other.txt", text(LINES))
    shown = job.nvim.api.nvim_get_current_buf()
    prepare(job.nvim)
    job.edit("a.txt", text(LINES))
    prepare(job.nvim)
    job.nvim.input(state.enter)
    done = through_the_editor(job, agent, other)
    job.until(lambda: refused(job.nvim))
    assert job.nvim.lines(shown) == LINES
    job.nvim.input(state.leave)
    done()
    assert job.nvim.lines(shown) == theirs(LINES)
    job.usable()


def test_a_terminal_in_another_window_is_no_hindrance(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", text(LINES))
    shown = job.nvim.api.nvim_get_current_buf()
    job.command("split | terminal cat")
    job.nvim.input("i")
    assert job.nvim.mode()["mode"] == "t"
    through_the_editor(job, agent, path)()
    assert job.nvim.lines(shown) == theirs(LINES)
    assert job.nvim.mode()["mode"] == "t"


TOLD = {
    "operator pending": "you leave operator-pending mode",
    "a register": "your command is over",
    "linewise visual": "you leave visual mode",
    "block insert": "your command is over",
    "select": "you leave select mode",
    "confirmed substitute": "you answer the question",
    "command line": "you leave the command line",
    "command-line window": "you leave the command-line window",
    "replace": "you leave replace mode",
    "insert, <C-u>": "you leave insert mode",
    "one command from insert mode": "your command is over",
    "completion": "the completion is over",
    "getchar() in a mapping": "your command is over",
}
SAID = """
local said, echo = {}, vim.api.nvim_echo
_G.said = said
vim.api.nvim_echo = function(chunks, kept, options)
  if kept then
    table.insert(said, chunks[1][1])
  end
  return echo(chunks, kept, options)
end
"""


@pytest.mark.parametrize("state", [it for it in STATES if it.name in TOLD], ids=repr)
def test_the_user_is_told_once_what_waits(
    job: MainJob, alone: Neovim, tmp_path: Path, state: State
) -> None:
    if is_quiet(job.nvim, state):
        pytest.skip("Neovim 0.10 answers nothing while it asks")
    wanted = expected(alone, state, tmp_path)
    agent = job.start()
    chat = job.session()["bufnr"]
    path = job.edit("a.txt", text(LINES))
    agent.ask("fs/read_text_file", path=str(path))
    buffer = job.nvim.api.nvim_get_current_buf()
    prepare(job.nvim)
    job.nvim.lua(SAID)
    job.nvim.input(state.enter)
    mode = job.nvim.mode()
    done = through_the_editor(job, agent, path)
    said = f"scripted wants to write a.txt: it waits until {TOLD[state.name]}"
    job.until(lambda: job.nvim.lua("return #_G.said") == 1)
    job.until(lambda: any(said in line for line in job.nvim.lines(chat)))
    assert job.nvim.lua("return _G.said") == [f"acp: {said}"]
    assert job.nvim.mode() == mode
    job.nvim.input(state.leave)
    done()
    job.nvim.input("<Esc>")
    assert job.nvim.lines(buffer) == theirs(wanted)
    assert job.nvim.lua("return #_G.said") == 1
    job.until(lambda: not any("it waits" in line for line in job.nvim.lines(chat)))
    job.usable()


def test_nothing_is_said_of_a_short_wait(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", text(LINES))
    job.nvim.input("V")
    done = through_the_editor(job, agent, path)
    job.until(lambda: refused(job.nvim))
    job.nvim.input("<Esc>")
    done()
    assert "waits" not in job.nvim.messages()
    assert not refused(job.nvim)


def test_it_waits_while_a_plugin_keeps_cursors_by_their_lines(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", text(LINES))
    job.nvim.lua("vim.b.visual_multi = 1")  # as vim-visual-multi says that it is at work
    done = through_the_editor(job, agent, path)
    job.until(lambda: refused(job.nvim))
    assert job.nvim.lines() == LINES
    job.nvim.input("<Cmd>unlet b:visual_multi<CR>")
    done()
    assert job.nvim.lines() == theirs(LINES)


def test_a_cancelled_turn_waits_no_more(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", text(LINES))
    job.turn(agent)
    job.nvim.input("V")
    through_the_editor(job, agent, path)
    job.until(lambda: refused(job.nvim))
    job.command("Acp cancel")
    agent.expect("session/cancel")
    assert "cancelled" in agent.answer_to("w")["error"]["message"]
    assert job.nvim.lines() == LINES


def test_of_a_thousand_writes_a_cancel_lets_only_those_end_that_have_begun(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", text(LINES))
    prompt = job.turn(agent)
    for number in range(1_000):
        params = {"sessionId": SESSION, "path": str(path), "content": f"{number}\n"}
        agent.request("fs/write_text_file", params, number)
    answers = [agent.next()]
    job.command("Acp cancel")
    answers += [agent.next() for _ in range(1_000)]
    cancel = next(it for it in answers if it.get("method") == "session/cancel")
    behind = answers[answers.index(cancel) + 1 :]
    assert sum("result" in it for it in behind) < 10  # of a file one at a time is written
    assert {it["error"]["code"] for it in behind if "error" in it} == {-32800}
    last = max(it["id"] for it in answers if "result" in it)
    assert path.read_text() == f"{last}\n" and job.nvim.lines() == [f"{last}"]
    job.finish(agent, prompt, "cancelled")
    job.turn(agent, "next")
    assert agent.ask("fs/write_text_file", path=str(path), content="next\n")["result"] == {}


def test_a_request_that_is_cancelled_waits_no_more(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", text(LINES))
    job.nvim.input("V")
    through_the_editor(job, agent, path)
    job.until(lambda: refused(job.nvim))
    agent.notify("$/cancel_request", {"requestId": "w"})
    assert agent.answer_to("w")["error"]["code"] == -32800
    job.nvim.input("<Esc>")
    assert agent.ask("fs/write_text_file", path=str(path), content="x\n")["result"] == {}
    assert job.nvim.lines() == ["x"]


@pytest.mark.parametrize("verb", ["reject file", "undo", "redo"])
def test_the_users_own_commands_say_that_they_cannot(job: MainJob, verb: str) -> None:
    agent = job.start()
    path = job.edit("a.txt", text(LINES))
    prompt = job.turn(agent)
    through_the_editor(job, agent, path)()
    job.finish(agent, prompt)
    if verb == "redo":
        job.command("Acp undo")
        job.until(lambda: job.nvim.lines() == LINES)
    before = job.nvim.lines()
    job.command(f"xnoremap ,a <Cmd>Acp {verb}<CR>")
    job.nvim.input("V,a")
    job.told("a.txt is as it was", "visual mode")
    assert job.nvim.lines() == before
    job.nvim.input("<Esc>")
    job.command(f"Acp {verb}")
    job.until(lambda: job.nvim.lines() != before)


WAITS = "exists('#acp_hands#ModeChanged')"
"""Something waits for the end of what the user is in the middle of."""
OWN = ["%Acp reject", "Acp reject file", "Acp reject all", "Acp undo", "Acp redo"]


@pytest.mark.parametrize("command", OWN)
def test_the_next_command_line_refuses_no_command_before(job: MainJob, command: str) -> None:
    agent = job.start()
    path = job.edit("a.txt", text(LINES))
    prompt = job.turn(agent)
    through_the_editor(job, agent, path)()
    job.finish(agent, prompt)
    if command == "Acp redo":
        job.command("Acp undo")
        job.until(lambda: job.nvim.lines() == LINES)
    before = job.nvim.lines()
    job.nvim.input(":")
    job.command(command)  # as for a host that comes to it only now
    job.until(lambda: job.nvim.eval(WAITS))
    job.nvim.input("echo 1")
    assert job.nvim.lines() == before
    job.nvim.input("<CR>")
    job.until(lambda: job.nvim.lines() != before)
    assert "is as it was" not in job.nvim.messages()


def test_a_question_of_ours_is_named_and_its_answer_lets_the_command_go_on(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", text(LINES))
    prompt = job.turn(agent)
    through_the_editor(job, agent, path)()
    job.finish(agent, prompt)
    before = job.nvim.lines()
    job.nvim.lua("require('acp.ui.choose').select(0, 'Which?', 'acp.confirm', { 'No', 'Yes' })")
    job.until(lambda: job.nvim.mode()["mode"] == "c")
    busy = "return require('acp.files.hands').busy(vim.api.nvim_get_current_buf(), {})"
    assert job.nvim.lua(busy) == "a question of acp.nvim"
    job.command("Acp reject file")
    job.until(lambda: job.nvim.eval(WAITS))
    assert job.nvim.lines() == before
    job.nvim.input("<CR>")
    job.until(lambda: job.nvim.lines() == LINES)
    assert "is as it was" not in job.nvim.messages()


def test_what_its_own_tool_has_left_meanwhile_the_agent_knows(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", text(LINES))
    agent.ask("fs/read_text_file", path=str(path))
    job.turn(agent)
    job.nvim.input("6GV")
    change_on_disk(path, text(theirs(LINES)))
    call = {"toolCallId": "1", "title": "sed", "kind": "edit", "status": "completed"}
    agent.update("tool_call", **call, locations=[{"path": str(path)}])
    job.until(lambda: refused(job.nvim))
    job.nvim.input("<Esc>")
    job.until(lambda: job.nvim.lines() == theirs(LINES))
    newer = ["newer", *LINES]
    assert agent.ask("fs/write_text_file", path=str(path), content=text(newer))["result"] == {}
    assert job.nvim.lines() == newer
