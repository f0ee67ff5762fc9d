"""Obligations C-050 to C-065, C-044: logging in, by the agent or in a terminal."""

from __future__ import annotations

from typing import Any

import anyio.lowlevel
import pytest

from acp_nvim.client.launch import Remote
from tests.conformance.connection.logins import CHAT, LoginStage, asked
from tests.support.agents.scripted_agent import SESSION
from tests.support.stage import PROJECT, Stage, notices, texts

NOT_TESTED = {"C-062": "there are no signals of success but the exit code"}

KEY = {"id": "key", "name": "API key", "description": "from the environment"}
OAUTH = {"id": "oauth", "name": "In the browser", "type": "agent"}
TERMINAL: dict[str, Any] = {
    "id": "tty",
    "name": "In a terminal",
    "type": "terminal",
    "args": ["--login", "now"],
    "env": {"MODE": "login", "EXTRA": "1"},
}
CONFIG = {
    "id": "model",
    "name": "Model",
    "type": "select",
    "currentValue": "a",
    "options": [{"value": "a", "name": "A"}, {"value": "b", "name": "B"}],
}
MODES = {
    "currentModeId": "ask",
    "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}],
}


@pytest.mark.parametrize("served", [True, False])
async def test_c044_a_login_in_a_terminal_is_advertised_where_it_is_possible(
    *, served: bool
) -> None:
    remote = None if served else Remote("wss://host")
    async with Stage(remote=remote) as stage:
        stage.launch()
        capabilities = (await stage.agent.initialize())["params"]["clientCapabilities"]
        assert capabilities.get("auth") == ({"terminal": True} if served else None)
        await stage.agent.open()


async def test_c050_authenticate_names_a_method_that_was_advertised() -> None:
    async with LoginStage() as stage:
        await stage.refused([KEY, OAUTH])
        error = await stage.log_in("kee").done()
        assert "did you mean key?" in error
        await stage.agent.quiet()
        login = stage.log_in("key")
        request = await stage.agent.expect("authenticate")
        assert request["params"] == {"methodId": "key"}
        stage.agent.reply(request, {})
        await stage.agent.open()
        assert not await login.done()


async def test_c051_a_terminal_method_is_never_authenticated() -> None:
    async with LoginStage() as stage:
        stage.terminals.code = 1
        await stage.refused([TERMINAL])
        await stage.log_in("tty").done()
        await stage.agent.quiet()
        assert len(stage.terminals.programs) == 1


async def test_c052_what_was_refused_is_done_after_the_login() -> None:
    async with LoginStage() as stage:
        session = await stage.refused([KEY])
        assert stage.client.state == "needs_login"
        assert "key (API key)" in notices(session)[-1]
        assert ":Acp login" in notices(session)[-1]
        first = stage.agent.received[-1]
        login = stage.log_in("key")
        stage.agent.reply(await stage.agent.expect("authenticate"), {})
        again = await stage.agent.open()
        assert asked(again) == asked(first)
        assert not await login.done()
        assert (session.state.status, stage.client.state) == ("idle", "ready")
        await stage.agent.quiet()


async def test_c053_a_second_refusal_is_told_and_ends_it() -> None:
    async with LoginStage() as stage:
        session = await stage.refused([KEY, OAUTH])
        login = stage.log_in("key")
        stage.agent.reply(await stage.agent.expect("authenticate"), {})
        stage.agent.refuse(await stage.agent.expect("session/new"), -32000, "no login")
        await login.done()
        await stage.agent.quiet()
        said = notices(session)[-1]
        for word in ("still wants", "key (API key)", "oauth (In the browser)", ":Acp restart"):
            assert word in said
        assert (session.state.status, stage.client.state) == ("closed", "needs_login")


@pytest.mark.parametrize("way", ["session/load", "session/resume"])
async def test_c054_a_session_that_is_opened_again(way: str) -> None:
    offered = {"loadSession": True}
    if way == "session/resume":
        offered = {"sessionCapabilities": {"resume": {}}}  # type: ignore[dict-item]
    async with LoginStage() as stage:
        session = await stage.opened([KEY], agentCapabilities=offered)
        stage.first_stage.tasks.start_soon(stage.client.reopen, session, "old")
        first = await stage.agent.expect(way)
        stage.agent.refuse(first, -32000, "no login")
        await stage.until(lambda: session.state.status == "closed")
        login = stage.log_in("key")
        stage.agent.reply(await stage.agent.expect("authenticate"), {})
        again = await stage.agent.expect(way)
        assert asked(again) == asked(first)
        stage.agent.reply(again, {})
        assert not await login.done()
        assert (session.id, session.state.status) == ("old", "idle")


