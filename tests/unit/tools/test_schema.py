from __future__ import annotations

from typing import Any

import pytest

from acp_nvim.tools.own import TOOLS
from acp_nvim.tools.schema import checked, flag, listing, number, table, text
from acp_nvim.tools.tool import ToolError

SCHEMA = table(
    {
        "path": text(),
        "line": number(least=1, maximum=9),
        "how": text(enum=["in", "out"]),
        "all": flag(),
        "edits": listing(table({"old": text()}, "old")),
    },
    "path",
)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "path is missing"),
        ([], "the arguments must be an object"),
        ({"path": 1}, "path must be of type string"),
        ({"path": "/a", "line": 0}, "line must be at least 1"),
        ({"path": "/a", "line": 10}, "line must be at least 1 and at most 9"),
        ({"path": "/a", "line": True}, "line must be of type integer"),
        ({"path": "/a", "line": "2"}, "line must be of type integer"),
        ({"path": "/a", "how": "up"}, "how must be one of in, out"),
        ({"path": "/a", "all": 1}, "all must be of type boolean"),
        ({"path": "/a", "edits": {}}, "edits must be of type array"),
        ({"path": "/a", "edits": [{}]}, "edits[0].old is missing"),
        ({"path": "/a", "lin": 1}, "lin is unknown: did you mean line?"),
    ],
)
def test_wrong_arguments_are_named(arguments: Any, said: str) -> None:
    with pytest.raises(ToolError) as caught:
        checked(SCHEMA, arguments)
    assert said in str(caught.value)


def test_null_is_as_good_as_absent() -> None:
    assert checked(SCHEMA, {"path": "/a", "line": None}) == {"path": "/a"}
    assert checked(table({}), None) == {}


def test_each_tool_says_what_it_takes_and_gives() -> None:
    names = [it.name for it in TOOLS]
    assert len(names) == len(set(names))
    for tool in TOOLS:
        assert tool.parameters["additionalProperties"] is False
        assert tool.result is not None and tool.description.endswith(".")
        assert (tool.needs == "write") == tool.writes == (tool.patience is None)
