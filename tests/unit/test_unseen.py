"""No window or buffer of ours is made past `acp.ui.unseen`: the user's autocommands would run."""

from __future__ import annotations

import re
from pathlib import Path

LUA = Path(__file__).resolve().parents[2] / "lua" / "acp"
UNSEEN = LUA / "ui" / "unseen.lua"
MAKES = re.compile(r"nvim_create_buf\b|fn\.bufload\b|call bufload|nvim_open_term\b")
ALLOWED = {
    "follow/companion.lua": {"nvim_create_buf", "call bufload"},  # a file, with its autocommands
    "chat/terminal.lua": {"nvim_open_term"},  # in a buffer of `unseen.buffer`
    "prompt/add.lua": {"fn.bufload"},  # a prompt that the user has unloaded
}


def test_buffers_are_made_in_one_place() -> None:
    for path in LUA.rglob("*.lua"):
        code = re.sub(r"--.*", "", path.read_text("utf-8"))
        if path != UNSEEN:
            found = set(MAKES.findall(code))
            assert found <= ALLOWED.get(path.relative_to(LUA).as_posix(), set()), path
