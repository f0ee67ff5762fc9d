"""The user's own functions as tools, the worked examples of the help among them."""

from __future__ import annotations

import re
import sqlite3
from typing import Any

import pytest

from tests.support.main_job import MainJob
from tests.support.nvim import ROOT, Neovim
from tests.support.tools.tools_job import ToolsJob

ADD = """
local spec = ...
spec.run = function(args, ctx)
  _G.called = { args, ctx.agent, ctx.session, ctx.cwd }
  if args.how == 'raise' then
    error('it broke')
  elseif args.how == 'later' then
    vim.schedule(function() ctx.reply({ later = true }) end)
    return nil
  elseif args.how == 'fail' then
    return ctx.fail('not today')
  elseif args.how == 'never' then
    ctx.on_cancel(function() _G.cancelled = true end)
    return nil
  elseif args.how == 'function' then
    return { print }
  end
  return 'said ' .. args.how
end
_G.remove = require('acp').tool(spec)
"""
SPEC = {
    "name": "mine",
    "description": "Does it.",
    "parameters": {"properties": {"how": {"type": "string"}}, "required": ["how"]},
}


def examples() -> list[str]:
    """Return the Lua of the worked examples, in the order of the page."""
    manual = (ROOT / "doc" / "acp-reference.txt").read_text(encoding="utf-8")
    page = manual.partition("*acp-tools-own*")[2].partition("=" * 78)[0]
    return re.findall(r">lua\n(.*?)^<", page, re.MULTILINE | re.DOTALL)


def listed(tools: ToolsJob) -> list[str]:
    return [it["name"] for it in tools.peer.request("tools/list")["tools"]]


def test_a_function_is_a_tool_until_it_is_taken_away(tools: ToolsJob) -> None:
    assert "mine" not in listed(tools)
    tools.nvim.lua(ADD, SPEC)
    tools.peer.until_notified("notifications/tools/list_changed")
    assert listed(tools)[-1] == "mine"
    assert tools.peer.call("mine", how="this") == {"text": "said this"}
    session = tools.job.session()["id"]
    called = [{"how": "this"}, "scripted", session, str(tools.work)]
    assert tools.nvim.lua("return _G.called") == called
    assert "later" in tools.peer.call("mine", how="later")["text"]
    assert "how is missing" in tools.peer.refused("mine")
    assert "it broke" in tools.peer.refused("mine", how="raise")
    assert tools.peer.refused("mine", how="fail") == "not today"
    assert tools.peer.refused("mine", how="function") == "its result is not plain data"
    tools.nvim.lua("_G.remove()")
    assert "mine" not in listed(tools)
    tools.job.usable()


def test_whoever_waits_no_more_is_told_to_the_function(tools: ToolsJob) -> None:
    tools.nvim.lua(ADD, SPEC)
    number = tools.peer.begin("mine", how="never")
    tools.job.until(lambda: tools.nvim.lua("return _G.called ~= nil"))
    tools.peer.send("notifications/cancelled", {"requestId": number})
    tools.job.until(lambda: tools.nvim.lua("return _G.cancelled"))


def test_the_user_is_asked_for_one_that_wants_that(tools: ToolsJob) -> None:
    tools.nvim.lua(ADD, {**SPEC, "asks": True})
    prompt = tools.job.turn(tools.agent)
    for answer in ("allow", "reject"):
        number = tools.peer.begin("mine", how="asked")
        ask = tools.job.until(lambda: tools.job.asks())[0]
        assert ask["title"] == "Run your tool mine?"
        tools.nvim.lua("require('acp').respond(...)", ask["id"], answer)
        result = tools.peer.answer(number)["result"]
        assert result["isError"] == (answer == "reject"), result
        tools.job.until(lambda: not tools.job.asks())
    tools.job.finish(tools.agent, prompt)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"name": "a b"}, "a name of letters, digits and _"),
        ({"name": "a"}, "the tool a has no description"),
        ({"name": "a", "description": "x"}, "has no function `run`"),
    ],
)
def test_what_is_no_tool_is_told(nvim: Neovim, spec: dict[str, Any], said: str) -> None:
    told = nvim.lua("return tostring(select(2, pcall(require('acp').tool, ...)))", spec)
    assert said in told


@pytest.mark.parametrize(
    ("parameters", "is_one"),
    [
        ("'text'", False),
        ("{ properties = 5 }", False),
        ("{ properties = { 'a' } }", False),
        ("{ properties = { a = 'string' } }", False),
        ("{ type = 'string' }", False),
        ("{ default = print }", False),
        ("{ properties = { a = {} } }", True),
        ("{ properties = {} }", True),
        ("nil", True),
    ],
)
def test_a_schema_that_no_agent_understands_is_told(
    nvim: Neovim, parameters: str, is_one: bool
) -> None:
    """An agent refuses a list of tools with such a one as a whole, with all tools in it."""
    spec = f"{{ name = 'a', description = 'x', run = print, parameters = {parameters} }}"
    told = nvim.lua(f"return tostring(select(2, pcall(require('acp').tool, {spec})))")
    assert ("not the schema of an object" in told) != is_one
    listed = nvim.lua(
        "local found; require('acp.tools.own').list({}, function(_, it) found = it end) "
        "return vim.json.encode(found)"
    )
    assert '"a":[]' not in listed and '"properties":[]' not in listed


def test_the_examples_of_the_help_do_what_they_say(tools: ToolsJob) -> None:
    make, query, notes = examples()
    tools.file("Makefile", "all:\n\t@echo made\nbad:\n\t@false\n")
    with sqlite3.connect(tools.work / "dev.db") as database:
        database.execute("create table t (a)")
        database.execute("insert into t values (42)")
    home = tools.job.folder / "home"
    (home / "notes").mkdir(parents=True)
    (home / "notes" / "a.md").write_text("buy Milk\nnothing\n")
    tools.nvim.lua("vim.env.HOME = ...", str(home))
    tools.nvim.lua(make)
    assert "made" in tools.peer.call("make")["text"]
    assert tools.peer.call("make", target="bad")["text"].startswith("exit code 2")
    tools.nvim.lua(notes)
    assert tools.peer.call("notes", word="milk") == {"text": "a.md: buy Milk"}
    tools.nvim.lua(query)
    prompt = tools.job.turn(tools.agent)
    number = tools.peer.begin("query", sql="select a from t")
    ask = tools.job.until(lambda: tools.job.asks())[0]
    tools.nvim.lua("require('acp').respond(...)", ask["id"], "allow")
    result = tools.peer.answer(number)["result"]["content"][0]["text"]
    if tools.nvim.eval("executable('sqlite3')"):
        assert result.strip() == "42"
    else:
        assert "sqlite3" in result
    tools.job.finish(tools.agent, prompt)


def test_an_agent_that_takes_servers_over_acp_needs_no_relay(job: MainJob) -> None:
    job.command("AcpStart scripted")
    agent = job.stage.accept()
    agent.initialize(agentCapabilities={"mcpCapabilities": {"acp": True}})
    [server] = agent.open()["params"]["mcpServers"]
    assert (server["type"], server["name"]) == ("acp", "editor")
    job.until(lambda: job.session().get("state") == "idle")
    path = str(job.edit("a.txt", "one\n"))
    job.nvim.input("cwtwo<Esc>")
    agent.request(
        "mcp/message",
        {
            "serverId": server["serverId"],
            "requestId": "1",
            "method": "tools/call",
            "params": {"name": "read_file", "arguments": {"path": path}},
        },
        "x",
    )
    result = agent.answer_to("x")["result"]["result"]
    assert result["structuredContent"]["content"] == "two\n"
