"""Events that need no hook to run: they are answered before the engine is loaded."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from anyhook.bridge.answer_event import answer
from anyhook.bridge.prepare_event import Prepared, answer_without_hooks, prepare
from anyhook.bridge.read_call import Caller
from anyhook.dialects.wire.answers import ProcessAnswer
from anyhook.engine.index import RuleIndex
from anyhook.engine.plan import Plan
from anyhook.model.payload_base import Payload
from tests.approving import approve
from tests.bridge.bridging import make_package, run_trusted, shell_call

ENGINE = {"asyncio", "subprocess", "anyhook.engine.engine", "click", "platformdirs"}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return make_package(tmp_path / "project")


def prepared(package: Path, payload: dict[str, Any], *, is_trusted: bool = True, **options: str) -> Prepared:
    if is_trusted:
        approve(package)
    caller = Caller(cwd=package, home=package.parent / "home", environment={"PATH": os.environ["PATH"]})
    given = {"--client": "codex", **{f"--{name}": value for name, value in options.items()}}
    return prepare(given, caller, json.dumps(payload).encode())


def test_an_event_that_a_hook_matches_needs_the_engine(package: Path) -> None:
    found = prepared(package, shell_call("ls"))
    assert answer_without_hooks(found) is None
    (asked,) = found.packages
    assert asked.plan is not None
    assert [hook.action.kind for hook in asked.plan.runs] == ["command"]


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
    done = run_trusted(package, *words, stdin=call, PYTHONPROFILEIMPORTTIME="1")
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "anyhook.bridge.prepare_event" in imported
    assert not imported & ENGINE


def test_an_event_is_planned_once(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planned: list[str] = []
    plan = RuleIndex.plan

    def noting(self: RuleIndex, payload: Payload, subject: str) -> Plan:
        planned.append(subject)
        return plan(self, payload, subject)

    monkeypatch.setattr(RuleIndex, "plan", noting)
    given = asyncio.run(answer(prepared(package, shell_call("echo DANGER")), None, lambda task: None))
    assert b"no DANGER here" in given.stderr
    assert planned == ["Bash"]
