"""Snapshot + decision -> unfinished procedure -> run it."""
