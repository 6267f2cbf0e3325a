"""New events arrive as server-sent events, each once, also after the connection was lost."""

from __future__ import annotations

import http.client
import json
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from anyhook.record.store.database import JournalDatabase
from anyhook.ui.api import live
from tests.record.store.journals import row
from tests.ui.serving import Asked, serving


def add(asked: Asked, *tools: str) -> None:
    with JournalDatabase(asked.journal) as database:
        database.add([row(tool=tool) for tool in tools])


def arriving(asked: Asked, query: str = "", **headers: str) -> Generator[tuple[str, Any], None, None]:
    """Ids and data of the stream, without an end."""
    with closing(http.client.HTTPConnection("127.0.0.1", asked.server.port, timeout=60)) as connection:
        connection.request("GET", f"/api/live{query}", headers={"Cookie": asked.log_in(), **headers})
        response = connection.getresponse()
        assert response.headers["content-type"].startswith("text/event-stream")
        number = ""
        for line in iter(response.readline, b""):
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name == "id":
                number = value
            elif name == "data":
                yield number, json.loads(value)
        response.close()


def take(stream: Iterator[tuple[str, Any]], count: int) -> list[tuple[str, str]]:
    return [(number, data["tool"]) for number, data in (next(stream) for _ in range(count))]


def test_new_events_arrive(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    with serving(tmp_path / "project") as asked:
        add(asked, "before")
        with closing(arriving(asked, "?after=1")) as stream:
            add(asked, "Read", "Bash")
            assert take(stream, 2) == [("2", "Read"), ("3", "Bash")]
            add(asked, "Edit")
            assert take(stream, 1) == [("4", "Edit")]
        with closing(arriving(asked, "?after=1", **{"Last-Event-ID": "3"})) as stream:
            assert take(stream, 1) == [("4", "Edit")]


def test_streams_are_limited(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    with serving(tmp_path / "project") as asked:
        add(asked, "Read")
        streams = [arriving(asked, "?after=0") for _ in range(live.MAX_STREAMS)]
        try:
            assert [take(stream, 1) for stream in streams] == [[("1", "Read")]] * live.MAX_STREAMS
            assert asked.request("/api/live", Cookie=asked.log_in())[0] == 503
        finally:
            for stream in streams:
                stream.close()
