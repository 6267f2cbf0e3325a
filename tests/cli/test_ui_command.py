"""``anyhook ui`` as a process: it prints an address, serves, and ends with Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from anyhook.extras import install_command
from tests.bridge.bridging import run_anyhook
from tests.checkout import SOURCE
from tests.warm.commands import COLD


@contextmanager
def started(folder: Path, *words: str, **variables: str) -> Iterator[subprocess.Popen[str]]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(SOURCE),
        "HOME": str(folder.parent),
        "ANYHOOK_STATE_DIR": str(folder.parent / "state"),
        **variables,
    }
    process = subprocess.Popen(
        [*COLD, "ui", *words], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def page(url: str) -> str:
    with urllib.request.urlopen(url, timeout=60) as response:
        return str(response.read().decode())


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_it_serves_until_ctrl_c(project: Path) -> None:
    with started(project, "--no-open", "--json") as process:
        assert process.stdout is not None
        lines = []
        while (line := process.stdout.readline()) != "}\n":
            lines.append(line)
        told = json.loads("".join([*lines, "}"]))
        assert told["pid"] == process.pid
        assert "<title>anyhook</title>" in page(told["url"])
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=60)
        assert (process.returncode, rest, errors) == (0, "", "")


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_ctrl_c_ends_a_page_that_follows(project: Path) -> None:
    with started(project, "--no-open") as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        with urllib.request.urlopen(url, timeout=60) as response:
            cookie = response.headers["set-cookie"].partition(";")[0]
        live = urllib.request.Request(url.partition("?")[0] + "api/live", headers={"Cookie": cookie})
        with urllib.request.urlopen(live, timeout=60) as stream:
            assert stream.readline() == b"retry: 1000\n"
            process.send_signal(signal.SIGINT)
            assert stream.read() == b"\n"  # to its end
        _, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (0, "")


@pytest.mark.skipif(os.name != "posix", reason="the browser is a shell script")
def test_it_opens_the_browser(project: Path) -> None:
    opened = project.parent / "opened"
    browser = project.parent / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}.part; mv {opened}.part {opened}\n')
    browser.chmod(0o755)
    with started(project, BROWSER=str(browser)) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:")
        assert "<title>anyhook</title>" in page(url)
        assert opened.read_text().strip() == url


def test_a_port_that_is_taken(project: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = run_anyhook(project, "ui", "--no-open", "--port", port)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"anyhook: port {port}: ")


@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_without_the_extra(missing: str, project: Path) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; from anyhook.cli.main import main; sys.exit(main(['ui']))"
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "HOME": str(project.parent)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=project, env=environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (2, "")
    needed = f"the page needs starlette and uvicorn; install them: {install_command('ui')}"
    assert done.stderr == f"anyhook: {needed}\n"
