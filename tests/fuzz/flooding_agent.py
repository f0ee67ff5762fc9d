"""An agent that floods its client as fast as it is read, until it is cancelled: for `floods`.

The prompt names the flood. What it tells on stderr, a JSON line each: when it began, when it was
cancelled (on the clock of the machine), how much it had sent. Only the standard library.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

SESSION = "s"
BATCH = 64
DEEP = "[" * 900 + "]" * 900
LARGE_ONES = frozenset({"array", "commands", "large-reads", "plans", "rewrites"})
"""Floods of which each message is much."""
ENDLESS = frozenset({"output"})
"""Floods that go on when the agent says nothing more."""
LARGE = 27_000_000
"""Bytes of a file of the project that is read."""

cancelled = threading.Event()
wanted = threading.Event()
prompt: dict[str, Any] = {}


def call(number: int, method: str, **params: Any) -> str:
    return json.dumps(
        {
            "jsonrpc": "2.0",
            "id": f"f{number}",
            "method": method,
            "params": {"sessionId": SESSION, **params},
        }
    )


def update(**told: Any) -> str:
    params = {"sessionId": SESSION, "update": told}
    return json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": params})


def chunk(kind: str, text: str) -> str:
    return update(sessionUpdate=kind, content={"type": "text", "text": text})


def nested(number: int) -> str:
    params = (
        f'{{"sessionId":"{SESSION}","update":{{"sessionUpdate":"tool_call","rawInput":{DEEP}}}}}'
    )
    return f'{{"jsonrpc":"2.0","method":"session/update","params":{params}}}'


def large_file() -> str:
    path = os.path.join(os.getcwd(), "large.txt")
    if not os.path.exists(path):
        with open(path, "w", encoding="ascii") as file:
            file.write(("x" * 99 + "\n") * (LARGE // 100))
    return path


FLOODS: dict[str, Callable[[int], str]] = {
    "unknown": lambda number: call(number, "_vendor/method", text="x" * 200),
    "refused-writes": lambda number: call(
        number, "fs/write_text_file", path=f"/etc/acp/{number}", content="x"
    ),
    "refused-reads": lambda number: call(number, "fs/read_text_file", path="/etc/shadow"),
    "broken-requests": lambda number: call(number, "fs/read_text_file", path=[number]),
    "terminals": lambda number: call(
        number, "terminal/create", command="true", cwd="/nowhere/at/all"
    ),
    "no-such-terminal": lambda number: call(number, "terminal/output", terminalId="x" * 2_000),
    "same-id": lambda number: call(0, "fs/read_text_file", path="/nowhere"),
    "large-reads": lambda number: call(number, "fs/read_text_file", path=large_file()),
    "noise": lambda number: "{" + "noise " * 30,
    "deep": nested,
    "unasked": lambda number: json.dumps({"jsonrpc": "2.0", "id": 9_000 + number, "result": {}}),
    "unknown-updates": lambda number: update(sessionUpdate=f"kind {number}", text="x" * 300),
    "other-sessions": lambda number: json.dumps(
        {
            "jsonrpc": "2.0",
            "method": "session/update",
            "params": {
                "sessionId": f"ghost {number}",
                "update": {"sessionUpdate": "agent_message_chunk", "content": {}},
            },
        }
    ),
    "modes": lambda number: update(sessionUpdate="current_mode_update", currentModeId=f"m{number}"),
    "plans": lambda number: update(
        sessionUpdate="plan",
        entries=[
            {"content": f"{number} {it}", "priority": "low", "status": "pending"}
            for it in range(200)
        ],
    ),
    "commands": lambda number: update(
        sessionUpdate="available_commands_update",
        availableCommands=[{"name": f"c{number}-{it}", "description": "x"} for it in range(200)],
    ),
    "array": lambda number: (
        "[" + ",".join(call(1_000 * number + it, "_vendor/method") for it in range(1_000)) + "]"
    ),
    "same-call": lambda number: update(
        sessionUpdate="tool_call_update", toolCallId="one", title=f"title {number}"
    ),
    "calls": lambda number: update(
        sessionUpdate="tool_call", toolCallId=f"t{number}", title=f"title {number}"
    ),
    "words": lambda number: chunk("agent_message_chunk", f"word {number} "),
    "lines": lambda number: chunk("agent_message_chunk", f"- line {number}\n\n"),
    "thoughts": lambda number: chunk("agent_thought_chunk", "x" * 900),
    "titles": lambda number: update(sessionUpdate="session_info_update", title=f"title {number}"),
    "usage": lambda number: update(sessionUpdate="usage_update", used=number, size=1_000_000),
    "permissions": lambda number: call(
        number,
        "session/request_permission",
        toolCall={"toolCallId": f"p{number}", "title": f"rm {number}", "rawInput": {"x": "y" * 99}},
        options=[{"optionId": "a", "name": "Allow", "kind": "allow_once"}],
    ),
    "forms": lambda number: call(
        number,
        "elicitation/create",
        mode="form",
        message=f"question {number}",
        requestedSchema={"type": "object", "properties": {"a": {"type": "string"}}},
    ),
    "commands-run": lambda number: call(number, "terminal/create", command="true"),
    "output": lambda number: call(number, "terminal/create", command="yes"),
    "released": lambda number: (
        call(number, "terminal/release", terminalId=f"terminal-{number // 2 - 20}")
        if number % 2
        else call(number, "terminal/create", command="sh", args=["-c", "yes | head -c 900000"])
    ),
    "writes": lambda number: call(
        number,
        "fs/write_text_file",
        path=os.path.join(os.getcwd(), f"{number % 50}.txt"),
        content=f"{number}\n" * 40,
    ),
    "rewrites": lambda number: call(
        number,
        "fs/write_text_file",
        path=os.path.join(os.getcwd(), f"much{number % 50}.txt"),
        content=f"{number} line of some length\n" * 18_000,
    ),
    "noisy-frames": lambda number: f"\x1b]0;{number}\a" + call(number, "_vendor/method"),
    "halves": lambda number: chunk("agent_message_chunk", "\ud83d"),
    "ghosts": lambda number: json.dumps(
        {"jsonrpc": "2.0", "id": 9_000 + number, "result": {"sessionId": f"g{number}"}}
    ),
}
"""What is sent over and over, by the name of the flood."""


def tell(**told: Any) -> None:
    sys.stderr.write(json.dumps({"at": time.monotonic(), **told}) + "\n")
    sys.stderr.flush()


def say(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def listen() -> None:
    """Read all that the client says, in a thread; a cancel is noted at once."""
    for line in sys.stdin.buffer:
        if b'"session/cancel"' in line[:200]:
            tell(what="cancelled")
            cancelled.set()
            continue
        if b'"method"' not in line[:200]:
            continue
        message = json.loads(line)
        match message.get("method"):
            case "initialize":
                say(id=message["id"], result={"protocolVersion": 1})
            case "session/new":
                say(id=message["id"], result={"sessionId": SESSION})
            case "session/prompt":
                prompt.update(message)
                wanted.set()
    os._exit(0)


def batches(flood: Callable[[int], str], size: int) -> Iterator[tuple[int, bytes]]:
    for number in count():
        first = number * size
        lines = (flood(first + it) for it in range(size))
        yield first + size, "".join(f"{line}\n" for line in lines).encode()


def main() -> None:
    threading.Thread(target=listen, daemon=True).start()
    while True:
        wanted.wait()
        wanted.clear()
        cancelled.clear()
        name = prompt["params"]["prompt"][0]["text"].split()[0]
        tell(what="began")
        sent = 0
        for count_now, batch in batches(FLOODS[name], 1 if name in LARGE_ONES else BATCH):
            if cancelled.is_set():
                break
            sys.stdout.buffer.write(batch)
            sys.stdout.buffer.flush()
            sent = count_now
        tell(what="ended", sent=sent)
        say(id=prompt["id"], result={"stopReason": "cancelled"})


if __name__ == "__main__":
    main()
