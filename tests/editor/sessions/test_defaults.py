"""What a new session is set to: `agents.NAME.defaults`, a table or what was chosen last."""

from __future__ import annotations

from typing import Any

import pytest

from tests.editor.chat.test_options import MODEL, MODES, OPTIONS, WEB, config, start
from tests.editor.sessions.test_sessions import restart_host
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob


def wants(job: MainJob, defaults: Any) -> None:
    """Configure them."""
    job.nvim.lua("require('acp').setup({ agents = { scripted = { defaults = ... } } })", defaults)


def begun(job: MainJob, **result: Any) -> StdioAgent:
    """Start the agent up to the answer to `session/new`."""
    job.command("AcpStart scripted")
    agent = job.stage.accept()
    agent.initialize()
    agent.open(**result)
    return agent


def takes(agent: StdioAgent, option: str, value: Any) -> None:
    """Expect an option to be set, and set it."""
    request = agent.expect("session/set_config_option")
    assert (request["params"]["configId"], request["params"]["value"]) == (option, value)
    agent.reply(request, {})


def test_a_new_session_is_set_before_its_first_prompt(job: MainJob) -> None:
    wants(job, {"mode": "code", "model": "small", "config": {"web": True}})
    job.command("AcpStart scripted")
    agent = job.stage.accept()
    job.command("AcpPrompt go")
    agent.initialize()
    agent.open(configOptions=[MODEL, WEB], modes=MODES)
    takes(agent, "m", "small")
    takes(agent, "web", True)
    request = agent.expect("session/set_mode")
    assert request["params"]["modeId"] == "code"
    agent.quiet()
    agent.reply(request, {})
    job.finish(agent, agent.prompted())
    assert job.session()["mode"] == "code"
    assert config(job)["m"] == "small"


def test_what_is_so_already_is_not_set(job: MainJob) -> None:
    wants(job, {"mode": "ask", "model": "big", "config": {"web": False}})
    agent = start(job, configOptions=OPTIONS)
    agent.quiet()


def test_what_cannot_be_is_said_and_the_session_works(job: MainJob) -> None:
    wants(job, {"mode": "fly", "model": "huge", "config": {"colour": "red"}})
    agent = begun(job, configOptions=OPTIONS)
    job.until(lambda: sum("defaults says" in line for line in job.chat()) == 3)
    said = " ".join(job.chat())
    assert "no mode 'fly'" in said
    assert "m cannot be 'huge'" in said
    assert "no option 'colour'" in said
    job.finish(agent, job.turn(agent))


def test_a_session_of_before_stays_as_it_is(job: MainJob) -> None:
    wants(job, {"mode": "code"})
    job.command("edit acp://scripted/old")
    agent = job.stage.accept()
    agent.initialize(agentCapabilities={"sessionCapabilities": {"resume": {}}})
    agent.reply(agent.expect("session/resume"), {"modes": MODES})
    job.until(lambda: job.session().get("state") == "idle")
    agent.quiet()


def test_what_was_chosen_last_is_chosen_again(job: MainJob) -> None:
    wants(job, "last")
    agent = start(job, configOptions=[MODEL, WEB], modes=MODES)
    job.command("Acp model small")
    takes(agent, "m", "small")
    job.command("Acp config web on")
    takes(agent, "web", True)
    job.command("Acp mode code")
    agent.reply(agent.expect("session/set_mode"), {})
    job.until(lambda: job.session()["mode"] == "code")
    agent.update("current_mode_update", currentModeId="ask")
    job.until(lambda: job.session()["mode"] == "ask")
    restart_host(job)
    again = begun(job, configOptions=[MODEL, WEB], modes=MODES)
    takes(again, "m", "small")
    takes(again, "web", True)
    request = again.expect("session/set_mode")
    assert request["params"]["modeId"] == "code"
    again.reply(request, {})
    job.until(lambda: job.session()["mode"] == "code")


@pytest.mark.parametrize("wanted", [None, {}])
def test_without_them_nothing_is_set(job: MainJob, wanted: Any) -> None:
    if wanted is not None:
        wants(job, wanted)
    agent = start(job, configOptions=[MODEL, WEB], modes=MODES)
    job.command("Acp model small")
    takes(agent, "m", "small")
    job.command("Acp new scripted")
    agent.open("another", configOptions=[MODEL, WEB], modes=MODES)
    agent.quiet()


@pytest.mark.parametrize(
    ("defaults", "mode"),
    [
        (None, "default"),
        ({"model": "small"}, "default"),
        ("last", "default"),
        ({"mode": "auto"}, ""),
    ],
)
def test_claude_begins_in_the_mode_in_which_the_user_decides(
    job: MainJob, defaults: Any, mode: str
) -> None:
    own = job.stage.options() | ({} if defaults is None else {"defaults": defaults})
    job.nvim.lua("require('acp').setup({ agents = { claude = ... } })", own)
    job.command("AcpStart claude")
    agent = job.stage.accept()
    agent.initialize()
    names = ("auto", "default", "plan")
    modes = {"availableModes": [{"id": it, "name": it} for it in names], "currentModeId": "auto"}
    agent.open(modes=modes, configOptions=[MODEL])
    if isinstance(defaults, dict) and "model" in defaults:
        takes(agent, "m", "small")
    if mode:
        request = agent.expect("session/set_mode")
        assert request["params"]["modeId"] == mode
        agent.reply(request, {})
    agent.quiet()
    job.until(lambda: job.session()["mode"] == (mode or "auto"))
