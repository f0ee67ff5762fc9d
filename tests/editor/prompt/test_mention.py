"""Mentions: completed and marked in the prompt, and sent as what they name."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.fakes.mentions import name_mentions
from tests.support.fakes.spy import BridgeSpy
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim

FLOAT = """
for _, window in ipairs(vim.api.nvim_list_wins()) do
  if vim.api.nvim_win_get_config(window).relative ~= '' then
    return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, true)
  end
end
"""
EVERYTHING = {"embeddedContext": True, "image": True, "audio": True}

# --- completion

COMPLETE = """(function(number, base)
  local chat = require('acp.chat.registry').of(number)
  return require('acp.prompt.mention').complete(chat, base)
end)(...)"""


def completed(nvim: Neovim) -> list[str]:
    return [it["word"] for it in nvim.eval("complete_info(['items']).items")]


def ready(nvim: Neovim, spy: BridgeSpy, *names: str) -> None:
    """Open a session whose host has told these names."""
    chat, _ = spy.open_session("gemini")
    spy.frame(chat, status={"agent": "gemini", "state": "idle"})
    nvim.command("set completeopt=menuone,noinsert")
    nvim.input("i")
    assert spy.told("files") == [{"chat": chat}]
    spy.answer({"roots": [str(nvim.cwd)], "names": list(names)}, verb="files")


def test_files_are_completed_fuzzily(nvim: Neovim, spy: BridgeSpy) -> None:
    ready(nvim, spy, "src/main.py", "src/other.py", "docs/my file.txt")
    nvim.input("see @smain<C-x><C-o>")
    assert completed(nvim) == ["@src/main.py"]
    nvim.input("<C-y>")
    assert nvim.lines() == ["see @src/main.py"]
    nvim.input(" @myfi<C-x><C-o><C-y>")
    assert nvim.lines() == ['see @src/main.py @"docs/my file.txt"']


def test_what_is_no_file_and_buffers_are_completed(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.command("edit new.py | badd hidden.py")
    ready(nvim, spy, "src/main.py", "new.py")
    nvim.input("@<C-x><C-o>")
    specials = nvim.lua(
        "return vim.tbl_map(function(it) return '@' .. it[1] end,"
        " require('acp.prompt.mention').specials())"
    )
    assert completed(nvim) == [*specials, "@new.py", "@src/main.py"]
    nvim.input("<Esc>cc@di<C-x><C-o>")
    assert completed(nvim)[:3] == ["@diagnostics", "@diagnostic", "@diff"]
    nvim.input("<Esc>cc@sel<C-x><C-o><C-y>")
    assert nvim.lines() == ["@selection"]


@pytest.mark.parametrize("text", ["me@sr", r"\@sr", "sr", "@src/main.py sr"])
def test_only_mentions_are_completed(nvim: Neovim, spy: BridgeSpy, text: str) -> None:
    ready(nvim, spy, "src/main.py")
    nvim.input(f"{text}<C-x><C-o>")
    assert nvim.eval("pumvisible()") == 0
    assert nvim.lines() == [text]


def test_a_command_with_an_odd_name_is_completed(nvim: Neovim, spy: BridgeSpy) -> None:
    """C-272."""
    chat, _ = spy.open_session("gemini")
    commands = [{"name": "mcp:foo (bar)", "description": "odd"}]
    spy.frame(chat, status={"agent": "gemini", "state": "idle", "commands": commands})
    nvim.command("set completeopt=menuone,noinsert")
    nvim.input("i/mcp:foo (<C-x><C-o><C-y>")
    assert nvim.lines() == ["/mcp:foo (bar)"]


# --- marks


def marks(nvim: Neovim) -> list[tuple[int, int, str]]:
    """Return the marks of the prompt: row, column, and the text that is marked or virtual."""
    found = nvim.lua(
        """local space = vim.api.nvim_create_namespace('acp_prompt')
        return vim.tbl_map(function(it)
          local text = it[4].virt_text and it[4].virt_text[1][1] or
            vim.api.nvim_buf_get_text(0, it[2], it[3], it[4].end_row, it[4].end_col, {})[1]
          return { it[2], it[3], text }
        end, vim.tbl_filter(function(it)
          return (it[4].virt_text or it[4].hl_group) ~= nil
        end, vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })))"""
    )
    return [(row, column, text) for row, column, text in found]


def test_mentions_that_name_something_are_marked(nvim: Neovim, spy: BridgeSpy) -> None:
    (nvim.cwd / "a b.py").write_text("")
    (nvim.cwd.parent / "out.py").write_text("")
    ready(nvim, spy)
    lines = [
        'see @"a b.py", @none.py',
        "@selection. @../out.py @diff",
        '@"a b.py:2-3" @none.py:2',
    ]
    nvim.input("<CR>".join(lines))
    name_mentions(nvim, spy, *lines)
    assert marks(nvim) == [
        (0, 4, '@"a b.py"'),
        (1, 0, "@selection"),
        (1, 23, "@diff"),
        (2, 0, '@"a b.py:2-3"'),
    ]
    nvim.input("<Esc>ggdG")
    nvim.wait(lambda: marks(nvim) == [])


def test_an_answer_of_an_older_text_draws_nothing(nvim: Neovim, spy: BridgeSpy) -> None:
    ready(nvim, spy)
    nvim.input("@diff")
    nvim.wait(lambda: [it["lines"] for it in spy.told("mentions")][-1:] == [["@diff"]])
    nvim.lua("vim.api.nvim_set_current_line('@') _G.answer(nil, {{{ first = 0, last = 5 }}})")
    assert marks(nvim) == []


def test_the_host_marks_mentions(job: MainJob) -> None:
    (job.work / "a.py").write_text("x\n")
    job.start()
    job.command("Acp prompt")
    job.nvim.input("isee @a.py, @b.py")
    job.until(lambda: marks(job.nvim) == [(0, 4, "@a.py")])
    job.nvim.input("<Esc>K")
    job.until(lambda: job.nvim.lua(FLOAT) == ["@b.py", "names nothing: it is sent as text"])


def test_the_hint_of_a_command_is_shown_while_its_input_is_empty(
    nvim: Neovim, spy: BridgeSpy
) -> None:
    """C-270."""
    chat, _ = spy.open_session("gemini")
    commands = [{"name": "web", "description": "search", "hint": "what to look for"}]
    status: dict[str, Any] = {"agent": "gemini", "state": "idle"}
    spy.frame(chat, status=status | {"commands": [*commands, {"name": "test"}]})
    nvim.input("i/web")
    nvim.wait(lambda: marks(nvim) == [(0, 4, " what to look for")])
    nvim.input(" ")
    nvim.wait(lambda: marks(nvim) == [(0, 5, "what to look for")])
    nvim.input("x")
    nvim.wait(lambda: marks(nvim) == [])
    nvim.input("<Esc>cc/test")
    nvim.wait(lambda: nvim.lines() == ["/test"])
    assert marks(nvim) == []


# --- sending


def start(job: MainJob, **capabilities: bool) -> StdioAgent:
    return job.start(agentCapabilities={"promptCapabilities": capabilities})


def prompted(job: MainJob, agent: StdioAgent, text: str) -> list[dict[str, Any]]:
    """Send what is typed into the prompt, and return the blocks after the text."""
    job.command("Acp prompt")
    job.nvim.input(f"i{text.replace('<', '<lt>')}<Esc><CR>")
    first, *rest = agent.prompted()["params"]["prompt"]
    assert first == {"type": "text", "text": text}
    return list(rest)


def test_completion_knows_the_files_of_the_project(job: MainJob) -> None:
    (job.work / "src").mkdir()
    (job.work / "src" / "main.py").write_text("x\n")
    job.start()
    job.command("set completeopt=menuone,noinsert")
    job.command("Acp prompt")
    job.nvim.input("i@smn")
    job.until(lambda: job.nvim.lua(f"return #{COMPLETE}", job.session()["bufnr"], "@smn"))
    job.nvim.input("<C-x><C-o><C-y>")
    assert job.nvim.lines() == ["@src/main.py"]
    job.nvim.input("<Esc>")
    job.usable()


def test_everything_is_sent_as_it_is_in_the_editor(job: MainJob) -> None:
    path = job.edit("my file.py", "one\ntwo\nthree\n")
    agent = start(job, **EVERYTHING)
    job.command("wincmd t")
    job.nvim.input("ccuno<Esc>jVj<Esc>")
    job.nvim.lua(
        """local space = vim.api.nvim_create_namespace('test')
        vim.diagnostic.set(space, 0, {{ lnum = 1, col = 2, message = 'bad', severity = 1,
          source = 'lint' }})
        vim.fn.setqflist({{ bufnr = vim.fn.bufnr(), lnum = 3, text = 'look', type = 'W' }})
        local scratch = vim.api.nvim_create_buf(true, true)
        vim.api.nvim_buf_set_name(scratch, 'notes')
        vim.api.nvim_buf_set_lines(scratch, 0, -1, true, { 'remember' })"""
    )
    text = '@"my file.py" @selection @diagnostics @quickfix @notes'
    blocks = [block["resource"] for block in prompted(job, agent, text)]
    uri = path.as_uri()
    assert [(it["uri"], it["text"]) for it in blocks] == [
        (uri, "uno\ntwo\nthree\n"),
        (f"{uri}#L2-L3", "two\nthree\n"),
        ("acp-nvim://diagnostics", "my file.py:2:3: error: bad [lint]\n"),
        ("acp-nvim://quickfix", "my file.py:3: warning: look\n"),
        ("acp-nvim://buffer/notes", "remember\n"),
    ]
    job.until(lambda: any("@diagnostics" in line for line in job.chat()))
    job.usable()


def test_lines_of_a_file_are_sent_as_they_are_in_the_editor(job: MainJob) -> None:
    path = job.edit("a b.py", "one\ntwo\nthree\n")
    (job.work / "closed.py").write_text("eins\nzwei\n")
    (job.work / "odd:2").write_text("odd\n")
    agent = start(job, **EVERYTHING)
    job.command("wincmd t | call setline(2, 'TWO')")
    text = '@"a b.py:2-9", @closed.py:1 @odd:2 @closed.py:7 @none.py:1'
    blocks = [block["resource"] for block in prompted(job, agent, text)]
    assert [(it["uri"], it["text"]) for it in blocks] == [
        (f"{path.as_uri()}#L2-L3", "TWO\nthree\n"),
        (f"file://{job.work}/closed.py#L1-L1", "eins\n"),
        (f"file://{job.work}/odd%3A2", "odd\n"),
    ]
    job.until(lambda: any("closed.py:7 is not attached" in line for line in job.chat()))


def test_lines_that_have_moved_while_the_prompt_waited_are_sent(job: MainJob) -> None:
    path = job.edit("a.py", "one\ntwo\nthree\n")
    agent = start(job, **EVERYTHING)
    first = job.turn(agent)
    job.command("Acp prompt")
    job.nvim.input("isee @a.py:2")
    anchored = "#vim.api.nvim_buf_get_extmarks(vim.fn.bufnr('a.py'), -1, 0, -1, {}) > 0"
    job.until(lambda: job.nvim.lua(f"return {anchored}"))
    job.nvim.input("<Esc><CR>")
    job.command("call appendbufline('a.py', 0, 'new')")
    agent.end(first)
    text, lines = agent.prompted()["params"]["prompt"]
    assert text["text"] == "see @a.py:2"
    assert lines["resource"] == {
        "uri": f"{path.as_uri()}#L3-L3",
        "text": "two\n",
        "mimeType": "text/plain",
    }


@pytest.mark.parametrize(
    ("change", "lines", "text"),
    [
        ("2Gccnew", "L2-L2", "new\n"),
        ("2G:s/.*/new/<CR>Oabove", "L3-L3", "new\n"),
        ("2Gobelow", "L2-L2", "two\n"),
        ("2G2ccnew", "L2-L2", "new\n"),
        ("3Gccnew<Esc>2Gddu", "L2-L2", "two\n"),
    ],
)
def test_lines_that_are_written_anew_are_still_those(
    job: MainJob, change: str, lines: str, text: str
) -> None:
    path = job.edit("a.py", "one\ntwo\nthree\n")
    agent = start(job, **EVERYTHING)
    job.command("Acp prompt")
    job.nvim.input("isee @a.py:2")
    anchored = "#vim.api.nvim_buf_get_extmarks(vim.fn.bufnr('a.py'), -1, 0, -1, {}) > 0"
    job.until(lambda: job.nvim.lua(f"return {anchored}"))
    job.nvim.input(f"<Esc><C-w>t{change}<Esc>")
    job.command("Acp prompt")
    job.nvim.input("<CR>")
    _, found = agent.prompted()["params"]["prompt"]
    assert found["resource"]["uri"] == f"{path.as_uri()}#{lines}"
    assert found["resource"]["text"] == text


def test_what_is_on_screen_is_sent(job: MainJob) -> None:
    path = job.edit("a.py", "one\ntwo\nthree\n")
    agent = start(job, **EVERYTHING)
    job.command("wincmd t")
    job.nvim.input("jjk")
    job.nvim.lua(
        """local space = vim.api.nvim_create_namespace('test')
        vim.diagnostic.set(space, 0, {
          { lnum = 0, col = 0, message = 'other', severity = 1 },
          { lnum = 1, col = 2, message = 'bad', severity = 1 },
        })
        vim.api.nvim_echo({ { 'something was said' } }, true, {})
        vim.cmd('new')
        vim.api.nvim_chan_send(vim.api.nvim_open_term(0, {}), 'done\\r\\n')
        vim.wait(10000, function() return vim.fn.getline(1) == 'done' end)
        vim.api.nvim_exec_autocmds('BufEnter', {})
        vim.cmd('wincmd p')"""
    )
    text = "@viewport @diagnostic @messages @terminal"
    blocks = [block["resource"] for block in prompted(job, agent, text)]
    said = blocks.pop(2)
    assert [(it["uri"], it["text"]) for it in blocks] == [
        (f"{path.as_uri()}#L1-L3", "one\ntwo\nthree\n"),
        ("acp-nvim://diagnostic", "a.py:2:3: error: bad\n"),
        ("acp-nvim://terminal", "done\n"),
    ]
    assert said["uri"] == "acp-nvim://messages"
    assert "something was said" in said["text"]


def test_folders_are_offered(job: MainJob) -> None:
    (job.work / "src" / "inner").mkdir(parents=True)
    (job.work / "src" / "inner" / "main.py").write_text("x\n")
    job.start()
    job.command("Acp prompt")
    job.nvim.input("i@inner")
    chat = job.session()["bufnr"]
    job.until(
        lambda: (
            [it["word"] for it in job.nvim.lua(f"return {COMPLETE}", chat, "@inner/")]
            == ["@src/inner/", "@src/inner/main.py"]
        )
    )


def test_an_agent_that_takes_only_text_gets_links_and_text(job: MainJob) -> None:
    path = job.edit("a.py", "one\n")
    (job.work / "shot.png").write_bytes(b"\x89PNG\r\n")
    agent = start(job)
    job.command("wincmd t")
    job.nvim.input("V<Esc>")
    blocks = prompted(job, agent, "@a.py @shot.png @selection @diff")
    assert [block["type"] for block in blocks] == ["resource_link"] * 3 + ["text"]
    assert [block["uri"] for block in blocks[:2]] == [path.as_uri(), f"file://{job.work}/shot.png"]
    assert "one" in blocks[3]["text"]
    job.until(lambda: any("diff" in line and "git" in line for line in job.chat()))


def test_blocks_from_lua_obey_the_same_rules(job: MainJob) -> None:
    (job.work / "a.py").write_text("one\n")
    agent = start(job)
    blocks = [
        {"type": "text", "text": "@a.py stays text here"},
        {"type": "image", "data": "AAAA", "mimeType": "image/png"},
    ]
    job.nvim.lua("require('acp').prompt(...)", blocks)
    sent = agent.prompted()["params"]["prompt"]
    assert [block["type"] for block in sent] == ["text", "text"]
    assert "image/png" in json.dumps(sent[1])
