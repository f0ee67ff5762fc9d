"""C-280 to C-292: forms, as the user sees them and as they are answered."""

from __future__ import annotations

import time
from typing import Any

import pytest

from acp_nvim.errors import RequestFailed
from acp_nvim.protocol.records import ClientCapabilities
from acp_nvim.protocol.v1.dialect import V1
from acp_nvim.session.elicitation.form import content, prefilled
from acp_nvim.session.elicitation.model import Form
from acp_nvim.session.model import Question
from acp_nvim.session.request import ElicitationRequest
from tests.conformance.requests.eliciting import ask_form, float_of, float_text, refused
from tests.support.agents.scripted_agent import SESSION
from tests.support.stage import Stage

COLOURS = {"type": "string", "enum": ["r", "g"]}
TITLED = {"anyOf": [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]}
ALL: dict[str, Any] = {
    "text": {"type": "string", "title": "Text", "default": "hello"},
    "whole": {"type": "integer", "default": 3},
    "real": {"type": "number", "default": 2.5},
    "yes": {"type": "boolean", "default": False},
    "one": {"type": "string", "oneOf": TITLED["anyOf"], "default": "g"},
    "some": {"type": "array", "items": TITLED, "default": ["g", "nothing"]},
}
ALL_VALUES = {"text": "hello", "whole": 3, "real": 2.5, "yes": False, "one": "g", "some": ["g"]}


def fill(stage: Stage, question: Question, *values: str | int | None) -> None:
    """Fill in the fields in their order."""
    for number, value in enumerate(values):
        assert stage.questions.fill(question.id, number, value)


async def judged(schema: dict[str, Any], value: Any, *, required: bool = False) -> str | None:
    """Return what is said of the value in a form of that one property."""
    async with Stage() as stage:
        session = await stage.start()
        needed = {"required": ["it"]} if required else {}
        question = await ask_form(stage, session, {"it": schema}, **needed)
        stage.respond(question.id, "accept", {} if value is None else {"it": value})
        problem = stage.questions.draft(question.id).errors.get("it")
        if problem is None:
            answer = await stage.agent.answer_to("e")
            assert answer["result"]["action"] == "accept"
        else:
            await stage.agent.quiet()
            assert problem in float_text(stage, session)
        return problem


async def test_c280_c281_who_asks_and_what_are_shown():
    async with Stage() as stage:
        session = await stage.start()
        question = await ask_form(stage, session, {}, message="What is\nyour name?")
        assert float_of(stage, session, question).title == " Scripted asks "
        assert float_text(stage, session).startswith("What is\nyour name?\n")


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_c282_decline_and_cancel_are_distinct(action: Any):
    async with Stage() as stage:
        session = await stage.start()
        question = await ask_form(stage, session, ALL)
        assert [row.action for row in float_of(stage, session, question).form if row.action] == [
            "accept",
            "decline",
            "cancel",
        ]
        assert stage.respond(question.id, action)
        assert (await stage.agent.answer_to("e"))["result"] == {"action": action}
        assert session.state.questions == ()


async def test_c283_nothing_is_sent_by_itself_and_answers_can_be_changed():
    async with Stage() as stage:
        session = await stage.start()
        question = await ask_form(stage, session, {"a": {"type": "string", "default": "x"}})
        fill(stage, question, "first")
        fill(stage, question, "second")
        await stage.agent.quiet()
        assert "a: second" in float_text(stage, session)
        stage.respond(question.id, "accept")
        result = (await stage.agent.answer_to("e"))["result"]
        assert result == {"action": "accept", "content": {"a": "second"}}


async def test_c284_defaults_are_filled_in():
    async with Stage() as stage:
        session = await stage.start()
        question = await ask_form(stage, session, ALL)
        shown = float_text(stage, session)
        for line in ("Text: hello", "whole: 3", "real: 2.5", "yes: no", "one: Green", "[x] Green"):
            assert line in shown
        assert "[ ] Red" in shown
        await stage.agent.quiet()
        stage.respond(question.id, "accept")
        result = (await stage.agent.answer_to("e"))["result"]
        assert result == {"action": "accept", "content": ALL_VALUES}


