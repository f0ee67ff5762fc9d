"""A race: one prompt to several agents, each in a worktree of its own."""

from __future__ import annotations

from collections.abc import Sequence

from acp_nvim.commands.agent import begin
from acp_nvim.commands.prompting import prompt
from acp_nvim.commands.worktrees.meant import OfWorktree, project
from acp_nvim.commands.worktrees.worktrees import begun_with, make, opened, plan
from acp_nvim.errors import UserError
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host
from acp_nvim.worktrees import making
from acp_nvim.worktrees.records import Worktree

USAGE = ":Acp race takes two agents or more, then the prompt"


async def race(host: Host, text: str, file: str, cwd: str, chat: int | None = None) -> None:
    """Make a worktree for each agent that the text begins with, once the user agrees, and send all
    of them the prompt behind that."""
    agents, text = _parsed(host, text)
    home = project(host, OfWorktree("new", file, cwd, chat=chat))
    planned = await plan(host, home, agents)
    places = ", ".join(f"{it.folder} (branch {it.branch})" for it in planned)
    title = f"Race {', '.join(agents)} in {len(planned)} worktrees: {places}?"
    title += f" Each begins with what {await begun_with(host, home)}"
    if not await host.agrees(title, "Yes, make them and send the prompt"):
        return
    await _make_all(host, planned)
    for it in planned:
        new = await opened(host, it)
        prompt(host, new, text, (), bang=False)
        host.tasks.start_soon(_begin, host, new)
    racing = f"{len(planned)} agents race: :Acp sessions lists them"
    host.editor.notifier.notice(f"{racing}, :Acp compare shows the changes of each")


def _parsed(host: Host, text: str) -> tuple[list[str], str]:
    """Return the agents that the text begins with, and the prompt behind them, as it is."""
    known = {row["name"] for row in host.workspace.available()}
    agents, rest = [], text.lstrip()
    while (word := rest.split(maxsplit=1)[:1]) and word[0] in known:
        agents.append(word[0])
        rest = rest.removeprefix(word[0]).lstrip()
    if len(agents) < 2 or not rest:
        raise UserError(USAGE)
    return agents, rest


async def _make_all(host: Host, planned: Sequence[Worktree]) -> None:
    """Make all worktrees, or none."""
    made: list[Worktree] = []
    try:
        for it in planned:
            await make(host, it)
            made.append(it)
    except UserError:
        for it in made:
            await making.remove(host.workspace.worktrees, it)
        raise


async def _begin(host: Host, chat: Chat) -> None:
    """Open a session; what goes wrong its chat says, and the others go on."""
    try:
        await begin(host, chat)
    except UserError as error:
        said = f"{chat.session.state.agent} is not in the race: {error}"
        host.editor.notifier.notice(said, warning=True)
