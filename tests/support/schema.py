"""What this client sends, judged by the official schemas of ACP, and stricter than it.

Every method is mapped to its definition by `x-method` and `x-side`; keys that no definition names
are errors at any depth (C-310), which the schema alone would let pass.
"""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

SCHEMA = Path(__file__).with_name("schema") / "v1.json"
UNSTABLE = SCHEMA.with_name("v1.unstable.json")
SCHEMAS = {1: SCHEMA, 2: SCHEMA.with_name("v2.json")}
NOT_YET_STABLE = {
    "auth/status",
    "mcp/message",
    "session/archive",
    "session/fork",
    "session/set_title",
    "session/unarchive",
}
"""Methods that are judged by the unstable schema: only between us and agents that offer them."""
LEGACY = {"session/set_model": {"sessionId", "modelId"}}
"""Methods that are in no schema, and are still sent to agents that have a quirk for them."""
REMEMBERED = 10_000
_JUDGED: dict[tuple[str, Path, bytes], str | None] = {}
"""What was found of the newest messages: most are as another one was, and judging takes long."""
SPEAKING = {"$ref", "allOf", "anyOf", "oneOf", "properties", "type"}


class NotValid(AssertionError):
    """A message that must not leave the client."""


def validate_client_message(
    message: dict[str, Any], answered_method: str | None = None, version: int = 1
) -> None:
    """Raise `NotValid` if the client may not send this message.

    `answered_method` is the method of the agent's request that a response answers, `version` that
    of the protocol that is spoken.
    """
    if message.get("jsonrpc") != "2.0":
        raise NotValid(f"no jsonrpc 2.0: {message}")
    if "method" in message:
        _only(message, {"jsonrpc", "id", "method", "params"})
        _validate_call(message, SCHEMAS[version])
    elif "error" in message:
        _only(message, {"jsonrpc", "id", "error"})
        _check("Error", message["error"], SCHEMAS[version])
    else:
        _only(message, {"jsonrpc", "id", "result"})
        _validate_result(message, answered_method, SCHEMAS[version])


def _validate_call(message: dict[str, Any], stable: Path) -> None:
    method = message["method"]
    if method.startswith("_"):
        return
    if method in LEGACY:
        _validate_legacy(message)
        return
    kind = "Request" if "id" in message and method != "$/cancel_request" else "Notification"
    is_new = method == "session/list" and "archived" in message.get("params", {})
    servers = (message.get("params") or {}).get("mcpServers", ())
    is_new = is_new or any(it.get("type") == "acp" for it in servers)
    is_new = is_new or "subagents" in (message.get("params") or {}).get("clientCapabilities", {})
    schema = UNSTABLE if method in NOT_YET_STABLE or is_new else stable
    definition = _definition(method, frozenset({"agent", "protocol"}), kind, schema)
    _check(definition, message.get("params", {}), schema)


def _validate_legacy(message: dict[str, Any]) -> None:
    params = message.get("params")
    if not isinstance(params, dict) or set(params) != LEGACY[message["method"]]:
        raise NotValid(f"not what older agents take: {message}")


def _validate_result(message: dict[str, Any], answered_method: str | None, schema: Path) -> None:
    if answered_method is None:
        raise NotValid(f"a response to nothing: {message}")
    schema = UNSTABLE if answered_method in NOT_YET_STABLE else schema
    definition = _definition(answered_method, frozenset({"client"}), "Response", schema)
    _check(definition, message["result"], schema)


def _only(message: dict[str, Any], allowed: set[str]) -> None:
    if further := set(message) - allowed:
        raise NotValid(f"{sorted(further)} at the root of {message}")


@cache
def _definition(method: str, sides: frozenset[str], kind: str, schema: Path = SCHEMA) -> str:
    for name, definition in _strict_schema(schema)["$defs"].items():
        if (
            definition.get("x-method") == method
            and definition.get("x-side") in sides
            and name.endswith(kind)
        ):
            return str(name)
    raise NotValid(f"the schema knows no {kind.lower()} {method!r} of ours")


def _check(definition: str, value: object, schema: Path = SCHEMA) -> None:
    question = (definition, schema, sha256(repr(value).encode()).digest())
    if question not in _JUDGED:
        _JUDGED[question] = _fault(definition, value, schema)
        while len(_JUDGED) > REMEMBERED:
            del _JUDGED[next(iter(_JUDGED))]
    if fault := _JUDGED[question]:
        raise NotValid(fault)


def _fault(definition: str, value: object, schema: Path) -> str | None:
    error = next(_validator(definition, schema).iter_errors(value), None)
    return error and f"{definition}: {error.json_path}: {error.message}"


@cache
def _validator(definition: str, path: Path) -> Draft202012Validator:
    schema = _strict({"$ref": f"#/$defs/{definition}"})
    return Draft202012Validator(schema | {"$defs": _strict_schema(path)["$defs"]})


@cache
def _strict_schema(path: Path) -> dict[str, Any]:
    schema = json.loads(path.read_text(encoding="utf-8"))
    _close(schema)
    return dict(schema)


def _close(node: object) -> None:
    """Forbid unknown keys wherever a value is described: in `properties` and `items`."""
    if isinstance(node, list):
        for item in node:
            _close(item)
    elif isinstance(node, dict):
        for value in node.values():
            _close(value)
        if isinstance(properties := node.get("properties"), dict):
            node["properties"] = {name: _strict(value) for name, value in properties.items()}
        if isinstance(items := node.get("items"), dict):
            node["items"] = _strict(items)


def _strict(schema: Any) -> Any:
    """Return it closed to unknown keys; what says nothing of a value lets any value pass."""
    if not isinstance(schema, dict) or schema.keys().isdisjoint(SPEAKING):
        return schema
    # unevaluated, not additional: it sees through $ref, allOf and anyOf
    return schema | {"unevaluatedProperties": False}
