"""What language servers know of the code: diagnostics, symbols, where things are, what they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from acp_nvim.tools import language
from acp_nvim.tools.language import Answers, Found, place_row, places
from acp_nvim.tools.schema import (
    AT,
    PAGE,
    PATH,
    PLACE,
    flag,
    number,
    page,
    paged,
    rows_text,
    table,
    text,
)
from acp_nvim.tools.told import range_of, rows_of, table_of, words_of
from acp_nvim.tools.tool import Arguments, Call, Result, Tool, ToolError

SEVERITIES: Final = ("error", "warning", "info", "hint")
KINDS: Final = (
    "",
    *("file", "module", "namespace", "package", "class", "method", "property", "field"),
    *("constructor", "enum", "interface", "function", "variable", "constant", "string", "number"),
    *("boolean", "array", "object", "key", "null", "enum member", "struct", "event", "operator"),
    "type parameter",
)
"""By the number that the protocol of language servers has for it."""
_TOP: Final = {"start": {"line": 0}}
MOST_DEPTH: Final = 20
MOST_TEXT: Final = 50_000
"""Characters of what a server says of a symbol."""


async def diagnostics(call: Call, arguments: Arguments) -> Result:
    """Return the diagnostics of one file, of its newest text, or of all files as they are."""
    path = call.resolve(arguments["path"]) if "path" in arguments else None
    if path is not None:
        await language.loaded(call, path)  # it exists, and is text
    told = await call.parts.editor.tools.ask("diagnostics.get", {"path": path})
    if told.get("problem"):
        raise ToolError(f"the editor cannot open {arguments['path']} now: run the checks yourself")
    worst = SEVERITIES.index(arguments.get("severity", "hint"))
    roots = call.roots
    rows = [
        {**{key: it[key] for key in it if it[key] is not None}, "path": call.named(it["path"])}
        for it in told["rows"]
        if roots.has(it["path"]) and SEVERITIES.index(it["severity"]) <= worst
    ]
    rows.sort(key=lambda it: (it["path"], it["line"], it["column"], it["message"]))
    shown, more = page(rows, arguments)
    data = {"fresh": told["fresh"], "diagnostics": list(shown), **more}
    none, stale = "no diagnostics", ""
    if path is not None and not told["servers"]:
        none = "no diagnostics: " + language.no_server(arguments["path"], ())
    if not told["fresh"]:
        stale = "\n(a language server has not answered for the newest text yet: call again)"
    return Result(data, rows_text([_diagnostic_row(it) for it in shown], more, none) + stale)


def _diagnostic_row(row: Mapping[str, Any]) -> str:
    source = " ".join(filter(None, (row.get("source"), row.get("code"))))
    about = f" [{source}]" if source else ""
    return (
        f"{row['path']}:{row['line']}:{row['column']}: {row['severity']}: {row['message']}{about}"
    )


async def symbols(call: Call, arguments: Arguments) -> Result:
    """Return what a file defines; by its syntax tree where no server knows."""
    path = call.resolve(arguments["path"])
    named = call.named(path)
    try:
        answers = await language.ask(call, path, "textDocument/documentSymbol")
    except ToolError:
        rows = [
            {"path": named, "name": it["name"], "kind": it["kind"].lower(), "line": it["first"]}
            | {"end_line": it["last"]}
            for it in await call.parts.editor.tools.ask("language.tree", {"path": path})
        ]
        if not rows:
            raise
    else:
        rows = [it for answer in answers.all for it in _tree(answer.result, named, "", 0)]
    return _symbols(rows, arguments)


def _tree(told: Any, path: str, outer: str, depth: int) -> Iterator[dict[str, Any]]:
    for it in rows_of(told) if depth < MOST_DEPTH else ():
        range_ = range_of(it.get("range"), table_of(it.get("location")).get("range"))
        if range_ is None or not words_of(it.get("name")):
            continue
        container = outer or words_of(it.get("containerName"))
        yield {
            "path": path,
            "name": it["name"],
            "kind": _kind(it),
            "line": range_["start"]["line"] + 1,
            "end_line": range_["end"]["line"] + 1,
        } | ({"container": container} if container else {})
        yield from _tree(it.get("children"), path, it["name"], depth + 1)


def _kind(symbol: Mapping[str, Any]) -> str:
    kind = symbol.get("kind")
    return KINDS[kind] if isinstance(kind, int) and 0 < kind < len(KINDS) else ""


async def workspace_symbols(call: Call, arguments: Arguments) -> Result:
    """Return definitions anywhere in the session's folders whose names fit."""
    asked = {"query": arguments["query"]}
    answers = await language.ask_all(call, "workspace/symbol", asked)
    roots, rows = call.roots, []
    for it in (it for answer in answers.all for it in rows_of(answer.result)):
        place = table_of(it.get("location"))
        path = language.path_of(place.get("uri", ""))
        if roots.has(path) and words_of(it.get("name")):
            start = (range_of(place.get("range")) or _TOP)["start"]
            outer = words_of(it.get("containerName"))
            container = {"container": outer} if outer else {}
            rows.append(
                {"path": call.named(path), "name": it["name"], "kind": _kind(it)}
                | {"line": start["line"] + 1}
                | container
            )
    rows.sort(key=lambda it: (it["path"], it["line"], it["name"]))
    return _symbols(rows, arguments)


