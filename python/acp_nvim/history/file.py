"""A file as its facts have left it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property

from msgspec import Struct, field

from acp_nvim.history.attributes import UNKNOWN_ATTRIBUTES, FileAttributes
from acp_nvim.history.author import Author, DoerKey, SessionKey, TurnKey
from acp_nvim.history.facts import Fact, Wrote
from acp_nvim.history.form import end_of, in_force, text_of
from acp_nvim.history.line import FILE, NOBODY, Runs, Story, alive_lines


class File(Struct, frozen=True, dict=True):
    """One file, from the moment before an agent first changed it."""

    facts: tuple[Fact, ...] = ()
    """All that has happened: the number of an event is the place of its fact in here."""
    runs: Runs = ()
    """All lines that are there or were, in their order."""
    form: Runs = ()
    """The settings of how it is written, one a run: of each kind the last one that is there
    counts."""
    upon: Mapping[int, frozenset[int]] = field(default_factory=dict)
    """Upon which events of agents the user has made a change, by its number: it is reviewed with
    these."""
    attributes: FileAttributes = UNKNOWN_ATTRIBUTES

    @cached_property
    def settings(self) -> tuple[str, ...]:
        """The settings that count."""
        return in_force(self.form)

    @cached_property
    def end(self) -> str:
        """How its lines end."""
        return end_of(self.settings)

    @cached_property
    def text(self) -> str | None:
        """The text as it was last seen; None: there was no file."""
        if not self.is_there:
            return None
        return text_of([it for it in alive_lines(self.runs) if it != FILE], self.settings)

    @cached_property
    def is_there(self) -> bool:
        """Whether there is a file."""
        return any(run.story.alive for run in self.runs)

    @cached_property
    def size(self) -> int:
        """How many lines are there or were."""
        return sum(len(run.texts) for run in self.runs)

    def everything(self) -> Iterator[str]:
        """Yield all lines that are there or were, without their ends."""
        return (text for run in self.runs for text in run.texts if text != FILE)

    @property
    def at(self) -> float:
        """When the last of it happened, in seconds since 1970."""
        return max((getattr(it, "at", 0.0) for it in self.facts), default=0.0)

    def gone_of_agents(self) -> set[str]:
        """Return the lines, without their ends, that agents have put in and that are gone."""
        agents = self.agents()
        gone = (run for run in self.runs if run.story.born in agents and not run.story.alive)
        return {text for run in gone for text in run.texts}

    def back_of_agents(self) -> set[str]:
        """Return the same of those that agents have taken out and that are there again."""
        agents = self.agents()
        back = (it for it in self.runs if it.story.alive and not agents.isdisjoint(it.story.deaths))
        return {text for run in back for text in run.texts}

    def change(self, event: int) -> Wrote | None:
        """Return the agent's change of that number, None if it is none."""
        fact = self.facts[event] if event > NOBODY else None
        return fact if isinstance(fact, Wrote) else None

    @property
    def changes(self) -> tuple[Wrote, ...]:
        """The changes of agents."""
        return tuple(it for it in self.facts if isinstance(it, Wrote))

    def agents(self) -> frozenset[int]:
        """Return the numbers of the changes of agents."""
        return self._events(lambda _author: True)

    def of_turn(self, key: TurnKey) -> frozenset[int]:
        """Return those of a turn."""
        return self._events(lambda author: author.turn_key == key)

    def of_doers(self, keys: Collection[DoerKey]) -> frozenset[int]:
        """Return those of agents, or sub-agents, in their turns."""
        return self._events(lambda author: author.doer_key in keys)

    def found(self) -> frozenset[int]:
        """Return those that are only supposed to be an agent's."""
        return self._events(lambda author: author.how == "found")

    def _events(self, is_meant: Callable[[Author], bool]) -> frozenset[int]:
        facts = enumerate(self.facts)
        return frozenset(at for at, it in facts if isinstance(it, Wrote) and is_meant(it.author))

    def is_users(self, story: Story) -> bool:
        """Tell whether a change of the user's takes the line out."""
        return any(self.change(it) is None for it in story.killers)


class Turned(Struct, frozen=True):
    """A file after a decision of the user's; the same one if that changes nothing."""

    file: File
    count: int = 0
    """Hunks, or places, that were changed."""
    left: tuple[int, ...] = ()
    """0-based rows of the new text where somebody else's change stays."""
    missing: bool = False
    """The file is gone, and not by what is turned: nothing could be changed in it."""
    doubtful: bool = False
    """Something stays because the agent is only supposed to have done it."""
    sessions: frozenset[SessionKey] = frozenset()
    """Whose work was taken back in it."""
