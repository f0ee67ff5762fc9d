"""`gx` opens the address that is on the screen, or asks."""

from __future__ import annotations

import pytest

from tests.support.main_job import MainJob

HONEST = "[the docs](https://good.com/docs)"
LIE = "[https://good.com](http://evil.com/x)"

WATCH = """
_G.opened, _G.asked = {}, {}
vim.ui.open = function(it) table.insert(_G.opened, it) return {}, nil end
vim.ui.select = function(items, how, done)
  table.insert(_G.asked, how.prompt)
  done(items[_G.choice], _G.choice)
end
"""


GO = """
local buffer, pattern = ...
vim.api.nvim_set_current_win(vim.fn.bufwinid(buffer))
assert(vim.fn.search(pattern, 'cw') > 0)
"""


def say_and_browse(job: MainJob, text: str, choice: int = 1, pattern: str = "good.com") -> None:
    job.nvim.lua(WATCH)
    job.nvim.lua("_G.choice = ...", choice)
    agent = job.start()
    prompt = job.turn(agent)
    agent.say(text)
    job.finish(agent, prompt)
    job.until(lambda: any(text in line for line in job.chat()))
    job.nvim.lua(GO, job.session()["bufnr"], pattern)
    job.nvim.input("gx")


def test_where_it_goes_is_said(job: MainJob) -> None:
    say_and_browse(job, HONEST)
    job.told("https://good.com/docs is open in the browser")
    assert job.nvim.lua("return { _G.opened, _G.asked }") == [["https://good.com/docs"], []]


@pytest.mark.parametrize("choice", [1, 2])
def test_a_text_that_names_another_address_is_asked_for(job: MainJob, choice: int) -> None:
    say_and_browse(job, LIE, choice)
    (asked,) = job.until(lambda: job.nvim.lua("return _G.asked"))
    assert "goes to evil.com, but its text names https://good.com" in asked
    if choice == 2:
        job.told("http://evil.com/x is open in the browser")
    assert job.nvim.lua("return _G.opened") == ["http://evil.com/x"][: choice - 1]


@pytest.mark.parametrize(
    "address", ["https://good.com@evil.com/", "http://good.com\\@evil.com", "https://g\u043eod.com"]
)
def test_an_address_in_disguise(job: MainJob, address: str) -> None:
    say_and_browse(job, f"look: {address}", pattern="http")
    job.until(lambda: job.nvim.lua("return _G.asked") or "not opened" in job.nvim.messages())
    assert job.nvim.lua("return _G.opened") == []


@pytest.mark.parametrize("target", ["new.md", "there"])
def test_an_export_goes_through_no_link(job: MainJob, target: str) -> None:
    agent = job.start()
    job.finish(agent, job.turn(agent))
    elsewhere = job.work.parent / target
    if target == "there":
        elsewhere.write_text("mine")
    link = job.work / "talk.md"
    link.symlink_to(elsewhere)
    job.command(f"Acp export {link}")
    job.told("is there already")
    assert elsewhere.exists() == (target == "there")
    assert target == "new.md" or elsewhere.read_text() == "mine"
    link.unlink()
    (job.work / "out").symlink_to(job.work.parent)
    job.command(f"Acp export {job.work}/out/talk.md")
    job.told(f"what was said is in {job.work.parent.resolve()}/talk.md")