def _symbols(rows: Sequence[dict[str, Any]], arguments: Arguments) -> Result:
    shown, told = page(rows, arguments)
    texts = [
        f"{it['path']}:{it['line']}: {it['kind']} "
        + ".".join(filter(None, (it.get("container"), it["name"])))
        for it in shown
    ]
    return Result({"symbols": list(shown), **told}, rows_text(texts, told, "no symbols"))


async def find(method: str, call: Call, arguments: Arguments) -> Result:
    """Return the places that a request of that method gives."""
    path = call.resolve(arguments["path"])
    is_use = method == "textDocument/references"
    more = {"params": {"context": {"includeDeclaration": True}}} if is_use else {}
    answers = await language.ask(call, path, method, arguments, **more)
    return await _places(call, language.locations(answers), arguments)


async def _places(call: Call, found: Sequence[Found], arguments: Arguments) -> Result:
    shown, told = page(await places(call, found), arguments)
    rows = rows_text([place_row(it) for it in shown], told, "nothing was found")
    return Result({"places": list(shown), **told}, rows)


async def hover(call: Call, arguments: Arguments) -> Result:
    """Return what servers say of a symbol: its type, its documentation."""
    path = call.resolve(arguments["path"])
    answers = await language.ask(call, path, "textDocument/hover", arguments)
    said = [_words(table_of(it.result).get("contents")) for it in answers.all]
    return _said(said, arguments)


async def signature(call: Call, arguments: Arguments) -> Result:
    """Return how a function is called; the place is that of a call, or of its name."""
    path = call.resolve(arguments["path"])
    answers = await _signature(call, path, arguments)
    labels = [
        "\n".join(filter(None, (words_of(it.get("label")), _words(it.get("documentation")))))
        for answer in answers.all
        for it in rows_of(table_of(answer.result).get("signatures"))
    ]
    if not any(labels):
        return await hover(call, arguments)
    return _said(labels, arguments)


async def _signature(call: Call, path: str, arguments: Arguments) -> Answers:
    """Ask behind the parenthesis that opens after the symbol, where servers know the call."""
    _, lines = await language.loaded(call, path)
    spot = language.spot(lines, arguments)
    opening = spot.line.find("(", spot.at)
    where = language.at(spot.row, spot.line, opening + 1 if opening >= 0 else spot.at)
    return await language.ask(call, path, "textDocument/signatureHelp", places=where)


def _words(told: Any) -> str:
    """Return the text of `MarkupContent`, `MarkedString` or several of these."""
    if isinstance(told, list):
        return "\n\n".join(filter(None, map(_words, told)))
    return words_of(told) or words_of(table_of(told).get("value"))


def _said(said: Sequence[str], arguments: Arguments) -> Result:
    whole = "\n\n".join(it.strip() for it in said if it.strip())[:MOST_TEXT]
    if not whole:
        raise ToolError(f"the language server says nothing of {arguments['symbol']!r}")
    return Result({"text": whole}, whole)


