"""Follow-along: the sign where the agent is, and the one window that goes along (C-171)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

LINES = "".join(f"line {number}\n" for number in range(1, 101))
SIGNS = """
local found = {}
local space = vim.api.nvim_create_namespace('acp_follow')
for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, { details = true })) do
    local name = vim.fs.basename(vim.api.nvim_buf_get_name(buffer))
    table.insert(found, { name, mark[2] + 1, mark[4].sign_hl_group, mark[4].line_hl_group })
  end
end
return found
"""
LITTER = """
local window = ...
return { vim.fn.getjumplist(window), vim.api.nvim_win_call(window, function()
  return vim.fn.bufnr('#')
end) }
"""
SHOWN = """
local window = ...
local name = vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window))
return { vim.fs.basename(name), vim.api.nvim_win_get_cursor(window)[1] }
"""


def write(job: MainJob, name: str, text: str = LINES) -> Path:
    """Make a file of the project that nobody has open."""
    path = job.work / name
    path.write_text(text)
    return path


def call(agent: StdioAgent, number: int, **fields: Any) -> None:
    """Report a tool call."""
    agent.update("tool_call", toolCallId=f"call-{number}", title="Look", **fields)


def at(path: Path, line: int | None = None) -> list[dict[str, Any]]:
    """Return the locations of a tool call."""
    return [{"path": str(path)} | ({} if line is None else {"line": line})]


def followed(job: MainJob) -> tuple[str, Any]:
    """Return name and line of the agent's place."""
    follow = job.inspect()["follow"]
    return Path(follow.get("path") or "").name, follow.get("line")


def beside(job: MainJob) -> int:
    """Open two files beside the chat, with the cursor in the second; return the first's window."""
    job.edit("first.txt", LINES)
    window = int(job.nvim.eval("win_getid()"))
    write(job, "mine.txt")
    job.command("rightbelow vsplit mine.txt")
    return window


def on(job: MainJob) -> int:
    """Turn it on; return the window that goes along."""
    job.command("Acp follow on")
    job.until(lambda: "winid" in job.inspect()["follow"])
    assert job.told("follow is on")
    return int(job.inspect()["follow"]["winid"])


def test_one_window_goes_along_and_nothing_else_moves(job: MainJob) -> None:
    agent = job.start()
    first = beside(job)
    other = write(job, "other.txt")
    job.nvim.input("50G")
    look = "[win_getid(), bufnr(), winsaveview(), bufnr('#'), getjumplist()]"
    assert on(job) == first
    before, litter = job.nvim.eval(look), job.nvim.lua(LITTER, first)
    job.turn(agent)
    call(agent, 1, locations=at(other, 80))
    agent.quiet()
    assert followed(job) == ("other.txt", 80)
    assert job.nvim.lua(SHOWN, first) == ["other.txt", 80]
    assert job.nvim.lua(SIGNS) == [["other.txt", 80, "AcpAgentSign", "AcpAgentLine"]]
    assert job.nvim.eval(look) == before
    assert job.nvim.lua(LITTER, first) == litter
    assert job.nvim.eval(f"getbufinfo('{other}')[0].listed") == 0
    job.usable()


def test_it_goes_along_while_the_user_types(job: MainJob) -> None:
    agent = job.start()
    first = beside(job)
    other = write(job, "other.txt")
    on(job)
    job.turn(agent)
    job.nvim.input("ityped")
    window = job.nvim.eval("win_getid()")
    call(agent, 1, locations=at(other, 70))
    agent.quiet()
    assert followed(job) == ("other.txt", 70)
    assert job.nvim.lua(SHOWN, first) == ["other.txt", 70]
    job.nvim.input(" on")
    assert job.nvim.mode()["mode"] == "i"
    assert job.nvim.eval("win_getid()") == window
    assert job.nvim.lines()[0] == "typed online 1"


@pytest.mark.parametrize(("typed", "mapped"), [('"a', "n"), ('"a3d', "o"), ('V"a', "x")])
def test_it_takes_no_register_that_the_user_has_typed(
    job: MainJob, typed: str, mapped: str
) -> None:
    agent = job.start()
    first = beside(job)
    job.nvim.command(f"{mapped}noremap ,r <Cmd>let g:typed = v:register<CR>")
    on(job)
    job.turn(agent)
    fold = "vim.cmd('20,40fold') vim.cmd('10,50fold')"
    job.nvim.lua(f"vim.api.nvim_win_call({first}, function() {fold} end)")
    job.nvim.input(typed)
    call(agent, 1, locations=at(job.work / "first.txt", 30))
    agent.quiet()
    job.until(lambda: job.nvim.lua(SHOWN, first) == ["first.txt", 30])
    job.nvim.input(",r<Esc>")
    assert job.nvim.eval("g:typed") == "a"
    seen = "[vim.fn.foldclosed(30), vim.fn.winline() > 1]"
    assert job.nvim.lua(
        f"return vim.api.nvim_win_call({first}, function() return {{{seen[1:-1]}}} end)"
    ) == [
        -1,
        True,
    ]


