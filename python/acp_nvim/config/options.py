"""The user's configuration: `vim.g.acp` as Lua hands it over, made into frozen `Options`.

`parse` never raises: a key that is wrong gets its default and one sentence. Anyone may import it.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from acp_nvim.config.kinds import (
    AbsolutePath,
    Folders,
    Fraction,
    List,
    Map,
    Minutes,
    RegistryUrl,
    Rows,
    Size,
    StaysInLua,
    Tools,
    Url,
    Value,
    as_map,
    as_pairs,
    must,
)
from acp_nvim.errors import suggest

Path: TypeAlias = tuple[str | int, ...]

GUARD = (
    *(".git/**", "**/commondir", "**/gitdir"),
    *(".hg/**", ".jj/**", ".sl/**", "_darcs/**"),
    *(".nvim.lua", ".lazy.lua", ".nvimrc", ".exrc", ".envrc", ".vscode/tasks.json"),
)
"""Files that the user's own tools would obey."""

_ROOT = "vim.g.acp"


class Section(BaseModel):
    """A table of the configuration: its keys are known, its values are never converted."""

    model_config = ConfigDict(frozen=True, strict=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, value: object) -> object:
        value = as_map(value)
        if not isinstance(value, dict):
            return value
        known = [field.alias or name for name, field in cls.model_fields.items()]
        if unknown := [key for key in value if key not in known]:
            raise PydanticCustomError("unknown", "unknown", {"keys": unknown, "known": known})
        return value


class NamedValue(Section):
    """An environment variable or an HTTP header."""

    name: str
    value: str


Pairs: TypeAlias = Annotated[tuple[NamedValue, ...], BeforeValidator(as_pairs)]


class McpServer(Section):
    """An MCP server that the agent shall use (v1/session-setup § MCP Servers).

    `stdio` has `command` (absolute), `args`, `env`; `http` and `sse` have `url`, `headers`.
    """

    name: str
    type: Literal["stdio", "http", "sse"] = "stdio"
    command: AbsolutePath = ""
    args: List[str] = ()
    env: Pairs = ()
    url: str = ""
    headers: Pairs = ()

    @model_validator(mode="after")
    def _complete(self) -> McpServer:
        needed = "command" if self.type == "stdio" else "url"
        if not getattr(self, needed):
            raise PydanticCustomError("incomplete", "incomplete", {"key": needed})
        return self


_LAST, _TABLE = "(last)", "(table)"
_Last: TypeAlias = Annotated[
    str, must(lambda value: value == "last", "a table, or 'last' for what was chosen last")
]


class Defaults(Section):
    """What a new session is set to: a mode, a model, options by their ids."""

    mode: str | None = None
    model: str | None = None
    config: Map[Value] = Field(default_factory=dict)


def _defaults_tag(value: object) -> str:
    return _LAST if isinstance(value, str) else _TABLE


class AgentOptions(Section):
    """How to start an agent; None means: as the preset of that name says.

    One with a `url` runs elsewhere. Of its headers the names alone are here: Lua keeps the values.
    """

    command: str | None = None
    args: List[str] | None = None
    env: Map[str] = Field(default_factory=dict)
    cwd: str | None = None
    protocol: Literal[1, 2, "auto"] = 1
    defaults: Annotated[
        Annotated[_Last, Tag(_LAST)] | Annotated[Defaults, Tag(_TABLE)],
        Discriminator(_defaults_tag),
    ] = Defaults()
    url: Url | None = None
    headers: Map[str] = Field(default_factory=dict)
    fs: bool = False
    terminal: bool = False
    editor: Tools | None = None
    paths: Folders = Field(default_factory=dict)


class FollowOptions(Section):
    """Whether the editor goes along with the agent from file to file."""

    enabled: bool = False


class PermissionOptions(Section):
    """Whether the permission menu may take the focus."""

    focus: Literal["never", "auto"] = "never"


class TerminalOptions(Section):
    """Terminals for the agent; the limit is the output kept of each, in bytes."""

    enabled: bool = True
    output_byte_limit: Size = 1_048_576


class FsOptions(Section):
    """Whether the agent may read and write files through the editor, and which not unasked."""

    read: bool = True
    write: bool = True
    guard: List[str] = GUARD


class UiOptions(Section):
    """Where the chat opens; `width` is the share of the editor that it takes.

    `prompt_height` are the least and the most rows of the prompt's window; `winbar` makes the bar;
    `plan`: whether the bar says how far it is, or the chat shows it whole; `sessions`: whether
    their list is a window below, a column that stays or a picker;
    with `completion` a list opens by itself while one writes in it; `notify`: how the user is told
    of what happens in a chat that is not on screen; `changes`: whether the prompt says what waits
    for review.
    """

    layout: Literal["right", "left", "bottom", "tab", "float"] = "right"
    width: Fraction = 0.4
    prompt_height: Rows = (3, 12)
    notify: Literal["line", "terminal", "vim.notify", "off"] = "line"
    plan: Literal["top", "chat"] = "top"
    sessions: Literal["list", "sidebar", "pick"] = "list"
    completion: bool = True
    changes: bool = True
    winbar: StaysInLua = None


