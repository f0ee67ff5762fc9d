"""Each golden file of ACP v2 is a message of the wire that the schema allows, and means this.

All that an agent can send or answer in that version stands in one of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from acp_nvim.errors import AgentError
from acp_nvim.protocol import negotiate
from acp_nvim.protocol.records import (
    AgentCapabilities,
    AgentInfo,
    AuthMethod,
    ClientCapabilities,
    ElicitationCompleted,
    RequestCancelled,
    SessionPage,
    SessionUpdated,
    StateTold,
)
from acp_nvim.protocol.v2.dialect import V2
from acp_nvim.session.content import (
    Audio,
    Diff,
    FileChange,
    Image,
    Resource,
    ResourceLink,
    TerminalOutput,
    Text,
    UnknownContent,
)
from acp_nvim.session.elicitation.model import Form, Link
from acp_nvim.session.event import (
    ChunkReceived,
    CommandsReplaced,
    CompactionUpdated,
    ConfigReplaced,
    Event,
    InfoChanged,
    MessageExchanged,
    MessageUpdated,
    Noticed,
    PlanReplaced,
    ReportedState,
    SessionOpened,
    SubAgentUpdated,
    TerminalUpdated,
    ToolCallUpdated,
    Unknown,
    UsageChanged,
)
from acp_nvim.session.model import (
    BackgroundWork,
    Command,
    ConfigChoice,
    ConfigOption,
    Cost,
    ListedSession,
    Location,
    PermissionOption,
    PlanEntry,
    Subject,
)
from acp_nvim.session.request import ElicitationRequest, PermissionRequest
from acp_nvim.session.terminal import ExitStatus
from tests.support.schema import SCHEMAS

GOLDEN = Path(__file__).parents[2] / "golden" / "v2"
SERVED = ClientCapabilities(elicitation_form=True, elicitation_url=True)
V = V2()
HELLO = Text("hello")
MODEL = ConfigOption(
    "model", "Model", "select", "a", "model", choices=(ConfigChoice("a", "A", "fast"),)
)
THINKING = ConfigOption(
    "think", "Thinking", "select", "hi", choices=(ConfigChoice("hi", "hi", group="High"),)
)
WEB = ConfigOption("web", "Web", "boolean", True)
COMMANDS = (Command("plan", "Make a plan", "what for"), Command("go", "Go"))
CHANGES = (
    FileChange("/p/b", "add", file_type="binary", mime_type="image/png"),
    FileChange("/p/c", "delete"),
    FileChange("/p/d", "move", "/p/e"),
    FileChange("/p/f", "copy", "/p/g"),
    FileChange("/p/h", "_odd"),
)

UPDATES: dict[str, Event] = {
    "user_message": MessageUpdated("user", "u1", (HELLO,)),
    "user_message_chunk": ChunkReceived("user", HELLO, "u1"),
    "agent_message": MessageUpdated(
        "agent",
        "a1",
        (
            HELLO,
            Image("AAE=", "image/png", "file:///p/a.png"),
            Audio("AAE=", "audio/wav"),
            ResourceLink("file:///p/a.py", "a.py", "text/x-python", "A", "the A", 12),
            Resource("file:///p/a.py", text="pass\n", mime_type="text/x-python"),
            Resource("file:///p/a.bin", blob="AAE="),
            UnknownContent("_x", '{"type":"_x","n":1}'),
        ),
    ),
    "agent_message_null": MessageUpdated("agent", "a1", ()),
    "agent_message_kept": MessageUpdated("agent", "a1"),
    "agent_message_chunk": ChunkReceived("agent", HELLO, "a1"),
    "agent_thought": MessageUpdated("thought", "t1", (HELLO,)),
    "agent_thought_chunk": ChunkReceived("thought", HELLO, "t1"),
    "tool_call": ToolCallUpdated(
        "t1",
        "Edit a.py",
        "edit",
        "in_progress",
        (
            HELLO,
            *CHANGES,
            Diff("/p/a.py", "one\n", "ONE\n"),
            TerminalOutput("x"),
            UnknownContent("_card", '{"type":"_card"}'),
        ),
        (Location("/p/a.py", 3),),
        '{"path":"a.py"}',
        "done",
        "edit_file",
        cancellable=True,
    ),
    "tool_call_cleared": ToolCallUpdated(
        "t1", "", "other", "pending", (), (), None, None, None, cancellable=False
    ),
    "tool_call_odd": ToolCallUpdated("t1", kind="other", status="in_progress"),
    "tool_call_content_chunk": ToolCallUpdated("t1", more=(HELLO,)),
    "terminal": TerminalUpdated(
        "x", "make", "hi\n", exit=ExitStatus(0), cancellable=True, cwd="/p", size=(80, 24)
    ),
    "terminal_cleared": TerminalUpdated("x", "", "", exit=None),
    "terminal_output_chunk": TerminalUpdated("x", more="ü"),
    "plan": PlanReplaced(
        (PlanEntry("look", "high", "completed"), PlanEntry("drop", "low", "cancelled")), "p1"
    ),
    "plan_markdown": PlanReplaced(
        (
            PlanEntry("# Holes", "medium", ""),
            PlanEntry("dig", "medium", "completed"),
            PlanEntry("fill", "medium", "pending"),
        ),
        "p1",
    ),
    "plan_file": PlanReplaced((PlanEntry("file:///p/PLAN.md", "medium", ""),), "p1"),
    "plan_removed": PlanReplaced((), "p1"),
    "plan_unknown": Unknown(
        "plan_update", '{"sessionUpdate":"plan_update","plan":{"type":"_tree","planId":"p1"}}'
    ),
    "config_options": ConfigReplaced((MODEL, THINKING, WEB)),
    "commands": CommandsReplaced(COMMANDS),
    "info": InfoChanged("T", None),
    "usage": UsageChanged(10, 100, Cost(0.5, "USD")),
    "notice": Noticed("Slow: The net is slow", "warning"),
    "subagent": SubAgentUpdated(
        "kid",
        "Tests for stats",
        cancellable=True,
        activity="running",
        reported=ReportedState("running"),
        cwd="/p/tests",
    ),
    "subagent_ended": SubAgentUpdated(
        "kid", activity="failed", reported=ReportedState("idle", "error", "no quota")
    ),
    "subagent_cleared": SubAgentUpdated("kid", None, False, "", cwd=None),
    "session_message": MessageExchanged("m1", "s1", "kid", (Text("Look"),)),
    "session_message_chunk": MessageExchanged("m1", more=(Text("Look"),)),
    "compaction": CompactionUpdated("c1", "completed", (HELLO,), error=None),
    "compaction_chunk": CompactionUpdated("c1", more=(HELLO,)),
    "unknown": Unknown("_odd", '{"sessionUpdate":"_odd","x":1}'),
}

WORK = (
    BackgroundWork("terminal", "x"),
    BackgroundWork("tool_call", "t1"),
    BackgroundWork("_cron", ""),
)
STATES = {
    "running": StateTold("s1", "running", background=WORK),
    "requires_action": StateTold("s1", "requires_action"),
    "idle": StateTold("s1", "idle", "end_turn"),
    "idle_plain": StateTold("s1", "idle"),
    "error": StateTold("s1", "idle", "error", "no net"),
    "unknown": StateTold("s1", "_dreaming"),
}

YES = (PermissionOption("yes", "Allow", "allow_once"),)
ASKS = {
    "permission_tool_call": PermissionRequest(
        "s1", ToolCallUpdated("t1", "Edit"), YES, "Edit?\nIt is safe"
    ),
    "permission_command": PermissionRequest(
        "s1",
        ToolCallUpdated("t1"),
        YES,
        "Run?",
        Subject("make", (TerminalOutput("x"),), "execute", "/p"),
    ),
    "permission_unknown": PermissionRequest(
        "s1", None, YES, "Cast?", Subject("_spell", (Text('{"type":"_spell"}'),), "other")
    ),
    "permission_plain": PermissionRequest("s1", None, YES, "Go on?"),
}

RESULTS = {
    "initialize": "InitializeResponse",
    "initialize_minimal": "InitializeResponse",
    "session_new": "NewSessionResponse",
    "session_resume": "ResumeSessionResponse",
    "session_list": "ListSessionsResponse",
    "session_delete": "DeleteSessionResponse",
    "session_close": "CloseSessionResponse",
    "set_config_option": "SetSessionConfigOptionResponse",
    "prompt": "PromptResponse",
    "login": "LoginAuthResponse",
    "logout": "LogoutAuthResponse",
    "tool_call_cancel": "CancelToolCallResponse",
    "terminal_cancel": "CancelTerminalResponse",
}
"""The definition of each result."""

CALLS = {
    **dict.fromkeys((f"update_{name}" for name in UPDATES), "UpdateSessionNotification"),
    **dict.fromkeys((f"state_{name}" for name in STATES), "UpdateSessionNotification"),
    **dict.fromkeys((f"ask_{name}" for name in ASKS), "RequestPermissionRequest"),
    "ask_form": "CreateElicitationRequest",
    "ask_link": "CreateElicitationRequest",
    "elicitation_complete": "CompleteElicitationNotification",
    "cancel_request": "CancelRequestNotification",
}
"""The definition of the params of each call."""

ERRORS = {"error_version", "error_session"}

ENVELOPES = {"AgentRequest", "AgentResponse", "AgentNotification"}
"""What a message is, and of no message a part."""
EXTENSIONS = {"ExtRequest", "ExtResponse", "ExtNotification"}
"""Whatever an agent makes up."""


def message(name: str) -> dict[str, Any]:
    return dict(json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8")))


def test_every_golden_file_is_claimed_and_every_claim_has_a_file() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == {*CALLS, *RESULTS, *ERRORS}


@pytest.mark.parametrize("name", UPDATES)
def test_update(name: str) -> None:
    told = V.decode_notification("session/update", message(f"update_{name}")["params"])
    assert told == SessionUpdated("s1", (UPDATES[name],))


@pytest.mark.parametrize("name", STATES)
def test_state(name: str) -> None:
    told = V.decode_notification("session/update", message(f"state_{name}")["params"])
    assert told == STATES[name]


@pytest.mark.parametrize("name", ASKS)
def test_ask(name: str) -> None:
    asked = message(f"ask_{name}")
    assert V.decode_request(asked["method"], asked["params"], SERVED) == ASKS[name]


def test_elicitation() -> None:
    asked = V.decode_request("elicitation/create", message("ask_form")["params"], SERVED)
    assert isinstance(asked, ElicitationRequest)
    assert (asked.session_id, asked.tool_call_id) == ("s1", "t1")
    assert isinstance(asked.elicitation.wanted, Form)
    assert len(asked.elicitation.wanted.fields) == 7
    asked = V.decode_request("elicitation/create", message("ask_link")["params"], SERVED)
    assert isinstance(asked, ElicitationRequest)
    assert asked.elicitation.wanted == Link("e1", "https://x.org/")
    completed = message("elicitation_complete")
    told = V.decode_notification(completed["method"], completed["params"])
    assert told == ElicitationCompleted("e1")


def test_cancel_request() -> None:
    told = V.decode_notification("$/cancel_request", message("cancel_request")["params"])
    assert told == RequestCancelled(7)


def test_initialize() -> None:
    result = message("initialize")["result"]
    assert V.decode_initialize(result) == AgentInfo(
        2,
        "a",
        "The A",
        "1",
        AgentCapabilities(
            load=True,
            list=True,
            resume=True,
            close=True,
            delete=True,
            additional_directories=True,
            image=True,
            audio=True,
            embedded_context=True,
            mcp=frozenset({"stdio", "http"}),
            logout=True,
        ),
        (
            AuthMethod("web", "Web", "in the browser"),
            AuthMethod("tty", "Terminal", None, "terminal", ("--login",), (("A", "b"),)),
            AuthMethod("key", "Key"),
        ),
        raw_capabilities=result["capabilities"],
    )
    bare = V.decode_initialize(message("initialize_minimal")["result"])
    assert bare == AgentInfo(2, "a", version="1", capabilities=AgentCapabilities(mcp=frozenset()))


def test_sessions() -> None:
    new = V.decode_session("session/new", message("session_new")["result"])
    assert new == SessionOpened("s 1", config=(MODEL, THINKING, WEB), commands=COMMANDS)
    again = V.decode_session("session/resume", message("session_resume")["result"], "s1")
    assert again == SessionOpened("s1", config=(MODEL,))
    listed = ListedSession("s1", "/p", "T", "2026-11-01", ("/q",))
    assert V.decode_sessions(message("session_list")["result"]) == SessionPage((listed,), "c")
    assert V.decode_options(message("set_config_option")["result"]) == (MODEL,)


def test_versions_of_an_agent_that_refuses_ours() -> None:
    error = message("error_version")["error"]
    told = AgentError(error["code"], error["message"], error["data"])
    assert negotiate.supported(told) == (1,)


# --- against the schema


@cache
def _definitions() -> dict[str, Any]:
    return dict(json.loads(SCHEMAS[2].read_text(encoding="utf-8"))["$defs"])


def _valid(schema: dict[str, Any], value: object) -> bool:
    validator = Draft202012Validator(schema | {"$defs": _definitions()})
    return bool(validator.is_valid(value))


def _met(schema: object, value: object) -> Iterator[str]:
    """Yield the definitions that a value is an instance of, and those of its parts."""
    if not isinstance(schema, dict):
        return
    if (named := schema.get("$ref", "").rpartition("/")[2]) and _valid(schema, value):
        yield named
        yield from _met(_definitions()[named], value)
    for kind in ("anyOf", "oneOf", "allOf"):
        for branch in schema.get(kind, ()):
            if _valid(branch, value):
                yield from _met(branch, value)
    for part_schema, part in _parts(schema, value):
        yield from _met(part_schema, part)


def _parts(schema: dict[str, Any], value: object) -> Iterator[tuple[object, object]]:
    """Yield the parts of an object or a list, each with what its schema is."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield schema.get("properties", {}).get(name), part
            yield schema.get("additionalProperties"), part
    if isinstance(value, list):
        for part in value:
            yield schema.get("items"), part


