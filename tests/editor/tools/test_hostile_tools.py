"""What goes wrong is a sentence for the agent, and nothing for the user to end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.agents.agent_edits import hunks
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim
from tests.support.tools.relay_peer import RelayPeer
from tests.support.tools.tools_job import ToolsJob

TEXT = "one two one\nthree\n"
AT = {"line": 2, "symbol": "three"}
STATE = """
return { vim.api.nvim_get_mode().mode, vim.api.nvim_win_get_cursor(0),
  vim.api.nvim_get_current_win(), vim.fn.getreg('"'), vim.fn.getjumplist()[1],
  vim.fn.winsaveview(), #vim.api.nvim_list_wins(),
  vim.fn.bufnr('%'), vim.fn.bufnr('#') }
"""


def edits_of(*places: tuple[str, str]) -> dict[str, Any]:
    """Return a workspace edit that replaces the first three characters of files."""
    start, end = {"line": 0, "character": 0}, {"line": 0, "character": 3}
    change = {"range": {"start": start, "end": end}}
    return {"changes": {uri: [{**change, "newText": new}] for uri, new in places}}


# --- language servers


def test_without_a_server_the_agent_is_told_to_search(tools: ToolsJob) -> None:
    path = tools.file("a.unknown", TEXT)
    for tool in ("definition", "references", "hover", "calls", "implementations"):
        said = tools.peer.refused(tool, path=path, **AT)
        assert said == f"no language server is attached to {path}: search the text instead"
    assert "search the text" in tools.peer.refused("rename", path=path, **AT, to="x")
    assert "search the text" in tools.peer.refused("symbols", path=path)
    assert "search the text" in tools.peer.refused("workspace_symbols", query="x")
    assert tools.peer.call("diagnostics", path=path)["diagnostics"] == []


def test_a_server_that_never_answers_is_given_up_and_told(tools: ToolsJob) -> None:
    tools.script(definition="never", rename="never")
    tools.nvim.lua("require('acp.tools.language').patience = 200")
    path = tools.file("a.txt", TEXT)
    said = tools.peer.refused("definition", path=path, **AT)
    assert said == "definition has failed. scripted: it does not answer"
    assert "it does not answer" in tools.peer.refused("rename", path=path, **AT, to="x")
    assert tools.nvim.lua("return scripted.cancelled") == 2
    assert Path(path).read_text() == TEXT


def test_a_server_has_the_newest_text_before_its_diagnostics_count(tools: ToolsJob) -> None:
    """Neovim may hold a change back for a while: here, for a minute."""
    tools.script()
    tools.nvim.lua("scripted.debounce = 60000")
    path = tools.edit("a.txt", TEXT)
    tools.job.command("edit")
    tools.nvim.command("call setline(1, 'typed') | call setline(1, 'typed on')")
    assert tools.peer.call("diagnostics", path=path)["diagnostics"] == []
    sent = [
        params["contentChanges"][0]["text"]
        for method, params in tools.nvim.lua("return scripted.notified")
        if method == "textDocument/didChange"
    ]
    assert sent[-1].startswith("typed on\n")


def test_a_server_that_dies_amid_a_rename_changes_nothing(tools: ToolsJob) -> None:
    tools.script(rename="die")
    path = tools.edit("a.txt", TEXT)
    said = tools.peer.refused("rename", path=path, **AT, to="x")
    assert said == "rename has failed. scripted: it has ended"
    assert tools.lines("a.txt") == TEXT.splitlines() and Path(path).read_text() == TEXT


def test_what_a_server_says_went_wrong_is_told(tools: ToolsJob) -> None:
    tools.script()
    path = tools.file("a.txt", TEXT)
    assert "nothing is scripted" in tools.peer.refused("hover", path=path, **AT)
    tools.answer(hover={"contents": ""})
    assert "says nothing of 'three'" in tools.peer.refused("hover", path=path, **AT)


def test_a_call_that_is_cancelled_asks_the_server_no_more(tools: ToolsJob) -> None:
    tools.script(hover="never")
    path = tools.file("a.txt", TEXT)
    number = tools.peer.begin("hover", path=path, **AT)
    tools.job.until(lambda: "textDocument/hover" in tools.nvim.lua("return scripted.asked"))
    tools.peer.send("notifications/cancelled", {"requestId": number})
    tools.job.until(lambda: tools.nvim.lua("return scripted.cancelled") == 1)
    tools.answer(hover={"contents": "there"})
    assert tools.peer.call("hover", path=path, **AT) == {"text": "there"}


def test_a_symbol_that_stands_twice_is_told_with_its_columns(tools: ToolsJob) -> None:
    tools.script(hover={"contents": "there"})
    path = tools.file("a.txt", TEXT)
    said = tools.peer.refused("hover", path=path, line=1, symbol="one")
    assert said == "'one' stands on line 1 at column 1, 9: say which"
    assert tools.peer.call("hover", path=path, line=1, symbol="one", column=9)
    assert "say which" in tools.peer.refused("hover", path=path, line=1, symbol="one", column=2)
    said = tools.peer.refused("hover", path=path, line=1, symbol="three")
    assert said.endswith("'one two one'; it stands on line 2")
    assert "the file has 3 lines" in tools.peer.refused("hover", path=path, line=9, symbol="x")


# --- edits of a server


@pytest.mark.parametrize("through", ["elsewhere", "link"])
def test_a_rename_out_of_the_folders_changes_nothing(tools: ToolsJob, through: str) -> None:
    outside = tools.job.folder / "outside.txt"
    outside.write_text(TEXT)
    uri = outside.as_uri()
    if through == "link":
        (tools.work / "link.txt").symlink_to(outside)
        uri = tools.uri("link.txt")
    path = tools.edit("a.txt", TEXT)
    tools.script(rename=edits_of((tools.uri("a.txt"), "1"), (uri, "1")))
    tools.job.command("edit")
    said = tools.peer.refused("rename", path=path, **AT, to="x")
    assert "would change a file elsewhere" in said and said.endswith("nothing was changed")
    assert (outside.read_text(), tools.lines("a.txt")) == (TEXT, TEXT.splitlines())


@pytest.mark.parametrize("way", ["setlocal readonly", "setlocal nomodifiable", "read-only file"])
def test_a_rename_of_which_one_file_cannot_be_written_changes_none(
    tools: ToolsJob, way: str
) -> None:
    path, other = tools.edit("b.txt", TEXT), tools.file("a.txt", TEXT)
    tools.script(rename=edits_of((tools.uri("a.txt"), "1"), (tools.uri("b.txt"), "1")))
    tools.job.command("edit")
    if way.startswith("set"):
        tools.job.command(way)
    else:
        Path(path).chmod(0o444)
    said = tools.peer.refused("rename", path=path, **AT, to="x")
    assert "read-only" in said or "not modifiable in the user's editor" in said
    assert Path(other).read_text() == Path(path).read_text() == TEXT


def test_a_large_file_is_not_loaded_for_a_server(tools: ToolsJob) -> None:
    """To read it, and to send all of it to servers, would hold the editor for seconds."""
    tools.script(hover={"contents": "there"})
    path = tools.file("large.txt", "three\n" * 500_000)
    said = tools.peer.refused("hover", path=path, line=1, symbol="three")
    assert "too large" in said
    assert "cannot open" in tools.peer.refused("diagnostics", path=path)
    assert tools.nvim.eval(f"bufnr('{path}')") == -1
    tools.job.command(f"edit {path}")  # what the user has open is asked for
    assert tools.peer.call("hover", path=path, line=1, symbol="three") == {"text": "there"}


def test_files_that_a_server_would_make_or_remove_are_left_to_the_agent(tools: ToolsJob) -> None:
    path = tools.file("a.txt", TEXT)
    tools.script()
    for kind in ("create", "rename", "delete"):
        tools.answer(rename={"documentChanges": [{"kind": kind, "uri": tools.uri("a.txt")}]})
        said = tools.peer.refused("rename", path=path, **AT, to="x")
        assert said == f"scripted wants to {kind} files, which is yours to do: nothing was changed"


def test_edits_that_make_no_sense_change_nothing(tools: ToolsJob) -> None:
    path = tools.file("a.txt", TEXT)
    wrong = edits_of((tools.uri("a.txt"), "x"))
    wrong["changes"][tools.uri("a.txt")] *= 2
    tools.script(rename=wrong)
    assert "make no sense" in tools.peer.refused("rename", path=path, **AT, to="x")
    tools.answer(rename={"changes": {tools.uri("a.txt"): [{}]}})
    assert "make no sense" in tools.peer.refused("rename", path=path, **AT, to="x")
    assert Path(path).read_text() == TEXT


def test_what_the_user_types_meanwhile_is_no_mistake_of_the_rename(tools: ToolsJob) -> None:
    path = tools.edit("a.txt", TEXT)
    tools.script()
    tools.nvim.lua(
        """local edits = ...
        scripted.answers['textDocument/rename'] = function()
          vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'typed' })
          return edits
        end""",
        edits_of((tools.uri("a.txt"), "1")),
    )
    tools.job.command("edit")
    said = tools.peer.refused("rename", path=path, **AT, to="x")
    assert "was changed while the server worked: nothing was changed; try again" in said
    assert tools.lines("a.txt") == ["typed", *TEXT.splitlines()]


def test_forty_files_are_renamed_at_once_and_taken_back_at_once(tools: ToolsJob) -> None:
    names = [f"f{number:02}.txt" for number in range(40)]
    for name in names:
        tools.file(name, TEXT)
    tools.script(rename=edits_of(*((tools.uri(name), "1") for name in names)))
    for name in names[:3]:
        tools.edit(name, TEXT)
    tools.nvim.input("Gonot saved<Esc>")
    prompt = tools.job.turn(tools.agent)
    first = str(tools.work / names[0])
    renamed = tools.peer.call("rename", path=first, line=1, symbol="two", to="x")
    assert [Path(it).name for it in renamed["files"]] == names
    after = TEXT.replace("one", "1", 1)
    assert {(tools.work / name).read_text() for name in names[3:]} == {after}
    assert tools.lines(names[2]) == [*after.splitlines(), "not saved"]
    tools.job.finish(tools.agent, prompt)
    tools.job.until(lambda: len({it[1] for it in hunks(tools.job)}) == 40)
    tools.job.command("Acp undo")
    tools.job.told("undid turn 1 of scripted in 40 files")
    assert {(tools.work / name).read_text() for name in names[3:]} == {TEXT}
    assert tools.lines(names[2]) == [*TEXT.splitlines(), "not saved"]


def test_code_actions_are_applied_and_commands_are_not(tools: ToolsJob) -> None:
    path = tools.edit("a.txt", TEXT)
    edit = edits_of((tools.uri("a.txt"), "1"))
    actions = [
        {"title": "Run it", "command": "rm"},
        {"title": "Later", "data": 1},
        {"title": "Fix", "edit": edit, "command": {"title": "x", "command": "rm"}},
        {"title": "Not now", "edit": edit, "disabled": {"reason": "no"}},
    ]
    tools.script(codeAction=actions, formatting=[])
    tools.job.command("edit")
    tools.nvim.lua("scripted.answers['codeAction/resolve'] = { title = 'Later' }")
    found = tools.peer.call("code_actions", path=path, line=1)["actions"]
    assert [it["title"] for it in found] == ["Later", "Fix"]
    said = tools.peer.refused("apply_code_action", id=found[0]["id"])
    assert said == "'Later' runs a command of scripted, which is not done: nothing was changed"
    assert tools.peer.call("apply_code_action", id=found[1]["id"]) == {"files": [path]}
    assert tools.lines("a.txt")[0] == "1 two one"
    assert "call code_actions again" in tools.peer.refused("apply_code_action", id=found[1]["id"])
    assert "workspace/executeCommand" not in tools.nvim.lua("return scripted.asked")
    assert tools.peer.call("format", path=path) == {"files": []}


CONFORM = """
local answer = ...
_G.formats = {}
package.loaded.conform = {
  list_formatters_to_run = function(buffer)
    return answer and { { name = 'shout' } } or {}, not answer
  end,
  format_lines = function(names, lines, options, callback)
    table.insert(_G.formats, { names, options.async, options.bufnr })
    vim.schedule(function()
      if answer == 'fail' then
        callback({ code = 1, message = 'shout: no' })
      elseif answer ~= 'never' then
        callback(nil, vim.tbl_map(string.upper, lines))
      end
    end)
  end,
}
"""


def test_a_file_is_formatted_as_the_user_has_it_formatted(tools: ToolsJob) -> None:
    """By conform.nvim where that has a formatter, and as an edit that is reviewed."""
    path = tools.edit("a.txt", TEXT)
    insert = {"line": 0, "character": 0}
    tools.script(formatting=[{"range": {"start": insert, "end": insert}, "newText": "served "}])
    tools.job.command("edit")
    tools.nvim.command("call setline(2, 'not saved')")
    tools.nvim.lua(CONFORM, "shout")
    assert tools.peer.call("format", path=path) == {"files": [path]}
    assert tools.lines("a.txt") == ["ONE TWO ONE", "NOT SAVED"]
    assert tools.nvim.lua("return _G.formats") == [[["shout"], True, tools.nvim.eval("bufnr()")]]
    assert tools.peer.call("format", path=path) == {"files": []}
    other = tools.file("b.txt", TEXT)
    assert tools.peer.call("format", path=other) == {"files": [other]}
    assert Path(other).read_text() == TEXT.upper()
    tools.nvim.lua(CONFORM, "fail")
    assert tools.peer.refused("format", path=path) == "conform.nvim has failed: shout: no"
    tools.nvim.lua("require('acp.tools.language').patience = 200")
    tools.nvim.lua(CONFORM, "never")
    assert "has failed: it does not answer" in tools.peer.refused("format", path=path)
    tools.nvim.lua(CONFORM, False)
    assert tools.peer.call("format", path=path) == {"files": [path]}
    assert tools.lines("a.txt")[0] == "served ONE TWO ONE"


def test_what_the_user_types_while_a_file_is_formatted_stays(tools: ToolsJob) -> None:
    path = tools.edit("a.txt", TEXT)
    tools.nvim.lua(CONFORM, "shout")
    tools.nvim.lua(
        "local conform = package.loaded.conform; local format = conform.format_lines "
        "conform.format_lines = function(...) "
        "vim.api.nvim_buf_set_lines(0, 0, 0, true, { 'typed' }) format(...) end"
    )
    assert "was changed while" in tools.peer.refused("format", path=path)
    assert tools.lines("a.txt") == ["typed", *TEXT.splitlines()]


# --- lists


@pytest.mark.parametrize("kind", ["quickfix", "location"])
def test_a_list_of_any_length_does_not_hold_the_editor(nvim: Neovim, kind: str) -> None:
    """To look at 60,000 entries takes seconds."""
    found = nvim.lua(
        """local kind = ...
        local items = {}
        for i = 1, 60000 do items[i] = { filename = '/p/' .. i % 500, lnum = i, type = 'E' } end
        if kind == 'location' then vim.fn.setloclist(0, items) else vim.fn.setqflist(items) end
        local windows, found = require('acp.tools.windows'), nil
        local start = vim.uv.getrusage().utime
        windows.list({ list = kind }, function(_, it) found = it end)
        local stop = vim.uv.getrusage().utime
        local seconds = stop.sec - start.sec + (stop.usec - start.usec) / 1e6
        return { #found.entries, found.entries[5000].line, found.entries[501].path, seconds }""",
        kind,
    )
    assert found[:3] == [5000, 5000, "/p/1"] and found[3] < 1


