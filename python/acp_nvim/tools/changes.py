"""Changes that language servers work out, made in our own way: merged, reviewed, one turn, undone.

Nothing is written unless all of it can be: each file is inside of the session's folders, and is
what the server has seen. Commands of a server are never run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from acp_nvim.errors import FileProblem, OutsideRoots, RequestFailed
from acp_nvim.files import disk
from acp_nvim.files.live import load
from acp_nvim.tools import files, language
from acp_nvim.tools.language import Answer, Answers
from acp_nvim.tools.schema import AT, LINE, PAGE, PATH, listing, page, paged, rows_text, table, text
from acp_nvim.tools.text_positions import Misplaced, edited, offsets
from acp_nvim.tools.told import rows_of, table_of, words_of
from acp_nvim.tools.tool import Arguments, Call, Result, Tool, ToolError
from acp_nvim.view.styled import plural

MOST_FILES: Final = 500
MOST_ACTIONS: Final = 200
"""Code actions that are remembered for `apply_code_action`."""
_NOTHING = "nothing was changed"


async def rename(call: Call, arguments: Arguments) -> Result:
    """Rename a symbol wherever it is used."""
    path = call.resolve(arguments["path"])
    new = {"newName": arguments["to"]}
    answers = await language.ask(
        call, path, "textDocument/rename", arguments, first=True, params=new
    )
    return await _spread(call, answers.all[0], answers.ticks)


async def code_actions(call: Call, arguments: Arguments) -> Result:
    """Return what servers offer to do at a line."""
    path, row = call.resolve(arguments["path"]), arguments["line"] - 1
    _, lines = await language.loaded(call, path)
    line, start = language.line_at(lines, arguments["line"]), {"line": row, "character": 0}
    ends = offsets(line, len(line)).items()
    places = {
        it: {"range": {"start": start, "end": {"line": row, "character": end}}} for it, end in ends
    }
    answers = await language.ask(
        call, path, "textDocument/codeAction", places=places, diagnosed=row
    )
    rows = [_kept(call, path, answers, answer, it) for answer in answers.all for it in _of(answer)]
    shown, told = page([it for it in rows if it is not None], arguments)
    texts = [f"{it['id']}: {it['title']}" for it in shown]
    return Result({"actions": list(shown), **told}, rows_text(texts, told, "no code actions"))


def _of(answer: Answer) -> Sequence[Mapping[str, Any]]:
    return [it for it in rows_of(answer.result) if words_of(it.get("title"))]


def _kept(
    call: Call, path: str, answers: Answers, answer: Answer, action: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Remember an action by an id; None for one that only runs a command, or is disabled."""
    is_command = isinstance(action.get("command"), str) or (
        action.get("command") and not action.get("edit") and not action.get("data")
    )
    if is_command or action.get("disabled"):
        return None
    actions = call.kept.setdefault("actions", {})
    number_ = call.kept["count"] = call.kept.get("count", 0) + 1
    actions[f"action-{number_}"] = path, answer, dict(action), answers.ticks
    while len(actions) > MOST_ACTIONS:
        del actions[next(iter(actions))]
    kind = {"kind": action["kind"]} if isinstance(action.get("kind"), str) else {}
    return {"id": f"action-{number_}", "title": action["title"], **kind}


async def apply_code_action(call: Call, arguments: Arguments) -> Result:
    """Do one of them."""
    found = call.kept.get("actions", {}).pop(arguments["id"], None)
    if found is None:
        raise ToolError(f"there is no {arguments['id']!r} (any more): call code_actions again")
    path, answer, action, ticks = found
    edit = action.get("edit")
    if not edit:
        method, server = "codeAction/resolve", answer.server
        resolved = await language.ask(call, path, method, params=action, bare=True, client=server)
        edit = table_of(resolved.all[0].result).get("edit")
    if not edit:
        raise ToolError(
            f"{action['title']!r} runs a command of {answer.name}, which is not done: {_NOTHING}"
        )
    return await _spread(call, Answer(answer.server, answer.name, answer.encoding, edit), ticks)


async def format_file(call: Call, arguments: Arguments) -> Result:
    """Format a file, as the user's conform.nvim does where that has a formatter for it."""
    path = call.resolve(arguments["path"])
    told = await call.parts.editor.tools.ask("language.conform", {"path": path})
    if not told.get("problem"):
        return await _formatted(call, path, told)
    answers = await language.ask(call, path, "textDocument/formatting", first=True)
    answer = answers.all[0]
    edits = {path: rows_of(answer.result)}
    return await _write(call, edits, answer.encoding, answers.ticks)


async def _formatted(call: Call, path: str, told: Mapping[str, Any]) -> Result:
    """Write the lines that a formatter has made of a file; the last one ends as it did."""
    if error := words_of(told.get("error")):
        raise ToolError(f"conform.nvim has failed: {error}")
    async with call.parts.holding((path,)):
        before = await _unchanged(call, path, told.get("tick"))
        end = "\n" if "\r\n" not in before else "\r\n"
        after = end.join(told.get("lines") or ()) + (end if before.endswith(end) else "")
        return await _written(call, {path: after} if after != before else {})


