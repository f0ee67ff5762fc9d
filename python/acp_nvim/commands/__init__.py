"""What each verb of the Lua side does; `verbs.VERBS` is the table of them.

A handler takes the host and what came with the verb, decoded. What it returns is the answer; a
coroutine runs in a task of its own. It raises `UserError` for what the user can mend.
"""