async def calls(call: Call, arguments: Arguments) -> Result:
    """Return who calls a function, or what it calls."""
    path = call.resolve(arguments["path"])
    answers = await language.ask(call, path, "textDocument/prepareCallHierarchy", arguments)
    is_in = arguments.get("direction", "incoming") == "incoming"
    method = f"callHierarchy/{'incoming' if is_in else 'outgoing'}Calls"
    found = []
    for answer in answers.all:
        for item in rows_of(answer.result):
            told = await language.ask(
                call, path, method, params={"item": item}, bare=True, client=answer.server
            )
            rows = rows_of(told.all[0].result)
            found += [it for row in rows if (it := _call(row, answer.encoding, is_in=is_in))]
    return await _places(call, found, arguments)


def _call(told: Mapping[str, Any], encoding: str, *, is_in: bool) -> Found | None:
    """Return a caller where it calls, or what is called where it is defined."""
    item = table_of(told.get("from" if is_in else "to"))
    calls = rows_of(told.get("fromRanges")) if is_in else ()
    where = range_of(*calls, item.get("selectionRange"), item.get("range"))
    uri = words_of(item.get("uri"))
    if where is None or not uri:
        return None
    return Found(uri, where, encoding, words_of(item.get("name")), _kind(item))


_DIAGNOSTIC = table(
    {
        "path": text(),
        "line": number(),
        "column": number(),
        "end_line": number(),
        "end_column": number(),
        "severity": text(enum=[*SEVERITIES]),
        "source": text(),
        "code": text(),
        "message": text(),
    },
    *("path", "line", "column", "severity", "message"),
)
_SYMBOL = table(
    {
        "path": text(),
        "line": number(),
        "end_line": number(),
        "name": text(),
        "kind": text(),
        "container": text(),
    },
    *("path", "line", "name"),
)
_SAID = table({"text": text()}, "text")


def _finder(name: str, method: str, description: str) -> Tool:
    parameters = table({**AT, **PAGE}, "path", "line", "symbol")
    run = partial(find, f"textDocument/{method}")
    return Tool(name, description, parameters, paged("places", PLACE), run, needs="read")


TOOLS = (
    Tool(
        "diagnostics",
        "Errors and warnings of language servers and linters, for the text as it is now, saved or "
        "not. Of one file, or of all that are open.",
        table(
            {"path": PATH, "severity": text("and worse", enum=[*SEVERITIES]), **PAGE},
        ),
        paged("diagnostics", _DIAGNOSTIC, fresh=flag("servers have answered for the newest text")),
        diagnostics,
    ),
    Tool(
        "symbols",
        "What a file defines: functions, classes, variables, with their lines.",
        table({"path": PATH, **PAGE}, "path"),
        paged("symbols", _SYMBOL),
        symbols,
        needs="read",
    ),
    Tool(
        "workspace_symbols",
        "Where in the project functions, classes and the like of a name are defined.",
        table({"query": text("a name, or the beginning of one"), **PAGE}, "query"),
        paged("symbols", _SYMBOL),
        workspace_symbols,
        needs="read",
    ),
    _finder("definition", "definition", "Where a symbol is defined."),
    _finder("references", "references", "All places where a symbol is used."),
    _finder("implementations", "implementation", "What implements an interface or a method."),
    _finder("type_definition", "typeDefinition", "Where the type of a symbol is defined."),
    Tool(
        "hover",
        "The type and the documentation of a symbol.",
        table(AT, "path", "line", "symbol"),
        _SAID,
        hover,
        needs="read",
    ),
    Tool(
        "signature",
        "How a function is called: its parameters.",
        table(AT, "path", "line", "symbol"),
        _SAID,
        signature,
        needs="read",
    ),
    Tool(
        "calls",
        "Who calls a function (incoming), or what it calls (outgoing).",
        table(
            {**AT, "direction": text(enum=["incoming", "outgoing"]), **PAGE},
            *("path", "line", "symbol"),
        ),
        paged("places", PLACE),
        calls,
        needs="read",
    ),
)
