"""The editor as a tool of every agent: an MCP server that lives in the host (`:help acp-tools`).

`offers` is loaded at the start: who is offered what. `server` and all behind it is loaded when the
first agent says something. `relay.py` is a program of its own, which agents start.
"""
