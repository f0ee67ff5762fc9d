"""A plain ACP agent that streams markdown over stdio: what `stream.py` lets every reader read.

The prompt `replay N` sends N lines of transcript at once, a message for each 25; the prompt
`stream S` sends 200 chunks a second for S seconds, as one message; `flood N` N chunks as
fast as they are taken; `tools N` N tool calls and their updates. A session whose id is a number is
loaded with so many updates. `stream.py`
imports `replayed` and `streamed` to know what must have arrived. Only the standard library.

For `everyday.py`: `burst M L` says M messages of L lines at once, `edit N PATH [TIMES]` reads a
file and writes N hunks of it, so often, `ask` asks for a permission, `run` says that a command ran,
`hush` says nothing. When each was asked, answered and over stands in the file that is the first
argument, in nanoseconds of the monotonic clock.
"""

from __future__ import annotations

import json
import re
import sys
import time
from itertools import count, islice
from typing import Any

CHUNKS_PER_SECOND = 200

SECTION = """\
## Step {n}: the queue of `worker_{n}`

I looked at **how tasks are taken** from the queue: `take()` waits for *one* task at a time, so a \
slow task holds up the rest. The [notes on back-pressure](https://example.org/queue/{n}) say the \
same, and the tests of `worker_{n}.py` do not cover it.

- the lock is held while the task runs, see `worker_{n}.py:{n}`
- [x] the timeout is passed on, but **never read**
  1. first the callers, then the *signature*
> A queue that is empty must not keep the lock.

```python
def take(self, limit: float = {n}.5) -> Task | None:
    with self._lock:  # short: the task runs outside
        task = self._tasks.pop() if self._tasks else None
    return task or self._wait(limit, name="worker_{n}")
```

| call | before | after |
|---|---:|---:|
| `take` | {n} ms | **1 ms** |

Next I change the call in `worker_{n}.py` and run `make test` again.
If a test of *another* worker fails, its lock has the **same** mistake: see `worker_{n}.py:7`.

---

"""
LINES = SECTION.count("\n")


