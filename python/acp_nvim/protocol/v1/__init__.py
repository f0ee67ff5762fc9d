"""ACP version 1. `dialect.V1` is all that the outside needs."""
