"""Who may ask the server: the browser that exchanged the token, from the server's own page, at its own address."""

from __future__ import annotations

import http.client
import json
import os
import socket
from collections.abc import Iterator
from http.cookies import SimpleCookie
from pathlib import Path

import pytest

from anyhook.model.problems import UsageError
from anyhook.sources.discover import roots_for
from anyhook.ui.server import PageServer
from anyhook.ui.shown import Shown
from tests.ui.serving import Asked, serving


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Asked]:
    (tmp_path / "project").mkdir()
    with serving(tmp_path / "project") as running:
        yield running


def address(asked: Asked) -> str:
    """The path with the token."""
    return asked.server.url.removeprefix(asked.origin)


def test_it_listens_on_loopback_alone(asked: Asked) -> None:
    assert asked.server.url.startswith("http://127.0.0.1:")
    with socket.socket() as other:
        other.settimeout(60)
        assert other.connect_ex(("127.0.0.2", asked.server.port)) != 0  # loopback, too, and not the same address


def test_the_token_is_exchanged_once_for_a_cookie(asked: Asked) -> None:
    status, headers, body = asked.request(address(asked))
    assert (status, b"<main" in body) == (200, True)
    [(name, cookie)] = SimpleCookie(headers["set-cookie"]).items()
    assert cookie["httponly"]
    assert cookie["samesite"] == "Strict"
    assert cookie["path"] == "/"
    assert cookie.value not in asked.server.url
    assert asked.request("/api/about", Cookie=f"{name}={cookie.value}")[0] == 200
    assert asked.request(address(asked))[0] == 403  # in another browser
    assert asked.request(address(asked), Cookie=f"{name}={cookie.value}")[0] == 200  # loaded again


@pytest.mark.parametrize(
    "query", ["", "?token=", "?token=wrong", "?token=%00", "?token={token}&token={token}", "?{token}"]
)
def test_a_wrong_token_is_refused(asked: Asked, query: str) -> None:
    token = address(asked).partition("=")[2]
    status, headers, body = asked.request("/" + query.format(token=token))
    assert status == 403
    assert "set-cookie" not in headers
    assert b"anyhook ui" in body
    assert asked.request(address(asked))[0] == 200  # the right one still works


@pytest.mark.parametrize("path", ["/api/about", "/api/sessions", "/api/live", "/api/matrix", "/nowhere"])
@pytest.mark.parametrize("cookie", ["", "{name}=wrong", "{name}=", "other={value}", '{name}="', "{name}={value}x"])
def test_nothing_is_told_without_the_cookie(asked: Asked, path: str, cookie: str) -> None:
    name, _, value = asked.log_in().partition("=")
    status, _, body = asked.request(path, Cookie=cookie.format(name=name, value=value))
    assert (status, list(json.loads(body))) == (403, ["error"])


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "[::1]:{port}", ""]
)
@pytest.mark.parametrize("path", ["/", "/api/about", "/static/app.js"])
def test_another_host_is_refused(asked: Asked, host: str, path: str) -> None:
    """A name of an attacker that leads to this machine makes the browser send the cookie of that name, or none."""
    status, _, body = asked.request(path, Cookie=asked.log_in(), Host=host.format(port=asked.server.port))
    assert status in (400, 421)
    assert b"project" not in body


def test_localhost_is_its_own_name(asked: Asked) -> None:
    assert asked.request("/api/about", Cookie=asked.log_in(), Host=f"localhost:{asked.server.port}")[0] == 200


@pytest.mark.parametrize(
    ("site", "status"), [("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200)]
)
def test_another_page_is_refused(asked: Asked, site: str, status: int) -> None:
    """One on another port of this machine is the same site: the browser sends it the cookie."""
    assert asked.request("/api/about", Cookie=asked.log_in(), Sec_Fetch_Site=site)[0] == status


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"])
@pytest.mark.parametrize("path", ["/", "/api/about"])
def test_it_only_shows(asked: Asked, method: str, path: str) -> None:
    assert asked.request(path, method, Cookie=asked.log_in())[0] == 405


@pytest.mark.parametrize("path", ["/", "/api/about", "/static/app.js", "/nowhere", "/api/sessions?before=x"])
def test_headers_of_every_answer(asked: Asked, path: str) -> None:
    _, headers, _ = asked.request(path, Cookie=asked.log_in(), Origin="http://evil.example")
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    assert "server" not in headers
    assert [name for name in headers if name.startswith("access-control")] == []


@pytest.mark.parametrize("path", ["/static/../server.py", "/static/%2e%2e/server.py", "/static//etc/passwd"])
def test_nothing_beside_the_static_files(asked: Asked, path: str) -> None:
    status, _, body = asked.request(path, Cookie=asked.log_in())
    assert status in (403, 404)
    assert b"import" not in body


def is_listening(port: int) -> bool:
    with socket.socket() as client:
        client.settimeout(60)
        return client.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.skipif(os.name != "posix", reason="Windows gives a port away that is in use")
def test_a_port_can_be_used_again_at_once(asked: Asked) -> None:
    """Although connections of the server that has ended are still waiting for late packets."""
    held = http.client.HTTPConnection("127.0.0.1", asked.server.port, timeout=60)
    held.request("GET", "/static/app.js")
    held.getresponse().read()
    asked.server.end()
    held.sock.recv(1)  # the server closes it first
    held.close()
    while is_listening(asked.server.port):
        pass
    with serving(Path(asked.project), port=asked.server.port) as again:
        again.get("/api/about")


def test_a_port_that_is_taken(asked: Asked, tmp_path: Path) -> None:
    shown = Shown(roots_for(tmp_path / "project", None), tmp_path)
    with pytest.raises(UsageError, match=f"port {asked.server.port}: .*; choose another one"):
        PageServer(shown, asked.server.port)
