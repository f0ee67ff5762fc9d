"""Prompt turns: from what the user wants to say to the agent's last word (v1/prompt-turn).

One prompt at a time per session; what comes meanwhile waits in the session's queue (C-117).
"""

from __future__ import annotations

from collections.abc import Callable

from anyio.abc import TaskGroup

from acp_nvim.client import reasons
from acp_nvim.client.connection import Connection, Outcome
from acp_nvim.client.inbound import Services
from acp_nvim.client.launch import Launch
from acp_nvim.client.login import Login, is_refusal
from acp_nvim.client.session import Session
from acp_nvim.editor import Files
from acp_nvim.errors import AgentError, Code, ConnectionLost, EditorError, UserError
from acp_nvim.files.roots import Roots
from acp_nvim.ledger.delta import SessionKey
from acp_nvim.prompt.mentions import Takes
from acp_nvim.protocol.dialect import AgentCapabilities, Dialect
from acp_nvim.review.notes import Notes
from acp_nvim.session.action import CancelTurn, Refused, SendQueued, SubmitPrompt
from acp_nvim.session.content import Audio, Content, Image, Resource, Text
from acp_nvim.session.context import content_of, unembedded
from acp_nvim.session.event import (
    CancelRequested,
    Event,
    Noticed,
    PromptQueued,
    PromptSent,
    TurnEnded,
    TurnStarted,
)
from acp_nvim.session.model import Prompt


