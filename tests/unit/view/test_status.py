from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from acp_nvim.session.content import Text
from acp_nvim.session.model import (
    Command,
    ConfigChoice,
    ConfigOption,
    Cost,
    Mode,
    PermissionOption,
    PermissionQuestion,
    PlanEntry,
    Prompt,
    RateLimit,
)
from acp_nvim.session.state import Entry, Message, Plan, SessionState, ToolCall, Usage
from acp_nvim.view.status import completed, elapsed, summary, welcome, winbar

IDLE = SessionState("tutor", "/w", id="s1", status="idle")
QUESTION = PermissionQuestion("1", "t", (PermissionOption("y", "Yes", "allow_once"),))


def shown(state: SessionState, title: str = "Tutor 1.0", now: float = 0.0) -> str:
    """Return all of the bar."""
    return winbar(state, title=title, now=now).text


def test_an_idle_session() -> None:
    assert shown(IDLE) == "idle · Tutor 1.0"


def test_a_running_turn_shows_the_time() -> None:
    running = replace(IDLE, status="running", turn_started=100.0)
    assert shown(running, now=112.9) == "running 0:12 · Tutor 1.0"


def test_an_unusual_end_is_named() -> None:
    assert shown(replace(IDLE, stop_reason="max_tokens")) == "idle (max_tokens) · Tutor 1.0"
    assert shown(replace(IDLE, stop_reason="end_turn")) == "idle · Tutor 1.0"


def test_loading_is_starting() -> None:
    assert shown(replace(IDLE, status="loading")) == "starting · Tutor 1.0"


def test_a_login_is_shown_in_place_of_the_state() -> None:
    text = winbar(IDLE, title="Tutor", now=112.9, login_since=100.0).text
    assert "logging in 0:12" in text
    assert "idle" not in text


def test_a_plan_is_pinned_while_it_is_worked_on() -> None:
    steps = (PlanEntry("read", "low", "completed"), PlanEntry("Fix it", "low", "in_progress"))
    running = replace(IDLE, status="running", turn=2, plan=Plan(2, steps))

    def bar(state: SessionState) -> str:
        return winbar(state, title="Tutor", now=0.0, pins_plan=True).text

    assert bar(running) == "running · 1/2 ◐ Fix it · Tutor"
    assert shown(running, title="Tutor") == "running · Tutor"
    assert bar(replace(running, status="idle")) == "idle · Tutor"
    assert bar(replace(running, turn=3)) == "running · Tutor"


def test_everything_at_once() -> None:
    full = replace(
        IDLE,
        modes=(Mode("code", "Code"), Mode("ask", "Ask first")),
        mode="ask",
        questions=(QUESTION, QUESTION),
        usage=Usage(12_300, 200_000, Cost(0.1234, "USD")),
        title="Fix it",
    )
    assert shown(full) == (
        "idle · 2 waiting for you · Ask first · Tutor 1.0 · Fix it · 0.12 USD · 12.3k/200k (6%)"
    )


@pytest.mark.parametrize(
    ("used", "size", "text"),
    [
        (999, 0, "999 tokens"),
        (1_000, 0, "1k tokens"),
        (0, 200_000, "0/200k (0%)"),
        (300, 200, "300/200 (150%)"),
        (1_500_000, 2_000_000, "1.5M/2M (75%)"),
    ],
)
def test_tokens(used: int, size: int, text: str) -> None:
    assert shown(replace(IDLE, usage=Usage(used, size))).endswith(f"· {text}")


FIVE, SEVEN = RateLimit("five_hour", 0.33), RateLimit("seven_day_opus", 0.555)


def test_limits_of_the_account_are_shown() -> None:
    assert shown(replace(IDLE, usage=Usage(1, 2, limits=(FIVE, SEVEN)))) == (
        "idle · Tutor 1.0 · 5h 33%, 7d opus 55% · 1/2 (50%)"
    )


def test_a_limit_that_is_near_is_needed_more_than_the_mode() -> None:
    near = replace(SEVEN, used=1.2)
    parts = winbar(replace(IDLE, usage=Usage(1, 2, limits=(FIVE, near))), title="", now=0).parts
    [part] = [it for it in parts if "5h" in it.text]
    assert (part.text, part.short) == ("5h 33%, 7d opus 120%", "7d opus 120%")
    assert (part.group, part.need) == ("AcpWinbarAsk", 2)


