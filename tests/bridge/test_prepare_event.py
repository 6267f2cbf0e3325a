"""Events that need no hook to run: they are answered before the engine is loaded."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from anyhook.bridge.prepare_event import Caller, Prepared, answer_without_hooks, prepare
from anyhook.dialects.wire.answers import ProcessAnswer
from tests.bridge.bridging import make_package, run_anyhook, shell_call

ENGINE = {"asyncio", "subprocess", "anyhook.engine.engine", "click", "platformdirs"}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return make_package(tmp_path / "project")


def prepared(package: Path, payload: dict[str, Any], *, is_trusted: bool = True, **options: str) -> Prepared:
    environment = {"PATH": os.environ["PATH"], **({"ANYHOOK_TRUST": "1"} if is_trusted else {})}
    caller = Caller(cwd=package, home=package.parent / "home", environment=environment)
    given = {"--client": "codex", **{f"--{name}": value for name, value in options.items()}}
    return prepare(given, caller, json.dumps(payload).encode())


def test_an_event_that_a_hook_matches_needs_the_engine(package: Path) -> None:
    found = prepared(package, shell_call("ls"))
    assert answer_without_hooks(found) is None
    (asked,) = found.packages
    assert [hook.action.kind for hook in asked.hooks] == ["command"]


def test_an_event_that_no_hook_matches_is_answered(package: Path) -> None:
    assert answer_without_hooks(prepared(package, shell_call("ls", tool_name="web_search"))) == ProcessAnswer()


def test_an_untrusted_package_is_refused_only_if_a_hook_matches(package: Path) -> None:
    unmatched = prepared(package, shell_call("ls", tool_name="web_search"), is_trusted=False, fail="closed")
    assert answer_without_hooks(unmatched) == ProcessAnswer()
    matched = answer_without_hooks(prepared(package, shell_call("ls"), is_trusted=False, fail="closed"))
    assert matched is not None
    assert (matched.exit_code, b"not trusted yet" in matched.stderr) == (2, True)


def test_a_changed_file_counts_at_once(package: Path) -> None:
    search = shell_call("ls", tool_name="web_search")
    assert answer_without_hooks(prepared(package, search)) == ProcessAnswer()
    file = package / "hooks" / "hooks.json"
    file.write_text(file.read_text().replace('"matcher": "Bash"', '"matcher": "*"'))
    assert answer_without_hooks(prepared(package, search)) is None


def test_the_engine_is_not_imported_if_no_hook_matches(package: Path) -> None:
    words = ("exec", "--client", "codex", "--event", "PreToolUse")
    call = shell_call("ls", tool_name="web_search")
    done = run_anyhook(package, *words, stdin=call, PYTHONPROFILEIMPORTTIME="1", ANYHOOK_TRUST="1")
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "anyhook.bridge.prepare_event" in imported
    assert not imported & ENGINE
