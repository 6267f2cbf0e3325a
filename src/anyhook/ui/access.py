"""Decides who may ask the server: one browser of the user, from the server's own page.

A token in the first address is exchanged once for a cookie. A web page elsewhere can make the browser send requests
here, too, by an address or by a name that leads to this machine: a request that names another host, or comes from
another page, is refused first.
"""

from __future__ import annotations

import hmac
import secrets
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from anyhook.ui.connections import accept_connection
from anyhook.ui.peer_user import may_be_own_user

ADDRESS = "127.0.0.1"
STATIC = "/static/"
"""Files without anything about the user: they need no cookie."""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
_REFUSED = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>anyhook</title>
<link rel="icon" href="/static/icon.svg" type="image/svg+xml"><link rel="stylesheet" href="/static/style.css"></head>
<body><main><div class="first-steps"><h1>This page needs a new address</h1>
<p>The address that <code>anyhook ui</code> prints works once, in one browser. To open the page in another one, end
<code>anyhook ui</code> with Ctrl-C and start it again.</p></div></main></body></html>
"""


class PageAccess:
    """The token of one server, the cookie that it is exchanged for, and who has asked."""

    def __init__(self, port: int) -> None:
        self.token = secrets.token_urlsafe(32)
        self._is_used = False
        self._cookie_name = f"anyhook-ui-{port}"  # browsers do not keep the cookies of ports apart
        self._cookie = secrets.token_urlsafe(32)
        self._port = port
        self._hosts = {f"{ADDRESS}:{port}", f"localhost:{port}"}
        self._origins = {f"http://{host}" for host in self._hosts}

    def is_own_host(self, headers: Headers) -> bool:
        return headers.getlist("host") in [[host] for host in self._hosts]

    def is_own_origin(self, headers: Headers) -> bool:
        """Whether the request names no other page as its origin; browsers name none when they load a page."""
        return headers.getlist("origin") in [[], *([origin] for origin in self._origins)]

    def is_own_user(self, client: tuple[str, int] | None) -> bool:
        return client is None or may_be_own_user(client[1], self._port)

    def is_own_page(self, headers: Headers) -> bool:
        """Whether the browser says that no other page has asked; programs that are no browser say nothing."""
        return headers.get("sec-fetch-site", "none") in ("none", "same-origin")

    def exchange(self, token: str) -> str | None:
        """The cookie's header for the token; None: it is wrong, or was used."""
        if self._is_used or not hmac.compare_digest(token.encode(), self.token.encode()):
            return None
        self._is_used = True
        return f"{self._cookie_name}={self._cookie}; HttpOnly; SameSite=Strict; Path=/"

    def has_cookie(self, headers: Headers) -> bool:
        cookies: SimpleCookie = SimpleCookie()
        try:
            cookies.load(headers.get("cookie", ""))
        except CookieError:
            return False
        sent = cookies.get(self._cookie_name)
        return sent is not None and hmac.compare_digest(sent.value.encode(), self._cookie.encode())


class Guarded:
    """An application behind the checks, with the headers that every answer has."""

    def __init__(self, app: ASGIApp, access: PageAccess) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        cookie: str | None = None

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                if cookie is not None:
                    headers.append("Set-Cookie", cookie)
            await send(message)

        refused, cookie = self._judge(scope)
        if refused is None and not scope["path"].startswith(STATIC):
            accept_connection(scope)
        await (refused or self._app)(scope, receive, send_with_headers)

    def _judge(self, scope: Scope) -> tuple[Response | None, str | None]:
        """What is answered instead of the application, and the cookie that the browser gets."""
        headers, path = Headers(scope=scope), scope["path"]
        if not self._access.is_own_host(headers):
            return _error(421, "this server answers only to its own address"), None
        if not self._access.is_own_origin(headers):
            return _error(403, "another page has asked"), None
        if scope["method"] != "GET":
            return _error(405, "this server only shows"), None
        if path.startswith(STATIC):
            return None, None
        if not self._access.is_own_user(scope.get("client")):
            return _error(403, "another user of this machine has asked"), None
        if path == "/":
            tokens = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
            cookie = self._access.exchange(tokens[0]) if len(tokens) == 1 else None
            is_known = cookie is not None or self._access.has_cookie(headers)
            return None if is_known else HTMLResponse(_REFUSED, 403), cookie
        if not self._access.has_cookie(headers):
            return _error(403, "this browser has not opened the address that anyhook ui printed"), None
        if not self._access.is_own_page(headers):
            return _error(403, "another page has asked"), None
        return None, None


def _error(status: int, text: str) -> Response:
    return JSONResponse({"error": text}, status)