async def test_c054_a_mode_or_an_option_that_is_set() -> None:
    async with LoginStage() as stage:
        session = stage.start()
        await stage.agent.initialize(authMethods=[KEY])
        await stage.agent.open(modes=MODES, configOptions=[CONFIG])
        await stage.until(lambda: session.state.status == "idle")
        setting = stage.give(stage.client.set_option(session, "model", "b"))
        first = await stage.agent.expect("session/set_config_option")
        stage.agent.refuse(first, -32000, "no login")
        assert ":Acp login" in await setting.done()
        assert stage.client.state == "needs_login"
        login = stage.log_in("key")
        stage.agent.reply(await stage.agent.expect("authenticate"), {})
        again = await stage.agent.expect("session/set_config_option")
        assert asked(again) == asked(first)
        stage.agent.refuse(again, -32000, "no login")
        await login.done()
        assert "still wants" in stage.notifier.notices[-1]
        await stage.agent.quiet()


async def test_c054_a_mode_is_set_after_the_login() -> None:
    async with LoginStage() as stage:
        session = stage.start()
        await stage.agent.initialize(authMethods=[KEY])
        await stage.agent.open(modes=MODES)
        await stage.until(lambda: session.state.status == "idle")
        setting = stage.give(stage.client.set_mode(session, "code"))
        stage.agent.refuse(await stage.agent.expect("session/set_mode"), -32000, "no login")
        assert ":Acp login" in await setting.done()
        login = stage.log_in("key")
        stage.agent.reply(await stage.agent.expect("authenticate"), {})
        stage.agent.reply(await stage.agent.expect("session/set_mode"), {})
        assert not await login.done()
        assert session.state.mode == "code"
        assert stage.client.state == "ready"


async def test_c054_a_list_that_is_refused_says_how_to_log_in() -> None:
    offered = {"sessionCapabilities": {"list": {}, "delete": {}}}
    async with LoginStage() as stage:
        await stage.opened([KEY], agentCapabilities=offered)
        listing = stage.give(stage.client.ready.listing.all(PROJECT))
        stage.agent.refuse(await stage.agent.expect("session/list"), -32000, "no login")
        assert not await listing.done()
        assert stage.client.state == "needs_login"
        assert ":Acp login" in (stage.client.error or "")
        deleting = stage.give(stage.client.ready.listing.delete("old"))
        stage.agent.refuse(await stage.agent.expect("session/delete"), -32000, "no login")
        assert ":Acp login" in await deleting.done()
        login = stage.log_in("key")
        stage.agent.reply(await stage.agent.expect("authenticate"), {})
        assert not await login.done()
        assert stage.client.state == "ready"
        await stage.agent.quiet()  # the picker is opened by the user only, and so is a deletion


async def test_c054_a_prompt_waits_for_the_user_to_send_it_again() -> None:
    async with LoginStage() as stage:
        session = await stage.opened([KEY])
        stage.first_stage.prompt(session, "dear")
        stage.first_stage.prompt(session, "queued")
        stage.agent.refuse(await stage.agent.expect("session/prompt"), -32000, "no login")
        await stage.until(lambda: session.state.status == "idle")
        assert stage.client.state == "needs_login"
        assert any(":Acp login" in it for it in notices(session))
        assert "waits in the queue" in notices(session)[-1]
        login = stage.log_in("key")
        stage.agent.reply(await stage.agent.expect("authenticate"), {})
        assert not await login.done()
        await stage.agent.quiet()
        assert len(session.state.queue) == 2
        stage.first_stage.prompt(session, "")
        for text in ("dear", "queued"):
            prompt = await stage.agent.expect("session/prompt")
            assert prompt["params"]["prompt"] == [{"type": "text", "text": text}]
            stage.agent.reply(prompt, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.status == "idle" and not session.state.queue)
        assert texts(session, "user") == ["dear", "dear", "queued"]


async def test_c054_a_restart_does_not_send_the_prompt_again() -> None:
    async with LoginStage() as stage:
        session = await stage.opened([TERMINAL], agentCapabilities={"loadSession": True})
        stage.first_stage.prompt(session, "dear")
        stage.agent.refuse(await stage.agent.expect("session/prompt"), -32000, "no login")
        await stage.until(lambda: session.state.status == "idle")
        login = stage.log_in("tty")
        await stage.second.initialize(
            authMethods=[TERMINAL], agentCapabilities={"loadSession": True}
        )
        load = await stage.second.expect("session/load")
        assert load["params"]["sessionId"] == SESSION
        stage.second.reply(load, {})
        assert not await login.done()
        await stage.second.quiet()
        assert [prompt.held for prompt in session.state.queue] == [True]