async def _spread(call: Call, answer: Answer, ticks: Mapping[str, int]) -> Result:
    """Make a `WorkspaceEdit`; raises `ToolError`."""
    edits = dict[str, list[Any]]()
    told = table_of(answer.result)
    for change in rows_of(told.get("documentChanges")):
        if "kind" in change:
            raise ToolError(
                f"{answer.name} wants to {change['kind']} files, which is yours to do: {_NOTHING}"
            )
        uri = words_of(table_of(change.get("textDocument")).get("uri"))
        edits.setdefault(uri, []).extend(rows_of(change.get("edits")))
    if not edits:
        changes = table_of(told.get("changes"))
        edits = {uri: list(rows_of(it)) for uri, it in changes.items()}
    return await _write(
        call,
        {language.path_of(uri): it for uri, it in edits.items()},
        answer.encoding,
        ticks,
    )


async def _write(
    call: Call, edits: Mapping[str, Sequence[Any]], encoding: str, ticks: Mapping[str, int]
) -> Result:
    """Write the edits of several files: of all, or of none that another one keeps from it."""
    if len(edits) > MOST_FILES:
        raise ToolError(
            f"it would change {len(edits)} files, {MOST_FILES} are the most: {_NOTHING}"
        )
    real = {path: _inside(call, path) for path in sorted(edits)}
    async with call.parts.holding(real.values()):
        texts = dict[str, str]()
        for path, at in real.items():
            after = await _after(call, path, at, edits[path], encoding, ticks)
            if after is not None:
                texts[path] = after
        return await _written(call, texts)


def _inside(call: Call, path: str) -> str:
    """Return the resolved path of a file of the session's folders; raises `ToolError`."""
    try:
        return call.roots.resolve(path)
    except OutsideRoots as problem:
        raise ToolError(f"it would change a file elsewhere ({problem}): {_NOTHING}") from problem


async def _after(
    call: Call,
    path: str,
    real: str,
    edits: Sequence[Any],
    encoding: str,
    ticks: Mapping[str, int],
) -> str | None:
    """Return the text of a file after its edits; None if they change nothing."""
    name = call.named(path)
    before = await _unchanged(call, real, ticks.get(real))
    try:
        after = edited(before, edits, encoding)
    except Misplaced as error:
        raise ToolError(f"the server's edits of {name} make no sense: {_NOTHING}") from error
    return None if after == before else after


async def _unchanged(call: Call, path: str, tick: int | None) -> str:
    """Return the text of a file that is as it was when somebody was asked; raises `ToolError`."""
    name, live = call.named(path), await load(call.parts.editor.files, path)
    if live.buffer is not None and tick not in (None, live.buffer.changedtick):
        raise ToolError(f"{name} was changed while the server worked: {_NOTHING}; try again")
    if live.buffer is not None and live.buffer.locked:
        raise ToolError(f"{name} is {live.buffer.locked} in the user's editor: {_NOTHING}")
    disk.check_writable(path)
    before = await files.text_of(call, path)
    if before != live.for_agent:
        raise ToolError(f"{name} has just changed: {_NOTHING}; try again")
    return before


async def _written(call: Call, texts: Mapping[str, str]) -> Result:
    """Write each text; what cannot be written keeps none of the others from it."""
    written, failed = list[str](), list[str]()
    for path, content in texts.items():
        try:
            await files.put(call, path, content)
            written.append(call.named(path))
        except (RequestFailed, FileProblem) as problem:
            failed.append(f"{call.named(path)}: {problem}")
    if failed:
        done = f"written: {', '.join(written)}; " if written else f"{_NOTHING}; "
        raise ToolError(f"{done}not written: {'; '.join(failed)}")
    done = f"{plural(len(written), 'file')} changed, the user reviews that:"
    said = "\n".join([done, *written]) if written else "there is nothing to change"
    return Result({"files": written}, said)


_FILES = table({"files": listing(text())}, "files")
_ACTION = table({"id": text(), "title": text(), "kind": text()}, "id", "title")


def _change(name: str, description: str, parameters: Any, run: Any) -> Tool:
    return Tool(
        name,
        description,
        parameters,
        _FILES,
        run,
        writes=True,
        repeats=False,
        needs="write",
        patience=None,
    )


TOOLS = (
    _change(
        "rename",
        "Rename a symbol wherever the language server knows it, in all files. The user reviews it.",
        table({**AT, "to": text("the new name")}, "path", "line", "symbol", "to"),
        rename,
    ),
    Tool(
        "code_actions",
        "What the language server offers to do at a line: fixes, imports, refactorings.",
        table({"path": PATH, "line": LINE, **PAGE}, "path", "line"),
        paged("actions", _ACTION),
        code_actions,
        repeats=False,
        needs="read",
    ),
    _change(
        "apply_code_action",
        "Do one of the code actions. The user reviews what it changes.",
        table({"id": text("of code_actions")}, "id"),
        apply_code_action,
    ),
    _change(
        "format",
        "Format a file as the user does: by conform.nvim, else its language server. "
        "The user reviews what it changes.",
        table({"path": PATH}, "path"),
        format_file,
    ),
)
