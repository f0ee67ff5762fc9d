"""What programs do with their arguments beyond reading, as far as that is known by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal, TypeAlias

from msgspec import Struct

Deed: TypeAlias = Literal[
    "removes",
    "overwrites",
    "appends to",
    "changes permissions",
    "leaves the project",
    "pushes",
    "pipes from the network",
    "runs as another user",
    "cannot be read",
]
SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash", "fish"})
INTERPRETERS: Final = frozenset(
    {"python", "node", "nodejs", "perl", "ruby", "php", "lua", "osascript", "deno", "bun", "pwsh"}
)
FETCHERS: Final = frozenset(
    {"curl", "wget", "fetch", "aria2c", "http", "https", "lynx", "nc", "ncat", "socat", "ssh"}
)
AS_ANOTHER: Final = frozenset({"sudo", "doas", "su", "runuser", "pkexec", "gosu"})
WRAPPERS: Final = {
    "sudo": "ughpCTrRDtU",
    "doas": "uC",
    "pkexec": "",
    "gosu": "",
    "runuser": "ug",
    "env": "uCP",
    "nice": "n",
    "ionice": "cnp",
    "timeout": "ks",
    "xargs": "IRnPLdaEs",
    "stdbuf": "ioe",
    "exec": "a",
    "command": "",
    "builtin": "",
    "nohup": "",
    "setsid": "",
    "time": "fo",
    "watch": "nd",
    "busybox": "",
    "strace": "eo",
    "chroot": "",
    "caffeinate": "tw",
    "parallel": "jN",
    "flock": "wE",
    "unshare": "",
}
"""Programs that run the command in their arguments, and their options that take a value."""
OPERANDS: Final = {"flock": 1, "timeout": 1, "chroot": 1, "gosu": 1}
"""How many arguments of them are before that command."""
_SENDING: Final = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun", "cargo", "poetry", "uv", "flit"), ("publish",)),
    **dict.fromkeys(("docker", "podman", "gem", "helm", "vagrant"), ("push",)),
    "hatch": ("publish",),
    "twine": ("upload",),
    "mvn": ("deploy",),
    "gh": ("create", "merge", "delete", "edit", "close", "comment", "upload", "api"),
    "kubectl": ("apply", "delete", "create", "replace", "patch"),
    "terraform": ("apply", "destroy"),
    "aws": ("cp", "sync", "rm", "mv"),
    "firebase": ("deploy",),
    "fly": ("deploy",),
    "vercel": ("deploy", "--prod"),
}
_REMOVING: Final = {
    **dict.fromkeys(("docker", "podman"), ("rm", "rmi", "prune")),
    "npm": ("unpublish",),
    "crontab": ("-r",),
}
_CODE: Final = {"-c", "-e", "--eval", "-p", "-pe", "-ne", "-r", "-", "-E", "--command", "eval"}


class Arg(Struct, frozen=True):
    """A word as the program gets it; "\\0" in it stands for what nobody knows."""

    text: str
    raw: str
    from_network: bool = False
    is_pattern: bool = False
    """It has a `*`, `?` or `[` without quotes."""


class Does(Struct, frozen=True):
    """It does that, to what its words say."""

    deed: Deed
    what: str


class Changes(Struct, frozen=True):
    """It does that to a file, or to a folder."""

    deed: Deed
    path: Arg


class Runs(Struct, frozen=True):
    """It runs another program."""

    args: tuple[Arg, ...]


class RunsText(Struct, frozen=True):
    """It has a shell run that text."""

    text: Arg


Found: TypeAlias = Does | Changes | Runs | RunsText
Args: TypeAlias = Sequence[Arg]


def deeds(name: str, args: Args) -> Iterator[Found]:
    """Yield what a program does; `args` are those behind its name."""
    if name in AS_ANOTHER:
        yield Does("runs as another user", name)
    if name in WRAPPERS:
        yield from _wrapped(name, args)
    elif (kind := _kind(name)) is not None:
        yield from kind(name, args)
    texts = [it.text for it in args]
    if sending := _named(texts, _SENDING.get(name, ())):
        yield Does("pushes", f"{name} {sending}")
    if removing := _named(texts, _REMOVING.get(name, ())):
        yield Does("removes", f"{name} {removing}")


def _named(texts: Sequence[str], words: Sequence[str]) -> str:
    return next((it for it in texts[:4] if it in words), "")


def _kind(name: str) -> Callable[[str, Args], Iterator[Found]] | None:
    if name in SHELLS or name == "su":
        return _shell
    if interpreter(name):
        return _interpreter
    return _KINDS.get(name.partition(".")[0] or name)


def interpreter(name: str) -> bool:
    """Tell whether it runs programs in a language other than the shell's."""
    return name.rstrip("0123456789.") in INTERPRETERS


