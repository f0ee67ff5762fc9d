"""Modes and config options: commands, pickers, and what is seen of them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tests.support.agents import sdk_options
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

MODEL: dict[str, Any] = {
    "id": "m",
    "name": "Model",
    "category": "model",
    "type": "select",
    "currentValue": "big",
    "options": [
        {"group": "x", "name": "X", "options": [{"value": "big", "name": "Big One"}]},
        {"group": "y", "name": "Y", "options": [{"value": "small", "name": "Small One"}]},
    ],
}
MODE: dict[str, Any] = {
    "id": "how",
    "name": "Mode",
    "category": "mode",
    "type": "select",
    "currentValue": "ask",
    "options": [
        {"value": "ask", "name": "Ask first", "description": "always"},
        {"value": "yolo", "name": "Do it"},
    ],
}
WEB: dict[str, Any] = {"id": "web", "name": "Web", "type": "boolean", "currentValue": False}
OPTIONS = [MODEL, MODE, WEB]
MODES = {
    "currentModeId": "ask",
    "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}],
}
PICK = """
_G.offered = {}
local wanted = { ... }
vim.ui.select = function(items, options, choose)
  table.insert(_G.offered, { options.prompt, options.kind, items })
  local index = table.remove(wanted, 1)
  choose(items[index], items[index] and index or nil)
