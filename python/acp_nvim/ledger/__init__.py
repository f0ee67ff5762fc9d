"""What agents have changed in files, line by line, and what became of it: pure values.

A file's `Weave` holds every line that is there or was, with the deltas that put it in and took it
out. From that follow what is to be reviewed, what taking back restores, and who wrote a line.
"""
