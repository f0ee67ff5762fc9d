"""One agent: its connection, its sessions, and the tasks that serve it.

The only layer, with `app`, that knows `protocol` and `wire`.
"""
