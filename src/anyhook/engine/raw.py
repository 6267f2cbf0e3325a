"""What a command did, and what it was allowed to do; nothing here starts one."""

from __future__ import annotations

from msgspec import Struct

MAX_OUTPUT_BYTES = 10 * 1024 * 1024
GRACE_SECONDS = 0.5


class RawResult(Struct, frozen=True, kw_only=True):
    """What a command did, before a client says what it means."""

    exit_code: int | None = None
    """None: it was not started, or ended for lack of time. Negative: the signal that ended it."""
    stdout: bytes = b""
    stderr: bytes = b""
    timed_out: bool = False
    error: str = ""
    """Why it could not be started."""
    not_asked: bool = False
    """The event could not be handed over, so that a hook that can block was not asked."""
    duration_ms: float = 0.0


class Limits(Struct, frozen=True, kw_only=True):
    timeout: float | None = None
    """Seconds; None: no limit."""
    grace: float = GRACE_SECONDS
    """Seconds between asking to end and ending."""
    kept_bytes: int = MAX_OUTPUT_BYTES
    """Of each of the two outputs."""
    waits_for_pipe: bool = False
    """Whether output of a child that outlives the command is waited for."""


def why_not_started(error: Exception) -> str:
    """In one line, what kept a command from starting: a missing program, a folder that is gone, a NUL byte."""
    if not isinstance(error, OSError):
        return str(error)
    text = error.strerror or str(error)
    return f"{text}: {error.filename}" if error.filename is not None else text
