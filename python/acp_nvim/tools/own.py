"""The user's own tools: functions of their Lua configuration (`require('acp').tool`)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from acp_nvim.editor import ToolAnswers
from acp_nvim.session.content import Text
from acp_nvim.session.model import Subject
from acp_nvim.tools import changes, files, history, queries, windows
from acp_nvim.tools.tool import Arguments, Call, Result, Schema, Tool, ToolError


async def tools(answers: ToolAnswers) -> Sequence[Tool]:
    """Return those that there are now."""
    return [_tool(it) for it in await answers.ask("own.list", {})]


def _tool(told: Mapping[str, Any]) -> Tool:
    run = partial(_run, told["name"], told["asks"])
    parameters: Schema = told["parameters"]
    # it may change anything, and take as long as it likes
    return Tool(
        told["name"],
        told["description"],
        parameters,
        None,
        run,
        writes=True,
        repeats=False,
        patience=None,
    )


async def _run(name: str, asks: bool, call: Call, arguments: Arguments) -> Result:
    state = call.caller.session.state
    if asks:
        given = (Text(json.dumps(arguments, ensure_ascii=False, indent=1)),) if arguments else ()
        if not await call.caller.allowed(Subject(f"Run your tool {name}?", given, "execute")):
            raise ToolError(f"the user does not let {name} be run")
    asked = {
        "name": name,
        "arguments": arguments,
        "agent": state.agent,
        "session": state.id or "",
        "cwd": state.cwd,
    }
    result = await call.parts.editor.tools.ask("own.run", asked)
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, indent=1)
    return Result({}, text)


TOOLS: Final[Sequence[Tool]] = (
    *windows.TOOLS,
    *files.TOOLS,
    *queries.TOOLS,
    *changes.TOOLS,
    *history.TOOLS,
)