def operands(args: Args, valued: str = "") -> list[Arg]:
    """Return the arguments that are no options, nor values of the short options `valued`."""
    found, at, is_over = list[Arg](), 0, False
    while at < len(args):
        text = args[at].text
        if is_over or not text.startswith("-") or text == "-":
            found.append(args[at])
        elif text == "--":
            is_over = True
        elif len(text) == 2 and text[1] in valued:
            at += 1
        at += 1
    return found


def flags(args: Args) -> str:
    """Return the letters of all short options."""
    return "".join(
        it.text[1:] for it in args if it.text.startswith("-") and not it.text.startswith("--")
    )


def _value(args: Args, *names: str) -> Arg | None:
    """Return what stands behind an option, as a word of its own or in the same."""
    signs = [f"{it}=" if it.startswith("--") else it for it in names]
    for at, arg in enumerate(args):
        if arg.text in names and at + 1 < len(args):
            return args[at + 1]
        for sign in signs:
            if arg.text.startswith(sign) and len(arg.text) > len(sign):
                return Arg(arg.text[len(sign) :], arg.raw, arg.from_network)
    return None


def _wrapped(name: str, args: Args) -> Iterator[Found]:
    valued, at = WRAPPERS[name], 0
    if name == "command" and args and args[0].text in ("-v", "-V"):
        return
    if name == "env" and (split := _value(args, "-S", "--split-string")):
        yield RunsText(split)
    while at < len(args):
        text = args[at].text
        is_setting = "=" in text and name in ("env", "sudo", "doas")
        if not (text.startswith("-") or is_setting):
            break
        at += 2 if len(text) == 2 and text[1] in valued else 1
        if text == "--":
            break
    rest = tuple(args[at + OPERANDS.get(name, 0) :])
    if rest:
        yield RunsText(rest[0]) if name == "watch" and len(rest) == 1 else Runs(rest)


def _shell(name: str, args: Args) -> Iterator[Found]:
    for at, arg in enumerate(args[:-1]):
        is_short = arg.text.startswith("-") and not arg.text.startswith("--")
        if (is_short and arg.text.endswith("c")) or arg.text == "--command":
            yield RunsText(args[at + 1])
            return


def _interpreter(name: str, args: Args) -> Iterator[Found]:
    if name == "perl" and "i" in flags(args[:2]):
        yield from (Changes("overwrites", it) for it in operands(args)[1:])
    for arg in args:
        if not arg.text.startswith("-") and arg.text != "eval":
            return
        is_code = arg.text in _CODE or (name == "perl" and "e" in arg.text[1:3])
        if is_code:
            yield Does("cannot be read", f"{name} {arg.text}")
            return


def _all(deed: Deed) -> Callable[[str, Args], Iterator[Found]]:
    def found(name: str, args: Args) -> Iterator[Found]:
        rest = operands(args, "s" if name == "truncate" else "")
        yield from (Changes(deed, it) for it in rest)
        if not rest:
            yield Does(deed, name)

    return found


def _over(name: str, args: Args) -> Iterator[Found]:
    """`cp`, `mv` and their like: their last operand, unless it may not be overwritten."""
    if "n" in flags(args) or any(it.text in ("--no-clobber", "--dry-run") for it in args):
        return
    if name == "ln" and "f" not in flags(args):
        return
    to = _value(args, "-t", "--target-directory")
    last = to or (found[-1] if len(found := operands(args, "Sgmoe")) > 1 else None)
    if last is None:
        return
    if name in ("scp", "rsync") and ":" in last.text.partition("/")[0]:
        yield Does("pushes", f"{name} {last.raw}")
    else:
        yield Changes("overwrites", last)
    if name == "rsync" and any(it.text.startswith("--del") for it in args):
        yield Changes("removes", last)


def _tee(name: str, args: Args) -> Iterator[Found]:
    deed: Deed = "appends to" if "a" in flags(args) else "overwrites"
    yield from (Changes(deed, it) for it in operands(args))


