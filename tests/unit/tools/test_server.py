from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import PIPE
from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from acp_nvim.errors import Code, RequestFailed
from acp_nvim.tools import relay, server
from tests.support.tools.tools_rig import ToolsRig

CURRENT = "io.modelcontextprotocol/protocolVersion"


async def test_a_version_that_is_unknown_gets_the_newest_with_a_handshake(tmp_path: Path) -> None:
    async with ToolsRig(tmp_path / "p") as rig:
        told = await rig.ask("initialize", protocolVersion="2024-11-05")
        assert told["protocolVersion"] == "2024-11-05"
        told = await rig.ask("initialize", protocolVersion="1999-01-01")
        assert told["protocolVersion"] == server.VERSIONS[0]
        assert told["capabilities"] == {"tools": {"listChanged": True}}


@pytest.fixture(autouse=True)
def project(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()


async def test_a_request_may_name_its_version_instead(tmp_path: Path) -> None:
    async with ToolsRig(tmp_path / "p") as rig:
        told = await rig.ask("tools/list", _meta={CURRENT: "2026-07-28"})
        assert told["resultType"] == "complete" and told["tools"]
        assert "resultType" not in await rig.ask("tools/list")
        with pytest.raises(RequestFailed) as caught:
            await rig.ask("tools/list", _meta={CURRENT: "2030-01-01"})
        assert caught.value.code == Code.UNSUPPORTED_VERSION


@pytest.mark.parametrize(
    ("names", "launch", "there", "missing"),
    [
        (True, {}, {"read_file", "rename", "review"}, set()),
        (("diagnostics",), {}, {"diagnostics"}, {"read_file", "rename"}),
        (True, {"read_files": False}, {"rename", "show"}, {"read_file", "references"}),
        (True, {"write_files": False}, {"read_file"}, {"edit_file", "rename", "format"}),
    ],
)
async def test_the_configuration_says_which_tools_there_are(
    tmp_path: Path, names: Any, launch: dict[str, Any], there: set[str], missing: set[str]
) -> None:
    async with ToolsRig(tmp_path / "p", names, **launch) as rig:
        listed = {it["name"] for it in (await rig.ask("tools/list"))["tools"]}
        assert there <= listed and not missing & listed
        for name in missing:
            with pytest.raises(RequestFailed) as caught:
                await rig.result(name)
            assert "no tool" in caught.value.message


async def test_tools_that_the_user_has_turned_off_are_refused(tmp_path: Path) -> None:
    async with ToolsRig(tmp_path / "p") as rig:
        rig.offers.switch(rig.session, on=False)
        assert (await rig.ask("tools/list"))["tools"] == []
        assert "turned the tools of the editor off" in await rig.refused("open_files")
        rig.offers.switch(rig.session, on=True)
        rig.answers.answers["windows.files"] = []
        assert await rig.call("open_files") == {"files": []}
        assert rig.offered.counts == {"open_files": 1}


async def test_a_method_that_is_unknown_is_an_error(tmp_path: Path) -> None:
    async with ToolsRig(tmp_path / "p") as rig:
        with pytest.raises(RequestFailed) as caught:
            await rig.ask("resources/list")
        assert caught.value.code == Code.METHOD_NOT_FOUND
        assert await rig.ask("ping") == {}


async def test_the_seventeenth_call_at_once_is_refused(tmp_path: Path) -> None:
    async with ToolsRig(tmp_path / "p") as rig:
        goes_on = anyio.Event()

        async def wait(_arguments: Mapping[str, Any]) -> Any:
            await goes_on.wait()
            return []

        rig.answers.answers["windows.files"] = wait
        results: list[Mapping[str, Any]] = []

        async def call() -> None:
            results.append(await rig.result("open_files"))

        async with anyio.create_task_group() as tasks:
            for _ in range(20):
                tasks.start_soon(call)
            while len(results) < 4:
                await anyio.lowlevel.checkpoint()
            said = {it["content"][0]["text"] for it in results if it["isError"]}
            assert said == {"16 calls are running: wait for an answer first"}
            goes_on.set()
        assert sum(not it["isError"] for it in results) == 16


async def test_a_tool_that_takes_too_long_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ToolsRig(tmp_path / "p") as rig:
        tool = next(it for it in server.TOOLS if it.name == "open_files")
        monkeypatch.setattr(server, "TOOLS", [replace(tool, patience=0.01)])
        rig.answers.answers["windows.files"] = forever
        assert "no answer after 0 seconds" in await rig.refused("open_files")


async def forever(_arguments: Mapping[str, Any]) -> Any:
    await anyio.sleep_forever()


async def test_an_answer_that_is_too_large_is_refused(tmp_path: Path) -> None:
    async with ToolsRig(tmp_path / "p") as rig:
        entry = {"path": rig.path("a"), "line": 1, "column": 1, "kind": "", "text": "x" * 3_000}
        rig.answers.answers["windows.list"] = {"title": "", "entries": [entry] * 500}
        assert "are the most: ask for less" in await rig.refused("quickfix", limit=500)
        shown = await rig.call("quickfix", limit=2)
        assert (len(shown["entries"]), shown["next_cursor"]) == (2, "2")
        assert (await rig.call("quickfix", limit=1, cursor="499"))["total"] == 500
        assert "cursor is not one" in await rig.refused("quickfix", cursor="x")


async def test_a_fault_of_ours_ends_one_call(tmp_path: Path) -> None:
    async with ToolsRig(tmp_path / "p") as rig:
        rig.answers.answers["windows.files"] = [{}]
        assert "internal error" in await rig.refused("open_files")
        assert [type(it) for it in rig.faults] == [KeyError]
        rig.faults.clear()
        rig.answers.answers["windows.files"] = []
        await rig.call("open_files")


async def test_signs_of_life_come_while_a_call_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "FIRST_PROGRESS", 0.001)
    async with ToolsRig(tmp_path / "p") as rig:
        told: list[Mapping[str, Any]] = []
        enough = anyio.Event()

        def notify(method: str, params: Mapping[str, Any]) -> None:
            assert method == "notifications/progress"
            told.append(params)
            if len(told) > 2:
                enough.set()

        async def wait(_arguments: Mapping[str, Any]) -> Any:
            await enough.wait()
            return []

        rig.answers.answers["windows.files"] = wait
        params = {"name": "open_files", "_meta": {"progressToken": "t"}}
        await rig.server.answer("tools/call", params, notify)
        assert [it["progress"] for it in told[:3]] == [1, 2, 3]
        assert {it["progressToken"] for it in told} == {"t"}


