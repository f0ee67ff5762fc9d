"""An agent made with the official Python SDK whose sessions have config options. A program.

Choosing the small model takes the thought level away; a model that is too dear is refused.
"""

from __future__ import annotations

import asyncio
from typing import Any

import acp
from acp.schema import (
    Implementation,
    InitializeResponse,
    NewSessionResponse,
    PromptResponse,
    SessionConfigOptionBoolean,
    SessionConfigOptionSelect,
    SessionConfigSelectGroup,
    SessionConfigSelectOption,
    SetSessionConfigOptionResponse,
)

BIG = SessionConfigSelectOption(value="big", name="Big One")
SMALL = SessionConfigSelectOption(value="small", name="Small One")
DEAR = SessionConfigSelectOption(value="dear", name="Dear One")
HIGH = SessionConfigSelectOption(value="high", name="High")


class Chooser:
    """Has a model, a thought level for the big one, and a switch."""

    def __init__(self) -> None:
        self._model = "big"
        self._web = False

    def on_connect(self, conn: Any) -> None:
        pass

    async def initialize(
        self, protocol_version: int, client_capabilities: Any = None, **_: Any
    ) -> InitializeResponse:
        options = client_capabilities.session.config_options
        assert options.boolean is not None, "no switches"
        return InitializeResponse(
            protocol_version=protocol_version,
            agent_info=Implementation(name="chooser", version="1.0"),
        )

    async def new_session(self, cwd: str, **_: Any) -> NewSessionResponse:
        return NewSessionResponse(session_id="sdk-1", config_options=self._options())

    async def set_config_option(
        self, config_id: str, session_id: str, value: str | bool, **_: Any
    ) -> SetSessionConfigOptionResponse:
        if value == "dear":
            raise acp.RequestError(-32603, "no credit")
        if config_id == "web":
            assert isinstance(value, bool)
            self._web = value
        else:
            self._model = str(value)
        return SetSessionConfigOptionResponse(config_options=self._options())

    async def prompt(self, prompt: list[Any], session_id: str, **_: Any) -> PromptResponse:
        return PromptResponse(stop_reason="end_turn")

    async def cancel(self, session_id: str, **_: Any) -> None:
        pass

    def _options(self) -> list[Any]:
        groups = [
            SessionConfigSelectGroup(group="l", name="Large", options=[BIG, DEAR]),
            SessionConfigSelectGroup(group="s", name="Little", options=[SMALL]),
        ]
        thought = SessionConfigOptionSelect(
            type="select",
            id="thought",
            name="Thinking",
            category="thought_level",
            current_value="high",
            options=[HIGH],
        )
        model = SessionConfigOptionSelect(
            type="select",
            id="model",
            name="Model",
            category="model",
            current_value=self._model,
            options=groups,
        )
        web = SessionConfigOptionBoolean(
            type="boolean", id="web", name="Web", current_value=self._web
        )
        return [model, *([thought] if self._model == "big" else []), web]


if __name__ == "__main__":
    asyncio.run(acp.run_agent(Chooser()))  # type: ignore[arg-type]
