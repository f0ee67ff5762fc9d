"""Plays a wire log back to the real client: the agent's lines as they were, the user's acts too.

A log (`:Acp log`, with `log.level` "debug" so that no line is cut) holds both sides. Where it has a
line of the client's, the replay does what led to it and waits until the client has said it again:
that keeps the order of the two sides, without a clock. `python -m tests.support.replay FILE` prints
what the chat holds at the end.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import anyio

from acp_nvim.client.session import Session
from acp_nvim.errors import UserError
from acp_nvim.session.sub_agents import activity
from acp_nvim.view.snapshot import snapshot
from tests.support.agents.scripted_agent import PATIENCE, Closed
from tests.support.agents.voice import line
from tests.support.stage import Stage

SESSIONS = Path(__file__).parents[1] / "golden" / "sessions"
PROJECT = "/project"
"""The project's folder in the recordings that are kept."""

Message: TypeAlias = dict[str, Any]
Line: TypeAlias = tuple[str, Message]
"""Whose it is, "client" or "agent", and the message."""
Mutate: TypeAlias = Callable[[int, Message], list[bytes]]
"""Takes the position of a line of the agent's, and the message; returns what is written."""

ROUNDS = 3
"""Barriers that a mutated replay waits for a line of the client's, which may never come."""


def recorded(path: Path, project: Path) -> list[Line]:
    """Return the messages of a log, as if its project were in that folder."""
    found = []
    for text in path.read_text(encoding="utf-8").splitlines():
        entry = json.loads(text)
        if entry["from"] in ("client", "agent"):
            said = entry["line"].replace(PROJECT, str(project))
            found.append((entry["from"], json.loads(said)))
    return found


def as_it_was(_position: int, message: Message) -> list[bytes]:
    """Return the line of the message: no mutation."""
    return [line(message)]


class Replay:
    """One log on one stage; without a `mutate` of the test's own, every line must come again."""

    def __init__(self, stage: Stage, lines: list[Line], mutate: Mutate = as_it_was) -> None:
        self._stage = stage
        self._lines = lines
        self._mutate = mutate
        self._asked = {
            json.dumps(message["id"]): message["method"]
            for source, message in lines
            if source == "agent" and "method" in message and "id" in message
        }
        self._ids: dict[str, Any] = {}
        """The ids of the client's requests now, by those in the log."""
        self._barriers = 0
        self.gone = False
        """The client has ended the connection: a mutated agent may deserve it."""

    @property
    def exact(self) -> bool:
        """Every line of the client's must come again."""
        return self._mutate is as_it_was

    async def play(self) -> Session:
        """Play it to its end and return the session."""
        self._session = self._stage.launch()
        position = 0
        for source, message in self._lines:
            if source == "client":
                self._act(message)
                await self._heard(message)
            else:
                await self._write(position, message)
                position += 1
        return self._session

    async def settle(self) -> None:
        """Wait until the client has handled all that was written."""
        if self.gone:
            return
        self._barriers += 1
        try:
            await self._stage.agent.ask("_test/barrier", {}, f"barrier-{self._barriers}")
        except (Closed, anyio.ClosedResourceError, anyio.BrokenResourceError):
            self.gone = True

    async def _write(self, position: int, message: Message) -> None:
        agent = self._stage.agent
        if "method" not in message:
            message = message | {"id": self._ids.get(json.dumps(message["id"]), message["id"])}
        pieces = self._mutate(position, message)
        for raw in b"".join(pieces).split(b"\n"):
            self._note_request(raw)
        for data in pieces:
            if not self.gone and not self._stage.over:
                agent.write(data)
        await self.settle()

    def _note_request(self, raw: bytes) -> None:
        """Remember what the client will answer, so that the answer can be judged."""
        try:
            message = json.loads(raw[max(raw.find(b'{"jsonrpc"'), 0) :])
        except ValueError:
            return
        if isinstance(message, dict) and isinstance(message.get("method"), str):
            self._stage.agent.asked[json.dumps(message.get("id"))] = message["method"]

    def _act(self, message: Message) -> None:
        """Do what a user did then; what the client does by itself needs nothing."""
        session, params = self._session, message.get("params", {})
        try:
            match message.get("method"):
                case "session/prompt":
                    texts = [it["text"] for it in params["prompt"] if it["type"] == "text"]
                    self._stage.prompt(session, *texts)
                case "session/cancel":
                    self._stage.client.cancel(session)
                case None if "outcome" in (message.get("result") or {}):
                    self._answer(message["result"]["outcome"])
        except UserError:
            assert not self.exact

    def _answer(self, outcome: Message) -> None:
        questions = self._stage.questions.pending
        if questions and "optionId" in outcome:
            self._stage.choose(questions[0].id, outcome["optionId"])

    async def _heard(self, message: Message) -> None:
        with anyio.fail_after(PATIENCE):
            rounds = 0
            while not self._comes_again(message):
                if not self.exact and rounds == ROUNDS:
                    return
                rounds += 1
                await self.settle()

    def _comes_again(self, message: Message) -> bool:
        for said in self._stage.agent.received:
            if "method" in message:
                if said.get("method") == message["method"] and self._is_new(said):
                    self._ids[json.dumps(message.get("id"))] = said.get("id")
                    return True
            elif "method" not in said and said["id"] == message["id"]:
                return True
        return False

    def _is_new(self, said: Message) -> bool:
        return "id" not in said or said["id"] not in self._ids.values()


def prepare(lines: list[Line]) -> None:
    """Make the files that the agent read, as they were when it first read them."""
    paths: dict[str, str] = {}
    for source, message in lines:
        if source == "agent" and message.get("method") == "fs/read_text_file":
            paths[json.dumps(message["id"])] = message["params"]["path"]
        elif source == "client" and "result" in message:
            path = paths.get(json.dumps(message["id"]))
            text = (message["result"] or {}).get("content")
            if path and text is not None and not Path(path).exists():
                Path(path).write_text(text, encoding="utf-8")


def outcome(session: Session, project: Path, children: Sequence[Session] = ()) -> dict[str, Any]:
    """Return what the session holds at the end, and its sub-agents, for a comparison."""
    held = {name: snapshot(session.state)[name] for name in ("state", "turn", "plan", "entries")}
    names = [[it.name, activity(session.state, it)] for it in session.state.sub_agents]
    inner = [outcome(child, project) for child in children]
    whole = held | ({"sub_agents": names} if names else {})
    text = json.dumps(whole | ({"children": inner} if inner else {}))
    text = re.sub(r" \\u00b7 \d+:\d\d\b", r" \\u00b7 0:00", text)  # how long a turn takes here
    return dict(json.loads(text.replace(str(project), PROJECT)))


def protocol(lines: list[Line]) -> int:
    """Return the version of ACP that the log begins with."""
    return int(lines[0][1]["params"]["protocolVersion"])


async def play(path: Path, project: Path) -> dict[str, Any]:
    """Play a log in that folder, and return what the session holds then."""
    lines = recorded(path, project)
    prepare(lines)
    async with Stage(project, protocol=protocol(lines)) as stage:
        replay = Replay(stage, lines)
        session = await replay.play()
        await replay.settle()
        return outcome(session, project, stage.client.registry.children())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        held = anyio.run(play, Path(sys.argv[1]), Path(folder).resolve())
    print(json.dumps(held, indent=2, ensure_ascii=False))
