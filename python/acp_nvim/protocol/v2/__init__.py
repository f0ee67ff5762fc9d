"""ACP version 2. `dialect.V2` is all that the outside needs."""