end
"""


def start(job: MainJob, agent: str = "scripted", **result: Any) -> StdioAgent:
    """Start the agent up to a session that was answered so."""
    job.command(f"AcpStart {agent}")
    started = job.stage.accept()
    started.initialize()
    started.open(**result)
    job.until(lambda: job.session().get("state") == "idle")
    return started


def pick(job: MainJob, *rows: int) -> None:
    """Let the next pickers choose these rows, from 1; 0 for none."""
    job.nvim.lua(PICK, *rows)


def offered(job: MainJob) -> list[Any]:
    return list(job.nvim.lua("return _G.offered"))


def config(job: MainJob) -> dict[str, Any]:
    return {option["id"]: option["value"] for option in job.session()["config"]}


def answer(agent: StdioAgent, request: dict[str, Any]) -> None:
    """Answer with all options and the new value."""
    params = request["params"]
    agent.reply(
        request,
        {
            "configOptions": [
                it | {"currentValue": params["value"]} if it["id"] == params["configId"] else it
                for it in OPTIONS
            ]
        },
    )


def winbar(job: MainJob) -> str:
    return str(job.nvim.lua("return vim.b[...].acp_winbar", job.session()["bufnr"]))


def test_an_option_is_set_by_id_and_value(job: MainJob) -> None:
    agent = start(job, configOptions=OPTIONS)
    assert "Big One" in winbar(job)
    assert "Ask first" in winbar(job)
    job.command("Acp config m small")
    request = agent.expect("session/set_config_option")
    assert (request["params"]["configId"], request["params"]["value"]) == ("m", "small")
    answer(agent, request)
    job.until(lambda: config(job) == {"m": "small", "how": "ask", "web": False})
    assert "Small One" in winbar(job)
    assert job.nvim.lua("return require('acp').status()")["model"] == "Small One"


def test_the_pickers_of_options_and_values(job: MainJob) -> None:
    agent = start(job, configOptions=OPTIONS)
    pick(job, 1, 2)
    job.command("Acp config")
    request = agent.expect("session/set_config_option")
    assert request["params"]["value"] == "small"
    assert offered(job) == [
        [
            "Options of scripted",
            "acp.config",
            ["Model: Big One", "Mode: Ask first", "Web: off"],
        ],
        ["Model", "acp.config.value", ["● X / Big One", "  Y / Small One"]],
    ]
    answer(agent, request)
    pick(job, 1)
    job.command("Acp config m")
    agent.expect("session/set_config_option")


def test_a_picker_left_without_a_choice_sets_nothing(job: MainJob) -> None:
    agent = start(job, configOptions=OPTIONS)
    pick(job, 0, 0)
    job.command("Acp config")
    job.until(lambda: len(offered(job)) == 1)
    job.command("Acp config m")
    job.until(lambda: len(offered(job)) == 2)
    job.inspect()
    agent.quiet()


def test_a_switch_is_switched_and_can_be_named(job: MainJob) -> None:
    agent = start(job, configOptions=OPTIONS)
    job.command("Acp config web")
    request = agent.expect("session/set_config_option")
    assert (request["params"]["type"], request["params"]["value"]) == ("boolean", True)
    answer(agent, request)
    job.until(lambda: config(job)["web"] is True)
    job.command("Acp config web off")
    assert agent.expect("session/set_config_option")["params"]["value"] is False
    job.command("Acp config web maybe")
    job.told("web is on or off, not 'maybe'")


def test_what_is_not_there_is_said(job: MainJob) -> None:
    agent = start(job, configOptions=OPTIONS)
    job.command("Acp config wep on")
    job.told("scripted has no option 'wep': did you mean web?")
    job.command("Acp config m huge")
    job.told("m cannot be 'huge'; it can be big, small")
    job.command("Acp config m small")
    agent.refuse(agent.expect("session/set_config_option"), -32603, "no credit")
    job.told("scripted did not set m: no credit")
    assert config(job)["m"] == "big"


def test_an_agent_without_options_says_so(job: MainJob) -> None:
    start(job)
    job.command("Acp config")
    job.told("scripted has no config options")
    job.command("Acp model")
    job.told("scripted has no model to choose")
    job.command("Acp stop nobody")
    job.told("no agent is called 'nobody'")
    job.command("Acp stop gemini")
    job.told("gemini is not running: :AcpStart gemini starts it")
    job.command("Acp mode")
    job.told("scripted has no modes")


def test_the_mode_is_an_option_where_there_are_options(job: MainJob) -> None:
    agent = start(job, configOptions=OPTIONS, modes=MODES)
    pick(job, 2)
    prompt = job.turn(agent)
    job.command("Acp mode")
    request = agent.expect("session/set_config_option")
    assert (request["params"]["configId"], request["params"]["value"]) == ("how", "yolo")
    assert offered(job) == [
        ["Mode of scripted", "acp.mode", ["● Ask first: always", "  Do it"]],
    ]
    answer(agent, request)
    assert job.until_event("AcpModeChanged")["mode"] == "yolo"
    assert job.session()["mode"] == "yolo"
    assert [mode["id"] for mode in job.session()["modes"]] == ["ask", "yolo"]
    job.finish(agent, prompt)


def test_modes_alone(job: MainJob) -> None:
    agent = start(job, modes=MODES)
    pick(job, 2)
    job.command("Acp mode")
    request = agent.expect("session/set_mode")
    assert request["params"]["modeId"] == "code"
    assert offered(job)[0][2] == ["● Ask", "  Code"]
    agent.reply(request, {})
    assert job.until_event("AcpModeChanged")["mode"] == "code"
    job.nvim.lua("require('acp.command.session').next_mode()")
    request = agent.expect("session/set_mode")
    assert request["params"]["modeId"] == "ask"
    agent.reply(request, {})
    job.until(lambda: job.session()["mode"] == "ask")
    job.nvim.lua("require('acp.command.session').next_mode()")
    assert agent.expect("session/set_mode")["params"]["modeId"] == "code"


def test_the_mode_behind_the_only_one(job: MainJob) -> None:
    start(job, modes=MODES | {"availableModes": MODES["availableModes"][:1]})
    job.nvim.lua("require('acp.command.session').next_mode()")
    job.told("scripted has no other modes")


def test_the_models_and_the_mode_of_gemini() -> None:
    with MainJob() as job:
        started = job.stage.options()
        job.nvim.lua("require('acp').setup({ agents = { gemini = ... } })", started)
        models = {
            "currentModelId": "pro",
            "availableModels": [
                {"modelId": "pro", "name": "Pro"},
                {"modelId": "flash", "name": "Flash"},
            ],
        }
        agent = start(job, "gemini", models=models, modes=MODES)
        assert "Pro" in winbar(job)
        job.command("Acp config model flash")
        request = agent.expect("session/set_model")
        assert request["params"]["modelId"] == "flash"
        agent.reply(request, {})
        job.until(lambda: "Flash" in winbar(job))
        prompt = job.turn(agent)
        agent.say("[MODE_UPDATE] code")
        assert job.until_event("AcpModeChanged")["mode"] == "code"
        job.finish(agent, prompt)
        assert [entry["kind"] for entry in job.session()["entries"]] == ["user", "notice"]
        assert "said nothing" in job.session()["entries"][1]["text"]


def test_an_agent_made_with_the_official_sdk() -> None:
    program = {"command": sys.executable, "args": ["-P", str(Path(sdk_options.__file__))]}
    with MainJob({"agents": {"chooser": program}}) as job:
        job.command("AcpStart chooser")
        job.until_event("AcpSessionStarted")
        assert config(job) == {"model": "big", "thought": "high", "web": False}
        assert "Big One" in winbar(job)
        job.command("Acp config web")
        job.until(lambda: config(job)["web"] is True)
        job.command("Acp config model dear")
        job.told("chooser did not set model: no credit")
        job.command("Acp config model small")
        job.until(lambda: config(job) == {"model": "small", "web": True})
        assert "Small One" in winbar(job)
        assert "High" not in winbar(job)
