"""The `User` events of a whole turn, with their data, in order."""

from __future__ import annotations

from tests.support.main_job import MainJob

COMMON = {"agent": "scripted", "session": "sess 1/ü"}
MODES = [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}]
COST = {"amount": 0.5, "currency": "EUR"}
OPTIONS = [
    {"id": "yes", "name": "Allow once", "kind": "allow_once"},
    {"id": "always", "name": "Always", "kind": "allow_always"},
    {"id": "no", "name": "Reject", "kind": "reject_once"},
]


def test_events_arrive_with_their_data_in_order(job: MainJob) -> None:
    job.command("AcpStart scripted")
    agent = job.stage.accept()
    agent.initialize()
    agent.open(modes={"currentModeId": "ask", "availableModes": MODES})
    job.until_event("AcpSessionStarted")
    path = job.edit("a.txt", "one\n")

    prompt = job.turn(agent)
    place = {"path": str(path), "line": 1}
    call = {"toolCallId": "call-1", "title": "Edit", "kind": "edit"}
    agent.update("tool_call", **call, status="pending", locations=[place])
    agent.request_permission("p", toolCall=call)
    question = job.until(job.asks)[0]["id"]
    job.command("Acp permit 1")
    agent.answer_to("p")
    agent.ask("fs/read_text_file", path=str(path))
    agent.ask("fs/write_text_file", path=str(path), content="two\n")
    agent.update("tool_call_update", toolCallId="call-1", status="completed")
    agent.update("current_mode_update", currentModeId="code")
    agent.update("usage_update", used=10, size=200, cost=COST)
    job.finish(agent, prompt)
    agent.exit()
    error = job.until_event("AcpDisconnected")["error"]

    tool = {"id": "call-1", "title": "Edit", "kind": "edit", "locations": [place]}
    assert job.events() == [
        ["AcpConnected", {"agent": "scripted"}],
        ["AcpSessionStarted", COMMON],
        ["AcpTurnStarted", COMMON | {"turn": 1}],
        ["AcpToolCall", COMMON | tool | {"status": "pending"}],
        ["AcpLocation", COMMON | place | {"tool_call": "call-1"}],
        ["AcpToolCall", COMMON | tool | {"status": "pending"}],
        [
            "AcpPermissionRequested",
            COMMON | {"ask": question, "title": "Edit", "options": OPTIONS},
        ],
        ["AcpPermissionAnswered", COMMON | {"ask": question, "option": "yes"}],
        ["AcpFileRead", COMMON | {"path": str(path)}],
        ["AcpFileWritten", COMMON | {"path": str(path)}],
        ["AcpToolCall", COMMON | tool | {"status": "completed"}],
        ["AcpModeChanged", COMMON | {"mode": "code"}],
        ["AcpUsage", COMMON | {"used": 10, "size": 200, "cost": COST}],
        ["AcpTurnEnded", COMMON | {"turn": 1, "stop_reason": "end_turn"}],
        ["AcpSessionClosed", COMMON | {"reason": error}],
        ["AcpDisconnected", {"agent": "scripted", "error": error}],
    ]
    assert "ended by itself" in error


def test_what_an_event_tells_is_on_the_screen_already(job: MainJob) -> None:
    job.nvim.lua("""
      vim.api.nvim_create_autocmd('User', { pattern = 'AcpTurnEnded', callback = function()
        _G.seen = vim.api.nvim_buf_get_lines(require('acp.chat.window').current(), 0, -1, true)
      end })
    """)
    agent = job.start()
    prompt = job.turn(agent)
    agent.say("the last word")
    agent.end(prompt)
    assert "the last word" in job.nvim.wait("return _G.seen")


def test_a_handler_that_fails_is_told_and_harms_nobody(job: MainJob) -> None:
    job.command("autocmd User AcpTurnStarted lua error('broken handler')")
    agent = job.start()
    job.finish(agent, job.turn(agent))
    job.until_event("AcpTurnEnded")
    assert job.told("a handler of User AcpTurnStarted failed")
