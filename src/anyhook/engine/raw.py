"""What a command did, and what it was allowed to do; nothing here starts one."""

from __future__ import annotations

import errno

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
    unable: bool = False
    """This process could not start it (no descriptor, process or memory is left) or did not learn how it ended; another
    process may. It counts as not asked."""
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
    open_files: int | None = None
    """How many files it may have open; None: as many as this process."""


_LACKS = frozenset({errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM, errno.ENOBUFS})
"""What the system says when it has no descriptor, process or memory left."""
_MAX_CAUSES = 20


def not_started(error: Exception, duration_ms: float = 0.0) -> RawResult:
    """The result of a command that did not start: a client's hook that fails, or what this process is unable to do."""
    is_too_large = isinstance(error, OSError) and error.errno == errno.E2BIG  # by what the event put into variables
    return RawResult(
        error=why_not_started(error), not_asked=is_too_large, unable=is_lack(error), duration_ms=duration_ms
    )


def is_lack(error: BaseException) -> bool:
    """Whether something failed because no descriptor, process, thread or memory is left, itself or what caused it."""
    found: BaseException | None = error
    for _ in range(_MAX_CAUSES):
        if found is None:
            break
        if isinstance(found, MemoryError) or (isinstance(found, OSError) and found.errno in _LACKS):
            return True
        if isinstance(found, RuntimeError) and str(found) == "can't start new thread":
            return True
        found = found.__cause__ or found.__context__
    return False


def why_not_started(error: Exception) -> str:
    """In one line, what kept a command from starting: a missing program, a folder that is gone, a NUL byte."""
    if not isinstance(error, OSError):
        return str(error)
    text = error.strerror or str(error)
    return f"{text}: {error.filename}" if error.filename is not None else text
