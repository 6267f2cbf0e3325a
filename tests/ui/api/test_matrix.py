"""The matrix runs hooks: only those that are trusted, and again only when a file has changed."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

from anyhook.sources.discover import roots_for
from anyhook.ui.api.matrix import play_project, unsafe_variables
from anyhook.ui.jobs import CancelledJobError, JobProgress
from anyhook.ui.shown import Shown
from tests.bridge.bridging import make_package, run_anyhook
from tests.checkout import ROOT
from tests.later import later
from tests.ui.serving import serving

CASE = """\
name: {name}
event: pre-tool-use
input: {{fixture: fixtures/call.json, overrides: {{toolInput.command: {command}}}}}
expected: {{effect: {effect}}}
"""


TESTS = ".anyhook/tests"
"""Outside of the folder of the hooks, all of which the check of trust looks at."""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With a guard that leaves a trace in a file."""
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    trace = tmp_path / "trace"
    guard = f'#!/bin/sh\necho ran >> {trace}\ncase $(cat) in *DANGER*) echo "no DANGER" >&2; exit 2 ;; esac\n'
    made = make_package(tmp_path / "project", guard=guard)
    cases = made / TESTS / "cases"
    cases.mkdir(parents=True)
    (cases.parent / "fixtures").mkdir()
    call = {"hookEventName": "pre-tool-use", "toolName": "Bash", "toolInput": {"command": ""}}
    (cases.parent / "fixtures" / "call.json").write_text(json.dumps(call))
    (cases / "blocks.yaml").write_text(CASE.format(name="blocks", command="echo DANGER", effect="block"))
    return made


def runs(package: Path) -> int:
    trace = package.parent / "trace"
    return len(trace.read_text().splitlines()) if trace.exists() else 0


def test_hooks_that_are_not_trusted_do_not_run(package: Path) -> None:
    with serving(package) as asked:
        page = asked.get_job("/api/matrix")
    assert "1 hook waits for your approval" in page["refusal"]
    assert f"anyhook trust {package}" in page["refusal"]
    assert page["rows"] == []
    assert runs(package) == 0


def test_trusted_hooks_are_played_once_while_nothing_changes(package: Path) -> None:
    assert run_anyhook(package, "trust", "--yes", ".").returncode == 0
    with serving(package, clock=later) as asked:
        page = asked.get_job("/api/matrix")
        assert page["refusal"] == ""
        assert [row["case"] for row in page["rows"]] == ["blocks"]
        [cells] = [row["cells"] for row in page["rows"]]
        assert len(cells) == len(page["clients"]) > 10
        assert {cell["text"].rstrip("^~") for cell in cells} >= {"block"}
        played = runs(package)
        assert played > 0
        assert asked.get_job("/api/matrix") == page
        assert runs(package) == played
        case = package / TESTS / "cases" / "allows.yaml"
        case.write_text(CASE.format(name="allows", command="ls", effect="proceed"))
        assert [row["case"] for row in asked.get_job("/api/matrix")["rows"]] == ["allows", "blocks"]
        fixture = package / TESTS / "fixtures" / "call.json"
        fixture.write_text(fixture.read_text().replace("Bash", "Read"))  # which the guard does not match
        [_, blocks] = asked.get_job("/api/matrix")["rows"]
        assert {cell["text"].rstrip("!~^") for cell in blocks["cells"]} != {"block"}
        played = runs(package)
        (package / "hooks" / "guard.sh").write_text("#!/bin/sh\nexit 0\n")
        assert "1 hook waits for your approval" in asked.get_job("/api/matrix")["refusal"]
        assert runs(package) == played


def test_without_cases_it_says_so(tmp_path: Path) -> None:
    with serving(make_package(tmp_path / "project")) as asked:
        assert "no hook test cases here" in asked.get_job("/api/matrix")["refusal"]


def test_it_ends_with_the_server(package: Path) -> None:
    assert run_anyhook(package, "trust", "--yes", ".").returncode == 0
    progress = JobProgress()
    progress.cancel()
    with pytest.raises(CancelledJobError):
        play_project(Shown(roots_for(package, None), package), progress)
    assert progress.done <= 2


def test_the_trust_of_the_package_counts_wherever_the_page_is_opened(package: Path) -> None:
    (package / "sub").mkdir()
    with serving(package / "sub") as asked:
        page = asked.get_job("/api/matrix")
    assert "1 hook waits for your approval" in page["refusal"]
    assert runs(package) == 0


@pytest.mark.parametrize(
    "package", [files("anyhook.testing.scaffold") / "templates", ROOT / "examples" / "hooks-package"]
)
def test_variables_that_only_hooks_read_are_played(package: Path) -> None:
    """Those of anyhook init, and those of the example in the specification."""
    variables = json.loads((package / "hooks" / "tests" / "test-config.json").read_text())["env"]
    assert variables
    assert not list(unsafe_variables(variables))
    assert list(unsafe_variables({"PACKAGE_ROOT": "evil", "PATH": "."})) == ["PACKAGE_ROOT", "PATH"]


def test_variables_of_the_test_config_start_no_program(package: Path) -> None:
    """They are no part of what is trusted, and BASH_ENV names a script."""
    assert run_anyhook(package, "trust", "--yes", ".").returncode == 0
    (package / TESTS / "test-config.json").write_text(json.dumps({"version": 1, "env": {"ENV": "./evil.sh"}}))
    with serving(package) as asked:
        page = asked.get_job("/api/matrix")
    assert "could start a program: ENV. " in page["refusal"]
    assert runs(package) == 0
