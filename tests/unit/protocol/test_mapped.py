"""An agent that knows files by other names: every path of the protocol is exchanged, both ways."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.errors import Code, RequestFailed, UserError
from acp_nvim.paths import SAME, Paths
from acp_nvim.protocol import mapped as module
from acp_nvim.protocol.dialect import Dialect
from acp_nvim.protocol.mapped import mapped
from acp_nvim.protocol.records import Call, ClientCapabilities
from acp_nvim.protocol.v1.dialect import V1
from acp_nvim.protocol.v2.dialect import V2
from acp_nvim.session.content import Content, Image, Resource, ResourceLink, Text
from acp_nvim.session.event import ChunkReceived
from acp_nvim.session.request import CreateTerminalRequest
from tests.support.schema import SCHEMA, SCHEMAS, UNSTABLE

BOX = Paths.of("box", {"/there": "/here"}, lambda path: path)
ALL = ClientCapabilities(
    read_text_file=True, write_text_file=True, terminal=True, elicitation_form=True
)
V: dict[int, Dialect] = {1: V1(), 2: V2()}
BLOCKS: tuple[Content, ...] = (
    Text("see /here/a and file:///here/a"),
    Image("aGk=", "image/png", "file:///here/a.png"),
    Resource("file:///here/a%20b#L2", text="/here"),
    Resource("file:///here/c", blob="aGk="),
    ResourceLink("file:///here/%C3%BC", "/here"),
)

NAMES = {"path", "oldPath", "cwd", "uri", "additionalDirectories"}
"""What the schemas call paths, folders and addresses of files."""

NOT_READ = {
    "SubagentUpdate.additionalDirectories",
    "TerminalUpdate.cwd",
}
"""What this client does not take from an agent."""

SENT: dict[str, Callable[[Dialect, str], Call]] = {
    "NewSessionRequest.cwd": lambda it, f: it.new_session(f"{f}/p"),
    "NewSessionRequest.additionalDirectories": lambda it, f: it.new_session(f, (), [f, f"{f}/x"]),
    "LoadSessionRequest.cwd": lambda it, f: it.load_session("s", f"{f}/p"),
    "LoadSessionRequest.additionalDirectories": lambda it, f: it.load_session("s", f, (), [f]),
    "ResumeSessionRequest.cwd": lambda it, f: it.resume_session("s", f),
    "ResumeSessionRequest.additionalDirectories": lambda it, f: it.resume_session("s", f, (), [f]),
    "ForkSessionRequest.cwd": lambda it, f: it.fork_session("s", f),
    "ForkSessionRequest.additionalDirectories": lambda it, f: it.fork_session("s", f, (), [f]),
    "ListSessionsRequest.cwd": lambda it, f: it.list_sessions(f, "next"),
}
"""The calls with a path of ours in them, by the field that it goes into."""


def update(**told: Any) -> tuple[str, Any]:
    return "session/update", {"sessionId": "s", "update": told}


def chunk(**content: Any) -> tuple[str, Any]:
    return update(sessionUpdate="agent_message_chunk", messageId="m", content=content)


def call(*content: Any, **more: Any) -> tuple[str, Any]:
    kind = {"sessionUpdate": "tool_call_update", "toolCallId": "t"}
    return update(**kind, **({"content": list(content)} if content else {}), **more)


def ask(method: str, **params: Any) -> tuple[str, Any]:
    return method, {"sessionId": "s", **params}


ASKED = {"options": [{"optionId": "y", "name": "Y", "kind": "allow_once"}]}
CONTENT = {
    "ImageContent.uri": {
        "type": "image",
        "data": "aGk=",
        "mimeType": "image/png",
        "uri": "file:///there/a.png",
    },
    "ResourceLink.uri": {"type": "resource_link", "uri": "file:///there/a%20b", "name": "a"},
    "TextResourceContents.uri": {
        "type": "resource",
        "resource": {"uri": "file:///there/a#L2", "text": "x"},
    },
    "BlobResourceContents.uri": {
        "type": "resource",
        "resource": {"uri": "file:///there/a", "blob": "aGk="},
    },
}
PATCH = "--- /dev/null\n+++ /there/new\n@@ -0,0 +1 @@\n+x\n"
SESSION = {"sessionId": "s", "cwd": "/there/p", "additionalDirectories": ["/there", "/etc"]}

TOLD: dict[str, dict[int, tuple[str, Any]]] = {
    **{field: {1: chunk(**content), 2: chunk(**content)} for field, content in CONTENT.items()},
    "ToolCallLocation.path": dict.fromkeys(
        V, call(locations=[{"path": "/there/a", "line": 3}, {"path": "/etc/hosts"}])
    ),
    "Diff.path": {1: call({"type": "diff", "path": "/there/a", "oldText": "a", "newText": "b"})},
    "DiffPathChange.path": {
        2: call(
            {
                "type": "diff",
                "changes": [{"operation": "add", "path": "/there/new"}],
                "patch": {"format": "git_patch", "text": PATCH},
            }
        )
    },
    "DiffPathPairChange.path": {
        2: call(
            {
                "type": "diff",
                "changes": [{"operation": "move", "path": "/there/b", "oldPath": "/there/a"}],
            }
        )
    },
    "CommandPermissionSubject.cwd": {
        2: ask(
            "session/request_permission",
            title="Run?",
            subject={"type": "command", "command": "make", "cwd": "/there/p"},
            **ASKED,
        )
    },
    "ReadTextFileRequest.path": {1: ask("fs/read_text_file", path="/there/a")},
    "WriteTextFileRequest.path": {1: ask("fs/write_text_file", path="/there/a", content="/t")},
    "CreateTerminalRequest.cwd": {1: ask("terminal/create", command="ls", cwd="/there/p")},
    "PlanFile.uri": {
        1: update(
            sessionUpdate="plan_update",
            plan={"type": "file", "planId": "p", "uri": "file:///there/PLAN.md"},
        )
    },
    "SubagentUpdate.cwd": dict.fromkeys(
        V, update(sessionUpdate="subagent_update", sessionId="kid", cwd="/there/p")
    ),
    "SessionInfo.cwd": dict.fromkeys(V, ("session/list", {"sessions": [SESSION]})),
}
"""Messages with paths of the agent's in them, by the field and the version."""
TOLD["DiffPathPairChange.oldPath"] = TOLD["DiffPathPairChange.path"]
TOLD["SessionInfo.additionalDirectories"] = TOLD["SessionInfo.cwd"]