# --- files


def test_paths_out_of_the_folders_are_refused(tools: ToolsJob) -> None:
    outside = tools.job.folder / "secret.txt"
    outside.write_text("secret")
    (tools.work / "link.txt").symlink_to(outside)
    ways = [str(outside), str(tools.work / "link.txt"), f"{tools.work}/../secret.txt", "a.txt"]
    for path in ways:
        at = {"path": path, "line": 1, "symbol": "secret"}
        for tool in (
            "hover",
            "definition",
            "symbols",
            "diagnostics",
            "code_actions",
            "why",
            "show",
        ):
            given = at if tool in ("hover", "definition") else {"path": path}
            given |= {"line": 1} if tool in ("code_actions", "why") else {}
            said = tools.peer.refused(tool, **given)
            assert "outside of this session" in said or "not an absolute path" in said, (tool, said)
        assert "secret" not in tools.peer.refused("read_file", path=path).replace(path, "")
        tools.peer.refused("edit_file", path=path, content="x")
    assert outside.read_text() == "secret"


def test_a_buffer_of_another_plugin_is_left_to_it(tools: ToolsJob) -> None:
    tools.script(rename=edits_of((tools.uri("a.txt"), "1")))
    path = tools.file("a.txt", TEXT)
    tools.nvim.lua(
        "vim.api.nvim_create_autocmd('BufWriteCmd', { pattern = '*.txt', command = '' })"
    )
    tools.edit("a.txt", TEXT)
    tools.nvim.input("Gotyped<Esc>")
    said = tools.peer.refused("rename", path=path, line=1, symbol="two", to="x")
    assert "another editor or a plugin has it" in said
    assert "typed" in tools.lines("a.txt") and Path(path).read_text() == TEXT


