from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_nvim.wire import long_line
from acp_nvim.wire.message import (
    ATTEMPTS,
    NOISE_LIMIT,
    WIDE,
    Failure,
    Noise,
    Notification,
    Request,
    Response,
    Sendable,
    parse_line,
    parse_text,
    to_line,
)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
IDS = st.none() | st.integers() | st.text()
STEADY = settings(derandomize=True, deadline=None)


def parse(text: str) -> Any:
    (message,) = parse_line(text.encode())
    return message


def strict(line: bytes) -> Any:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    return json.loads(line.decode(), parse_constant=refuse)


# What arrives


def test_a_request_has_method_and_id() -> None:
    assert parse('{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}') == Request(
        1, "m", {"a": 1}
    )


def test_a_request_may_have_the_id_null() -> None:
    assert parse('{"id":null,"method":"m"}') == Request(None, "m", None)


def test_a_notification_has_no_id() -> None:
    assert parse('{"jsonrpc":"2.0","method":"m","params":[1]}') == Notification("m", [1])


@pytest.mark.parametrize("id", ["0", "-1", "9007199254740993", '"abc"', '"1"', "null", "1.5"])
def test_c006_a_request_id_comes_back_as_it_was(id: str) -> None:
    request = parse(f'{{"id":{id},"method":"m"}}')
    assert (
        to_line(Response(request.id, 1)) == f'{{"jsonrpc":"2.0","id":{id},"result":1}}\n'.encode()
    )


@pytest.mark.parametrize(
    "text",
    [
        '{"id":1,"result":null}',
        '{"id":1,"result":null,"error":null}',
        '{"jsonrpc":"2.0","id":1}',
    ],
)
def test_a_response_may_be_empty(text: str) -> None:
    assert parse(text) == Response(1, None)


@pytest.mark.parametrize("error", ["null", "{}", '""', "false", "0", "[]"])
def test_an_error_that_says_nothing_beside_a_result_is_none(error: str) -> None:
    assert parse(f'{{"id":1,"result":{{"a":1}},"error":{error}}}') == Response(1, {"a": 1})


def test_an_answer_of_one_that_knows_no_whole_numbers_is_understood() -> None:
    assert parse('{"id":1.0,"result":1}') == Response(1, 1)
    failed = parse('{"id":1.0,"error":{"code":-32000.0,"message":"log in"}}')
    assert failed == Failure(1, -32000, "log in")


def test_a_failure_has_all_its_fields() -> None:
    text = '{"id":"a","error":{"code":-32002,"message":"no","data":{"uri":"x"}}}'
    assert parse(text) == Failure("a", -32002, "no", {"uri": "x"})


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        ('"broken"', Failure(1, 0, "broken")),
        ("[1]", Failure(1, 0, "[1]")),
        ("{}", Failure(1, 0, "")),
        ('{"code":"x","message":{"a":"ü"}}', Failure(1, 0, '{"a": "ü"}')),
        ('{"code":1.5,"message":"m"}', Failure(1, 0, "m")),
    ],
)
def test_a_malformed_error_is_still_a_failure(error: str, failure: Failure) -> None:
    assert parse(f'{{"id":1,"error":{error}}}') == failure


@pytest.mark.parametrize(
    "text",
    [
        "Starting...",
        "42",
        "null",
        '"text"',
        "[]",
        "\x1b[2J",
        '{"level":"info"}',
        '{"id":1,"level":"info"}',
        '{"level":"info","id":0,"result":"ok"}',
        '{"level":"info","id":0,"method":"GET"}',
        '{"level":"info","method":"GET"}',
        '{"result":1}',
        '{"id":1.5,"result":1}',
        '{"id":true,"result":1}',
        '{"id":[1],"result":1}',
        '{"method":5,"id":1}',
        '{"method":"m","id":[1]}',
        '{"jsonrpc":"2.0","id":',
        "[" * 200_000,
        '{"id":1,"result":' + "[" * 200_000,
    ],
    ids=lambda text: text[:20],
)
def test_c011_c012_what_is_no_message_is_noise(text: str) -> None:
    noise = parse(text)
    assert isinstance(noise, Noise)
    assert noise.text == text[:NOISE_LIMIT]
    assert noise.reason


def test_c013_invalid_utf8_becomes_the_replacement_character() -> None:
    assert parse_line(b'{"method":"m\xff"}') == [Notification("m\ufffd")]
    (noise,) = parse_line(b"\xff\xfe")
    assert isinstance(noise, Noise)


def test_c014_a_bom_is_no_part_of_the_message() -> None:
    assert parse("\ufeff" + '{"method":"m"}') == Notification("m")


