"""Messages over Streamable HTTP: each of ours is a POST, those of the agent come as events.

One stream is for the connection, one for each session; whatever stream a message comes on, its
params say what it is about. Loaded only when an agent is remote. What is not yet asked for waits
at the server. Made by `remote`, used by `client` as a `Link`.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import anyio
import httpx2
from anyio.abc import TaskGroup
from msgspec import Struct, field

from acp_nvim.descriptors import Share
from acp_nvim.errors import Code, ConnectionLost, UserError
from acp_nvim.patterns import lazy_pattern
from acp_nvim.transport import http_client, life
from acp_nvim.transport.address import PATIENCE, Address
from acp_nvim.transport.http_client import beginning, client, drain, how, kind, told, unreachable
from acp_nvim.transport.life import Signs
from acp_nvim.transport.link import MOST, Ended, Incoming, Life, incoming
from acp_nvim.wire.events import Events, TooLarge
from acp_nvim.wire.message import Failure, Request, Response, to_line
from acp_nvim.wire.peer import id_key

CONNECTION, SESSION = "Acp-Connection-Id", "Acp-Session-Id"
MOST_STREAMS = 200
"""Sessions that have a stream: each is a connection."""
WAITING = 8
"""Messages that wait here to be asked for."""
QUIET, MOST_QUIET = 0.5, 10.0
"""Seconds without a word after which a replay has ended, and that it may take at most."""

_POST = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
_GET = {"Accept": "text/event-stream"}
_CONTROL = lazy_pattern(r"[\x00-\x1f\x7f]")
_GONE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
_NOT_LET_IN = (401, 403, 407)


def open_http(address: Address) -> Http:
    """Return a link that connects with its first message."""
    return Http(address, client(address))


class _Stream(Struct):
    """A stream of events: of a session, or of the connection."""

    session: str | None
    opened: anyio.Event = field(default_factory=anyio.Event)
    """Set once the server has answered, or never will."""
    status: int = 0
    """404 for a session that the server does not know yet."""
    problem: UserError | None = None
    """Why there is no such stream."""
    received: int = 0
    """How many messages have come on it."""
    comments: int = 0

    @property
    def is_awake(self) -> bool:
        """The server keeps it awake by comments; one alone is a hello."""
        return self.comments > 1

    @property
    def limit(self) -> float | None:
        """Seconds in which something must come; None for no such limit."""
        return life.SILENCE if self.is_awake else None


class _Refusal(Struct, frozen=True):
    """What a server has against a message: status, sentence, and the beginning of its own words."""

    status: int
    problem: UserError
    body: str = ""


class Http:
    """A connection as a `Link`; made by `open_http`."""

    pid = None

    def __init__(self, address: Address, client: httpx2.AsyncClient) -> None:
        self._address = address
        self._client = client
        self._connection = ""
        """The id that the server has given it."""
        self._streams: dict[str | None, _Stream] = {}
        self._asked: dict[str, str | None] = {}
        """By requests of the agent: the session on whose stream they came."""
        self._pending: dict[str, tuple[Any, str | None, bool]] = {}
        """By requests of ours: id, session, whether the stream of that is opened later."""
        self._share = Share()
        self._put, self._inbox = anyio.create_memory_object_stream[Incoming](WAITING)
        self._tasks: TaskGroup | None = None
        self._running = anyio.Event()
        self._stopped = anyio.Event()
        self._over = anyio.Event()
        self._posting = anyio.CancelScope()
        self._ended = Ended("it was closed")
        self._signs = Signs(self._answers, self._is_awake)

    # --- as a link

    async def run(self) -> None:
        """Read the streams until the end."""
        try:
            async with anyio.create_task_group() as self._tasks:
                self._running.set()
                await self._over.wait()
                self._tasks.cancel_scope.cancel()
        finally:
            self._stopped.set()

    async def receive(self) -> Incoming | None:
        """Return what came next."""
        try:
            return await self._inbox.receive()
        except anyio.EndOfStream:
            return None

    async def diagnostics(self) -> bytes:
        """Return nothing: there is no such thing."""
        return b""

    async def watch(self, tell: Life) -> None:
        """See `Signs.watch`."""
        await self._signs.watch(tell)

    def _is_awake(self) -> bool:
        return all(it.is_awake for it in self._streams.values())

    async def _answers(self) -> bool:
        """Tell whether the server answers what no agent is asked; how, is no matter."""
        with contextlib.suppress(httpx2.HTTPError), anyio.move_on_after(PATIENCE):
            return (await self._client.options(self._address.url)) is not None
        return False

    async def send(self, line: bytes) -> None:
        """Post a message; the first one connects."""
        await self._running.wait()
        message = json.loads(line)
        with anyio.CancelScope() as self._posting:
            try:
                if self._over.is_set():
                    raise ConnectionLost("the connection is lost")
                if self._connection:
                    await self._post(line, message)
                else:
                    await self._connect(line, message)
            except UserError as error:
                self._finish(Ended(str(error), problem=error))
            except httpx2.HTTPError as error:
                problem = None if self._connection else unreachable(self._address, error)
                self._finish(Ended(how(error), problem=problem))
        if self._over.is_set():
            raise ConnectionLost("the connection is lost")

    async def wait(self) -> Ended:
        """Return how the connection ended."""
        await self._over.wait()
        return self._ended

    async def end(self, *, grace: float) -> None:
        """Tell the server that it is over, for `grace` seconds at most; cannot be cancelled."""
        with anyio.CancelScope(shield=True):
            self._posting.cancel()
            if self._connection and not self._over.is_set():
                with anyio.move_on_after(grace), contextlib.suppress(httpx2.HTTPError):
                    await self._client.delete(self._address.url, headers=self._headers({}, None))
            self.kill()
            if self._running.is_set():
                await self._stopped.wait()
            await self._client.aclose()
            self._inbox.close()

    def kill(self) -> None:
        """End it here; the server learns of it by the end of its streams."""
        self._finish(self._ended)

    def _finish(self, ended: Ended) -> None:
        if not self._over.is_set():
            self._ended = ended
            self._over.set()
            self._put.close()

    # --- messages of ours

    async def _connect(self, line: bytes, message: dict[str, Any]) -> None:
        timeout = httpx2.Timeout(PATIENCE, read=None)  # the agent may take its time to start
        async with self._client.stream(
            "POST", self._address.url, content=line, headers=_POST, timeout=timeout
        ) as response:
            if response.status_code != HTTPStatus.OK or "json" not in kind(response):
                raise self._address.refused(response.status_code, told(response))
            said = await incoming(await http_client.whole(self._address, response))
        connection = response.headers.get(CONNECTION)
        answers = [it for it in said.messages if isinstance(it, Response | Failure)]
        if not connection or [str(it.id) for it in answers] != [str(message.get("id"))]:
            raise self._address.not_acp()
        self._connection = connection
        self._listen(None)
        await self._give(said)

    async def _post(self, line: bytes, message: dict[str, Any]) -> None:
        session = self._session_of(message)
        key = str(message["id"]) if "method" in message and "id" in message else ""
        stream = None if session is None else await self._open(session)
        known = stream is not None and stream.status == HTTPStatus.OK
        if stream is not None and stream.problem is not None:
            await self._refused(message, _Refusal(stream.status, stream.problem))
            return
        if key:
            # before it is posted: the answer may be faster
            self._pending[key] = message["id"], session, not known
        refusal = await self._deliver(line, session if known else None)
        if refusal is not None and refusal.status == HTTPStatus.NOT_FOUND and known:
            # some servers know a session only once it is loaded
            self._pending |= {key: (message["id"], session, True)} if key else {}
            refusal = await self._deliver(line, None)
        if "method" not in message:
            self._asked.pop(id_key(message.get("id")), None)
        if refusal is not None:
            await self._refused(message, refusal)

    async def _deliver(self, line: bytes, session: str | None) -> _Refusal | None:
        """Post it; return what is said against that. Some servers answer here, not in a stream."""
        async with self._client.stream(
            "POST", self._address.url, content=line, headers=self._headers(_POST, session)
        ) as response:
            status, it = response.status_code, kind(response)
            if not response.is_success or "html" in it:
                problem = self._address.refused(status, told(response))
                return _Refusal(status, problem, await beginning(response))
            if status != HTTPStatus.OK or "json" not in it:
                await drain(response)
            elif body := await http_client.whole(self._address, response):
                stream = _Stream(session)
                await self._take(await incoming(body), self._streams.get(session, stream))
            return None

    async def _refused(self, message: dict[str, Any], refusal: _Refusal) -> None:
        """Fail the request alone, if it is one and the connection can go on without it."""
        status = refusal.status
        if status in _NOT_LET_IN:
            raise refusal.problem
        if status in _GONE:
            self._finish(Ended(f"the server knows it no more, status {status}"))
        elif "method" in message and "id" in message:
            data = {"status": status, "body": refusal.body}
            await self._fail(message["id"], str(refusal.problem), data)
        else:
            self._finish(Ended(f"the server refuses what it was told, status {status}"))

    async def _fail(self, request_id: Any, said: str, data: object = None) -> None:
        self._pending.pop(str(request_id), None)
        failure = Failure(request_id, Code.INTERNAL_ERROR, said, data)
        await self._give(Incoming(to_line(failure).decode().rstrip("\n"), [failure]))

    async def _give(self, said: Incoming) -> None:
        """Hand on what came, when there is room; what comes after the end is lost."""
        with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            await self._put.send(said)

    def _session_of(self, message: dict[str, Any]) -> str | None:
        """Return the session that a message belongs to; for an answer, where the request came."""
        if "method" not in message:
            return self._asked.get(id_key(message.get("id")))
        params = message.get("params")
        session = params.get("sessionId") if isinstance(params, dict) else None
        return session if isinstance(session, str) else None

    def _headers(self, base: Mapping[str, str], session: str | None) -> httpx2.Headers:
        """Return the headers of a request: an id may be any text, so it goes as it is."""
        given = {**base, CONNECTION: self._connection}
        if session is not None and not _CONTROL.search(session):
            given[SESSION] = session
        return httpx2.Headers([(name.encode(), value.encode()) for name, value in given.items()])

    # --- messages of the agent

    async def _open(self, session: str) -> _Stream:
        """Return the session's stream once it is open, or is not: the server may not know it."""
        stream = self._streams.get(session) or self._listen(session)
        await stream.opened.wait()
        return stream

    def _listen(self, session: str | None) -> _Stream:
        """Begin to read a stream; one that is one too many ends at once, with its `problem`."""
        assert self._tasks is not None
        stream = _Stream(session)
        stream.problem = self._no_room()
        if stream.problem is None:
            self._streams[session] = stream
            self._tasks.start_soon(self._read, stream)
        else:
            stream.opened.set()
        return stream

    def _no_room(self) -> UserError | None:
        """Return why there is no further stream; None if there is one, which is counted then."""
        if len(self._streams) > MOST_STREAMS:
            return UserError(f"{MOST_STREAMS} sessions are open on this connection already")
        try:
            self._share.take(1)
        except UserError as problem:
            return problem
        return None

    async def _read(self, stream: _Stream) -> None:
        """Read a stream to its end: of that of the connection, it is the end of all."""
        ended = "the server has ended the stream"
        try:
            await self._follow(stream)
        except httpx2.HTTPError as error:
            ended = how(error)
        except TooLarge:
            ended = f"a message was larger than {MOST // 1024 // 1024} MB"
            self._finish(Ended(ended))
        except TimeoutError as error:
            ended = f"nothing came for {stream.limit or PATIENCE:.0f} seconds"
            stream.problem = None if stream.status else self._address.unreachable(error)
        finally:
            del self._streams[stream.session]
            self._share.give_back(1)
            stream.opened.set()
        if stream.session is None:
            self._finish(Ended(ended, problem=stream.problem))
        elif stream.status == HTTPStatus.OK:
            for request_id, session, later in [*self._pending.values()]:
                if session == stream.session and not later:
                    await self._fail(request_id, f"the session's stream has ended ({ended})")

    async def _follow(self, stream: _Stream) -> None:
        with anyio.fail_after(PATIENCE) as patience:
            async with self._client.stream(
                "GET",
                self._address.url,
                headers=self._headers(_GET, stream.session),
                timeout=httpx2.Timeout(PATIENCE, read=None),
            ) as response:
                patience.deadline = math.inf
                if self._is_open(stream, response):
                    await self._listen_to(stream, response)

    def _is_open(self, stream: _Stream, response: httpx2.Response) -> bool:
        """Note how the server has answered; tell whether events come."""
        stream.status = response.status_code
        is_stream = stream.status == HTTPStatus.OK and "text/event-stream" in kind(response)
        is_unknown = stream.status == HTTPStatus.NOT_FOUND and stream.session is not None
        if not is_stream and not is_unknown:
            stream.problem = self._address.refused(stream.status, told(response))
        stream.opened.set()
        return is_stream

    async def _listen_to(self, stream: _Stream, response: httpx2.Response) -> None:
        events = Events(MOST)
        chunks = http_client.chunks(response)
        while True:
            self._signs.wait()
            with anyio.fail_after(stream.limit):
                data = await anext(chunks, None)
            if data is None:
                return
            self._signs.hear()
            for text in events.feed(data):
                stream.received += 1
                await self._take(await incoming(text), stream)
            stream.comments = events.comments

    async def _take(self, said: Incoming, stream: _Stream) -> None:
        other = None
        for message in said.messages:
            match message:
                case Request(request_id):
                    self._asked[id_key(request_id)] = stream.session
                case Response(request_id, result):
                    other = self._overtaken(str(request_id), stream)
                    self._answered(str(request_id), result)
                case Failure(request_id):
                    self._pending.pop(str(request_id), None)
        if other is not None and self._tasks is not None:
            self._tasks.start_soon(self._give_later, said, other)
        else:
            await self._give(said)

    def _overtaken(self, key: str, stream: _Stream) -> _Stream | None:
        """Return the session's stream if an answer about the session came on another one.

        The answer to a load does so; what it replays on the session's stream may come after it.
        """
        _, session, later = self._pending.get(key, (None, "", True))
        other = None if later else self._streams.get(session)
        return None if other is stream else other

    async def _give_later(self, said: Incoming, stream: _Stream) -> None:
        """Hand on what came once nothing more comes on that stream."""
        before = -1
        with anyio.move_on_after(MOST_QUIET):
            while before != stream.received:
                before = stream.received
                await anyio.sleep(QUIET)
        await self._give(said)

    def _answered(self, key: str, result: object) -> None:
        """Open the stream of a session that an answer has made known, if we have asked."""
        known = self._pending.pop(key, None)
        if known is None:
            return
        _, asked, later = known
        made = result.get("sessionId") if isinstance(result, dict) else None
        for session in (asked if later else None, made):
            if isinstance(session, str) and session and session not in self._streams:
                self._listen(session)
