"""What importing a part of anyhook must not bring in, seen from a new process.

The import contracts in pyproject.toml look at our own source; this also sees what our dependencies import.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyhook.dialects import NAMES
from tests.bridge.bridging import make_package, run_anyhook, shell_call
from tests.checkout import SOURCE

LOADED = "import sys; print(*sys.modules)"


def pure_modules() -> Iterator[str]:
    """The modules that only decide: all of model and dialects, and the first stages of the engine."""
    for package in ("model", "dialects"):
        for file in sorted((SOURCE / "anyhook" / package).rglob("*.py")):
            yield ".".join(file.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for stage in ("match", "plan"):
        if (SOURCE / "anyhook" / "engine" / f"{stage}.py").exists():
            yield f"anyhook.engine.{stage}"


def modules_loaded_by(code: str) -> set[str]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONSAFEPATH": "1"}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return set(ran.stdout.splitlines()[-1].split())


EACH_ALONE = """\
import sys
from importlib import import_module

for name in {modules!r}:
    for ours in [known for known in sys.modules if known.partition(".")[0] == "anyhook"]:
        del sys.modules[ours]
    import_module(name)
    if found := {unwanted!r} & {{*sys.modules}}:
        sys.exit(f"{{name}} loads {{sorted(found)}}")
print(*sys.modules)
"""


def test_pure_modules_load_no_process_loop_or_terminal_code() -> None:
    modules = list(pure_modules())
    loaded = modules_loaded_by(EACH_ALONE.format(modules=modules, unwanted={"asyncio", "subprocess", "click", "rich"}))
    assert modules[-1] in loaded


def test_help_loads_no_command_and_no_heavy_library() -> None:
    loaded = modules_loaded_by(f"from anyhook.cli.main import main; main(['--help']); {LOADED}")
    ours = {module for module in loaded if module.partition(".")[0] == "anyhook"}
    assert ours == {"anyhook", "anyhook.cli", "anyhook.cli.main"}
    assert not loaded & {"asyncio", "msgspec", "platformdirs", "re2", "rich", "ruamel", "subprocess", "tomlkit"}


NOT_FOR_ONE_COMMAND = {
    "click", "difflib", "filelock", "httpx", "json", "platformdirs", "queue", "re2", "regex", "rich", "ruamel",
    "shutil", "sqlite3", "tempfile", "tomlkit", "tomllib", "tree_sitter", "typing_extensions",
    "dis", "_ssl", "anyhook.dialects.files.writing",
    "anyhook.entries.anyhook_entries", "anyhook.entries.command_entries", "anyhook.engine.condition",
    "anyhook.engine.executors.callback",
    "anyhook.engine.functions.function_host", "anyhook.engine.functions.hook_modules", "anyhook.engine.session",
    "anyhook.guards.catalogue", "anyhook.project.hook", "anyhook.project.project", "anyhook.project.resolve",
    "anyhook.record.own_patterns", "anyhook.record.recordings", "anyhook.record.store.database",
    "anyhook.record.store.writer", "anyhook.sources.parsing.parse_python", "anyhook.sources.settings",
}  # fmt: skip
"""What a client must not wait for when its event has one plain command hook."""
NOT_FOR_ONE_FUNCTION = NOT_FOR_ONE_COMMAND - {
    "queue", "anyhook.engine.functions.function_host", "anyhook.engine.functions.hook_modules",
    "anyhook.sources.parsing.parse_python",
}  # fmt: skip
"""The same for a hook that is a Python function."""
NOT_WITHOUT_A_HOOK = NOT_FOR_ONE_COMMAND | {
    "asyncio", "concurrent", "inspect", "logging", "socket", "ssl", "string", "subprocess", "threading",
    "anyhook.bridge.answer_event", "anyhook.daemon_socket.protocol", "anyhook.engine.engine",
    "anyhook.engine.executors", "anyhook.engine.interpret",
}  # fmt: skip
"""The same when no hook matches."""
FUNCTION = """\
from anyhook import deny, hook

@hook("PreToolUse", matcher="Bash")
def guard(event):
    return deny("no DANGER here")
