"""Starting a session, and what is sent with a prompt."""

from __future__ import annotations

from typing import Any

from tests.support.main_job import MainJob

EMBEDDED = {"agentCapabilities": {"promptCapabilities": {"embeddedContext": True}}}


def blocks(prompt: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what a `session/prompt` holds."""
    return list(prompt["params"]["prompt"])


def test_start_opens_the_chat_and_puts_the_cursor_into_its_prompt(job: MainJob) -> None:
    agent = job.start(agentInfo={"name": "scripted", "version": "1.2"})
    session = job.session()
    assert session["id"] == "sess 1/ü"
    params = agent.received[1]["params"]
    assert [it["name"] for it in params.pop("mcpServers")] == ["editor"]
    assert params == {"cwd": str(job.work)}
    name = job.nvim.api.nvim_buf_get_name(session["bufnr"])
    assert name == "acp://scripted/sess%201%2F%C3%BC"
    assert job.nvim.eval("bufnr()") == session["prompt_bufnr"]
    assert job.nvim.mode() == {"mode": "n", "blocking": False}
    connection = job.inspect()["connections"][0]
    assert connection["info"] == {"name": "scripted", "version": "1.2"}
    assert (connection["state"], connection["pid"]) == ("ready", agent.pid)


def test_the_chat_is_there_before_the_agent_is(job: MainJob) -> None:
    job.command("AcpStart scripted")
    assert job.nvim.eval("&filetype") == "acp_prompt"
    agent = job.stage.accept()
    job.until(lambda: job.session())
    assert (job.session()["state"], job.inspect()["connections"][0]["state"]) == (
        "loading",
        "starting",
    )
    agent.initialize()
    agent.open()
    job.until_event("AcpSessionStarted")


def test_the_root_is_the_project_of_the_file(job: MainJob) -> None:
    project = job.folder / "project"
    (project / "src").mkdir(parents=True)
    (project / ".git").mkdir()
    job.command(f"edit {project}/src/a.py")
    agent = job.start()
    assert agent.received[1]["params"]["cwd"] == str(project)


def test_start_again_goes_to_the_session_and_new_opens_another(job: MainJob) -> None:
    agent = job.start()
    first = job.session()
    job.command("wincmd t | only | AcpStart scripted")
    assert job.nvim.eval("bufnr()") == first["prompt_bufnr"]
    agent.quiet()
    job.command("Acp new scripted")
    agent.open("another")
    job.until_event("AcpSessionStarted", 2)
    assert [it["id"] for it in job.inspect()["sessions"]] == ["sess 1/ü", "another"]
    assert len(job.inspect()["connections"]) == 1


def test_a_selection_goes_along_as_a_resource(job: MainJob) -> None:
    agent = job.start(**EMBEDDED)
    path = job.edit("a b.py", "1\n2\n3\n4\n")
    job.command("set filetype=python")
    job.nvim.input('2GVj:AcpPrompt explain "this" | and that<CR>')
    assert blocks(agent.prompted()) == [
        {"type": "text", "text": 'explain "this" | and that'},
        {
            "type": "resource",
            "resource": {
                "uri": f"{path.as_uri()}#L2-L3",
                "mimeType": "text/x-python",
                "text": "2\n3\n",
            },
        },
    ]
    assert job.nvim.mode()["mode"] == "n"


def test_a_selection_is_read_when_the_prompt_is_sent(job: MainJob) -> None:
    agent = job.start(**EMBEDDED)
    path = job.edit("a.txt", "1\n2\n3\n4\n")
    first = job.turn(agent)
    job.nvim.input("2GVj:AcpPrompt explain<CR>")
    job.until(lambda: job.session()["queue"] == [{"text": "explain"}])
    job.nvim.input("ggOabove<Esc>3GA, unsaved<Esc>")
    agent.end(first)
    resource = blocks(agent.prompted())[1]["resource"]
    assert resource["uri"] == f"{path.as_uri()}#L3-L4"
    assert resource["text"] == "2, unsaved\n3\n"


def test_an_agent_without_embedded_context_gets_a_link_and_the_text(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", "1\n2\n")
    job.command("2AcpPrompt explain")
    text, link, lines = blocks(agent.prompted())
    assert text == {"type": "text", "text": "explain"}
    assert (link["type"], link["uri"]) == ("resource_link", f"{path.as_uri()}#L2-L2")
    assert lines["type"] == "text" and "```\n2\n```" in lines["text"]


def test_the_prompt_buffer_sends_what_was_written_in_it(job: MainJob) -> None:
    agent = job.start()
    job.nvim.input("ifirst line<CR>second |line<Esc><CR>")
    assert blocks(agent.prompted()) == [{"type": "text", "text": "first line\nsecond |line"}]
    assert job.nvim.lines(job.session()["prompt_bufnr"]) == [""]


def test_restart_is_a_new_process_in_the_same_chat(job: MainJob) -> None:
    agent = job.start()
    chat = job.session()["bufnr"]
    job.command("Acp restart")
    job.gone(agent.pid)
    again = job.stage.accept()
    again.initialize()
    again.open("sess 2")
    job.until(lambda: job.session()["state"] == "idle")
    assert (job.session()["bufnr"], job.session()["id"]) == (chat, "sess 2")
    job.finish(again, job.turn(again))


def test_stop_lets_the_agent_end_by_itself(job: MainJob) -> None:
    agent = job.start()
    job.command("Acp stop")
    agent.closed()
    job.gone(agent.pid)
    assert job.until_event("AcpSessionClosed") == {"agent": "scripted", "session": "sess 1/ü"}
    job.until(lambda: job.inspect()["connections"][0].get("exit") == {"code": 0})


PICK = """
vim.ui.select = function(labels, how, on_choice)
  _G.offered = { how.kind, how.prompt, labels }
  _G.pick = function(label)
    for index, it in ipairs(labels) do
      if it == label then return on_choice(it, index) end
    end
    on_choice(nil, nil)
  end
end
"""
MISSING = "absent — not installed: no /no/such on PATH"


def test_without_an_agent_the_user_picks_one() -> None:
    with MainJob({"default_agent": "", "agents": {"absent": {"command": "/no/such"}}}) as job:
        job.nvim.lua(PICK)

        def pick(label: str) -> None:
            job.nvim.lua(
                """_G.offered, _G.outcome = nil, nil
                require('acp').start(nil, { on_done = function(err, done)
                  _G.outcome = { err or '', done or {} }
                end })"""
            )
            job.nvim.wait("_G.offered")
            job.nvim.lua("_G.pick(...)", label)

        pick("")
        assert job.nvim.wait("_G.outcome")[0] == "no agent was chosen"
        kind, title, labels = job.nvim.lua("return _G.offered")
        asked = "Start an agent (:Acp agents installs others)"
        assert (kind, title, labels[0]) == ("acp.agent", asked, "scripted")
        assert MISSING in labels
        pick(MISSING)
        job.told("absent is not installed. There is no /no/such on PATH")
        assert job.nvim.wait("_G.outcome")[0].startswith("absent is not installed")
        assert job.inspect()["sessions"] == []
        pick("scripted")
        agent = job.stage.accept()
        agent.initialize()
        agent.open()
        job.until_event("AcpSessionStarted")
        assert job.nvim.wait("_G.outcome")[1]["agent"] == "scripted"
