"""What git does with its arguments beyond reading."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.shell.arguments import (
    Args,
    Changes,
    Deed,
    Does,
    Found,
    Runs,
    RunsText,
    commands_in,
    operands,
    value,
)

_RUNNING: Final = {
    "grep": ("-O", "--open-files-in-pager"),
    "difftool": ("-x", "--extcmd"),
    "rebase": ("-x", "--exec"),
    "clone": ("-u", "--upload-pack"),
    **dict.fromkeys(("fetch", "pull", "ls-remote"), ("--upload-pack",)),
    **dict.fromkeys(("push", "archive"), ("--receive-pack", "--exec")),
}
"""Options of a sub-command whose value is a command."""


def _verb(args: Args) -> int:
    """Return where the sub-command of git stands."""
    at = 0
    while at < len(args) and args[at].text.startswith("-"):
        at += 2 if args[at].text in ("-C", "-c", "--git-dir", "--work-tree") else 1
    return at


def git(name: str, args: Args) -> Iterator[Found]:
    """Yield it; `args` are those behind the name."""
    at = _verb(args)
    if said := next((it.text for it in args[:at] if _SAYING.match(it.text)), ""):
        yield Does("cannot be read", f"git {said.partition('=')[0]}")
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
    to = value(rest, "--output", *(("-o",) if verb in ("archive", "format-patch") else ()))
    yield from (Changes("overwrites", it) for it in (to,) if it)
    yield from commands_in(rest, _RUNNING.get(verb, ()))


_SAYING = lazy_pattern(r"-c$|--config-env|--exec-path=")


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


def _config(rest: Args) -> Iterator[Found]:
    """`git config KEY VALUE`; what is not the project's is told by its options."""
    texts, names = [it.text for it in rest], operands(rest, "f")
    if any(it.startswith(("--get", "--list", "-l", "--global", "--system")) for it in texts):
        return
    words = [it for it in names if it.text not in ("set", "unset", "get", "list", "edit")]
    is_verb = texts[:1] in (["set"], ["unset"])
    if len(words) > 1 or is_verb or any(it.startswith(_UNSAYING) for it in texts):
        yield Does("overwrites", " ".join(("git config", *(it.raw for it in words[:1]))))


_UNSAYING: Final = ("--unset", "--remove-section", "--rename-section", "--edit", "-e")


def _checkout(rest: Args) -> Iterator[Found]:
    texts = [it.text for it in rest]
    makes = {"-b", "-B", "-t", "--track", "--orphan", "--detach"} & set(texts)
    is_forced = {"--", "-f", "--force", ".", ":/"} & set(texts)
    if is_forced or (not makes and len(operands(rest)) > 1):
        yield Does("overwrites", "git checkout")


_GIT_MORE: Final[dict[str, Callable[[Args], Iterator[Found]]]] = {
    "checkout": _checkout,
    "clean": _clean,
    "config": _config,
    "restore": _restore,
    "rm": _git_rm,
    "bisect": _each,
    "submodule": _each,
}
