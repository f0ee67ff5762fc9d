"""A git that refuses the project is named once, and work goes on."""

from __future__ import annotations

from tests.support.main_job import MainJob


def test_it_is_named_once(job: MainJob) -> None:
    (job.work / ".git").write_text("gitdir: /nowhere\n")
    agent = job.start()
    assert "git status there says more" in job.told("git does not read")
    prompt = job.turn(agent)
    agent.say("words\n")
    job.finish(agent, prompt)
    job.command("messages clear | Acp new scripted")
    agent.open("another")
    job.until(lambda: job.session().get("id") == "another")
    job.until(lambda: job.session()["state"] == "idle")
    assert "git does not read" not in job.nvim.messages()
