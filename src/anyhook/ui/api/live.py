"""*Live*: every new event, as server-sent events."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable

from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from anyhook.model.lazyjson import dump_json
from anyhook.model.problems import AnyhookError
from anyhook.record.store.follow import FOLLOW_SECONDS, Follower
from anyhook.record.store.query import RowFilter, wanted_rows
from anyhook.ui.event_view import EventView, event_view
from anyhook.ui.shown import Shown

HEARTBEAT_SECONDS = 15.0
"""Without news, a line that says nothing: a browser that is gone is noticed."""
MAX_STREAMS = 16
"""Pages that follow at the same time."""


class LiveRows:
    """The new rows of a journal, for one page."""

    def __init__(self, shown: Shown, after: int | None, wanted: RowFilter | None = None) -> None:
        self._shown = shown
        self._after = after
        self._wanted = wanted or RowFilter()
        self._follower: Follower | None = None

    def read(self) -> list[EventView]:
        """The events that were added since. AnyhookError: the journal cannot be read now."""
        with self._shown.rows() as source:
            if self._follower is None:
                self._follower = Follower(source, self._after)
            new = self._follower.new_rows(source)
            return [event_view(row) for row in wanted_rows(new, self._wanted, with_bodies=False)]


class Followers:
    """Counts the pages that follow."""

    def __init__(self) -> None:
        self.count = 0

    def response(self, rows: LiveRows, is_ending: Callable[[], bool]) -> Response:
        """The stream of one more page, or the refusal if there are too many when it starts."""
        return _LiveResponse(self, live_stream(rows, is_ending))


class _LiveResponse(StreamingResponse):
    """Is counted from its start to its end: any number of requests may start at the same time."""

    def __init__(self, followers: Followers, stream: AsyncIterator[bytes]) -> None:
        super().__init__(stream, media_type="text/event-stream")
        self._followers = followers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._followers.count >= MAX_STREAMS:
            refused = JSONResponse({"error": f"{MAX_STREAMS} pages follow the journal already; close one"}, 503)
            await refused(scope, receive, send)
            return
        self._followers.count += 1
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._followers.count -= 1


async def live_stream(rows: LiveRows, is_ending: Callable[[], bool]) -> AsyncIterator[bytes]:
    """The text of the stream, until the server ends."""
    spoken = time.monotonic()
    problem = ""
    yield b"retry: 1000\n\n"
    while not is_ending():
        try:
            new = await asyncio.to_thread(rows.read)
        except AnyhookError as error:
            if str(error) != problem:
                problem = str(error)
                yield _message("problem", {"error": problem})
        else:
            problem = ""
            for view in new:
                yield _message("row", view, view.number)
            if new:  # there may be more: they are read a few at a time
                spoken = time.monotonic()
                continue
        if time.monotonic() - spoken > HEARTBEAT_SECONDS:
            spoken = time.monotonic()
            yield b": nothing new\n\n"
        await asyncio.sleep(FOLLOW_SECONDS)


def _message(name: str, data: object, number: int | None = None) -> bytes:
    head = b"" if number is None else b"id: %d\n" % number
    return head + b"event: %s\ndata: %s\n\n" % (name.encode(), dump_json(data))
