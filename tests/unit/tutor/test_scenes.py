"""What the tutor does in a turn, over stdio as a client sees it."""

from __future__ import annotations

import asyncio
import itertools
import re
import textwrap
from typing import Any

import pytest

from acp_tutor.connection import Connection
from acp_tutor.lessons import LESSONS, lesson
from acp_tutor.prompt import Prompt
from acp_tutor.scenes import STOP, follow_plan
from acp_tutor.session import Abilities, Session
from tests.unit.tutor.client import Client, Message, tutor

BUGGY = "def average(values):\n    return sum(values) / (len(values) - 1)\n"
FIXED = "def average(values):\n    return sum(values) / len(values)\n# tutor was here: 1\n"
TABLE = re.compile(r"^\| `gf` \|", re.MULTILINE)


class Disk:
    """The files of a client; `reject` is how many writes fail first."""

    def __init__(self, client: Client, files: dict[str, str], reject: int = 0) -> None:
        self.files = files
        self.reject = reject
        client.answers["fs/read_text_file"] = self.read
        client.answers["fs/write_text_file"] = self.write

    def read(self, request: Message) -> Message:
        path = request["params"]["path"]
        if path not in self.files:
            return {"error": {"code": -32002, "message": f"no such file: {path}"}}
        return {"result": {"content": self.files[path]}}

    def write(self, request: Message) -> Message:
        if self.reject:
            self.reject -= 1
            self.files["/project/a.py"] = "# typed meanwhile\n" + BUGGY
            return {"error": {"code": -32603, "message": "The user has edited this."}}
        self.files[request["params"]["path"]] = request["params"]["content"]
        return {"result": {}}


def choose(client: Client, option: str) -> None:
    outcome = {"outcome": {"outcome": "selected", "optionId": option}}
    client.answers["session/request_permission"] = lambda _: {"result": outcome}


def asked(client: Client) -> list[dict[str, Any]]:
    return [
        message["params"]
        for message in client.received
        if message.get("method") == "session/request_permission"
    ]


async def test_help_has_a_table_and_code():
    async with tutor() as client:
        assert await client.prompt(await client.open(), "/help") == "end_turn"
        said = client.said()
    assert "```lua\n" in said
    assert TABLE.search(said)


async def test_the_first_prompt_is_answered_with_the_lesson():
    async with tutor() as client:
        assert await client.prompt(await client.open(), "hello") == "end_turn"
        said = client.said()
        chunks = client.updates("agent_message_chunk")
    assert said.startswith("# Welcome to acp.nvim\n\n")
    assert "■□□□□□□ 1 of 7 · **Talk**" in said and "Press `i`" in said
    assert "2 of 7" not in said, "one lesson at a time"
    assert len(chunks) > 20
    assert len({chunk["messageId"] for chunk in chunks}) == 2, "the welcome and the lesson"
    assert not client.updates("usage_update"), "a share of nothing is a riddle"


async def test_the_same_words_give_the_same_messages():
    seen = []
    for _ in range(2):
        async with tutor() as client:
            await client.prompt(await client.open(), "hello")
            await client.prompt("tutor-1", "hello again")
            seen.append(client.received)
    assert seen[0] == seen[1]


async def test_it_tells_what_was_attached():
    resource = {
        "uri": "file:///project/my%20file.py#L2-L3",
        "mimeType": "text/x-python",
        "text": "second()\nthird()\n",
    }
    async with tutor() as client:
        disk = Disk(client, {"/project/my file.py": "first()\n"})
        session = await client.open()
        await client.prompt(session, "explain", {"type": "resource", "resource": resource})
        assert "`my file.py`, lines 2 to 3." in client.said()
        assert "~~~py\nsecond()\n~~~" in client.said()
        await client.prompt(session, "/read")
    assert disk.files
    assert "`my file.py` has 1 line." in client.said()


async def test_read_tells_length_and_heading():
    async with tutor() as client:
        Disk(client, {"/project/README.md": "# Title\n\ntext\n", "/elsewhere/x.py": "# no\n"})
        session = await client.open()
        await client.prompt(session, "/read")
        call = client.updates("tool_call")[0]
        assert "`README.md` has 3 lines. Its first heading is **Title**." in client.said()
        assert (call["kind"], call["locations"]) == ("read", [{"path": "/project/README.md"}])
        await client.prompt(session, "/read /elsewhere/x.py")
        assert "`x.py` has 1 line.\n" in client.said()
    assert client.call_statuses()[-1] == "completed"


