"""Reads a command line into a tree: lists, pipelines, groups, redirections."""

from __future__ import annotations

import re
from typing import Final

from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.shell.tree import (
    Body,
    Group,
    Pipeline,
    Plain,
    Redirect,
    Simple,
    Unread,
    Word,
)
from acp_nvim.session.shell.words import DEEPEST, Words

_BLANK = lazy_pattern(r"(?:[ \t\r\v\f]|\\\n)+")
_STOP: Final = r"(?=[\s;&|()<>]|$)"
_OPENER = lazy_pattern(rf"(if|while|until|for|select|case|\{{|\[\[){_STOP}|\(\(|\(")
_WITHIN = lazy_pattern(rf"(?:then|elif|else|do|time(?:[ \t]+-p)?|coproc|!){_STOP}")
_CLOSER = lazy_pattern(rf"(?:fi|done|esac|\}}){_STOP}|;;&|;;|;&|\)")
_FUNCTION = lazy_pattern(rf"function[ \t]+[^\s()]+{_STOP}")
_CALLED = lazy_pattern(r"[ \t]*\([ \t]*\)")
_REDIRECT = lazy_pattern(r"(?:\d+|\{\w+\})?(&>>|&>|>>|>\||>&|<&|<>|<<<|<<-|<<|>(?!\()|<(?!\())")
_ASSIGNED = lazy_pattern(r"([A-Za-z_]\w*)(?:\[[^\]\s]*\])?\+?=")
_CLOSERS: Final = {"if": "fi", "case": "esac", "{": "}", "(": ")"}


def commands(text: str) -> tuple[Body, str]:
    """Return the tree of a command line, and why it could not be read to its end."""
    reader = _Commands(text)
    return reader.body(""), reader.fault


