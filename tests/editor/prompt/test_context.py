"""The file that the user is in goes with a prompt, once; names for what is around the cursor."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.main_job import MainJob

FILE = "def one():\n    x = 1\n    return x\n\n\nclass Two:\n    def three(self):\n        pass\n"
ON = pytest.mark.parametrize("job", [{"context": "file"}], indirect=True)


def links(request: dict[str, Any]) -> list[str]:
    blocks = request["params"]["prompt"]
    found = [it for it in blocks if it["type"] == "resource_link"]
    assert not any("#" in it["uri"] for it in found)  # gemini looks for a file of that name
    return [it["name"] for it in found]


def rows(job: MainJob) -> list[str]:
    """Return the rows below the text of the prompt."""
    marks = job.nvim.lua(
        """local buffer = require('acp.chat.registry').current().prompt
        local space = vim.api.nvim_get_namespaces().acp_along
        local marks = vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, { details = true })
        return marks[1] and marks[1][4].virt_lines or {}"""
    )
    return ["".join(chunk[0] for chunk in line).strip() for line in marks]


@ON
def test_it_goes_once_and_again_when_the_user_is_in_another_file(job: MainJob) -> None:
    agent = job.start()
    job.edit("a.py", FILE)
    job.command("2 | Acp prompt")
    assert rows(job) == ["1 @a.py:2 · the file you are in"]
    job.nvim.input("ihello<Esc><CR>")
    request = agent.prompted()
    assert request["params"]["prompt"][0] == {"type": "text", "text": "hello"}
    assert links(request) == ["a.py:2"]
    job.until(lambda: any("@a.py" in line for line in job.chat()))
    assert rows(job) == []
    job.finish(agent, request)
    request = job.turn(agent, "again")
    assert links(request) == []
    job.finish(agent, request)
    job.edit("b.py", FILE)
    request = job.turn(agent, "and here?")
    assert links(request) == ["b.py:1"]
    job.finish(agent, request)


@ON
def test_of_two_files_on_the_screen_it_is_the_one_that_the_user_is_in(job: MainJob) -> None:
    agent = job.start()
    job.edit("a.py", FILE)
    (job.work / "b.py").write_text(FILE)
    job.command("split b.py")
    job.command("3 | AcpPrompt what is this?")
    assert links(agent.prompted()) == ["b.py:3"]
    job.command("Acp prompt")
    assert rows(job) == []
    job.command("wincmd p | wincmd j")
    assert job.nvim.eval("expand('%:t')") == "a.py"
    job.until(lambda: rows(job) == ["1 @a.py:1 · the file you are in"])


@ON
def test_it_can_be_removed_until_the_user_goes_elsewhere(job: MainJob) -> None:
    agent = job.start()
    job.edit("a.py", FILE)
    job.command("Acp prompt")
    job.nvim.input("<C-x>")
    assert rows(job) == []
    request = job.turn(agent, "not about that")
    assert links(request) == []
    job.finish(agent, request)
    job.edit("b.py", FILE)
    assert rows(job) == ["1 @b.py:1 · the file you are in"]


@ON
def test_lines_of_it_name_it_already_and_other_folders_are_not_told(job: MainJob) -> None:
    agent = job.start()
    job.edit("a.py", FILE)
    job.command("1,2AcpPrompt explain")
    request = agent.prompted()
    assert [it["uri"].rpartition("#")[2] for it in request["params"]["prompt"][1:2]] == ["L1-L2"]
    job.finish(agent, request)
    job.command(f"edit {job.folder}/elsewhere.py")
    request = job.turn(agent, "and this")
    assert "elsewhere" not in str(request["params"]["prompt"])
    job.finish(agent, request)


def test_off_tells_nothing(job: MainJob) -> None:
    agent = job.start()
    job.edit("a.py", FILE)
    assert links(job.turn(agent)) == []


def test_names_for_what_is_around_the_cursor(job: MainJob) -> None:
    agent = job.start(agentCapabilities={"promptCapabilities": {"embeddedContext": True}})
    path = job.edit("a.lua", "local function one()\n  return 1\nend\n\nreturn one\n")
    job.command("set filetype=lua | 2 | normal! mq")
    request = job.turn(agent, "see @function and @marks and @buffers and @class")
    _, function, marks, buffers = request["params"]["prompt"]
    assert function["resource"]["uri"].endswith("/a.lua#L1-L3")
    assert marks["resource"]["text"] == "a.lua:2:1: mark q:   return 1\n"
    assert buffers["uri"] == f"file://{path}"
    job.until(lambda: any("@class: none is known" in line for line in job.chat()))


def test_ready_made_prompts_can_be_changed_and_give_way_to_the_agents(job: MainJob) -> None:
    agent = job.start()
    job.nvim.lua(
        "local acp = vim.g.acp acp.prompts = { fix = 'Mend it', tests = '' } vim.g.acp = acp"
    )
    job.command("wincmd t | wincmd b")  # the host is told something, and first the configuration
    names = "return vim.fn.getcompletion('AcpPrompt /', 'cmdline')"
    job.until(lambda: job.nvim.lua(names) == ["/fix", "/commit", "/explain", "/review"])
    request = job.turn(agent, "/fix now")
    assert request["params"]["prompt"][0]["text"] == "Mend it now"
    job.finish(agent, request)
    request = job.turn(agent, "/tests")
    assert request["params"]["prompt"][0]["text"] == "/tests"
    commands = [{"name": "review", "description": "The agent's own"}]
    agent.update("available_commands_update", availableCommands=commands)
    job.finish(agent, request)
    request = job.turn(agent, "/review it")
    assert request["params"]["prompt"][0]["text"] == "/review it"
    job.finish(agent, request)
    request = job.turn(agent, "/explain")
    assert request["params"]["prompt"][0]["text"].startswith("Explain this code")