def test_the_current_window_never_moves(job: MainJob) -> None:
    agent = job.start()
    first = beside(job)
    other = write(job, "other.txt")
    on(job)
    job.turn(agent)
    job.nvim.api.nvim_set_current_win(first)
    call(agent, 1, locations=at(other, 70))
    agent.quiet()
    assert followed(job) == ("other.txt", 70)
    assert job.nvim.lua(SHOWN, first) == ["first.txt", 1]
    assert job.nvim.lua(SIGNS) == []


def test_the_sign_is_in_every_window_of_the_file(job: MainJob) -> None:
    agent = job.start()
    beside(job)
    mine = job.work / "mine.txt"
    job.command("split | wincmd p")
    on(job)
    prompt = job.turn(agent)
    call(agent, 1, locations=at(mine, 5))
    agent.quiet()
    assert followed(job) == ("mine.txt", 5)
    signed = [["mine.txt", 5, "AcpAgentSign", "AcpAgentLine"]]
    assert job.nvim.lua(SIGNS) == signed
    assert len(job.nvim.eval(f"win_findbuf(bufnr('{mine}'))")) == 3
    job.finish(agent, prompt)
    assert job.nvim.lua(SIGNS) == signed
    job.turn(agent, "again")
    job.until(lambda: job.nvim.lua(SIGNS) == [])


@pytest.mark.parametrize("unsaved", [False, True])
def test_the_file_that_comes_into_the_window_is_neither_read_anew_nor_asked_about(
    job: MainJob, unsaved: bool
) -> None:
    agent = job.start()
    beside(job)
    mine = job.work / "mine.txt"
    on(job)
    job.turn(agent)
    job.nvim.input("8Gma" + ("10GAunsaved<Esc>" if unsaved else "") + "10GV")
    call(agent, 1, kind="edit", status="in_progress")
    mine.write_text("new\n" + LINES)
    call(agent, 1, locations=at(mine, 70), status="completed")
    agent.quiet()
    assert followed(job)[0] == "mine.txt"
    assert job.nvim.mode() == {"mode": "V", "blocking": False}
    assert job.nvim.eval("[line('.'), getline(\"'a\")]") == [10, "line 8"]
    job.nvim.input("<Esc>")
    job.until(lambda: job.nvim.lines()[0] == "new")
    assert job.nvim.eval("[line('.'), getline(\"'a\"), &autoread]") == [11, "line 8", 1]


def test_it_is_off_when_the_user_moves_in_its_window(job: MainJob) -> None:
    agent = job.start()
    first = beside(job)
    other = write(job, "other.txt")
    on(job)
    job.turn(agent)
    job.nvim.api.nvim_set_current_win(first)
    job.nvim.input("<C-w>p")
    assert job.inspect()["follow"]["enabled"]
    job.nvim.input("<C-w>p")
    job.nvim.input("jj")
    job.told("you moved in the window that follows", ":Acp follow goes on")
    assert job.inspect()["follow"] == {"enabled": False}
    job.nvim.input("<C-w>p")
    call(agent, 1, locations=at(other, 70))
    job.until_event("AcpLocation")
    assert job.nvim.lua(SHOWN, first) == ["first.txt", 3]
    assert on(job) == first
    assert followed(job) == ("other.txt", 70)
    assert job.nvim.lua(SHOWN, first) == ["other.txt", 70]
    assert job.nvim.messages().count("you moved") == 1