class Turns:
    """Runs the turns of all sessions of one connection."""

    def __init__(
        self,
        dialect: Dialect,
        services: Services,
        launch: Launch,
        files: Files,
        clock: Callable[[], float],
        login: Login,
    ) -> None:
        self._dialect = dialect
        self._questions = services.questions
        self._mentions = services.mentions
        self._lessons = services.lessons
        self._prepare = services.prepare
        self._agent = launch.name
        self._folders = launch.additional_directories
        self._files = files
        self._clock = clock
        self._login = login
        self._capabilities = AgentCapabilities()
        self._sent: set[Session] = set()

    def attach(
        self, connection: Connection, tasks: TaskGroup, capabilities: AgentCapabilities
    ) -> None:
        """Say where prompts go, where turns run, and what the agent takes."""
        self._connection = connection
        self._tasks = tasks
        self._capabilities = capabilities

    def submit(self, session: Session, prompt: Prompt, *, interrupt: bool) -> None:
        """Send or queue a prompt; raises `UserError` when that is not possible."""
        self._perform(session, session.decide(SubmitPrompt(prompt, self._clock(), interrupt)))

    def go_on(self, session: Session) -> None:
        """Start the next turn from the queue, if it is time."""
        self._perform(session, session.decide(SendQueued(self._clock())))

    def cancel(self, session: Session) -> None:
        """Cancel the running turn; raises `UserError` when nothing runs."""
        self._perform(session, session.decide(CancelTurn()))

    def answer_all(self, session: Session) -> None:
        """Answer every open question of the session with `cancelled` (C-142)."""
        for question in session.state.questions:
            self._questions.withdraw(question.id)

    def _perform(self, session: Session, decision: tuple[Event, ...] | Refused) -> None:
        if isinstance(decision, Refused):
            raise UserError(decision.reason)
        for event in decision:
            match event:
                case TurnStarted(prompt):
                    self._tasks.start_soon(self._turn, session, prompt)
                case CancelRequested():
                    self._cancelled(session)

    def _cancelled(self, session: Session) -> None:
        self.answer_all(session)
        if session in self._sent and session.id is not None:
            self._connection.notify(*self._dialect.cancel(session.id))

    async def _turn(self, session: Session, prompt: Prompt) -> None:
        try:
            await self._prepare(self._roots(session))
            blocks = await self._blocks(session, prompt)
        except EditorError as error:
            session.apply(TurnEnded(self._clock(), error=f"cannot read the selection: {error}"))
        else:
            draft = await self._lessons.draft(self._key(session), self._roots(session))
            await self._run(session, blocks, draft)
        if session.state.status == "idle":
            self.go_on(session)

    async def _run(self, session: Session, blocks: tuple[Content, ...], draft: Notes) -> None:
        """Send the prompt and wait for its end, unless the turn was cancelled meanwhile."""
        if session.state.status != "running" or session.id is None:
            session.apply(TurnEnded(self._clock(), "cancelled"))
            return
        embedded = self._capabilities.embedded_context
        blocks += tuple(note.content(embedded=embedded) for note in draft.notes)
        self._lessons.sent(self._key(session), draft)
        session.apply(PromptSent(blocks))
        self._sent.add(session)

        def ended(outcome: Outcome) -> None:
            self._sent.discard(session)
            if is_refusal(outcome) and session.state.status == "running":
                self._hold(session, blocks)
            else:
                ending = self._ending(outcome)
                self._learned(session, ending)
                session.apply(ending)

        try:
            await self._connection.request(*self._dialect.prompt(session.id, blocks), ended)
        except (AgentError, ConnectionLost):
            return  # `ended` has put it into the session

    def _hold(self, session: Session, blocks: tuple[Content, ...]) -> None:
        """Keep a prompt that the agent refused for want of a login (C-054), notes and all."""
        self._lessons.arrived(self._key(session))
        session.apply(
            TurnEnded(self._clock(), error=self._login.wanted()),
            PromptQueued(Prompt(blocks, held=True), first=True),
            Noticed(reasons.held(), "warning"),
        )

    def _learned(self, session: Session, ending: TurnEnded) -> None:
        """Say whether what went along is part of the conversation now: else it goes again."""
        if ending.error is None and ending.stop_reason != "refusal":
            self._lessons.arrived(self._key(session))
        else:
            self._lessons.failed(self._key(session))

    def _ending(self, outcome: Outcome) -> TurnEnded:
        match outcome:
            case AgentError(code=Code.REQUEST_CANCELLED):
                return TurnEnded(self._clock(), "cancelled")
            case AgentError() | ConnectionLost():
                return TurnEnded(self._clock(), error=str(outcome))
            case _:
                self._login.accepted()
                tokens = self._dialect.decode_turn_tokens(outcome)
                return TurnEnded(self._clock(), self._dialect.decode_prompt(outcome), tokens=tokens)

    async def _blocks(self, session: Session, prompt: Prompt) -> tuple[Content, ...]:
        """Read what goes along as it stands now; drop to what the agent takes (C-111)."""
        blocks: list[Content] = []
        for block in prompt.blocks:
            blocks += fit(block, self._capabilities)
        for selection in prompt.selections:
            current = await self._files.selection(selection)
            blocks += content_of(current, embedded=self._capabilities.embedded_context)
        return (*blocks, *await self._mentioned(session, prompt))

    async def _mentioned(self, session: Session, prompt: Prompt) -> tuple[Content, ...]:
        offered = self._capabilities
        takes = Takes(offered.embedded_context, image=offered.image, audio=offered.audio)
        found = await self._mentions.find(prompt.mentions, self._roots(session), takes)
        session.apply(*(Noticed(text, "warning") for text in found.notices))
        return tuple(found.blocks)

    def _roots(self, session: Session) -> Roots:
        return Roots(session.state.cwd, self._folders)

    def _key(self, session: Session) -> SessionKey:
        return self._agent, session.id or ""


def fit(block: Content, capabilities: AgentCapabilities) -> tuple[Content, ...]:
    """Return the block, or the best that an agent without that capability takes (C-111, C-112)."""
    match block:
        case Resource() if not capabilities.embedded_context:
            return unembedded(block)
        case Image(mime_type=kind, uri=uri) if not capabilities.image:
            return (Text(f"[{kind} {uri or 'image'}: this agent takes no images]"),)
        case Audio(mime_type=kind) if not capabilities.audio:
            return (Text(f"[{kind}: this agent takes no audio]"),)
        case _:
            return (block,)