def fields(schema: Path) -> Iterator[str]:
    for name, definition in json.loads(schema.read_text("utf-8"))["$defs"].items():
        yield from (f"{name}.{field}" for field in _properties(definition))


def _properties(node: object) -> Iterator[str]:
    if isinstance(node, list):
        for item in node:
            yield from _properties(item)
    elif isinstance(node, dict):
        own = node.get("properties")
        yield from own if isinstance(own, dict) else ()
        for value in node.values():
            yield from _properties(value)


def decoded(dialect: Dialect, method: str, params: Any) -> object:
    if method == "session/list":
        return dialect.decode_sessions(params)
    if method == "session/update":
        return dialect.decode_notification(method, params)
    return dialect.decode_request(method, params, ALL)


def moved(value: Any) -> Any:
    return json.loads(json.dumps(value).replace("/there", "/here"))


@pytest.mark.parametrize("schema", [SCHEMA, UNSTABLE, SCHEMAS[2]], ids=lambda it: it.stem)
def test_every_path_of_the_schema_is_claimed(schema: Path) -> None:
    """One that comes new is to be exchanged, or to be named as one that is not read."""
    found = {it for it in fields(schema) if it.partition(".")[2] in NAMES}
    capability = {"SessionCapabilities.additionalDirectories"}  # whether there may be some
    assert found - capability <= NOT_READ | SENT.keys() | TOLD.keys()


@pytest.mark.parametrize("version", V)
@pytest.mark.parametrize("field", SENT)
def test_what_is_sent_has_the_agents_names(field: str, version: int) -> None:
    box = mapped(V[version], BOX)
    assert SENT[field](box, "/here") == SENT[field](V[version], "/there")
    with pytest.raises(UserError, match=r"box does not see /home.* agents\.box\.paths"):
        SENT[field](box, "/home")


@pytest.mark.parametrize(
    ("field", "version"), [(field, version) for field in TOLD for version in TOLD[field]]
)
def test_what_is_told_has_our_names(field: str, version: int) -> None:
    method, params = TOLD[field][version]
    found = decoded(mapped(V[version], BOX), method, params)
    assert found == decoded(V[version], method, moved(params))
    assert found != decoded(V[version], method, params)


