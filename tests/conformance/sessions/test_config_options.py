"""C-245 and C-249 to C-260: session config options (v1/session-config-options) and older models."""

from __future__ import annotations

from typing import Any

import pytest

from acp_nvim.agents import LEGACY_MODELS, MODE_AS_TEXT
from acp_nvim.client.session import Session
from acp_nvim.session.options import shown
from acp_nvim.view.options import mode_labels, option_labels, value_labels
from acp_nvim.view.snapshot import snapshot
from acp_nvim.view.status import summary
from tests.conformance.connection.burst import burst
from tests.conformance.connection.probe import bar
from tests.support.agents.scripted_agent import SESSION
from tests.support.stage import AcpError, Stage, texts

MODEL: dict[str, Any] = {
    "id": "m",
    "name": "Model",
    "category": "model",
    "type": "select",
    "currentValue": "big",
    "options": [
        {"value": "big", "name": "Big One", "description": "thinks"},
        {"value": "small", "name": "Small One"},
    ],
}
MODE: dict[str, Any] = {
    "id": "mode",
    "name": "Mode",
    "category": "mode",
    "type": "select",
    "currentValue": "ask",
    "options": [
        {"group": "safe", "name": "Safe", "options": [{"value": "ask", "name": "Ask first"}]},
        {"group": "fast", "name": "Fast", "options": [{"value": "yolo", "name": "Do it"}]},
    ],
}
THOUGHT: dict[str, Any] = {
    "id": "t",
    "name": "Thinking",
    "category": "thought_level",
    "type": "select",
    "currentValue": "hi",
    "options": [{"value": "hi", "name": "High"}, {"value": "lo", "name": "Low"}],
}
WEB: dict[str, Any] = {"id": "web", "name": "Web", "type": "boolean", "currentValue": False}
MODES = {"currentModeId": "old", "availableModes": [{"id": "old", "name": "Old way"}]}
MODELS = {
    "currentModelId": "a/1",
    "availableModels": [{"modelId": "a/1", "name": "A One"}, {"modelId": "b", "name": "B Two"}],
}


async def opened(stage: Stage, *options: Any, **result: Any) -> Session:
    """Open a session with these config options."""
    session = stage.launch()
    await stage.agent.initialize()
    await stage.agent.open(SESSION, configOptions=list(options), **result)
    await stage.until(lambda: session.state.status == "idle")
    return session


async def setting(stage: Stage, session: Session, option: str, value: str | bool) -> dict[str, Any]:
    """Set an option, and return the request, not yet answered."""
    stage.tasks.start_soon(stage.client.set_option, session, option, value)
    return await stage.agent.expect("session/set_config_option")


def values(session: Session) -> dict[str, Any]:
    return {option["id"]: option["value"] for option in snapshot(session.state)["config"]}


async def test_c245_options_are_used_and_modes_are_not():
    async with Stage() as stage:
        session = await opened(stage, MODEL, MODE, modes=MODES)
        status = summary(session.state)
        assert status["mode"] == snapshot(session.state)["mode"] == "ask"
        assert [mode["id"] for mode in status["modes"]] == ["ask", "yolo"]
        assert "Ask first" in bar(session)
        assert "Old way" not in bar(session)
        stage.tasks.start_soon(stage.client.set_mode, session, "yolo")
        request = await stage.agent.expect("session/set_config_option")
        assert request["params"] == {"sessionId": SESSION, "configId": "mode", "value": "yolo"}
        stage.agent.reply(request, {"configOptions": [MODEL, MODE | {"currentValue": "yolo"}]})
        await stage.until(lambda: summary(session.state)["mode"] == "yolo")
        assert "Do it" in bar(session)
        await stage.agent.quiet()


async def test_c245_a_mode_of_the_old_way_is_refused():
    async with Stage() as stage:
        session = await opened(stage, MODE, modes=MODES)
        with pytest.raises(AcpError, match="it has ask, yolo"):
            await stage.client.set_mode(session, "old")
        await stage.agent.quiet()


