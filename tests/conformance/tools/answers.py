"""What an editor answers to the questions of each tool, and a call of each that gets an answer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from acp_nvim.session.model import Selection
from tests.support.fakes.fake_ports import FakeSurroundings
from tests.support.tools.tools_rig import ToolsRig

START, END = {"line": 0, "character": 4}, {"line": 0, "character": 5}
RANGE = {"start": START, "end": END}


def answers(rig: ToolsRig) -> dict[str, Any]:
    """Return the answers, by questions."""
    uri = Path(rig.path("a.py")).as_uri()
    place = {"uri": uri, "range": RANGE}
    item = {"name": "f", "kind": 12, **place, "selectionRange": RANGE}
    edit = {"changes": {uri: [{"range": RANGE, "newText": "g"}]}}
    told = {
        "textDocument/definition": place,
        "textDocument/references": [place, {"uri": "file:///usr/lib/x.py", "range": RANGE}],
        "textDocument/implementation": [{"targetUri": uri, "targetSelectionRange": RANGE}],
        "textDocument/typeDefinition": None,
        "textDocument/hover": {"contents": {"kind": "markdown", "value": "a function"}},
        "textDocument/signatureHelp": {"signatures": [{"label": "f()"}]},
        "textDocument/documentSymbol": [{"name": "f", "kind": 12, "range": RANGE}],
        "textDocument/prepareCallHierarchy": [item],
        "callHierarchy/incomingCalls": [{"from": item, "fromRanges": [RANGE]}],
        "textDocument/rename": edit,
        "textDocument/codeAction": [{"title": "Fix", "edit": edit, "kind": "quickfix"}],
        "textDocument/formatting": [{"range": RANGE, "newText": "h"}],
        "workspace/symbol": [{"name": "f", "kind": 12, "location": place}],
    }

    async def ask(asked: Mapping[str, Any]) -> Any:
        answer = {"id": 1, "name": "server", "encoding": "utf-16", "result": told[asked["method"]]}
        return {"answers": [answer], "ticks": {}}

    surroundings = rig.parts.editor.surroundings
    assert isinstance(surroundings, FakeSurroundings)
    lines = ("def f():",)
    surroundings.selected = Selection(1, 0, rig.path("a.py"), 1, 1, lines)
    row = {"path": rig.path("a.py"), "line": 1, "column": 5, "severity": "error", "message": "m"}
    return {
        "windows.files": [{"path": rig.path("a.py"), "modified": True, "current": True}],
        "windows.list": {
            "title": "t",
            "entries": [{"path": "", "line": 0, "text": "x", "kind": ""}],
        },
        "language.request": ask,
        "language.workspace": ask,
        "language.conform": {"problem": "none"},
        "diagnostics.get": {"fresh": True, "servers": ["server"], "rows": [{**row, "code": None}]},
    }


def arguments(rig: ToolsRig) -> dict[str, dict[str, Any]]:
    """Return a call of each tool; in this order, for some need another before."""
    path = {"path": rig.path("a.py")}
    at = {**path, "line": 1, "symbol": "f"}
    edit = {"old_text": "return f", "new_text": "return 1"}
    return {
        "open_files": {},
        "selection": {},
        "quickfix": {"list": "location"},
        "show": {**path, "line": 1, "note": "here"},
        "read_file": {**path, "limit": 1},
        "diagnostics": path,
        "symbols": path,
        "workspace_symbols": {"query": "f"},
        **dict.fromkeys(("definition", "references", "implementations", "type_definition"), at),
        "hover": at,
        "signature": at,
        "calls": {**at, "direction": "incoming"},
        "code_actions": {**path, "line": 1},
        "apply_code_action": {"id": "action-1"},
        "rename": {**path, "line": 1, "symbol": "g", "to": "f"},
        "format": path,
        "edit_file": {**path, "edits": [edit]},
        "review": {},
        "why": {**path, "line": 2},
    }