def test_a_guarded_file_is_asked_for(tools: ToolsJob) -> None:
    path = str(tools.work / ".envrc")
    prompt = tools.job.turn(tools.agent)
    number = tools.peer.begin("edit_file", path=path, content="export A=1\n")
    ask = tools.job.until(lambda: tools.job.asks())[0]
    assert ".envrc" in ask["title"]
    tools.peer.until_notified("notifications/progress")
    tools.nvim.lua("require('acp').respond(...)", ask["id"], "reject")
    result = tools.peer.answer(number)["result"]
    assert result["isError"] and "does not let" in result["content"][0]["text"]
    assert not Path(path).exists()
    tools.job.finish(tools.agent, prompt)


def test_an_edit_waits_for_the_users_hands_and_a_read_does_not(tools: ToolsJob) -> None:
    path = tools.edit("a.txt", TEXT)
    tools.nvim.input("Gcwfour")
    edits = [{"old_text": "one two", "new_text": "1 2"}]
    number = tools.peer.begin("edit_file", path=path, edits=edits)
    assert tools.peer.call("open_files")["files"][0]["modified"]
    tools.nvim.input("<Esc>")
    assert not tools.peer.answer(number)["result"]["isError"]
    assert tools.lines("a.txt") == ["1 2 one", "four"]


