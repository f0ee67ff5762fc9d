"""What outlives the host, as private files below the state folder.

`JsonStore` keeps values of one kind, each in a file of its own: the ledgers, the conflicts, what
agents were not told (`edits`), and the sessions (`sessions`).
"""