def _sort(name: str, args: Args) -> Iterator[Found]:
    if to := _value(args, "-o", "--output"):
        yield Changes("overwrites", to)


def _dd(name: str, args: Args) -> Iterator[Found]:
    for it in args:
        if it.text.startswith("of="):
            yield Changes("overwrites", Arg(it.text[3:], it.raw[3:]))


def _modes(name: str, args: Args) -> Iterator[Found]:
    rest = operands(args)
    if "R" in flags(args) or any(it.text == "--recursive" for it in args):
        yield from (Changes("changes permissions", it) for it in rest[1:])


def _sed(name: str, args: Args) -> Iterator[Found]:
    if any(it.text.startswith(("-i", "--in-place", "-ni", "-Ei", "-ri")) for it in args):
        has_script = any(it.text in ("-e", "-f", "--expression") for it in args)
        rest = operands(args, "ef")
        yield from (Changes("overwrites", it) for it in rest[0 if has_script else 1 :])


def _find(name: str, args: Args) -> Iterator[Found]:
    for at, arg in enumerate(args):
        if arg.text == "-delete":
            yield Does("removes", "find -delete")
        elif arg.text in ("-exec", "-execdir", "-ok", "-okdir") or (
            name == "fd" and arg.text in ("-x", "-X", "--exec", "--exec-batch")
        ):
            yield Runs(tuple(args[at + 1 : at + 2 + _until_end(args[at + 2 :])]))
        elif arg.text.startswith("-fprint") or arg.text == "-fls":
            yield from (Changes("overwrites", it) for it in args[at + 1 : at + 2])


def _until_end(args: Args) -> int:
    return next((at for at, it in enumerate(args) if it.text in (";", "+")), len(args))


def _fetch(name: str, args: Args) -> Iterator[Found]:
    names = ("-O", "--output-document") if name == "wget" else ("-o", "--output")
    if (to := _value(args, *names)) and to.text != "-":
        yield Changes("overwrites", to)
    sends = ("-d", "-F", "-T", "--data", "--form", "--upload-file", "--post-", "--json")
    if any(it.text.startswith(sends) for it in args) or _is_sending(_value(args, "-X")):
        yield Does("pushes", name)


def _is_sending(method: Arg | None) -> bool:
    return method is not None and method.text.upper() in ("POST", "PUT", "PATCH", "DELETE")


def _tar(name: str, args: Args) -> Iterator[Found]:
    first = args[0].text.lstrip("-") if args else ""
    if name == "unzip" or "x" in first or any(it.text == "--extract" for it in args):
        to = _value(args, "-d" if name == "unzip" else "-C", "--directory")
        yield Changes("overwrites", to or Arg(".", "."))
    elif "c" in first:
        to = _value(args, "-f", "--file")
        yield from (Changes("overwrites", it) for it in ((to,) if to else args[1:2]))


def _ssh(name: str, args: Args) -> Iterator[Found]:
    if rest := operands(args, "bcDEeFIiJLlmOopQRSWw"):
        yield Does("leaves the project", f"ssh {rest[0].raw}")


def _eval(name: str, args: Args) -> Iterator[Found]:
    text = " ".join(it.text for it in args)
    network = any(it.from_network for it in args)
    yield RunsText(Arg(text, f"{name} {' '.join(it.raw for it in args)}", network))


def _first_text(name: str, args: Args) -> Iterator[Found]:
    yield from (RunsText(it) for it in operands(args)[:1])


def _alias(name: str, args: Args) -> Iterator[Found]:
    for it in args:
        if "=" in it.text:
            yield RunsText(Arg(it.text.partition("=")[2], it.raw))


def _awk(name: str, args: Args) -> Iterator[Found]:
    if any(sign in it.text for it in args for sign in ("system", "|", "print >", "print>", '> "')):
        yield Does("cannot be read", name)


def _editor(name: str, args: Args) -> Iterator[Found]:
    yield Does("cannot be read", name)


# --- git


def _verb(args: Args) -> int:
    """Return where the sub-command of git stands."""
    at = 0
    while at < len(args) and args[at].text.startswith("-"):
        at += 2 if args[at].text in ("-C", "-c", "--git-dir", "--work-tree") else 1
    return at


