"""`gx` in a chat: an address goes to the browser, if need be after the user has seen it."""

from __future__ import annotations

from acp_nvim.commands.payloads.of_views import OpenLink
from acp_nvim.editor import Choice
from acp_nvim.errors import UserError
from acp_nvim.session.elicitation.address import judge
from acp_nvim.session.elicitation.named import doubts
from acp_nvim.view.visible import one_line
from acp_nvim.workspace.host import Host

SHOWN = 200
"""Characters of an address that are shown."""


async def browse(host: Host, payload: OpenLink) -> None:
    """Open that address, and say where it goes; ask where its text may say something else."""
    address = judge(payload.address)
    if address.refusal:
        raise UserError(f"that address is not opened: {address.refusal}")
    shown = one_line(payload.address, SHOWN)
    if found := doubts(payload.text, payload.address):
        why = one_line("; ".join(found), SHOWN)
        title = f"This link goes to {address.host}, but {why}. Open it?"
        choices = [Choice("No", value=False), Choice(f"Yes, open {shown}", value=True)]
        if not await host.editor.chooser.choose(title, "acp.confirm", choices):
            return
    if problem := await host.editor.questions.browse(payload.address):
        raise UserError(f"the browser was not started: {problem}")
    host.editor.notifier.notice(f"{shown} is open in the browser")
