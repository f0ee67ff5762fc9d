"""What an agent of ACP v1 asks of the client, as the schema says and no stricter: the parameters of
its requests, and of the notifications that go with them. See `types` for what it tells.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from acp_nvim.protocol.base import Items, Lenient, LenientList, WireModel
from acp_nvim.protocol.v1.types import ToolCall


class PermissionOption(WireModel):
    """One answer; without a kind it is still an answer (C-189)."""

    option_id: str
    name: str
    kind: Lenient[str]


class RequestPermission(WireModel):
    """`session/request_permission`."""

    session_id: str
    tool_call: ToolCall
    options: Items[PermissionOption]


class ReadTextFile(WireModel):
    """`fs/read_text_file`; `line` is 1-based. Null is absent; nothing else is forgiven."""

    session_id: str
    path: str
    line: int | None = Field(default=None, ge=0)
    limit: int | None = Field(default=None, ge=0)


class WriteTextFile(WireModel):
    """`fs/write_text_file`."""

    session_id: str
    path: str
    content: str


class FormSchema(WireModel):
    """`requestedSchema`; the properties are decoded one by one."""

    title: Lenient[str]
    description: Lenient[str]
    properties: dict[str, dict[str, Any]] = Field(default_factory=dict)
    required: list[str] | None = None


class CreateElicitation(WireModel):
    """`elicitation/create`, of whatever mode."""

    mode: str
    message: str
    session_id: str | None = None
    tool_call_id: Lenient[str]
    request_id: str | int | None = None


class FormMode(WireModel):
    """`elicitation/create`, mode `form`."""

    requested_schema: FormSchema


class UrlMode(WireModel):
    """`elicitation/create`, mode `url`."""

    elicitation_id: str
    url: str


class EnumOption(WireModel):
    """An enum value with a title."""

    const: str
    title: str
    description: Lenient[str]


class StringProperty(WireModel):
    """A property of type `string`; with `enum` or `oneOf` a choice."""

    title: Lenient[str]
    description: Lenient[str]
    min_length: int | None = Field(default=None, ge=0)
    max_length: int | None = Field(default=None, ge=0)
    pattern: str | None = None
    format: str | None = None
    default: Lenient[str]
    enum: list[str] | None = None
    one_of: list[EnumOption] | None = None


class NumberProperty(WireModel):
    """A property of type `number`."""

    title: Lenient[str]
    description: Lenient[str]
    minimum: float | None = None
    maximum: float | None = None
    default: Lenient[float]


class IntegerProperty(WireModel):
    """A property of type `integer`."""

    title: Lenient[str]
    description: Lenient[str]
    minimum: int | None = None
    maximum: int | None = None
    default: Lenient[int]


class BooleanProperty(WireModel):
    """A property of type `boolean`."""

    title: Lenient[str]
    description: Lenient[str]
    default: Lenient[bool]


class ArrayProperty(WireModel):
    """A property of type `array`: some of the items."""

    title: Lenient[str]
    description: Lenient[str]
    min_items: int | None = Field(default=None, ge=0)
    max_items: int | None = Field(default=None, ge=0)
    items: dict[str, Any]
    default: LenientList[str]


class PlainItems(WireModel):
    """The items of an array, type `string`."""

    enum: list[str]


class TitledItems(WireModel):
    """The items of an array, with titles."""

    any_of: list[EnumOption]


class CompleteElicitation(WireModel):
    """`elicitation/complete`."""

    elicitation_id: Lenient[str]


class EnvVariable(WireModel):
    """A variable of the environment of a command."""

    name: str
    value: str


class CreateTerminal(WireModel):
    """`terminal/create`: null is absent, and what is wrong otherwise must run nothing."""

    session_id: str
    command: str
    args: list[str] | None = None
    env: list[EnvVariable] | None = None
    cwd: str | None = None
    output_byte_limit: int | None = Field(default=None, ge=0)


class TerminalRequest(WireModel):
    """`terminal/output`, `wait_for_exit`, `kill` and `release`."""

    session_id: str
    terminal_id: str


class ToldExit(WireModel):
    """`_meta.terminal_exit`, a convention of agents, who write it in snake_case."""

    exit_code: Lenient[int]
    signal: Lenient[str]


class CancelRequest(WireModel):
    """`$/cancel_request`."""

    request_id: Lenient[str | int]
