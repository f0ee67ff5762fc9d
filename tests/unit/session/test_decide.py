"""What the user may do when: C-110, C-117, C-146, C-247, C-249, C-256."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from acp_nvim.session.action import (
    Action,
    CancelTurn,
    Refused,
    SendQueued,
    SetMode,
    SetOption,
    SubmitPrompt,
)
from acp_nvim.session.content import Text
from acp_nvim.session.decide import decide
from acp_nvim.session.event import (
    CancelRequested,
    ConfigReplaced,
    PromptQueued,
    SessionClosed,
    SessionOpened,
    TurnEnded,
    TurnStarted,
)
from acp_nvim.session.model import ConfigChoice, ConfigOption, Prompt, Selection
from acp_nvim.session.state import SessionState
from tests.unit.session.conversation import OPENED, after, prompt, turn

LOADING = after()
IDLE = after(OPENED)
RUNNING = after(turn(), state=IDLE)
CANCELLING = after(CancelRequested(), state=RUNNING)
CLOSED = after(SessionClosed(), state=IDLE)
HELLO = prompt("hello")
QUEUED = PromptQueued(HELLO)
FIRST = PromptQueued(HELLO, first=True)


def refusal(state: SessionState, action: Action) -> str:
    result = decide(state, action)
    assert isinstance(result, Refused)
    return result.reason


def test_a_prompt_starts_a_turn_when_nothing_runs():
    assert decide(IDLE, SubmitPrompt(HELLO, 2.0)) == (TurnStarted(HELLO, 2.0),)


@pytest.mark.parametrize("state", [LOADING, RUNNING, CANCELLING])
def test_c110_c117_c146_a_prompt_waits_otherwise(state: SessionState):
    assert decide(state, SubmitPrompt(HELLO, 0.0)) == (QUEUED,)


def test_c054_a_held_prompt_is_sent_by_the_user_only():
    held = replace(HELLO, held=True)
    state = after(PromptQueued(held, first=True), state=IDLE)
    sent = TurnStarted(held, 2.0, queued=True)
    assert decide(state, SendQueued(2.0)) == ()
    assert decide(state, SubmitPrompt(prompt(""), 2.0)) == (sent,)
    assert decide(state, SubmitPrompt(HELLO, 2.0)) == (QUEUED, sent)
    assert decide(state, SubmitPrompt(HELLO, 2.0, interrupt=True)) == (
        FIRST,
        TurnStarted(HELLO, 2.0, queued=True),
    )


def test_an_interrupting_prompt_cancels_the_turn_and_goes_next():
    interrupt = SubmitPrompt(HELLO, 0.0, interrupt=True)
    assert decide(RUNNING, interrupt) == (FIRST, CancelRequested())
    assert decide(CANCELLING, interrupt) == (FIRST,)
    assert decide(IDLE, interrupt) == (TurnStarted(HELLO, 0.0),)


def test_nobody_overtakes_the_queue():
    waiting = after(PromptQueued(prompt("first")), state=IDLE)
    head = TurnStarted(prompt("first"), 3.0, queued=True)
    assert decide(waiting, SubmitPrompt(HELLO, 3.0)) == (QUEUED, head)
    interrupt = SubmitPrompt(HELLO, 3.0, interrupt=True)
    assert decide(waiting, interrupt) == (FIRST, TurnStarted(HELLO, 3.0, queued=True))


def test_a_closed_session_says_how_to_open_one():
    assert ":Acp restart" in refusal(CLOSED, SubmitPrompt(HELLO, 0.0))
    assert ":AcpStart" in refusal(CLOSED, SetMode("ask"))


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_an_empty_prompt_is_refused(text: str):
    assert "empty" in refusal(IDLE, SubmitPrompt(Prompt((Text(text),)), 0.0))
    assert "empty" in refusal(IDLE, SubmitPrompt(Prompt(()), 0.0))


def test_a_selection_alone_is_a_prompt():
    chosen = Prompt((), (Selection(1, 1, None, 1, 1, ("x",)),))
    assert decide(IDLE, SubmitPrompt(chosen, 0.0)) == (TurnStarted(chosen, 0.0),)


def test_the_queue_goes_on_when_the_turn_is_over():
    waiting = after(QUEUED, state=RUNNING)
    assert decide(waiting, SendQueued(3.0)) == ()
    done = after(TurnEnded(1.0, "cancelled"), state=waiting)
    assert decide(done, SendQueued(3.0)) == (TurnStarted(HELLO, 3.0, queued=True),)
    assert decide(IDLE, SendQueued(3.0)) == ()


def test_cancel_needs_a_turn():
    assert decide(RUNNING, CancelTurn()) == (CancelRequested(),)
    assert decide(CANCELLING, CancelTurn()) == ()
    assert "nothing is running" in refusal(IDLE, CancelTurn())
    assert "nothing is running" in refusal(CLOSED, CancelTurn())


@pytest.mark.parametrize("state", [IDLE, RUNNING, CANCELLING])
def test_c247_c249_a_known_mode_is_allowed_at_any_time(state: SessionState):
    assert decide(state, SetMode("code")) == ()


def test_c247_an_unknown_mode_is_refused_with_the_known_ones():
    assert "ask, code" in refusal(IDLE, SetMode("cod"))
    assert "no session modes" in refusal(after(SessionOpened("s")), SetMode("code"))
    assert "being opened" in refusal(LOADING, SetMode("code"))


SWITCH = ConfigOption("web", "Web", "boolean", True)
SELECT = ConfigOption("m", "Model", "select", "a", choices=(ConfigChoice("a", "A"),))
OPTIONS = after(ConfigReplaced((SWITCH, SELECT)), state=RUNNING)


@pytest.mark.parametrize(("option", "value"), [("web", False), ("web", True), ("m", "a")])
def test_c249_a_value_of_an_option_is_allowed_at_any_time(option: str, value: str | bool):
    assert decide(OPTIONS, SetOption(option, value)) == ()


def test_c256_a_value_that_the_option_does_not_have_is_refused():
    assert "it can be a" in refusal(OPTIONS, SetOption("m", "b"))
    assert "on or off" in refusal(OPTIONS, SetOption("web", "on"))
    assert "it has web, m" in refusal(OPTIONS, SetOption("x", "on"))
    assert "it has none" in refusal(IDLE, SetOption("x", "on"))
    assert "being opened" in refusal(LOADING, SetOption("m", "a"))
    assert ":AcpStart" in refusal(CLOSED, SetOption("m", "a"))
