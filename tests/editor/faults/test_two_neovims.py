"""Two Neovims in one project, with one folder of state: neither takes the other's for its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.agents.agent_edits import answer_in
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.files.kept import kept
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim

STATE = "return require('acp').inspect().sessions[1].state"


@contextmanager
def beside(job: MainJob) -> Iterator[Neovim]:
    """Yield another Neovim in the same project."""
    options = {"default_agent": "scripted", "agents": {"scripted": job.stage.options()}}
    env = {"XDG_STATE_HOME": str(job.nvim.folder / "state")}
    with Neovim(options, cwd=job.work, env=env) as nvim:
        yield nvim


def writing(job: MainJob, nvim: Neovim, path: Path) -> StdioAgent:
    """Let the agent of another Neovim change a file in a turn that goes on."""
    nvim.command("AcpStart scripted")
    agent = job.stage.accept()
    agent.initialize()
    agent.open("beside")
    nvim.wait(lambda: nvim.lua(STATE) == "idle")
    nvim.command("AcpPrompt go")
    agent.prompted()
    params = {"sessionId": "beside", "path": str(path), "content": "theirs\n"}
    agent.request("fs/write_text_file", params, "w")
    assert agent.answer_to("w")["result"] == {}
    return agent


def journals(job: MainJob) -> set[str]:
    folder = job.nvim.folder / "state" / "nvim" / "acp.nvim" / "edits" / "turns"
    return {it.stem for it in folder.glob("*.turns")}


def test_one_is_killed_while_the_other_works(job: MainJob) -> None:
    agent = job.start()
    mine, theirs = job.edit("mine.txt", "one\n"), job.work / "theirs.txt"
    theirs.write_text("one\n")
    prompt = job.turn(agent)
    write = {"path": str(mine), "content": "two\n"}
    assert agent.ask("fs/write_text_file", **write)["result"] == {}
    (of_mine,) = journals(job)
    with beside(job) as other:
        killed = writing(job, other, theirs)
        host = int(other.lua("return require('acp').inspect().host.pid"))
        other.kill()
        job.gone(host, killed.pid)
    assert len(journals(job)) == 2
    with beside(job) as third:
        answer_in(third, to_take=True)
        third.command("Acp review")
        third.wait(lambda: "turn was cut off, 1 file has changed" in third.messages())
        third.wait(lambda: of_mine in journals(job) and "theirs.txt" in edits(third))
        third.command("Acp undo")
        third.wait(lambda: theirs.read_text() == "one\n")
        assert mine.read_text() == "two\n"
    write["content"] = "two\nthree\n"
    assert agent.ask("fs/write_text_file", **write)["result"] == {}
    job.finish(agent, prompt)
    job.command("Acp undo")
    job.until(lambda: mine.read_text() == "one\n")


def edits(nvim: Neovim) -> str:
    return str(nvim.lua("return require('acp').inspect().edits"))


def leave(nvim: Neovim) -> None:
    """Leave it, so that all is on disk."""
    nvim.rpc.notify("nvim_command", "qall!")
    nvim.exit_code()


def commented(nvim: Neovim) -> list[str]:
    """Return the comments of the project."""
    nvim.command("messages clear | Acp comments")
    nvim.wait(lambda: nvim.eval("&buftype") == "quickfix" or "no comments" in nvim.messages())
    return sorted(it["text"] for it in nvim.eval("getqflist()"))


def test_what_both_say_on_one_file_is_there_and_is_sent_once(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", "one\ntwo\nthree\n")
    job.command("1Acp comment mine")
    job.told("it is sent with your next prompt")
    job.until(lambda: kept_comments(job))
    with beside(job) as other:
        other.command(f"edit {path}")
        other.wait("vim.fn.exists(':Acp') == 2")
        assert commented_soon(other, "mine")
        other.command("wincmd t | 2Acp comment theirs")
        other.wait(lambda: "it is sent with your next prompt" in other.messages())
        job.command("wincmd t | 3Acp comment mine, too")
        job.until(lambda: len(kept_comments(job)) == 3)
        prompt = job.turn(agent)
        job.finish(agent, prompt)
        job.until(lambda: len(kept_comments(job)) == 1)
        assert commented(other) == ["theirs"]
        leave(other)
    with beside(job) as third:
        third.command(f"edit {path}")
        assert commented_soon(third, "theirs")


def commented_soon(nvim: Neovim, text: str) -> bool:
    """Wait until that is all that is said in the project."""
    return bool(nvim.wait(lambda: [text] == [it.split(": ")[-1] for it in commented(nvim)]))


def kept_comments(job: MainJob) -> list[Path]:
    return list((job.nvim.folder / "state/nvim/acp.nvim/edits").glob("*.comment.json"))


def test_what_an_agent_of_one_does_to_a_file_is_not_the_users_in_the_other(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", "one\ntwo\nthree\n")
    prompt = job.turn(agent)
    write = {"path": str(path), "content": "ONE\ntwo\nthree\n"}
    assert agent.ask("fs/write_text_file", **write)["result"] == {}
    job.finish(agent, prompt)
    folder = job.nvim.folder / "state/nvim/acp.nvim/edits"
    job.until(lambda: "ONE" in kept(folder, "*.history"))
    with beside(job) as other:
        other.command(f"edit {path} | Acp review")
        other.wait(lambda: "1 hunk" in other.messages())
        prompt = job.turn(agent)
        write["content"] = "ONE\ntwo\nTHREE\n"
        assert agent.ask("fs/write_text_file", **write)["result"] == {}
        job.finish(agent, prompt)
        job.until(lambda: "THREE" in kept(folder, "*.history"))
        other.command("checktime | messages clear | Acp review")
        last = "return vim.fn.getbufline(..., '$')[1]"
        other.wait(lambda: "2 hunks" in other.messages() and other.lua(last, str(path)) == "THREE")
        leave(other)
    leave(job.nvim)
    with beside(job) as third:
        third.command(f"edit {path}")
        answer_in(third, to_take=True)
        third.command("Acp review")
        third.wait(lambda: "2 hunks" in third.messages())


def test_agents_of_both_change_a_file_in_turns_and_a_third_rejects_all(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    folder = job.nvim.folder / "state/nvim/acp.nvim/edits"
    prompt = job.turn(agent)
    write = {"path": str(path), "content": LINES.replace("one", "mine 1")}
    assert agent.ask("fs/write_text_file", **write)["result"] == {}
    job.finish(agent, prompt)
    job.until(lambda: "mine 1" in kept(folder, "*.history"))
    with beside(job) as other:
        theirs = Turns(job, other, path)
        theirs.write("theirs 1", LINES.replace("one", "mine 1").replace("five", "theirs 1"))
        job.until(lambda: "theirs 1" in kept(folder, "*.history"))
        job.command("checktime | messages clear | Acp review")
        job.until(lambda: "2 hunks" in job.nvim.messages())
        prompt = job.turn(agent)
        write["content"] = path.read_text().replace("three", "mine 2")
        assert agent.ask("fs/write_text_file", **write)["result"] == {}
        job.finish(agent, prompt)
        job.until(lambda: "mine 2" in kept(folder, "*.history"))
        other.command("checktime | messages clear | Acp review")
        other.wait(lambda: "3 hunks" in other.messages())
        leave(other)
    leave(job.nvim)
    with beside(job) as third:
        third.command(f"edit {path}")
        answer_in(third, to_take=True)
        third.command("Acp reject all")  # its first command: nobody has looked yet
        third.wait(lambda: "rejected 3 hunks" in third.messages())
        assert path.read_text() == LINES
        third.command("messages clear | Acp review")
        third.wait(lambda: "no agent" in third.messages() or "nothing" in third.messages())


def test_what_an_agent_of_one_has_done_is_undone_in_the_other(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    prompt = job.turn(agent)
    write = {"path": str(path), "content": LINES.replace("one", "mine 1")}
    assert agent.ask("fs/write_text_file", **write)["result"] == {}
    job.finish(agent, prompt)
    folder = job.nvim.folder / "state/nvim/acp.nvim/edits"
    job.until(lambda: "mine 1" in kept(folder, "*.history"))
    with beside(job) as other:
        other.command(f"edit {path}")
        answer_in(other, to_take=True)
        other.command("Acp undo")
        other.wait(lambda: path.read_text() == LINES)
        other.wait(lambda: '"Off"' in kept(folder, "*.history"))
        job.command("checktime | messages clear | Acp review")
        job.until(lambda: "hunk" not in job.nvim.messages() and job.nvim.messages())
        job.command("Acp redo")
        job.until(lambda: path.read_text() == write["content"])


LINES = "one\ntwo\nthree\nfour\nfive\n"


class Turns:
    """An agent of another Neovim, which changes a file in turns that end."""

    def __init__(self, job: MainJob, nvim: Neovim, path: Path) -> None:
        self.nvim, self.path = nvim, path
        nvim.command(f"edit {path} | AcpStart scripted")
        self.agent = job.stage.accept()
        self.agent.initialize()
        self.agent.open("beside")
        nvim.wait(lambda: nvim.lua(STATE) == "idle")

    def write(self, prompt: str, content: str) -> None:
        """Let it write the file in a turn of its own."""
        self.nvim.command(f"AcpPrompt {prompt}")
        sent = self.agent.prompted()
        params = {"sessionId": "beside", "path": str(self.path), "content": content}
        self.agent.request("fs/write_text_file", params, "w")
        assert self.agent.answer_to("w")["result"] == {}
        self.agent.reply(sent, {"stopReason": "end_turn"})
        self.nvim.wait(lambda: self.nvim.lua(STATE) == "idle")


def test_a_session_that_is_open_in_both_is_told(job: MainJob) -> None:
    loads = {"agentCapabilities": {"loadSession": True}}
    agent = job.start(**loads)
    prompt = job.turn(agent, "remember the milk")
    agent.say("I will")
    job.finish(agent, prompt)
    folder = job.nvim.folder / "state/nvim/acp.nvim/sessions"
    job.until(lambda: '"I will"' in kept(folder, "*.jsonl"))
    with beside(job) as other:
        other.lua("require('acp').setup({ ui = { sessions = 'pick' } })")
        other.lua("vim.ui.select = function(items, _, done) done(items[1], 1) end")
        other.command("Acp sessions")
        there = job.stage.accept()
        there.initialize(**loads)
        there.reply(there.expect("session/load"), {})
        other.wait(lambda: other.lua(STATE) == "idle")
        assert "also open in another Neovim" in other.messages()