def test_edits_that_do_not_fit_are_told(tools: ToolsJob) -> None:
    path = tools.file("a.txt", TEXT)
    for edits, said in [
        ([{"old_text": "five", "new_text": "x"}], "does not stand in"),
        ([{"old_text": "", "new_text": "x"}], "does not stand in"),
        ([{"old_text": "one", "new_text": "x"}], "stands 2 times in"),
    ]:
        assert said in tools.peer.refused("edit_file", path=path, edits=edits)
    assert "either edits or content" in tools.peer.refused("edit_file", path=path)
    edits = [{"old_text": "one", "new_text": "1", "all": True}]
    assert tools.peer.call("edit_file", path=path, edits=edits)["line"] == 1
    assert Path(path).read_text() == TEXT.replace("one", "1")
    crlf = tools.file("b.txt", "a\r\nb\r\nc\r\n")
    tools.peer.call("edit_file", path=crlf, edits=[{"old_text": "a\nb\n", "new_text": "a\nB\n"}])
    assert Path(crlf).read_bytes() == b"a\r\nB\r\nc\r\n"


# --- the user


def test_nothing_of_the_users_moves(tools: ToolsJob) -> None:
    tools.script(hover={"contents": "x"}, rename=edits_of((tools.uri("b.txt"), "1")))
    path, other = tools.edit("a.txt", TEXT), tools.file("b.txt", TEXT)
    tools.nvim.input("yyjl")
    before = tools.nvim.lua(STATE)
    tools.peer.call("hover", path=other, **AT)
    tools.peer.call("rename", path=other, **AT, to="x")
    tools.peer.call("open_files")
    tools.peer.call("diagnostics", path=other)
    tools.peer.call("read_file", path=path)
    tools.peer.call("show", path=other, line=2, note="look")
    assert tools.nvim.lua(STATE) == before
    assert "scripted shows b.txt:2: look" in tools.nvim.messages()
    tools.job.usable()


