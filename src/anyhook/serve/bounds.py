"""The limits of the daemon."""

from __future__ import annotations

from msgspec import Struct


class Bounds(Struct, frozen=True, kw_only=True):
    idle: float = 1800
    """Seconds without a request after which the daemon ends."""
    stalled: float = 10
    """Seconds that a client may take between two parts of a request, or to read its answer."""
    idle_connections: int = 128
    """Connections without a request; with more, the oldest is closed. 1,024 open files are enough for these limits."""
    running: int = 128
    """Requests at once; more are declined."""
    background: int = 64
    """Background hooks that still run; while there are so many, requests are declined."""
    bytes_held: int = 256 * 1024 * 1024
    """Payloads of all requests together; requests beyond that are declined."""
    grace: float = 30
    """Seconds that running requests and background hooks have when the daemon stops."""
