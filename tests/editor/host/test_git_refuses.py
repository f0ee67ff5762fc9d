"""What keeps a project from being read is named once, and work goes on."""

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


def test_a_folder_whose_name_no_message_can_have(job: MainJob) -> None:
    job.nvim.lua(r"""
      local folder = vim.fn.getcwd() .. '/caf\xe9'
      vim.fn.mkdir(folder)
      vim.cmd.cd(vim.fn.fnameescape(folder))
    """)
    job.start()
    assert "which is not UTF-8" in job.told("no agent can name a file in")