@pytest.mark.parametrize(
    ("schema", "bad", "good"),
    [
        ({"type": "string", "minLength": 3}, "ab", "abc"),
        ({"type": "string", "maxLength": 2}, "abc", "äö"),
        ({"type": "string", "pattern": "^[a-z]+$"}, "A1", "abc"),
        ({"type": "string", "format": "email"}, "me", "me@x.org"),
        ({"type": "string", "format": "uri"}, "x.org", "https://x.org/a"),
        ({"type": "string", "format": "date"}, "2026-02-30", "2026-02-28"),
        ({"type": "string", "format": "date-time"}, "2026-02-28", "2026-02-28T12:00:00+01:00"),
        ({"type": "integer", "minimum": 2}, 1, 2),
        ({"type": "integer", "maximum": 2}, "3", "2"),
        ({"type": "integer"}, "2.5", "-2"),
        ({"type": "integer"}, str(2**63), str(2**63 - 1)),
        ({"type": "number", "minimum": 0.5}, 0.4, 0.5),
        ({"type": "number"}, "nan", "1e3"),
        ({"type": "boolean"}, "yes", True),
        (COLOURS, "b", "r"),
        ({"type": "array", "items": COLOURS, "minItems": 2}, ["r"], ["r", "g"]),
        ({"type": "array", "items": COLOURS, "maxItems": 1}, ["r", "g"], ["g"]),
        ({"type": "array", "items": COLOURS}, ["b"], ["r"]),
    ],
)
async def test_c285_values_are_judged_before_they_are_sent(
    schema: dict[str, Any], bad: Any, good: Any
):
    assert await judged(schema, bad)
    assert await judged(schema, good) is None


@pytest.mark.parametrize("schema", [{"type": "string"}, {"type": "number"}, {"type": "boolean"}])
async def test_c285_what_is_required_must_be_there(schema: dict[str, Any]):
    assert await judged(schema, None, required=True) == "an answer is required"
    assert await judged(schema, None) is None


async def test_c286_values_have_the_right_type():
    async with Stage() as stage:
        session = await stage.start()
        schema = {name: {**each, "default": None} for name, each in ALL.items()}
        question = await ask_form(stage, session, schema)
        fill(stage, question, "7", "7", "7", None, 0, 1)
        stage.respond(question.id, "accept")
        got = (await stage.agent.answer_to("e"))["result"]["content"]
        wanted = {"text": "7", "whole": 7, "real": 7.0, "yes": True, "one": "r", "some": ["g"]}
        assert got == wanted
        assert [type(it) for it in got.values()] == [str, int, float, bool, str, list]


async def test_c287_what_is_empty_is_left_out():
    async with Stage() as stage:
        session = await stage.start()
        question = await ask_form(stage, session, ALL)
        fill(stage, question, "", None, " ")
        assert stage.questions.fill(question.id, 4, None)
        assert stage.questions.fill(question.id, 5, 1)
        stage.respond(question.id, "accept")
        result = (await stage.agent.answer_to("e"))["result"]
        assert result == {"action": "accept", "content": {"yes": False}}


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "^(a|aa)+$", "(a*)*b", "a*a*a*a*a*a*b", "^(a?){50}$"]
)
async def test_c288_no_pattern_hangs_the_editor(pattern: str):
    before = time.process_time()
    await judged({"type": "string", "pattern": pattern}, "a" * 200 + "!")
    assert time.process_time() - before < 5


@pytest.mark.parametrize("pattern", ["(", "(?=b)", r"(a)\1", "[z-a]", "a{99999999999}"])
async def test_c288_a_pattern_that_cannot_be_followed_is_left_to_the_agent(pattern: str):
    assert await judged({"type": "string", "pattern": pattern}, "x") is None


async def test_c289_an_unknown_format_is_only_said():
    async with Stage() as stage:
        session = await stage.start()
        question = await ask_form(stage, session, {"a": {"type": "string", "format": "hostname"}})
        assert "hostname" in float_text(stage, session)
        fill(stage, question, "not a host!")
        assert stage.respond(question.id, "accept")
        await stage.agent.answer_to("e")


UNKNOWN: list[dict[str, Any]] = [
    {"type": "_location", "title": "Where"},
    {"type": "object", "title": "Where"},
    {"type": "array", "title": "Where", "items": {"type": "_x", "enum": ["a"]}},
]


