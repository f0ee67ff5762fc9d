"""Updates of ACP v2: upserts and patches of messages, tool calls, terminals and plans."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from acp_nvim.session.content import Diff, FileChange, Text
from acp_nvim.session.state import Message
from tests.conformance.version2.saying import begin, text
from tests.support.stage import Stage, texts, tool


async def told(*updates: tuple[str, dict[str, Any]]) -> Any:
    """Return the session after these updates in a turn."""
    async with Stage(protocol=2) as stage:
        session = await stage.start_2()
        await begin(stage, session)
        for name, fields in updates:
            stage.agent.update(name, **fields)
        await stage.agent.quiet()
        return session


async def test_c2_020_a_whole_message_takes_the_place_of_what_was_known() -> None:
    session = await told(
        ("agent_message", {"messageId": "a", "content": []}),
        ("agent_message_chunk", {"messageId": "a", "content": text("one ")}),
        ("agent_message_chunk", {"messageId": "a", "content": text("two")}),
        ("agent_message", {"messageId": "b", "content": [text("other")]}),
        ("agent_message", {"messageId": "a"}),
    )
    assert texts(session) == ["one two", "other"]
    session = await told(
        ("agent_thought", {"messageId": "a", "content": [text("hm")]}),
        ("agent_thought", {"messageId": "a", "content": [text("aha")]}),
        ("agent_message", {"messageId": "a", "content": [text("x")]}),
        ("agent_message", {"messageId": "a", "content": None}),
    )
    assert texts(session, "thought") == ["aha"]
    assert texts(session) == [""]


async def test_c2_021_what_is_null_in_a_tool_call_is_cleared_and_what_is_absent_stays() -> None:
    whole = {
        "toolCallId": "call-1",
        "title": "Read",
        "kind": "read",
        "status": "in_progress",
        "name": "read_file",
        "content": [{"type": "content", "content": text("x")}],
        "locations": [{"path": "/p/a", "line": 3}],
        "rawInput": {"a": 1},
    }
    session = await told(
        ("tool_call_update", whole),
        ("tool_call_update", {"toolCallId": "call-1", "status": "completed"}),
    )
    call = tool(session)
    assert (call.title, call.kind, call.name, call.raw_input) == (
        "Read",
        "read",
        "read_file",
        '{"a":1}',
    )
    cleared = dict.fromkeys(
        ("title", "kind", "status", "name", "content", "locations", "rawInput"), None
    )
    session = await told(
        ("tool_call_update", whole), ("tool_call_update", {"toolCallId": "call-1"} | cleared)
    )
    call = tool(session)
    assert (call.title, call.kind, call.status, call.name) == ("", "other", "pending", None)
    assert (call.content, call.locations, call.raw_input) == ((), (), None)


async def test_c2_021_a_status_that_nobody_knows_is_under_way() -> None:
    session = await told(
        *(
            ("tool_call_update", {"toolCallId": status, "status": status})
            for status in ("paused", "_odd", "cancelled")
        )
    )
    assert tool(session, "paused").status == tool(session, "_odd").status == "in_progress"
    assert tool(session, "cancelled").status == "cancelled"


async def test_c2_022_content_of_a_tool_call_comes_in_pieces() -> None:
    session = await told(
        ("tool_call_update", {"toolCallId": "call-1", "title": "Run"}),
        *(
            (
                "tool_call_content_chunk",
                {"toolCallId": "call-1", "content": {"type": "content", "content": text(said)}},
            )
            for said in ("one", "two")
        ),
    )
    assert tool(session).content == (Text("one"), Text("two"))


HINT = {"type": "text", "hint": "h"}
PATCH = """\
diff --git /p/a.py /p/a.py
--- /p/a.py
+++ /p/a.py
@@ -1,3 +1,3 @@
 one
-two
+TWO
 three
