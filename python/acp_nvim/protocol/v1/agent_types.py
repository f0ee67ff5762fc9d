"""What an agent of ACP v1 tells of itself: the result of `initialize`, and its login status."""

from __future__ import annotations

from typing import Any

from acp_nvim.protocol.base import Lenient, LenientList, WireModel
from acp_nvim.protocol.common.answer_types import Implementation


class PromptCapabilities(WireModel):
    """`agentCapabilities.promptCapabilities`."""

    image: Lenient[bool]
    audio: Lenient[bool]
    embedded_context: Lenient[bool]


class McpCapabilities(WireModel):
    """`agentCapabilities.mcpCapabilities`."""

    http: Lenient[bool]
    sse: Lenient[bool]
    acp: Lenient[bool]


class SessionCapabilities(WireModel):
    """`agentCapabilities.sessionCapabilities`: any object means yes (C-039)."""

    list: Lenient[dict[str, Any]]
    delete: Lenient[dict[str, Any]]
    additional_directories: Lenient[dict[str, Any]]
    resume: Lenient[dict[str, Any]]
    close: Lenient[dict[str, Any]]
    fork: Lenient[dict[str, Any]]
    title: Lenient[dict[str, Any]]
    archive: Lenient[dict[str, Any]]


class AuthCapabilities(WireModel):
    """`agentCapabilities.auth`."""

    logout: Lenient[dict[str, Any]]
    status: Lenient[dict[str, Any]]


class Capabilities(WireModel):
    """`agentCapabilities`."""

    load_session: Lenient[bool]
    prompt_capabilities: Lenient[PromptCapabilities]
    mcp_capabilities: Lenient[McpCapabilities]
    session_capabilities: Lenient[SessionCapabilities]
    auth: Lenient[AuthCapabilities]


class AuthMethod(WireModel):
    """A way to log in."""

    id: str
    name: str
    description: Lenient[str]
    type: Lenient[str]
    args: LenientList[str]
    env: Lenient[dict[str, str]]


class InitializeResult(WireModel):
    """The result of `initialize`; the version is judged by `negotiate`."""

    agent_capabilities: Lenient[Capabilities]
    auth_methods: LenientList[AuthMethod]
    agent_info: Lenient[Implementation]
