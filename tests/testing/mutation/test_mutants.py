"""Which changes are made to the hooks of a package, and which of them its cases notice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anyhook.model.problems import UsageError
from anyhook.sources.package_hooks import PackageHooks
from anyhook.testing.cases.case_files import read_suite
from anyhook.testing.mutation.mutants import Mutant, mutants_of
from anyhook.testing.mutation.play_mutants import MutationScore, play_mutants

SCRIPT = """\
#!/bin/sh
input=$(cat)
if printf %s "$input" | grep -Eq 'DANGER|RISK'; then
    echo no >&2
    exit 2
fi
exit 0
"""
FUNCTION = """\
from anyhook import deny, hook


@hook("Stop")
def finish(event):
    if event.get("stop_hook_active"):
        return None
    return deny("go on")
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    root = tmp_path / "package"
    for folder in ("cases", "fixtures"):
        (root / "hooks" / "tests" / folder).mkdir(parents=True)
    hook = {"type": "command", "command": 'sh "${PACKAGE_ROOT}/hooks/guard.sh"'}
    groups = [{"matcher": "Bash|Write", "hooks": [hook]}]
    (root / "hooks" / "hooks.json").write_text(json.dumps({"version": 1, "hooks": {"pre-tool-use": groups}}, indent=2))
    (root / "hooks" / "guard.sh").write_text(SCRIPT)
    return root


def add_case(root: Path, name: str, command: str, expected: str, tool: str = "Bash") -> None:
    tests = root / "hooks" / "tests"
    payload = {"hookEventName": "pre-tool-use", "toolName": tool, "toolInput": {"command": command}}
    (tests / "fixtures" / f"{name}.json").write_text(json.dumps(payload))
    text = f"name: {name}\nevent: pre-tool-use\ninput: {{fixture: fixtures/{name}.json}}\n"
    (tests / "cases" / f"{name}.yaml").write_text(f"{text}expected: {{{expected}}}\n")


def mutants(root: Path) -> list[Mutant]:
    return list(mutants_of([PackageHooks(root).of("universal")], root))


def shown(found: Mutant) -> tuple[str, int, str]:
    return found.file.name, found.line, found.what


def score(root: Path) -> MutationScore:
    return play_mutants(read_suite(root), 2, lambda _: None)


def test_a_command_hook_and_its_script(package: Path) -> None:
    found = mutants(package)
    assert [shown(mutant) for mutant in found] == [
        ("hooks.json", 8, "the hook does nothing"),
        ("hooks.json", 6, "the matcher is without Bash"),
        ("hooks.json", 6, "the matcher is without Write"),
        ("hooks.json", 6, "the matcher matches everything"),
        ("guard.sh", 1, "the script is empty"),
        ("guard.sh", 5, "the exit status 2 is 0"),
        ("guard.sh", 3, "the alternative DANGER is gone"),
        ("guard.sh", 3, "the alternative RISK is gone"),
        ("guard.sh", 3, """the condition printf %s "$input" | grep -Eq 'DANGER|RISK' is inverted"""),
    ]
    assert found[5].text == SCRIPT.replace("exit 2", "exit 0")
    assert "! { printf" in found[8].text
    assert json.loads(found[1].text)["hooks"]["pre-tool-use"][0]["matcher"] == "Write"


def test_a_function(package: Path) -> None:
    (package / "hooks" / "hooks.json").unlink()
    (package / "hooks" / "stop.py").write_text(FUNCTION)
    emptied, inverted = mutants(package)
    assert shown(emptied) == ("stop.py", 5, "finish does nothing")
    assert "def finish(event):\n    return None\n    if" in emptied.text
    assert 'if not (event.get("stop_hook_active")):' in inverted.text


def test_guards_and_rules(package: Path) -> None:
    (package / "hooks" / "hooks.json").unlink()
    (package / "anyhook.toml").write_text('[guards.shell]\n\n[[rule]]\nwhen = { kind = "shell" }\nthen = "block"\n')
    guard, rule = mutants(package)
    assert shown(guard) == ("anyhook.toml", 1, "the shell guard is off")
    assert guard.text.startswith('[guards.shell]\nlevel = "off"\n')
    assert shown(rule) == ("anyhook.toml", 5, "the rule allows")
    assert rule.text.endswith('then = "allow"\n')


def test_cases_notice_what_they_test(package: Path) -> None:
    (package / "hooks" / "guard.sh").write_text(SCRIPT.replace("DANGER|RISK", "DANGER"))
    (package / "hooks" / "hooks.json").write_text((package / "hooks" / "hooks.json").read_text().replace("|Write", ""))
    add_case(package, "refuses", "DANGER", "effect: block")
    found = score(package)
    assert {mutant.what for mutant in found.survivors} == {"the matcher matches everything"}
    add_case(package, "allows", "ls", "effect: proceed")
    add_case(package, "other-tool", "DANGER", "matched: false", tool="Read")
    found = score(package)
    assert (found.survivors, found.number, found.percent) == ((), 5, 100.0)


def test_cases_must_pass_first(package: Path) -> None:
    add_case(package, "wrong", "DANGER", "effect: proceed")
    with pytest.raises(UsageError, match="the case wrong does not pass"):
        score(package)


def test_the_package_itself_is_not_changed(package: Path) -> None:
    add_case(package, "refuses", "DANGER", "effect: block")
    before = {path: path.read_bytes() for path in package.rglob("*") if path.is_file()}
    score(package)
    assert {path: path.read_bytes() for path in package.rglob("*") if path.is_file()} == before
