"""An agent made with the official Python SDK that does what the prompt says, one thing a prompt.

`say`, `updates`, `ask`, `read PATH`, `write PATH TEXT`, `run COMMAND`, `form`, `wait`: whatever the
SDK can send. What it heard of the client it says back, so that a test can read it in the chat.
Every message passes the SDK's own models, both ways. Run as a program.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import acp
from acp import schema

OPTIONS = [
    schema.PermissionOption(option_id="yes", name="Do it", kind="allow_once"),
    schema.PermissionOption(option_id="no", name="Leave it", kind="reject_once"),
]
MODES = schema.SessionModeState(
    current_mode_id="ask",
    available_modes=[
        schema.SessionMode(id="ask", name="Ask"),
        schema.SessionMode(id="code", name="Code"),
    ],
)


class Peer:
    """Does in each session what the first word of a prompt says."""

    def __init__(self) -> None:
        self._count = 0
        self._model = "small"
        self._cancelled: dict[str, asyncio.Event] = {}

    def on_connect(self, conn: Any) -> None:
        self._client = conn

    # --- sessions

    async def initialize(self, protocol_version: int, **_: Any) -> schema.InitializeResponse:
        sessions = schema.SessionCapabilities(
            list=schema.SessionListCapabilities(),
            resume=schema.SessionResumeCapabilities(),
            close=schema.SessionCloseCapabilities(),
        )
        prompts = schema.PromptCapabilities(image=True, audio=True, embedded_context=True)
        return schema.InitializeResponse(
            protocol_version=protocol_version,
            agent_capabilities=schema.AgentCapabilities(
                load_session=True, prompt_capabilities=prompts, session_capabilities=sessions
            ),
            agent_info=schema.Implementation(name="peer", title="Peer", version="2.0"),
            auth_methods=[schema.AuthMethodAgent(id="key", name="A key")],
        )

    async def authenticate(self, method_id: str, **_: Any) -> schema.AuthenticateResponse:
        return schema.AuthenticateResponse()

    async def new_session(self, cwd: str, **_: Any) -> schema.NewSessionResponse:
        self._count += 1
        return schema.NewSessionResponse(
            session_id=f"sdk-{self._count}", modes=MODES, config_options=self._config()
        )

    async def load_session(self, session_id: str, **_: Any) -> schema.LoadSessionResponse:
        await self._update(session_id, acp.update_user_message_text("an old question"))
        await self._update(session_id, acp.update_agent_message_text("an old answer"))
        return schema.LoadSessionResponse(modes=MODES)

    async def resume_session(self, session_id: str, **_: Any) -> schema.ResumeSessionResponse:
        return schema.ResumeSessionResponse(modes=MODES)

    async def list_sessions(
        self, cwd: str | None = None, cursor: str | None = None, **_: Any
    ) -> schema.ListSessionsResponse:
        page = int(cursor or 0)
        info = schema.SessionInfo(session_id=f"old-{page}", cwd=cwd or "/", title=f"Old {page}")
        return schema.ListSessionsResponse(sessions=[info], next_cursor="1" if page == 0 else None)

    async def close_session(self, session_id: str, **_: Any) -> schema.CloseSessionResponse:
        return schema.CloseSessionResponse()

    async def set_session_mode(
        self, session_id: str, mode_id: str, **_: Any
    ) -> schema.SetSessionModeResponse:
        return schema.SetSessionModeResponse()

    async def set_config_option(
        self, config_id: str, session_id: str, value: str | bool, **_: Any
    ) -> schema.SetSessionConfigOptionResponse:
        self._model = str(value)
        return schema.SetSessionConfigOptionResponse(config_options=self._config())

    def _config(self) -> list[Any]:
        choices = [
            schema.SessionConfigSelectOption(value=name, name=name.title())
            for name in ("small", "large")
        ]
        return [
            schema.SessionConfigOptionSelect(
                id="model",
                name="Model",
                category="model",
                type="select",
                current_value=self._model,
                options=choices,
            )
        ]

    # --- turns

    async def prompt(self, prompt: list[Any], session_id: str, **_: Any) -> schema.PromptResponse:
        verb, _, rest = prompt[0].text.partition(" ")
        self._cancelled[session_id] = asyncio.Event()
        said = await getattr(self, f"_{verb}")(session_id, rest, prompt)
        if said:
            await self._update(session_id, acp.update_agent_message_text(said))
        cancelled = self._cancelled[session_id].is_set()
        return schema.PromptResponse(stop_reason="cancelled" if cancelled else "end_turn")

    async def cancel(self, session_id: str, **_: Any) -> None:
        self._cancelled[session_id].set()

    async def _update(self, session_id: str, update: Any) -> None:
        await self._client.session_update(session_id, update)

    async def _say(self, _session: str, _rest: str, prompt: list[Any]) -> str:
        return " ".join(block.type for block in prompt)

    async def _wait(self, session: str, _rest: str, _prompt: Any) -> str:
        await self._update(session, acp.update_agent_message_text("waiting"))
        await self._cancelled[session].wait()
        return ""

    async def _updates(self, session: str, _rest: str, _prompt: Any) -> str:
        command = schema.AvailableCommand(name="test", description="Run the tests")
        entry = schema.PlanEntry(content="dig", priority="high", status="in_progress")
        cost = schema.Cost(amount=0.5, currency="EUR")
        for update in (
            acp.update_agent_thought_text("a thought"),
            acp.start_tool_call("call-1", "Dig", kind="edit", status="pending"),
            acp.update_tool_call(
                "call-1", status="completed", content=[acp.tool_diff_content("/a", "new", "old")]
            ),
            acp.update_plan([entry]),
            schema.AvailableCommandsUpdate(
                available_commands=[command], session_update="available_commands_update"
            ),
            schema.CurrentModeUpdate(current_mode_id="code", session_update="current_mode_update"),
            schema.SessionInfoUpdate(title="A title", session_update="session_info_update"),
            schema.UsageUpdate(used=10, size=100, cost=cost, session_update="usage_update"),
            schema.ConfigOptionUpdate(
                config_options=self._config(), session_update="config_option_update"
            ),
            acp.update_agent_message(acp.image_block("aGk=", "image/png")),
        ):
            await self._update(session, update)
        return "done"

    async def _ask(self, session: str, _rest: str, _prompt: Any) -> str:
        call = schema.ToolCallUpdate(tool_call_id="call-2", title="Dig deeper")
        answer = await self._client.request_permission(
            session_id=session, tool_call=call, options=OPTIONS
        )
        return str(answer.outcome.model_dump_json())

    async def _read(self, session: str, path: str, _prompt: Any) -> str:
        read = await self._client.read_text_file(session_id=session, path=path, line=2, limit=1)
        return str(read.content)

    async def _write(self, session: str, rest: str, _prompt: Any) -> str:
        path, _, text = rest.partition(" ")
        await self._client.write_text_file(session_id=session, path=path, content=text)
        return "written"

    async def _run(self, session: str, command: str, _prompt: Any) -> str:
        client = self._client
        made = await client.create_terminal(
            session_id=session, command="sh", args=["-c", command], output_byte_limit=1000
        )
        of = {"session_id": session, "terminal_id": made.terminal_id}
        await self._update(
            session,
            acp.start_tool_call("call-3", "Run", content=[acp.tool_terminal_ref(made.terminal_id)]),
        )
        ended = await client.wait_for_terminal_exit(**of)
        output = await client.terminal_output(**of)
        await client.kill_terminal(**of)
        await client.release_terminal(**of)
        return f"{output.output.strip()} {ended.exit_code}"

    async def _form(self, session: str, _rest: str, _prompt: Any) -> str:
        name = schema.ElicitationStringPropertySchema(type="string", title="Name")
        wanted = schema.ElicitationSchema(type="object", properties={"name": name})
        answer = await self._client.create_elicitation(
            "Who are you?",
            schema.ElicitationFormSessionMode(session_id=session, requested_schema=wanted),
        )
        return json.dumps(answer.model_dump(mode="json", exclude_none=True))


if __name__ == "__main__":
    # close and resume are behind this flag in the SDK, although stable in the protocol
    asyncio.run(acp.run_agent(Peer(), use_unstable_protocol=True))  # type: ignore[arg-type]
