"""What a permission is about, side by side: the user's live file, and what it would be."""

from __future__ import annotations

from msgspec.structs import replace

from acp_nvim import hunks
from acp_nvim.editor import LiveBuffer
from acp_nvim.files.live import LiveFile
from acp_nvim.files.text import buffer_form
from acp_nvim.questions.preview import Previewed
from acp_nvim.reactions import asking, questions
from acp_nvim.session.model import PermissionQuestion
from acp_nvim.session.proposal.proposal import Preview
from acp_nvim.view.place import relative
from acp_nvim.view.question.comparison import Comparison, Side
from acp_nvim.view.visible import one_line, visible
from acp_nvim.workspace.host import Host

ON_DISK = LiveBuffer(0, 0, (), modified=False)
"""What a file is like that no buffer holds."""


async def compare(host: Host, ask: str, index: int) -> Comparison | None:
    """Answer the files that a permission is about, one of them (`index`, counted round) as a spec.

    None when it is answered by now, or nothing of it can be compared.
    """
    asked = asking.find(host, ask)
    if asked is None or not isinstance(asked.question, PermissionQuestion):
        return None
    found = await questions.gather(host, asked)
    if host.questions.find(ask) is None:
        return None
    fitting = [it for it in found if not it[0].misfit]
    if not fitting:
        return None
    index %= len(fitting)
    title = f"{index + 1} of {len(fitting)}, d: next" if len(fitting) > 1 else ""
    agent = asked.session.state.agent
    made = _comparison(fitting[index], asked.session.state.cwd, agent, title)
    return replace(made, seen=asking.shown(host, asked).seen)


def _comparison(previewed: Previewed, cwd: str, agent: str, title: str) -> Comparison:
    preview, held = previewed
    path = relative(preview.path, cwd)
    old = _lines(preview.before, held)
    proposed = Side(
        f"{path} {_outcome(preview, cwd, agent)}", _shown(old, _lines(preview.after, held))
    )
    return Comparison(_left(preview, held, path, old), proposed, title)


def _left(preview: Preview, held: LiveFile, path: str, old: tuple[str, ...]) -> Side:
    if preview.before is None and held.buffer is None:
        return Side(f"{path} (no such file)", file=held.path)
    return Side(path, old, held.path)


def _outcome(preview: Preview, cwd: str, agent: str) -> str:
    if preview.after is None:
        return "(deleted)"
    target = relative(preview.moved_to, cwd)
    moved = f"→ {target} " if target else ""
    return f"{moved}(as {one_line(agent, 40)} proposes)"


def _lines(text: str | None, held: LiveFile) -> tuple[str, ...]:
    """Return the lines that the buffer of the file has, or would have."""
    # what is shown is read already
    buffer = replace(held.buffer or ON_DISK, encoding="")
    return buffer_form(text, buffer)[0] if text else ()


def _shown(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    """Return the new lines; those that come from the agent made visible."""
    found = (
        hunks.Hunk(it.first, it.last, tuple(map(visible, it.lines))) for it in hunks.diff(old, new)
    )
    return tuple(hunks.apply(old, tuple(found)))
