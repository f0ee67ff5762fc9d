"""Commands of an agent that runs in a container or on another machine: they run there, too.

Pure. How it is reached is told by how it was started: what stands before the agent's own program
(`ssh host`, `docker exec -i box`) stands before each of its commands.
"""

from __future__ import annotations

import os.path
import re
import shlex
from collections.abc import Mapping, Sequence

from msgspec import Struct

from acp_nvim.errors import Code, RequestFailed
from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.request import CreateTerminalRequest

SCRIPT = (
    # its folder, then variables, "--", and the command
    'cd -- "$1" || exit 126; shift; '
    'while [ "$1" != -- ]; do export "$1"; shift; done; shift; '
    # a line for the shell, which is bash where there is one
    'if [ $# = 1 ] && ! command -v "$1" >/dev/null 2>&1; then '
    'if command -v bash >/dev/null 2>&1; then set -- bash -c "$1"; '
    'else set -- sh -c "$1"; fi; fi; '
    'exec 3<&0; "$@" 3<&- </dev/null & run=$!; '
    # our end of its input is closed when we end, however that is: then all of it ends
    '{ trap "" TERM; while read -r line <&3; do :; done; kill -TERM 0; sleep 2; kill -KILL 0; } '
    ">/dev/null 2>&1 & watch=$!; "
    'wait "$run"; code=$?; exec 2>/dev/null; kill -KILL "$watch"; exit "$code"'
)
"""What runs a command there. It has no terminal: what would read from one finds nothing."""

AGENT = (
    # the agent's input comes by way of `cat`, so that its end is seen, whatever the agent does
    "exec 3<&0; "
    "{ { cat <&3; exec >&- 3<&-; "
    # it may end by itself then
    'for second in 1 2 3 4 5; do kill -0 "$$" || exit 0; sleep 1; done; '
    'trap "" TERM; kill -TERM 0; sleep 2; kill -KILL 0; } 2>/dev/null & } | "$@" 3<&-'
)
"""What runs an agent there: it ends when our end of its input is closed, however that is."""


_VARIABLE = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]*")


class Elsewhere(Struct, frozen=True):
    """What leads to where an agent runs; `joined` makes one line for a shell of what follows."""

    prefix: tuple[str, ...]
    joined: bool = False

    def command_line(
        self, request: CreateTerminalRequest, variables: Mapping[str, str], cwd: str
    ) -> tuple[str, ...]:
        """Return what runs the command there, in the agent's folder `cwd`.

        Raises `RequestFailed` for a variable that no shell takes.
        """
        env = {**variables, **dict(request.env)}
        if odd := [name for name in env if not _VARIABLE.fullmatch(name)]:
            raise RequestFailed(Code.INVALID_PARAMS, f"{odd[0]!r} is not a name of a variable")
        pairs = [f"{name}={value}" for name, value in env.items()]
        run = ("sh", "-c", SCRIPT, "acp.nvim", cwd, *pairs, "--", request.command, *request.args)
        return (*self.prefix, *((" ".join(map(_quoted, run)),) if self.joined else run))

    def agent(self, command: Sequence[str]) -> tuple[str, ...]:
        """Return what runs the agent there; it ends with us, whatever it does with its input.

        As it is where it has a terminal, whose end ends it, or no command.
        """
        letters = "".join(it[1:] for it in self.prefix if re.fullmatch("-[A-Za-z0-9]+", it))
        if set(letters) & _OTHERWISE:
            return (*self.prefix, *command)
        if not self.joined:
            return (*self.prefix, "sh", "-c", AGENT, "acp.nvim", *command)
        # the words are a line for the shell of the user there, and stay one
        # (not each shell knows "$SHELL", but sh does)
        script = f'set -- "${{SHELL:-sh}}" -c "$1"; {AGENT}'
        run = ("sh", "-c", script, "acp.nvim", " ".join(command))
        return (*self.prefix, " ".join(map(_quoted, run)))


def _quoted(word: str) -> str:
    """Return a word as any shell reads it, also fish: there a backslash counts in single quotes."""
    parts = re.split(r"(\\|')", word)
    return (
        "".join(
            {"\\": r'"\\"', "'": '"\'"'}.get(part) or shlex.quote(part) for part in parts if part
        )
        or "''"
    )


class _Program(Struct, frozen=True):
    """How a program is told where to run another one."""

    verbs: tuple[tuple[str, ...], ...] = ((),)
    """The words, one of them, between its own options and those of the verb."""
    values: frozenset[str] = frozenset()
    """Options that take a value; the others are in `flags`."""
    flags: frozenset[str] = frozenset()
    names: int = 1
    """How many words, after the options, say where."""
    joined: bool = False


