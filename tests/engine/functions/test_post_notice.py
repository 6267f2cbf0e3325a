"""Notices for the webhook of the user: through exec, to a real server; a project cannot name one."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from anyhook.engine.functions.post_notice import post
from tests.bridge.bridging import run_anyhook

Received = queue.Queue[dict[str, object]]


@pytest.fixture
def received() -> Received:
    return queue.Queue()


@pytest.fixture
def url(received: Received) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.put(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/hook"
    server.shutdown()
    thread.join()
    server.server_close()


def user_settings(home: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anyhook.sources.state.settings_folder", lambda: home / ".config" / "anyhook")
    (home / ".config" / "anyhook").mkdir(parents=True)
    (home / ".config" / "anyhook" / "anyhook.toml").write_text(text)


def test_exec_posts_what_the_user_is_told(
    tmp_path: Path, url: str, received: Received, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    guard = "[guards.notify]\nbell = false\ndesktop = false\nwebhook = true\n"
    (project / "anyhook.toml").write_text(f'{guard}[notify]\nwebhook = "http://127.0.0.1:9/other"\n')
    user_settings(tmp_path / "home", f'[notify]\nwebhook = "{url}"\n', monkeypatch)
    assert run_anyhook(project, "trust", "--yes").returncode == 0
    event = {
        "session_id": "s",
        "hook_event_name": "Stop",
        "last_assistant_message": "secret",
    }
    settings = {"XDG_CONFIG_HOME": str(tmp_path / "home" / ".config")}
    done = run_anyhook(project, "exec", "--client", "claude-code", "--event", "Stop", stdin=event, **settings)
    assert (done.returncode, done.stdout) == (0, "")
    body = received.get(timeout=60)
    assert (body["title"], body["message"]) == ("claude-code: project", "The agent has ended its turn.")
    assert "secret" not in json.dumps(body)


def test_without_a_webhook_nothing_is_posted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user_settings(tmp_path, "", monkeypatch)
    assert post("title", "text") == "there is no webhook in your anyhook.toml"


def test_an_address_is_checked_as_that_of_an_http_hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user_settings(tmp_path, '[notify]\nwebhook = "http://169.254.169.254/"\n', monkeypatch)
    assert "link-local or serves metadata" in str(post("title", "text"))