async def test_c321_without_an_option_for_it_the_modes_are_there():
    async with Stage() as stage:
        session = await opened(stage, MODEL, modes=MODES)
        assert summary(session.state)["mode"] == "old"
        with pytest.raises(AcpError, match="it has old"):
            await stage.client.set_mode(session, "new")
        stage.tasks.start_soon(stage.client.set_mode, session, "old")
        request = await stage.agent.expect("session/set_mode")
        assert request["params"] == {"sessionId": SESSION, "modeId": "old"}


async def test_c321_with_no_modes_at_all_there_is_none():
    async with Stage() as stage:
        session = await opened(stage, MODEL)
        assert "mode" not in summary(session.state)
        with pytest.raises(AcpError, match="no session modes"):
            await stage.client.set_mode(session, "old")
        await stage.agent.quiet()


async def test_c248_an_old_update_of_the_mode_sets_the_option():
    async with Stage() as stage:
        session = await opened(stage, MODE)
        stage.agent.update("current_mode_update", currentModeId="yolo")
        await stage.agent.quiet()
        assert values(session) == {"mode": "yolo"}
        stage.agent.update("current_mode_update", currentModeId="unlisted")
        await stage.agent.quiet()
        assert values(session) == {"mode": "yolo"}


async def test_c249_an_option_is_set_during_a_turn():
    async with Stage() as stage:
        session = await opened(stage, MODEL)
        await stage.turn(session)
        request = await setting(stage, session, "m", "small")
        stage.agent.reply(request, {"configOptions": [MODEL | {"currentValue": "small"}]})
        await stage.until(lambda: values(session) == {"m": "small"})
        assert session.state.status == "running"
        assert "Small One" in bar(session)


async def test_c250_c253_the_agents_order_is_kept_but_for_what_belongs_to_the_model():
    speed = THOUGHT | {"id": "speed", "name": "Speed", "category": "model_config"}
    async with Stage() as stage:
        session = await opened(stage, WEB, MODEL, THOUGHT, speed, MODE)
        assert list(values(session)) == ["web", "m", "t", "speed", "mode"]
        assert option_labels(shown(session.state.config)) == [
            "Web: off",
            "Model: Big One",
            "Speed: High",
            "Thinking: High",
            "Mode: Ask first",
        ]


async def test_c251_the_first_of_a_category_is_shown():
    second = MODEL | {"id": "m2", "currentValue": "small"}
    async with Stage() as stage:
        session = await opened(stage, MODEL, second, THOUGHT)
        assert summary(session.state)["model"] == "Big One"
        assert "Big One" in bar(session)
        assert "Small One" not in bar(session)
        assert "High" in bar(session)


@pytest.mark.parametrize("category", ["_x", "zzz", None, 5])
async def test_c252_an_option_of_any_category_can_be_set(category: Any):
    async with Stage() as stage:
        session = await opened(stage, MODEL | {"category": category})
        assert option_labels(session.state.config) == ["Model: Big One"]
        request = await setting(stage, session, "m", "small")
        assert request["params"]["value"] == "small"
        changed = MODEL | {"category": category, "currentValue": "small"}
        stage.agent.reply(request, {"configOptions": [changed]})
        await stage.until(lambda: values(session) == {"m": "small"})


@pytest.mark.parametrize("odd", [{**WEB, "type": "slider"}, {"id": "x"}, 5, None])
async def test_c254_what_is_no_known_option_is_ignored(odd: Any):
    async with Stage() as stage:
        session = await opened(stage, odd, MODEL)
        assert list(values(session)) == ["m"]


