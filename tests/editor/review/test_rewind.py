"""Rewind, steer, export, and what scripts learn of sessions."""

from __future__ import annotations

from typing import Any

from tests.support.agents.agent_edits import looked
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

AGREE = """
_G.asked = {}
vim.ui.select = function(items, how, done)
  table.insert(_G.asked, how.prompt)
  done(items[#items], #items)
end
"""


def turn(job: MainJob, agent: StdioAgent, text: str, line: str) -> None:
    """Play a turn that makes that the file's first line."""
    prompt = job.turn(agent, text)
    agent.say(f"I write {line}")
    agent.ask(
        "fs/write_text_file",
        path=str(job.work / "code.py"),
        content=f"{line}\ntwo\n",
        sessionId="sess 1/ü",
    )
    job.finish(agent, prompt)


def rewound(job: MainJob) -> StdioAgent:
    job.nvim.lua(AGREE)
    agent = job.start()
    job.edit("code.py", "one\ntwo\n")
    turn(job, agent, "first", "ONE")
    turn(job, agent, "second", "EINS")
    turn(job, agent, "third", "UN")
    job.command("Acp rewind 2")
    agent.open("sess 2")
    job.until(lambda: job.nvim.lines(job.session()["prompt_bufnr"]) == ["second"])
    return agent


def test_files_and_talk_are_as_before_the_prompt(job: MainJob) -> None:
    agent = rewound(job)
    assert "before turn 2, “second”" in job.nvim.lua("return _G.asked[1]")
    assert (job.work / "code.py").read_text() == "ONE\ntwo\n"
    talk = [it["text"] for it in job.session()["entries"] if it["kind"] in ("user", "agent")]
    assert talk == ["first", "I write ONE"]
    job.until(lambda: job.session()["state"] == "idle")
    job.command("AcpPrompt again")
    blocks: list[dict[str, Any]] = agent.prompted()["params"]["prompt"]
    assert blocks[0] == {"type": "text", "text": "again"}
    assert "I write ONE" in str(blocks[1:]) and "EINS" not in str(blocks)


def test_its_text_is_no_draft_for_another_prompt_until_it_is_changed(job: MainJob) -> None:
    rewound(job)
    prompt = job.session()["prompt_bufnr"]

    def drafts() -> list[str]:
        job.nvim.lua("vim.api.nvim_exec_autocmds('BufLeave', { buffer = ... })", prompt)
        return job.nvim.lua(
            "return vim.fn.glob(vim.fn.stdpath('state') .. '/acp.nvim/drafts/*', 0, 1)"
        )

    assert drafts() == []
    job.nvim.lua("vim.api.nvim_buf_set_lines(..., -1, -1, true, { 'more' })", prompt)
    assert len(drafts()) == 1


def test_redo_goes_back_to_the_session_that_was(job: MainJob) -> None:
    rewound(job)
    old = job.inspect()["sessions"][0]
    job.command("Acp redo")
    job.told("rewind undone")
    assert (job.work / "code.py").read_text() == "UN\ntwo\n"
    job.until(lambda: job.nvim.eval("bufnr()") == old["prompt_bufnr"])
    assert [it["text"] for it in old["entries"] if it["kind"] == "user"] == [
        "first",
        "second",
        "third",
    ]


def here(job: MainJob) -> str:
    """Return the id of the session in whose prompt the cursor is; "" elsewhere."""
    number = job.nvim.eval("bufnr()")
    ids = (it["id"] for it in job.inspect()["sessions"] if it["prompt_bufnr"] == number)
    return next(ids, "")


def rewind(job: MainJob, agent: StdioAgent, session: str, text: str) -> None:
    """Rewind before the last turn of the chat; the agent opens a session for what is left."""
    job.until(lambda: job.session()["state"] == "idle")
    job.command("Acp rewind")
    agent.open(session)
    job.until(lambda: job.nvim.lines(job.session()["prompt_bufnr"]) == [text])


def test_rewind_and_redo_walk_over_all_turns(job: MainJob) -> None:
    """Each rewind continues the session before it: its turns are found."""
    agent = rewound(job)
    path = job.work / "code.py"
    rewind(job, agent, "sess 3", "first")
    assert path.read_text() == "one\ntwo\n"
    job.command("Acp redo")
    job.until(lambda: path.read_text() == "ONE\ntwo\n")
    job.until(lambda: here(job) == "sess 2")
    job.command("Acp redo")
    job.until(lambda: path.read_text() == "UN\ntwo\n")
    job.until(lambda: here(job) == "sess 1/ü")
    rewind(job, agent, "sess 4", "third")
    assert path.read_text() == "EINS\ntwo\n"


def test_a_turn_of_the_session_before_is_undone(job: MainJob) -> None:
    rewound(job)
    job.command("Acp undo")
    assert "turn 1" in job.told("undid")
    assert (job.work / "code.py").read_text() == "one\ntwo\n"
    job.command("Acp redo")
    job.until(lambda: (job.work / "code.py").read_text() == "ONE\ntwo\n")


