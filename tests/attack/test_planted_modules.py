"""A repository with modules named like those of anyhook or the standard library: none of them is ever imported."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import anyhook
from anyhook.cli.main import COMMANDS
from tests.approving import approve
from tests.bridge.bridging import make_package, shell_call
from tests.serve.daemons import Stage, make_stage, wait_until

pytestmark = pytest.mark.long

PLANTED = (
    "anyhook", "argparse", "ast", "asyncio", "base64", "click", "codecs", "collections", "contextlib", "dataclasses",
    "datetime", "difflib", "enum", "errno", "filelock", "fnmatch", "functools", "hashlib", "importlib", "inspect", "io",
    "itertools", "json", "logging", "msgspec", "os", "pathlib", "random", "re", "rich", "shlex", "shutil", "signal",
    "site", "sitecustomize", "socket", "ssl", "stat", "string", "subprocess", "tempfile", "threading", "time",
    "tomllib", "types", "typing", "usercustomize", "uuid", "warnings",
)  # fmt: skip
CODE = "import os\nos.close(os.open({marker!r}, os.O_CREAT | os.O_WRONLY))\n"
SOURCE = Path(anyhook.__file__).parent


def plant(folder: Path, marker: Path) -> None:
    for name in PLANTED:
        (folder / f"{name}.py").write_text(CODE.format(marker=str(marker.with_suffix(f".{name}"))))


def imported(marker: Path) -> list[str]:
    return sorted(found.name for found in marker.parent.glob(f"{marker.name}.*"))


@pytest.fixture
def victim(tmp_path: Path) -> tuple[Path, Path]:
    """A repository full of planted modules, and where each of them leaves its mark when it is imported."""
    repository, marker = make_package(tmp_path / "repository"), tmp_path / "imported"
    plant(repository, marker)
    return repository, marker


@pytest.fixture
def stage() -> Iterator[Stage]:
    with make_stage() as made:
        made.trust()
        yield made


def installed_command() -> list[str]:
    """The command as users have it; from a source tree that is not installed, what it does."""
    script = Path(sys.executable).with_name("anyhook")
    return [str(script)] if script.exists() else [sys.executable, "-P", "-m", "anyhook"]


ARGUMENTS = {
    "add": ["shell"], "check": ["."], "completion": ["bash"],
    "daemon": ["status"], "doctor": [], "hooks": [], "remove": ["shell"],
    "deploy": ["--client", "codex", "--yes"], "exec": ["--client", "codex", "--event", "PreToolUse"],
    "explain": ["PreToolUse", "--tool", "Bash"], "fire": ["--client", "universal", "--event", "PreToolUse"],
    "init": ["new"], "list": [], "log": [], "matrix": [], "new": ["case", "--help"],
    "plugin": ["--client", "claude-code", "-o", "made"], "prove": ["--help"],
    "record": ["--help"],
    "clients": [], "test": [], "trust": ["--yes", "."], "try": ["ls"], "ui": ["--help"],
    "undeploy": ["--yes"],
}  # fmt: skip


def test_every_command_is_tried() -> None:
    assert set(ARGUMENTS) == {*COMMANDS, "exec"}


@pytest.mark.parametrize("command", ARGUMENTS)
def test_no_command_imports_what_lies_in_its_working_folder(command: str, victim: tuple[Path, Path]) -> None:
    repository, marker = victim
    environment = {"PATH": os.environ["PATH"], "HOME": str(repository.parent)}
    environment["ANYHOOK_STATE_DIR"] = str(repository.parent / "state")
    approve(repository, home=repository.parent, state=repository.parent / "state")
    subprocess.run(
        [*installed_command(), command, *ARGUMENTS[command]],
        cwd=repository,
        env={**environment, "ANYHOOK_DAEMON": "0"},
        input=json.dumps(shell_call("ls")),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert imported(marker) == []


@pytest.mark.skipif(os.name != "posix", reason="the hook is a shell script")
def test_the_process_of_background_hooks_imports_nothing_from_the_working_folder(stage: Stage) -> None:
    """A trusted package elsewhere has an async hook, and the client runs in an untrusted repository."""
    hook = {"type": "command", "command": f"pwd > {stage.top}/ran.part; mv {stage.top}/ran.part {stage.top}/ran"}
    settings = stage.project / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [{**hook, "async": True}]}]}}))
    (stage.project / "hooks" / "hooks.json").unlink()
    stage.trust()
    repository = stage.top / "r"
    repository.mkdir()
    plant(repository, stage.top / "imported")
    words = [*installed_command(), *stage.words("--from", "claude-code", "--package", str(stage.project))]
    subprocess.run(words, cwd=repository, env=stage.environment, input=stage.payload(), capture_output=True, timeout=60)
    wait_until(lambda: (stage.top / "ran").exists())
    assert imported(stage.top / "imported") == []


@pytest.mark.skipif(os.name != "posix", reason="there is no daemon")
def test_the_daemon_that_exec_starts_imports_nothing_from_the_working_folder(stage: Stage) -> None:
    plant(stage.project, stage.top / "imported")
    words = [*installed_command(), *stage.words()]
    environment = {**stage.environment, "ANYHOOK_DAEMON": "1"}
    try:
        subprocess.run(words, cwd=stage.project, env=environment, input=stage.payload(), timeout=60)
        wait_until(stage.place.socket.exists)
    finally:
        stage.run((*installed_command(), "daemon", "stop"))
    assert imported(stage.top / "imported") == []


# ------------------------------------------------------------------------------------- every start of an interpreter


def interpreter_starts() -> Iterator[tuple[str, list[str] | None]]:
    """Every use of ``sys.executable`` in our source: the words behind it in its literal list, or None without one."""
    for file in sorted(SOURCE.rglob("*.py")):
        nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
        lists = {id(node.elts[0]): node.elts for node in nodes if isinstance(node, ast.List | ast.Tuple) and node.elts}
        for node in nodes:
            if isinstance(node, ast.Attribute) and node.attr == "executable" and ast.unparse(node) == "sys.executable":
                place = f"{file.relative_to(SOURCE)}:{node.lineno}"
                words = lists.get(id(node))
                yield (
                    place,
                    None if words is None else [str(word.value) for word in words if isinstance(word, ast.Constant)],
                )


def test_every_interpreter_of_ours_is_started_isolated() -> None:
    starts = dict(interpreter_starts())
    assert len(starts) >= 4
    for place, words in starts.items():
        assert words is not None, f"{place}: sys.executable is not the first word of a literal list"
        options = [word for word in words if word.startswith("-")]
        assert options, place
        assert set(options[0]) & {"I", "P"}, f"{place} starts Python without -P or -I: {words}"