async def test_c255_a_boolean_option_says_its_type():
    async with Stage() as stage:
        session = stage.launch()
        request = await stage.agent.initialize()
        advertised = request["params"]["clientCapabilities"]["session"]
        assert advertised["configOptions"] == {"boolean": {}}
        await stage.agent.open(SESSION, configOptions=[WEB])
        await stage.until(lambda: session.state.status == "idle")
        request = await setting(stage, session, "web", value=True)
        params = {"sessionId": SESSION, "configId": "web", "type": "boolean", "value": True}
        assert request["params"] == params
        stage.agent.reply(request, {"configOptions": [WEB | {"currentValue": True}]})
        await stage.until(lambda: values(session) == {"web": True})
        with pytest.raises(AcpError, match="web is on or off"):
            await stage.client.set_option(session, "web", "on")
        await stage.agent.quiet()


@pytest.mark.parametrize(("option", "value"), [("m", "small"), ("mode", "yolo")])
async def test_c256_a_select_option_takes_a_value_of_its_list(option: str, value: str):
    async with Stage() as stage:
        session = await opened(stage, MODEL, MODE)
        request = await setting(stage, session, option, value)
        assert request["params"] == {"sessionId": SESSION, "configId": option, "value": value}


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("m", "huge", "it can be big, small"),
        ("m", "Big One", "it can be big, small"),
        ("m", True, "it can be big, small"),
        ("mode", "safe", "it can be ask, yolo"),
        ("x", "y", "it has m, mode"),
    ],
)
async def test_c256_nothing_else_is_sent(option: str, value: str | bool, said: str):
    async with Stage() as stage:
        session = await opened(stage, MODEL, MODE)
        with pytest.raises(AcpError, match=said):
            await stage.client.set_option(session, option, value)
        await stage.agent.quiet()


async def test_c257_the_response_replaces_all_options():
    async with Stage() as stage:
        session = await opened(stage, MODEL, THOUGHT)
        assert "High" in bar(session)
        request = await setting(stage, session, "m", "small")
        stage.agent.reply(request, {"configOptions": [MODEL | {"currentValue": "small"}]})
        await stage.until(lambda: values(session) == {"m": "small"})
        assert "High" not in bar(session)


async def test_c257_an_update_replaces_all_options():
    async with Stage() as stage:
        session = await opened(stage, MODEL, THOUGHT, modes=MODES)
        stage.agent.update("config_option_update", configOptions=[WEB, MODE])
        await stage.agent.quiet()
        assert values(session) == {"web": False, "mode": "ask"}
        stage.agent.update("config_option_update", configOptions=[])
        await stage.agent.quiet()
        assert values(session) == {}
        assert "Old way" in bar(session)


@pytest.mark.parametrize("result", [None, {}, {"configOptions": None}, {"configOptions": 5}])
async def test_c257_an_answer_without_options_is_a_yes(result: Any):
    async with Stage() as stage:
        session = await opened(stage, MODEL, WEB)
        stage.agent.reply(await setting(stage, session, "m", "small"), result)
        await stage.until(lambda: values(session) == {"m": "small", "web": False})


async def test_c258_a_refused_value_is_not_shown():
    async with Stage() as stage:
        session = await opened(stage, MODEL)
        refusals = []

        async def choose() -> None:
            with pytest.raises(AcpError) as caught:
                await stage.client.set_option(session, "m", "small")
            refusals.append(str(caught.value))

        stage.tasks.start_soon(choose)
        request = await stage.agent.expect("session/set_config_option")
        stage.agent.refuse(request, -32603, "no credit")
        await stage.agent.quiet()
        assert values(session) == {"m": "big"}
        assert "Big One" in bar(session)
        assert refusals == ["scripted did not set m: no credit"]


async def test_c259_grouped_values_are_labelled_and_the_current_one_is_marked():
    async with Stage() as stage:
        session = await opened(stage, MODE, MODEL)
        mode, model = session.state.config
        assert value_labels(mode) == ["● Safe / Ask first", "  Fast / Do it"]
        assert value_labels(model) == ["● Big One: thinks", "  Small One"]
        modes = mode_labels(session.state.modes, "x")
        assert modes == []