@pytest.mark.parametrize("version", V)
def test_a_prompt_has_the_agents_names_but_in_its_words(version: int) -> None:
    method, params = mapped(V[version], BOX).prompt("s", BLOCKS)
    text, *others = params["prompt"]
    assert method == "session/prompt"
    assert text["text"] == "see /here/a and file:///here/a"
    assert [it.get("uri") or it["resource"]["uri"] for it in others] == [
        "file:///there/a.png",
        "file:///there/a%20b#L2",
        "file:///there/c",
        "file:///there/%C3%BC",
    ]
    assert params["prompt"][2]["resource"]["text"] == "/here"


def test_where_content_is_in_content_it_is_exchanged_too() -> None:
    parts = list(CONTENT.values())
    for message in (
        update(sessionUpdate="agent_message", messageId="m", content=parts),
        update(
            sessionUpdate="compaction_update", compactionId="c", status="completed", summary=parts
        ),
        call(*({"type": "content", "content": part} for part in parts)),
        update(
            sessionUpdate="tool_call_content_chunk",
            toolCallId="t",
            content={"type": "content", "content": parts[1]},
        ),
        ask(
            "session/request_permission",
            title="May I?",
            subject={
                "type": "tool_call",
                "toolCall": {"toolCallId": "t", "locations": [{"path": "/there/a"}]},
            },
            **ASKED,
        ),
    ):
        method, params = message
        found = decoded(mapped(V[2], BOX), method, params)
        assert found == decoded(V[2], method, moved(params)) != decoded(V[2], method, params)


def test_what_a_tool_is_given_and_gives_back_stays_as_the_agent_wrote_it() -> None:
    told = call(
        rawInput={"path": "/there/a", "command": "rm /there/b"},
        rawOutput="/there/c",
        title="Edit /there/a",
    )
    assert decoded(mapped(V[1], BOX), *told) == decoded(V[1], *told)


@pytest.mark.parametrize(
    ("method", "more"),
    [
        ("fs/read_text_file", {}),
        ("fs/write_text_file", {"content": "x"}),
    ],
)
@pytest.mark.parametrize("path", ["/here/a", "/etc/hosts", "/there/../etc/x", "/thereabout"])
def test_a_file_in_no_common_folder_is_refused_and_paths_named(
    method: str, more: dict[str, Any], path: str
) -> None:
    with pytest.raises(RequestFailed, match=r"agents\.box\.paths \(/there\)") as failed:
        decoded(mapped(V[1], BOX), *ask(method, path=path, **more))
    assert failed.value.code == Code.INVALID_PARAMS
    assert path in failed.value.message


def test_a_command_that_runs_where_the_agent_does_keeps_its_folder() -> None:
    asked = ask("terminal/create", command="ls", cwd="/root")
    with pytest.raises(RequestFailed, match="paths"):
        decoded(mapped(V[1], BOX), *asked)
    found = decoded(mapped(V[1], BOX, commands_there=True), *asked)
    assert found == CreateTerminalRequest("s", "ls", cwd="/root")


def test_an_error_names_files_as_the_agent_does() -> None:
    error = RequestFailed(Code.RESOURCE_NOT_FOUND, "/here/a is gone", {"uri": "file:///here/a"})
    told = mapped(V[1], BOX).encode_failure(error)
    assert (told.code, told.message) == (error.code, "/there/a is gone")
    assert told.data == {"uri": "file:///there/a"}
    assert V[1].encode_failure(error) is error


def test_an_agent_without_paths_is_spoken_to_as_ever() -> None:
    assert mapped(V[1], SAME) is V[1]


def test_what_holds_no_path_is_not_copied() -> None:
    event = ChunkReceived("agent", Text("x"))
    assert module.renamed(event, str.upper, str.upper) is event


def test_all_methods_that_take_paths_or_content_are_its_own() -> None:
    taking = {
        name
        for name, method in inspect.getmembers(Dialect, inspect.isfunction)
        if {"cwd", "blocks", "setup"} & set(inspect.signature(method).parameters)
        if not name.startswith("_")
    }
    assert {"new_session", "load_session", "resume_session", "fork_session"} < taking
    assert taking <= vars(module.Mapped).keys()
    assert mapped(V[2], BOX).version == 2
