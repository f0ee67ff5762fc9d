"""The parts of `session/update` that are the same in every version of ACP."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from acp_nvim.protocol.base import Id, Lenient, OrNone, Real, Whole, WireModel


class Cost(WireModel):
    """The cumulative cost of a session."""

    amount: Real
    currency: str


class LimitWindow(WireModel):
    """What is used of one limit, from 0 to 1, and when that begins anew."""

    utilization: Lenient[Real]
    resets_at: Lenient[Whole]


class RateLimits(LimitWindow):
    """`_meta["_claude/rateLimit"]`: the limit that is nearest, and all of them by name."""

    rate_limit_type: Lenient[str]
    unified_windows: Lenient[dict[str, OrNone[LimitWindow]]]


class UsageMeta(WireModel):
    """In no schema: what agents tell with their usage."""

    limits: Lenient[RateLimits] = Field(default=None, alias="_claude/rateLimit")


class Usage(WireModel):
    """`usage_update`."""

    used: Whole = Field(ge=0)
    size: Whole = Field(ge=0)
    cost: Lenient[Cost]
    meta: Lenient[UsageMeta] = Field(default=None, alias="_meta")


class Notice(WireModel):
    """`notice`."""

    title: str = Field(min_length=1)
    description: Lenient[str]
    severity: Lenient[Literal["info", "warning", "error"]]


class StopError(WireModel):
    """Why work ended in an error."""

    message: Lenient[str]


class ChildState(WireModel):
    """What a child session is at."""

    state: str
    stop_reason: Lenient[str]
    error: Lenient[StopError]


class ChildCapabilities(WireModel):
    """What can be done with a child session: any object means yes."""

    cancel: Lenient[dict[str, Any]]


class Subagent(WireModel):
    """`subagent_update`: a patch; what was given is told by `fields_set`."""

    session_id: Id
    state: Lenient[ChildState]
    capabilities: Lenient[ChildCapabilities]


class SessionMessage(WireModel):
    """`session_message`, and with `content` as one block `session_message_chunk`."""

    message_id: Id


class Compaction(WireModel):
    """`compaction_update`: a patch, the rest of which is decoded by its keys."""

    compaction_id: str
    status: str


class CompactionChunk(WireModel):
    """`compaction_summary_chunk`."""

    compaction_id: str
    content: dict[str, Any]
