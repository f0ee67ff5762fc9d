"""Payloads of verbs: what is taken of what Lua sends, and what is said of the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import pytest
from msgspec import Struct, field

from acp_nvim.commands.decode import decode
from acp_nvim.errors import UserError


class Nothing(Struct, frozen=True):
    """The verb says it all."""


class Inner(Struct, frozen=True):
    name: str


class Sample(Struct, frozen=True):
    """One field of each type that payloads have."""

    chat: int
    end: str | None
    bang: bool = False
    way: Literal["on", "off"] = "on"
    data: bytes | str = ""
    rows: tuple[Inner, ...] = ()
    table: Mapping[str, int] = field(default_factory=dict)
    inner: Inner | None = None
    raw: Any = None


def sample(**plain: Any) -> Sample:
    return decode("try", Sample, {"chat": 1, **plain})


def test_what_is_left_out_or_nil_has_its_default() -> None:
    assert sample() == sample(end=None, bang=None, rows=None, raw=None) == Sample(1, None)


def test_records_are_read_at_any_depth() -> None:
    found = sample(rows=[{"name": "a"}], inner={"name": "b"}, table={"c": 1}, raw=[{}])
    assert found.rows == (Inner("a"),)
    assert (found.inner, found.table, found.raw) == (Inner("b"), {"c": 1}, [{}])


def test_an_empty_table_of_lua_is_a_list_and_a_map() -> None:
    assert sample(rows={}, table=[]) == Sample(1, None)
    assert decode("terminals", Nothing, []) == decode("terminals", Nothing, None) == Nothing()


def test_what_is_not_known_is_ignored() -> None:
    assert sample(new=1) == Sample(1, None)


@pytest.mark.parametrize("data", [b"\xff", "text"])
def test_bytes_may_come_as_text(data: bytes | str) -> None:
    assert sample(data=data).data == data


@pytest.mark.parametrize(
    ("plain", "said"),
    [
        ({"chat": None}, "try: chat is missing"),
        ({"chat": "1"}, "try: chat must be a number, not '1'"),
        ({"chat": True}, "try: chat must be a number, not True"),
        ({"bang": 1}, "try: bang must be true or false, not 1"),
        ({"end": 2}, "try: end must be a string, not 2"),
        ({"way": "up"}, "try: way must be on or off, not 'up'"),
        ({"data": 3}, "try: data must be bytes or a string, not 3"),
        ({"rows": "a"}, "try: rows must be a list, not 'a'"),
        ({"rows": [{"name": 1}]}, "try: rows: name must be a string, not 1"),
        ({"rows": [7]}, "try: rows must be a table with names, not 7"),
        ({"table": {"c": "d"}}, "try: table must be a number, not 'd'"),
        ({"inner": {}}, "try: inner: name is missing"),
    ],
)
def test_what_is_wrong_names_verb_and_field(plain: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError) as error:
        sample(**plain)
    assert str(error.value) == said


def test_a_payload_that_is_no_table_is_refused() -> None:
    with pytest.raises(UserError, match="try must be a table"):
        decode("try", Sample, 5)
