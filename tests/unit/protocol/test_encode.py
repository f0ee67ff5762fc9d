"""What leaves the client is exactly the schema, and what the official SDK understands."""

from __future__ import annotations

from typing import Any

import acp.schema
import pytest
from pydantic import BaseModel

from acp_nvim.config import McpServer, NamedValue
from acp_nvim.protocol.records import Call, ClientCapabilities
from acp_nvim.protocol.v1.dialect import V1
from acp_nvim.session.content import (
    Audio,
    Content,
    Image,
    Resource,
    ResourceLink,
    Text,
    UnknownContent,
)
from acp_nvim.session.request import Answer, FileRead, FileWritten, PermissionAnswer
from tests.support.schema import NotValid, validate_client_message

STDIO = McpServer(
    name="files", command="/bin/mcp", args=("-v",), env=(NamedValue(name="A", value="b"),)
)
HTTP = McpServer(
    name="web", type="http", url="https://x", headers=(NamedValue(name="H", value="v"),)
)
SSE = McpServer(name="old", type="sse", url="https://y")

BLOCKS: tuple[Content, ...] = (
    Text("a\nb\u2028😀"),
    Image("iVBORw0KGgo=", "image/png"),
    Image("iVBORw0KGgo=", "image/png", "file:///p/a.png"),
    Audio("UklGRg==", "audio/wav"),
    ResourceLink("file:///p/a.py", "a.py"),
    ResourceLink("file:///p/a.py", "a.py", "text/x-python", "A", "the A", 12),
    Resource("file:///p/a.py", text="pass\n", mime_type="text/x-python"),
    Resource("file:///p/empty", text=""),
    Resource("file:///p/a.bin", blob="AAE="),
)

V = V1()
EVERYTHING = ClientCapabilities(
    read_text_file=True, write_text_file=True, terminal=True, terminal_login=True
)

REQUESTS: dict[str, tuple[Call, type[BaseModel]]] = {
    "initialize": (
        V.initialize(EVERYTHING, name="acp.nvim", title="acp.nvim", version="0.1.0"),
        acp.schema.InitializeRequest,
    ),
    "new": (V.new_session("/p"), acp.schema.NewSessionRequest),
    "new with all": (
        V.new_session("/p", (STDIO, HTTP, SSE), ("/q", "/p", "/q", "/r")),
        acp.schema.NewSessionRequest,
    ),
    "load": (V.load_session("s1", "/p"), acp.schema.LoadSessionRequest),
    "resume": (V.resume_session("s1", "/p", (STDIO,), ("/q",)), acp.schema.ResumeSessionRequest),
    "close": (V.close_session("s1"), acp.schema.CloseSessionRequest),
    "prompt": (V.prompt("s1", BLOCKS), acp.schema.PromptRequest),
    "authenticate": (V.authenticate("key"), acp.schema.AuthenticateRequest),
    "logout": (V.logout(), acp.schema.LogoutRequest),
    "set_mode": (V.set_mode("s1", "plan"), acp.schema.SetSessionModeRequest),
    "set_option": (
        V.set_option("s1", "model", "big"),
        acp.schema.SetSessionConfigOptionSelectRequest,
    ),
    "set_boolean_option": (
        V.set_option("s1", "web", True),
        acp.schema.SetSessionConfigOptionBooleanRequest,
    ),
}

NOTIFICATIONS: dict[str, tuple[Call, type[BaseModel]]] = {
    "cancel": (V.cancel("s1"), acp.schema.CancelNotification),
    "cancel_request": (V.cancel_request(3), acp.schema.CancelRequestNotification),
}

ANSWERS: dict[str, tuple[Answer, str, type[BaseModel]]] = {
    "selected": (
        PermissionAnswer("allow 1/ü"),
        "session/request_permission",
        acp.schema.RequestPermissionResponse,
    ),
    "cancelled": (
        PermissionAnswer(None),
        "session/request_permission",
        acp.schema.RequestPermissionResponse,
    ),
    "read": (FileRead("a\r\n"), "fs/read_text_file", acp.schema.ReadTextFileResponse),
    "written": (FileWritten(), "fs/write_text_file", acp.schema.WriteTextFileResponse),
}


def nulls(value: object) -> bool:
    if isinstance(value, dict):
        return any(map(nulls, value.values()))
    return any(map(nulls, value)) if isinstance(value, list) else value is None


