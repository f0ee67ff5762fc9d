"""Logging in: a picker, the winbar, a real terminal that the user types in."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

KEY = {"id": "key", "name": "API key"}
TERMINAL = {"id": "tty", "name": "In a terminal", "type": "terminal", "args": ["--login"]}

LOGIN = """
import json, os, sys
if "--login" not in sys.argv:
    sys.path.insert(0, os.path.dirname({relay!r}))
    import relay
    relay.main(sys.argv[1])
    sys.exit()
kept = {{name: os.environ.get(name) for name in ("NVIM", "KEY", "TERM")}}
facts = {{"argv": sys.argv[1:], "env": kept, "cwd": os.getcwd()}}
open({facts!r}, "w").write(json.dumps(facts))
answer = input("code: ")
open({facts!r} + ".answer", "w").write(answer)
sys.exit(int(answer))
"""


@pytest.fixture
def job() -> Iterator[MainJob]:
    """Return a main job whose agent can also log in, in a terminal."""
    with MainJob() as it:
        relay = str(Path(__file__).parents[2] / "support" / "agents" / "relay.py")
        script = it.folder / "agent.py"
        script.write_text(LOGIN.format(relay=relay, facts=str(facts(it))))
        args = ["-S", str(script), it.stage.path]
        scripted = {"command": sys.executable, "args": args, "env": {"KEY": "secret"}}
        it.nvim.lua(
            "local o = vim.g.acp; o.agents.scripted = ...; vim.g.acp = o",
            scripted,
        )
        yield it


ACCEPT = "vim.ui.select = function(rows, how, done) done(rows[1], 1) end"
"""Answers a list with its first row."""


def facts(job: MainJob) -> Path:
    """Return the file in which the login says how it was run."""
    return job.folder / "facts.json"


def refused(job: MainJob, *methods: dict[str, Any]) -> StdioAgent:
    """Start the agent up to its refusal."""
    job.command("AcpStart scripted")
    agent = job.stage.accept()
    agent.initialize(authMethods=list(methods))
    agent.refuse(agent.expect("session/new"), -32000, "Authentication required")
    job.until(lambda: job.inspect()["connections"][0]["state"] == "needs_login")
    return agent


def winbar(job: MainJob) -> str:
    """Return the winbar of the newest chat."""
    return str(job.nvim.lua("return vim.b[...].acp_winbar", job.session()["bufnr"]))


def terminals(job: MainJob) -> list[int]:
    """Return the terminal buffers."""
    code = "return vim.tbl_filter(function(b) return vim.bo[b].buftype == 'terminal' end, ...)"
    return list(job.nvim.lua(code, job.nvim.api.nvim_list_bufs()))


def in_terminal(job: MainJob) -> dict[str, Any]:
    """Give the command, and wait until the program asks; return how it was run."""
    job.nvim.lua(ACCEPT)
    job.command("Acp login tty")
    job.until(lambda: terminals(job))
    job.until(lambda: "code:" in "\n".join(job.nvim.lines(terminals(job)[0])))
    return dict(json.loads(facts(job).read_text()))


def test_the_chat_says_how_to_log_in_and_nothing_opens(job: MainJob) -> None:
    agent = refused(job, KEY)
    job.until(lambda: ":Acp login" in "\n".join(job.chat()))
    assert "key (API key)" in "\n".join(job.chat())
    assert job.inspect()["connections"][0]["auth_methods"] == [KEY | {"type": "agent"}]
    agent.quiet()
    assert job.nvim.eval("getcompletion('Acp login k', 'cmdline')") == ["key"]
    job.usable()


def test_a_login_that_the_agent_does_is_seen_and_opens_the_session(job: MainJob) -> None:
    agent = refused(job, KEY)
    job.command("Acp login key")
    request = agent.expect("authenticate")
    job.until(lambda: "logging in 0:0" in winbar(job))
    agent.reply(request, {})
    agent.open()
    job.until(lambda: job.session()["state"] == "idle")
    assert "logging in" not in winbar(job)
    assert job.inspect()["connections"][0]["state"] == "ready"


def test_a_login_is_cancelled(job: MainJob) -> None:
    agent = refused(job, KEY)
    job.command("Acp login key")
    request = agent.expect("authenticate")
    job.until(lambda: "logging in" in winbar(job))
    job.command("Acp cancel")
    assert agent.expect("$/cancel_request")["params"] == {"requestId": request["id"]}
    job.told("login", "cancelled")
    job.until(lambda: "logging in" not in winbar(job))


def test_a_program_is_shown_before_it_runs_also_when_it_is_named(job: MainJob) -> None:
    refused(job, KEY, TERMINAL)
    job.nvim.lua("vim.ui.select = function(rows, how, done) _G.asked = rows; done(nil) end")
    job.command("Acp login tty")
    asked = job.until(lambda: job.nvim.lua("return _G.asked"))
    assert len(asked) == 1
    assert "in a terminal" in str(asked)
    assert terminals(job) == []
    job.usable()


def test_the_user_picks_the_method(job: MainJob) -> None:
    agent = refused(job, KEY, TERMINAL)
    job.nvim.lua(
        "vim.ui.select = function(rows, how, done) _G.asked = { rows, how }; done(rows[1], 1) end"
    )
    job.command("Acp login")
    assert agent.expect("authenticate")["params"] == {"methodId": "key"}
    items, opts = job.nvim.lua("return _G.asked")
    assert (opts["kind"], len(items)) == ("acp.login", 2)


def test_a_login_in_a_terminal(job: MainJob) -> None:
    refused(job, TERMINAL)
    ran = in_terminal(job)
    assert ran["argv"] == [job.stage.path, "--login"]
    assert ran["env"]["KEY"] == "secret"
    assert ran["env"]["NVIM"] is None
    assert ran["cwd"] == str(job.work)
    above = "".join(job.nvim.lines(terminals(job)[0])).replace("\n", "")
    assert f"scripted: {sys.executable} -S" in above  # what runs is the first that is shown
    assert "--login" in above
    job.nvim.input("0<CR>")
    agent = job.stage.accept()
    agent.initialize(authMethods=[TERMINAL])
    agent.open()
    job.until(lambda: job.session()["state"] == "idle")
    job.until(lambda: not terminals(job))
    assert facts(job).with_suffix(".json.answer").read_text() == "0"
    job.usable()


def test_a_login_in_a_terminal_that_fails(job: MainJob) -> None:
    agent = refused(job, TERMINAL)
    in_terminal(job)
    job.nvim.input("3<CR>")
    job.told("exit code 3", ":Acp login")
    agent.quiet()
    assert terminals(job), "what it said can be read"
    assert job.inspect()["connections"][0]["state"] == "needs_login"


@pytest.mark.parametrize("how", ["bwipeout!", "close!", "quit!"])
def test_a_login_in_a_terminal_that_the_user_closes(job: MainJob, how: str) -> None:
    agent = refused(job, TERMINAL)
    in_terminal(job)
    job.command(f"stopinsert | {how}")
    job.told("closed", ":Acp login")
    agent.quiet()
    assert not facts(job).with_suffix(".json.answer").exists()


def test_a_login_in_a_terminal_is_cancelled(job: MainJob) -> None:
    refused(job, TERMINAL)
    in_terminal(job)
    job.command("Acp cancel")
    job.told("cancelled")
    job.until(lambda: not terminals(job))


def test_a_refused_prompt_is_sent_by_the_user_only(job: MainJob) -> None:
    agent = job.start(authMethods=[KEY])
    agent.refuse(job.turn(agent, "dear"), -32000, "Authentication required")
    job.until(lambda: job.session()["queue"] == [{"text": "dear"}])
    job.until(lambda: "waits in the queue" in "\n".join(job.chat()))
    job.command("Acp login key")
    agent.reply(agent.expect("authenticate"), {})
    job.told("logged in", "API key")
    agent.quiet()
    job.nvim.input("<CR>")
    assert agent.prompted()["params"]["prompt"] == [{"type": "text", "text": "dear"}]
    assert job.session()["queue"] == []


def test_a_logout(job: MainJob) -> None:
    agent = job.start(agentCapabilities={"auth": {"logout": {}}})
    job.command("Acp logout")
    agent.reply(agent.expect("logout"), {})
    job.told("logged out", ":Acp login")


def test_a_logout_that_is_not_offered(job: MainJob) -> None:
    agent = job.start()
    job.command("Acp logout")
    job.told("offers no logout")
    agent.quiet()
