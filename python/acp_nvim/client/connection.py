"""JSON-RPC over one link: the reader, the requests that wait for answers, the writer.

Everything received is taken in wire order by one reader, synchronously; whatever may wait gets a
task of its own from the caller. So an update that came before a response is applied before it. The
reader waits for a thread to find out what a long message says, and for the agent while that has too
many answers to read; nothing overtakes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol, TypeAlias

import anyio
from anyio.lowlevel import checkpoint
from msgspec import Struct, field
from msgspec.structs import replace

from acp_nvim.aside import aside
from acp_nvim.client.halves import Halves
from acp_nvim.client.outbox import Outbox
from acp_nvim.client.traffic import Traffic
from acp_nvim.errors import AcpError, AgentError, Code, ConnectionLost, UserError
from acp_nvim.transport.link import Ended, Incoming, Link
from acp_nvim.transport.link import incoming as parsed
from acp_nvim.wire import long_line
from acp_nvim.wire.message import (
    Failure,
    Message,
    Noise,
    Notification,
    Request,
    RequestId,
    Response,
    to_line,
)
from acp_nvim.wire.peer import Peer, Received, Reply
from acp_nvim.wire.sieve import Sieve

DRAIN = 1.0
"""Seconds in which output may still come after the process has ended (a grandchild may hold it),
and in which the process may still end after its output has."""

LONG = 65_536
"""Characters from which a message is understood in a thread, while its reader waits: nothing
overtakes it."""
LONG_ANSWER = 1_000_000
"""Characters from which an answer is made in a thread."""
AT_ONCE = 8
"""Messages, or thousands of characters, that are taken before others have their turn; a request
counts as eight."""
TOO_LARGE = "a message of the agent does not fit into the memory, it was skipped"

DEAF = 60.0
"""Seconds in which an agent that has too many answers to read reads one of them, or is ended."""
SLOWEST = 64 * 1024
"""Bytes a second of a long answer, by which it may take longer."""

NOISY = 3
"""Lines with text beside a message, after which the user is told of it."""

Outcome: TypeAlias = Any | AcpError
"""What a request came to: what its result says, or why there is none."""

Faults: TypeAlias = Callable[[BaseException], None]
"""Told of what is our own mistake: writes a traceback to the log, and one line on screen."""


class Receiver(Protocol):
    """Takes what the agent sends, in wire order. What it raises is a fault."""

    def hear(self, line: bytes | str) -> bool:
        """Take in an update of a kind that comes by thousands; False: the line is something else.

        What it returns False for it has not touched.
        """

    def understand(self, message: Notification | Request, size: int) -> Callable[[], None]:
        """Find out what it says, perhaps in a thread, and return what takes that in.

        `size`: its characters. Taking it in must not wait. A request must be answered by
        `Connection.respond` or `fail`, once.
        """

    def skipped(self) -> None:
        """A message was too large to be taken in; who has asked in it is answered."""

    def disturbed(self) -> None:
        """Tell that the agent prints text among its messages; once is enough."""


class Patience(Struct, frozen=True):
    """How long a request may go without an answer before the user is told."""

    tell: Callable[[float], None]
    """Takes the seconds; called once."""
    over: Callable[[float], None]
    """The same, when the user was told and the wait has ended, however."""
    seconds: float


class _Waiting(Struct):
    """A request of ours on its way."""

    then: Callable[[Outcome], None] | None
    understand: Callable[[Any], Any] | None
    answered: anyio.Event = field(default_factory=anyio.Event)
    outcome: Any = None
    """The result, or an `AcpError`."""


class Connection:
    """The JSON-RPC traffic of one agent."""

    def __init__(
        self,
        link: Link,
        traffic: Traffic,
        fault: Faults,
        cancel_call: Callable[[int], tuple[str, object]],
    ) -> None:
        self.cancel_call = cancel_call
        """From a request of ours to what tells the agent that it is not needed: method, params."""
        self._link = link
        self._traffic = traffic
        self._fault = fault
        self._peer = Peer()
        self._sieve = Sieve()
        self._halves = Halves()
        self._taken = 0
        """How much was taken since others had their turn, as `AT_ONCE` counts."""
        self._waiting: dict[int, _Waiting] = {}
        self._lost = False
        self._outbox = Outbox()
        self._problem: UserError | None = None
        """Why we have ended it."""

    async def run(self, receiver: Receiver) -> Ended:
        """Serve the link until the agent is gone; all that arrived is handled by then (C-025)."""
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._link.run)
                tasks.start_soon(self._traffic.run)
                tasks.start_soon(self._write)
                await self._receive(receiver)
                await self._link.end(grace=DRAIN)
                ended = await self._link.wait()
                tasks.cancel_scope.cancel()
        finally:
            self._lose()
        return ended if self._problem is None else replace(ended, problem=self._problem)

    async def request(
        self,
        method: str,
        params: object,
        then: Callable[[Outcome], None] | None = None,
        understand: Callable[[Any], Any] | None = None,
        patience: Patience | None = None,
        *,
        takes_late: bool = False,
    ) -> Any:
        """Send a request and return its result, or what `understand` makes of that.

        `then` is called by the reader with the same or the exception, before anything that came
        later is handled. `understand` is pure, for it may be called in a thread. Raises
        `AgentError`, `ConnectionLost` if no answer can come any more, and what the two raise. When
        the waiting task is cancelled the agent is told so (C-154); with `takes_late` an answer that
        comes all the same still goes to `then`, because the agent has done what was asked.
        """
        if self._lost:
            raise ConnectionLost("the agent is gone")
        number, line = self._peer.request(method, params)
        waiting = self._waiting[number] = _Waiting(then, understand)
        self._post(line, first=True)
        try:
            await _answered(waiting.answered, patience)
        except anyio.get_cancelled_exc_class():
            if number in self._waiting:
                self.notify(*self.cancel_call(number))
                if not takes_late:
                    del self._waiting[number]
                    self._peer.forget(number)
            raise
        if isinstance(waiting.outcome, AcpError):
            raise waiting.outcome
        return waiting.outcome

    def notify(self, method: str, params: object) -> None:
        """Send a notification."""
        self._post(self._peer.notify(method, params), first=True)

    def respond(
        self, request_id: RequestId, result: object, *, by_user: bool = False, private: bool = False
    ) -> None:
        """Answer a request; nothing if it was answered already (C-155).

        `by_user`: the user has chosen it, so it goes before other answers. What is `private` is not
        written to the log, now or when it is said again (C-303).
        """
        if private:
            self._traffic.redaction.learn_answer(result)
        line = self._peer.respond(request_id, result)
        hidden = to_line(Response(request_id, "(the user's answer is not logged)"))
        self._post(line, hidden if private else line, first=by_user)

    async def respond_long(self, request_id: RequestId, result: object, size: int) -> None:
        """Answer a request with what has so many characters; a thread makes a long line of it."""
        if size <= LONG_ANSWER:
            self.respond(request_id, result)
            return
        with self._outbox.reserved(size):
            line = await aside(partial(self._peer.respond, request_id, result, long_line.pieces))
        self._post(line)

    def fail(self, request_id: RequestId, code: Code, message: str, data: object = None) -> None:
        """Answer a request with an error; nothing if it was answered already."""
        self._post(self._peer.fail(request_id, int(code), message, data))

    def refuse(self, request_id: RequestId, code: Code, message: str) -> None:
        """Answer a request that was never taken; an open one of the same id stays open."""
        self._post(to_line(Failure(request_id, int(code), message)))

    async def room(self) -> None:
        """Wait until the agent has read enough to be given more; for who makes long answers."""
        await self._outbox.room()

    def note(self, text: str) -> None:
        """Write into the log what became of something that the agent sent."""
        self._traffic.record("host", text)

    def _post(self, line: bytes, logged: bytes | None = None, *, first: bool = False) -> None:
        if not line or self._lost:
            return
        self._traffic.sent(logged or line)
        self._sieve.sent(line)
        self._outbox.put(line, first=first)

    async def _write(self) -> None:
        try:
            while (line := await self._outbox.take()) is not None:
                await self._link.send(line)
                self._outbox.sent(line)
                del line  # the next one may be long in coming
        except ConnectionLost:
            self._outbox.close()

    async def _until_read(self) -> None:
        """Wait until the agent has read enough of our answers; end one that reads none of them."""
        outbox = self._outbox
        while outbox.is_full:
            taken = outbox.taken
            with anyio.move_on_after(DEAF + outbox.size / SLOWEST):
                await outbox.room()
            if outbox.is_full and outbox.taken == taken:
                waits = f"{outbox.waiting:,} answers, {outbox.size:,} bytes"
                self._problem = UserError(
                    f"The agent was ended: it asks on and reads none of its answers ({waits} wait "
                    "for it). :Acp restart starts it again, :Acp log shows more"
                )
                outbox.close()
                self._link.kill()

    async def _receive(self, receiver: Receiver) -> None:
        """Read all that comes, but not for long once the agent is gone or can say no more."""
        async with anyio.create_task_group() as readers:
            readers.start_soon(self._drain_errors)
            readers.start_soon(self._hurry_at_exit, readers.cancel_scope)
            await self._read(receiver)
            _hurry(readers.cancel_scope)

    async def _hurry_at_exit(self, reading: anyio.CancelScope) -> None:
        await self._link.wait()
        _hurry(reading)

    async def _drain_errors(self) -> None:
        while data := await self._link.diagnostics():
            self._traffic.error_output(data)

    async def _read(self, receiver: Receiver) -> None:
        while True:
            try:
                incoming = await self._link.receive()
            except MemoryError:
                self._fault(MemoryError(TOO_LARGE))
                continue
            if incoming is None:
                return
            self._traffic.record("agent", incoming.line)
            if not self._heard(incoming, receiver):
                await self._take(incoming, receiver)
            if self._taken > AT_ONCE:
                self._taken = 0
                await checkpoint()
            del incoming  # the next one may be long in coming

    def _heard(self, incoming: Incoming, receiver: Receiver) -> bool:
        """Take at once what comes by thousands; False for all that needs a closer look."""
        line = incoming.line
        if self._halves.held or not self._sieve.is_idle or self._outbox.is_full:
            return False
        if incoming.is_cut or len(line) >= LONG:
            return False
        try:
            if not receiver.hear(line):
                return False
        except Exception as error:  # whatever it is, it concerns this message alone
            self._fault(error)
        self._sieve.took(line)
        self._taken += 1 + len(line) // 1_000
        return True

    async def _take(self, incoming: Incoming, receiver: Receiver) -> None:
        """Take what came as one."""
        text = incoming.text
        if incoming.is_cut:
            receiver.skipped()
        elif (joined := self._halves.joined(text)) is not text:
            incoming, text = await parsed(joined), joined
        size = len(text)
        try:
            messages = self._sifted(incoming.messages, size, receiver)
        except MemoryError:
            return self._fault(MemoryError(TOO_LARGE))
        each = size // max(len(messages), 1)
        for message in messages:
            await self._until_read()
            await self._handle(message, receiver, each, is_long=size >= LONG)
            self._taken += (8 if isinstance(message, Request) else 1) + each // 1_000
            if self._taken > AT_ONCE:
                self._taken = 0
                await checkpoint()

    def _sifted(
        self, messages: Sequence[Message], size: int, receiver: Receiver
    ) -> Sequence[Message]:
        """Return those that no log line quotes; tell where there are such lines."""
        noisy = self._sieve.noisy
        messages = self._sieve.sift(messages, size)
        if noisy < self._sieve.noisy == NOISY:
            receiver.disturbed()
        return messages

    async def _handle(
        self, message: Message, receiver: Receiver, size: int, *, is_long: bool
    ) -> None:
        """Handle one message; a fault of ours spoils neither the next one nor the agent's wait."""
        try:
            understand = partial(self._understand, self._peer.receive(message), receiver, size)
            take = await aside(understand) if is_long else understand()
            take()
        except Exception as error:  # whatever it is, it concerns this message alone
            self._fault(error)
            if isinstance(message, Request):
                self.fail(message.id, Code.INTERNAL_ERROR, "internal error of the client")

    def _understand(self, received: Received, receiver: Receiver, size: int) -> Callable[[], None]:
        """Return what takes in what was received."""
        match received:
            case Notification() | Request():
                return receiver.understand(received, size)
            case Reply(number, _, answer):
                return partial(self._settle, number, self._outcome(number, answer))
            case Noise(text, reason):
                return partial(self.note, f"skipped ({reason}): {text}")

    def _outcome(self, number: int, answer: Response | Failure) -> Outcome:
        if isinstance(answer, Failure):
            said = self._traffic.redaction.values(answer.message)
            return AgentError(answer.code, said, answer.data)
        waiting = self._waiting.get(number)
        if waiting is None or waiting.understand is None:
            return answer.result
        try:
            return waiting.understand(answer.result)
        except AcpError as error:
            return error

    def _settle(self, number: int, outcome: Outcome) -> None:
        waiting = self._waiting.pop(number, None)
        if waiting is None:
            return
        waiting.outcome = outcome
        try:
            if waiting.then is not None:
                waiting.then(outcome)
        except AcpError as error:
            waiting.outcome = error
        except Exception as error:  # whatever it is, the others must be settled, too
            self._fault(error)
        waiting.answered.set()

    def _lose(self) -> None:
        self._lost = True
        self._outbox.close()
        self._peer.abandon()
        for number in list(self._waiting):
            self._settle(number, ConnectionLost("the agent is gone"))


async def _answered(answered: anyio.Event, patience: Patience | None) -> None:
    if patience is not None:
        with anyio.move_on_after(patience.seconds):
            await answered.wait()
        if answered.is_set():
            return  # without another pause: what comes next finds the request settled
        patience.tell(patience.seconds)
        try:
            await answered.wait()
        finally:
            patience.over(patience.seconds)
    else:
        await answered.wait()


def _hurry(reading: anyio.CancelScope) -> None:
    reading.deadline = min(reading.deadline, anyio.current_time() + DRAIN)