@pytest.mark.parametrize("name", REQUESTS)
def test_c310_request_is_the_schema_and_the_sdk_takes_it(name: str) -> None:
    (method, params), model = REQUESTS[name]
    validate_client_message({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    model.model_validate(params)
    assert not nulls(params)


@pytest.mark.parametrize("name", NOTIFICATIONS)
def test_c310_notification_is_the_schema_and_the_sdk_takes_it(name: str) -> None:
    (method, params), model = NOTIFICATIONS[name]
    validate_client_message({"jsonrpc": "2.0", "method": method, "params": params})
    model.model_validate(params)


@pytest.mark.parametrize("name", ANSWERS)
def test_c310_answer_is_the_schema_and_the_sdk_takes_it(name: str) -> None:
    answer, method, model = ANSWERS[name]
    result = V.encode_answer(answer)
    validate_client_message({"jsonrpc": "2.0", "id": 1, "result": result}, method)
    model.model_validate(result)
    assert not nulls(result)


def test_c031_c032_c033_initialize_says_version_capabilities_and_name() -> None:
    served = ClientCapabilities(read_text_file=True)
    assert V.initialize(served, name="n", title="t", version="v") == (
        "initialize",
        {
            "protocolVersion": 1,
            "clientCapabilities": {
                "fs": {"readTextFile": True, "writeTextFile": False},
                "terminal": False,
                "_meta": {"terminal_output": True},
            },
            "clientInfo": {"name": "n", "title": "t", "version": "v"},
        },
    )


def test_c071_mcp_servers_are_always_there() -> None:
    assert V.new_session("/p") == ("session/new", {"cwd": "/p", "mcpServers": []})
    assert V.load_session("s", "/p")[1]["mcpServers"] == []


def test_c073_stdio_servers_have_no_type_and_remote_ones_have_headers() -> None:
    _, params = V.new_session("/p", (STDIO, SSE))
    assert params["mcpServers"] == [
        {
            "name": "files",
            "command": "/bin/mcp",
            "args": ["-v"],
            "env": [{"name": "A", "value": "b"}],
        },
        {"type": "sse", "name": "old", "url": "https://y", "headers": []},
    ]


def test_c076_directories_that_say_nothing_new_are_left_out() -> None:
    _, params = V.new_session("/p", (), ("/q", "/p", "", "/q", "/r"))
    assert params["additionalDirectories"] == ["/q", "/r"]
    assert "additionalDirectories" not in V.new_session("/p", (), ("/p",))[1]


def test_what_cannot_be_sent_is_left_out_of_a_prompt() -> None:
    _, params = V.prompt("s", (UnknownContent("x", "{}"), Text("hi")))
    assert params["prompt"] == [{"type": "text", "text": "hi"}]


def test_c239_write_result_is_an_empty_object() -> None:
    assert V.encode_answer(FileWritten()) == {}


REJECTED: dict[str, tuple[dict[str, Any], str | None]] = {
    "missing mcpServers": ({"id": 1, "method": "session/new", "params": {"cwd": "/p"}}, None),
    "unknown key": (
        {"id": 1, "method": "session/new", "params": {"cwd": "/p", "mcpServers": [], "x": 1}},
        None,
    ),
    "unknown key inside": (
        {
            "id": 1,
            "method": "session/prompt",
            "params": {"sessionId": "s", "prompt": [{"type": "text", "text": "t", "x": 1}]},
        },
        None,
    ),
    "stdio server with a type": (
        {
            "id": 1,
            "method": "session/new",
            "params": {
                "cwd": "/p",
                "mcpServers": [
                    {"type": "stdio", "name": "n", "command": "/c", "args": [], "env": []}
                ],
            },
        },
        None,
    ),
    "unknown method": ({"id": 1, "method": "session/set_model", "params": {}}, None),
    "an agent's method": ({"method": "session/update", "params": {}}, None),
    "request as a notification": (
        {"method": "session/prompt", "params": {"sessionId": "s", "prompt": []}},
        None,
    ),
    "write answered with null": ({"id": 1, "result": None}, "fs/write_text_file"),
    "response to nothing": ({"id": 1, "result": {}}, None),
    "unknown root key": ({"id": 1, "result": {}, "x": 1}, "fs/write_text_file"),
    "error without a message": ({"id": 1, "error": {"code": -32601}}, "x"),
}


@pytest.mark.parametrize("name", REJECTED)
def test_the_oracle_rejects(name: str) -> None:
    message, answered = REJECTED[name]
    with pytest.raises(NotValid):
        validate_client_message({"jsonrpc": "2.0", **message}, answered)


def test_the_oracle_rejects_a_message_without_jsonrpc() -> None:
    with pytest.raises(NotValid):
        validate_client_message({"method": "session/cancel", "params": {"sessionId": "s"}})


def test_the_oracle_takes_meta_and_extension_methods_and_errors() -> None:
    validate_client_message(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "session/new",
            "params": {"cwd": "/p", "mcpServers": [], "_meta": {"anything": [1]}},
        }
    )
    validate_client_message({"jsonrpc": "2.0", "method": "_x/y", "params": {"any": 1}})
    validate_client_message({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "m"}})