def test_an_agent_that_writes_under_the_cursor_is_no_move_of_the_user(job: MainJob) -> None:
    agent = job.start()
    first = beside(job)
    path = job.work / "first.txt"
    on(job)
    job.turn(agent)
    job.nvim.api.nvim_set_current_win(first)
    job.nvim.settle()
    agent.ask("fs/write_text_file", path=str(path), content="new\n" + LINES)
    job.nvim.settle()
    assert job.inspect()["follow"]["enabled"]


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"rawInput": {"file_path": "other.txt"}}, None),
        ({"rawInput": {"path": "{path}"}}, None),
        (
            {
                "content": [
                    {
                        "type": "diff",
                        "path": "{path}",
                        "oldText": "line 41\nline 42\n",
                        "newText": "line 41\nline XLII\n",
                    }
                ]
            },
            42,
        ),
    ],
)
def test_a_diff_or_an_argument_is_a_place(
    job: MainJob, fields: dict[str, Any], line: int | None
) -> None:
    agent = job.start()
    first = beside(job)
    path = write(job, "other.txt")
    on(job)
    job.turn(agent)
    call(agent, 1, **_filled(fields, str(path)))
    agent.quiet()
    assert followed(job) == ("other.txt", line)
    assert job.nvim.lua(SHOWN, first) == ["other.txt", line or 1]
    assert job.until_event("AcpLocation")["line"] == (line or 0)


def _filled(fields: Any, path: str) -> Any:
    if isinstance(fields, dict):
        return {key: _filled(value, path) for key, value in fields.items()}
    if isinstance(fields, list):
        return [_filled(value, path) for value in fields]
    return fields.replace("{path}", path)


def test_files_that_are_read_and_written_are_places(job: MainJob) -> None:
    agent = job.start()
    first = beside(job)
    path = write(job, "other.txt")
    on(job)
    job.turn(agent)
    agent.ask("fs/read_text_file", path=str(path), line=20, limit=1)
    assert followed(job) == ("other.txt", 20)
    agent.ask("fs/read_text_file", path=str(path))
    agent.ask("fs/write_text_file", path=str(path), content=LINES.replace("line 60\n", "60\n"))
    assert followed(job) == ("other.txt", 60)
    assert job.nvim.lua(SHOWN, first) == ["other.txt", 60]


def test_without_a_window_one_is_split_by_command_only(job: MainJob) -> None:
    agent = job.start()
    job.command("wincmd t | only")
    path = job.edit("mine.txt", LINES)
    window = job.nvim.eval("win_getid()")
    opened = on(job)
    assert opened != window
    assert job.nvim.eval("win_getid()") == window
    job.turn(agent)
    call(agent, 1, locations=at(path, 90))
    agent.quiet()
    assert followed(job) == ("mine.txt", 90)
    assert job.nvim.lua(SHOWN, opened) == ["mine.txt", 90]
    job.nvim.api.nvim_win_close(opened, True)
    count = job.nvim.eval("winnr('$')")
    call(agent, 2, locations=at(path, 10))
    agent.quiet()
    assert followed(job) == ("mine.txt", 10)
    assert job.nvim.eval("winnr('$')") == count
    assert job.nvim.lua(SIGNS)[0][:2] == ["mine.txt", 10]


def test_beside_a_chat_alone_it_opens_a_window_of_its_own(job: MainJob) -> None:
    agent = job.start()
    chat = job.session()["bufnr"]
    for window in job.nvim.api.nvim_list_wins():
        if job.nvim.eval(f"getbufvar(winbufnr({window}), '&buftype')") == "":
            job.nvim.api.nvim_win_close(window, True)
    job.command("set number")
    path = write(job, "other.txt")
    window = on(job)
    job.turn(agent)
    call(agent, 1, locations=at(path, 9))
    agent.quiet()
    assert followed(job) == ("other.txt", 9)
    assert job.nvim.lua(SHOWN, window) == ["other.txt", 9]
    options = "[&number, &winbar, &signcolumn, &winfixheight, &winfixwidth]"
    inside = f"return vim.api.nvim_win_call(..., function() return vim.fn.eval('{options}') end)"
    assert job.nvim.lua(inside, window) == [1, "", "auto", 0, 0]
    assert chat in job.nvim.eval("tabpagebuflist()")


def test_a_window_that_would_lose_something_is_no_choice(job: MainJob) -> None:
    agent = job.start()
    window = beside(job)
    path = write(job, "other.txt")
    job.command("call setbufvar('first.txt', '&bufhidden', 'wipe')")
    opened = on(job)
    assert opened != window
    job.turn(agent)
    call(agent, 1, locations=at(path, 9))
    agent.quiet()
    assert followed(job) == ("other.txt", 9)
    assert job.nvim.lua(SHOWN, window)[0] == "first.txt"
    assert job.nvim.lua(SHOWN, opened) == ["other.txt", 9]


