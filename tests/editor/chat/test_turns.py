"""Turns: what streams in, what waits, and what is cancelled."""

from __future__ import annotations

from tests.support.main_job import MainJob

ANSWER = """# A title

Some *words*, `code` and a [link](https://example.org), then:

- a list
  - of two

```python
def f(x):
    return "ü😀"
```

| a | b |
|---|---|
| 1 | two words |

The end.
"""


def text_of(prompt: object) -> str:
    """Return the first text of a `session/prompt`."""
    assert isinstance(prompt, dict)
    return str(prompt["params"]["prompt"][0]["text"])


def test_what_streams_in_is_exactly_what_is_in_the_chat(job: MainJob) -> None:
    agent = job.start()
    prompt = job.turn(agent, "say something")
    for start in range(0, len(ANSWER), 3):
        agent.say(ANSWER[start : start + 3])
    job.finish(agent, prompt)
    entry, row = job.session()["entries"][-2:]
    assert (entry["kind"], entry["text"]) == ("agent", ANSWER)
    assert row["text"].startswith("── done · ")
    assert job.chat()[:-2] == ["say something", "", *ANSWER.split("\n")]
    assert job.session()["stop_reason"] == "end_turn"


def test_a_prompt_waits_while_a_turn_runs(job: MainJob) -> None:
    agent = job.start()
    first = job.turn(agent, "one")
    job.command("AcpPrompt two")
    job.command("AcpPrompt three")
    job.until(lambda: job.session()["queue"] == [{"text": "two"}, {"text": "three"}])
    assert any("two" in line for line in job.chat())
    agent.quiet()
    agent.end(first)
    second = agent.prompted()
    assert text_of(second) == "two"
    assert job.session()["queue"] == [{"text": "three"}]
    agent.end(second, "refusal")
    assert text_of(agent.prompted()) == "three"


def test_cancel_ends_the_turn_and_keeps_the_queue(job: MainJob) -> None:
    agent = job.start()
    first = job.turn(agent, "one")
    job.command("AcpPrompt two")
    job.command("Acp cancel")
    agent.expect("session/cancel")
    job.until(lambda: job.session()["state"] == "cancelling")
    assert job.session()["queue"] == [{"text": "two"}]
    agent.say("last words")
    agent.end(first, "cancelled")
    assert text_of(agent.prompted()) == "two"
    assert job.until_event("AcpTurnEnded")["stop_reason"] == "cancelled"


def test_a_bang_cancels_and_goes_first(job: MainJob) -> None:
    agent = job.start()
    first = job.turn(agent, "one")
    job.command("AcpPrompt later")
    job.command("AcpPrompt! now")
    agent.expect("session/cancel")
    agent.quiet()
    agent.end(first, "cancelled")
    second = agent.prompted()
    assert text_of(second) == "now"
    agent.end(second)
    assert text_of(agent.prompted()) == "later"


def test_cancel_without_a_turn_is_told(job: MainJob) -> None:
    agent = job.start()
    job.command("Acp cancel")
    assert job.told("nothing")
    agent.quiet()


def test_a_turn_that_fails_is_told_and_the_next_one_runs(job: MainJob) -> None:
    agent = job.start()
    agent.refuse(job.turn(agent), -32603, "the model is on fire")
    job.until(lambda: job.session()["state"] == "idle")
    assert any("the model is on fire" in line for line in job.chat())
    job.finish(agent, job.turn(agent, "again"))
    job.usable()


def test_the_mode_is_set_by_command(job: MainJob) -> None:
    modes = [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}]
    job.command("AcpStart scripted")
    agent = job.stage.accept()
    agent.initialize()
    agent.open(modes={"currentModeId": "ask", "availableModes": modes})
    job.until(lambda: job.session().get("mode") == "ask")
    job.command("Acp mode code")
    request = agent.expect("session/set_mode")
    assert request["params"]["modeId"] == "code"
    agent.reply(request, {})
    assert job.until_event("AcpModeChanged")["mode"] == "code"
    assert job.session()["mode"] == "code"