def test_turns_that_were_rewound_are_none_of_the_new_session(job: MainJob) -> None:
    rewound(job)
    job.command("Acp undo 2")
    job.told("turn 2 has not changed anything")
    assert (job.work / "code.py").read_text() == "ONE\ntwo\n"


def test_what_stays_is_told_beside_the_new_chat(job: MainJob) -> None:
    job.nvim.lua(AGREE)
    agent = job.start()
    path = job.edit("code.py", "one\ntwo\n")
    turn(job, agent, "first", "ONE")
    looked(job)
    path.unlink()
    job.command("bwipeout code.py | Acp rewind 1")
    agent.open("sess 2")
    job.until(lambda: job.nvim.lines(job.session()["prompt_bufnr"]) == ["first"])
    told = "acp: rewound, but code.py is gone: moved or deleted since"
    assert job.told("rewound") == told
    row = "join(map(range(1, 80), 'screenstring(&lines, v:val)'), '')"
    assert job.nvim.eval(row).rstrip() == told


def test_nothing_is_rewound_unasked(job: MainJob) -> None:
    agent = job.start()
    job.edit("code.py", "one\ntwo\n")
    turn(job, agent, "first", "ONE")
    job.nvim.lua("vim.ui.select = function(_, _, done) _G.refused = true done(nil) end")
    job.command("Acp rewind")
    job.until(lambda: job.nvim.lua("return _G.refused"))
    assert len(job.inspect()["sessions"]) == 1
    assert (job.work / "code.py").read_text() == "ONE\ntwo\n"
    job.command("Acp rewind 7")
    job.told("there is no turn 7 in this session: the last one is turn 1")


def test_an_agent_that_takes_no_text_gets_it_as_the_next_prompt(job: MainJob) -> None:
    agent = job.start()
    prompt = job.turn(agent)
    job.command("AcpPrompt later")
    job.command("Acp steer not so fast")
    job.told("scripted cannot be steered: your words are queued as the next prompt")
    assert [it["text"] for it in job.session()["queue"]] == ["not so fast", "later"]
    agent.end(prompt)
    assert agent.prompted()["params"]["prompt"][0]["text"] == "not so fast"


def test_an_agent_that_takes_it_gets_it_at_once(job: MainJob) -> None:
    agent = job.start(_meta={"steering": {"supported": True}})
    job.turn(agent)
    job.command("Acp steer not so fast")
    agent.reply(agent.expect("_session/steering"), {"outcome": "injected"})
    job.told("scripted has got it")
    assert job.session()["queue"] == []


def test_what_was_said_is_exported(job: MainJob) -> None:
    agent = job.start()
    job.edit("code.py", "one\ntwo\n")
    turn(job, agent, "first", "ONE")
    path = job.work / "talk.md"
    job.command(f"Acp export {path}")
    job.told("what was said is in")
    text = path.read_text()
    assert "## You\n\nfirst" in text and "## Agent\n\nI write ONE" in text
    job.command(f"Acp export {path}")
    job.told("is there already")


def test_scripts_learn_of_sessions(job: MainJob) -> None:
    job.nvim.lua(
        "_G.ends = {} _G.stop = require('acp').on('AcpTurnEnded', function(data) "
        "table.insert(_G.ends, data.stop_reason) end)"
    )
    assert job.nvim.lua("return require('acp').sessions()") == []
    agent = job.start()
    idle = {
        "id": "sess 1/ü",
        "agent": "scripted",
        "cwd": str(job.work),
        "state": "idle",
        "pending": 0,
    }
    job.until(lambda: job.nvim.lua("return require('acp').sessions()") == [idle])
    job.finish(agent, job.turn(agent))
    job.until(lambda: job.nvim.lua("return _G.ends") == ["end_turn"])
    job.nvim.lua("_G.stop()")
    job.finish(agent, job.turn(agent))
    job.until_event("AcpTurnEnded", 2)
    assert job.nvim.lua("return _G.ends") == ["end_turn"]


def test_an_empty_chat_tells_what_was_rewound_from_what_it_was(job: MainJob) -> None:
    agent = rewound(job)
    for it in job.inspect()["sessions"]:
        job.command(f"bwipeout! {it['bufnr']}")
    job.until(lambda: not job.inspect()["sessions"])
    job.command("Acp new scripted")
    agent.open("sess 3")
    job.until(lambda: job.session().get("state") == "idle")
    job.nvim.lua(
        "require('acp.host.bridge').call('recent', { chat = ... }, function(err, found) "
        "_G.found = err or found end)",
        job.session()["bufnr"],
    )
    job.until(lambda: job.nvim.lua("return _G.found"))
    lines = ["".join(parts) for _, parts in job.nvim.lua("return _G.found")["lines"]]
    assert [it.split(" · ")[0].split(maxsplit=1)[1] for it in lines[-2:]] == [
        "from turn 1 on",
        "first",
    ]
