"""What a command line does beyond reading, in words for the question that is about it.

It is advice: what it does not know it says, and no answer depends on it. Programs are known by
their names: one that is in no table here, as `make`, may do anything and is not remarked on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.shell.arguments import Arg, Changes, Deed, Does, Found, Runs, RunsText
from acp_nvim.session.shell.commands import commands
from acp_nvim.session.shell.programs import (
    AS_ANOTHER,
    FETCHERS,
    SHELLS,
    SQL,
    WRAPPERS,
    deeds,
    interpreter,
    reads_only,
)
from acp_nvim.session.shell.tree import Body, Group, Output, Pipeline, Redirect, Simple, Word
from acp_nvim.session.shell.values import Values, absolute

LONGEST: Final = 100_000
"""Characters that are read."""
DEEPEST: Final = 12
"""Shells in shells."""
MOST: Final = 5_000
"""Programs that are looked at."""
SHOWN: Final = 60
"""Characters of what it does that to."""
_UNKNOWN: Final = "$_unknown_"
_URL = lazy_pattern(r"[a-zA-Z][\w+.-]*://")
_DEVICE = lazy_pattern(r"/dev/(?:null|zero|full|tty|u?random|std(?:in|out|err)|fd/\d+)")
_SPOKEN: Final = frozenset({"-m", "-am", "--message", "--title", "--body", "--notes", "--subject"})
_TEXTS: Final = frozenset({"echo", "printf", ":", "true", "false", "alias", "trap", "eval"})
_PATTERNS: Final = frozenset(
    {"grep", "egrep", "fgrep", "rg", "ag", "ack", "sed", "gsed", "awk", "gawk", "mawk", "jq", "yq"}
)
_OBEYED: Final = frozenset(
    {"PATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "ENV", "IFS"}
    | {"PERL5OPT", "PERL5DB", "RUBYOPT", "PYTHONSTARTUP", "GIT_CONFIG_COUNT", "GIT_EXEC_PATH"}
)
_COMMANDS: Final = frozenset(
    {"EDITOR", "VISUAL", "PAGER", "MANPAGER", "BROWSER", "LESSOPEN", "LESSCLOSE", "PROMPT_COMMAND"}
    | {"GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF"}
    | {"GIT_ASKPASS", "SSH_ASKPASS", "GIT_PROXY_COMMAND", "RSYNC_RSH", "GIT_SSH", "CVS_RSH"}
)
"""Variables whose value a program runs."""
_SETTERS: Final = frozenset({"export", "declare", "local", "typeset", "readonly"})


class Effect(Struct, frozen=True):
    """One thing that a command does; `what` is as it is written, and must be made visible."""

    deed: Deed
    what: str


class _Feed(Struct, frozen=True):
    """What a program reads: its text, where it is known, and whether it may be of the network."""

    text: str | None = None
    from_network: bool = False
    is_there: bool = True


_NOTHING: Final = _Feed("", is_there=False)


def understood(
    command: str, cwd: str, roots: Sequence[str] = (), home: str = ""
) -> tuple[Effect, ...]:
    """Return what a command line does beyond reading; `roots` are the folders of the project."""
    reader = _Reader(cwd, tuple(roots) or (cwd,), home)
    if absolute(cwd, "/") and not reader.is_inside(cwd):
        reader.say("leaves the project", cwd)
    reader.read(command, _NOTHING)
    return tuple(reader.found)


class _Reader:
    def __init__(self, cwd: str, roots: tuple[str, ...], home: str) -> None:
        self.cwd: str | None = cwd
        self.roots = roots
        self.values = Values(home, cwd)
        self.found: dict[Effect, None] = {}
        self.fetched = set[str]()
        self.depth = 0
        self.left = MOST
        self.room = 4 * LONGEST

    def say(self, deed: Deed, what: str) -> None:
        what = what.strip()[:SHOWN].replace(_UNKNOWN, "…")
        if (deed, what) != ("cannot be read", "…"):  # who has it run has said so already
            self.found[Effect(deed, what)] = None

    def is_inside(self, path: str) -> bool:
        clean = absolute(path, "/")
        return any(_is_below(clean, absolute(it, "/")) for it in self.roots)

    def read(self, text: str, feed: _Feed) -> None:
        """Read what a shell would run."""
        self.depth += 1
        self.room -= min(len(text), LONGEST)
        if self.depth > DEEPEST or self.room < 0:
            self.say("cannot be read", "too deep" if self.room >= 0 else "too long")
        else:
            if len(text) > LONGEST:
                self.say("cannot be read", f"what is behind {LONGEST:,} characters")
            body, fault = commands(text[:LONGEST].replace("\0", "\ufffd"))
            self._body(body, feed)
            if fault and len(text) <= LONGEST:
                self.say("cannot be read", fault)
        self.depth -= 1

    def _body(self, body: Body, feed: _Feed) -> _Feed:
        printed = _NOTHING
        for pipeline in body:
            last = self._pipeline(pipeline, feed)
            network = printed.from_network or last.from_network
            printed = _Feed(None if printed.is_there else last.text, network)
        return printed

    def _pipeline(self, pipeline: Pipeline, feed: _Feed) -> _Feed:
        here, network = (self.cwd, self.values.known), feed.from_network
        for at, command in enumerate(pipeline):
            if at:
                feed = _Feed(feed.text, network)
            feed = (
                self._group(command, feed)
                if isinstance(command, Group)
                else self._one(command, feed)
            )
            network = network or feed.from_network
        if len(pipeline) > 1:
            self.cwd, self.values.known = here
        return _Feed(feed.text, network)

    def _apart(self, body: Body, feed: _Feed) -> _Feed:
        """Read what runs in a shell of its own, whose folder and variables end with it."""
        here, self.values.known = (self.cwd, self.values.known), dict(self.values.known)
        printed = self._body(body, feed)
        self.cwd, self.values.known = here
        return printed

    def _group(self, group: Group, feed: _Feed) -> _Feed:
        feed = self._redirects(group.redirects, feed)
        if group.loop:
            name, words = group.loop
            texts = [it.text for word in words for it in self._args(word)]
            self.values.known[name] = tuple(texts) or ("\0",)
        printed = (
            self._apart(group.body, feed) if group.is_subshell else self._body(group.body, feed)
        )
        self._writes(group.redirects, printed)
        return printed

    def _args(self, word: Word) -> Iterator[Arg]:
        network = False
        for body in self.values.outputs(word):
            self.depth += 1
            if self.depth <= DEEPEST * 2:
                network |= self._apart(body, _NOTHING).from_network
            self.depth -= 1
        for text, is_pattern in self.values.texts(word):
            yield Arg(text, word.raw, network, is_pattern)

    def _one(self, command: Simple, feed: _Feed) -> _Feed:
        self.left -= 1
        if self.left <= 0:
            if self.left == 0:
                self.say("cannot be read", f"what is behind {MOST:,} commands")
            return feed
        for name, word in command.assigned:
            self._assign(name, [it.text for it in self._args(word)])
        args = tuple(it for word in command.words for it in self._args(word))
        feed = self._redirects(command.redirects, feed)
        printed = self._run(args, feed) if args else _NOTHING
        self._writes(command.redirects, printed)
        return printed

    def _assign(self, name: str, texts: Sequence[str]) -> None:
        self.values.known[name] = tuple(texts) or ("",)
        if name in _OBEYED:
            self.say("cannot be read", f"{name}=")
        for text in texts if name in _COMMANDS else ():
            if "\0" in text:
                self.say("cannot be read", f"{name}=")
            self._read_apart(text.lstrip("|-"), _NOTHING, name)

    # --- redirections

    def _redirects(self, redirects: Sequence[Redirect], feed: _Feed) -> _Feed:
        """Return what a program reads by its redirections."""
        for it in redirects:
            if it.sign not in ("<", "<<", "<<-", "<<<", "<>"):
                continue
            args = list(self._args(it.word))
            network = any(arg.from_network or "/dev/tcp/" in arg.text for arg in args)
            text = args[0].text if it.sign.startswith("<<") and len(args) == 1 else None
            feed = _Feed(text, network)
            if not it.sign.startswith("<<"):
                self._paths("", args)
        return feed

    def _writes(self, redirects: Sequence[Redirect], printed: _Feed) -> None:
        for it in redirects:
            if not it.sign.startswith((">", "&>")) and it.sign != "<>":
                continue
            for arg in self._args(it.word):
                if it.sign == ">&" and re.fullmatch(r"\d+-?|-", arg.text):
                    continue
                if any(isinstance(piece, Output) for piece in it.word.pieces):
                    continue
                self._change("appends to" if ">>" in it.sign else "overwrites", arg)
                if printed.from_network:
                    self.fetched.add(self._path(arg.text))

    # --- programs

    def _run(self, args: Sequence[Arg], feed: _Feed) -> _Feed:
        self.depth += 1
        printed = feed
        if self.depth > DEEPEST * 2:
            self.say("cannot be read", "too deep")
        elif args:
            printed = self._program(args[0], args[1:], feed)
        self.depth -= 1
        return printed

    def _program(self, first: Arg, rest: Sequence[Arg], feed: _Feed) -> _Feed:
        name = first.text.rpartition("/")[2]
        is_unknown = "\0" in first.text or (first.is_pattern and name not in ("[", "[["))
        if is_unknown:
            self.say("cannot be read", first.raw)
        if first.from_network:
            self.say("pipes from the network", first.raw)
        if name in _SETTERS:
            for it in rest:
                key, sign, text = it.text.partition("=")
                if sign:
                    self._assign(key, [text])
        for found in deeds(name, rest):
            self._take(name, found, feed)
        self._paths(name, rest)
        if name in ("cd", "pushd", "popd"):
            self._go(name, rest)
        self._reads(name, first, rest, feed)
        return self._printed(name, rest, feed)

    def _take(self, name: str, it: Found, feed: _Feed) -> None:
        match it:
            case Does(deed, what):
                self.say(deed, what)
            case Changes(deed, path):
                self._change(deed, path)
                if name in FETCHERS:
                    self.fetched.add(self._path(path.text))
            case Runs(args):
                self._run(args, feed)
            case RunsText(text):
                if text.from_network:
                    self.say("pipes from the network", name)
                if "\0" in text.text:
                    self.say("cannot be read", text.raw)
                self._read_apart(text.text, feed, name)

    def _read_apart(self, text: str, feed: _Feed, name: str) -> None:
        here = (self.cwd, dict(self.values.known))
        self.read(text.replace("\0", _UNKNOWN), feed)
        if name != "eval":
            self.cwd, self.values.known = here

    def _reads(self, name: str, first: Arg, rest: Sequence[Arg], feed: _Feed) -> None:
        """Say what a shell, or another interpreter, runs that it reads."""
        is_shell = name in SHELLS
        scripts = [it for it in rest if not it.text.startswith("-") or it.text == "-"]
        ran = [first, *scripts[:1]] if is_shell or interpreter(name) else [first]
        is_sourced = name in ("source", ".")
        ran = scripts[:1] if is_sourced else ran
        if any(it.from_network or self._path(it.text) in self.fetched for it in ran):
            self.say("pipes from the network", name)
        if name in SQL and feed.is_there and not reads_only(feed.text or ""):
            self.say("cannot be read", f"what {name} reads")
        if not (is_shell or interpreter(name)) or not feed.is_there:
            return
        takes_input = not scripts or scripts[0].text == "-" or "-s" in [it.text for it in rest]
        if any(it.text.endswith("c") and it.text.startswith("-") for it in rest) or not takes_input:
            return
        if feed.from_network:
            self.say("pipes from the network", name)
        elif is_shell and feed.text is not None and "\0" not in feed.text:
            self._read_apart(feed.text, _NOTHING, name)
        else:
            self.say("cannot be read", f"what {name} reads")

    def _printed(self, name: str, rest: Sequence[Arg], feed: _Feed) -> _Feed:
        network = name in FETCHERS or any(it.from_network for it in rest)
        if name == "echo" or name == "printf":
            texts = [it.text for it in rest if it.text not in ("-e", "-n", "-E")]
            return _Feed(" ".join(texts), network)
        if name == "cat" and not rest:
            return _Feed(feed.text, feed.from_network)
        if name in WRAPPERS or name in AS_ANOTHER:
            network = network or any(it.text.rpartition("/")[2] in FETCHERS for it in rest)
        return _Feed(None, network or feed.from_network)

    def _go(self, name: str, rest: Sequence[Arg]) -> None:
        to = next((it for it in rest if not it.text.startswith("-")), None)
        if name == "popd" or (to is None and rest and rest[-1].text == "-"):
            self.cwd = None
            self.say("cannot be read", name)
            return
        text = to.text if to is not None else "~"
        self.cwd = None if "\0" in text or (to and to.is_pattern) else self._path(text)
        self.values.cwd = self.cwd or ""
        if self.cwd is None and to is not None:
            self.say("cannot be read", f"cd {to.raw}")
        elif to is None and not self.is_inside(self._path("~")):
            self.say("leaves the project", "cd")

    # --- paths

    def _path(self, text: str) -> str:
        """Return the path that a text means; what is not known of it stays."""
        return absolute(self.values.at_home(text), self.cwd or "/\0")

    def _change(self, deed: Deed, arg: Arg) -> None:
        if _DEVICE.fullmatch(arg.text):
            return
        self.say(deed, arg.raw)
        if arg.text.startswith("\0"):
            self.say("cannot be read", arg.raw)
        else:
            self._leave(arg.text, arg.raw)

    def _paths(self, name: str, args: Sequence[Arg]) -> None:
        """Say which arguments are paths out of the project."""
        if name in _TEXTS or name in _SETTERS or name in WRAPPERS:
            return
        is_pattern = name in _PATTERNS and not any(it.text in ("-e", "-f") for it in args)
        before = ""
        for it in args:
            text = it.text
            if is_pattern and not text.startswith("-"):
                is_pattern = False
            elif before not in _SPOKEN and not (before == "-e" and name in _PATTERNS):
                self._leave(_path_in(text), it.raw)
            before = text

    def _leave(self, text: str, raw: str) -> None:
        if not text or _URL.match(text) or _DEVICE.fullmatch(text) or text.startswith("\0"):
            return
        is_path = text[0] in "/~" or ".." in text.split("/") or self.cwd is not None
        if is_path and (text[0] in "/~" or self.cwd) and not self.is_inside(self._path(text)):
            is_named = text[0] in "/~" or ".." in text.split("/")
            if is_named or not self.is_inside(self.cwd or ""):
                self.say("leaves the project", raw if is_named else self.cwd or raw)


def _path_in(text: str) -> str:
    """Return the path in an argument, as in `--file=/a`, `-I/a` and `if=/a`; else all of it."""
    if text.startswith("-"):
        found = re.match(r"--?[\w-]+=(.*)|-\w([/~].*|\.\./.*)", text, re.DOTALL)
        return (found[1] or found[2] or "") if found else ""
    found = re.match(r"\w+=([/~].*)|@([/~].*)", text, re.DOTALL)
    return (found[1] or found[2] or "") if found else text


def _is_below(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")
