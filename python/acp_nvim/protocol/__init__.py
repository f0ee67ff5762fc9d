"""What the messages of ACP mean: from JSON values to events and requests, and back.

Pure. Only `client` and `app` import it. `dialect` says what a protocol version must offer,
`negotiate` chooses one, `v1/` is the first; versions never import each other.
"""
