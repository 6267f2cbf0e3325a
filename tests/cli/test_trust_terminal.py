"""``anyhook trust`` on a terminal: it asks about one hook at a time, and only a yes counts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.trust.trust_projects import trust

pty = pytest.importorskip("pty", reason="this system has no terminals of this kind")

COMMANDS = ("./a.sh", "./b.sh", "./c.sh")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Three hooks that nobody has approved."""
    (tmp_path / "shop/hooks").mkdir(parents=True)
    define(tmp_path / "shop", *COMMANDS)
    return tmp_path / "shop"


def define(shop: Path, *commands: str) -> None:
    groups = [{"hooks": [{"type": "command", "command": command}]} for command in commands]
    (shop / "hooks/hooks.json").write_text(json.dumps({"version": 1, "hooks": {"stop": groups}}))
    for command in commands:
        (shop / command).write_text("exit 0\n")


def answered(shop: Path, answers: bytes) -> tuple[int, str]:
    """The exit status and the output of ``anyhook trust`` when a user types this."""
    controller, terminal = pty.openpty()
    home = shop.parent / "home"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "HOME": str(home), "TERM": "dumb"}
    environment["ANYHOOK_STATE_DIR"] = str(shop.parent / "state")
    command = [sys.executable, "-P", "-m", "anyhook", "trust", str(shop)]
    with subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment) as process:
        os.close(terminal)
        os.write(controller, answers)
        output = b""
        try:
            while piece := os.read(controller, 4096):
                output += piece
        except OSError:  # how Linux reports that the other end is closed
            pass
        status = process.wait(timeout=60)
    os.close(controller)
    return status, output.decode()


def states(shop: Path) -> list[str]:
    return [hook["state"] for hook in json.loads(trust(shop, "--list", "--json").stdout)["hooks"]]


@pytest.mark.parametrize(
    ("answers", "asked", "expected"),
    [
        (b"y\ny\ny\n", 3, ["approved", "approved", "approved"]),
        (b"n\ny\nn\n", 3, ["new", "approved", "new"]),
        (b"n\na\n", 2, ["new", "approved", "approved"]),
        (b"y\nq\n", 2, ["approved", "new", "new"]),
        (b"q\n", 1, ["new", "new", "new"]),
        (b"\n\n\n", 3, ["new", "new", "new"]),
        (b"yes please\nq\n", 2, ["new", "new", "new"]),
    ],
    ids=["yes", "no and yes", "all", "quit", "quit at once", "nothing", "something else"],
)
def test_only_a_yes_counts_and_for_one_hook(answers: bytes, asked: int, expected: list[str], shop: Path) -> None:
    status, output = answered(shop, answers)
    assert states(shop) == expected
    assert status == (0 if set(expected) == {"approved"} else 1)
    assert output.count("Approve it?") == asked


def test_a_closed_terminal_is_no_yes(shop: Path) -> None:
    status, _ = answered(shop, b"y\n\x04")
    assert status != 0
    assert "approved" not in states(shop)


def test_only_what_has_changed_is_asked_about_with_its_difference(shop: Path) -> None:
    answered(shop, b"a\n")
    (shop / "b.sh").write_text("exit 2\n")
    define_all = (shop / "hooks/hooks.json").read_text()
    (shop / "hooks/hooks.json").write_text(define_all.replace("./c.sh", "./d.sh"))
    status, output = answered(shop, b"y\nn\n")
    assert status == 1
    assert output.count("Approve it?") == 2
    assert "-exit 0" in output
    assert "+exit 2" in output
    assert states(shop) == ["approved", "approved", "changed"]


def test_that_a_hook_is_gone_is_a_question_of_its_own(shop: Path) -> None:
    answered(shop, b"a\n")
    define(shop, *COMMANDS[:2])
    status, output = answered(shop, b"n\n")
    assert (status, output.count("Approve that it is gone?")) == (1, 1)
    status, output = answered(shop, b"y\n")
    assert (status, output.count("Approve that it is gone?")) == (0, 1)
    assert "Approve" not in answered(shop, b"")[1]
