"""With an agent made with the official SDK: it understands what the user answers."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.support.agents import sdk_elicitor
from tests.support.main_job import MainJob

ELICITOR = {"command": sys.executable, "args": ["-P", str(Path(sdk_elicitor.__file__))]}


def test_a_form_and_an_address() -> None:
    with MainJob({"agents": {"elicitor": ELICITOR}}) as job:
        job.nvim.lua("_G.opened = {} vim.ui.open = function(url) _G.opened = url return {} end")
        job.command("AcpStart elicitor")
        job.until_event("AcpSessionStarted")
        job.command("AcpPrompt go")
        form = job.until_event("AcpElicitationRequested")
        content = {"name": "Jo", "age": 3, "tags": ["b"]}
        answer = {"action": "accept", "content": content}
        job.nvim.lua("require('acp').respond(...)", form["ask"], answer)
        link = job.until_event("AcpElicitationRequested", 2)
        assert link["mode"] == "url"
        job.nvim.lua("require('acp').respond(...)", link["ask"], {"action": "accept"})
        job.until_event("AcpTurnEnded")
        chat = "\n".join(job.chat())
        assert f"accept {content}" in chat
        assert "accept None" in chat
        assert "accounts.example.com: done" in chat
        assert job.nvim.lua("return _G.opened") == sdk_elicitor.URL
