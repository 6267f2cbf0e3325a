"""What is remembered of quiet events never changes an answer: whatever appears or changes is seen at once."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anyhook.bridge.ask_packages import Call
from anyhook.bridge.no_match_cache import is_known_not_to_match, remember_no_match
from anyhook.bridge.packages import find_packages
from anyhook.dialects import profile
from anyhook.dialects.wire.payloads import decode_payload
from anyhook.sources import disk
from anyhook.sources.discover import Roots
from anyhook.sources.state import VARIABLE
from tests.bridge.bridging import HOOKS, make_package, run_anyhook, shell_call
from tests.later import RUN_LATER, later

OPTIONS = {"--client": "codex", "--event": "PreToolUse"}
PYTHON = 'from anyhook import hook\n@hook("PreToolUse")\ndef guard(event): ...\n'


def call(tool: str) -> bytes:
    return json.dumps(shell_call("ls", tool_name=tool)).encode()


def heard(data: bytes) -> Call:
    client_payload, problems = decode_payload(profile(OPTIONS["--client"]), data, OPTIONS["--event"])
    return Call(
        client=OPTIONS["--client"],
        client_payload=client_payload,
        problems=problems,
        home=Path("/nonexistent"),
        environment={},
    )


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that a session has been started in, somewhere below."""
    package = make_package(tmp_path / "project")
    (package / "src").mkdir()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "state"))
    monkeypatch.chdir(package / "src")
    for name in [name for name in os.environ if name.endswith("PROJECT_DIR")]:
        monkeypatch.delenv(name)
    return package


def remember(tool: str, clock: Callable[[], int] = later, **options: str) -> None:
    given = {**OPTIONS, **options}
    roots = Roots(project=Path.cwd(), home=Path("/nonexistent"), system=Path("/nonexistent"))
    with disk.tracking_reads(clock) as snapshot:
        packages = find_packages(roots, package=None, dialect=given.get("--from"), started_in=Path.cwd())
    remember_no_match(given, call(tool), heard(call(tool)), packages, snapshot)


def is_quiet(tool: str, **options: str) -> bool:
    return is_known_not_to_match({**OPTIONS, **options}, call(tool))


@pytest.mark.usefixtures("package")
def test_a_tool_that_no_hook_is_for_is_remembered() -> None:
    assert not is_quiet("web_search")
    remember("web_search")
    assert is_quiet("web_search")
    assert not is_quiet("other_tool")
    remember("other_tool")
    assert is_quiet("web_search")
    assert is_quiet("other_tool")


@pytest.mark.usefixtures("package")
def test_other_events_and_clients_are_not_meant() -> None:
    remember("web_search")
    assert not is_quiet("web_search", **{"--event": "PostToolUse"})
    assert not is_quiet("web_search", **{"--client": "claude-code"})
    assert not is_quiet("web_search", **{"--package": "."})


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize("tool", ["Bash", "apply_patch"])
def test_a_tool_that_a_hook_may_be_for_is_not_remembered(tool: str) -> None:
    """What a patch does, and so which hooks are for it, is told by its input."""
    remember(tool)
    assert not is_quiet(tool)


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize("data", [b"", b"garbage", b"[]", b"{}", b'{"hook_event_name": "Stop"}'])
def test_what_is_no_tool_call_is_neither_remembered_nor_known(data: bytes, package: Path) -> None:
    with disk.tracking_reads(later) as snapshot:
        packages = find_packages(Roots(package, Path("/x"), Path("/x")), package=None, dialect=None, started_in=package)
    remember_no_match(OPTIONS, data, heard(data), packages, snapshot)
    assert not is_known_not_to_match(OPTIONS, data)


def rewrite_hooks(package: Path) -> None:
    file = package / "hooks" / "hooks.json"
    facts = file.stat()
    text = file.read_text().replace('"matcher": "Bash"', '"matcher": "b.*"')
    assert len(text) <= facts.st_size
    file.write_text(text.ljust(facts.st_size))
    os.utime(file, ns=(facts.st_atime_ns, facts.st_mtime_ns))  # as somebody would who does not want it to be seen


def write_inner_function(package: Path) -> None:
    (package / "src" / "hooks").mkdir()
    (package / "src" / "hooks" / "own.py").write_text(PYTHON)


CHANGES: dict[str, Callable[[Path], Any]] = {
    "an edit that hides itself": rewrite_hooks,
    "a broken file": lambda package: (package / "hooks" / "hooks.json").write_text("{"),
    "no file any more": lambda package: (package / "hooks" / "hooks.json").unlink(),
    "a Python hook": lambda package: (package / "hooks" / "more.py").write_text(PYTHON),
    "a package further down": lambda package: make_package(package / "src", HOOKS),
    "a Python hook further down": write_inner_function,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_is_seen_at_once(change: Callable[[Path], Any], package: Path) -> None:
    remember("web_search")
    assert is_quiet("web_search")
    time.sleep(0.02)  # the system's own clock for files has ticks
    change(package)
    assert not is_quiet("web_search")


def test_nothing_is_remembered_of_files_that_were_just_written(package: Path) -> None:
    """They could change once more and look the same."""
    remember("web_search", lambda: (package / "hooks/hooks.json").stat().st_ctime_ns)
    assert not is_quiet("web_search")
    assert not (package.parent / "state" / "quiet").exists()


def test_a_project_cannot_bring_the_memory_along(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember("web_search")
    (package.parent / "state").rename(package / "state")
    monkeypatch.setenv(VARIABLE, str(package / "state"))
    assert not is_quiet("web_search")


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize("text", ["", "{", "[]", '{"key": 1}', '{"key": "", "looks": 5, "subjects": []}'])
def test_a_damaged_memory_knows_nothing(text: str, tmp_path: Path) -> None:
    remember("web_search")
    (file,) = (tmp_path / "state" / "quiet").iterdir()
    file.write_text(text)
    assert not is_quiet("web_search")


@pytest.mark.parametrize("words", [(), ("--fail", "closed")])
def test_the_second_answer_is_the_first(words: tuple[str, ...], tmp_path: Path) -> None:
    package = make_package(tmp_path / "project")
    options = ("exec", "--client", "codex", "--event", "PreToolUse", "--answered", "90", *words)

    def ask(tool: str, **variables: str) -> tuple[int, str, str]:
        done = run_anyhook(
            package, *options, run=RUN_LATER, stdin=shell_call("echo DANGER", tool_name=tool), **variables
        )
        return done.returncode, done.stdout, done.stderr

    assert ask("web_search") == ask("web_search") == (90, "", "")
    assert list((tmp_path / "state" / "quiet").iterdir())
    assert ask("Bash")[0] == (92 if words else 90)
    assert ask("Bash", ANYHOOK_TRUST="1") == (92, "", "guard: no DANGER here")
    assert ask("web_search", ANYHOOK_TRUST="1") == (90, "", "")


def test_nothing_that_it_needs_is_slow_to_import(tmp_path: Path) -> None:
    package = make_package(tmp_path / "project")
    options = ("exec", "--client", "codex", "--event", "PreToolUse")
    for _ in range(2):
        done = run_anyhook(
            package,
            *options,
            run=RUN_LATER,
            stdin=shell_call("ls", tool_name="web_search"),
            PYTHONPROFILEIMPORTTIME="1",
        )
    assert "anyhook.bridge.no_match_cache" in done.stderr
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert not imported & {"msgspec", "asyncio", "subprocess", "click", "hashlib", "platformdirs", "typing"}