def test_insert_mode_goes_on(tools: ToolsJob) -> None:
    tools.script(hover={"contents": "x"})
    other = tools.file("b.txt", TEXT)
    tools.edit("a.txt", TEXT)
    tools.nvim.input("A more")
    tools.peer.call("hover", path=other, **AT)
    tools.peer.call("diagnostics", path=other)
    assert tools.nvim.mode()["mode"] == "i"
    tools.nvim.input(" words<Esc>")
    assert tools.lines("a.txt")[0] == "one two one more words"


def test_tools_are_turned_off_and_on_and_listed(tools: ToolsJob) -> None:
    tools.peer.call("open_files")
    tools.job.command("Acp tools off")
    tools.job.until(lambda: "can call no tools any more" in tools.nvim.messages())
    assert "turned the tools" in tools.peer.refused("open_files")
    tools.peer.until_notified("notifications/tools/list_changed")
    tools.job.command("Acp tools on")
    tools.job.until(lambda: "may call the tools" in tools.nvim.messages())
    tools.peer.call("open_files")
    tools.job.command("Acp tools")
    tools.job.until(lambda: "Tools of the editor for scripted: on" in tools.nvim.lines())
    assert any("open_files" in it and "2 calls" in it for it in tools.nvim.lines())


# --- ends


