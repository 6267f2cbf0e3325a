"""A real server of the page with a journal of its own, asked by HTTP."""

from __future__ import annotations

import http.client
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anyhook.sources.discover import roots_for
from anyhook.ui.connections import LIMITS, ConnectionLimits
from anyhook.ui.server import PageServer
from anyhook.ui.shown import Shown
from tests.record.store.journals import private


class Asked:
    """A running server, and a client that has its cookie."""

    def __init__(self, server: PageServer, project: Path, journal: Path) -> None:
        self.server = server
        self.project = str(project)
        self.journal = journal
        self.origin = f"http://127.0.0.1:{server.port}"
        self.cookie = ""

    def request(self, path: str, method: str = "GET", **headers: str) -> tuple[int, http.client.HTTPMessage, bytes]:
        """Status, headers and body; names of headers with ``_`` for ``-``."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, headers=named)
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def log_in(self) -> str:
        """Exchange the token, which works once, and return the cookie."""
        if not self.cookie:
            status, headers, _ = self.request(self.server.url.removeprefix(self.origin))
            assert status == 200
            self.cookie = headers["set-cookie"].partition(";")[0]
        return self.cookie

    def get(self, path: str) -> Any:
        """The JSON of an address of the API."""
        status, _, body = self.request(path, Cookie=self.log_in())
        assert status == 200, body
        return json.loads(body)

    def get_job(self, path: str) -> Any:
        """The result of a computation, when it has ended."""
        while (job := self.get(path))["state"] == "running":
            pass  # each answer takes a while
        assert job["state"] == "done", job
        return job["result"]


@contextmanager
def serving(
    project: Path,
    journal: Path | None = None,
    url: str = "",
    clock: Callable[[], int] = time.time_ns,
    port: int = 0,
    limits: ConnectionLimits = LIMITS,
) -> Iterator[Asked]:
    """A server for a project whose state folder is beside it."""
    folder = private(journal or project.parent / "state" / "journal")
    shown = Shown(roots_for(project, None), folder, url)
    server = PageServer(shown, port, clock, limits)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield Asked(server, project, folder)
    finally:
        server.end()
        thread.join(60)
        assert not thread.is_alive()


def chromium() -> str:
    """The path of a Chromium or Chrome; empty: none is installed."""
    import shutil

    given = os.environ.get("CHROMIUM", "")
    return given or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), "")
