"""The built-in tutor: a deterministic ACP agent that teaches acp.nvim by being used.

A separate program over stdio (`python -m acp_tutor`), an agent like any other: it knows of the
plugin only `acp_nvim.wire`. `agent` speaks the protocol, `session` is what a scene can do, `scenes`
do it, `lessons` is what they say, `prompt` and `edits` are pure.
"""
