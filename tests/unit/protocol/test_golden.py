"""Each golden file is one message of the wire; what it must mean stands here, claimed by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import acp.schema
import pytest
from msgspec.structs import replace

from acp_nvim.errors import Code, RequestFailed, UserError
from acp_nvim.protocol.records import (
    AgentCapabilities,
    AgentInfo,
    AuthMethod,
    AuthStatus,
    ClientCapabilities,
    RequestCancelled,
    SessionPage,
    SessionUpdated,
)
from acp_nvim.protocol.v1.dialect import V1
from acp_nvim.session.content import (
    Audio,
    Diff,
    Image,
    Resource,
    ResourceLink,
    TerminalOutput,
    Text,
    UnknownContent,
)
from acp_nvim.session.elicitation.model import (
    BooleanField,
    ChoiceField,
    ChoicesField,
    Elicitation,
    Form,
    Link,
    NumberField,
    Option,
    TextField,
    UnsupportedField,
)
from acp_nvim.session.event import (
    ChunkReceived,
    CommandsReplaced,
    CompactionUpdated,
    ConfigReplaced,
    Event,
    InfoChanged,
    MessageExchanged,
    ModeChanged,
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
    Command,
    ConfigChoice,
    ConfigOption,
    Cost,
    ListedSession,
    Location,
    Mode,
    PermissionOption,
    PlanEntry,
    RateLimit,
)
from acp_nvim.session.request import (
    CreateTerminalRequest,
    ElicitationRequest,
    KillTerminalRequest,
    PermissionRequest,
    ReadFileRequest,
    ReleaseTerminalRequest,
    TerminalOutputRequest,
    WaitForTerminalRequest,
    WriteFileRequest,
)
from acp_nvim.session.terminal import ExitStatus

GOLDEN = Path(__file__).parents[2] / "golden" / "v1"
FILES = ClientCapabilities(read_text_file=True, write_text_file=True, terminal=True)
SERVED = replace(FILES, elicitation_form=True, elicitation_url=True)
V1_DIALECT = V1()


def message(name: str) -> dict[str, Any]:
    return dict(json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8")))


def said(content: Any) -> tuple[Event, ...]:
    return (ChunkReceived("agent", content),)


MODEL = ConfigOption(
    "model",
    "Model",
    "select",
    "a",
    "model",
    None,
    (ConfigChoice("a", "A", "fast"), ConfigChoice("b", "B")),
)
THINKING = ConfigOption(
    "think",
    "Thinking",
    "select",
    "hi",
    choices=(ConfigChoice("lo", "lo", group="Low"), ConfigChoice("hi", "hi", group="High")),
)
WEB = ConfigOption("web", "Web", "boolean", True, description="Search the web")

UPDATES: dict[str, tuple[Event, ...]] = {
    "user_message_chunk": (ChunkReceived("user", Text("explain this"), "m0"),),
    "agent_message_chunk": (ChunkReceived("agent", Text("Hello, **world**"), "m1"),),
    "agent_message_chunk_without_id": said(Text("x")),
    "agent_message_chunk_empty": (),
    "agent_thought_chunk": (ChunkReceived("thought", Text("let me see")),),
    "chunk_image": said(Image("iVBORw0KGgo=", "image/png", "file:///p/a.png")),
    "chunk_audio": said(Audio("UklGRg==", "audio/wav")),
    "chunk_resource_link": said(
        ResourceLink("file:///p/a.py", "a.py", "text/x-python", "A", "the A", 12)
    ),
    "chunk_resource_text": said(
        Resource("file:///p/a.py", text="pass\n", mime_type="text/x-python")
    ),
    "chunk_resource_blob": said(Resource("file:///p/a.bin", blob="AAE=")),
    "chunk_unknown_block": said(UnknownContent("_x", '{"type":"_x","n":1}')),
    "chunk_broken_block": said(UnknownContent("image", '{"type":"image","data":5}')),
    "tool_call": (
        ToolCallUpdated(
            "t1",
            "Read a.py",
            "read",
            "pending",
            (),
            (Location("/p/a.py", 3),),
            '{"path":"/p/a.py"}',
        ),
    ),
    "tool_call_minimal": (ToolCallUpdated("t2", "Think"),),
    "tool_call_lenient": (ToolCallUpdated("t3", "Go", kind="other", locations=(Location("/a"),)),),
    "tool_call_update_status": (ToolCallUpdated("t1", status="completed"),),
    "tool_call_update_nulls": (ToolCallUpdated("t1"),),
    "tool_call_update_cleared": (ToolCallUpdated("t1", content=(), locations=()),),
    "tool_call_update_raw": (
        ToolCallUpdated("t1", raw_input="ls -l", raw_output='[1,{"ü":null}]'),
    ),
    "tool_content": (
        ToolCallUpdated("t1", content=(Text("done"), ResourceLink("file:///p/b", "b"))),
    ),
    "tool_content_diff": (
        ToolCallUpdated(
            "t1",
            content=(
                Diff("/p/a.py", "a\n", "b\n"),
                Diff("/p/n.py", None, "n\n"),
                Diff("/p/m.py", None, ""),
            ),
        ),
    ),
    "tool_content_terminal": (ToolCallUpdated("t1", content=(TerminalOutput("term-1"),)),),
    "tool_content_bare_block": (
        ToolCallUpdated(
            "t1", content=(Text("1. plan"), UnknownContent("hologram", '{"type":"hologram"}'))
        ),
    ),
    "plan": (
        PlanReplaced(
            (PlanEntry("look", "high", "completed"), PlanEntry("do", "medium", "in_progress"))
        ),
    ),
    "plan_lenient": (
        PlanReplaced((PlanEntry("wait", "urgent", "blocked"), PlanEntry("x", "medium", "pending"))),
    ),
    "plan_empty": (PlanReplaced(()),),
    "available_commands": (
        CommandsReplaced(
            (
                Command("web", "Search", "query"),
                Command("init", "Begin"),
                Command("mcp:foo (bar)", ""),
            )
        ),
    ),
    "current_mode": (ModeChanged("plan"),),
    "current_mode_legacy": (ModeChanged("code"),),
    "config_option": (ConfigReplaced((MODEL, THINKING, WEB)),),
    "session_info": (InfoChanged("Fix the bug", "2026-08-20T10:00:00Z"),),
    "session_info_cleared": (InfoChanged(title=None),),
    "usage": (UsageChanged(5300, 200000, Cost(0.12, "USD")),),
    "usage_without_cost": (UsageChanged(0, 0),),
    "notice": (Noticed("Slow: the model is busy", "warning"),),
    "notice_other": (Noticed("Hm"),),
    "unknown": (Unknown("mood_update", '{"sessionUpdate":"mood_update","mood":"fine"}'),),
    "plan_items": (PlanReplaced((PlanEntry("dig", "high", "completed"),), "p1"),),
    "plan_markdown": (
        PlanReplaced(
            (
                PlanEntry("# Holes", "medium", ""),
                PlanEntry("dig", "medium", "completed"),
                PlanEntry("fill", "medium", "pending"),
            ),
            "p1",
        ),
    ),
    "plan_file": (PlanReplaced((PlanEntry("file:///p/PLAN.md", "medium", ""),), "p1"),),
    "plan_of_another_type": (
        Unknown(
            "plan_update",
            '{"sessionUpdate":"plan_update","plan":{"type":"_chart","planId":"p1"}}',
        ),
    ),
    "plan_removed": (PlanReplaced((), "p1"),),
    "subagent": (
        SubAgentUpdated(
            "kid",
            "Tests for stats",
            cancellable=True,
            activity="running",
            reported=ReportedState("running"),
            cwd="/p/tests",
        ),
    ),
    "subagent_ended": (
        SubAgentUpdated(
            "kid", activity="failed", reported=ReportedState("idle", "error", "no quota")
        ),
    ),
    "subagent_cleared": (SubAgentUpdated("kid", None, False, "", cwd=None),),
    "session_message": (MessageExchanged("m1", "s1", "kid", (Text("Look"),)),),
    "session_message_chunk": (MessageExchanged("m1", more=(Text("Look"),)),),
    "compaction": (
        CompactionUpdated(
            "c1", "completed", (Text("We dug."), ResourceLink("file:///p/PLAN.md", "PLAN.md"))
        ),
    ),
    "compaction_failed": (CompactionUpdated("c1", "failed", error="too long"),),
    "compaction_cleared": (CompactionUpdated("c1", "_paused", (), error=None),),
    "compaction_lenient": (
        CompactionUpdated("c1", "completed", (Text("We dug."),), error="too long"),
    ),
    "compaction_goes_on": (CompactionUpdated("c1", "in_progress"),),
    "compaction_summary_chunk": (CompactionUpdated("c1", more=(Text("We"),)),),
    "tool_call_name_null": (ToolCallUpdated("t1", status="in_progress"),),
    "usage_limits": (
        UsageChanged(
            45196,
            200000,
            limits=(RateLimit("five_hour", 0.78, 1791141000), RateLimit("seven_day", 0.02)),
        ),
    ),
    "usage_credits": (UsageChanged(10, 100, Cost(12, "credits")),),
    "tool_call_name": (ToolCallUpdated("t1", "", name="read_file"),),
    "tool_call_in_another": (ToolCallUpdated("t2", "Read a.py", parent="t1"),),
    "tool_call_in_another_too": (ToolCallUpdated("t2", "Read a.py", parent="t1"),),
    "tool_call_terminal_told": (
        TerminalUpdated("own"),
        TerminalUpdated("t1", more="by the call's id"),
        TerminalUpdated("own", more="hi\n"),
        TerminalUpdated("own", exit=ExitStatus(signal="SIGKILL")),
        ToolCallUpdated("t1", status="completed"),
    ),
    "malformed": (Unknown("tool_call", '{"sessionUpdate":"tool_call","title":"no id"}'),),
    "extra_fields": said(Text("hi")),
    "without_session": (Unknown("", "{}"),),
}

ALLOW = PermissionOption("a1", "Allow once", "allow_once")
ALWAYS = PermissionOption("aa", "Allow always", "allow_always")
REJECT = PermissionOption("r1", "Reject", "reject_once")

ASKS = {
    "elicitation_form": ElicitationRequest(
        Elicitation(
            "Who are you?",
            Form(
                (
                    TextField(name="name", title="Name", required=True, minimum=1, format="email"),
                    NumberField(name="age", title="age", integer=True, minimum=0, maximum=150),
                    NumberField(name="height", title="height", default=1.8),
                    BooleanField(name="news", title="news", default=False),
                    ChoiceField(
                        name="size", title="size", options=(Option("s", "Small"),), default="s"
                    ),
                    ChoicesField(
                        name="tags",
                        title="tags",
                        options=(Option("a", "a"), Option("b", "b")),
                        maximum=1,
                    ),
                    UnsupportedField(name="place", title="Where", type="_location"),
                ),
                "You",
            ),
        ),
        "s1",
        "t1",
    ),
    "elicitation_url": ElicitationRequest(
        Elicitation("Log in", Link("e1", "https://example.com/login")), request_id=3
    ),
    "permission": PermissionRequest(
        "s1",
        ToolCallUpdated(
            "t1", "rm -rf build", "execute", "pending", raw_input='{"command":"rm -rf build"}'
        ),
        (ALLOW, ALWAYS, REJECT),
    ),
    "permission_only_id": PermissionRequest("s1", ToolCallUpdated("t1"), (ALLOW,)),
    "permission_odd_options": PermissionRequest(
        "s1",
        ToolCallUpdated("t1"),
        (PermissionOption("x", "Kindless", "other"), PermissionOption("y", "Odd", "maybe")),
    ),
    "permission_plan": PermissionRequest(
        "s1",
        ToolCallUpdated("t9", "Ready to code?", "switch_mode", content=(Text("## The plan"),)),
        (REJECT,),
    ),
    "read": ReadFileRequest("s1", "/p/a.py"),
    "read_window": ReadFileRequest("s1", "/p/a.py", 10, 5),
    "read_lenient": ReadFileRequest("s1", "/p/ü b.py"),
    "write": WriteFileRequest("s1", "/p/new/a.py", "x\r\n"),
    "terminal_create": CreateTerminalRequest(
        "s1", "npm", ("test", "--", "a b"), (("CI", "1"),), "/p", 100
    ),
    "terminal_create_lenient": CreateTerminalRequest("s1", "npm test"),
    "terminal_output": TerminalOutputRequest("s1", "term 1"),
    "terminal_wait_for_exit": WaitForTerminalRequest("s1", "term 1"),
    "terminal_kill": KillTerminalRequest("s1", "term 1"),
    "terminal_release": ReleaseTerminalRequest("s1", "term 1"),
}

BAD = {
    "elicitation_mode": (Code.INVALID_PARAMS, "mode"),
    "permission_empty": (Code.INVALID_PARAMS, "options"),
    "permission_no_list": (Code.INVALID_PARAMS, "options"),
    "permission_no_tool_call": (Code.INVALID_PARAMS, "toolCall"),
    "read_relative": (Code.INVALID_PARAMS, "path"),
    "read_line": (Code.INVALID_PARAMS, "line"),
    "read_limit": (Code.INVALID_PARAMS, "limit"),
    "terminal_args": (Code.INVALID_PARAMS, "args"),
    "terminal_args_map": (Code.INVALID_PARAMS, "args"),
    "terminal_env": (Code.INVALID_PARAMS, "env"),
    "terminal_cwd": (Code.INVALID_PARAMS, "cwd"),
    "terminal_limit": (Code.INVALID_PARAMS, "outputByteLimit"),
    "write_without_content": (Code.INVALID_PARAMS, "content"),
    "terminal_unknown": (Code.METHOD_NOT_FOUND, "terminal/resize"),
    "terminal_relative": (Code.INVALID_PARAMS, "cwd"),
    "terminal_without_id": (Code.INVALID_PARAMS, "terminalId"),
}

INITIALIZED = {
    "full": AgentInfo(
        1,
        "tutor",
        "The tutor",
        "1.0",
        replace(
            AgentCapabilities(**dict.fromkeys(AgentCapabilities.__slots__, True)),
            mcp=frozenset({"stdio", "http", "sse"}),
        ),
        (
            AuthMethod("oauth", "Log in", "in the browser"),
            AuthMethod("tty", "Terminal", None, "terminal", ("--login",), (("A", "b"),)),
        ),
        steering=True,
        raw_capabilities=message("initialize_full")["result"]["agentCapabilities"],
    ),
    "minimal": AgentInfo(1),
    "lenient": AgentInfo(
        1,
        "x",
        auth_methods=(AuthMethod("a", "A"), AuthMethod("k", "K")),
        raw_capabilities=message("initialize_lenient")["result"]["agentCapabilities"],
    ),
}

MODES = (Mode("ask", "Ask", "first"), Mode("code", "Code"))
LEGACY = ConfigOption(
    "model",
    "Model",
    "select",
    "a/1",
    "model",
    choices=(ConfigChoice("a/1", "A One", "fast"), ConfigChoice("b", "B")),
    way="set_model",
)

SESSIONS = {
    "new": ("session/new", None, SessionOpened("s 1/ü", MODES, "ask", (MODEL,))),
    "new_minimal": ("session/new", None, SessionOpened("s1", config=())),
    "new_lenient": ("session/new", None, SessionOpened("s1", config=())),
    "new_models": ("session/new", None, SessionOpened("s1", config=(), models=LEGACY)),
    "load_null": ("session/load", "s9", SessionOpened("s9")),
    "load": ("session/load", "s9", SessionOpened("s9", MODES, "ask")),
    "fork": ("session/fork", None, SessionOpened("s2", MODES, "ask", config=())),
}

PROMPTS = {
    "end_turn": "end_turn",
    "max_tokens": "max_tokens",
    "max_turn_requests": "max_turn_requests",
    "refusal": "refusal",
    "cancelled": "cancelled",
    "unknown_reason": "tired",
    "without_reason": "end_turn",
    "usage": "end_turn",
}

ERRORS = {
    "auth_required": Code.AUTH_REQUIRED,
    "resource_not_found": Code.RESOURCE_NOT_FOUND,
    "internal": Code.INTERNAL_ERROR,
    "cancelled": Code.REQUEST_CANCELLED,
}

CLAIMED = {
    *(f"update_{name}" for name in UPDATES),
    *(f"ask_{name}" for name in ASKS),
    *(f"bad_{name}" for name in BAD),
    *(f"initialize_{name}" for name in INITIALIZED),
    *(f"session_{name}" for name in SESSIONS),
    *(f"prompt_{name}" for name in PROMPTS),
    *(f"error_{name}" for name in ERRORS),
    "session_new_without_id",
    "sessions_page",
    "cancel_request",
    "auth_status",
    "auth_status_update",
    "set_title",
    "steering_injected",
    "steering_over",
}


def test_every_golden_file_is_claimed_and_every_claim_has_a_file() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == CLAIMED


@pytest.mark.parametrize("name", UPDATES)
def test_update(name: str) -> None:
    expected_session = "" if name == "without_session" else "s1"
    told = message(f"update_{name}")
    decoded = V1_DIALECT.decode_notification(told["method"], told["params"])
    assert decoded == SessionUpdated(expected_session, UPDATES[name])


@pytest.mark.parametrize("name", ASKS)
def test_ask(name: str) -> None:
    request = message(f"ask_{name}")
    assert V1_DIALECT.decode_request(request["method"], request["params"], SERVED) == ASKS[name]


@pytest.mark.parametrize("name", BAD)
def test_request_that_cannot_be_served(name: str) -> None:
    request = message(f"bad_{name}")
    code, word = BAD[name]
    with pytest.raises(RequestFailed) as failure:
        V1_DIALECT.decode_request(request["method"], request["params"], FILES)
    assert failure.value.code == code
    assert word in failure.value.message


@pytest.mark.parametrize("name", INITIALIZED)
def test_initialize_result(name: str) -> None:
    decoded = V1_DIALECT.decode_initialize(message(f"initialize_{name}")["result"])
    assert decoded == INITIALIZED[name]


@pytest.mark.parametrize("name", SESSIONS)
def test_session_result(name: str) -> None:
    method, session_id, expected = SESSIONS[name]
    result = message(f"session_{name}")["result"]
    assert V1_DIALECT.decode_session(method, result, session_id) == expected


def test_a_new_session_without_an_id_is_an_error() -> None:
    with pytest.raises(UserError, match="session/new has no sessionId"):
        V1_DIALECT.decode_session("session/new", message("session_new_without_id")["result"])


def test_a_page_of_sessions() -> None:
    decoded = V1_DIALECT.decode_sessions(message("sessions_page")["result"])
    fixed = ListedSession("s1", "/work", "Fix it", "2025-10-29T14:22:15Z", ("/lib",))
    others = ListedSession("s2", "/work"), ListedSession("no cwd", "")
    assert decoded == SessionPage((fixed, *others), "eyJwYWdlIjogMn0=")


@pytest.mark.parametrize("name", PROMPTS)
def test_prompt_result(name: str) -> None:
    told = V1_DIALECT.decode_prompt(message(f"prompt_{name}")["result"])
    assert told.stop_reason == PROMPTS[name]


def test_tokens_of_a_turn() -> None:
    assert V1_DIALECT.decode_prompt(message("prompt_usage")["result"]).tokens == 120
    for odd in (None, {}, {"usage": 5}, {"usage": {"totalTokens": -1}}):
        assert V1_DIALECT.decode_prompt(odd).tokens is None


@pytest.mark.parametrize("name", ERRORS)
def test_error(name: str) -> None:
    assert Code(message(f"error_{name}")["error"]["code"]) is ERRORS[name]


def test_cancel_request() -> None:
    told = message("cancel_request")
    decoded = V1_DIALECT.decode_notification(told["method"], told["params"])
    assert decoded == RequestCancelled(7)


def test_whether_the_agent_is_logged_in() -> None:
    told = V1_DIALECT.decode_auth_status(message("auth_status")["result"])
    assert told == AuthStatus("authenticated", ("me@example.com", "home"))
    update = message("auth_status_update")
    decoded = V1_DIALECT.decode_notification(update["method"], update["params"])
    assert decoded == AuthStatus("unauthenticated")
    for odd in (None, {}, {"state": 5}, {"state": "unknown", "accounts": 5}):
        assert V1_DIALECT.decode_auth_status(odd) == AuthStatus("unknown")


def test_a_title_as_the_agent_keeps_it() -> None:
    assert V1_DIALECT.decode_title(message("set_title")["result"]) == "Fix it"
    assert [V1_DIALECT.decode_title(odd) for odd in (None, {}, {"title": 5})] == [None] * 3


def test_what_became_of_text_for_the_running_turn() -> None:
    assert V1_DIALECT.decode_steered(message("steering_injected")["result"])
    assert not V1_DIALECT.decode_steered(message("steering_over")["result"])


@pytest.mark.parametrize(
    "name",
    [
        "user_message_chunk",
        "agent_message_chunk",
        "agent_thought_chunk",
        "tool_call",
        "tool_call_update_status",
        "tool_content",
        "tool_content_diff",
        "plan",
        "current_mode",
        "session_info",
        "usage",
    ],
)
def test_well_formed_golden_updates_are_what_the_official_sdk_takes_too(name: str) -> None:
    acp.schema.SessionNotification.model_validate(message(f"update_{name}")["params"])
