"""What the permissions that wait are about, in the buffers of the files themselves.

What is drawn is right for one moment of a buffer; once the user has typed it is found anew, which
changes nothing of what the question itself shows.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from acp_nvim.aside import aside_if_large
from acp_nvim.questions.preview import Previewed, PreviewService
from acp_nvim.questions.questions import Sight
from acp_nvim.reactions.asking import Asked, subject, waiting
from acp_nvim.review.presenter import Foreseen
from acp_nvim.view.question.in_place import in_place
from acp_nvim.workspace.host import Host


def foresee(host: Host) -> None:
    """Show it as the files were when they were read last; where nothing waits, nothing."""
    found = (it for sight in host.questions.sights if sight.ready for it in sight.in_place)
    host.review.presenter.foresee(dict(_marked(found)))


def edited(host: Host, path: str) -> None:
    """The user has opened that file, or typed in it."""
    for asked in waiting(host):
        if any(live.path == path for _, live in _sight(host, asked).in_place):
            host.tasks.start_soon(_look, host, asked)


async def prepare(found: Iterable[Previewed]) -> None:
    """Find out in a thread what is drawn in large files: `foresee` knows it then."""
    for preview, live in found:
        if live.buffer is not None:
            marking = partial(in_place, preview, len(live.buffer.lines))
            await aside_if_large(marking, preview.before or "", preview.after or "")


async def _look(host: Host, asked: Asked) -> None:
    call, roots = subject(asked), host.workspace.roots(asked.session)
    if call is not None:
        found = await PreviewService(host.editor.files).gather(call, roots)
        await prepare(found)
        _sight(host, asked).in_place = found
        foresee(host)


def _marked(found: Iterable[Previewed]) -> Iterable[tuple[str, Foreseen]]:
    for preview, live in found:
        if live.buffer is None:
            yield live.path, Foreseen()
        else:
            marks = in_place(preview, len(live.buffer.lines))
            yield live.path, Foreseen(live.buffer.changedtick, marks)


def _sight(host: Host, asked: Asked) -> Sight:
    return host.questions.sight(asked.question.id)