@@ -10 +10,2 @@ def f():
-ten
\\ No newline at end of file
+ten
+eleven
diff --git /dev/null /p/new.py
--- /dev/null
+++ /p/new.py
@@ -0,0 +1 @@
+new
"""


async def test_c2_023_a_diff_is_of_files_and_may_have_a_patch() -> None:
    changes = [
        {"operation": "modify", "path": "/p/a.py"},
        {"operation": "add", "path": "/p/new.py"},
        {"operation": "move", "path": "/p/to", "oldPath": "/p/from"},
        {"operation": "delete", "path": "/p/gone", "fileType": "binary"},
    ]
    content = [
        {"type": "diff", "changes": changes, "patch": {"format": "git_patch", "text": PATCH}}
    ]
    session = await told(("tool_call_update", {"toolCallId": "call-1", "content": content}))
    assert tool(session).content == (
        FileChange("/p/to", "move", "/p/from"),
        FileChange("/p/gone", "delete", file_type="binary"),
        Diff("/p/a.py", "one\ntwo\nthree\n", "one\nTWO\nthree\n"),
        Diff("/p/a.py", "ten", "ten\neleven\n"),
        Diff("/p/new.py", None, "new\n"),
    )


async def test_c2_023_a_name_in_a_patch_is_written_as_git_does() -> None:
    text = '--- /dev/null\n+++ "/p/t\\303\\274r \\"x\\" \\\\ \\t日"\n@@ -0,0 +1 @@\n+/etc/passwd\n'
    changes = [{"operation": "add", "path": '/p/tür "x" \\ \t日', "fileType": "symlink"}]
    content = [{"type": "diff", "changes": changes, "patch": {"format": "git_patch", "text": text}}]
    session = await told(("tool_call_update", {"toolCallId": "call-1", "content": content}))
    assert tool(session).content == (
        FileChange('/p/tür "x" \\ \t日', "add", file_type="symlink"),
        Diff('/p/tür "x" \\ \t日', None, "/etc/passwd\n"),
    )


def data(raw: bytes) -> str:
    """Return bytes as they go over the wire."""
    return b64encode(raw).decode()


async def test_c2_024_a_terminal_is_told_in_bytes_that_are_cut_anywhere() -> None:
    raw = "größe\n".encode()
    anchor = [{"type": "terminal", "terminalId": "t"}]
    session = await told(
        ("terminal_update", {"terminalId": "t", "command": "make", "output": {"data": ""}}),
        ("tool_call_update", {"toolCallId": "call-1", "content": anchor}),
        ("terminal_output_chunk", {"terminalId": "t", "data": data(raw[:3])}),
        ("terminal_output_chunk", {"terminalId": "t", "data": data(raw[3:])}),
        ("terminal_output_chunk", {"terminalId": "t", "data": "no base64!"}),
        ("terminal_update", {"terminalId": "t", "exitStatus": {"exitCode": 2**40}}),
    )
    (terminal,) = tool(session).terminals
    assert (terminal.command, terminal.tail) == ("make", "größe\n")
    assert terminal.exit is not None
    assert terminal.exit.code == 2**40
    session = await told(
        ("terminal_output_chunk", {"terminalId": "t", "data": data(b"old")}),
        ("terminal_update", {"terminalId": "t", "output": {"data": data(b"new")}}),
        ("terminal_update", {"terminalId": "t", "exitStatus": None}),
    )
    assert session.state.terminals["t"].tail == "new"


async def test_c2_025_a_plan_is_replaced_by_its_id() -> None:
    def plan(name: str, *steps: str) -> tuple[str, dict[str, Any]]:
        entries = [{"content": it, "priority": "low", "status": "cancelled"} for it in steps]
        return "plan_update", {"plan": {"type": "items", "planId": name, "entries": entries}}

    session = await told(plan("p", "one"), plan("p", "two", "three"), plan("q"))
    assert [entry.content for entry in session.state.plan.entries] == ["two", "three"]
    unknown = "plan_update", {"plan": {"type": "_tree", "planId": "p"}}
    session = await told(plan("p", "one"), unknown)
    assert [entry.content for entry in session.state.plan.entries] == ["one"]


async def test_c2_026_commands_and_options_have_their_own_names() -> None:
    option = {
        "configId": "mode",
        "name": "Mode",
        "category": "mode",
        "type": "select",
        "currentValue": "a",
        "options": [{"groupId": "g", "name": "G", "options": [{"value": "a", "name": "A"}]}],
    }
    commands = [
        {
            "type": "command",
            "name": "plan",
            "description": "d",
            "input": {"type": "text", "hint": "h"},
        },
        {"type": "_macro", "name": "go", "description": ""},
        {"type": "command", "name": "has space", "description": ""},
    ]
    session = await told(
        ("config_option_update", {"configOptions": [option, {"type": "_dial"}]}),
        ("available_commands_update", {"availableCommands": commands}),
    )
    assert [(it.id, it.value, it.choices[0].group) for it in session.state.config] == [
        ("mode", "a", "G")
    ]
    assert [(it.name, it.hint) for it in session.state.commands] == [("plan", "h"), ("go", None)]


async def test_c2_027_an_update_that_nobody_knows_harms_nothing() -> None:
    session = await told(
        ("_odd", {"x": 1}),
        ("tool_call_update", {"title": "no id"}),
        ("agent_message", {"messageId": "a", "content": [{"type": "_hologram"}]}),
        ("state_update", {}),
    )
    assert session.state.status == "running"
    assert any(isinstance(entry, Message) for entry in session.state.entries)
