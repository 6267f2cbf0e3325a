"""What takes longer than a request: computed in a thread, with progress, and kept while the files are the same."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, Literal, TypeVar

from msgspec import Struct

from anyhook.model.problems import AnyhookError
from anyhook.sources.disk import FileSnapshot, tracking_reads

T = TypeVar("T")
FIRST_LOOK_SECONDS = 0.3
"""How long the request that starts a computation waits for its end."""
END_SECONDS = 10.0
"""How long a computation may take to notice that the server ends."""


class CancelledJobError(Exception):
    """The server ends."""


class JobProgress:
    """How much of a computation is done. The computation advances it; requests look at it."""

    def __init__(self) -> None:
        self.done = 0
        self.total = 0
        self._is_cancelled = False

    def advance(self) -> None:
        """Count a step. Raises CancelledJobError if the computation is no longer wanted."""
        self.done += 1
        if self._is_cancelled:
            raise CancelledJobError

    def cancel(self) -> None:
        self._is_cancelled = True


class JobView(Struct, Generic[T], frozen=True, kw_only=True):
    """A computation as a page sees it."""

    state: Literal["running", "done", "failed"]
    done: int = 0
    total: int = 0
    result: T | None = None
    error: str = ""


class _Finished(Struct, Generic[T], frozen=True):
    view: JobView[T]
    snapshot: FileSnapshot
    stamp: object


class BackgroundJob(Generic[T]):
    """One computation; may be asked by several threads.

    ``stamp`` is compared, too: what the result depends on besides files.
    """

    def __init__(
        self, compute: Callable[[JobProgress], T], clock: Callable[[], int], stamp: Callable[[], object] = lambda: None
    ) -> None:
        self._compute = compute
        self._clock = clock
        self._stamp = stamp
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._progress = JobProgress()
        self._finished: _Finished[T] | None = None
        self._is_new = False

    def poll(self) -> JobView[T]:
        """The result if it is known and up to date, else how far its computation is; it is started if necessary."""
        with self._lock:
            thread = self._thread
            if thread is None:
                if (found := self._current()) is not None:
                    return found
                self._progress = JobProgress()
                self._thread = thread = threading.Thread(target=self._run, name="anyhook ui", daemon=True)
                thread.start()
        thread.join(FIRST_LOOK_SECONDS)
        with self._lock:
            if self._thread is None and self._finished is not None:
                self._is_new = False
                return self._finished.view
            return JobView(state="running", done=self._progress.done, total=self._progress.total)

    def close(self) -> None:
        """End the computation, and wait until it has cleaned up."""
        self._progress.cancel()
        thread = self._thread
        if thread is not None:
            thread.join(END_SECONDS)

    def _current(self) -> JobView[T] | None:
        """What was computed, if no page has seen it yet or everything that it was computed from is the same."""
        found = self._finished
        if found is None:
            return None
        if self._is_new or (found.stamp == self._stamp() and found.snapshot.is_current()):
            self._is_new = False
            return found.view
        return None

    def _run(self) -> None:
        stamp = None
        with tracking_reads(self._clock) as snapshot:
            try:
                stamp = self._stamp()
                view = JobView(state="done", result=self._compute(self._progress))
            except AnyhookError as error:
                view = JobView(state="failed", error=str(error))
            except CancelledJobError:
                view = JobView(state="failed", error="anyhook ui ends")
            except Exception as error:
                text = f"internal error: {type(error).__name__}: {error}; please report it"
                view = JobView(state="failed", error=text)
        with self._lock:
            self._finished, self._is_new, self._thread = _Finished(view, snapshot, stamp), True, None