def replayed(lines: int) -> list[str]:
    """Return the messages of a transcript of that many lines, or a few more."""
    return [SECTION.format(n=n) for n in range(1, 1 - lines // -LINES)]


def streamed(seconds: float) -> list[str]:
    """Return the chunks of two words that are sent in that time."""
    sections = (SECTION.format(n=n) for n in count(1000))
    chunks = (chunk for section in sections for chunk in re.findall(r"\S+\s+\S*\s*", section))
    return list(islice(chunks, round(seconds * CHUNKS_PER_SECOND)))


def send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def line(session: str, update: dict[str, Any]) -> str:
    params = {"sessionId": session, "update": update}
    return json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": params}) + "\n"


def chunk(session: str, message_id: str, text: str, role: str = "agent") -> str:
    said = {"messageId": message_id, "content": {"type": "text", "text": text}}
    return line(session, {"sessionUpdate": f"{role}_message_chunk", **said})


def tool(session: str, update: str, number: int | str, **fields: Any) -> str:
    return line(session, {"sessionUpdate": update, "toolCallId": f"t{number}", **fields})


def say(session: str, message_id: str, text: str) -> None:
    sys.stdout.write(chunk(session, message_id, text))
    sys.stdout.flush()


def note(event: str) -> None:
    """Write down when something happened."""
    if len(sys.argv) > 1:
        with open(sys.argv[1], "a") as notes:
            notes.write(f"{event} {time.monotonic_ns()}\n")


def ask(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Ask the client, and wait for its result."""
    note("asked")
    send({"id": method, "method": method, "params": params})
    answer = next(it for it in map(json.loads, sys.stdin) if it.get("id") == method)
    note("answered")
    return dict(answer["result"] or {})


def edit(session: str, hunks: int, path: str, times: str = "1") -> None:
    """Read a file, and write it with so many more lines changed, evenly apart; so often."""
    for _ in range(int(times)):
        write(session, hunks, path)


def write(session: str, hunks: int, path: str) -> None:
    where = {"sessionId": session, "path": path}
    lines = ask("fs/read_text_file", where)["content"].split("\n")
    step = len(lines) // hunks
    before = sum(line.startswith("the agent's line") for line in lines) // hunks
    for first in range(0, step * hunks, step):
        row = first + (step // 2 + before) % step
        lines[row] = f"the agent's line {row}"
    ask("fs/write_text_file", {**where, "content": "\n".join(lines)})


def permission(session: str) -> None:
    """Ask whether a command may run."""
    call = {"toolCallId": "asked", "title": "make test", "kind": "execute", "status": "pending"}
    options = [
        {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
        {"optionId": "no", "name": "No", "kind": "reject_once"},
    ]
    ask("session/request_permission", {"sessionId": session, "toolCall": call, "options": options})


def run(session: str, turn: int) -> None:
    """Say that a command has run."""
    fields = {"title": "make", "kind": "execute", "status": "in_progress"}
    sys.stdout.write(tool(session, "tool_call", turn, **fields))
    sys.stdout.write(tool(session, "tool_call_update", turn, status="completed"))
    sys.stdout.flush()


def burst(session: str, turn: int, messages: int, lines: int) -> None:
    text = "".join(replayed(messages * lines)).splitlines(keepends=True)
    for number in range(messages):
        part = "".join(text[number * lines : (number + 1) * lines])
        sys.stdout.write(chunk(session, f"{turn}-{number}", part))
    sys.stdout.flush()


def flood(session: str, turn: int, amount: int) -> None:
    """Send so many chunks of ten characters, ten to a line."""
    for number in range(amount):
        end = "\n" if number % 10 == 9 else " "
        sys.stdout.write(chunk(session, f"{turn}", f"{number:09}{end}"))
    sys.stdout.flush()


def tools(session: str, turn: int, amount: int) -> None:
    """Send so many tool calls, half of them updates that end the one before, flat out."""
    for number in range(0, amount, 2):
        name = f"{turn}-{number}"
        given = {"path": f"src/step_{number}.py", "limit": 200}
        fields = {"title": f"Read step_{number}.py", "kind": "read", "status": "pending"}
        places = [{"path": f"/tmp/src/step_{number}.py", "line": 3}]
        sys.stdout.write(
            tool(session, "tool_call", name, **fields, rawInput=given, locations=places)
        )
        said = {"type": "content", "content": {"type": "text", "text": "a line\n" * 5}}
        done = {"status": "completed", "content": [said]}
        sys.stdout.write(tool(session, "tool_call_update", name, **done))
    sys.stdout.flush()


def load(session: str) -> None:
    """Send so many updates, ten a turn: a prompt, an answer in six parts, two calls of a tool."""
    for number in range(int(session)):
        turn, place = divmod(number, 10)
        if place == 0:
            sys.stdout.write(chunk(session, f"u{turn}", f"Do step {turn}", "user"))
        elif place < 7:
            text = f"This is part {place} of the answer, **in words**.\n"
            sys.stdout.write(chunk(session, f"a{turn}", text))
        elif place < 9:
            fields = {"title": f"Read step_{turn}.py", "kind": "read", "status": "pending"}
            sys.stdout.write(tool(session, "tool_call", number, **fields))
        else:
            said = {"type": "content", "content": {"type": "text", "text": "a line\n" * 5}}
            done = {"status": "completed", "content": [said]}
            sys.stdout.write(tool(session, "tool_call_update", number - 1, **done))
    sys.stdout.flush()


def replay(session: str, turn: int, lines: int) -> None:
    for number, text in enumerate(replayed(lines)):
        say(session, f"{turn}-{number}", text)


def stream(session: str, turn: int, seconds: float) -> None:
    began = time.monotonic()
    for number, text in enumerate(streamed(seconds)):
        due = began + number / CHUNKS_PER_SECOND
        time.sleep(max(0.0, due - time.monotonic()))
        say(session, f"{turn}", text)


def play(session: str, turn: int, prompt: str) -> None:
    command, *words = prompt.split()
    match command:
        case "replay":
            replay(session, turn, int(words[0]))
        case "stream":
            stream(session, turn, float(words[0]))
        case "flood" | "tools":
            (flood if command == "flood" else tools)(session, turn, int(words[0]))
        case "burst":
            burst(session, turn, int(words[0]), int(words[1]))
        case "edit":
            edit(session, int(words[0]), *words[1:])
        case "ask":
            permission(session)
        case "run":
            run(session, turn)


def main() -> None:
    turns = count(1)
    for said in sys.stdin:
        call = json.loads(said)
        result: dict[str, Any] = {}
        match call["method"]:
            case "initialize":
                result = {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}}
            case "session/new":
                result = {"sessionId": "bench-1"}
            case "session/load":
                load(call["params"]["sessionId"])
            case "session/prompt":
                note("prompted")
                params = call["params"]
                play(params["sessionId"], next(turns), params["prompt"][0]["text"])
                result = {"stopReason": "end_turn"}
        if "id" in call:
            send({"id": call["id"], "result": result})
        if call["method"] == "session/prompt":
            note("ended")


if __name__ == "__main__":
    main()
