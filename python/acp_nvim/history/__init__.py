"""The history of one file: a list of facts, and what follows from them. Pure.

A fact is what an agent or the user has done: a change, an undo, a decision. `fold` makes a `File`
of the facts: all lines that are or were there, each with the events that bear on it. An event is a
change; its number is that of its fact. **A line is there if its birth counts and no death does.**
Undo, redo, reject and the user's `u` move nothing: they switch events off and on.
"""
