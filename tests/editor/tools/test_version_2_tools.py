"""Version 2 has no `fs/*`: there the tools are how an agent reads and writes what is not saved."""

from __future__ import annotations

from tests.support.agents.agent_edits import hunks
from tests.support.main_job import MainJob
from tests.support.tools.relay_peer import RelayPeer

INFO = {
    "info": {"name": "s", "version": "1"},
    "capabilities": {"session": {"mcp": {"stdio": {}}}},
}


def test_an_agent_of_version_2_reads_and_edits_unsaved_text(job: MainJob) -> None:
    options = job.stage.options() | {"protocol": 2}
    job.nvim.lua("local o = vim.g.acp; o.agents.scripted = ...; vim.g.acp = o", options)
    job.command("AcpStart scripted")
    agent = job.stage.accept(2)
    agent.reply(agent.expect("initialize"), {"protocolVersion": 2} | INFO)
    [server] = agent.open()["params"]["mcpServers"]
    assert (server["type"], server["name"]) == ("stdio", "editor")
    job.until(lambda: job.session().get("state") == "idle")
    path = str(job.edit("a.txt", "one\ntwo\nthree\n"))
    job.nvim.input("cwnot saved<Esc>")
    job.command("AcpPrompt go")
    agent.reply(agent.prompted(), {"messageId": "u1"})
    agent.update("state_update", state="running")
    job.until(lambda: job.session()["state"] == "running")
    with RelayPeer(server) as peer:
        peer.initialize()
        assert peer.call("read_file", path=path)["content"] == "not saved\ntwo\nthree\n"
        peer.call("edit_file", path=path, edits=[{"old_text": "three", "new_text": "3"}])
    assert job.nvim.lines() == ["not saved", "two", "3"]
    agent.update("state_update", state="idle", stopReason="end_turn")
    job.until(lambda: hunks(job))
    job.command("Acp undo")
    job.told("undid turn 1 of scripted")
    assert job.nvim.lines() == ["not saved", "two", "three"]
