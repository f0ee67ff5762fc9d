"""What the messages of ACP mean: from JSON values to events and requests, and back.

Pure. Only `client` and `app` import it. `dialect` has what all versions of the protocol share,
`negotiate` chooses one, `v1/` is the first; versions never import each other.
"""
