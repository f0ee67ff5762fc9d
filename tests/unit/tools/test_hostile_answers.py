"""Whatever a language server or a plugin tells, the agent gets a result or a sentence of ours."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.errors import RequestFailed
from acp_nvim.tools.language import path_of
from acp_nvim.tools.own import TOOLS
from acp_nvim.tools.schema import checked
from acp_nvim.tools.server import MOST_BYTES
from tests.support.tools.tools_rig import ToolsRig

TEXT = "one two\nthree é\n"


def places(path: str) -> list[Any]:
    """Return ranges of which most make no sense."""

    def span(line: Any, character: Any = 0) -> dict[str, Any]:
        at = {"line": line, "character": character}
        return {"start": at, "end": at}

    numbers = (-1, -50, 10**30, 0.5, True, None, "1", [], {})
    found = [span(it) for it in numbers] + [span(0, it) for it in numbers]
    return [*found, None, [], "x", {"start": None, "end": None}, {"start": {"line": 0}}]


ADDRESSES = (
    *("http://[", "//[x", "file://[", "file://host/a", "file:///a%00b", "", "\x00", "~"),
    *(None, 5, [], {}, "file:///" + "a" * 10_000, "file:///C:/x", "untitled:Untitled-1"),
)
RESULTS = {it.name: it.result or {} for it in TOOLS}
NAMES = (None, 5, [], {}, "", "\x00", "‮", "a" * 30_000)


def hostile(path: str) -> list[Any]:
    """Return results of any form."""
    uri, plain = Path(path).as_uri(), {"line": 0, "character": 0}
    good = {"start": plain, "end": {"line": 0, "character": 3}}
    deep: Any = []
    for _ in range(100):
        deep = [deep]
    found: list[Any] = [None, 5, "x", True, [], {}, [None, 5, "x", [], {}], deep]
    for it in (*places(path), good):
        edit = {"range": it, "newText": "x"}
        found += [
            [{"uri": uri, "range": it, "name": "n", "location": {"uri": uri, "range": it}}],
            [{"from": {"uri": uri, "range": it}, "fromRanges": [it], "name": "x", "range": it}],
            {"changes": {uri: [edit]}},
            [edit],
        ]
    for it in ADDRESSES:
        found += [
            [{"uri": it, "range": good, "name": "n", "location": {"uri": it, "range": good}}],
            [{"targetUri": it, "targetRange": good, "from": {"uri": it, "range": good}}],
            {"documentChanges": [{"textDocument": {"uri": it}, "edits": []}]},
            {"documentChanges": [{"kind": it}]},
        ]
        if isinstance(it, str):
            found.append({"changes": {it: [{"range": good, "newText": "x"}]}})
    for it in NAMES:
        found += [
            [{"name": it, "kind": it, "containerName": it, "range": good, "children": it}],
            [{"title": it, "kind": it, "command": it, "edit": it, "data": 1, "disabled": it}],
            {"contents": it},
            {"contents": [it, {"value": it}]},
            {"signatures": [{"label": it, "documentation": it}]},
            {"changes": {uri: [{"range": good, "newText": it}]}},
            {"changes": {uri: [{"range": good, "snippet": {"kind": "snippet", "value": "$1"}}]}},
        ]
    return found


def holds(schema: Mapping[str, Any], value: Any) -> None:
    """Assert that a result is what its schema promises, if there is one."""
    if value is not None:
        checked(schema, value)


def calls(path: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the tools that ask a server."""
    at = {"path": path, "line": 1, "symbol": "one"}
    return [
        *((name, at) for name in ("definition", "hover", "signature", "calls")),
        ("calls", at | {"direction": "outgoing"}),
        ("rename", at | {"to": "x"}),
        ("symbols", {"path": path}),
        ("workspace_symbols", {"query": "x"}),
        ("code_actions", {"path": path, "line": 1}),
        ("apply_code_action", {"id": "action-1"}),
        ("format", {"path": path}),
    ]


async def test_a_server_may_say_anything(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    async with ToolsRig(tmp_path / "p") as rig:
        Path(path := rig.path("a.txt")).write_text(TEXT)
        rig.answers.answers |= {"language.conform": {"problem": "none"}, "language.tree": []}
        for result in hostile(path):
            told = {"id": 1, "name": "server", "encoding": "utf-16", "result": result}
            for question in ("language.request", "language.workspace"):
                rig.answers.answers[question] = {"answers": [told], "ticks": {}}
            for name, arguments in calls(path):
                said = await rig.result(name, **arguments)
                assert not rig.faults, (name, result)
                if "files" in said.get("structuredContent", {}):
                    Path(path).write_text(TEXT)
                assert len(str(said)) < 2 * MOST_BYTES
                holds(RESULTS[name], said.get("structuredContent"))


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a%20b", "/a b"),
        ("FILE://localhost/a#L3", "/a"),
        ("file:/a", "/a"),
        ("file://host/a", "file://host/a"),
        ("file:////host/a", "file:////host/a"),
        ("http://[", "http://["),
    ],
)
def test_the_address_of_a_file_elsewhere_is_no_path_here(uri: str, path: str) -> None:
    assert path_of(uri) == path


async def test_arguments_of_any_size_get_a_sentence_soon(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    async with ToolsRig(tmp_path / "p") as rig:
        Path(path := rig.path("a.txt")).write_text(TEXT)
        rig.answers.answers["windows.list"] = {"title": "", "entries": []}
        long = "ab" * 2_000_000
        start = time.thread_time()
        assert "line is too large a number" in await rig.refused("show", path=path, line=10**30)
        assert "cursor is not one" in await rig.refused("quickfix", cursor="9" * 5_000)
        assert "is unknown" in await rig.refused("show", path=path, **{long: 1})
        assert len(await rig.refused("hover", path=path, line=1, symbol=long)) < 30_000
        with pytest.raises(RequestFailed):
            await rig.result(long)
        assert time.thread_time() - start < 1


async def test_a_tool_of_the_users_spoils_none_of_ours(tmp_path: Path) -> None:
    """A list with a name twice is refused as a whole by the agent's model."""
    (tmp_path / "p").mkdir()
    async with ToolsRig(tmp_path / "p") as rig:
        schema = {"type": "object", "properties": {"a": []}}
        told = {"description": "x", "parameters": schema, "asks": False}
        rig.answers.answers["own.list"] = [{"name": it, **told} for it in ("show", "mine")]
        rig.answers.answers["own.run"] = "done"
        names = [it["name"] for it in (await rig.ask("tools/list"))["tools"]]
        assert len(names) == len({*names}) and "mine" in names
        assert await rig.call("mine", a=1) == "done"