async def test_c055_after_a_logout_the_user_is_asked_to_log_in_again() -> None:
    async with LoginStage() as stage:
        session = await stage.opened([KEY], agentCapabilities={"auth": {"logout": {}}})
        logout = stage.log_out()
        request = await stage.agent.expect("logout")
        assert request["params"] == {}
        stage.agent.reply(request, {})
        assert not await logout.done()
        assert stage.client.state == "ready"
        assert ":Acp login" in stage.notifier.notices[-1]
        stage.first_stage.prompt(session, "hello")
        stage.agent.refuse(await stage.agent.expect("session/prompt"), -32000, "no login")
        await stage.until(lambda: session.state.status == "idle")
        assert any("wants you to log in: :Acp login" in it for it in notices(session))
        assert stage.client.state == "needs_login"


@pytest.mark.parametrize("auth", [None, {"logout": None}, {}, {"logout": True}])
async def test_c056_no_logout_where_none_is_offered(auth: object) -> None:
    async with LoginStage() as stage:
        await stage.opened([KEY], agentCapabilities={"auth": auth})
        assert "offers no logout" in await stage.log_out().done()
        await stage.agent.quiet()


async def test_c056_a_logout_that_fails_is_told() -> None:
    async with LoginStage() as stage:
        await stage.opened([KEY], agentCapabilities={"auth": {"logout": {}}})
        logout = stage.log_out()
        stage.agent.refuse(await stage.agent.expect("logout"), -32603, "not today")
        assert "not today" in await logout.done()


@pytest.mark.parametrize("kind", [{}, {"type": "agent"}, {"type": "env_var", "vars": []}])
async def test_c057_other_types_are_the_agents_business(kind: dict[str, Any]) -> None:
    async with LoginStage() as stage:
        await stage.refused([{"id": "k", "name": "K", **kind}])
        login = stage.log_in("k")
        stage.agent.reply(await stage.agent.expect("authenticate"), {})
        await stage.agent.open()
        assert not await login.done()


async def test_c058_the_terminal_runs_the_agent_as_configured_and_some_more() -> None:
    env = {"PATH": "/bin", "MODE": "acp", "TERM": "dumb"}
    launch = {"command": "/opt/agent", "args": ("--acp", "x y"), "env": env, "cwd": PROJECT}
    async with LoginStage(**launch) as stage:
        stage.terminals.code = 1
        await stage.refused([TERMINAL])
        await stage.log_in("tty").done()
        (program,) = stage.terminals.programs
        assert program.argv == ("/opt/agent", "--acp", "x y", "--login", "now")
        assert program.env == {"PATH": "/bin", "MODE": "login", "EXTRA": "1"}
        assert program.cwd == PROJECT


@pytest.mark.parametrize("code", [1, 3, 137, None])
async def test_c059_anything_but_exit_code_0_is_a_failure(code: int | None) -> None:
    async with LoginStage() as stage:
        stage.terminals.code = code
        session = await stage.refused([TERMINAL])
        error = await stage.log_in("tty").done()
        assert ("closed" if code is None else f"exit code {code}") in error
        await stage.agent.quiet()
        assert stage.started == 1
        assert (session.state.status, stage.client.state) == ("closed", "needs_login")


async def test_c059_a_cancelled_terminal_is_a_failure() -> None:
    async with LoginStage() as stage:
        stage.terminals.code = "never"
        session = await stage.refused([TERMINAL])
        login = stage.log_in("tty")
        while not stage.terminals.programs:
            await anyio.lowlevel.checkpoint()
        stage.client.cancel(session)
        assert "cancelled" in await login.done()
        assert stage.started == 1


async def test_c060_c061_a_new_process_is_initialized_and_asked_again() -> None:
    async with LoginStage() as stage:
        session = await stage.refused([TERMINAL])
        first = stage.agent.received[-1]
        login = stage.log_in("tty")
        await stage.second.initialize(authMethods=[TERMINAL])
        again = await stage.second.open()
        assert asked(again) == asked(first)
        assert not await login.done()
        assert stage.started == 2
        assert stage.client.state == "ready"
        assert stage.host.workspace.chats[CHAT].client is stage.client
        assert session.state.status == "idle"


