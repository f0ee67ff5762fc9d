"""A Neovim with the real host, an agent that the test plays, and the relay that it starts."""

from __future__ import annotations

import sys
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.support.main_job import MainJob
from tests.support.tools.relay_peer import RelayPeer

SCRIPTED = Path(__file__).with_name("scripted_server.lua")
PYLSP = """
local program, plugins = ...
vim.filetype.add({ extension = { py = 'python' } })
vim.cmd('filetype on')
vim.api.nvim_create_autocmd('FileType', {
  pattern = 'python',
  callback = function(event)
    vim.lsp.start({
      name = 'pylsp',
      cmd = { program },
      root_dir = vim.fn.getcwd(),
      settings = { pylsp = { plugins = plugins } },
    }, { bufnr = event.buf })
  end,
})
"""


class ToolsJob:
    """`peer` calls the tools of the session that `agent` has opened."""

    def __init__(self, job: MainJob) -> None:
        self.job = job
        self.nvim = job.nvim
        self.work = job.work

    def __enter__(self) -> ToolsJob:
        job = self.job
        job.command("AcpStart scripted")
        self.agent = job.stage.accept()
        self.agent.initialize()
        servers = self.agent.open()["params"]["mcpServers"]
        job.until(lambda: job.session().get("state") == "idle")
        self.server = servers[-1]
        self.peer = RelayPeer(self.server)
        self.peer.initialize()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.peer.close()

    # --- language servers

    def script(self, **answers: Any) -> None:
        """Have the scripted server for `*.txt`, with answers by the last words of methods."""
        self.nvim.lua(SCRIPTED.read_text(encoding="utf-8"))
        self.answer(**answers)

    def answer(self, **answers: Any) -> None:
        """Let the scripted server answer so from now on."""
        methods = {f"textDocument/{name}": it for name, it in answers.items()}
        self.nvim.lua("scripted.answers = vim.tbl_extend('force', scripted.answers, ...)", methods)

    def pylsp(self) -> None:
        """Have a real language server for Python."""
        program = str(Path(sys.executable).with_name("pylsp"))
        self.nvim.lua(PYLSP, program, {"jedi_completion": {"enabled": False}})

    # --- files

    def file(self, name: str, text: str) -> str:
        """Make a file that is not open, and return its path."""
        path = self.work / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)
        return str(path)

    def edit(self, name: str, text: str) -> str:
        """Make a file, open it, and return its path."""
        return str(self.job.edit(name, text))

    def lines(self, name: str) -> list[str]:
        """Return the lines of the buffer of a file."""
        return self.nvim.lines(self.nvim.eval(f"bufnr('{self.work / name}')"))

    def uri(self, name: str) -> str:
        return (self.work / name).as_uri()