async def test_a_users_own_tool_is_listed_asked_for_and_run(tmp_path: Path) -> None:
    async with ToolsRig(tmp_path / "p") as rig:
        schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
        told = {"name": "mine", "description": "Mine.", "parameters": schema, "asks": True}
        rig.answers.answers |= {"own.list": [told], "own.run": {"x": [1]}}
        listed = (await rig.ask("tools/list"))["tools"][-1]
        assert (listed["name"], listed["inputSchema"]) == ("mine", schema)
        assert listed["annotations"]["readOnlyHint"] is False
        assert "a is missing" in await rig.refused("mine")
        assert '"x"' in await rig.call("mine", a="b")
        assert [it.title for it in rig.questions] == ["Run your tool mine?"]
        assert rig.answers.asked[-1][1] | {"cwd": ""} == {
            "name": "mine",
            "arguments": {"a": "b"},
            "agent": "a",
            "session": "s",
            "cwd": "",
        }
        rig.allows = False
        assert "does not let mine be run" in await rig.refused("mine", a="b")


def test_nothing_that_serves_is_loaded_at_the_start() -> None:
    code = (
        "import sys; import acp_nvim.app, acp_nvim.nvim.editor; "
        "print(*sorted(name.rpartition('.')[2] for name, it in sys.modules.items()"
        " if name.startswith('acp_nvim.tools.') and type(it).__name__ == 'module'))"
    )
    path = os.pathsep.join(it for it in sys.path if it)
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": path}, capture_output=True, check=True
    )
    assert done.stdout.decode().split() == ["offered", "offers", "tool"]


def test_a_relay_says_nothing_when_the_host_ends_amid_a_message(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as host:
        host.bind(str(tmp_path / "host"))
        host.listen()
        env = {"ACP_TOOLS_SOCKET": str(tmp_path / "host"), "ACP_TOOLS_TOKEN": "t"}
        command = (sys.executable, "-IS", relay.__file__)
        with (
            subprocess.Popen(command, env=env, stdin=PIPE, stdout=PIPE, stderr=PIPE) as ran,
            ThreadPoolExecutor() as threads,
        ):
            writing = threads.submit(ran.communicate, b"x" * 8_000_000, 60)
            connection, _ = host.accept()
            with connection:
                while connection.recv(1) != b"x":
                    pass
            assert writing.result(60) == (b"", b"")
    assert ran.returncode == 0


async def test_edits_of_a_file_at_once_are_all_in_it(tmp_path: Path) -> None:
    """Also where a link leads to it."""
    async with ToolsRig(tmp_path / "p") as rig:
        path = tmp_path / "p/a"
        path.write_text("".join(f"line {number}\n" for number in range(100, 110)))
        (tmp_path / "p/link").symlink_to("a")

        async def edit(number: int) -> None:
            edits = [{"old_text": f"line {number}", "new_text": f"LINE {number}"}]
            await rig.call("edit_file", path=rig.path("link" if number % 2 else "a"), edits=edits)

        async with anyio.create_task_group() as tasks:
            for number in range(100, 110):
                tasks.start_soon(edit, number)
        assert path.read_text() == "".join(f"LINE {number}\n" for number in range(100, 110))