class WorktreeOptions(Section):
    """Untracked files of the project that are copied into a worktree."""

    copied: List[str] = Field(default=(), alias="copy")


class RaceOptions(Section):
    """The command by whose exit code agents that raced are compared."""

    check: str | None = None


class LogOptions(Section):
    """How much is logged."""

    level: Literal["debug", "info", "warning", "error"] = "info"


class Options(Section):
    """All of `vim.g.acp`."""

    default_agent: str | None = None
    agents: Map[AgentOptions] = Field(default_factory=dict)
    mcp_servers: List[McpServer] = ()
    additional_directories: List[AbsolutePath] = ()
    prompts: Map[str] = Field(default_factory=dict)
    context: Literal["file", "off"] = "file"
    python: str | None = None
    shell: str | None = None
    follow: FollowOptions = FollowOptions()
    permission: PermissionOptions = PermissionOptions()
    terminal: TerminalOptions = TerminalOptions()
    fs: FsOptions = FsOptions()
    ui: UiOptions = UiOptions()
    worktree: WorktreeOptions = WorktreeOptions()
    race: RaceOptions = RaceOptions()
    restore: bool = False
    idle_minutes: Minutes = 0.0
    registry: RegistryUrl | None = None
    default_keys: bool = True
    log: LogOptions = LogOptions()


def parse(raw: object) -> tuple[Options, tuple[str, ...]]:
    """Return the options that hold, and one sentence for each key that does not.

    `raw` is the configuration as Lua sent it; None, at any depth, means not given.
    """
    problems: dict[Path, str] = {}
    left = _given(raw)
    while True:
        tried = _given(left)
        try:
            options = Options.model_validate({} if tried is None else tried)
        except ValidationError as error:
            left = _report(error, left, problems)
        else:
            return options, tuple(problems.values())


def _report(error: ValidationError, raw: object, problems: dict[Path, str]) -> object:
    """Add the sentences to `problems`, and return `raw` with None for what is wrong."""
    left = raw
    for details in error.errors(include_url=False):
        lacks = details["type"] in {"missing", "incomplete"}
        place = tuple(part for part in details["loc"] if part not in (_LAST, _TABLE))
        for path, sentence in _sentences(details, _position(raw, place)):
            problems.setdefault(path, sentence)
            left = _without(left, path[:-1] if lacks else path)
    return left


SHORTEST_SECRET = 5
"""Characters of a value in `env` or `headers` that may be told."""

_EXPECTED = {
    "bool_type": "true or false",
    "string_type": "a string",
    "dict_type": "a table",
    "model_type": "a table",
    "tuple_type": "a list",
}


def _sentences(details: ErrorDetails, path: Path) -> list[tuple[Path, str]]:
    context = details.get("ctx", {})
    match details["type"]:
        case "unknown":
            paths = [(*path, key) for key in context["keys"]]
            known = context["known"]
            return [
                (each, f"{_dotted(each)} is unknown: {suggest(str(each[-1]), known)}")
                for each in paths
            ]
        case "missing":
            return [(path, f"{_dotted(path)} is missing")]
        case "private":
            return [(path, f"{_dotted(path)} must be {context['expected']}")]
        case "incomplete":
            path = (*path, context["key"])
            return [(path, f"{_dotted(path)} is missing")]
        case kind:
            expected = _EXPECTED.get(kind) or str(context.get("expected", details["msg"]))
            shown = _shown(details["input"])
            if len(shown) > SHORTEST_SECRET and not {"env", "headers"}.isdisjoint(path):
                shown = "that"
            return [(path, f"{_dotted(path)} must be {expected}, not {shown}")]


def _position(raw: object, path: Path) -> Path:
    """Return where in `raw` that path of `_given(raw)` is: items that are None count there."""
    found: list[str | int] = []
    for part in path:
        if isinstance(raw, list | tuple) and isinstance(part, int):
            part = [i for i, item in enumerate(raw) if item is not None][part]
            raw = raw[part]
        elif isinstance(raw, dict):
            raw = raw.get(part)
        found.append(part)
    return tuple(found)


def _dotted(path: Path) -> str:
    return _ROOT + "".join(map(_key, path))


def _key(part: str | int) -> str:
    if isinstance(part, int):
        return f"[{part + 1}]"  # Lua counts from 1
    if part == "[key]":  # it is the key before that is wrong
        return ""
    return f"['{part}']" if "/" in part else f".{part}"


def _shown(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case dict():
            return "a table"
        case list() | tuple():
            return "a list"
        case str() if len(value) > 40:
            return repr(value[:40] + "…")
        case _:
            return repr(value)


def _given(value: object) -> object:
    """Return a copy without any None; keys are strings."""
    if isinstance(value, dict):
        return {str(key): _given(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_given(item) for item in value if item is not None]
    return value


def _without(value: object, path: Path) -> object:
    """Return a copy with None at the path."""
    if not path:
        return None
    head, rest = path[0], path[1:]
    if isinstance(value, dict):
        return {key: _without(item, rest) if key == head else item for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without(item, rest) if i == head else item for i, item in enumerate(value)]
    return None