async def test_c061_a_new_process_that_wants_a_login_again_is_no_loop() -> None:
    async with LoginStage() as stage:
        session = await stage.refused([TERMINAL])
        login = stage.log_in("tty")
        await stage.second.initialize(authMethods=[TERMINAL])
        stage.second.refuse(await stage.second.expect("session/new"), -32000, "no login")
        await login.done()
        await stage.second.quiet()
        assert session.state.status == "closed"
        assert "wants you to log in" in notices(session)[-1]
        assert (stage.started, len(stage.terminals.programs)) == (2, 1)


@pytest.mark.parametrize("answer", ["none", "late", "error"])
async def test_c063_a_login_has_no_limit_and_can_be_cancelled(answer: str) -> None:
    async with LoginStage() as stage:
        session = await stage.refused([KEY])
        assert "logging in" not in stage.winbar()
        login = stage.log_in("key")
        request = await stage.agent.expect("authenticate")
        assert "logging in 0:0" in stage.winbar()
        assert "is going on" in await stage.log_in("key").done()
        other = stage.start(CHAT + 10)  # meanwhile other things go on
        await stage.agent.open("other")
        await stage.until(lambda: other.state.status == "idle")
        stage.client.cancel(session)
        told = await stage.agent.expect("$/cancel_request")
        assert told["params"] == {"requestId": request["id"]}
        assert "cancelled" in await login.done()
        if answer == "late":
            stage.agent.reply(request, {})
        elif answer == "error":
            stage.agent.refuse(request, -32800, "cancelled")
        await stage.agent.quiet()
        assert session.state.status == "closed"
        assert "logging in" not in stage.winbar()


async def test_c063_a_login_that_fails_is_told_and_can_be_tried_again() -> None:
    async with LoginStage() as stage:
        await stage.refused([KEY])
        login = stage.log_in("key")
        stage.agent.refuse(await stage.agent.expect("authenticate"), -32603, "bad key")
        error = await login.done()
        assert "bad key" in error
        assert ":Acp login" in error
        await stage.agent.quiet()
        stage.log_in("key")
        await stage.agent.expect("authenticate")


async def test_c063_a_login_ends_with_its_agent() -> None:
    async with LoginStage() as stage:
        await stage.refused([KEY])
        login = stage.log_in("key")
        await stage.agent.expect("authenticate")
        stage.agent.link.exit(1)
        assert "failed" in await login.done()


@pytest.mark.parametrize("methods", [[KEY, OAUTH, TERMINAL], [KEY]])
async def test_c064_nothing_runs_before_the_user_has_chosen(methods: list[Any]) -> None:
    async with LoginStage() as stage:
        await stage.refused(methods)
        await stage.agent.quiet()
        assert not stage.chooser.offered
        assert not await stage.log_in().done()  # the user picks nothing
        await stage.agent.quiet()
        ((kind, labels),) = stage.chooser.offered
        assert kind == "acp.login"
        assert len(labels) == len(methods)
        assert labels[0].startswith("API key: from the environment (the agent does it")
        assert not stage.terminals.programs
        stage.chooser.pick = 0
        stage.log_in()
        request = await stage.agent.expect("authenticate")
        assert request["params"] == {"methodId": "key"}


async def test_c064_the_row_of_a_terminal_says_what_it_runs() -> None:
    async with LoginStage(command="/opt/agent", args=("--acp",)) as stage:
        await stage.refused([TERMINAL])
        await stage.log_in().done()
        assert "runs /opt/agent --acp --login now in a terminal" in stage.chooser.offered[0][1][0]


@pytest.mark.parametrize("methods", [[], None, [5, {"id": "a"}]])
async def test_c065_without_methods_nothing_is_called(methods: Any) -> None:
    async with LoginStage() as stage:
        session = await stage.refused(methods)
        assert "offers no way" in notices(session)[-1]
        assert "offers no way" in await stage.log_in().done()
        await stage.agent.quiet()


async def test_a_session_that_the_user_has_closed_is_not_opened_after_a_login() -> None:
    async with LoginStage() as stage:
        session = await stage.refused([KEY])
        await stage.client.close(session)
        login = stage.log_in("key")
        stage.agent.reply(await stage.agent.expect("authenticate"), {})
        assert not await login.done()
        await stage.agent.quiet()


async def test_an_agent_that_has_not_answered_cannot_be_logged_in_to() -> None:
    async with LoginStage() as stage:
        stage.start()
        assert "has not answered yet" in await stage.log_in().done()
        await stage.agent.initialize(authMethods=[KEY])
        await stage.agent.open()
