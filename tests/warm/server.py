"""Imports anyhook once and forks for every command that ``front.py`` sends: ``python -P server.py ADDRESS``.

It ends when its stdin does, which its parent holds open, so that none is left behind by a test run that is killed.
"""

from __future__ import annotations

import atexit
import gc
import io
import json
import os
import selectors
import signal
import socket
import sys
import threading
import traceback
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, NoReturn

import anyhook
from anyhook.cli import start
from tests.warm.front import LENGTH, NUMBER

PROGRAM = str(Path(anyhook.__file__).with_name("__main__.py"))

NOT_IMPORTED = (
    "anyhook.__main__",
    "anyhook.frameworks.",  # need their frameworks
    "anyhook.prove.",
    "anyhook.pytest_plugin",
    "anyhook.serve.client.",
    "anyhook.tui",
    "anyhook.ui",
)
"""Programs, which would run, and what few commands need."""


class Server:
    """Forks for each connection, tells it the number of the process, then its wait status."""

    def __init__(self, address: str) -> None:
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(address)
        self.listener.listen(64)
        self.waiting: dict[int, socket.socket] = {}
        self.woken, wakeup = os.pipe()
        os.set_blocking(wakeup, False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
        self.events = selectors.DefaultSelector()
        for source in (self.listener.fileno(), self.woken, 0):
            self.events.register(source, selectors.EVENT_READ)

    def serve(self) -> None:
        while True:
            ready = {key.fd: key.data for key, _ in self.events.select()}
            if 0 in ready:
                return
            if self.woken in ready:
                os.read(self.woken, 4096)
                self._reap()
            for pid in filter(None, ready.values()):
                self._abandon(pid)
            if self.listener.fileno() in ready:
                self._accept()

    def _accept(self) -> None:
        connection, _ = self.listener.accept()
        head, streams, _, _ = socket.recv_fds(connection, LENGTH.size, 3)
        length, request = LENGTH.unpack(head)[0], b""
        while len(request) < length:
            request += connection.recv(length - len(request))
        pid = os.fork()
        if pid == 0:
            connection.close()
            self._close()
            run(json.loads(request), streams)
        for stream in streams:
            os.close(stream)
        connection.sendall(NUMBER.pack(pid))
        self.waiting[pid] = connection
        self.events.register(connection, selectors.EVENT_READ, pid)

    def _reap(self) -> None:
        while self.waiting:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            if connection := self.waiting.pop(pid, None):
                self.events.unregister(connection)
                connection.sendall(NUMBER.pack(status))
                connection.close()

    def _abandon(self, pid: int) -> None:
        """Who asked has ended: so does the fork."""
        if connection := self.waiting.get(pid):
            self.events.unregister(connection)
            os.kill(pid, signal.SIGKILL)

    def _close(self) -> None:
        self.events.close()
        self.listener.close()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.close(self.woken)


def run(request: Any, streams: list[int]) -> NoReturn:
    """Be ``python -P -m anyhook``: with these arguments, environment, folder and streams, to the end."""
    status = 1
    try:
        arguments, environment, cwd, umask = request
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        os.chdir(cwd)
        os.umask(umask)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = [PROGRAM, *arguments]
        _open_streams(is_unbuffered="PYTHONUNBUFFERED" in environment)
        status = start.main()
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _open_streams(*, is_unbuffered: bool) -> None:
    def stream(number: int, name: str, errors: str) -> io.TextIOWrapper:
        raw = io.FileIO(number, "wb" if number else "rb", closefd=False)
        raw.name = name  # as Python itself names them
        binary = io.BufferedWriter(raw) if number else io.BufferedReader(raw)
        lines = number == 2 or bool(number and raw.isatty())
        return io.TextIOWrapper(
            binary, "utf-8", errors, line_buffering=lines, write_through=bool(number) and is_unbuffered
        )

    sys.stdin = stream(0, "<stdin>", "strict")
    sys.stdout = stream(1, "<stdout>", "strict")
    sys.stderr = stream(2, "<stderr>", "backslashreplace")


def main() -> None:
    for module in walk_packages(anyhook.__path__, "anyhook."):
        if not module.name.startswith(NOT_IMPORTED):
            import_module(module.name)
    server = Server(sys.argv[1])
    gc.collect()
    gc.freeze()
    os.write(1, b"ready\n")
    server.serve()


if __name__ == "__main__":
    main()