def test_the_tools_end_with_their_session(tools: ToolsJob) -> None:
    tools.job.command("Acp stop")
    assert tools.peer.ended() == 0
    with RelayPeer(tools.server) as late:
        assert late.ended() in (0, 1)


def test_a_relay_ends_when_the_host_is_killed(tools: ToolsJob) -> None:
    tools.job.kill(tools.job.host())
    assert tools.peer.ended() == 0


def test_of_a_thousand_calls_at_once_sixteen_are_done(tools: ToolsJob) -> None:
    """The others are refused, each with what to do; the editor and the session go on."""
    tools.script(definition="never")
    tools.nvim.lua("require('acp.tools.language').patience = 2000")
    path = tools.edit("a.txt", TEXT)
    tools.job.command("edit")
    arguments = {"name": "definition", "arguments": {"path": path, **AT}}
    numbers = [tools.peer.ask("tools/call", arguments) for _ in range(1_000)]
    said = [tools.peer.said(it) for it in numbers]
    assert said.count("definition has failed. scripted: it does not answer") == 16
    rest = {it for it in said if not it.startswith("definition has failed")}
    assert rest == {
        "16 calls are running: wait for an answer first",
        "64 requests are open: wait for an answer, then send it again",
    }
    assert tools.peer.call("open_files")["files"]
    tools.job.usable()


def test_two_neovims_in_one_project_have_tools_of_their_own(tools: ToolsJob) -> None:
    """Each agent sees what its own editor holds; the end of one is nothing to the other."""
    path = tools.edit("a.txt", TEXT)
    tools.nvim.command("call setline(1, 'of the first')")
    with MainJob() as job:
        job.command(f"cd {tools.work}")
        other = ToolsJob(job).__enter__()
        assert other.server["env"] != tools.server["env"]
        assert other.peer.call("read_file", path=path)["content"] == TEXT
        other.peer.call("edit_file", path=path, edits=[{"old_text": "three", "new_text": "3"}])
        assert tools.peer.call("read_file", path=path)["content"].startswith("of the first\n")
        job.kill(job.host())
        assert other.peer.ended() == 0
        other.peer.close()
    assert tools.peer.call("open_files")["files"][0]["path"] == path


def test_an_agent_may_have_none(job: MainJob) -> None:
    options = job.stage.options() | {"editor": False}
    job.nvim.lua("local o = vim.g.acp; o.agents.scripted = ...; vim.g.acp = o", options)
    job.command("AcpStart scripted")
    agent = job.stage.accept()
    agent.initialize()
    assert agent.open()["params"]["mcpServers"] == []
    job.until(lambda: job.session().get("state") == "idle")
    job.command("Acp tools")
    job.told("has no tools of the editor")


def test_answers_that_make_no_sense_are_no_fault_of_ours(tools: ToolsJob) -> None:
    methods = ("definition", "references", "hover", "prepareCallHierarchy", "codeAction", "rename")
    tools.script()
    path = tools.file("a.txt", TEXT)
    at = {"path": path, **AT}
    calls: dict[str, dict[str, Any]] = {
        **dict.fromkeys(("definition", "references", "hover", "calls"), at),
        "rename": {**at, "to": "x"},
        "code_actions": {"path": path, "line": 1},
        "format": {"path": path},
    }
    wrong: list[Any] = [7, "x", [1], [[]], {"a": 1}, [{"range": 1, "uri": 2}], [{}]]
    for told in wrong:
        tools.answer(**dict.fromkeys((*methods, "formatting"), told))
        for tool, given in calls.items():
            result = tools.peer.answer(tools.peer.begin(tool, **given))["result"]
            said = result["content"][0]["text"]
            assert "internal error" not in said, (told, tool, said)
    assert Path(path).read_text() == TEXT
    assert "made a mistake" not in tools.nvim.messages()


@pytest.mark.parametrize("told", ["{ print }", "{ 1, a = 2 }"])
def test_an_answer_of_a_server_in_lua_that_is_no_message_is_told_at_once(
    tools: ToolsJob, told: str
) -> None:
    tools.script()
    tools.nvim.lua(f"scripted.answers['textDocument/hover'] = function() return {told} end")
    said = tools.peer.refused("hover", path=tools.file("a.txt", TEXT), **AT)
    assert said.startswith("what was answered makes no sense: Cannot convert")