async def test_a_file_that_cannot_be_read_is_a_failed_call():
    async with tutor() as client:
        Disk(client, {})
        await client.prompt(await client.open(), "/read missing.md")
    assert client.call_statuses()[-1] == "failed"
    assert "no such file: /project/missing.md" in client.said()


@pytest.mark.parametrize("command", ["/read", "/edit"])
async def test_it_is_polite_to_a_client_without_files(command: str):
    async with tutor(fs={}) as client:
        assert await client.prompt(await client.open(), command) == "end_turn"
    assert "does not offer `fs/read_text_file`" in client.said()
    assert not client.updates("tool_call")


async def test_edit_asks_and_writes():
    async with tutor() as client:
        disk = Disk(client, {"/project/a.py": BUGGY})
        choose(client, "allow-once")
        session = await client.open()
        assert await client.prompt(session, "/edit a.py") == "end_turn"
        assert disk.files["/project/a.py"] == FIXED
        assert client.updates("agent_thought_chunk")
        edit = client.updates("tool_call")[1]
        assert edit["locations"] == [{"path": "/project/a.py", "line": 2}]
        assert edit["content"] == [
            {"type": "diff", "path": "/project/a.py", "oldText": BUGGY, "newText": FIXED}
        ]
        kinds = [option["kind"] for option in asked(client)[0]["options"]]
        assert kinds == ["allow_once", "allow_always", "reject_once", "reject_always"]
        statuses = [entry["status"] for entry in client.updates("plan")[-1]["entries"]]
        assert statuses == ["completed"] * 3
        await client.prompt(session, "/edit")
    assert disk.files["/project/a.py"] == FIXED.replace("1", "2")
    assert len(asked(client)) == 2


REJECTED = {"type": "resource", "resource": {"uri": "acp-nvim://rejected.diff", "text": "-x"}}
COMMENTED = {"type": "text", "text": "The user's comments on these lines:\n\na.py:1\nwhy?\n"}


@pytest.mark.parametrize(
    ("along", "told"),
    [
        ((), "You rejected nothing"),
        ((REJECTED,), "I was told what you rejected: "),
        ((COMMENTED,), "I was told what you say on the lines."),
        ((COMMENTED, REJECTED), "what you rejected, and what you say"),
    ],
)
async def test_lessons_come_one_at_a_time_and_are_checked(along: tuple[Message, ...], told: str):
    async with tutor() as client:
        Disk(client, {"/project/a.py": BUGGY})
        choose(client, "allow-once")
        session = await client.open()
        await client.prompt(session, "/edit a.py")
        assert "4 of 7 · **Review**" in client.said()
        assert "5 of 7" not in client.said()
        await client.prompt(session, "done", *along)
        assert told in client.said()
        assert "5 of 7 · **Undo**" in client.said()
        await client.prompt(session, "done")
        assert "still there" in client.said()
        assert "6 of 7 · **Stop**" in client.said()
        await client.prompt(session, "/plan")
    assert "The plan is done." in client.said()
    assert "7 of 7 · **Go on**" in client.said()
    assert "3 of 7" not in client.said()


async def test_what_is_not_done_is_asked_for_again():
    async with tutor() as client:
        disk = Disk(client, {"/project/a.py": BUGGY})
        session = await client.open()
        await client.prompt(session, "Show me around")
        await client.prompt(session, "hello")
        assert client.said().endswith("I wait for\n`/read`")
        await client.prompt(session, "/read a.py")
        assert "2 of 7 · **Point**" in client.said()
        link = {"type": "resource_link", "uri": "file:///project/a.py#L1", "name": "a.py"}
        await client.prompt(session, "explain this", link)
        assert "No lines came with that" in client.said(), "a name is no line"
        await client.prompt(session, "/read")
        assert client.said().count("2 of 7") == 1
        lines = {"uri": "file:///project/a.py#L1", "text": "def average(values):\n"}
        await client.prompt(session, "explain", link, {"type": "resource", "resource": lines})
        assert "3 of 7 · **Decide**" in client.said()
        choose(client, "reject-once")
        await client.prompt(session, "/edit")
        assert "You said no: look at the file, nothing was written." in client.said()
        assert client.said().endswith("and say yes.")
        choose(client, "allow-once")
        await client.prompt(session, "/edit")
        await client.prompt(session, "done")
        disk.files["/project/a.py"] = BUGGY
        await client.prompt(session, "done")
    assert "My change is gone" in client.said()


class Stopped(Session):
    """A session whose user stops the plan at its first step."""

    async def pause(self, words: int = 1) -> None:
        if words > 1:
            raise asyncio.CancelledError


