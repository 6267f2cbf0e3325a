"""Runs a program on a real terminal of 80 × 24, and types there. Only POSIX systems have terminals of this kind."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

SECONDS_BEFORE_TYPING_AGAIN = 3.0


class Terminal:
    """What a program shows on its terminal, and what is typed there."""

    def __init__(self, controller: int, process: subprocess.Popen[bytes]) -> None:
        self.controller, self.process, self.seen = controller, process, b""

    def wait_for(self, text: str, seconds: float = 60.0) -> None:
        """Wait until the program has shown a text."""
        self._wait(lambda: text.encode() in self.seen, seconds)

    def wait_for_anything(self, seconds: float = 60.0) -> None:
        self._wait(lambda: bool(self.seen), seconds)

    def _wait(self, is_shown: Callable[[], bool], seconds: float) -> None:
        end = time.monotonic() + seconds
        while not is_shown():
            assert time.monotonic() < end, self.seen.decode(errors="replace")
            self._read()

    def _read(self) -> None:
        if select.select([self.controller], [], [], 0.2)[0]:
            with suppress(OSError):  # the program has ended
                self.seen += os.read(self.controller, 65536)

    def type(self, text: str) -> None:
        self.seen = b""
        os.write(self.controller, text.encode())

    def type_until_end(self, text: str, seconds: float = 60.0) -> int:
        """Type a text again and again, as a program may not listen yet, until it ends; its exit status."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < end, self.seen.decode(errors="replace")
            os.write(self.controller, text.encode())
            again = time.monotonic() + SECONDS_BEFORE_TYPING_AGAIN
            while self.process.poll() is None and time.monotonic() < again:
                self._read()
        return self.end()

    def end(self, seconds: float = 60.0) -> int:
        """Wait until the program ends, and read the rest of what it showed; its exit status."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < end, self.seen.decode(errors="replace")
            self._read()
        while select.select([self.controller], [], [], 0)[0]:
            try:
                self.seen += os.read(self.controller, 65536)
            except OSError:  # nothing is left
                break
        return self.process.returncode


@contextmanager
def terminal(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Iterator[Terminal]:
    controller, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def take_terminal() -> None:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that Ctrl-C reaches the program as SIGINT

    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=other,
        stdout=other,
        stderr=other,
        env=environment,
        start_new_session=True,
        preexec_fn=take_terminal,
    )
    os.close(other)
    try:
        yield Terminal(controller, process)
    finally:
        process.kill()
        process.wait()
        os.close(controller)
