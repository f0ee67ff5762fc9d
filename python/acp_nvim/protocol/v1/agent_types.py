"""What an agent of ACP v1 tells of itself: the result of `initialize`, and its login status."""

from __future__ import annotations

from typing import Any

from acp_nvim.protocol.base import Lenient, LenientList, WireModel


class PromptCapabilities(WireModel):
    """`agentCapabilities.promptCapabilities`."""

    image: Lenient[bool]
    audio: Lenient[bool]
    embedded_context: Lenient[bool]


class McpCapabilities(WireModel):
    """`agentCapabilities.mcpCapabilities`."""

    http: Lenient[bool]
    sse: Lenient[bool]


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


class AuthAccount(WireModel):
    """An account that the agent is logged in with."""

    label: str
    name: Lenient[str]
    email: Lenient[str]


class AuthStatus(WireModel):
    """The result of `auth/status`, and `auth/status_update`."""

    state: Lenient[str]
    accounts: LenientList[AuthAccount]


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


class Implementation(WireModel):
    """Name and version of the agent."""

    name: Lenient[str]
    title: Lenient[str]
    version: Lenient[str]


class InitializeResult(WireModel):
    """The result of `initialize`; the version is judged by `negotiate`."""

    agent_capabilities: Lenient[Capabilities]
    auth_methods: LenientList[AuthMethod]
    agent_info: Lenient[Implementation]