async def test_who_stops_the_plan_is_told_how_to_go_on():
    sent: list[bytes] = []
    session = Stopped("1", "/project", Connection(sent.append), Abilities(), 0.0)
    session.lesson = STOP
    with pytest.raises(asyncio.CancelledError):
        await follow_plan(session, Prompt("/plan"))
    assert "You stopped me." in sent[-1].decode()
    assert "7 of 7" in sent[-1].decode()
    assert b'"entries":[]' in sent[-2].replace(b" ", b"")  # or it stands below the lesson


def test_the_last_lesson_names_the_agents_that_are_here() -> None:
    assert "`:AcpStart gemini`" in lesson(len(LESSONS), ["gemini"])
    assert "`:Acp agents`" in lesson(len(LESSONS))


def test_each_lesson_is_one_screen() -> None:
    """Of 60 columns and 20 rows, in which a chat has 34 cells and 9 rows above the turn's end."""
    for number, agents in itertools.product(range(1, len(LESSONS) + 1), ([], ["a"], ["a"] * 2)):
        rows = 0
        for line in lesson(number, agents).strip("\n").split("\n"):
            rows += max(1, len(textwrap.wrap(re.sub(r"[`*]", "", line), 34)))
        assert rows <= 9, LESSONS[number - 1].title


async def test_edit_rejected_writes_nothing():
    async with tutor() as client:
        disk = Disk(client, {"/project/a.py": BUGGY})
        choose(client, "reject-once")
        await client.prompt(await client.open(), "/edit a.py")
    assert disk.files["/project/a.py"] == BUGGY
    assert client.call_statuses()[-1] == "failed"
    assert client.updates("plan")[-1]["entries"] == []
    assert "You said no" in client.said()


@pytest.mark.parametrize(("option", "expected"), [("allow-always", "# "), ("reject-always", None)])
async def test_always_is_remembered_in_the_session_only(option: str, expected: str | None):
    async with tutor() as client:
        disk = Disk(client, {"/project/a.py": ""})
        choose(client, option)
        session = await client.open()
        await client.prompt(session, "/edit a.py")
        await client.prompt(session, "/edit a.py")
        assert len(asked(client)) == 1
        await client.prompt(await client.open(), "/edit a.py")
    assert len(asked(client)) == 2
    assert disk.files["/project/a.py"] == (f"{expected}tutor was here: 3\n" if expected else "")


@pytest.mark.parametrize(("failures", "statuses"), [(1, "completed"), (2, "failed")])
async def test_a_conflict_is_read_again_and_tried_once_more(failures: int, statuses: str):
    async with tutor() as client:
        disk = Disk(client, {"/project/a.py": BUGGY}, reject=failures)
        choose(client, "allow-once")
        await client.prompt(await client.open(), "/edit a.py")
    kept = "# typed meanwhile\n" + (FIXED if failures == 1 else BUGGY)
    assert disk.files["/project/a.py"] == kept
    assert client.call_statuses()[-1] == statuses
    assert "The user has edited this." in client.said()


async def test_a_file_without_comments_is_left_alone():
    async with tutor() as client:
        disk = Disk(client, {"/project/a.json": "{}"})
        await client.prompt(await client.open(), "/edit a.json")
    assert disk.files["/project/a.json"] == "{}"
    assert "I know no harmless change for `a.json`" in client.said()


async def test_plan_goes_on_step_by_step():
    async with tutor() as client:
        await client.prompt(await client.open(), "/plan")
    shown = [[entry["status"][0] for entry in plan["entries"]] for plan in client.updates("plan")]
    assert shown == [list("ipp"), list("cip"), list("cci"), list("ccc")]


@pytest.mark.parametrize("option", ["allow-once", "reject-always"])
async def test_ask_reports_the_choice(option: str):
    async with tutor() as client:
        choose(client, option)
        await client.prompt(await client.open(), "/ask")
        names = {each["optionId"]: each["name"] for each in asked(client)[0]["options"]}
    assert client.said().endswith(f"You chose **{names[option]}**.")


async def test_a_client_that_cannot_ask_is_told():
    async with tutor() as client:
        client.answers["session/request_permission"] = lambda _: {
            "error": {"code": -32601, "message": "Method not found"}
        }
        assert await client.prompt(await client.open(), "/ask") == "end_turn"
    assert "The client said: Method not found" in client.said()


async def test_help_and_unknown_commands():
    async with tutor() as client:
        session = await client.open()
        await client.prompt(session, "/help")
        assert "## What I can do" in client.said()
        await client.prompt(session, "/hlep")
    assert "There is no `/hlep`." in client.said()