def test_a_limit_of_another_name_has_that() -> None:
    text = shown(replace(IDLE, usage=Usage(1, 2, limits=(RateLimit("over\x1bage_x", 0.5),))))
    assert "over␛age x 50%" in text


def test_limits_are_told_to_status_lines() -> None:
    told = summary(replace(IDLE, usage=Usage(1, 2, limits=(FIVE,))))
    assert told["limits"] == [{"name": "five_hour", "used": 0.33, "resets_at": None}]


def test_model_and_thought_level_are_shown() -> None:
    model = ConfigOption(
        "m", "Model", "select", "x1", "model", None, (ConfigChoice("x1", "X One"),)
    )
    thought = ConfigOption("t", "Thinking", "boolean", True, "thought_level")
    assert shown(replace(IDLE, config=(thought, model))) == "idle · Tutor 1.0 · on · X One"


def test_an_unlisted_mode_shows_its_id() -> None:
    assert "· yolo" in shown(replace(IDLE, mode="yolo"))


def test_all_that_an_agent_said_is_visible() -> None:
    evil = "%{system('x')}%#Error#\u202e\x1b[1m 100%"
    text = shown(replace(IDLE, title=evil), title=evil)
    assert "\u202e" not in text
    assert "\x1b" not in text
    assert "<U+202E>" in text


def test_state_and_questions_stand_left_model_and_context_right() -> None:
    model = ConfigOption("m", "Model", "select", "x1", "model", None, (ConfigChoice("x1", "X"),))
    state = replace(
        IDLE, title="é", mode="ask", config=(model,), usage=Usage(5, 10), questions=(QUESTION,)
    )
    parts = winbar(state, title="Tütor", now=0).parts
    assert [(it.text, it.group) for it in parts if not it.right] == [
        ("idle", "AcpWinbarState"),
        ("1 waiting for you", "AcpWinbarAsk"),
        ("ask", "AcpWinbarMode"),
        ("Tütor", "AcpWinbarAgent"),
        ("é", "AcpWinbar"),
    ]
    assert [(it.text, it.group) for it in parts if it.right] == [
        ("X", "AcpWinbarModel"),
        ("5/10 (50%)", "AcpWinbarUsage"),
    ]
    by_need = [it.text for it in sorted(parts, key=lambda it: it.need)]
    assert by_need == ["idle", "1 waiting for you", "5/10 (50%)", "X", "ask", "Tütor", "é"]
    assert [it.short for it in parts if it.short] == ["1 waiting", state.agent, "50%"]


def test_a_long_title_is_cut() -> None:
    assert shown(replace(IDLE, title="x" * 99)).endswith(" · " + "x" * 39 + "…")


def test_elapsed() -> None:
    assert [elapsed(n) for n in (-1, 0, 9.9, 61, 3599, 3661)] == [
        "0:00",
        "0:00",
        "0:09",
        "1:01",
        "59:59",
        "1:01:01",
    ]


def test_summary_leaves_out_what_is_not_known() -> None:
    assert summary(SessionState("tutor", "/w")) == {
        "agent": "tutor",
        "cwd": "/w",
        "state": "loading",
        "modes": [],
        "config": [],
        "pending": 0,
        "turn": 0,
        "queue": 0,
    }


def test_summary_of_everything() -> None:
    model = ConfigOption(
        "m", "Model", "select", "x1", "model", None, (ConfigChoice("x1", "X One"),)
    )
    full = replace(
        IDLE,
        stop_reason="end_turn",
        modes=(Mode("code", "Code"),),
        mode="code",
        config=(replace(model, way="set_model"),),
        usage=Usage(1, 2, Cost(0.5, "EUR")),
        questions=(QUESTION,),
        title="T",
        turn=3,
        queue=(Prompt((Text("later"),)),),
    )
    assert json.loads(json.dumps(summary(full))) == {
        "agent": "tutor",
        "session": "s1",
        "cwd": IDLE.cwd,
        "state": "idle",
        "stop_reason": "end_turn",
        "mode": "code",
        "modes": [{"id": "code", "name": "Code"}],
        "model": "X One",
        "config": [{"id": "m", "values": ["x1"], "category": "model"}],
        "used": 1,
        "size": 2,
        "cost": {"amount": 0.5, "currency": "EUR"},
        "pending": 1,
        "title": "T",
        "turn": 3,
        "queue": 1,
    }


