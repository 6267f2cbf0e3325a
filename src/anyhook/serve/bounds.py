"""What the daemon allows itself and its clients."""

from __future__ import annotations

from msgspec import Struct


class Bounds(Struct, frozen=True, kw_only=True):
    idle: float = 1800
    """Seconds without a request after which it ends."""
    half: float = 10
    """Seconds that a client may take between two pieces of a request, or to take its answer."""
    silent: int = 128
    """Connections without a request; beyond that the oldest is closed. With 128 of each kind 1,024 files are enough."""
    running: int = 128
    """Requests at once; more are declined."""
    background: int = 64
    """Background hooks of this many requests; more requests are declined."""
    bytes_held: int = 256 * 1024 * 1024
    """Of stdin, by all requests together; more are declined."""
    grace: float = 30
    """Seconds that running requests have when it is to stop."""
