"""Children of the host: started in a process group of their own, and ended to the last one.

`child` starts, talks to and ends an agent; `group` holds what works on process groups alone.
`client` and `terminals` call it.
"""
