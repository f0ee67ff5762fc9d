"""What the golden files do not show: negotiation, gates, and input of any shape."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_nvim.errors import Code, RequestFailed, UserError
from acp_nvim.protocol.base import MOST_ITEMS, compact
from acp_nvim.protocol.dialect import Dialect
from acp_nvim.protocol.negotiate import choose
from acp_nvim.protocol.records import (
    AgentInfo,
    ClientCapabilities,
    RequestCancelled,
    SessionUpdated,
)
from acp_nvim.protocol.v1.dialect import V1
from acp_nvim.protocol.v2.dialect import V2
from acp_nvim.session.content import Text
from acp_nvim.session.event import (
    UNSET,
    ChunkReceived,
    CommandsReplaced,
    Event,
    InfoChanged,
    ToolCallUpdated,
    Unknown,
)

V = V1()
FILES = ClientCapabilities(read_text_file=True, write_text_file=True)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)

FIELDS = [
    "sessionUpdate",
    "content",
    "type",
    "text",
    "messageId",
    "toolCallId",
    "title",
    "kind",
    "status",
    "locations",
    "path",
    "line",
    "rawInput",
    "rawOutput",
    "entries",
    "availableCommands",
    "name",
    "input",
    "currentModeId",
    "configOptions",
    "options",
    "id",
    "currentValue",
    "updatedAt",
    "used",
    "size",
    "cost",
    "resource",
    "uri",
    "data",
    "mimeType",
]
KINDS = [
    "user_message_chunk",
    "agent_message_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
    "current_mode_update",
    "available_commands_update",
    "config_option_update",
    "session_info_update",
    "usage_update",
    "notice",
]
updates = st.builds(
    lambda kind, fields: {**fields, "sessionUpdate": kind},
    st.sampled_from(KINDS),
    st.dictionaries(
        st.sampled_from(FIELDS),
        json_values | st.lists(st.dictionaries(st.sampled_from(FIELDS), json_values, max_size=5)),
        max_size=8,
    ),
)


def decode_update(params: object) -> tuple[str, tuple[Event, ...]]:
    told = V.decode_notification("session/update", params)
    assert isinstance(told, SessionUpdated)
    return told.session_id, told.events


def update(**fields: Any) -> object:
    _, events = decode_update({"sessionId": "s", "update": fields})
    assert len(events) == 1
    return events[0]


# --- negotiation


def test_c034_a_version_we_speak_is_chosen() -> None:
    assert choose(V, {"protocolVersion": 1}).version == 1


@pytest.mark.parametrize("answered", [99, 0, 2, None, "1", True, [], 1.5])
def test_c034_another_version_is_an_error_that_names_both(answered: object) -> None:
    with pytest.raises(UserError, match="asked for 1"):
        choose(V, {"protocolVersion": answered})


def test_c034_the_error_names_what_the_agent_answered() -> None:
    with pytest.raises(UserError, match="protocol version 99"):
        choose(V, {"protocolVersion": 99})
    with pytest.raises(UserError, match="no protocol version"):
        choose(V, {})


@pytest.mark.parametrize("result", [None, [], "hello", 5])
def test_initialize_answered_with_no_object_is_an_error(result: object) -> None:
    with pytest.raises(UserError, match="does not speak ACP"):
        V.decode_initialize(result)


def test_c048_the_label_is_the_title_else_the_name() -> None:
    assert AgentInfo(1, "name", "Title").label == "Title"
    assert AgentInfo(1, "name").label == "name"
    assert AgentInfo(1).label == ""


# --- updates


@settings(deadline=None, derandomize=True)
@given(json_values)
def test_c133_any_params_decode_without_an_exception(params: object) -> None:
    _, events = decode_update(params)
    assert all(isinstance(event, Unknown) for event in events)


@settings(deadline=None, derandomize=True)
@given(updates)
def test_c133_any_update_decodes_without_an_exception(fields: dict[str, Any]) -> None:
    session_id, events = decode_update({"sessionId": "s", "update": fields})
    assert session_id == "s"
    assert len(events) <= 1


def test_c125_a_message_id_that_is_no_string_is_none() -> None:
    chunk = update(
        sessionUpdate="agent_message_chunk", content={"type": "text", "text": "x"}, messageId=1
    )
    assert chunk == ChunkReceived("agent", Text("x"))


@pytest.mark.parametrize("content", [None, "text", [], 5])
def test_c133_a_chunk_without_a_block_is_unknown(content: object) -> None:
    event = update(sessionUpdate="agent_message_chunk", content=content)
    assert isinstance(event, Unknown)


@pytest.mark.parametrize("kind", ["diff", "terminal"])
def test_c131_what_belongs_into_tools_is_no_message(kind: str) -> None:
    content = {"type": kind, "path": "/p", "newText": "", "terminalId": "t"}
    event = update(sessionUpdate="agent_message_chunk", content=content)
    assert isinstance(event, ChunkReceived)
    assert event.content.__class__.__name__ == "UnknownContent"


def test_c134_an_empty_map_is_an_empty_list() -> None:
    event = update(sessionUpdate="available_commands_update", availableCommands={})
    assert event == CommandsReplaced(())


def test_c134_a_required_list_that_is_none_drops_the_update() -> None:
    event = update(sessionUpdate="available_commands_update", availableCommands="x")
    assert isinstance(event, Unknown)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (None, UNSET),
        ({}, UNSET),
        ({"a": [1, "ü"]}, '{"a":[1,"ü"]}'),
        ("ls", "ls"),
        (0, "0"),
        (False, "false"),
        ([], "[]"),
    ],
)
def test_c164_raw_input(raw: object, expected: object) -> None:
    event = update(sessionUpdate="tool_call_update", toolCallId="t", rawInput=raw)
    assert isinstance(event, ToolCallUpdated)
    assert event.raw_input == expected


@pytest.mark.parametrize("status", ["cancelled", "done", 5, [], None])
def test_c166_an_unknown_status_changes_nothing(status: object) -> None:
    event = update(sessionUpdate="tool_call_update", toolCallId="t", status=status)
    assert event == ToolCallUpdated("t")


def test_c273_bad_values_of_a_patch_change_nothing() -> None:
    assert update(sessionUpdate="session_info_update", title=5) == InfoChanged()


def test_raw_text_of_what_is_nested_too_deeply_is_a_note() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert compact(deep) == "(nested too deeply)"


# --- asks


def test_c041_what_is_not_advertised_is_not_served() -> None:
    for method in ("fs/read_text_file", "fs/write_text_file", "terminal/create", "craft/x"):
        with pytest.raises(RequestFailed) as failure:
            V.decode_request(method, {}, ClientCapabilities())
        assert failure.value.code == Code.METHOD_NOT_FOUND


def test_c180_permission_is_always_served() -> None:
    params = {
        "sessionId": "s",
        "toolCall": {"toolCallId": "t"},
        "options": [{"optionId": "o", "name": "O", "kind": "allow_once"}],
    }
    assert V.decode_request("session/request_permission", params, ClientCapabilities())


@pytest.mark.parametrize(
    "method", ["session/request_permission", "fs/read_text_file", "fs/write_text_file"]
)
@settings(deadline=None, derandomize=True)
@given(params=json_values)
def test_any_params_of_an_ask_decode_or_fail_politely(method: str, params: object) -> None:
    with pytest.raises(RequestFailed) as failure:
        V.decode_request(method, params, FILES)
    assert failure.value.code == Code.INVALID_PARAMS
    assert method in failure.value.message


def test_a_path_with_a_nul_is_refused() -> None:
    with pytest.raises(RequestFailed, match="NUL"):
        V.decode_request("fs/read_text_file", {"sessionId": "s", "path": "/a\0b"}, FILES)


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"requestId": 7}, 7),
        ({"requestId": "7"}, "7"),
        ({"requestId": None}, None),
        ({"requestId": 1.5}, None),
        ({}, None),
        (None, None),
    ],
)
def test_c153_the_id_of_a_cancelled_request_keeps_its_type(
    params: object, expected: object
) -> None:
    told = V.decode_notification("$/cancel_request", params)
    assert told == RequestCancelled(expected)


# --- results


@pytest.mark.parametrize("result", [None, {}, [], "x"])
def test_c088_a_load_without_an_object_is_a_success(result: object) -> None:
    assert V.decode_session("session/load", result, "s").session_id == "s"


def test_the_id_asked_for_wins_over_the_one_answered() -> None:
    assert V.decode_session("session/load", {"sessionId": "other"}, "s").session_id == "s"


@settings(deadline=None, derandomize=True)
@given(json_values)
def test_any_prompt_result_has_a_stop_reason(result: object) -> None:
    told = V.decode_prompt(result)
    assert told.stop_reason


def test_warming_twice_is_fine() -> None:
    V.warm()
    V.warm()


@pytest.mark.parametrize("dialect", [V1(), V2()])
def test_of_a_long_list_so_many_items_are_taken(dialect: Dialect) -> None:
    """No other thread runs while pydantic looks at a list: 300,000 places took 1.2 seconds."""
    listed = [{"sessionId": f"s{number}", "cwd": "/a"} for number in range(MOST_ITEMS + 1)]
    assert len(dialect.decode_sessions({"sessions": listed}).sessions) == MOST_ITEMS
    update = {
        "sessionUpdate": "tool_call" if isinstance(dialect, V1) else "tool_call_update",
        "toolCallId": "c",
        "title": "t",
        "locations": [{"path": "/a"}] * (MOST_ITEMS + 1),
    }
    told = dialect.decode_notification("session/update", {"sessionId": "s", "update": update})
    assert isinstance(told, SessionUpdated)
    (event,) = told.events
    assert isinstance(event, ToolCallUpdated)
    assert event.locations is not UNSET
    assert len(event.locations) == MOST_ITEMS


def test_more_variables_of_a_command_are_refused() -> None:
    """They took the square of their number: 250,000 were never done."""
    params = {"sessionId": "s", "command": "a", "env": [{"name": "A", "value": ""}] * 10_001}
    with pytest.raises(RequestFailed, match="env"):
        V.decode_request("terminal/create", params, ClientCapabilities(terminal=True))