def _options(short: str, long: str = "") -> frozenset[str]:
    return frozenset((*(f"-{letter}" for letter in short), *(f"--{name}" for name in long.split())))


_CONTAINERS = _Program(
    verbs=(("exec",), ("container", "exec"), ("compose", "exec")),
    values=_options(
        "cefHlpuw",
        "config connection context detach-keys env env-file file host identity index log-level"
        " namespace profile project-directory project-name root runroot tlscacert tlscert tlskey"
        " url user workdir",
    ),
    flags=_options(
        "dDitTq",
        "debug detach interactive no-TTY no-tty privileged quiet remote tls tlsverify tty",
    ),
)
_PROGRAMS = {
    "ssh": _Program(
        values=_options("BbcDEeFIiJLlmOoPpQRSWw"),
        flags=_options("46AaCfGgKkMNnqsTtVvXxYy"),
        joined=True,
    ),
    "docker": _CONTAINERS,
    "podman": _CONTAINERS,
    "nerdctl": _CONTAINERS,
    "devcontainer": _Program(
        verbs=(("exec",),),
        values=_options(
            "",
            "config container-data-folder container-id container-system-data-folder"
            " default-user-env-probe docker-compose-path docker-path id-label log-format log-level"
            " override-config remote-env user-data-folder workspace-folder",
        ),
        names=0,
    ),
    "chroot": _Program(values=_options("", "groups userspec"), flags=_options("", "skip-chdir")),
}
_OTHERWISE = frozenset("tsNfW")
"""Options with which there is a terminal, or no command."""
_UP_TO_DASHES = frozenset(
    {"distrobox", "distrobox-enter", "incus", "kubectl", "lxc", "nsenter", "oc"}
)
"""Programs that are told where by all that stands before `--`."""
_IN_FRONT = frozenset({"doas", "sudo"})
_SUDO = _Program(values=_options("CDRTUghprtu"), flags=_options("AEHKPSVbeiklnsv"))


def leads_elsewhere(argv: Sequence[str]) -> bool:
    """Tell whether that starts an agent by a program that runs others elsewhere."""
    return _program(argv) is not None


def elsewhere(argv: Sequence[str]) -> Elsewhere | None:
    """Return what leads to where that starts an agent; None if it cannot be told."""
    at = _program(argv)
    if at is None:
        return None
    name = os.path.basename(argv[at])
    program = _PROGRAMS.get(name)
    if program is None:
        end = argv.index("--", at) + 1 if "--" in argv[at:] else None
    else:
        end = _end(program, argv, at + 1)
    if end is None or end >= len(argv):
        return None
    return Elsewhere(tuple(argv[:end]), program is not None and program.joined)


def _program(argv: Sequence[str]) -> int | None:
    """Return where that program stands: first, or after one that only changes the user."""
    names = [os.path.basename(it) for it in argv]
    is_behind = bool(names) and names[0] in _IN_FRONT
    at = _after_options(_SUDO, argv, 1) if is_behind else 0
    known = _PROGRAMS.keys() | _UP_TO_DASHES
    return at if at is not None and at < len(names) and names[at] in known else None


def _end(program: _Program, argv: Sequence[str], at: int) -> int | None:
    """Return where what says the place ends."""
    start = _after_options(program, argv, at)
    for verb in program.verbs:
        end = start
        for word in verb:
            here = end is not None and end < len(argv) and argv[end] == word
            end = _after_options(program, argv, end + 1) if here and end is not None else None
        if end is not None:
            end += program.names
            return _after_options(program, argv, end) if program.joined else end
    return None


def _after_options(program: _Program, argv: Sequence[str], start: int) -> int | None:
    """Return where the options end that begin there; None if one of them is not known."""
    at: int | None = start
    while at is not None and at < len(argv) and argv[at].startswith("-") and argv[at] != "-":
        if argv[at] == "--":
            return at + 1
        at = _after_option(program, argv[at], at)
    return at


def _after_option(program: _Program, option: str, at: int) -> int | None:
    if option.startswith("--"):
        name, equals, _ = option.partition("=")
        if name in program.values:
            return at + 1 if equals else at + 2
        return at + 1 if name in program.flags else None
    for place, letter in enumerate(option[1:], 2):
        if f"-{letter}" in program.values:
            return at + 1 if option[place:] else at + 2
        if f"-{letter}" not in program.flags:
            return None
    return at + 1
