"""A stage for the terminal obligations: short ways to run commands and to look at them."""

from __future__ import annotations

from typing import Any

from acp_nvim.client.session import Session
from tests.support.agents.scripted_agent import SESSION
from tests.support.stage import Stage


class Terminals(Stage):
    """A stage whose agent runs commands; an answer is the result, or the code of the error."""

    async def call(self, verb: str, session: str = SESSION, **params: Any) -> Any:
        """Return the answer to `terminal/VERB`."""
        return plain(
            await self.agent.ask(f"terminal/{verb}", {"sessionId": session, **params}, verb)
        )

    async def create(self, command: str, *args: str, **params: Any) -> str:
        """Run a command; return the terminal's id."""
        more = {"args": list(args)} if args else {}
        created = await self.call("create", command=command, **more, **params)
        assert isinstance(created, dict), created
        return str(created["terminalId"])

    async def output(self, terminal: str) -> Any:
        """Return what `terminal/output` says."""
        return await self.call("output", terminalId=terminal)

    async def exited(self, terminal: str) -> Any:
        """Wait for the end; return how it ended."""
        return await self.call("wait_for_exit", terminalId=terminal)

    async def run(self, command: str, *args: str, **params: Any) -> str:
        """Run a command to its end; return its output."""
        terminal = await self.create(command, *args, **params)
        await self.exited(terminal)
        return str((await self.output(terminal))["output"])

    async def wrote(self, session: Session, terminal: str, text: str) -> None:
        """Wait until the session knows that it has written that text."""
        await self.until(lambda: text in session.state.terminals[terminal].tail)


def plain(answer: dict[str, Any]) -> Any:
    """Return the result, or the code of the error."""
    return answer["result"] if "result" in answer else answer["error"]["code"]
