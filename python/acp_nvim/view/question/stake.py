"""What an answer to a permission decides, and nothing else of what is drawn.

Its digest goes with every answer, which is refused where something else is at stake by now. Words
around it may change at any time and raise no alarm: a title beside a command, a state, a kind, the
line of a place. Where nothing but the title says what is done, the title is at stake.
"""

from __future__ import annotations

from collections.abc import Sequence

from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.content import Diff, FileChange, TerminalOutput, Text
from acp_nvim.session.model import PermissionQuestion
from acp_nvim.session.proposal.proposal import Preview
from acp_nvim.session.proposal.tool_input import NEW, OLD, PATHS, SPOKEN, TEXT, raw_proposals
from acp_nvim.session.state import ToolCall
from acp_nvim.view.chat import raw

MEANING = frozenset({"edit", "delete", "move"})
"""Kinds that say what becomes of a path in an input that says no more."""
SHORT = 10_000
"""Characters of a text in which paths are looked for."""
WORDS = frozenset({"_i", "i", "intent", "purpose", "rationale", "summary", "thought", "title"})
"""Members of an input that say what a command is for."""
PARTS = lazy_pattern(r"[\s'\"`=;]+")


def at_stake(
    question: PermissionQuestion, tool: ToolCall | None, cwd: str, previews: Sequence[Preview]
) -> tuple[object, ...]:
    """Return it as a value: the same for whatever decides the same."""
    own = question.subject and (question.subject.title, question.subject.cwd)
    asked = (question.options, question.asks, own)
    if tool is None:
        return asked
    commands: tuple[object, ...] = (*_commands(tool), *_folders(tool, cwd))
    files, given = _files(tool, previews), _given(tool, cwd, previews)
    kind = ""
    if not (commands or files):
        is_command = any(name.partition(".")[0] in raw.COMMANDS for name, _ in given)
        kind = tool.kind if given and not is_command and tool.kind in MEANING else ""
        commands = _names(tool)
    said = (*commands, *given, *(path for path, *_ in files))
    return (*asked, commands, files, given, kind, _places(tool, cwd, said))


def named(tool: ToolCall) -> str:
    """Return the title as a command is written: without quotes around all of it, or a prompt."""
    found = tool.title or tool.kind
    is_code = len(found) > 2 and found[0] == found[-1] == "`" and "`" not in found[1:-1]
    found = found[1:-1] if is_code else found
    return found.removeprefix("$ ") or found


def _commands(tool: ToolCall) -> tuple[str, ...]:
    """Return what is run, each line once: by the input, and in terminals that it names.

    An input that is no object, or is too long to be taken apart, is one as it is.
    """
    alone = "" if raw.is_object(tool.raw_input or "") else raw.readable(tool.raw_input)
    found = (alone, raw.command(tool.raw_input), *(it.command for it in tool.terminals))
    return tuple(dict.fromkeys(filter(None, found)))


def _folders(tool: ToolCall, cwd: str) -> tuple[tuple[str, object], ...]:
    """Return where terminals run, and with what, if not as the session does."""
    here = cwd.rstrip("/")
    return tuple(
        (it.cwd, it.env)
        for it in tool.terminals
        if it.env or (it.cwd and it.cwd.rstrip("/") != here)
    )


def _names(tool: ToolCall) -> tuple[object, ...]:
    """Return the texts that say what is done, or what the agent calls it."""
    others = (it for it in tool.content if not isinstance(it, Diff | FileChange | TerminalOutput))
    words = tuple(it.text if isinstance(it, Text) else it for it in others)
    is_told = bool(words or raw.beside(tool.raw_input))
    return words if is_told else (named(tool),)


def _files(tool: ToolCall, previews: Sequence[Preview]) -> tuple[tuple[object, ...], ...]:
    """Return each file as it is and would be; where that is not known, what the agent shows."""
    known = sorted(previews, key=lambda it: it.path)
    shown = {part for it in previews if not it.misfit for part in it.told}
    return (
        *((it.path, it.moved_to, it.before, it.after, it.misfit, it.contradicted) for it in known),
        *(
            (it.path, it.old_text, it.new_text)
            for it in tool.content
            if isinstance(it, Diff) and it not in shown
        ),
        *(
            (it.path, it.operation, it.old_path, it.file_type)
            for it in tool.content
            if isinstance(it, FileChange)
        ),
    )


def _given(tool: ToolCall, cwd: str, previews: Sequence[Preview]) -> tuple[tuple[str, str], ...]:
    """Return what the input says besides a command, and besides the files that are shown."""
    is_shown = _are_shown(tool, previews)
    diffs = [it for it in tool.content if isinstance(it, Diff)]
    told = {(name, it.path) for it in diffs for name in PATHS}
    told |= {(name, it.old_text or "") for it in diffs for name in OLD}
    told |= {(name, it.new_text) for it in diffs for name in (*NEW, *TEXT)}
    idle = WORDS if raw.command(tool.raw_input) else frozenset()
    leaves = (
        (name, text)
        for name, text in raw.beside(tool.raw_input)
        if name not in idle
        and not raw.is_here(name, text, cwd)
        and not (is_shown and name.partition(".")[0] in SPOKEN)
        and (name, text) not in told
    )
    return tuple(sorted(leaves))


def _are_shown(tool: ToolCall, previews: Sequence[Preview]) -> bool:
    """Tell whether the previews say all that the input proposes for files."""
    if not previews or any(it.misfit or it.contradicted for it in previews):
        return False
    return 0 < len(raw_proposals(tool)) <= len(previews)


def _places(tool: ToolCall, cwd: str, said: tuple[object, ...]) -> tuple[str, ...]:
    """Return the paths of the locations, without lines, that nothing at stake names."""
    if not tool.locations:
        return ()
    known = {cwd.rstrip("/"), *_texts(said)}
    root = cwd.rstrip("/") + "/"
    paths = dict.fromkeys(it.path for it in tool.locations)
    return tuple(sorted(it for it in paths if not {it, it.removeprefix(root)} & known))


def _texts(value: object) -> set[str]:
    """Return the short texts in it, and the words of these."""
    if isinstance(value, str):
        return {value, *PARTS.split(value)} if len(value) <= SHORT else set()
    if isinstance(value, tuple):
        return set().union(*map(_texts, value))
    return set()
