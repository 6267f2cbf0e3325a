"""``anyhook test --watch``; what else the command does is in hooktest.txt."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from anyhook.cli.main import main
from anyhook.extras import install_command
from tests.checkout import SOURCE
from tests.testing.packages import case, group, package


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    package(tmp_path, {"pre-tool-use": [group("exit 1")]}, {"one": case(expected={"exit-code": 0})})
    return tmp_path


@pytest.mark.skipif(sys.platform == "win32", reason="sends an interrupt")
def test_a_change_runs_the_cases_again(folder: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "anyhook", "test", "--watch", str(folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdout=pipe, stderr=subprocess.STDOUT, text=True) as watching:
        assert watching.stdout is not None
        lines = iter(watching.stdout.readline, "")
        assert any(line.startswith("1 failed in") for line in lines)
        with changing(folder):  # repeatedly, because the start of watching is not visible
            assert any(line.startswith("1 passed in") for line in lines)
        watching.send_signal(signal.SIGINT)
    assert watching.returncode == 130


@contextmanager
def changing(folder: Path) -> Iterator[None]:
    """Repair the hook, once a moment, until the block is left."""
    is_over = threading.Event()

    def change() -> None:
        while not is_over.wait(0.1):
            package(folder, {"pre-tool-use": [group("exit 0")]}, {"one": case(expected={"exit-code": 0})})

    thread = threading.Thread(target=change)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def test_without_its_library_watching_says_what_to_install(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    assert main(["test", "--watch", str(folder)]) == 2
    assert install_command("watch") in capsys.readouterr().err


def test_watching_is_for_people(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["test", "--watch", "--json", str(folder)]) == 2
    assert "exclude each other" in capsys.readouterr().err


def test_one_file_can_be_named_from_inside_the_package(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder / "hooks" / "tests")
    assert main(["test", "../tests/cases/one.yaml"]) == 1
    assert "cases/one.yaml" in capsys.readouterr().out
