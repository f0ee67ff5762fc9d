"""`:Acp outline`: the talk as a location list."""

from __future__ import annotations

from tests.support.main_job import MainJob


def test_the_outline_goes_to_what_was_said_and_done(job: MainJob) -> None:
    agent = job.start()
    job.finish(agent, job.turn(agent))
    job.command("Acp outline")
    job.until(lambda: job.nvim.eval("&buftype") == "quickfix")
    (first, *_) = job.nvim.eval("getloclist(0)")
    assert first["text"].startswith("> ")
    job.nvim.input("<CR>")
    job.until(lambda: job.nvim.eval("&filetype") == "acp_chat")
    assert job.nvim.eval("line('.')") == first["lnum"]
