"""While nothing runs, no timer of the plugin wakes Neovim."""

from __future__ import annotations

from tests.support.main_job import MainJob

TIMERS = """
if vim.fn.has('nvim-0.11') == 0 then
  return 0 -- there walk() meets handles of Neovim's own, and dies
end
local count = 0
vim.uv.walk(function(handle)
  if handle:get_type() == 'timer' and handle:is_active() then
    count = count + 1
  end
end)
return count
"""


def test_no_timer_is_left_after_a_turn_with_two_sessions(job: MainJob) -> None:
    agent = job.start()
    prompt = job.turn(agent)
    job.finish(agent, prompt)
    job.until_event("AcpTurnEnded")
    job.command("AcpStart tutor")
    job.until(lambda: [it["state"] for it in job.inspect()["sessions"]] == ["idle", "idle"])
    job.until(lambda: job.nvim.lua(TIMERS) == 0)
