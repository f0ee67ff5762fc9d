"""A matcher for the regular expressions of agents whose time is bounded (C-288).

Thompson's construction: all ways through the pattern are followed at once, so no pattern can make
it run away, as `(a+)+$` does with `re`. One character is still judged by `re`, which knows the
classes. What it cannot follow (look-around, back references) is not checked. For `session.form`.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import TypeAlias

LONGEST_PATTERN = 1_000
MOST_STATES = 1_000
MOST_WORK = 1_000_000
"""States times characters: more is not checked."""

_ATOM = re.compile(
    r"\[\^?(?:\\.|[^\]\\])*\]"  # a class
    r"|\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[^0-9ux])"
    r"|\(\?(?:<[A-Za-z_]\w*>|:)|[()|^$]|.",
    re.DOTALL,
)
_REPEAT = re.compile(r"(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??")
_ASSERTIONS = ("^", "$", r"\b", r"\B")


class NotFollowed(ValueError):
    """A pattern that this matcher does not take; the agent must check the answer itself."""


@dataclass(slots=True)
class _State:
    """A character to read (`test`), a place to be at (`at`), or neither; then on to `next`."""

    next: list[int]
    test: re.Pattern[str] | None = None
    at: str | None = None


_Part: TypeAlias = tuple[int, int]
"""First and last state of a part of the pattern; the last one leads nowhere yet."""


def search(pattern: str, text: str) -> bool:
    """Say whether the pattern matches anywhere in the text; raises `NotFollowed`."""
    if len(pattern) > LONGEST_PATTERN:
        raise NotFollowed("too long")
    compiler = _Compiler(pattern)
    first, last = compiler.whole()
    if len(compiler.states) * (len(text) + 1) > MOST_WORK:
        raise NotFollowed("too much work")
    return _run(compiler.states, first, last, text)


class _Compiler:
    """Turns the text of a pattern into states, one part after the other."""

    def __init__(self, pattern: str) -> None:
        self.states: list[_State] = []
        self._tokens = _tokens(pattern)
        self._position = 0

    def whole(self) -> _Part:
        """Return the part that is the whole pattern."""
        part = self._either()
        if self._position < len(self._tokens):
            raise NotFollowed("a closing parenthesis too many")
        return part

    def _peek(self) -> str:
        return self._tokens[self._position] if self._position < len(self._tokens) else ""

    def _either(self) -> _Part:
        parts = [self._sequence()]
        while self._peek() == "|":
            self._position += 1
            parts.append(self._sequence())
        last = self._state()
        for _, end in parts:
            self.states[end].next.append(last)
        return self._state(*(start for start, _ in parts)), last

    def _sequence(self) -> _Part:
        first = last = self._state()
        while self._peek() not in ("", "|", ")"):
            start, end = self._repeated()
            self.states[last].next.append(start)
            last = end
        return first, last

    def _repeated(self) -> _Part:
        """Return an atom as often as its quantifier says; its copies are compiled anew."""
        begin = self._position
        part = self._atom()
        found = _REPEAT.fullmatch(self._peek())
        if found is None:
            return part
        end = self._position + 1
        least, most = _counts(found)
        first = last = self._state()
        for number in range(max(least, 1 if most is None else most)):
            self._position = begin
            start, after = self._atom()
            self.states[last].next.append(start)
            if number >= least:
                self.states[last].next.append(after)
            last = after
        if most is None:
            last = self._loop(first if least == 0 else start, last, optional=least == 0)
        self._position = end
        return first, last

    def _loop(self, start: int, end: int, *, optional: bool) -> int:
        last = self._state()
        self.states[end].next += [start, last]
        if optional:
            self.states[start].next.append(last)
        return last

    def _atom(self) -> _Part:
        token = self._peek()
        self._position += 1
        if token in ("(", "(?:") or token.startswith("(?<"):
            part = self._either()
            if self._peek() != ")":
                raise NotFollowed("a parenthesis that is not closed")
            self._position += 1
            return part
        if _REPEAT.fullmatch(token):
            raise NotFollowed("nothing to repeat")
        state = self._state()
        last = self._state()
        self.states[state].next.append(last)
        if token in _ASSERTIONS:
            self.states[state].at = token
        else:
            self.states[state].test = _test(token)
        return state, last

    def _state(self, *following: int) -> int:
        if len(self.states) >= MOST_STATES:
            raise NotFollowed("too large")
        self.states.append(_State(list(following)))
        return len(self.states) - 1


def _tokens(pattern: str) -> list[str]:
    tokens, position = [], 0
    while position < len(pattern):
        found = _REPEAT.match(pattern, position) or _ATOM.match(pattern, position)
        if found is None or pattern.startswith(("(?=", "(?!", "(?<=", "(?<!"), position):
            raise NotFollowed("look-around")
        if re.match(r"\\[0-9pPk]", found[0]) or found[0] == "\\":
            raise NotFollowed("a back reference or a property")
        tokens.append(found[0])
        position = found.end()
    return tokens


def _counts(found: re.Match[str]) -> tuple[int, int | None]:
    sign, least, comma, most = found.groups()
    if sign:
        return (1 if sign == "+" else 0), (1 if sign == "?" else None)
    lower = int(least)
    upper = int(most) if most else (None if comma else lower)
    if max(lower, upper or 0) > MOST_STATES or (upper is not None and upper < lower):
        raise NotFollowed("too many repetitions")
    return lower, upper


def _test(token: str) -> re.Pattern[str]:
    """Return what judges one character; ASCII, because ECMAScript's `\\d` and `\\w` are."""
    source = re.escape(token) if len(token) == 1 and token != "." else token
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # "[[" means just that here
            return re.compile(source, re.ASCII)
    except re.error as error:
        raise NotFollowed(str(error)) from error


def _run(states: list[_State], first: int, last: int, text: str) -> bool:
    current: set[int] = set()
    for position in range(len(text) + 1):
        current = _spread(states, {*current, first}, text, position)
        if last in current:
            return True
        if position < len(text):
            current = {
                follower
                for number in current
                if (test := states[number].test) is not None and test.fullmatch(text[position])
                for follower in states[number].next
            }
    return False


def _spread(states: list[_State], current: set[int], text: str, position: int) -> set[int]:
    """Return all states that are reached without reading a character."""
    waiting = list(current)
    while waiting:
        state = states[waiting.pop()]
        if state.test is not None or (state.at and not _holds(state.at, text, position)):
            continue
        for follower in state.next:
            if follower not in current:
                current.add(follower)
                waiting.append(follower)
    return current


def _holds(at: str, text: str, position: int) -> bool:
    if at == "^":
        return position == 0
    if at == "$":
        return position == len(text)
    before = position > 0 and _is_word(text[position - 1])
    after = position < len(text) and _is_word(text[position])
    return (before != after) == (at == r"\b")


def _is_word(character: str) -> bool:
    return character == "_" or (character.isascii() and character.isalnum())
