"""The kinds of values that a configuration may hold: what is accepted, and how it is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, TypeAlias, TypeVar
from urllib.parse import urlsplit

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from acp_nvim.loopback import is_loopback
from acp_nvim.paths import normal
from acp_nvim.patterns import lazy_pattern

T = TypeVar("T")

_URL = lazy_pattern(r"(ws|http)s?://(\[[0-9a-fA-F:.]+\]|[\w.-]+)(:\d{1,5})?([/?][^\s#]*)?")


def as_map(value: object) -> object:
    """Take an empty list for an empty map: Lua has but one of them."""
    return {} if value == [] else value


def _as_list(value: object) -> object:
    if value == {}:
        return ()
    return tuple(value) if isinstance(value, list) else value


def as_pairs(value: object) -> object:
    """Take a map for a list of names and values."""
    if isinstance(value, dict):
        return tuple({"name": name, "value": text} for name, text in value.items())
    return _as_list(value)


def must(
    accepts: Callable[[Any], bool], expected: str, *, private: bool = False
) -> BeforeValidator:
    """Let only such values through; the sentence on another one names what is expected."""

    def check(value: object) -> object:
        if not accepts(value):
            kind: Literal["private", "expected"] = "private" if private else "expected"
            raise PydanticCustomError(kind, "{expected}", {"expected": expected})
        return value

    return BeforeValidator(check)


def _is_url(value: str) -> bool:
    found = _URL.fullmatch(value)
    return found is not None and int((found[3] or ":0")[1:]) < 65_536


def _is_registry(value: str) -> bool:
    if not _is_url(value):
        return False
    host = urlsplit(value).hostname or ""
    return value.startswith("https://") or (value.startswith("http://") and is_loopback(host))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


# an empty Lua table may arrive as either
Map = Annotated[Mapping[str, T], BeforeValidator(as_map)]
List = Annotated[tuple[T, ...], BeforeValidator(_as_list)]
AbsolutePath: TypeAlias = Annotated[
    str, must(lambda value: isinstance(value, str) and value.startswith("/"), "an absolute path")
]


def _is_folder(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("/") and ".." not in value.split("/")


def _differ(value: object) -> object:
    """Refuse a folder that has two names on either side: one of them would be a guess."""
    if isinstance(value, dict):
        for side in (list(value), list(value.values())):
            names = [normal(it) for it in side if isinstance(it, str)]
            if twice := [it or "/" for it in sorted(names) if names.count(it) > 1]:
                expected = f"without a folder that has two names: {twice[0]} stands twice"
                raise PydanticCustomError("private", "{expected}", {"expected": expected})
    return value


Folder: TypeAlias = Annotated[str, must(_is_folder, "an absolute path without '..'")]
Folders = Annotated[Mapping[Folder, Folder], BeforeValidator(_differ), BeforeValidator(as_map)]
"""The agent's names of folders, and ours."""
Url: TypeAlias = Annotated[
    str,
    must(
        lambda value: isinstance(value, str) and _is_url(value),
        "the address of an agent: ws://, wss://, http:// or https://, with a host, without a user",
        private=True,
    ),
]
RegistryUrl: TypeAlias = Annotated[
    str,
    must(
        lambda value: isinstance(value, str) and _is_registry(value),
        "the address of a list of agents: https://, or http:// on this machine, without a user",
        private=True,
    ),
]
Fraction: TypeAlias = Annotated[
    float, must(lambda value: _is_number(value) and 0 < value <= 1, "a number between 0 and 1")
]
Minutes: TypeAlias = Annotated[
    float, must(lambda value: _is_number(value) and value >= 0, "a number of minutes, 0 for never")
]
Size: TypeAlias = Annotated[
    int,
    must(
        lambda value: _is_number(value) and value > 0 and value == int(value),
        "a whole number above 0",
    ),
]


def _are_rows(value: Any) -> bool:
    numbers = isinstance(value, list | tuple) and len(value) == 2 and all(map(_is_number, value))
    return numbers and all(n > 0 and n == int(n) for n in value) and value[0] <= value[1]


Rows: TypeAlias = Annotated[
    tuple[int, ...],
    must(_are_rows, "two whole numbers above 0, the smaller one first"),
    BeforeValidator(_as_list),
]


def _are_tools(value: Any) -> bool:
    is_list = isinstance(value, list | tuple) and all(isinstance(it, str) for it in value)
    return isinstance(value, bool) or is_list or value == {}


Tools: TypeAlias = Annotated[
    bool | tuple[str, ...],
    must(_are_tools, "true, false, or a list of tools"),
    BeforeValidator(_as_list),
]
"""All tools of the editor, none, or those of these names."""

StaysInLua: TypeAlias = Annotated[None, must(lambda value: value is None, "a function")]
"""A function of Lua: what arrives of it is nothing."""

Value: TypeAlias = Annotated[
    str | bool,
    must(lambda value: isinstance(value, str | bool), "a string, or true or false"),
]