class _Commands(Words):
    def __init__(self, text: str, depth: int = 0) -> None:
        super().__init__(text, depth)
        self.after: dict[int, int] = {}
        """By the end of a line where the texts end that follow it."""
        self.of_line = (-1, 0)
        """The end of the line of the last such text, and the end of that text."""

    def body(self, closer: str) -> Body:
        found = list[Pipeline]()
        while True:
            self._between()
            if self.at >= self.end:
                if closer:
                    self.fail(f"{closer} is missing")
                return tuple(found)
            if ending := _CLOSER.match(self.text, self.at):
                self.at = ending.end()
                if ending[0] == closer or (closer == ";;" and ending[0] in (";;", ";&", ";;&")):
                    return tuple(found)
                if closer == ";;" and ending[0] == "esac":
                    self.at = ending.start()
                    return tuple(found)
                self.fail(f"{ending[0]} is not expected")
                return tuple(found)
            before = self.at
            found.append(self._pipeline())
            if self.at == before:
                self.fail(f"{self.text[self.at]} is not expected")

    def _between(self) -> None:
        """Skip what separates commands."""
        while self.at < self.end:
            sign = self.text[self.at]
            if sign == "\n":
                self.at = self.after.pop(self.at, self.at + 1)
            elif blank := _BLANK.match(self.text, self.at):
                self.at = blank.end()
            elif sign == "#":
                stop = self.text.find("\n", self.at)
                self.at = self.end if stop < 0 else stop
            elif self.is_next(";;") or self.is_next(";&") or self._is_redirect():
                return
            elif sign in ";&":
                self.at += 1
            else:
                return

    def _is_redirect(self) -> bool:
        return _REDIRECT.match(self.text, self.at) is not None

    def _blanks(self) -> None:
        if blank := _BLANK.match(self.text, self.at):
            self.at = blank.end()

    def _pipeline(self) -> Pipeline:
        found = [self._command()]
        while True:
            self._blanks()
            if not self.is_next("|") or self.is_next("||"):
                self.at += 2 if self.is_next("||") else 0
                return tuple(found)
            self.at += 2 if self.is_next("|&") else 1
            self._between()
            found.append(self._command())

    def _command(self) -> Simple | Group:
        while word := _WITHIN.match(self.text, self.at):
            self.at = word.end()
            self._between()
        if function := _FUNCTION.match(self.text, self.at):
            self.at = function.end()
            if called := _CALLED.match(self.text, self.at):
                self.at = called.end()
            self._between()
        opener = _OPENER.match(self.text, self.at)
        if opener is None:
            return self._simple()
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail("too deep")
            return Simple()
        self.at = opener.end()
        found = self._group(opener[0])
        self.depth -= 1
        return found

    def _group(self, opener: str) -> Group:
        loop, body = None, Body()
        if opener == "[[":
            body = self._test()
        elif opener == "((":
            body = self._sum()
        elif opener == "case":
            body = self._case()
        else:
            sums = Body()
            if opener in ("for", "select"):
                loop, sums = self._for()
            body = (*sums, *self.body(_CLOSERS.get(opener, "done")))
        return Group(body, self._redirects(), opener == "(", loop)

    def _redirects(self) -> tuple[Redirect, ...]:
        found = list[Redirect]()
        self._blanks()
        while self._is_redirect():
            found.append(self._redirect())
            self._blanks()
        return tuple(found)

    def _for(self) -> tuple[tuple[str, tuple[Word, ...]] | None, Body]:
        """Read the head of a loop: its variable and its words, or three sums."""
        self._blanks()
        if self.is_next("(("):
            self.at += 2
            return None, self._sum()
        name = self.word().raw
        self._between()
        if not re.compile(rf"in{_STOP}").match(self.text, self.at):
            return (name, ()), ()
        self.at += 2
        return (name, self._words()), ()

    def _words(self) -> tuple[Word, ...]:
        found = list[Word]()
        self._blanks()
        while (word := self.word()).raw:
            found.append(word)
            self._blanks()
        return tuple(found)

    def _test(self) -> Body:
        """Read `[[ … ]]`: it only asks, but there may be commands in its words."""
        found = list[Word]()
        while self.at < self.end:
            self._blanks()
            word = self.word()
            if word.raw == "]]":
                return ((Simple((_plain("[["), *found)),),)
            found.append(word)
            self.at += 0 if word.raw else 1
        self.fail("]] is missing")
        return ()

    def _sum(self) -> Body:
        """Read `(( … ))`: commands may be in its words."""
        found, depth = list[Word](), 2
        while self.at < self.end and depth:
            word = self.word()
            found.append(word)
            if not word.raw:
                depth += {"(": 1, ")": -1}.get(self.text[self.at], 0)
                self.at += 1
        within = tuple(piece for word in found for piece in word.pieces)
        return (
            (
                Simple(
                    (_plain("[["), Word((Unread(within),), "")),
                ),
            ),
        )

    def _case(self) -> Body:
        """Read `case … in a|b) … ;; esac`; there may be commands in its words."""
        found: Body = ()
        self._blanks()
        words = [_plain("[["), self.word()]
        self._between()
        self.word()
        while self.at < self.end:
            self._between()
            if (ending := _CLOSER.match(self.text, self.at)) and ending[0] == "esac":
                self.at = ending.end()
                return ((Simple(tuple(words)),), *found)
            while self.at < self.end and not self.is_next(")"):
                words.append(self.word())
                if not words[-1].raw:
                    self.at += 1
            self.at += 1
            found += self.body(";;")
        self.fail("esac is missing")
        return found

    def _simple(self) -> Simple | Group:
        words, redirects, assigned = list[Word](), list[Redirect](), list[tuple[str, Word]]()
        while self.at < self.end:
            self._blanks()
            if self._is_redirect():
                redirects.append(self._redirect())
                continue
            found = _ASSIGNED.match(self.text, self.at) if not words else None
            if found:
                self.at = found.end()
                assigned.append((found[1], self._value()))
                continue
            word = self.word()
            if not word.raw:
                break
            words.append(word)
            if len(words) == 1 and (called := _CALLED.match(self.text, self.at)):
                self.at = called.end()
                self._between()
                return self._command()
        return Simple(tuple(words), tuple(redirects), tuple(assigned))

    def _value(self) -> Word:
        if not self.is_next("("):
            return self.word()
        self.at += 1
        within = list[Word]()
        while self.at < self.end and not self.is_next(")"):
            self._between()
            word = self.word()
            within.append(word)
            self.at += 0 if word.raw or self.is_next(")") else 1
        self.at += 1
        return Word((Unread(tuple(it for word in within for it in word.pieces)),), "(…)")

    def _redirect(self) -> Redirect:
        found = _REDIRECT.match(self.text, self.at)
        sign = found[1] if found else ""
        self.at = found.end() if found else self.end
        self._blanks()
        word = self.word()
        return Redirect(sign, self._text(sign, word) if sign in ("<<", "<<-") else word)

    def _text(self, sign: str, delimiter: Word) -> Word:
        """Return the text that begins in the next line and goes on to its delimiter."""
        name = "".join(it.text for it in delimiter.pieces if isinstance(it, Plain))
        line, first = self.of_line
        if line < self.at:
            line = self.text.find("\n", self.at)
            line = self.end if line < 0 else line
            first = line + 1
        indent = r"\t*" if sign == "<<-" else ""
        stop = re.compile(rf"^{indent}{re.escape(name)}$", re.MULTILINE).search(self.text, first)
        text = self.text[first : stop.start() if stop else self.end]
        last = stop.end() if stop else self.end
        self.of_line = (line, last + 1)
        self.after[line] = last
        if any(isinstance(it, Plain) and it.is_quoted for it in delimiter.pieces):
            return Word((Plain(text, is_quoted=True),), f"<<{name}")
        within = _Commands(text, self.depth + 1)
        pieces = within.double("")
        self.fault = self.fault or within.fault
        return Word(tuple(pieces), f"<<{name}")


def _plain(text: str) -> Word:
    return Word((Plain(text),), text)
