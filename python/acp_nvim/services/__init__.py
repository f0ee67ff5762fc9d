"""What stands between an agent's asks and the world: files, live buffers, the folders allowed.

`client` calls; everything here works on paths that `roots` has resolved, and knows no wire.
"""
