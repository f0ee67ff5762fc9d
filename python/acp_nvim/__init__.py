"""acp.nvim: the Agent Client Protocol for Neovim.

Read `doc/architecture.md` first: four stages (wire, protocol, session, view), two pure functions
each, and everything with a clock, a process, a file or an editor around them.
"""

from acp_nvim import lazy

__version__ = "0.1.0"

lazy.install()