@pytest.mark.parametrize("schema", UNKNOWN)
async def test_c290_an_unknown_type_is_no_input(schema: dict[str, Any]):
    async with Stage() as stage:
        session = await stage.start()
        question = await ask_form(stage, session, {"a": schema, "b": {"type": "string"}})
        assert "Where: (of type" in float_text(stage, session)
        assert {row.field for row in float_of(stage, session, question).form} == {1, -1}
        stage.questions.fill(question.id, 0, "here")
        stage.respond(question.id, "accept")
        assert (await stage.agent.answer_to("e"))["result"]["content"] == {}


@pytest.mark.parametrize("schema", UNKNOWN)
async def test_c290_a_required_one_can_only_be_declined_or_cancelled(schema: dict[str, Any]):
    async with Stage() as stage:
        session = await stage.start()
        question = await ask_form(stage, session, {"a": schema}, required=["a"])
        actions = [row.action for row in float_of(stage, session, question).form]
        assert actions == ["decline", "cancel"]
        assert not stage.respond(question.id, "accept", {"a": "x"})
        await stage.agent.quiet()
        stage.respond(question.id, "decline")
        assert (await stage.agent.answer_to("e"))["result"] == {"action": "decline"}


MALFORMED: list[Any] = [
    {"type": "string", "minLength": "long"},
    {"type": "string", "enum": "a"},
    {"type": "integer", "minimum": "x"},
    {"type": "array"},
    {"type": "array", "items": {}},
    {"type": "array", "items": {"type": "string"}},
    {"title": "no type"},
    "x",
]


@pytest.mark.parametrize("schema", MALFORMED)
async def test_c290_a_malformed_known_type_is_an_error(schema: Any):
    async with Stage() as stage:
        await stage.start()
        assert "a" in await refused(stage, requestedSchema={"properties": {"a": schema}})


@pytest.mark.parametrize("schema", [{}, {"type": "object"}, {"properties": {}}, {"type": 5}])
async def test_c291_an_empty_form_is_a_plain_question(schema: dict[str, Any]):
    async with Stage() as stage:
        session = await stage.start()
        question = await ask_form(stage, session, None, requestedSchema=schema)
        assert len(float_of(stage, session, question).form) == 3
        stage.respond(question.id, "accept")
        result = (await stage.agent.answer_to("e"))["result"]
        assert result == {"action": "accept", "content": {}}


@pytest.mark.parametrize("mode", ["_browser", "phone", None, 5, ""])
async def test_c292_an_unknown_mode_is_refused(mode: Any):
    async with Stage() as stage:
        session = await stage.start()
        assert "mode" in await refused(stage, mode=mode)
        assert session.state.questions == ()


@pytest.mark.parametrize(("mode", "other"), [("form", "url"), ("url", "form")])
def test_c292_a_mode_that_is_not_advertised_is_refused(mode: str, other: str):
    params = {"mode": mode, "message": "m", "sessionId": SESSION, "url": "https://x.org"}
    params |= {"elicitationId": "1", "requestedSchema": {}}
    served = ClientCapabilities(elicitation_form=other == "form", elicitation_url=other == "url")
    with pytest.raises(RequestFailed) as failure:
        V1().decode_request("elicitation/create", params, served)
    assert failure.value.code == -32602 and "mode" in failure.value.message


async def test_c292_a_mode_is_needed():
    async with Stage() as stage:
        await stage.start()
        params = {"message": "m", "sessionId": SESSION, "requestedSchema": {}}
        answer = await stage.agent.ask("elicitation/create", params)
        assert answer["error"]["code"] == -32602


@pytest.mark.parametrize("missing", ["message", "requestedSchema", "sessionId"])
async def test_c292_what_lacks_a_part_is_refused(missing: str):
    async with Stage() as stage:
        await stage.start()
        assert missing in await refused(stage, without=missing)


def test_a_draft_is_not_in_any_text_of_it():
    params = {"mode": "form", "message": "m", "sessionId": "s"}
    params |= {"requestedSchema": {"properties": ALL}}
    question = V1().decode_request(
        "elicitation/create", params, ClientCapabilities(elicitation_form=True)
    )
    assert isinstance(question, ElicitationRequest) and isinstance(
        question.elicitation.wanted, Form
    )
    draft = prefilled(question.elicitation.wanted)
    assert content(question.elicitation.wanted, draft)["text"] == "hello"
    assert "hello" not in repr(draft)
