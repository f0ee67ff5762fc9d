"""What one line can hold: the four messages of JSON-RPC 2.0, or noise.

Parsing is total: any bytes give messages, never an exception, because agents print log lines and
worse to their stdout. Writing is strict: one line of valid UTF-8 and valid JSON whatever the values
hold. Called by `peer`, `transport`, `client` and the tutor.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from io import BytesIO
from math import isfinite
from typing import Any, TypeAlias

from acp_nvim.patterns import lazy_pattern
from acp_nvim.wire.cut import first_fields
from acp_nvim.wire.depth import is_too_deep

RequestId: TypeAlias = str | int | None

SIDE_BY_SIDE = 100
"""Objects of one line that are looked at; it should be one."""
WIDE = "it is UTF-16 or UTF-32, and a message is UTF-8"
NOISE_LIMIT = 500
"""Most characters that a `Noise` keeps of the offending line."""

MOST_DIGITS = 4_300
"""Digits of a number: Python reads no more."""

TOO_DEEP, BEFORE = "nested too deeply, or has too many values", "text before a message"

_LEAD = lazy_pattern(r"^(?:\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x20\x7f\ufeff])+")
"""What a terminal or an editor wants before the first word: colours, marks, blanks."""
_FRAME = lazy_pattern(r'\{\s*"(?:jsonrpc|id|method|params|result|error|_meta)"\s*:')
"""Where a message may begin that does not begin its line."""
_NAMED = lazy_pattern(r'\{\s*"jsonrpc"\s*:')
"""Where most begin: looked for behind much that only looks like one."""
MOST_BEFORE = 1_000_000
"""Characters before a message in which its beginning is looked for."""
ATTEMPTS = 8
"""Beginnings of each kind that are tried: each may lead through the whole line."""
_MEMBERS = frozenset(("id", "method", "params", "result", "error", "_meta"))
"""What a message that does not name its version may have."""
_SURROGATE = lazy_pattern("[\ud800-\udfff]")
_ESCAPED_SURROGATE = lazy_pattern(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True)
class Request:
    """A call that wants an answer; `id` is echoed as it came, even a float. No params: None."""

    id: RequestId
    method: str
    params: Any = None


@dataclass(frozen=True, slots=True)
class Notification:
    """A call that never gets an answer."""

    method: str
    params: Any = None


@dataclass(frozen=True, slots=True)
class Response:
    """The result of a request."""

    id: RequestId
    result: Any = None


@dataclass(frozen=True, slots=True)
class Failure:
    """The error of a request; `code` 0 and `message` "" where the sender left them out."""

    id: RequestId
    code: int
    message: str
    data: Any = None


@dataclass(frozen=True, slots=True)
class Noise:
    """What is no message: its beginning, and why it is none. To be logged, never answered."""

    text: str
    reason: str


Sendable: TypeAlias = Request | Notification | Response | Failure
Message: TypeAlias = Sendable | Noise


def parse_line(line: bytes) -> list[Message]:
    """Return the messages of one line, as `parse_text`; invalid UTF-8 becomes U+FFFD."""
    return parse_text(line.decode("utf-8", "replace"))


def parse_text(text: str, load: Callable[[str], Any] | None = None) -> list[Message]:
    """Return the messages of one text: one, the elements of a JSON array, or several side by side.

    Never raises. Lone surrogates become U+FFFD. `load` reads the JSON if it is not to be done at
    once.
    """
    messages, rest = _first(text, load or _load)
    while rest and len(messages) < SIDE_BY_SIDE:
        more, rest = _first(rest, load or _load)
        messages += more
    return [*messages, _noise(rest, "too much for one line")] if rest else messages


def parse_beginning(text: str, reason: str) -> list[Message]:
    """Return what can be told of a message that is not taken in: noise, then who has asked in it
    without params, or an answer that failed. Only what stands before these is known."""
    noise, known = _noise(text, reason), first_fields(text)
    if "id" not in known:
        return [noise]
    if isinstance(known.get("method"), str):
        return [noise, Request(known["id"], known["method"])]
    return [noise, Failure(known["id"], 0, f"the answer is {reason}")]


def to_line(message: Sendable, pieces: Callable[[Any], Iterable[str]] | None = None) -> bytes:
    """Return the message as one line with its newline; `pieces` writes long JSON bit by bit.

    Lone surrogates become U+FFFD, NaN and the infinities null. Raises `TypeError` if a value is
    not JSON-able.
    """
    value = {"jsonrpc": "2.0", **_fields(message)}
    if pieces is None:
        return _encoded(dump_json(value) + "\n")
    line = BytesIO()  # holds it once: joined pieces would take it twice
    for piece in pieces(value):
        line.write(_encoded(piece))
    line.write(b"\n")
    return line.getvalue()


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text).encode()


def _first(text: str, load: Callable[[str], Any]) -> tuple[list[Message], str]:
    """Return what the text begins with, and the text behind it."""
    try:
        value, rest = _value(_bare(text), load)
        items = value if isinstance(value, list) and value else [value]
        return [it for item in items for it in _classified(item, text)], rest
    except RecursionError:
        return _too_deep(_bare(text)), ""
    except ValueError as error:
        reason = WIDE if 3 * text.count("\0") > len(text) else f"not JSON: {error}"
        return _behind_text(text, load) or ([_noise(text, reason)], "")


def _value(text: str, load: Callable[[str], Any]) -> tuple[Any, str]:
    """Return the JSON value, or the object, that the text begins with, and the text behind it."""
    try:
        return load(text), ""
    except json.JSONDecodeError as error:
        if error.msg != "Extra data" or not text.startswith("{"):
            raise
        return load(text[: error.pos]), _bare(text[error.pos :])


def _behind_text(text: str, load: Callable[[str], Any]) -> tuple[list[Message], str] | None:
    """Return the text before the first message, that message, and what is behind it; None: none.

    It must name its version: what a log line or a broken message has in it may look like one.
    """
    return _searched(text, load, _FRAME) or _searched(text, load, _NAMED)


def _searched(
    text: str, load: Callable[[str], Any], beginning: re.Pattern[str]
) -> tuple[list[Message], str] | None:
    at = len(text) - len(_bare(text)) + 1  # what it begins with was tried
    for _ in range(ATTEMPTS):
        found = beginning.search(text, at, MOST_BEFORE)
        if found is None:
            break
        before, behind = _noise(text[: found.start()], BEFORE), text[found.start() :]
        try:
            value, rest = _value(behind, load)
        except ValueError:
            at = found.start() + 1
            continue
        except RecursionError:
            return [before, *_too_deep(behind)], ""
        if value.get("jsonrpc") == "2.0":
            return [before, *_classified(value, behind)], rest
        at = len(text) - len(rest)
    return None


def _bare(text: str) -> str:
    return text if text.startswith("{") else _LEAD.sub("", text, count=1)


def _load(text: str) -> Any:
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # of a number: to look at each takes longer
        value = _WARY.decode(text)
    if not _ESCAPED_SURROGATE.search(text):
        return value
    # Such escapes are mostly pairs, and fine; a lone one would break every encoder further on.
    again = json.dumps(value, ensure_ascii=False)
    return json.loads(_SURROGATE.sub("\ufffd", again)) if _SURROGATE.search(again) else value


def finite(text: str) -> float | None:
    """Return the number that JSON's text stands for; None if there is none such: `1e999`, `NaN`."""
    number = float(text)
    return number if isfinite(number) else None


