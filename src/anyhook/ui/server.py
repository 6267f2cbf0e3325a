"""The server of the page: its addresses, how requests become questions, and how it ends.

It listens on 127.0.0.1 alone, and only shows. :mod:`anyhook.ui.access` decides who may ask.
"""

from __future__ import annotations

import os
import re
import socket
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn
from msgspec import structs
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from anyhook import __version__
from anyhook.model.lazyjson import dump_json
from anyhook.model.outcome import Effect
from anyhook.model.problems import AnyhookError, UsageError
from anyhook.record.store.database import DATABASE
from anyhook.record.store.query import RowFilter, journal_notes
from anyhook.sources.project import project_of
from anyhook.ui.access import ADDRESS, STATIC, Guarded, PageAccess
from anyhook.ui.api.clients import list_clients, one_client
from anyhook.ui.api.hooks import hooks_page
from anyhook.ui.api.live import Followers, LiveRows
from anyhook.ui.api.matrix import play_project
from anyhook.ui.api.overview import overview_page
from anyhook.ui.api.problems import examine_project, problems_page, rule_page
from anyhook.ui.api.sessions import (
    LISTED_SESSIONS,
    MAX_LISTED,
    SessionKey,
    events_after,
    events_before,
    list_sessions,
    one_event,
    opened_newest,
)
from anyhook.ui.connections import LIMITS, ConnectionLimits, limited_connections
from anyhook.ui.jobs import BackgroundJob, JobView
from anyhook.ui.shown import Shown

_STATIC = Path(__file__).with_name("static")
_GRACE_SECONDS = 3
"""How long requests may take to end after Ctrl-C."""
_MAX_NUMBER = 2**62
_IS_NUMBER = re.compile("[0-9]{1,19}").fullmatch


