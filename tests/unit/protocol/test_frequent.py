"""What is read in one pass says the same as what is validated leniently."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.protocol.records import AgentNotification, SessionUpdated
from acp_nvim.protocol.v1.dialect import V1
from acp_nvim.protocol.v2.dialect import V2
from acp_nvim.wire.message import Notification, parse_line

GOLDEN = Path(__file__).parents[2] / "golden"
DIALECTS = {"v1": V1(), "v2": V2()}
KINDS = (
    *("user_message_chunk", "agent_message_chunk", "agent_thought_chunk"),
    *("tool_call", "tool_call_update", "plan", "of tomorrow"),
)
ODD: tuple[Any, ...] = (
    *(None, True, 0, 3, 2.0, -1, 2**70, 1e300, "", "a.py:12", "file:///a%20b.py#L3", "ü\0", "😀"),
    *([], {}, [None], {"": []}, [[[]]], "pending", "completed", "read", "hum"),
    {"type": "text", "text": "words"},
    {"type": "image", "data": "AA==", "mimeType": "image/png"},
)
NAMES = (
    *("toolCallId", "tool_call_id", "title", "kind", "status", "content", "locations", "rawInput"),
    *("raw_input", "rawOutput", "raw_output", "name", "_meta", "meta", "messageId", "path", "line"),
    *("type", "text", "oldText", "old_text", "newText", "new_text", "terminalId", "claudeCode"),
    *("parentToolUseId", "parent_tool_use_id", "parentToolCallId", "terminal_output", "data"),
    *("sessionUpdate", "terminal_id", "anything"),
)


def lines_of(session: Path) -> Iterator[bytes]:
    for line in session.read_text().splitlines():
        told = json.loads(line)
        if told.get("from") == "agent":
            yield told["line"].encode()


TALKS = [it for path in sorted((GOLDEN / "sessions").glob("*.jsonl")) for it in lines_of(path)]


def leniently(line: bytes, version: str) -> AgentNotification | None:
    (message,) = parse_line(line)
    assert isinstance(message, Notification)
    return DIALECTS[version].decode_notification(message.method, message.params)


def agrees(line: bytes, version: str = "v1") -> bool:
    """Check that both ways agree; return whether the line is read in one pass."""
    for form in (line, line.decode("utf-8", "replace")):
        told = DIALECTS[version].read_update(form)
        if told is not None:
            assert told == leniently(line, version)
    return told is not None


def line(update: Any, **more: Any) -> bytes:
    params = {"sessionId": "s", "update": update}
    message = {"jsonrpc": "2.0", "method": "session/update", "params": params}
    return json.dumps(message | more, ensure_ascii=False).encode("utf-8", "surrogatepass")


def test_recorded_talks_are_read_in_one_pass() -> None:
    updates = [it for it in TALKS if b'"session/update"' in it]
    common = [it for it in updates if b"_chunk" in it or b"tool_call" in it]
    assert len(common) > 30
    assert sum(map(agrees, common)) > 0.9 * len(common)
    assert not any(map(agrees, set(TALKS) - set(common)))


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_messages_of_the_schema_mean_the_same(version: str) -> None:
    for path in sorted((GOLDEN / version).glob("*.json")):
        message = json.loads(path.read_text())
        if isinstance(message, dict):
            agrees(json.dumps({"jsonrpc": "2.0", **message}).encode(), version)


values = st.recursive(
    st.sampled_from(ODD),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)
    ),
    max_leaves=6,
)
text_blocks = st.fixed_dictionaries(
    {"type": st.just("text"), "text": st.text(max_size=5)}, optional={"annotations": values}
)
contents = st.sampled_from(
    [
        {"type": "content", "content": {"type": "text", "text": "a"}},
        {"type": "diff", "path": "a.py:3", "oldText": None, "newText": "b"},
        {"type": "diff", "path": "file:///a", "newText": "b", "old_text": "c"},
        {"type": "terminal", "terminalId": "t"},
        {"type": "content", "content": None},
    ]
)
updates = st.fixed_dictionaries(
    {"sessionUpdate": st.sampled_from(KINDS), "toolCallId": st.just("t") | values},
    optional={
        "content": text_blocks | st.lists(contents, max_size=3) | values,
        "locations": st.lists(
            st.fixed_dictionaries({"path": st.just("/a:1")}, optional={"line": values}), max_size=2
        ),
        **{
            name: values
            for name in NAMES[2:]
            if name not in ("content", "locations", "sessionUpdate")
        },
    },
)


@given(
    updates, st.dictionaries(st.sampled_from(["id", "result", "_meta", "x"]), values, max_size=1)
)
def test_odd_updates_mean_the_same(update: Any, more: dict[str, Any]) -> None:
    if "id" in more:
        assert V1().read_update(line(update, **more)) is None
    else:
        agrees(line(update, **more))


TOOL = '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":'
TOOL += '{"sessionUpdate":"tool_call","toolCallId":"t"%s}}}'


@pytest.mark.parametrize(
    "more",
    [
        *(
            ',"title":"\\ud83d"',
            ',"title":"\\ud83d\\ude00"',
            ',"rawInput":[NaN]',
            ',"rawInput":1e999',
        ),
        *(',"title":"a","title":"b"', ',"sessionUpdate":"plan"', ',"rawInput":{"a":1,"a":2}'),
        *(',"x":' + "[" * 200 + "]" * 200, ',"rawInput":' + "[" * 200 + "]" * 200),
        *(f',"locations":[{{"path":"a","line":{it}}}]' for it in (2**63, 2**63 - 1, -(2**70))),
        *(
            ',"rawInput":[1.0,1e16,1E5,-0.0,123456789012345678901234567890,"\\u0008\\u007f/"]',
            ',"name":""',
        ),
        *(',"title":"a\\u0000"', ',"rawInput":{}', ',"rawInput":""', ',"content":[]'),
        ',"_meta":{"claudeCode":{"toolName":"Read","parentToolUseId":"p"}}',
        ',"_meta":{"terminal_output":{"data":"a"}}',
    ],
)
def test_what_parsers_differ_in_means_the_same(more: str) -> None:
    text = TOOL % more
    told = V1().read_update(text)
    messages = parse_line(text.encode())
    if told is not None:
        assert [told] == [
            V1().decode_notification(it.method, it.params)
            for it in messages
            if isinstance(it, Notification)
        ]


def test_bytes_that_are_no_text_are_left_to_the_lenient_way() -> None:
    broken = (TOOL % ',"title":"\\u00e4"').encode().replace(b"\\u00e4", b"\xff")
    assert V1().read_update(broken) is None
    assert V1().read_update(b"\x1b[0m" + (TOOL % "").encode()) is None
    assert V1().read_update((TOOL % "").encode() * 2) is None


def test_an_empty_chunk_is_no_event() -> None:
    chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": ""}}
    assert V1().read_update(line(chunk)) == SessionUpdated("s", ())