def test_what_completion_offers_of_the_agent() -> None:
    commands = (Command("plan", "makes a plan", "what for"), Command("help", "helps"))
    assert completed(commands) == [
        {"name": "plan", "description": "makes a plan", "hint": "what for"},
        {"name": "help", "description": "helps"},
    ]


def test_all_that_status_lines_show_is_visible() -> None:
    evil = "x\u202e\x1b[1m\n%{1}"
    choices = (ConfigChoice("a", "A"), ConfigChoice(evil, evil))
    state = replace(
        IDLE,
        title=evil,
        stop_reason=evil,
        mode=evil,
        modes=(Mode("m", evil), Mode(evil, "M")),
        config=(ConfigOption("m", evil, "select", evil, evil, None, choices),),
        usage=Usage(1, 2, Cost(0.5, evil), (RateLimit(evil, 0.5),)),
    )
    told = summary(state) | {
        "commands": completed((Command("plan", evil, evil), Command(evil, evil)))
    }
    assert [it["name"] for it in told["commands"]] == ["plan"]
    assert not [it for it in (r"\u202e", r"\x1b", r"\n") if it in repr(told)]
    assert [it["id"] for it in told["modes"]] == ["m"]
    assert told["config"][0]["values"] == ["a"]


def test_a_model_outside_its_choices_shows_its_value() -> None:
    model = ConfigOption("m", "Model", "select", "x2", "model")
    assert summary(replace(IDLE, config=(model,)))["model"] == "x2"


def test_what_a_running_turn_does() -> None:
    running = replace(IDLE, status="running", turn=2, turn_started=1.0)

    def doing(*entries: Entry, **more: Any) -> object:
        return summary(replace(running, entries=entries, **more)).get("doing")

    read = ToolCall("tool:1", "1", 2, title="Read cache.py", status="in_progress")
    said = Message("m", "agent", 2, (Text("well"),))
    assert "doing" not in summary(IDLE)
    assert doing() == "thinking"
    assert doing(said) == "writing"
    assert doing(replace(said, role="thought")) == "thinking"
    assert doing(read, said) == "Read cache.py"
    assert doing(replace(read, status="completed")) == "thinking"
    assert doing(replace(read, turn=1)) == "thinking"
    assert doing(read, questions=(QUESTION,)) == "waiting for you"
    assert doing(read, status="cancelling") == "cancelling"
    assert doing(replace(read, title="a\u202e" + "b" * 99)) == "a<U+202E>" + "b" * 50 + "…"


@pytest.mark.parametrize(("used", "group"), [(79, "Usage"), (80, "Ask"), (105, "Ask")])
def test_a_context_of_which_little_is_left_is_a_warning(used: int, group: str) -> None:
    parts = winbar(replace(IDLE, usage=Usage(used, 100)), title="", now=0).parts
    assert parts[-1].group == f"AcpWinbar{group}"


def test_an_empty_chat_teaches_who_is_there_the_keys_and_what_may_go_on() -> None:
    state = replace(IDLE, agent="tutor", modes=(Mode("ask", "Ask first"),), mode="ask")
    told = welcome(state, "~/work", ["One · 2 h ago", "Two · 3 d ago"], with_keys=True)
    assert told[:3] == [
        ("AcpToolTitle", ["tutor", "Ask first"]),
        ("AcpToolPath", ["~/work"]),
        ("AcpWarning", ["Send anything to begin"]),
    ]
    assert told[4][1][-1] == "g? all keys"
    assert [parts for _, parts in told[-2:]] == [["<CR>  One · 2 h ago"], ["2<CR> Two · 3 d ago"]]
    state = replace(state, agent="other")
    assert len(welcome(state, "/work", [], with_keys=False)) == 2
