"""The tools with a real language server (python-lsp-server), in a real Neovim."""

from __future__ import annotations

from tests.support.agents.agent_edits import hunks
from tests.support.tools.tools_job import ToolsJob

A = '''import os


def total(values):
    """Add them up."""
    return sum(values)
'''
B = "from a import total\n\nprint(total([1]))\n"
C = "import a\n\n\ndef main():\n    return a.total([2])\n"


def test_diagnostics_are_those_of_the_unsaved_text(tools: ToolsJob) -> None:
    tools.pylsp()
    path = tools.edit("a.py", A)
    tools.nvim.input("Goprint(nowhere)<Esc>")

    def found() -> list[str] | None:
        told = tools.peer.call("diagnostics", path=path, severity="error")
        return [it["message"] for it in told["diagnostics"]] if told["fresh"] else None

    tools.job.until(lambda: found() == ["undefined name 'nowhere'"])
    told = tools.peer.call("diagnostics", path=path)["diagnostics"]
    assert {(it["line"], it["severity"]) for it in told} == {(1, "warning"), (7, "error")}
    assert "nowhere" in tools.peer.call("read_file", path=path)["content"]
    assert "nowhere" not in (tools.work / "a.py").read_text()
    tools.nvim.input("u")
    tools.job.until(lambda: found() == [])


def test_it_is_told_where_things_are_in_files_that_nobody_has_opened(tools: ToolsJob) -> None:
    tools.pylsp()
    a, b = tools.file("a.py", A), tools.file("b.py", B)
    at = {"path": b, "line": 3, "symbol": "total"}
    place = {"path": a, "line": 4, "column": 5, "end_line": 4, "end_column": 10}
    found = tools.peer.call("definition", **at)["places"]
    assert found == [{**place, "text": "def total(values):"}]
    used = tools.peer.call("references", **at)["places"]
    assert [(it["path"], it["line"]) for it in used] == [(a, 4), (b, 1), (b, 3)]
    assert "Add them up" in tools.peer.call("hover", **at)["text"]
    assert "total(values)" in tools.peer.call("signature", **at)["text"]
    symbols = tools.peer.call("symbols", path=a)["symbols"]
    assert ("total", "function", 4) in {(it["name"], it["kind"], it["line"]) for it in symbols}
    assert tools.peer.call("open_files") == {"files": []}
    assert "cannot do that: search" in tools.peer.refused("calls", **at)
    assert "pylsp" in tools.peer.refused("workspace_symbols", query="total")


def test_a_rename_goes_through_the_review_in_all_files(tools: ToolsJob) -> None:
    tools.pylsp()
    a, b = tools.file("a.py", A), tools.edit("b.py", B)
    c = tools.file("c.py", C)
    tools.nvim.input("Go# not saved<Esc>")
    job, agent = tools.job, tools.agent
    prompt = job.turn(agent)
    agent.update("tool_call", toolCallId="7", title="Rename", kind="edit", status="in_progress")
    renamed = tools.peer.call("rename", path=a, line=4, symbol="total", to="add")
    assert renamed == {"files": [a, b, c]}
    assert tools.lines("b.py") == ["from a import add", "", "print(add([1]))", "# not saved"]
    assert "a.add([2])" in (tools.work / "c.py").read_text()
    told = tools.peer.call("review")["hunks"]
    assert {(it["path"], it["line"], it["state"]) for it in told} >= {(a, 4, "pending")}
    who = tools.peer.call("why", path=c, line=5)
    assert (who["turn"], who["prompt"], who["tool_call"], who["certain"]) == (
        *(1, "go", "Rename"),
        "yes",
    )
    agent.update("tool_call_update", toolCallId="7", status="completed")
    job.finish(agent, prompt)
    job.until(lambda: len({it[1] for it in hunks(job)}) == 3)
    job.command("Acp undo")
    job.told("undid turn 1 of scripted in 3 files")
    assert (tools.work / "a.py").read_text() == A and (tools.work / "c.py").read_text() == C
    assert tools.lines("b.py") == [*B.splitlines(), "# not saved"]


def test_what_the_user_has_rejected_is_told_with_the_reason(tools: ToolsJob) -> None:
    path = tools.edit("a.py", A)
    edits = [{"old_text": "sum(values)", "new_text": "0"}]
    job, agent = tools.job, tools.agent
    prompt = job.turn(agent)
    tools.peer.call("edit_file", path=path, edits=edits)
    job.finish(agent, prompt)
    job.until(lambda: hunks(job))
    job.command("6Acp reject because it must add")
    job.until(lambda: not hunks(job))

    def notes() -> str:
        return "".join(it["text"] for it in tools.peer.call("review")["notes"])

    job.until(lambda: "it must add" in notes())
    assert "-    return 0" in notes()
    assert tools.peer.call("review")["hunks"] == []
    prompt = job.turn(agent)  # which takes it along
    assert "it must add" in notes()
    job.finish(agent, prompt)
    job.finish(agent, job.turn(agent))
    assert notes() == ""