def _reachable(name: str, found: set[str]) -> set[str]:
    """Return what the definition is made of, itself among it."""
    if name not in found:
        found.add(name)
        for part in _references(_definitions()[name]):
            _reachable(part, found)
    return found


def _references(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(named := node.get("$ref"), str):
            yield named.rpartition("/")[2]
        for part in node.values():
            yield from _references(part)
    elif isinstance(node, list):
        for part in node:
            yield from _references(part)


def _claims() -> Iterator[tuple[str, str, object]]:
    for name, definition in CALLS.items():
        yield name, definition, message(name)["params"]
    for name, definition in RESULTS.items():
        yield name, definition, message(name)["result"]
    for name in sorted(ERRORS):
        yield name, "Error", message(name)["error"]


def test_every_golden_message_is_what_the_schema_allows() -> None:
    wrong = [
        name
        for name, definition, value in _claims()
        if not _valid({"$ref": f"#/$defs/{definition}"}, value)
    ]
    assert not wrong


def test_every_definition_that_reaches_a_client_is_claimed() -> None:
    wanted: set[str] = set()
    for envelope in ENVELOPES:
        _reachable(envelope, wanted)
    met = {
        found
        for _, definition, value in _claims()
        for found in _met({"$ref": f"#/$defs/{definition}"}, value)
    }
    assert wanted - ENVELOPES - EXTENSIONS - met == set()