def test_c027_an_array_gives_each_element() -> None:
    assert parse_line(b'[{"method":"a"},7,{"id":1,"result":2}]') == [
        Notification("a"),
        Noise('[{"method":"a"},7,{"id":1,"result":2}]', "not an object"),
        Response(1, 2),
    ]


@pytest.mark.parametrize(
    ("escaped", "plain"),
    [
        (r"\ud83d\ude00", "😀"),
        (r"\ud83d", "\ufffd"),
        (r"\ude00\uD83D", "\ufffd\ufffd"),
        (r"\\ud83d", r"\ud83d"),
        (r"\ud83d\ude00\udc80", "😀\ufffd"),
    ],
)
def test_c013_escaped_lone_surrogates_do_not_get_in(escaped: str, plain: str) -> None:
    assert parse(f'{{"method":"m","params":{{"{escaped}":["{escaped}"]}}}}') == Notification(
        "m", {plain: [plain]}
    )


@STEADY
@given(st.binary())
def test_c012_any_bytes_are_parsed(line: bytes) -> None:
    for message in parse_line(line):
        assert isinstance(message, Noise | Response | Failure | Request | Notification)


# What is sent


@STEADY
@given(
    st.builds(Request, IDS, st.text(), JSON)
    | st.builds(Notification, st.text(), JSON)
    | st.builds(Response, IDS, JSON)
    | st.builds(Failure, IDS, st.integers(), st.text(), JSON)
)
def test_c001_c002_every_message_is_one_line_and_comes_back(message: Sendable) -> None:
    line = to_line(message)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert strict(line)["jsonrpc"] == "2.0"
    assert parse_line(line[:-1]) == [message]


def test_c002_line_ends_inside_the_text_stay_text() -> None:
    text = "a\nb\r\u2028c 😀"
    line = to_line(Notification("m", {"text": text}))
    assert line.count(b"\n") == 1
    assert b"\r" not in line
    assert strict(line)["params"]["text"] == text


@STEADY
@given(st.text(st.characters(categories=["Cs", "L"])))
def test_c003_lone_surrogates_are_replaced_everywhere(text: str) -> None:
    line = to_line(Response(1, {text: [text]}))
    assert not any("\ud800" <= char <= "\udfff" for char in line.decode())
    assert len(next(iter(strict(line)["result"]))) == len(text)


def test_c003_nan_and_the_infinities_become_null() -> None:
    values = [float("nan"), float("inf"), -float("inf"), 1.5, "NaN", "\ud800"]
    assert strict(to_line(Response(1, values)))["result"] == [
        None,
        None,
        None,
        1.5,
        "NaN",
        "\ufffd",
    ]


def test_c004_the_version_comes_first() -> None:
    assert to_line(Notification("m")) == b'{"jsonrpc":"2.0","method":"m"}\n'
    assert to_line(Request(0, "m", {})) == b'{"jsonrpc":"2.0","id":0,"method":"m","params":{}}\n'


def test_c009_a_failure_has_an_error_and_no_result() -> None:
    assert strict(to_line(Failure(1, -32601, "no"))) == {
        "jsonrpc": "2.0",
        "id": 1,
        "error": {"code": -32601, "message": "no"},
    }


def test_c009_an_empty_response_has_a_result() -> None:
    assert to_line(Response("a")) == b'{"jsonrpc":"2.0","id":"a","result":null}\n'


def test_a_value_that_is_not_json_is_an_error_of_ours() -> None:
    with pytest.raises(TypeError):
        to_line(Response(1, object()))


NOTIFICATION = '{"method":"m"}'


@pytest.mark.parametrize(
    "lead", ["\ufeff", "\ufeff\ufeff", "\x1b[?25h", "\x1b[2K\r\x1b[1;32m", "\x1e", "\0 \t"]
)
def test_what_a_terminal_wants_before_a_message_is_no_part_of_it(lead: str) -> None:
    assert parse(lead + NOTIFICATION) == Notification("m")


def test_messages_side_by_side_are_all_read() -> None:
    two = '{"id":1,"result":{"a":"}{"}}'
    line = f"{NOTIFICATION}{two} \x1b[0m{NOTIFICATION}\x1b[0m"
    assert parse_line(line.encode()) == [
        Notification("m"),
        Response(1, {"a": "}{"}),
        Notification("m"),
    ]


def test_what_stands_behind_a_message_is_noise() -> None:
    message, noise = parse_line(f"{NOTIFICATION} done in 3 s".encode())
    assert message == Notification("m")
    assert isinstance(noise, Noise) and noise.text == "done in 3 s"


def test_a_line_of_ever_more_objects_ends() -> None:
    messages = parse_line(NOTIFICATION.encode() * 100_000)
    assert len(messages) < 1_000 and isinstance(messages[-1], Noise)


