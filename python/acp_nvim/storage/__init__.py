"""What outlives the host, as private files below the state folder.

`histories` has a list of facts for each file that agents have changed. `JsonStore` keeps values of
one kind, each in a file of its own: what agents were not told (`edits`), and `sessions`.
"""
