"""Which changes are made to guards and rules, and that the cases which are shown as missing notice them."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from anyhook.project.package_hooks import PackageHooks
from anyhook.testing.cases.case_files import read_suite
from anyhook.testing.mutation.mutant import Mutant
from anyhook.testing.mutation.mutants import mutants_of
from anyhook.testing.mutation.play_mutants import play_mutants

GUARDS = """\
[guards.shell]
level = "ask"
families = { git = "off", publishing = "warn" }

[[guards.shell.exceptions]]
commands = ["git push *", "git tag *"]
clients = ["codex"]

[guards.files]
paths = ["migrations/**"]
defaults = false
"""
RULES = """\
rules:
  - name: releases
    when: {kind: shell, command: ["git push *", "git tag *"]}
    then: block
  - when:
      kind: edit
      path: "migrations/**"
    then: ask
    message: No.
  - on: [UserPromptSubmit, Stop]
    when: {content: production|staging, exists: anyhook.toml}
    then: context
    message: Careful.
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    root = tmp_path / "package"
    for folder in ("cases", "fixtures"):
        (root / "hooks/tests" / folder).mkdir(parents=True)
    return root


def changes(root: Path) -> dict[str, Mutant]:
    found = mutants_of([PackageHooks(root).of("universal")], root)
    assert len({mutant.text for mutant in found}) == len(found)
    return {f"{mutant.line}: {mutant.what}": mutant for mutant in found}


def test_guards(package: Path) -> None:
    (package / "anyhook.toml").write_text(GUARDS)
    found = changes(package)
    assert list(found) == [
        "2: the shell guard is off",
        "2: the level ask is warn",
        "2: the level ask is block",
        "3: the family git is block, not off",
        "3: the family publishing is off, not warn",
        "5: the exception for commands git push * git tag *, clients codex is gone",
        "5: the exception is without commands",
        "6: commands is without git push *",
        "6: commands is without git tag *",
        "5: the exception is without clients",
        "9: the files guard is off",
        "10: paths is without migrations/**",
        "11: defaults is true",
    ]
    families = tomllib.loads(found["3: the family git is block, not off"].text)["guards"]["shell"]["families"]
    assert families == {"git": "block", "publishing": "warn"}
    for mutant in found.values():
        assert tomllib.loads(mutant.text).keys() == {"guards"}


def test_rules(package: Path) -> None:
    (package / "hooks/rules.yaml").write_text(RULES)
    found = changes(package)
    assert list(found) == [
        "2: the rule is gone",
        "4: the rule asks",
        "4: the rule allows",
        "3: the condition kind is inverted",
        "3: the condition command is gone",
        "3: the condition command is without git push *",
        "3: the condition command is without git tag *",
        "5: the rule is gone",
        "8: the rule blocks",
        "8: the rule allows",
        "6: the condition kind is gone",
        "6: the condition kind is inverted",
        "7: the condition path is gone",
        "10: the rule is gone",
        "11: the condition content is gone",
        "11: the condition content is inverted",
        "11: the condition content is without production",
        "11: the condition content is without staging",
        "11: the condition exists is gone",
        "11: the condition exists is inverted",
        "10: the rule is not asked on UserPromptSubmit",
        "10: the rule is not asked on Stop",
    ]
    for name, mutant in found.items():
        (package / "hooks/rules.yaml").write_text(mutant.text)
        hooks = PackageHooks(package).of("universal")
        assert not hooks.problems, name
        assert [len(hooks.rules), len(json.loads(mutant.text)["rules"])] in ([4, 3], [4, 4])


def test_the_same_in_a_table_of_toml(package: Path) -> None:
    rule = '[[rule]]\nwhen = { command = "npm *" }\nthen = "rewrite"\nreplace = "npm"\nby = "x"\n'
    (package / "anyhook.toml").write_text(rule)
    found = changes(package)
    assert list(found) == ["1: the rule is gone", "2: the condition command is gone"]
    assert tomllib.loads(found["2: the condition command is gone"].text)["rule"][0]["when"] == {}


def add_case(root: Path, name: str, event: str, index: int, given: Any, expected: str) -> None:
    payload = {"hookEventName": event, **given}
    (root / f"hooks/tests/fixtures/{name}.json").write_text(json.dumps(payload))
    lines = [f"name: {name}", f"event: {event}", f"hook-index: {index}", "input:", f"  fixture: fixtures/{name}.json"]
    (root / f"hooks/tests/cases/{name}.yaml").write_text("\n".join([*lines, "expected:", f"  {expected}", ""]))


@pytest.mark.parametrize(
    "rule",
    [
        '{when: {kind: shell, command: ["git push *", "git tag *"]}, then: block}',
        '{when: {kind: edit, path: "migrations/**"}, then: ask, message: No.}',
        "{when: {kind: [shell, edit], content: production}, then: block}",
        "{when: {kind: edit, content: one|two}, then: block}",
        "{on: UserPromptSubmit, when: {content: production}, then: block}",
    ],
)
def test_the_cases_that_are_missing_notice_the_changes(rule: str, package: Path) -> None:
    (package / "hooks/rules.yaml").write_text(f"rules:\n  - {rule}\n")
    survivors = play_mutants(read_suite(package), 2, lambda _: None).survivors
    assert survivors
    for number, mutant in enumerate(survivors):
        said = re.fullmatch(r"a case on ([\w-]+) with (\{.*\}), and (\w+: \w+)", mutant.missing)
        assert said, mutant.missing
        add_case(package, f"missing-{number}", said[1], 0, json.loads(said[2]), said[3])
    score = play_mutants(read_suite(package), 2, lambda _: None)
    assert [mutant.what for mutant in score.survivors] == []


@pytest.mark.parametrize("level", ["", 'level = "ask"\n'])
@pytest.mark.parametrize("guard", ["shell", "files", "secrets", "network"])
def test_the_case_that_is_missing_for_a_guard(guard: str, level: str, package: Path) -> None:
    (package / "anyhook.toml").write_text(f"[guards.{guard}]\n{level}")
    survivors = play_mutants(read_suite(package), 2, lambda _: None).survivors
    said = re.fullmatch(r"a case on pre-tool-use with (\{.*\}), and (effect: \w+)", survivors[0].missing)
    assert said, survivors[0].missing
    add_case(package, "missing", "pre-tool-use", 0, json.loads(said[1]), said[2])
    assert play_mutants(read_suite(package), 2, lambda _: None).survivors == ()