"""


def modules_loaded_by_exec(package: Path, command: str) -> set[str]:
    """What ``anyhook exec`` loads to answer one event of Claude Code with the hooks of a package."""
    assert run_anyhook(package, "trust", "--yes", ".").returncode == 0
    words = ["--client", "claude-code", "--event", "PreToolUse", "--package", str(package)]
    code = (
        "import os; from pathlib import Path; from anyhook.cli.exec_command import main\n"
        "read, write = os.pipe(); os.write(write, os.environ['EVENT'].encode()); os.close(write); os.dup2(read, 0)\n"
        f"status = main({words!r}); Path('loaded').write_text(' '.join(__import__('sys').modules)); os._exit(status)"
    )
    top = package.parent
    environment = {
        "EVENT": json.dumps(shell_call(command) if command else {**shell_call("ls"), "tool_name": "Read"}),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(SOURCE),
        "ANYHOOK_DAEMON": "0",
        "ANYHOOK_STATE_DIR": str(top / "state"),
    }
    ran = subprocess.run([sys.executable, "-c", code], cwd=package, env=environment, capture_output=True, text=True)
    assert ("no DANGER here" in ran.stdout + ran.stderr) is ("DANGER" in command), ran.stdout + ran.stderr
    return set((package / "loaded").read_text().split())


def loaded_clients(loaded: set[str]) -> set[str]:
    return {name for name in NAMES if f"anyhook.dialects.clients.{name.replace('-', '_')}" in loaded}


def test_exec_loads_nothing_that_its_event_does_not_need(tmp_path: Path) -> None:
    loaded = modules_loaded_by_exec(make_package(tmp_path / "project"), "echo DANGER")
    assert loaded & NOT_FOR_ONE_COMMAND == set()
    assert loaded_clients(loaded) == {"claude-code", "universal"}


def test_exec_loads_no_engine_when_no_hook_matches(tmp_path: Path) -> None:
    loaded = modules_loaded_by_exec(make_package(tmp_path / "project"), "")
    assert loaded & NOT_WITHOUT_A_HOOK == set()
    assert loaded_clients(loaded) == {"claude-code", "universal"}


@pytest.mark.parametrize("hook_file", [None, '{"version": 1, "hooks": {}}'])
def test_exec_loads_no_other_client_for_a_function(tmp_path: Path, hook_file: str | None) -> None:
    hooks = tmp_path / "project" / "hooks"
    hooks.mkdir(parents=True)
    (hooks / "guard.py").write_text(FUNCTION)
    if hook_file is not None:
        (hooks / "hooks.json").write_text(hook_file)
    loaded = modules_loaded_by_exec(tmp_path / "project", "echo DANGER")
    assert loaded & NOT_FOR_ONE_FUNCTION == set()
    assert loaded_clients(loaded) == {"claude-code", "universal"}


GUARDS = """\
[guards.shell]

[[rule]]
when = { kind = "shell", command = "echo DANGER" }
then = "block"
message = "no DANGER here"
"""
NOT_FOR_A_GUARD = (NOT_FOR_ONE_COMMAND | {"tree_sitter_bash", "importlib.resources"}) - {
    "anyhook.guards.catalogue", "tomllib", "queue", "tree_sitter", "anyhook.engine.executors.callback",
    "anyhook.engine.session",
}  # fmt: skip
"""What no client must wait for when its event has a guard or a rule."""


@pytest.mark.parametrize("command", ["echo DANGER", ""])
def test_exec_loads_a_guard_only_for_its_event(tmp_path: Path, command: str) -> None:
    package = tmp_path / "project"
    package.mkdir()
    (package / "anyhook.toml").write_text(GUARDS)
    loaded = modules_loaded_by_exec(package, command)
    catalogued = {"anyhook.guards.catalogue", "tomllib", "string", "tree_sitter"}
    assert loaded & (NOT_FOR_A_GUARD if command else NOT_WITHOUT_A_HOOK - catalogued) == set()
    assert ("anyhook.guards.rules" in loaded) is bool(command)
    assert loaded_clients(loaded) == {"claude-code", "universal"}


@pytest.mark.parametrize("command", ["rm -rf /", "rm -rf build", "git status && ls"])
def test_exec_loads_no_more_for_the_starter_package(tmp_path: Path, command: str) -> None:
    package = tmp_path / "project"
    package.mkdir()
    assert run_anyhook(package, "init").returncode == 0
    loaded = modules_loaded_by_exec(package, command)
    assert loaded & (NOT_FOR_A_GUARD | {"ruamel", "anyhook.sources.parsing.parse_front_matter"}) == set()
    assert loaded_clients(loaded) == {"claude-code", "universal"}