def whole(text: str) -> int | None:
    """Return the same of a whole number; None if it has more digits than are read."""
    return int(text) if len(text.lstrip("-")) <= MOST_DIGITS else None


# what must be escaped in a string is read as it is
_DECODER = json.JSONDecoder(parse_float=finite, parse_constant=finite, strict=False)
_WARY = json.JSONDecoder(parse_float=finite, parse_constant=finite, parse_int=whole, strict=False)


def dump_json(value: Any) -> str:
    """Return the value as compact JSON, NaN and the infinities as null."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError:
        sent = _DECODER.decode(json.dumps(value))
        return json.dumps(sent, ensure_ascii=False, separators=(",", ":"))


def _fields(message: Sendable) -> dict[str, Any]:
    match message:
        case Request(id, method, params):
            return {"id": id, **_call(method, params)}
        case Notification(method, params):
            return _call(method, params)
        case Response(id, result):
            return {"id": id, "result": result}
        case Failure(id, code, text, data):
            error = {"code": code, "message": text}
            return {"id": id, "error": error if data is None else {**error, "data": data}}


def _call(method: str, params: Any) -> dict[str, Any]:
    return {"method": method} if params is None else {"method": method, "params": params}


def _too_deep(text: str) -> list[Message]:
    """Return what can be told of a text that no parser takes; it must name its version."""
    said = parse_beginning(text, TOO_DEEP)
    return said if first_fields(text).get("jsonrpc") == "2.0" else said[:1]


def _classified(value: Any, text: str) -> list[Message]:
    """Return the message; of one that is too deep what can be said without its params or result."""
    message = _classify(value, text)
    if not is_too_deep(value):
        return [message]
    match message:
        case Request(id, method):
            return [_noise(text, TOO_DEEP), Request(id, method)]
        case Response(id) | Failure(id):
            return [_noise(text, TOO_DEEP), Failure(id, 0, f"the answer is {TOO_DEEP}")]
        case _:
            return [_noise(text, TOO_DEEP)]


def _classify(value: Any, text: str) -> Message:
    if not isinstance(value, dict):
        return _noise(text, "not an object")
    if "jsonrpc" not in value and not value.keys() <= _MEMBERS:
        return _noise(text, "a record of something else")
    if "method" in value:
        return _parse_call(value, text)
    # JavaScript leaves out a result that is undefined; the version tells it from a log record.
    if "id" in value and not value.keys().isdisjoint({"result", "error", "jsonrpc"}):
        return _parse_answer(value, text)
    return _noise(text, "neither a call nor an answer")


def _parse_call(value: dict[str, Any], text: str) -> Message:
    method, params = value["method"], value.get("params")
    if not isinstance(method, str):
        return _noise(text, "its method is not a string")
    if "id" not in value:
        return Notification(method, params)
    if isinstance(value["id"], list | dict):
        return _noise(text, "its id is not a scalar")
    return Request(value["id"], method, params)


def _parse_answer(value: dict[str, Any], text: str) -> Message:
    id, error = _whole(value["id"]), value.get("error")
    if isinstance(id, bool) or not isinstance(id, str | int | None):
        return _noise(text, "its id is neither string, integer nor null")
    if error is None or (not error and "result" in value):  # some name an error that is none
        return Response(id, value.get("result"))
    if not isinstance(error, dict):
        return Failure(id, 0, _as_text(error))
    code = _whole(error.get("code"))
    if not isinstance(code, int):
        code = 0
    return Failure(id, code, _as_text(error.get("message", "")), error.get("data"))


def _whole(value: Any) -> Any:
    """Return a whole number as one: some languages know only 1.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _noise(text: str, reason: str) -> Noise:
    return Noise(text[:NOISE_LIMIT], reason)
