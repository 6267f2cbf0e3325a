"""The examples run unchanged, and print what a reader expects."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tests.checkout import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the hooks of examples/shop are shell scripts")


def run(example: str, tmp_path: Path, *arguments: str, stdin: str = "", **variables: str) -> str:
    """What an example prints when it is run in any folder."""
    ran = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "examples" / example), *arguments],
        cwd=tmp_path,
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(tmp_path),
            "TMPDIR": str(tmp_path),
            "PYTHONPATH": str(ROOT / "src"),
            **variables,
        },
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout


def test_the_short_loop(tmp_path: Path) -> None:
    assert run("agent_loop_short.py", tmp_path) == dedent(
        """\
        user:  Build the shop.
        hooks: The shop runs on Python 3.12.
        tool:  rm -rf build -> denied -> The guard does not allow rm -rf.
        tool:  echo building -> ran -> building
        agent: All built. (it may stop)
        """
    )


def test_the_loop_with_a_scripted_model(tmp_path: Path) -> None:
    assert run("agent_loop.py", tmp_path) == dedent(
        """\
        Bash:    rm -rf . -> denied: The guard does not allow rm -rf.
        Write:   todo.txt -> ran: Wrote todo.txt.
        Bash:    cat todo.txt -> ran: Buy milk.
        agent:   The list is written.
        hook:    Say which files you wrote, and what is in them.
        agent:   I wrote todo.txt; it says: Buy milk.
        """
    )


Message = dict[str, Any]


class Provider:
    """A server that speaks OpenAI's chat completions and gives these answers one after the other."""

    def __init__(self, *answers: Message) -> None:
        self.requests: list[Message] = []
        left = list(answers)
        requests = self.requests

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                assert self.path == "/v1/chat/completions"
                requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                body = json.dumps({"choices": [{"message": left.pop(0)}]}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *arguments: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/v1"


@pytest.fixture
def provider() -> Iterator[Provider]:
    function = {"name": "Bash", "arguments": '{"command": "echo hooked"}'}
    call = {"id": "call_1", "type": "function", "function": function}
    provider = Provider(
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "assistant", "content": "Done."},
        {"role": "assistant", "content": "None."},
    )
    thread = threading.Thread(target=provider.server.serve_forever)
    thread.start()
    yield provider
    provider.server.shutdown()
    thread.join()
    provider.server.server_close()


def test_the_loop_with_a_provider_asks_before_it_uses_a_tool(provider: Provider, tmp_path: Path) -> None:
    printed = run(
        "agent_loop.py",
        tmp_path,
        "Say something.",
        stdin="y\n",
        OPENAI_API_KEY="key",
        OPENAI_BASE_URL=provider.address,
        OPENAI_MODEL="small",
    )
    assert printed == dedent(
        """\
        May Bash run with {'command': 'echo hooked'}? [y/N] Bash:    echo hooked -> ran: hooked
        agent:   Done.
        hook:    Say which files you wrote, and what is in them.
        agent:   None.
        """
    )
    first, second, third = provider.requests
    assert first["model"] == "small"
    assert [tool["function"]["name"] for tool in first["tools"]] == ["Bash", "Write"]
    assert first["messages"] == [
        {"role": "user", "content": "Say something."},
        {"role": "system", "content": "The shop runs on Python 3.12."},
    ]
    assert second["messages"][-1] == {"role": "tool", "tool_call_id": "call_1", "content": "hooked"}
    assert third["messages"][-1]["content"] == "Say which files you wrote, and what is in them."
