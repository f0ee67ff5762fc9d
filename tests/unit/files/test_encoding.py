from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.files.encoding import (
    UNCODED,
    Misfit,
    clean,
    codec,
    decoded,
    encoded,
    exact_bytes,
    exact_text,
    is_binary,
    may_be_wide,
)

ENCODINGS = ("", "utf-8", "latin1", "cp1251", "sjis", "cp932", "euc-kr", "cp949", "big5", "cp950",
             "macroman", "gb18030", "iso-2022-jp", "utf-7", "utf-16le", "utf-16", "ucs-4le",
             "cp037",             "8bit-koi8-r", "no such")  # fmt: skip
BYTES = st.binary(max_size=40) | st.lists(
    st.sampled_from([b"a", b"\n", b"\r", b"\r\n", b"\x1a", b"\x85", b"\xe9", b"\\", b"~",
                     b"\xff\xfe", b"\xef\xbb\xbf", "é".encode(), "日本".encode("cp932"),
                     "한".encode("euc-kr"),
                     "ж".encode("cp1251"), "\ufeffa\n".encode("utf-16-le"), b"\x1b$B", b"\0"]),
    max_size=12,
).map(b"".join)  # fmt: skip


@given(BYTES, st.sampled_from(ENCODINGS))
def test_an_exact_text_is_its_bytes(data: bytes, encoding: str) -> None:
    text = exact_text(data, encoding)
    assert exact_bytes("a", text) == data


@given(BYTES, st.sampled_from(ENCODINGS))
def test_what_nobody_has_changed_has_the_bytes_that_it_had(data: bytes, encoding: str) -> None:
    text = exact_text(data, encoding)
    assert encoded("a", clean(text, encoding), text, encoding) == text
    assert decoded(text, encoding).count("\n") == text.count("\n")


@given(
    BYTES,
    st.sampled_from(ENCODINGS),
    st.text(st.sampled_from("aé€жあ한\\~"), max_size=4),
    st.data(),
)
def test_one_changed_line_changes_the_bytes_of_no_other(
    data: bytes, encoding: str, line: str, draw: st.DataObject
) -> None:
    text = exact_text(data, encoding)
    lines = clean(text, encoding).split("\n")
    row = draw.draw(st.integers(0, len(lines) - 1))
    content = "\n".join([*lines[:row], line, *lines[row + 1 :]])
    try:
        after = encoded("a", content, text, encoding)
    except Misfit:
        return
    if encoding:
        assert clean(after, encoding) == content
    if exact_text(b"a", encoding) == "a" and text[:1] == decoded(text, encoding)[:1]:
        old, new = text.split("\n"), after.split("\n")
        assert [*old[:row], *old[row + 1 :]] == [*new[:row], *new[row + 1 :]]


def test_what_does_not_fit_is_named() -> None:
    with pytest.raises(Misfit, match=r"counts as Latin-1, and cannot hold '€' \(line 2\)"):
        encoded("a", "caf\xe9\n5 €\n", "caf\udce9\n")
    with pytest.raises(Misfit, match=r"a is cp1251, and cannot hold 'é' \(line 1\)"):
        encoded("a", "é", "\udce6", "cp1251")
    with pytest.raises(Misfit, match=r"a is ucs-2le, and cannot hold '😀' \(line 2\)"):
        encoded("a", "a\n😀", "\udd16a", "ucs-2le")
    assert encoded("a", "€\né", "\udce9", sure=False) == f"{UNCODED}€\n\udce9"
    assert decoded(f"{UNCODED}€\n\udce9") == "€\né"


def test_a_line_that_was_moved_or_ended_has_its_bytes() -> None:
    old = "\udcff\n1\n2\n3\n\udce9"
    assert encoded("a", "1\n2\n3\n\ufffd\n\ufffd!\n", "\udcff\n1\n2\n3\n", "utf-8") == (
        "1\n2\n3\n\udcff\n\ufffd!\n"
    )
    assert encoded("a", clean(old) + "\n", old, "utf-8") == old + "\n"


def test_an_ascii_file_is_utf_8() -> None:
    assert encoded("a", "5 €\n", "5 Euro\n") == "5 €\n"


def test_a_nul_early_on_means_binary() -> None:
    assert is_binary(b"a\0b")
    assert not is_binary(b"a\0b", "utf-16le")
    assert not is_binary(b"a" * 8192 + b"\0")
    assert may_be_wide("a\n".encode("utf-16-le"))
    assert may_be_wide("ä\n".encode("utf-32-be"))
    assert not may_be_wide(b"\x7fELF\0\0\0\0\0\1")
    assert not may_be_wide(b"\0" * 9)


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_a_byte_order_mark_tells_a_wide_encoding(name: str) -> None:
    data = "\ufeffä\n".encode(name)
    assert not is_binary(data)
    text = exact_text(data)
    assert decoded(text) == "\ufeffä\n"
    assert exact_bytes("a", encoded("a", "\ufeffö\n", text)) == "\ufeffö\n".encode(name)


def test_a_byte_order_mark_stays_where_it_says_what_the_bytes_are() -> None:
    assert encoded("a", "b\n", "\udd16\ufeffa\n") == "\udd16\ufeffb\n"
    assert encoded("a", "b\n", "\udd16\ufeffa\n", "utf-16le") == "\udd16\ufeffb\n"
    assert encoded("a", "b\n", "\udd16a\n", "utf-16le") == "\udd16b\n"


def test_bytes_in_two_encodings_are_refused() -> None:
    with pytest.raises(Misfit):
        exact_bytes("a", "\udd16a\n\udce9")


def test_what_json_cannot_hold_is_replaced() -> None:
    assert clean("a\udce9b\ud800") == "a\ufffdb\ufffd"
    assert clean("aé\U0001f600") == "aé\U0001f600"


@pytest.mark.parametrize("encoding", ["utf-16le", "ucs-2", "utf-16", "ucs-4le"])
def test_what_a_tool_has_made_utf_8_of_is_not_taken_for_wide(encoding: str) -> None:
    for text in ("line one\nbb\ncc1\n", "naïve 12\n", "abcdefgh"):
        assert exact_text(text.encode(), encoding) == text
    for text in ("\ufeffab", "a\nb\n", "日本\n"):
        assert exact_text(text.encode(codec(encoding)), encoding)[1:] == text
