"""The types that a user's language server reads say what the configuration and the manual say."""

from __future__ import annotations

import re

from acp_nvim.config import options
from tests.support.nvim import ROOT
from tests.unit.test_docs import EVENTS, chapter

TYPES = (ROOT / "lua" / "acp" / "types.lua").read_text(encoding="utf-8")


def classes(pattern: str) -> dict[str, list[str]]:
    """Return the fields of each class whose name, after "acp.", matches as a whole."""
    found = re.findall(
        r"^---@class acp\.(\S+?)(?::.*)?\n((?:---@field .*\n)*)", TYPES, re.MULTILINE
    )
    return {
        name: re.findall(r"^---@field (\w+)", lines, re.MULTILINE)
        for name, lines in found
        if re.fullmatch(pattern, name)
    }


def test_the_options() -> None:
    models = [it for it in vars(options).values() if isinstance(it, type)]
    sections = [it for it in models if issubclass(it, options.Section)]
    known = {
        it.__name__: sorted(field.alias or name for name, field in it.model_fields.items())
        for it in sections
    }
    del known["Section"], known["NamedValue"]
    typed = classes(r"\w*Options|McpServer|Defaults").items()
    assert {name: sorted(fields) for name, fields in typed} == known


def fields(part: str) -> list[str]:
    """Return what the manual says that an event has."""
    rows = re.findall(r"^\t([a-z_]+(?:, [a-z_]+)*)\t", part, re.MULTILINE)
    return [name for row in rows for name in row.split(", ")]


def test_the_events() -> None:
    told = chapter("acp-events").partition("besides. What is not known is nil.")[2]
    parts = re.split(r"^\t+\s*\*Acp\w+\*$", told, flags=re.MULTILINE)[1:]
    manual = {part.split()[0]: fields(part) for part in parts}
    assert set(manual) == EVENTS
    assert classes(r"Event\.\w+") == {f"Event.{name}": it for name, it in manual.items()}


def test_the_snapshot() -> None:
    block = chapter("acp-inspect").partition("left out. >\n")[2].partition("\n<")[0]
    typed = {name for fields in classes(r"\w*Snapshot").values() for name in fields}
    typed |= set(re.findall(r"(\w+)\??: ", "".join(re.findall(r"{.*?}", TYPES))))
    words = set(re.findall(r"\w+", block)) - {"config", "commands"}
    assert words <= typed | {"category", "type", "value", "options"}
    parts = set(re.findall(r"^    (\w+) +=", block, re.MULTILINE))
    assert set(classes("Snapshot")["Snapshot"]) == parts
