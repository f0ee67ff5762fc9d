"""Prompt turns: from what the user wants to say to the agent's last word (v1/prompt-turn).

One prompt at a time per session; what comes meanwhile waits in the session's queue (C-117).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from acp_nvim.client import reasons
from acp_nvim.client.agent import Agent
from acp_nvim.client.connection import Outcome, Patience
from acp_nvim.client.inbound import Services
from acp_nvim.client.login import Login, is_refusal
from acp_nvim.client.questioning import withdraw
from acp_nvim.client.session import Session, patience
from acp_nvim.editor import Files
from acp_nvim.errors import AgentError, Code, ConnectionLost, EditorError, UserError
from acp_nvim.files.roots import Roots
from acp_nvim.history.author import SessionKey
from acp_nvim.paths import SAME, Paths
from acp_nvim.prompt.mentions import Takes
from acp_nvim.protocol.records import AgentCapabilities, StateTold
from acp_nvim.review.notes import Notes
from acp_nvim.session.action import SendQueued
from acp_nvim.session.content import Audio, Content, Image, Resource, Text
from acp_nvim.session.context import content_of, unembedded
from acp_nvim.session.event import (
    BackgroundChanged,
    CancelRequested,
    Event,
    Noticed,
    PromptQueued,
    PromptSent,
    PromptSteered,
    TurnEnded,
    TurnStarted,
)
from acp_nvim.session.model import BackgroundWork, Prompt
from acp_nvim.session.saved import untold
from acp_nvim.view.talk import talk_of

MOST_STRANGE = 20
"""States that no one knows, of which the user is told."""
LONGEST_STRANGE = 100
"""Characters of one."""


class _Sent(Struct):
    """How far the turn of a prompt is, as far as the agent has told."""

    taken: bool = False
    """The prompt was answered, and its turn goes on."""
    begun: bool = False
    """The agent has said that it is at work."""


class Turns:
    """Runs the turns of all sessions of one connection."""

    def __init__(
        self,
        agent: Agent,
        services: Services,
        files: Files,
        login: Login,
        forgotten: Callable[[Session], None],
    ) -> None:
        """`forgotten` is told of a session that the agent does not know any more."""
        self._agent = agent.launch.name
        self._folders = agent.launch.folders
        self._paths = agent.launch.paths
        self._connection = agent.connection
        self._dialect = agent.dialect
        self._capabilities = agent.info.capabilities
        self._steers = agent.info.steering
        self._tasks = agent.tasks
        self._clock = agent.clock
        self._fault = services.fault
        self._questions = services.questions
        self._mentions = services.mentions
        self._lessons = services.lessons
        self._prepare = services.prepare
        self._terminals = services.terminals
        self._files = files
        self._login = login
        self._forgotten = forgotten
        self._sent: dict[Session, _Sent] = {}
        """The turns whose prompt is with the agent."""
        self._at_work: set[Session] = set()
        """Sessions that are being opened, at which the agent is at work."""
        self._strange: set[tuple[Session, str]] = set()
        """States that no one knows, which were told once."""

    def go_on(self, session: Session) -> None:
        """Start the next turn from the queue, if it is time."""
        self.perform(session, session.act(SendQueued(self._clock())))

    def perform(self, session: Session, decided: tuple[Event, ...]) -> None:
        """Do what the user's action has led to in the session."""
        for event in decided:
            match event:
                case TurnStarted(prompt):
                    self._tasks.start_soon(self._turn, session, prompt)
                case CancelRequested():
                    self._cancelled(session)

    async def steer(self, session: Session, text: str) -> bool:
        """Put text into the running turn, where it is shown; False: it was not taken.

        Raises `UserError` if the agent refuses.
        """
        if not self._steers or session.id is None or session not in self._sent:
            return False
        blocks = (Text(text),)
        try:
            steer = self._dialect.steer(session.id, blocks)
            answer = await self._connection.request(
                *steer, patience=self._patience(session, "to take it into the running turn")
            )
        except (AgentError, ConnectionLost) as error:
            raise UserError(f"{self._agent} did not take it: {error}") from error
        if not self._dialect.decode_steered(answer):
            return False
        session.apply(PromptSteered(blocks))
        return True

    def _cancelled(self, session: Session) -> None:
        # before the questions end: what follows from each of them takes its time
        if session in self._sent and session.id is not None:
            self._connection.notify(*self._dialect.cancel(session.id))
        withdraw(session, self._questions)

    async def _turn(self, session: Session, prompt: Prompt) -> None:
        try:
            await self._prepare(self._roots(session))
            blocks = await self._blocks(session, prompt)
            draft = await self._lessons.draft(self._key(session), self._roots(session))
            await self._run(session, blocks, draft)
        except EditorError as error:
            session.apply(TurnEnded(self._clock(), error=f"cannot read the selection: {error}"))
        except Exception as error:  # a fault of ours ends this turn, not the agent
            self._fault(error)
            self._sent.pop(session, None)
            session.apply(TurnEnded(self._clock(), error=reasons.mistake()))
        if session.state.status == "idle":
            self.go_on(session)

    async def _run(self, session: Session, blocks: tuple[Content, ...], draft: Notes) -> None:
        """Send the prompt and wait for its end, unless the turn was cancelled meanwhile."""
        if session.state.status != "running" or session.id is None:
            session.apply(TurnEnded(self._clock(), "cancelled"))
            return
        embedded = self._capabilities.embedded_context
        blocks += tuple(note.content(embedded=embedded) for note in draft.notes)
        whole = (*blocks, *self._untold(session))
        self._lessons.sent(self._key(session), draft)
        session.apply(PromptSent(whole))
        sent = self._sent[session] = _Sent()

        def answered(outcome: Outcome) -> None:
            if self._sent.get(session) is not sent:
                return  # the agent has said before that the turn is over
            if is_refusal(outcome) and session.state.status == "running":
                self._hold(session, blocks)
            elif ending := self._ending(session, outcome):
                self._end(session, ending)
                if ending.cut_off and isinstance(outcome, AgentError):
                    self._forgotten(session)
            else:
                sent.taken = True

        try:
            params = self._dialect.prompt(session.id, apart(whole))
            await self._connection.request(*params, answered)
        except (AgentError, ConnectionLost):
            return  # `answered` has put it into the session

    def told(self, session: Session, told: StateTold) -> None:
        """Take what the agent says that it is at: its work begins and ends turns by itself."""
        if session.state.background != told.background:
            session.apply(BackgroundChanged(told.background))
        match told.state:
            case "running" | "requires_action":
                self._begun(session)
            case "idle":
                self._idle(session, told)
            case unknown if (session, unknown[:LONGEST_STRANGE]) not in self._strange and (
                len(self._strange) < MOST_STRANGE
            ):
                shown = unknown[:LONGEST_STRANGE]
                self._strange.add((session, shown))
                session.apply(Noticed(reasons.strange_state(self._agent, shown), "warning"))

    def opened(self, session: Session) -> None:
        """Take up what the agent is at in a session that is open again: an answer ends no work."""
        if session in self._at_work:
            self._begun(session)

    def _begun(self, session: Session) -> None:
        """The agent is at work: on our prompt, or on what it has begun by itself."""
        if session.state.status == "loading":
            self._at_work.add(session)
            return
        self._at_work.discard(session)
        if session.state.status == "idle":
            started = TurnStarted(Prompt(()), self._clock(), by_agent=True)
            self._sent[session] = _Sent(taken=True)
            session.apply(started, PromptSent(()))
        if sent := self._sent.get(session):
            sent.begun = True

    def _idle(self, session: Session, told: StateTold) -> None:
        """End the turn, if it is that which has ended: the state before it may be told again."""
        self._at_work.discard(session)
        sent, cancelling = self._sent.get(session), session.state.status == "cancelling"
        if sent is None:
            return
        is_told = sent.taken and told.stop_reason is not None
        if not (sent.begun or is_told or (cancelling and told.stop_reason == "cancelled")):
            return
        reason = told.stop_reason or ("cancelled" if cancelling else "end_turn")
        self._end(session, TurnEnded(self._clock(), reason, told.error))
        if session.state.status == "idle":
            self.go_on(session)

    def cancel_background(self, session: Session) -> bool:
        """Cancel what goes on after its turn, if there is anything; the agent says how it ends.

        Raises `UserError` if the agent lets nothing of it be cancelled.
        """
        state = session.state
        work = [it for it in state.background if state.can_be_cancelled(it)]
        if state.background and not work:
            raise UserError(reasons.cannot_cancel(self._agent))
        for it in work:
            self._tasks.start_soon(self._cancel_work, session, it)
        return bool(work)

    async def _cancel_work(self, session: Session, work: BackgroundWork) -> None:
        call = self._dialect.cancel_work(session.id or "", work)
        try:
            if call is not None:
                told = self._patience(session, f"to cancel {work.id}")
                await self._connection.request(*call, patience=told)
        except (AgentError, ConnectionLost) as error:
            session.apply(Noticed(f"{self._agent} did not cancel {work.id}: {error}", "warning"))

    def _patience(self, session: Session, to: str) -> Patience:
        """Return what tells in a session that the agent does not answer."""
        return patience(session, lambda seconds: reasons.slow(self._agent, seconds, to))

    def _hold(self, session: Session, blocks: tuple[Content, ...]) -> None:
        """Keep a prompt that the agent refused for want of a login (C-054), notes and all."""
        self._sent.pop(session, None)
        self._lessons.arrived(self._key(session))
        session.apply(
            TurnEnded(self._clock(), error=self._login.wanted()),
            PromptQueued(Prompt(blocks, held=True), first=True),
            Noticed(reasons.held(), "warning"),
        )

    def _end(self, session: Session, ending: TurnEnded) -> None:
        """End the turn, and say whether what went along is part of the conversation now."""
        self._sent.pop(session, None)
        went_well = ending.error is None and ending.stop_reason != "refusal"
        try:
            (self._lessons.arrived if went_well else self._lessons.failed)(self._key(session))
        except Exception as error:  # the turn is over all the same
            self._fault(error)
        session.apply(ending)
        if ending.stop_reason == "cancelled" and self._terminals.runs(session.id):
            session.apply(Noticed(reasons.still_runs(), "warning"))

    def _ending(self, session: Session, outcome: Outcome) -> TurnEnded | None:
        """Return what the answer to a prompt means; None if the turn goes on after it."""
        match outcome:
            case AgentError(code=Code.REQUEST_CANCELLED):
                return TurnEnded(self._clock(), "cancelled")
            case ConnectionLost():
                return TurnEnded(self._clock(), error=str(outcome), cut_off=True)
            case AgentError():
                is_gone = reasons.is_unknown(session.id or "", outcome)
                return TurnEnded(self._clock(), error=str(outcome), cut_off=is_gone)
            case _:
                self._login.accepted()
                result = self._dialect.decode_prompt(outcome)
                if result is None:
                    return None
                return TurnEnded(self._clock(), result.stop_reason, tokens=result.tokens)

    async def _blocks(self, session: Session, prompt: Prompt) -> tuple[Content, ...]:
        """Read what goes along as it stands now; drop to what the agent takes (C-111)."""
        blocks: list[Content] = []
        for block in prompt.blocks:
            blocks += fit(block, self._capabilities, self._paths)
        for selection in prompt.selections:
            current = await self._files.selection(selection)
            blocks += content_of(current, embedded=self._capabilities.embedded_context)
        return (*blocks, *await self._mentioned(session, prompt))

    def _untold(self, session: Session) -> tuple[Content, ...]:
        """Return what was said before in another session, if the agent was not told yet."""
        if not (entries := untold(session.state.entries)):
            return ()
        return fit(talk_of(entries, session.state.title or ""), self._capabilities)

    async def _mentioned(self, session: Session, prompt: Prompt) -> tuple[Content, ...]:
        offered = self._capabilities
        takes = Takes(offered.embedded_context, image=offered.image, audio=offered.audio)
        found = await self._mentions.find(prompt.mentions, self._roots(session), takes)
        session.apply(*(Noticed(text, "warning") for text in found.notices))
        return tuple(found.blocks)

    def _roots(self, session: Session) -> Roots:
        return session.roots(self._folders, self._paths)

    def _key(self, session: Session) -> SessionKey:
        return self._agent, session.id or ""


def apart(blocks: Sequence[Content]) -> tuple[Content, ...]:
    """Return the blocks, each text but the first after a blank line: some agents glue them."""
    return tuple(
        Text(f"\n\n{block.text}")
        if number and isinstance(block, Text) and not block.text.startswith("\n")
        else block
        for number, block in enumerate(blocks)
    )


def fit(
    block: Content, capabilities: AgentCapabilities, paths: Paths = SAME
) -> tuple[Content, ...]:
    """Return the block, or the best that an agent without that capability takes (C-111, C-112)."""
    match block:
        case Resource() if not capabilities.embedded_context:
            return unembedded(block)
        case Image(mime_type=kind, uri=uri) if not capabilities.image:
            where = paths.uri_there(uri) if uri else "image"
            return (Text(f"[{kind} {where}: this agent takes no images]"),)
        case Audio(mime_type=kind) if not capabilities.audio:
            return (Text(f"[{kind}: this agent takes no audio]"),)
        case _:
            return (block,)
