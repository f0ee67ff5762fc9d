"""Lua's modules form no circle, and its rooms stay small enough to be looked over.

A `require` inside of a function counts as well: it only hides a circle until it is called.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LUA = ROOT / "lua" / "acp"
ROOMS = {"host", "command", "chat", "prompt", "ask", "review", "files", "follow", "tools", "ui"}
MOST = 20

REQUIRED = re.compile(r"""(?:require *\(? *|package\.loaded\[)\\?["'](acp[\w.]*)""")


def name(path: Path) -> str:
    """Return what a file is required as."""
    return ".".join(("acp", *path.relative_to(LUA).with_suffix("").parts)).removesuffix(".init")


def required(text: str) -> set[str]:
    """Return the modules that a text requires: now, later, or by a string that Vim runs."""
    return set(REQUIRED.findall(text))


def circle(modules: Mapping[str, Iterable[str]]) -> list[str]:
    """Return the modules of one circle; empty if there is none.

    That a module names itself, for Vim to call it, is no circle.
    """
    others = {module: set(used) - {module} for module, used in modules.items()}
    try:
        TopologicalSorter(others).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def modules() -> dict[str, set[str]]:
    return {name(path): required(path.read_text("utf-8")) for path in LUA.rglob("*.lua")}


def test_no_circle_of_modules() -> None:
    assert not circle(modules())


def test_each_module_that_is_required_is_there() -> None:
    named = set().union(*modules().values(), required((ROOT / "plugin/acp.lua").read_text("utf-8")))
    assert named <= set(modules())


@pytest.mark.parametrize(
    "text",
    [
        "local b = require('acp.host.b')",
        "function M.f()\n  require 'acp.host.b'.g()\nend",
        'require("acp.host.b").g()',
        "local b = package.loaded['acp.host.b']",
        "return \"<Cmd>lua require('acp.host.b').g()<CR>\"",
        "omnifunc = \"v:lua.require'acp.host.b'.g\"",
    ],
)
def test_each_way_to_require_is_seen(text: str) -> None:
    assert required(text) == {"acp.host.b"}


def test_a_circle_is_found() -> None:
    assert circle({"a": ["b"], "b": ["c"], "c": ["b"], "d": ["d", "a"]}) == ["b", "c", "b"]


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_a_room_begins_with_what_only_lua_can_do_there(room: str) -> None:
    begun = [it.name for it in (LUA / room).iterdir() if "-- Only the editor" in it.read_text()]
    assert len(begun) == 1


def test_the_rooms() -> None:
    assert {path.name for path in LUA.iterdir() if path.is_dir()} == ROOMS
    assert {path.name for path in LUA.glob("*.lua")} == {"init.lua", "health.lua", "types.lua"}
    for room in ROOMS:
        assert len(list((LUA / room).iterdir())) <= MOST, room


def test_what_is_loaded_when_used_is_there() -> None:
    text = (LUA / "host" / "lazy.lua").read_text("utf-8")
    rare = re.findall(r"^  '(acp[\w.]*)',$", text, re.MULTILINE)
    assert rare
    assert set(rare) <= set(modules())


def test_no_module_of_neovims_own_is_used() -> None:
    """Those with a leading underscore change with any release."""
    private = re.compile(r"require\(?['\"]vim\.[\w.]*\._|\bvim(?:\.\w+)*\._[a-z]")
    assert not [it for it in sorted(ROOT.glob("lua/**/*.lua")) if private.search(it.read_text())]
