"""Options and modes as they are kept, restored and shown: C-245, C-250 to C-253, C-257."""

from __future__ import annotations

import json

import pytest

from acp_nvim.session.event import ConfigReplaced, ModeChanged, SessionOpened, TranscriptRestored
from acp_nvim.session.model import NOTHING_CHOSEN, Chosen, ConfigChoice, ConfigOption, Mode
from acp_nvim.session.options import mode_of, modes_of, replaced, shown, value_name
from acp_nvim.session.saved import saved_of
from acp_nvim.session.state import SessionState
from acp_nvim.storage.sessions import SessionCodec
from tests.unit.session.conversation import MODES, OPENED, after, turn

SELECT = ConfigOption("m", "Model", "select", "a", "model", choices=(ConfigChoice("a", "A One"),))
SWITCH = ConfigOption("web", "Web", "boolean", False)
MODE = ConfigOption(
    "how", "Mode", "select", "x", "mode", choices=(ConfigChoice("x", "X"), ConfigChoice("y", "Y"))
)
CODEC = SessionCodec()
LEGACY = ConfigOption("model", "Model", "select", "b", "model", way="set_model")


def test_c245_the_modes_are_those_of_the_option():
    state = after(OPENED, ConfigReplaced((MODE,)))
    assert (mode_of(state), modes_of(state)) == ("x", (Mode("x", "X"), Mode("y", "Y")))
    state = after(ConfigReplaced((SWITCH,)), state=state)
    assert (mode_of(state), modes_of(state)) == ("ask", MODES)
    state = after(ConfigReplaced(()), state=state)
    assert (mode_of(state), modes_of(state)) == ("ask", MODES)


def test_c248_a_mode_that_the_option_does_not_have_leaves_it_alone():
    state = after(OPENED, ConfigReplaced((MODE,)), ModeChanged("y"), ModeChanged("z"))
    assert mode_of(state) == "y"
    assert after(OPENED, ModeChanged("z")).mode == "z"


def test_c257_a_list_replaces_all_but_the_models_of_the_old_way():
    assert replaced((SWITCH, LEGACY), (MODE,)) == (MODE, LEGACY)
    assert replaced((SWITCH, LEGACY), (SELECT,)) == (SELECT,)
    assert replaced((SWITCH, SELECT), ()) == ()


def test_c253_without_a_model_the_order_is_the_agents():
    beside = ConfigOption("s", "Speed", "boolean", True, "model_config")
    assert shown((beside, SWITCH)) == (beside, SWITCH)
    assert shown((beside, SWITCH, SELECT, MODE)) == (SWITCH, SELECT, beside, MODE)


@pytest.mark.parametrize(
    ("option", "name"),
    [(SELECT, "A One"), (LEGACY, "b"), (SWITCH, "off")],
)
def test_the_name_of_a_value(option: ConfigOption, name: str):
    assert value_name(option) == name


# --- kept and restored


def kept(state: SessionState) -> Chosen:
    """Return what comes back from the text of a kept session."""
    read = CODEC.from_text(CODEC.to_text(saved_of(state, 1.0)))
    assert read is not None
    return read.chosen


def test_what_was_chosen_is_kept():
    state = after(OPENED, turn(), ConfigReplaced((MODE, SWITCH, LEGACY)))
    assert kept(state) == Chosen((MODE, SWITCH, LEGACY), MODES, "ask")


@pytest.mark.parametrize(
    "odd",
    [None, 5, {}, {"kind_": "Mode"}, {"kind_": "Chosen", "config": 5, "modes": "x", "mode": 5}],
)
def test_what_another_version_kept_is_left_out(odd: object):
    text = CODEC.to_text(saved_of(after(OPENED, turn()), 1.0))
    head = json.loads(text.split("\n")[0]) | {"chosen": odd}
    read = CODEC.from_text(json.dumps(head))
    assert read is not None
    assert read.chosen == NOTHING_CHOSEN


def test_what_was_kept_is_shown_until_the_agent_tells_it():
    restored = TranscriptRestored((), chosen=Chosen((MODE,), MODES, "ask"))
    state = after(restored, SessionOpened("s1"))
    assert (state.config, state.modes, state.mode) == ((MODE,), MODES, "ask")
    assert after(restored, SessionOpened("s1", config=(SWITCH,))).config == (SWITCH,)
    assert after(restored, SessionOpened("s1", config=())).config == ()
