"""What agents have changed in files, line by line, and what became of it: pure values.

A file's `Weave` holds every line that is there or was, with the deltas that put it in and took it
out. From that follow what is to be reviewed, what taking back restores, and who wrote a line.
It is the weave of SCCS (M. J. Rochkind, "The Source Code Control System", IEEE Transactions on
Software Engineering SE-1(4), 1975), as Bazaar had it, too; here each line may come back.
"""
