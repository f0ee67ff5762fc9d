"""The permission menu: it disturbs nobody, and only the user answers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

CALL = {"toolCallId": "call-1", "title": "Run make", "kind": "execute", "status": "pending"}
LONG = "".join(f"line {number}\n" for number in range(100))
DIFF = {"type": "diff", "path": "/a.py", "oldText": LONG, "newText": LONG.upper()}


def ask(
    job: MainJob, agent: StdioAgent, request_id: str = "p", content: list[Any] | None = None
) -> dict[str, Any]:
    """Let the agent ask; return the question once it is on the screen."""
    count = len(job.asks())
    agent.request_permission(request_id, toolCall=CALL | {"content": content or []})
    job.until(lambda: len(job.asks()) > count)
    return job.asks()[-1]


def chosen(agent: StdioAgent, request_id: str = "p") -> str | None:
    """Return the id of the option that the agent was told; None for `cancelled`."""
    outcome = agent.answer_to(request_id)["result"]["outcome"]
    return outcome.get("optionId") if outcome["outcome"] == "selected" else None


def is_open(job: MainJob, question: dict[str, Any]) -> bool:
    return bool(job.nvim.api.nvim_win_is_valid(question["winid"]))


def test_it_opens_while_the_user_types_elsewhere(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    job.edit("a.txt", "")
    window = job.nvim.eval("win_getid()")
    job.nvim.input("ihello 1")
    question = ask(job, agent)
    assert is_open(job, question)
    job.nvim.input("2 world")
    assert job.nvim.mode() == {"mode": "i", "blocking": False}
    assert job.nvim.eval("win_getid()") == window
    assert job.nvim.lines() == ["hello 12 world"]
    assert question["title"] == "Run make"
    assert [option["name"] for option in question["options"]] == ["Allow once", "Always", "Reject"]
    agent.quiet()
    job.command("Acp permit 2")
    assert chosen(agent) == "always"
    job.until(lambda: not is_open(job, question))
    assert job.nvim.mode()["mode"] == "i"
    assert job.nvim.eval("win_getid()") == window
    assert job.asks() == []


@pytest.mark.parametrize(
    ("keys", "option"), [("3", "no"), ("1", "yes"), ("d<Esc>2", "always"), ("d2", "always")]
)
def test_it_is_answered_by_key(job: MainJob, keys: str, option: str) -> None:
    agent = job.start()
    job.turn(agent)
    window = job.nvim.eval("win_getid()")
    question = ask(job, agent, content=[DIFF])
    job.command("Acp permit")
    job.until(lambda: job.nvim.eval("win_getid()") == question["winid"])
    job.nvim.input(keys)
    assert chosen(agent) == option
    job.until(lambda: not is_open(job, question))
    assert job.nvim.eval("win_getid()") == window
    job.usable()


def test_tab_goes_to_it_q_leaves_it_and_cr_chooses_the_line(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    window = job.nvim.eval("win_getid()")
    question = ask(job, agent)
    job.nvim.input("<Tab>")
    assert job.nvim.eval("win_getid()") == question["winid"]
    job.nvim.input("q")
    assert job.nvim.eval("win_getid()") == window
    agent.quiet()
    job.nvim.input("<Tab>/Reject<CR><CR>")
    assert chosen(agent) == "no"
    again = ask(job, agent, "again")
    job.nvim.input("<Tab>D")
    job.until(lambda: job.nvim.eval("win_getid()") not in (window, again["winid"]))
    job.nvim.input("/Reject<CR><CR>")
    assert chosen(agent, "again") == "no"


def test_the_oldest_is_answered_first(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    ask(job, agent, "older")
    newer = ask(job, agent, "newer")
    job.command("Acp permit 1")
    assert chosen(agent, "older") == "yes"
    assert [it["id"] for it in job.asks()] == [newer["id"]]
    job.command("execute 'normal' \"\\<Plug>(acp-reject-permission)\"")
    assert chosen(agent, "newer") == "no"


def test_an_option_that_is_not_there_answers_nothing(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    ask(job, agent)
    job.command("Acp permit 7")
    assert job.told("option 7")
    agent.quiet()
    assert len(job.asks()) == 1


def test_cancelling_the_turn_withdraws_it(job: MainJob) -> None:
    agent = job.start()
    prompt = job.turn(agent)
    question = ask(job, agent)
    job.command("Acp cancel")
    messages = [agent.next(), agent.next()]
    assert {it.get("method", it.get("id")) for it in messages} == {"session/cancel", "p"}
    answer = next(it for it in messages if it.get("id") == "p")
    assert answer["result"] == {"outcome": {"outcome": "cancelled"}}
    job.until(lambda: not is_open(job, question))
    agent.end(prompt, "cancelled")
    job.usable()


def test_it_closes_when_the_agent_takes_it_back(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    question = ask(job, agent)
    agent.notify("$/cancel_request", {"requestId": "p"})
    assert agent.answer_to("p")["error"]["code"] == -32800
    job.until(lambda: not is_open(job, question))
    assert job.asks() == []


# --- with the evidence

TEXT = "".join(f"line {number}\n" for number in range(1, 41))
EDIT = {"toolCallId": "call-1", "title": "Edit a.txt", "kind": "edit", "status": "pending"}


def edit(job: MainJob, agent: StdioAgent, **call: Any) -> dict[str, Any]:
    """Let the agent ask for an edit of a.txt; return the question once it is on the screen."""
    raw = {"file_path": str(job.work / "a.txt"), "old_string": "line 20\n", "new_string": "20\n"}
    agent.request_permission("p", toolCall=EDIT | {"rawInput": raw} | call)
    job.until(job.asks)
    return job.asks()[-1]


def compare(job: MainJob, question: dict[str, Any]) -> None:
    """Go to the menu, and open its files side by side."""
    job.nvim.input(":Acp permit<CR>")
    assert job.nvim.eval("win_getid()") == question["winid"]
    job.nvim.input("d")
    job.until(lambda: job.nvim.eval("tabpagenr('$')") == 2)


def test_it_shows_what_the_file_would_be(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    job.edit("a.txt", TEXT)
    job.nvim.lua("vim.fn.setline(1, 'mine')")
    question = edit(job, agent)
    shown = job.nvim.lines(question["bufnr"])
    assert shown[:6] == [
        "Edit a.txt",
        "a.txt:20",
        "your unsaved edits are in it",
        *TEXT.split("\n")[16:19],
    ]
    assert shown[6:8] == ["line 20", "20"]
    (told,) = job.events("AcpPermissionRequested")
    assert told["title"] == "Edit a.txt"


def test_d_shows_the_live_file_beside_what_it_would_be(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    job.edit("a.txt", TEXT)
    window = job.nvim.eval("win_getid()")
    job.nvim.lua("vim.fn.setline(1, 'mine')")
    compare(job, edit(job, agent))
    assert job.nvim.lines()[:20] == ["mine", *TEXT.split("\n")[1:19], "20"]
    assert job.nvim.eval("[line('.'), &diff]") == [20, 1]
    job.nvim.input("1")
    assert chosen(agent) == "yes"
    job.until(lambda: job.asks() == [])
    assert job.nvim.eval("[tabpagenr('$'), win_getid(), &diff]") == [1, window, 0]
    assert job.nvim.eval("&modified") == 1
    job.usable()


def test_it_shows_the_file_as_it_is_when_the_user_looks(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    job.edit("a.txt", TEXT)
    question = edit(job, agent)
    job.nvim.lua("vim.fn.append(0, 'new')")
    compare(job, question)
    assert job.nvim.lines()[:2] == ["new", "line 1"]
    assert job.nvim.eval("line('.')") == 21
    job.nvim.input("q")
    shown = job.until(lambda: "a.txt:21" in (it := job.nvim.lines(question["bufnr"])) and it)
    assert shown[1].startswith("! changed after it was asked")


def test_files_side_by_side_are_no_answer_to_what_is_asked_by_now(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    job.edit("a.txt", TEXT)
    compare(job, edit(job, agent))
    raw = {"file_path": str(job.work / "a.txt"), "old_string": "line 20\n", "new_string": "evil\n"}
    agent.update("tool_call_update", toolCallId="call-1", rawInput=raw)
    job.until(lambda: "changed after it was asked" in job.nvim.lua(WINBARS))
    job.nvim.input("1")
    assert job.told("look at the question first")
    agent.quiet()
    job.nvim.input("q")
    question = job.asks()[0]
    job.until(lambda: "evil" in job.nvim.lines(question["bufnr"]))
    job.nvim.input(":Acp permit<CR>1")
    assert chosen(agent) == "yes"


WINBARS = """
return vim.iter(vim.api.nvim_tabpage_list_wins(0)):map(function(window)
  return vim.wo[window].winbar
end):join('|')
"""


def take_away(job: MainJob, agent: StdioAgent, way: str) -> None:
    """Let the request be over, in one of WAYS."""
    if way == "permit":
        job.command("Acp permit 3")
        assert chosen(agent) == "no"
    elif way == "cancel":
        job.command("Acp cancel")
    elif way == "withdrawn":
        agent.notify("$/cancel_request", {"requestId": "p"})
    else:
        agent.exit()


WAYS = ["permit", "cancel", "withdrawn", "exit"]


@pytest.mark.parametrize("way", WAYS)
def test_the_comparison_goes_with_the_request(job: MainJob, way: str) -> None:
    agent = job.start()
    job.turn(agent)
    job.edit("a.txt", TEXT)
    window = job.nvim.eval("win_getid()")
    compare(job, edit(job, agent))
    take_away(job, agent, way)
    job.until(lambda: job.nvim.eval("tabpagenr('$')") == 1)
    assert job.nvim.eval("[win_getid(), &diff, &scrollbind]") == [window, 0, 0]
    assert job.nvim.lines() == TEXT.split("\n")[:-1]


@pytest.mark.parametrize("way", WAYS)
def test_whoever_types_beside_the_comparison_goes_on_there(job: MainJob, way: str) -> None:
    agent = job.start()
    job.turn(agent)
    (job.work / "a.txt").write_text(TEXT)
    prompt = job.nvim.eval("bufnr('^acp-prompt:')")
    compare(job, edit(job, agent))
    job.nvim.input(":new<CR>ihello ")
    window = job.nvim.eval("win_getid()")
    take_away(job, agent, way)
    job.until(lambda: job.nvim.eval("winnr('$')") == 1)
    job.nvim.input("world")
    assert job.nvim.eval("[win_getid(), tabpagenr(), mode()]") == [window, 2, "i"]
    assert [job.nvim.lines(), job.nvim.lines(prompt)] == [["hello world"], [""]]


def test_a_new_file_beside_nothing(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    raw = {"file_path": str(job.work / "new.py"), "content": "import os\n"}
    question = edit(job, agent, rawInput=raw)
    assert job.nvim.lines(question["bufnr"])[1:3] == ["new.py", "import os"]
    compare(job, question)
    assert job.nvim.lines() == ["import os"]
    assert job.nvim.eval("&syntax") == "python"
    job.nvim.input("q")
    assert job.nvim.eval("tabpagenr('$')") == 1
    assert not (job.work / "new.py").exists()
    assert job.nvim.eval("bufexists('new.py')") == 0


def test_several_files_one_after_the_other(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    patch = "*** Begin Patch\n*** Add File: b.txt\n+b\n*** Add File: c.txt\n+c\n*** End Patch"
    compare(job, edit(job, agent, rawInput={"patch": patch}))
    assert "1 of 2" in job.nvim.eval("&winbar")
    assert job.nvim.lines() == ["b"]
    for text in ("c", "b"):
        job.nvim.input("d")
        job.until(lambda text=text: job.nvim.lines() == [text])
        assert job.nvim.eval("tabpagenr('$')") == 2
    job.nvim.input("D")
    job.until(lambda: {"b.txt", "c.txt"} <= set(job.nvim.lines()))


def test_the_agents_characters_are_visible_there_and_the_users_stay(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    job.edit("a.txt", "so\u00adft\nline 20\n")
    raw = {"path": str(job.work / "a.txt"), "old_string": "line 20", "new_string": "e\u202evil"}
    compare(job, edit(job, agent, rawInput=raw))
    assert job.nvim.lines() == ["so\u00adft", "e<U+202E>vil"]


def test_a_file_of_dos_has_no_other_changes(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    job.edit("a.txt", "x")
    (job.work / "a.txt").write_bytes(TEXT.replace("\n", "\r\n").encode())
    job.command("edit!")
    assert job.nvim.eval("&fileformat") == "dos"
    question = edit(job, agent)
    assert "line 20" in job.nvim.lines(question["bufnr"])
    compare(job, question)
    changed = [it for it in range(1, 41) if job.nvim.eval(f"diff_hlID({it}, 1)")]
    assert changed == [20]


def test_what_lies_outside_of_the_project_is_not_read(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    outside = job.folder / "secret.txt"
    outside.write_text("line 20\nsecret\n")
    raw = {"path": str(outside), "old_string": "line 20", "new_string": "x"}
    question = edit(job, agent, rawInput=raw)
    job.nvim.input(":Acp permit<CR>d")
    assert job.nvim.eval("tabpagenr('$')") == 1
    assert not any("secret" in it and "path" not in it for it in job.nvim.lines())
    assert is_open(job, question)
