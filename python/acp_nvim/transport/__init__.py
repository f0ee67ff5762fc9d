"""Ways to an agent, and the children of the host: each in a group of its own, ended to the last.

`link` says what a way to an agent gives: `stdio` is the one over the pipes of a `child`,
`websocket` and `http` are those to the `address` of a remote one, by the door `remote`. `pty` is a
program on a terminal, `group` holds what works on process groups alone. `client` and `terminals`
call it.
"""
