"""JSON-RPC 2.0 over lines, without input or output: bytes in, messages out, and back.

`framing` cuts bytes into lines, `message` turns lines into messages, `peer` knows which requests
await their answers. Standard library only; `client` and the tutor agent call it.
"""