@pytest.mark.parametrize("prefix", ["sent ", "[12] ", "2026-11-22 "])
def test_a_message_that_a_log_line_quotes_is_none(prefix: str) -> None:
    assert isinstance(parse(prefix + NOTIFICATION), Noise)


FRAME = '{"jsonrpc":"2.0","method":"m"}'


@pytest.mark.parametrize(
    "text",
    [
        "\x1b]0;agent\x07",
        "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\",
        "\x1bP+q544e\x1b\\",
        "\ufeffstarted ",
        "[info] 12:00:01 ready ",
        "> ",
        "10 %\r55 %\r100 %\r",
        "\ufffd",
        "a\0b",
        '[plugin] {"a": 1} ',
        '{"jsonrpc":"2.0","method":"session/upda',
        '{"level":"info","id":[1,2',
        'x {"id":1,"result":{"jsonrpc":"2.0","method":"inner"}} ',
        "[12] ",
        "null",
    ],
)
@pytest.mark.parametrize(
    "frame",
    [FRAME, '{ "jsonrpc" : "2.0","method":"m"}', '{"method":"m","params":null,"jsonrpc":"2.0"}'],
)
def test_a_message_begins_behind_text(text: str, frame: str) -> None:
    assert parse_line((text + frame).encode()) == [
        Noise(text, "text before a message"),
        Notification("m"),
    ]


def test_a_message_behind_half_a_character_is_read() -> None:
    assert parse_line(b"\xf0\x9f\x98" + FRAME.encode())[1:] == [Notification("m")]


def test_a_record_that_is_json_is_no_part_of_the_message_behind_it() -> None:
    noise, message = parse_line(('{"level":"info","msg":"{\\"jsonrpc\\":"}' + FRAME).encode())
    assert isinstance(noise, Noise) and message == Notification("m")


def test_text_between_messages_spoils_none_of_them() -> None:
    messages = parse_line(f"one {FRAME} two {FRAME}".encode())
    assert [it for it in messages if not isinstance(it, Noise)] == [Notification("m")] * 2


@pytest.mark.parametrize(
    "line",
    [
        "x" * 8_000_000 + FRAME,
        '{"id":[1,' * 500_000 + FRAME,
        ('{"id":["' + "a" * 100_000) * 40 + FRAME,
        '{"id":' * 500_000,
    ],
    ids=["text", "brackets", "strings", "deep"],
)
def test_the_beginning_of_a_message_is_looked_for_within_bounds(line: str) -> None:
    tried = 0

    def load(text: str) -> Any:
        nonlocal tried
        tried += 1
        return json.loads(text)

    parse_text(line, load)
    assert tried <= 2 * (ATTEMPTS + 1)


@pytest.mark.parametrize("object", ['{"id": 1}', '{"params": {"a": 1}} ', '{"error": '])
def test_a_message_begins_behind_much_that_looks_like_one(object: str) -> None:
    """A log line with a list of records, and no line end."""
    assert parse_line(("[debug] " + object * 50 + FRAME).encode())[-1] == Notification("m")


@pytest.mark.parametrize("lead", ["", "noise "])
@pytest.mark.parametrize("pad", [0, 3_000_000], ids=["short", "long"])
def test_an_answer_with_a_number_that_nobody_reads_is_one(lead: str, pad: int) -> None:
    """Without it the user would wait for ever; the number is none."""
    text = f'{lead}{{"jsonrpc":"2.0","id":1,"result":[{"9" * 5_000},1,"{"x" * pad}"]}}'
    answer = parse_text(text, long_line.load if pad else None)[-1]
    assert answer == Response(1, [None, 1, "x" * pad])


@pytest.mark.parametrize("pad", [0, 300_000], ids=["short", "long"])
def test_what_an_agent_has_not_escaped_in_a_string_is_read(pad: int) -> None:
    text = f'{{"jsonrpc":"2.0","method":"m","params":"a\tb\x1b[0m\x00{"x" * pad}"}}'
    (message,) = parse_text(text, long_line.load if pad else None)
    assert message == Notification("m", "a\tb\x1b[0m\x00" + "x" * pad)


@STEADY
@given(st.text(st.characters(blacklist_characters="{\n", blacklist_categories=["Cs"])))
def test_any_text_may_stand_before_a_message(text: str) -> None:
    assert parse_line((text + FRAME).encode())[-1] == Notification("m")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16", "utf-32"])
def test_a_message_of_another_encoding_is_named(encoding: str) -> None:
    said = '{"jsonrpc":"2.0","id":0,"result":{}}\n'.encode(encoding)
    (told,) = parse_line(said.split(b"\n")[0])
    assert isinstance(told, Noise) and told.reason == WIDE
