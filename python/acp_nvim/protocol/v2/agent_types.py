"""What an agent of ACP v2 tells of itself: the result of `initialize`."""

from __future__ import annotations

from typing import Any

from acp_nvim.protocol.base import Lenient, LenientList, WireModel
from acp_nvim.protocol.common.answer_types import Implementation


class PromptCapabilities(WireModel):
    """`capabilities.session.prompt`: any object means yes."""

    image: Lenient[dict[str, Any]]
    audio: Lenient[dict[str, Any]]
    embedded_context: Lenient[dict[str, Any]]


class McpCapabilities(WireModel):
    """`capabilities.session.mcp`."""

    stdio: Lenient[dict[str, Any]]
    http: Lenient[dict[str, Any]]
    acp: Lenient[dict[str, Any]]


class SessionCapabilities(WireModel):
    """`capabilities.session`; the last three are of the unstable schema."""

    prompt: Lenient[PromptCapabilities]
    mcp: Lenient[McpCapabilities]
    delete: Lenient[dict[str, Any]]
    additional_directories: Lenient[dict[str, Any]]
    fork: Lenient[dict[str, Any]]
    title: Lenient[dict[str, Any]]
    archive: Lenient[dict[str, Any]]


class AuthCapabilities(WireModel):
    """`capabilities.auth`, of the unstable schema."""

    status: Lenient[dict[str, Any]]


class Capabilities(WireModel):
    """`capabilities`."""

    session: Lenient[SessionCapabilities]
    auth: Lenient[AuthCapabilities]


class EnvVariable(WireModel):
    """A variable of the environment of a login's command."""

    name: str
    value: str


class AuthMethod(WireModel):
    """A way to log in."""

    method_id: str
    name: str
    description: Lenient[str]
    type: str
    args: LenientList[str]
    env: LenientList[EnvVariable]


class InitializeResult(WireModel):
    """The result of `initialize`; the version is judged by `negotiate`."""

    capabilities: Lenient[Capabilities]
    auth_methods: LenientList[AuthMethod]
    info: Lenient[Implementation]
