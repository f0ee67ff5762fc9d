"""An agent that prints to its stdout what is no message: what the user sees."""

from __future__ import annotations

from typing import Any

from tests.support.agents.voice import SESSION, line
from tests.support.main_job import MainJob


def _update(update: dict[str, Any]) -> dict[str, Any]:
    params = {"sessionId": SESSION, "update": update}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def test_text_before_the_messages_hides_none_and_is_named_once(job: MainJob) -> None:
    job.command("AcpStart scripted")
    agent = job.stage.accept()
    write = agent.write
    agent.write = lambda data: write(b"\x1b]0;agent\x07" + data)  # type: ignore[method-assign]
    agent.initialize()
    agent.open()
    request = job.turn(agent)
    for piece in ("half of HIGH", "LOW it"):
        content = {"type": "text", "text": piece}
        update = {"sessionUpdate": "agent_message_chunk", "content": content}
        said = line(_update(update)).replace(b"HIGH", rb"\ud83d").replace(b"LOW", rb"\ude00")
        agent.write(said)
    job.finish(agent, request)
    job.until(lambda: any("prints text among its messages" in it for it in job.chat()))
    said = [it for it in job.chat() if "prints text" in it]
    assert len(said) == 1
    assert any("half of 😀 it" in it for it in job.chat()), job.chat()
