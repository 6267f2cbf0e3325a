from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from anyhook.ui.peer_user import may_be_own_user, user_of_connection
from tests.ui.serving import serving

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who has connected")
OTHER = 65534
ASK = """
import encodings.idna, http.client, os, sys
os.setuid(int(sys.argv[3]))
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
connection.request("GET", sys.argv[2])
print(connection.getresponse().status)
"""


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_the_user_of_a_connection(family: socket.AddressFamily) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(family) as client:
        port = server.getsockname()[1]
        client.connect(("127.0.0.1" if family is socket.AF_INET else "::ffff:127.0.0.1", port))
        accepted, _ = server.accept()
        with accepted:
            assert user_of_connection(client.getsockname()[1], port) == os.geteuid()
            assert may_be_own_user(client.getsockname()[1], port)
    assert user_of_connection(1, port) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be several users")
def test_another_user_is_refused_with_the_right_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "project").mkdir()
    with serving(tmp_path / "project") as asked:
        path = asked.server.url.removeprefix(asked.origin)
        monkeypatch.setattr("os.geteuid", lambda: 12345)  # as if the server were a user's
        words = [sys.executable, "-I", "-c", ASK, str(asked.server.port), path]
        for user, status in ((OTHER, "403\n"), (12345, "200\n")):  # the token was not used up
            done = subprocess.run([*words, str(user)], capture_output=True, text=True)
            assert (done.stdout, done.stderr) == (status, "")
