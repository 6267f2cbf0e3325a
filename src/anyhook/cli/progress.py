"""How much of a long run is done, on a terminal."""

from __future__ import annotations

import sys
import time


class Progress:
    """The number of finished things, on one line of a terminal that is cleared at the end; nothing in a pipe."""

    SECONDS = 0.5
    """Runs that are shorter print no such line."""

    def __init__(self, total: int, noun: str) -> None:
        self.total, self.done, self.noun = total, 0, noun
        self.began = self.shown = time.perf_counter()
        self.stream = sys.stderr if sys.stderr.isatty() else None

    def advance(self) -> None:
        self.done += 1
        now = time.perf_counter()
        if self.stream is not None and now - self.began > self.SECONDS and now - self.shown > 0.1:
            self.shown = now
            self.stream.write(f"\r{self.done} of {self.total} {self.noun}")
            self.stream.flush()

    def clear(self) -> None:
        if self.stream is not None and self.shown > self.began:
            self.stream.write(f"\r{'':40}\r")
            self.stream.flush()
