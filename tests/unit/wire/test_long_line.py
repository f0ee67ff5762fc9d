"""Long lines are read in steps, to the same messages as short ones."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.wire import long_line
from acp_nvim.wire.message import Noise, Request, parse_text

TEXT = st.text(
    st.sampled_from('a"\\/\n\t\u00e9\u20ac\U0001f600\ud83d\ude00\ud800\x7f'), max_size=40
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(value=JSON, ascii=st.booleans(), many=st.integers(1, 400))
def test_the_value_is_the_same(value: object, ascii: bool, many: int) -> None:
    message = {"method": "m", "params": [value, "a\\\u00e9" * many]}
    text = json.dumps(message, ensure_ascii=ascii)
    if not ascii:
        text = text.encode("utf-8", "replace").decode()
    assert parse_text(text, long_line.load) == parse_text(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", '{"a":1', '{"a":"b', '["a",]', '{"a":"\\u12"}', '"\\x"', '"a\nb"', "1 2"),
        "[" * 9_000,
        '{"method":"' + "m" * 10_000 + "\\",
        '"' + "a" * 2_000_000 + '\n"',
    ],
)
def test_what_is_no_json_is_noise_to_both(text: str) -> None:
    [noise] = parse_text(text, long_line.load)
    [other] = parse_text(text)
    assert type(noise) is type(other)
    assert noise.text == other.text  # type: ignore[union-attr]


@given(data=st.binary(max_size=60), step=st.integers(5, 9))
def test_text_is_decoded_the_same(data: bytes, step: int) -> None:
    saved, long_line.STEP = long_line.STEP, step
    try:
        text = data.decode("utf-8", "replace")
        assert long_line.decode(text.encode()) == text.removeprefix("\ufeff")
    finally:
        long_line.STEP = saved


@pytest.mark.parametrize("value", ["[]", "{}", "1.5", '""', '{"a":1}'])
def test_a_wide_message_is_none_and_who_asks_is_answered(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    """Three characters of a line are an object of 56 bytes: 32 MB of them would be 600."""
    monkeypatch.setattr(long_line, "MOST_VALUES", 1_000)
    params = ",".join([value] * 2_000)
    text = f'{{"jsonrpc":"2.0","id":7,"method":"m","params":{{"x":[{params}]}}}}'
    noise, request = parse_text(text, long_line.load)
    assert isinstance(noise, Noise) and request == Request(7, "m")
    few = text.replace(params, ",".join([value] * 300))
    assert parse_text(few, long_line.load) == parse_text(few)