class PageServer:
    """A server that is bound to its port, and not yet running."""

    def __init__(
        self,
        shown: Shown,
        port: int = 0,
        clock: Callable[[], int] = time.time_ns,
        limits: ConnectionLimits = LIMITS,
    ) -> None:
        self._socket = _bind(port)
        self.port: int = self._socket.getsockname()[1]
        access = PageAccess(self.port)
        self.url = f"http://{ADDRESS}:{self.port}/?token={access.token}"
        self._pages = _Pages(shown, self._is_ending, clock)
        app = Guarded(_application(self._pages), access)
        config = uvicorn.Config(
            app,
            http=limited_connections(limits),
            ws="none",
            proxy_headers=False,  # else a header says who has connected
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
        self._server = uvicorn.Server(config)

    def run(self) -> None:
        """Serve until Ctrl-C, or a call of :meth:`end`."""
        try:
            self._server.run([self._socket])
        except KeyboardInterrupt:  # uvicorn has ended, and raises it again
            pass
        finally:
            self._pages.close()
            self._socket.close()

    def end(self) -> None:
        self._server.should_exit = True

    def _is_ending(self) -> bool:
        return self._server.should_exit


def _bind(port: int) -> socket.socket:
    """UsageError: the port is taken."""
    listening = socket.socket()
    if os.name == "posix":  # the port of a server that has just ended; on Windows it would be one that still runs
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((ADDRESS, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise UsageError(f"port {port}: {error.strerror}; choose another one, or 0 for any that is free") from None
    return listening


class _Pages:
    """What the addresses answer. Functions that are not asynchronous run in threads."""

    def __init__(self, shown: Shown, is_ending: Callable[[], bool], clock: Callable[[], int]) -> None:
        self._shown = shown
        self._project = project_of(shown.roots)
        self._is_ending = is_ending
        self._followers = Followers()
        self._examined = BackgroundJob(partial(examine_project, shown), clock, self._last)
        self._matrix = BackgroundJob(partial(play_project, shown), clock)

    def close(self) -> None:
        self._examined.close()
        self._matrix.close()

    def about(self, _request: Request) -> Response:
        shown = self._shown
        return _json(
            {
                "version": __version__,
                "folder": shown.roots.project,
                "project": self._project,
                "home": shown.roots.home,
                "journal": "PostgreSQL" if shown.url else str(shown.journal / DATABASE),
                "notes": journal_notes(shown.journal, shown.url),
                "effects": [effect.value for effect in Effect],
            }
        )

    def sessions(self, request: Request) -> Response:
        with self._shown.rows() as source:
            before, limit = _number(request, "before"), _limit(request, LISTED_SESSIONS)
            found = list_sessions(source, self._filter(request), before, limit)
            return _json(opened_newest(source, found) if request.query_params.get("open") else found)

    def events(self, request: Request) -> Response:
        query = request.query_params
        wanted = (
            SessionKey(query.get("client", ""), query["session"], query.get("project", ""))
            if "session" in query
            else self._filter(request)
        )
        after, before, limit = _number(request, "after"), _number(request, "before"), _limit(request)
        with self._shown.rows() as source:
            if after is not None:
                return _json(events_after(source, wanted, after, limit, _number(request, "until")))
            return _json(events_before(source, wanted, before, limit))

    def event(self, request: Request) -> Response:
        with self._shown.rows() as source:
            return _json(one_event(source, _row_number("the event", request.path_params["number"])))

    async def live(self, request: Request) -> Response:
        last = request.headers.get("last-event-id", "")
        after = int(last) if _IS_NUMBER(last) and int(last) <= _MAX_NUMBER else _number(request, "after")
        return self._followers.response(LiveRows(self._shown, after, self._filter(request)), self._is_ending)

    def overview(self, _request: Request) -> Response:
        return _job(self._examined.poll(), overview_page)

    def hooks(self, _request: Request) -> Response:
        return _job(self._examined.poll(), hooks_page)

    def problems(self, _request: Request) -> Response:
        return _job(self._examined.poll(), problems_page)

    def rule(self, request: Request) -> Response:
        return _json({"text": rule_page(request.path_params["code"])})

    def matrix(self, _request: Request) -> Response:
        return _job(self._matrix.poll(), lambda page: page)

    def clients(self, _request: Request) -> Response:
        return _json(list_clients(self._shown))

    def client(self, request: Request) -> Response:
        return _json(one_client(request.path_params["name"], self._shown))

    def _filter(self, request: Request) -> RowFilter:
        """The rows that are wanted: those of this project, if there is one, or ``everywhere``."""
        query = request.query_params
        wanted = RowFilter(
            event=query.get("event", ""),
            effect=query.get("effect", ""),
            hook=query.get("hook", ""),
            clients=tuple(query.getlist("client")),
        )
        if query.get("everywhere") or not self._project:
            return wanted
        return structs.replace(wanted, below=self._project, repositories=self._shown.checkout.names)

    def _last(self) -> object:
        """The number of the journal's last row; None: it cannot be read."""
        try:
            with self._shown.rows() as source:
                return source.last_number()
        except AnyhookError:
            return None


def _application(pages: _Pages) -> ASGIApp:
    files = _static_files()

    async def file(request: Request) -> Response:
        found = files.get(request.path_params.get("path", "index.html"))
        if found is None:
            raise HTTPException(404)
        content, media_type = found
        return Response(content, media_type=media_type)

    routes = [
        Route("/", file),
        Route(f"{STATIC}{{path:path}}", file),
        Route("/api/about", pages.about),
        Route("/api/sessions", pages.sessions),
        Route("/api/events", pages.events),
        Route("/api/events/{number}", pages.event),
        Route("/api/live", pages.live),
        Route("/api/overview", pages.overview),
        Route("/api/hooks", pages.hooks),
        Route("/api/problems", pages.problems),
        Route("/api/rules/{code}", pages.rule),
        Route("/api/matrix", pages.matrix),
        Route("/api/clients", pages.clients),
        Route("/api/clients/{name}", pages.client),
    ]
    handlers: Mapping[Any, Any] = {
        UsageError: lambda request, error: _json({"error": str(error)}, 404),
        AnyhookError: lambda request, error: _json({"error": str(error)}, 503),
        HTTPException: lambda request, error: _json({"error": error.detail}, error.status_code),
        Exception: _bug,
    }
    app = Starlette(routes=routes, exception_handlers=handlers)
    app.router.redirect_slashes = False
    return app


def _static_files() -> Mapping[str, tuple[bytes, str]]:
    """The files of the page with their types, in memory: a page asks for most of them at once."""
    types = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}
    return {
        path.relative_to(_STATIC).as_posix(): (path.read_bytes(), types[path.suffix])
        for path in _STATIC.rglob("*.*")
        if path.suffix in types
    }


def _bug(_request: Request, error: Exception) -> Response:
    return _json({"error": f"internal error: {type(error).__name__}: {error}; please report it"}, 500)


def _json(data: object, status: int = 200) -> Response:
    return Response(dump_json(data), status, media_type="application/json")


def _job(view: JobView[Any], page: Callable[[Any], object]) -> Response:
    result = None if view.result is None else page(view.result)
    data = {"state": view.state, "done": view.done, "total": view.total, "error": view.error, "result": result}
    return _json(data)


def _number(request: Request, name: str) -> int | None:
    text = request.query_params.get(name, "")
    return _row_number(name, text) if text else None


def _row_number(name: str, text: str) -> int:
    """Any digits, also more than ``int`` and the database take."""
    if not _IS_NUMBER(text) or (number := int(text)) > _MAX_NUMBER:
        raise HTTPException(400, f"{name} is not a number of a row")
    return number


def _limit(request: Request, default: int = MAX_LISTED) -> int:
    return max(1, min(_number(request, "limit") or default, MAX_LISTED))
