"""What a log line on stdout quotes is not said twice."""

from __future__ import annotations

from acp_nvim.wire.message import TOO_DEEP, Message, Noise, Notification, Request, Response, to_line
from acp_nvim.wire.sieve import KEPT, Sieve

TEXT = Noise("sent ", "text before a message")
CHUNK = Notification("session/update", {"text": "a"})


def taken(messages: list[Message]) -> list[Message]:
    return [it for it in messages if not isinstance(it, Noise)]


def test_messages_on_lines_of_their_own_may_repeat() -> None:
    sieve = Sieve()
    assert [*sieve.sift([CHUNK], 30), *sieve.sift([CHUNK], 30)] == [CHUNK, CHUNK]
    assert sieve.noisy == 0


def test_a_message_behind_text_is_taken_and_counted() -> None:
    sieve = Sieve()
    assert list(sieve.sift([TEXT, CHUNK], 30)) == [TEXT, CHUNK]
    assert sieve.noisy == 1


def test_a_message_that_was_quoted_just_before_is_not_taken_again() -> None:
    sieve = Sieve()
    found = [*sieve.sift([TEXT, CHUNK], 30), *sieve.sift([CHUNK], 30), *sieve.sift([CHUNK], 30)]
    assert taken(found) == [CHUNK, CHUNK]


def test_a_message_that_is_quoted_just_after_is_not_taken_again() -> None:
    sieve = Sieve()
    assert taken([*sieve.sift([CHUNK], 30), *sieve.sift([TEXT, CHUNK], 30)]) == [CHUNK]


def test_what_we_have_sent_is_never_the_agents() -> None:
    sieve = Sieve()
    ours = [Request(0, "initialize", {"x": [1.5, "ü"]}), Response(3, {}), Notification("n")]
    for message in ours:
        sieve.sent(to_line(message))
        assert taken(list(sieve.sift([TEXT, message], 30))) == []
    assert list(sieve.sift([Response(3, {})], 30)) == [Response(3, {})]


def test_only_the_last_lines_are_remembered() -> None:
    sieve = Sieve()
    for number in range(KEPT + 1):
        sieve.sent(to_line(Response(number, {})))
    assert taken(list(sieve.sift([TEXT, Response(0, {})], 30))) == [Response(0, {})]


def test_several_that_are_quoted_before_they_are_said_are_taken_once() -> None:
    other = Notification("session/update", {"text": "b"})
    found: list[Message] = []
    sieve = Sieve()
    for messages in ([TEXT, CHUNK], [TEXT, other], [CHUNK], [other]):
        found += sieve.sift(messages, 30)
    assert taken(found) == [CHUNK, other]


def test_a_message_that_repeats_an_older_one_is_taken() -> None:
    sieve, other = Sieve(), Notification("session/update", {"text": "b"})
    found = [*sieve.sift([CHUNK], 30), *sieve.sift([other], 30), *sieve.sift([TEXT, CHUNK], 30)]
    found += [*sieve.sift([other], 30), *sieve.sift([CHUNK], 30)]
    assert taken(found) == [CHUNK, other, CHUNK, other, CHUNK]


def test_a_request_that_is_quoted_later_is_taken_once() -> None:
    sieve, request = Sieve(), Request(7, "fs/read_text_file", {})
    found = [*sieve.sift([request], 30), *sieve.sift([CHUNK], 30), *sieve.sift([TEXT, request], 30)]
    assert taken(found) == [request, CHUNK]


def test_behind_a_title_or_a_colour_nothing_is_quoted() -> None:
    sieve = Sieve()
    for lead in ("\x1b]0;agent\x07", "\x1b[2K\r\x1bP+q544e\x1b\\", "\0\r\n"):
        title = Noise(lead, "text before a message")
        assert taken([*sieve.sift([CHUNK], 30), *sieve.sift([title, CHUNK], 30)]) == [CHUNK] * 2
        assert taken([*sieve.sift([CHUNK], 30)]) == [CHUNK]


def test_a_message_that_is_too_deep_is_no_text_beside_messages() -> None:
    sieve = Sieve()
    deep = [Noise('{"id":1', TOO_DEEP), Request(1, "m")]
    for _ in range(4):  # whoever asks again in the same words is answered again
        assert list(sieve.sift(deep, 30)) == deep
    assert sieve.noisy == 0
    assert list(sieve.sift([TEXT, *deep, CHUNK], 30))[1] == deep[0]
