"""Secrets are left out of what is recorded: by key, by value, and where a line is cut off."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from acp_nvim.client.redaction import HIDDEN, MOST, Redaction
from acp_nvim.client.traffic import LONGEST, Traffic

SERVERS = {
    "mcpServers": [
        {
            "name": "files",
            "env": [{"name": "K", "value": 'hunter2 "]}'}, {"value": "b", "name": "L"}],
        },
        {
            "name": "web",
            "headers": [{"name": "X-Any", "value": "sw0rdfish"}],
            "env": {"M": "s3cret"},
        },
    ],
    "cwd": "/work",
}


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_by_key(separators: tuple[str, str]) -> None:
    text = Redaction().message(json.dumps(SERVERS, separators=separators))
    told = json.loads(text)
    assert not [it for it in ("hunter2", "sw0rdfish", "s3cret", '"b"') if it in text]
    assert told["mcpServers"][0]["env"] == [
        {"name": "K", "value": HIDDEN},
        {"value": HIDDEN, "name": "L"},
    ]
    assert told["mcpServers"][1]["env"] == {"M": HIDDEN}
    assert told["cwd"] == "/work"


@pytest.mark.parametrize(
    "key",
    [
        *(
            "token",
            "accessToken",
            "api_key",
            "API-KEY",
            "private-key",
            "PassPhrase",
            "credent\u0130als",
        ),
        *(
            "password",
            "Authorization",
            "authori\u017fation",
            "set-cookie",
            "clientSecret",
            "to\u212aen",
        ),
    ],
)
def test_by_a_telling_key(key: str) -> None:
    text = Redaction().message(
        json.dumps({"a": {key: 'hun"ter2', "name": "kept"}}, ensure_ascii=False)
    )
    assert json.loads(text) == {"a": {key: HIDDEN, "name": "kept"}}


def test_wherever_it_is_cut_off() -> None:
    whole = json.dumps(SERVERS)
    for end in range(len(whole)):
        text = Redaction().message(whole[:end])
        assert not [it for it in ("hunter", "sw0rd", "s3cr") if it in text]


def test_numbers_and_text_stay() -> None:
    said = json.dumps({"usage": {"inputTokens": 5}, "text": 'my "token": "x" and env'})
    assert Redaction().message(said) == said


def test_by_value_as_it_is_and_as_json_has_it() -> None:
    redaction = Redaction()
    redaction.learn(['s"ö cret', "true"])
    said = json.dumps({"a": 's"ö cret', "b": "true"})
    for text in (said, json.dumps({"a": 's"ö cret', "b": "true"}, ensure_ascii=False)):
        assert json.loads(redaction.message(text)) == {"a": HIDDEN, "b": "true"}
    assert redaction.output('it is s"ö cret') == f"it is {HIDDEN}"


def test_variables_with_telling_names_and_what_programs_write() -> None:
    redaction = Redaction()
    redaction.learn_environment({"MY_API_KEY": "sk-123456", "HOME": "/home/me"})
    assert redaction.output("bad key sk-123456 in /home/me") == f"bad key {HIDDEN} in /home/me"
    assert redaction.output("X_TOKEN=abcdefgh12 done") == f"X_TOKEN={HIDDEN} done"
    assert redaction.output("Authorization: Bearer abcdefgh12").endswith(HIDDEN)


def test_there_is_a_limit() -> None:
    redaction = Redaction()
    redaction.learn(f"value {number}" for number in range(10 * MOST))
    assert len(redaction._values) <= MOST + 2


def test_an_agent_cannot_hide_what_it_does(tmp_path: Path) -> None:
    log = Traffic(str(tmp_path / "log"), lambda: 0.0)
    log.record("agent", json.dumps({"env": [{"name": "A", "value": "rm -rf /home"}]}))
    log.record("agent", json.dumps({"command": "rm -rf /home"}))
    log.close()
    assert "rm -rf /home" in (tmp_path / "log").read_text()


def test_a_log_has_none(tmp_path: Path) -> None:
    redaction = Redaction()
    redaction.learn(["hunter2hunter2"])
    log = Traffic(str(tmp_path / "log"), lambda: 0.0, redaction=redaction)
    for at in range(LONGEST - 20, LONGEST + 5):  # where a long line is cut off
        log.record("agent", "x" * at + "hunter2hunter2" + "y" * LONGEST)
    log.record("client", json.dumps(SERVERS))
    log.error_output(b"no such key: hunter2hunter2\nand hunter2hunter2")
    assert "hunter2" not in log.stderr
    log.close()
    assert "hunter2" not in (tmp_path / "log").read_text()
    assert "hunter" not in (tmp_path / "log").read_text()


ODD = 'pa"ss/w\u00f6rd+1'


@pytest.mark.parametrize("value", ["sk-abcdef", ODD, "x" * 6, "a\\\nb" * 3])
@pytest.mark.parametrize("before", ["", "u", "us", "use", "user:"])
def test_a_value_in_another_form(value: str, before: str) -> None:
    redaction = Redaction()
    redaction.learn([value])
    data = value.encode()
    written = [
        quote(value, safe=""),
        quote_plus(value),
        quote(value),
        json.dumps(value)[1:-1].replace("/", "\\/"),
        value.encode().hex(),
        json.dumps(value),
        json.dumps(json.dumps(value)),
        json.dumps({"text": json.dumps({"key": value}, ensure_ascii=False)}),
    ]
    for text in written:
        assert HIDDEN in redaction.values(f"{before} {text}"), text
    for encode in (b64encode, urlsafe_b64encode):
        for after in (b"", b"1", b"12"):
            code = encode(before.encode() + data + after).decode()
            shown = redaction.values(f"Basic {code}.")
            assert HIDDEN in shown
            left = shown.replace("Basic ", "").replace(HIDDEN, "").rstrip(".")
            assert len(left) <= len(before) * 4 / 3 + 9


@pytest.mark.parametrize(
    "written",
    [
        quote(ODD, safe="").lower(),
        f"https://host/?key={quote(ODD, safe='').lower()}&b=100%",
        "".join(f"%{it:02x}" for it in ODD.encode()),
        "".join(f"\\u{ord(it):04x}" for it in ODD),
        "".join(f"\\\\u{ord(it):04X}" for it in ODD),
        json.dumps(ODD).replace("+", "\\u002B").replace("/", "\\u002f"),
        "".join(f"\\x{ord(it):02x}" for it in ODD),
        ODD.replace("/", "%2f"),
    ],
)
def test_a_value_with_escapes_that_its_writer_need_not_have_made(written: str) -> None:
    redaction = Redaction()
    redaction.learn([ODD])
    shown = redaction.values(f"before {written} after %41 \\u0041")
    assert redaction.is_suspect(written)
    assert shown.startswith("before ") and shown.endswith(" after %41 \\u0041")
    assert HIDDEN in shown and "rd" not in shown and "72" not in shown


def test_many_answers_push_out_neither_the_last_one_nor_what_is_configured() -> None:
    redaction = Redaction()
    redaction.learn(["configured"])
    redaction.learn_answer({f"f{number}": f"answer-{number}" for number in range(MOST + 50)})
    redaction.learn_answer("the last one")
    for secret in ("configured", "the last one", f"answer-{MOST + 49}"):
        assert redaction.values(secret) == HIDDEN
    assert redaction.values("answer-7;") == "answer-7;"


@pytest.mark.parametrize("shift", range(0, 12, 3))
@pytest.mark.parametrize("ends", [True, False])
def test_a_long_line_of_stderr_is_not_cut_within_a_secret(
    tmp_path: Path, shift: int, ends: bool
) -> None:
    log = Traffic(str(tmp_path / "log"), lambda: 0.0)
    log.redaction.learn(["secret-value"])
    line = "x" * (LONGEST - shift) + "secret-value" + "y" * (LONGEST - shift)
    for start in range(0, len(line), 1000):
        log.error_output(line[start : start + 1000].encode())
    log.error_output(b"\n" if ends else b"")
    log.close()
    for text in (log.stderr, (tmp_path / "log").read_text()):
        assert not [it for it in range(3, 12) if "secret-value"[:it] in text]
        assert not [it for it in range(3, 9) if "secret-value"[it:] in text]