def _git(name: str, args: Args) -> Iterator[Found]:
    at = _verb(args)
    if "-c" in [it.text for it in args[:at]]:
        yield Does("cannot be read", "git -c")
    if at >= len(args):
        return
    verb, rest = args[at].text, args[at + 1 :]
    texts = {it.text for it in rest}
    if "\0" in verb:
        yield Does("cannot be read", f"git {args[at].raw}")
    for deed, words in _GIT.get(verb, {}).items():
        if said := next((it for it in words if it in texts), ""):
            yield Does(deed, f"git {verb} {said}")
        elif "" in words:
            yield Does(deed, _git_said(verb, rest))
    if verb in _GIT_MORE:
        yield from _GIT_MORE[verb](rest)


def _git_said(verb: str, rest: Args) -> str:
    force = [it.raw for it in rest if it.text.startswith(("-f", "--force", "--del", "--mir", "-d"))]
    return " ".join(("git", verb, *force[:1]))


_GIT: Final[dict[str, dict[Deed, tuple[str, ...]]]] = {
    "push": {"pushes": ("",)},
    "send-email": {"pushes": ("",)},
    "reset": {"overwrites": ("--hard", "--merge", "--keep")},
    "switch": {"overwrites": ("-f", "--force", "--discard-changes")},
    "branch": {"removes": ("-d", "-D", "--delete"), "overwrites": ("-f", "--force", "-M")},
    "tag": {"removes": ("-d", "--delete"), "overwrites": ("-f", "--force")},
    "stash": {"removes": ("drop", "clear")},
    "worktree": {"removes": ("remove", "prune")},
    "reflog": {"removes": ("expire", "delete")},
    "update-ref": {"overwrites": ("",)},
    "filter-branch": {"overwrites": ("",)},
    "filter-repo": {"overwrites": ("",)},
    "config": {"leaves the project": ("--global", "--system")},
}


def _clean(rest: Args) -> Iterator[Found]:
    if not {"-n", "--dry-run"} & {it.text for it in rest}:
        yield Does("removes", "git clean")


def _restore(rest: Args) -> Iterator[Found]:
    texts = {it.text for it in rest}
    if {"-W", "--worktree"} & texts or not {"-S", "--staged"} & texts:
        yield Does("overwrites", "git restore")


def _git_rm(rest: Args) -> Iterator[Found]:
    if not {"--cached", "-n", "--dry-run"} & {it.text for it in rest}:
        yield Does("removes", "git rm")


def _each(rest: Args) -> Iterator[Found]:
    """`git bisect run`, `git submodule foreach`."""
    if len(rest) > 1 and rest[0].text in ("run", "foreach"):
        yield RunsText(rest[1]) if len(rest) == 2 else Runs(tuple(rest[1:]))


def _checkout(rest: Args) -> Iterator[Found]:
    texts = [it.text for it in rest]
    makes = {"-b", "-B", "-t", "--track", "--orphan", "--detach"} & set(texts)
    is_forced = {"--", "-f", "--force", ".", ":/"} & set(texts)
    if is_forced or (not makes and len(operands(rest)) > 1):
        yield Does("overwrites", "git checkout")


_GIT_MORE: Final[dict[str, Callable[[Args], Iterator[Found]]]] = {
    "checkout": _checkout,
    "clean": _clean,
    "restore": _restore,
    "rm": _git_rm,
    "bisect": _each,
    "submodule": _each,
}
_KINDS: Final[dict[str, Callable[[str, Args], Iterator[Found]]]] = {
    **dict.fromkeys(("rm", "rmdir", "unlink", "shred", "srm", "trash"), _all("removes")),
    **dict.fromkeys(("cp", "mv", "ln", "install", "rsync", "scp"), _over),
    **dict.fromkeys(("truncate",), _all("overwrites")),
    **dict.fromkeys(("chmod", "chown", "chgrp"), _modes),
    **dict.fromkeys(("sed", "gsed"), _sed),
    **dict.fromkeys(("find", "fd"), _find),
    **dict.fromkeys(("curl", "wget"), _fetch),
    **dict.fromkeys(("tar", "bsdtar", "unzip"), _tar),
    **dict.fromkeys(("awk", "gawk", "mawk"), _awk),
    **dict.fromkeys(("ed", "ex", "vim", "nvim", "vi", "emacs"), _editor),
    **dict.fromkeys(("mkfs", "wipefs", "sponge"), _all("overwrites")),
    **dict.fromkeys(("sort", "shuf"), _sort),
    "tee": _tee,
    "dd": _dd,
    "ssh": _ssh,
    "eval": _eval,
    "trap": _first_text,
    "alias": _alias,
    "git": _git,
}
