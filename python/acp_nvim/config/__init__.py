"""The user's configuration: what it may hold, and what holds of it. Anyone may import it."""

from acp_nvim.config.options import GUARD as GUARD
from acp_nvim.config.options import AgentOptions as AgentOptions
from acp_nvim.config.options import Defaults as Defaults
from acp_nvim.config.options import McpServer as McpServer
from acp_nvim.config.options import NamedValue as NamedValue
from acp_nvim.config.options import Options as Options
from acp_nvim.config.options import parse as parse