@pytest.mark.parametrize("update_first", [True, False])
async def test_c260_update_and_response_are_applied_as_they_came(*, update_first: bool):
    told, answered = MODEL | {"currentValue": "big"}, MODEL | {"currentValue": "small"}
    async with Stage() as stage:
        session = await opened(stage, MODEL)
        request = await setting(stage, session, "m", "small")
        with burst(stage.agent):
            if update_first:
                stage.agent.update("config_option_update", configOptions=[told])
            stage.agent.reply(request, {"configOptions": [answered]})
            if not update_first:
                stage.agent.update("config_option_update", configOptions=[told])
        await stage.agent.quiet()
        assert values(session) == {"m": "small" if update_first else "big"}


# --- a loaded session whose agent does not tell its options again


async def test_options_that_a_load_does_not_tell_stay_as_they_were():
    async with Stage() as stage:
        await stage.start(agentCapabilities={"loadSession": True})
        session = stage.reopen("old")
        request = await stage.agent.expect("session/load")
        stage.agent.update("config_option_update", "old", configOptions=[MODEL, WEB])
        stage.agent.update("current_mode_update", "old", currentModeId="code")
        stage.agent.reply(request, None)
        await stage.until(lambda: session.state.status == "idle")
        assert values(session) == {"m": "big", "web": False}
        assert session.state.mode == "code"


# --- the models of older agents


async def legacy(stage: Stage, *options: Any) -> Session:
    return await opened(stage, *options, models=MODELS, modes=MODES)


QUIRK = frozenset({LEGACY_MODELS})


async def test_models_of_older_agents_are_an_option():
    async with Stage(quirks=QUIRK) as stage:
        session = await legacy(stage)
        assert summary(session.state)["model"] == "A One"
        assert values(session) == {"model": "a/1"}
        assert "Old way" in bar(session), "they do not hide the modes"
        stage.tasks.start_soon(stage.client.set_option, session, "model", "b")
        request = await stage.agent.expect("session/set_model")
        assert request["params"] == {"sessionId": SESSION, "modelId": "b"}
        assert values(session) == {"model": "a/1"}
        stage.agent.reply(request, {})
        await stage.until(lambda: values(session) == {"model": "b"})
        assert "B Two" in bar(session)


async def test_other_options_do_not_erase_the_models():
    async with Stage(quirks=QUIRK) as stage:
        session = await legacy(stage, WEB)
        stage.agent.update("config_option_update", configOptions=[WEB, THOUGHT])
        await stage.agent.quiet()
        assert list(values(session)) == ["web", "t", "model"]
        stage.agent.update("config_option_update", configOptions=[MODEL])
        await stage.agent.quiet()
        assert list(values(session)) == ["m"]


async def test_an_option_for_the_model_takes_their_place():
    async with Stage(quirks=QUIRK) as stage:
        session = await legacy(stage, MODEL)
        assert values(session) == {"m": "big"}


async def test_an_agent_without_the_quirk_has_no_models():
    async with Stage() as stage:
        session = await legacy(stage)
        assert values(session) == {}
        assert "model" not in summary(session.state)


# --- gemini's change of mode


async def test_gemini_says_a_change_of_mode_as_text():
    modes = MODES | {"availableModes": [*MODES["availableModes"], {"id": "yolo", "name": "YOLO"}]}
    async with Stage(quirks=frozenset({MODE_AS_TEXT})) as stage:
        session = await opened(stage, modes=modes)
        await stage.turn(session)
        stage.agent.say("[MODE_UPDATE] yolo")
        stage.agent.say("Say [MODE_UPDATE] yolo")
        await stage.agent.quiet()
        assert "YOLO" in bar(session)
        assert texts(session) == ["Say [MODE_UPDATE] yolo"]


async def test_other_agents_may_say_the_same_and_mean_it():
    async with Stage() as stage:
        session = await opened(stage, modes=MODES)
        await stage.turn(session)
        stage.agent.say("[MODE_UPDATE] yolo")
        await stage.agent.quiet()
        assert texts(session) == ["[MODE_UPDATE] yolo"]
        assert session.state.mode == "old"
