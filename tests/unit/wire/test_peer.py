from __future__ import annotations

import pytest

from acp_nvim.wire.message import Failure, Noise, Notification, Request, RequestId, Response
from acp_nvim.wire.peer import Peer, Reply, id_key


def test_c005_ids_count_from_zero() -> None:
    peer = Peer()
    assert peer.request("a", {"x": 1}) == (
        0,
        b'{"jsonrpc":"2.0","id":0,"method":"a","params":{"x":1}}\n',
    )
    assert peer.request("b")[0] == 1
    assert dict(peer.pending) == {0: "a", 1: "b"}


def test_a_notification_is_not_pending() -> None:
    peer = Peer()
    assert peer.notify("n") == b'{"jsonrpc":"2.0","method":"n"}\n'
    assert not peer.pending


def test_a_request_that_cannot_be_written_is_not_pending() -> None:
    peer = Peer()
    with pytest.raises(TypeError):
        peer.request("a", object())
    assert not peer.pending


def test_c010_answers_come_in_any_order() -> None:
    peer = Peer()
    peer.request("a")
    peer.request("b")
    second, first = Response(1, "B"), Failure(0, -32603, "A")
    assert peer.receive(second) == Reply(1, "b", second)
    assert peer.receive(first) == Reply(0, "a", first)
    assert not peer.pending


def test_an_id_that_comes_back_as_a_string_is_ours() -> None:
    peer = Peer()
    peer.request("a")
    assert peer.receive(Response("0", 1)) == Reply(0, "a", Response("0", 1))


@pytest.mark.parametrize("id", [7, "x", None, -1])
def test_c012_an_answer_to_nothing_is_noise_and_fails_nothing(id: RequestId) -> None:
    peer = Peer()
    peer.request("a")
    assert isinstance(peer.receive(Failure(id, -32700, "Parse error")), Noise)
    assert dict(peer.pending) == {0: "a"}


def test_a_second_answer_is_noise() -> None:
    peer = Peer()
    peer.request("a")
    peer.receive(Response(0, 1))
    assert isinstance(peer.receive(Response(0, 2)), Noise)


def test_c154_a_forgotten_request_copes_with_an_answer() -> None:
    peer = Peer()
    id, _ = peer.request("a")
    peer.forget(id)
    peer.forget(id)
    assert isinstance(peer.receive(Response(id, 1)), Noise)


def test_c007_the_directions_have_their_own_ids() -> None:
    peer = Peer()
    peer.request("mine")
    theirs = Request(0, "theirs")
    assert peer.receive(theirs) is theirs
    assert peer.receive(Response(0, 1)) == Reply(0, "mine", Response(0, 1))
    assert peer.respond(0, {}) == b'{"jsonrpc":"2.0","id":0,"result":{}}\n'


def test_c008_notifications_and_noise_open_nothing() -> None:
    peer = Peer()
    for message in (Notification("n"), Noise("x", "y")):
        assert peer.receive(message) is message
    assert peer.fail(None, -32601, "no") == b""


def test_c155_exactly_one_answer() -> None:
    peer = Peer()
    peer.receive(Request(5, "m"))
    assert peer.fail(5, -32800, "cancelled") != b""
    assert peer.respond(5, {}) == b""
    assert peer.fail(5, -32603, "late") == b""


def test_c153_no_answer_to_an_unknown_id() -> None:
    assert Peer().respond(3, {}) == b""


def test_a_result_that_cannot_be_written_leaves_the_request_open() -> None:
    peer = Peer()
    peer.receive(Request(5, "m"))
    with pytest.raises(TypeError):
        peer.respond(5, object())
    assert peer.fail(5, -32603, "ours") != b""


def test_c006_ids_differ_by_type_and_value() -> None:
    peer = Peer()
    ids: list[RequestId] = [1, "1", None, "null", 0, -1, 2**53 + 1, 1.0, True]  # type: ignore[list-item]
    for id in ids:
        peer.receive(Request(id, "m"))
    assert all(peer.respond(id, 1) for id in ids)
    assert not any(peer.respond(id, 1) for id in ids)
    assert len({id_key(id) for id in ids}) == len(ids)


def test_a_duplicate_open_id_replaces_the_first() -> None:
    peer = Peer()
    peer.receive(Request(1, "a"))
    peer.receive(Request(1, "b"))
    assert peer.respond(1, 1)
    assert not peer.respond(1, 1)


def test_c009_error_data_is_optional() -> None:
    peer = Peer()
    peer.receive(Request(1, "m"))
    assert b'"data":{"uri":"x"}' in peer.fail(1, -32002, "no", {"uri": "x"})


def test_c024_a_lost_connection_gives_up_everything() -> None:
    peer = Peer()
    peer.request("a")
    peer.request("b")
    peer.receive(Request(1, "m"))
    assert peer.abandon() == [(0, "a"), (1, "b")]
    assert not peer.pending
    assert peer.respond(1, 1) == b""
    assert peer.abandon() == []