def test_a_file_that_is_opened_later_has_the_sign(job: MainJob) -> None:
    agent = job.start()
    first = beside(job)
    path = write(job, "other.txt")
    on(job)
    job.command("only")
    job.turn(agent)
    call(agent, 1, locations=at(path, 9))
    agent.quiet()
    assert followed(job) == ("other.txt", 9)
    assert job.nvim.lua(SIGNS) == []
    assert first not in job.nvim.api.nvim_list_wins()
    job.command("edit other.txt")
    assert job.nvim.lua(SIGNS) == [["other.txt", 9, "AcpAgentSign", "AcpAgentLine"]]


def test_what_cannot_be_opened_in_silence_is_not_opened(job: MainJob) -> None:
    agent = job.start()
    first = beside(job)
    swapped = write(job, "swapped.txt")
    job.command("set directory=.")
    (job.work / ".swapped.txt.swp").write_bytes(b"b0VIM")
    outside = job.folder / "outside.txt"
    outside.write_text(LINES)
    on(job)
    job.turn(agent)
    gone = job.work / "gone.txt"
    for number, path in enumerate((job.work, gone, outside, swapped)):
        call(agent, number, locations=at(path, 3))
    agent.quiet()
    assert followed(job) == ("swapped.txt", 3)
    assert job.nvim.lua(SHOWN, first) == ["first.txt", 1]
    told = [data["path"] for data in job.events("AcpLocation")]
    assert told == [str(path) for path in (job.work, gone, outside, swapped)]
    job.usable()


def test_what_neovim_refuses_is_done_soon_after(job: MainJob) -> None:
    agent = job.start()
    first = beside(job)
    path = write(job, "other.txt")
    on(job)
    job.turn(agent)
    job.nvim.input("q:")
    assert job.nvim.eval("getcmdwintype()") == ":"
    call(agent, 1, locations=at(path, 30))
    agent.quiet()
    assert "error" not in job.inspect()["host"]
    job.nvim.input("<C-c><C-c>")
    job.until(lambda: job.nvim.lua(SHOWN, first) == ["other.txt", 30])
    job.usable()


def test_it_goes_along_while_a_command_is_typed(job: MainJob) -> None:
    agent = job.start()
    first = beside(job)
    path = write(job, "other.txt")
    on(job)
    job.turn(agent)
    job.nvim.input(":let g:typed = 1")
    call(agent, 1, locations=at(path, 30))
    agent.quiet()
    assert followed(job) == ("other.txt", 30)
    assert job.nvim.mode()["mode"] == "c"
    assert job.nvim.lua(SHOWN, first) == ["other.txt", 30]
    job.nvim.input("<CR>")
    assert job.nvim.eval("g:typed") == 1


def test_it_ends_with_the_host(job: MainJob) -> None:
    agent = job.start()
    beside(job)
    on(job)
    job.turn(agent)
    call(agent, 1, locations=at(job.work / "mine.txt", 5))
    agent.quiet()
    assert followed(job) == ("mine.txt", 5)
    job.kill(job.host())
    job.until(lambda: not job.inspect()["host"]["running"])
    assert job.nvim.lua(SIGNS) == []
    assert job.inspect()["follow"] == {"enabled": False}


def test_places_are_told_when_it_is_off(job: MainJob) -> None:
    agent = job.start()
    first = beside(job)
    path = write(job, "other.txt")
    job.turn(agent)
    call(agent, 1, locations=at(path, 7))
    data = job.until_event("AcpLocation")
    common = {"agent": "scripted", "session": job.session()["id"]}
    assert data == common | {"path": str(path), "line": 7, "tool_call": "call-1"}
    agent.update("tool_call_update", toolCallId="call-1", locations=at(path, 7))
    agent.quiet()
    assert job.inspect()["follow"] == {"enabled": False}
    assert len(job.events("AcpLocation")) == 1
    assert job.nvim.lua(SHOWN, first) == ["first.txt", 1]
    assert job.nvim.lua(SIGNS) == []


def test_it_is_on_by_option_and_off_by_mapping() -> None:
    with MainJob({"follow": {"enabled": True}}) as job:
        agent = job.start()
        first = beside(job)
        path = write(job, "other.txt")
        job.turn(agent)
        call(agent, 1, locations=at(path, 7))
        agent.quiet()
        assert followed(job) == ("other.txt", 7)
        assert job.nvim.lua(SHOWN, first) == ["other.txt", 7]
        job.command("nmap gz <Plug>(acp-follow)")
        job.nvim.input("gz")
        job.told("follow is off")
        assert job.inspect()["follow"] == {"enabled": False}
        assert job.nvim.lua(SIGNS) == []
