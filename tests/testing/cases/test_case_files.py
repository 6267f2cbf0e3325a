"""Case files: found from anywhere in the package, and read with a line for every mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyhook.model.outcome import Effect
from anyhook.model.problems import UsageError
from anyhook.testing.cases.case_files import find_package, read_suite
from anyhook.testing.cases.cases import BrokenCase, Case, CaseInput, Stated, Suite
from tests.lint.projects import write
from tests.testing.packages import package

CASE = """\
# yaml-language-server: $schema=hook-case.json
name: full
description: Everything at once
event: PreToolUse
hook-index: 1
action-index: 2
client: claude
sandbox: true
timeout: 2.5
input:
  fixture: fixtures/write.json
  overrides:
    toolInput."a.b".0: [1, {c: null}]
  verdict: {ok: false}
expected:
  exit-code: 0
  stdout-contains: [a]
  stderr-contains: [b]
  stdout-json: {c: [d]}
  not-contains: [e]
  matched: true
  effect: block
  prompt-contains: [f]
  clients: {codex: proceed, gemini: block}
"""


def read(folder: Path, text: str) -> Case | BrokenCase:
    [case] = package(folder, {}, {"one": text}).everything
    return case


def mistakes(case: Case | BrokenCase) -> list[tuple[int, str]]:
    assert isinstance(case, BrokenCase)
    return [(problem.origin.line, problem.text) for problem in case.problems]


def test_every_key_is_read(tmp_path: Path) -> None:
    case = read(tmp_path, CASE)
    assert isinstance(case, Case)
    assert (case.name, case.description, case.event) == ("full", "Everything at once", "PreToolUse")
    assert (case.hook_index, case.action_index, case.client, case.sandbox) == (1, 2, "claude-code", True)
    assert case.seconds == 2.5
    assert case.input.overrides == {'toolInput."a.b".0': [1, {"c": None}]}
    assert case.origin('input.overrides.toolInput."a.b".0').line == 13
    assert case.input.verdict == {"ok": False}
    expected = case.expected
    assert (expected.exit_code, expected.matched, expected.effect) == (0, True, Effect.BLOCK)
    assert (expected.stdout_contains, expected.stderr_contains) == (("a",), ("b",))
    assert (expected.stdout_json, expected.not_contains, expected.prompt_contains) == ({"c": ["d"]}, ("e",), ("f",))
    assert expected.clients == {"codex": Effect.PROCEED, "gemini-cli": Effect.BLOCK}
    assert expected.stated("codex") == Stated(Effect.PROCEED, Effect.PROCEED)
    assert (case.line("expected.exit-code"), case.line("expected.nothing"), case.line()) == (16, 15, 1)


def test_only_a_name_and_an_event_are_needed(tmp_path: Path) -> None:
    case = read(tmp_path, "name: a\nevent: stop\n")
    assert isinstance(case, Case)
    assert (case.hook_index, case.input, case.seconds) == (0, CaseInput(), 30)


def test_values_are_those_of_yaml_1_2(tmp_path: Path) -> None:
    case = read(tmp_path, "name: a\nevent: stop\ninput:\n  overrides:\n    a: on\n    b: 010\n    c: no\n")
    assert isinstance(case, Case)
    assert [*case.input.overrides.values()] == ["on", 10, "no"]


BASE = "name: a\nevent: stop\n"


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        (BASE + "expcted:\n  exit-code: 0\n", 3, '"expcted" is not a setting here'),
        (BASE + "expected:\n  exit_code: 0\n", 4, '"exit_code" is not a setting here'),
        (BASE + "input:\n  fixtur: a\n", 4, '"fixtur" is not a setting here'),
        ("event: stop\n", 1, 'there is no "name"'),
        ("name: a\n", 1, 'there is no "event"'),
        ("name: A b\nevent: stop\n", 1, '"name" must be 1 to 64 of a-z, 0-9 and -'),
        (f"event: stop\nname: {'a' * 65}\n", 2, '"name" must be 1 to 64 of a-z, 0-9 and -'),
        (BASE + "hook-index: -1\n", 3, '"hook-index" must be a whole number of at least 0'),
        (BASE + "hook: guard.sh\nhook-index: 1\n", 4, "hook and hook-index exclude each other"),
        (BASE + "hook-index: first\n", 3, '"hook-index" must be a whole number of at least 0'),
        (BASE + "timeout: 0\n", 3, '"timeout" must be a number above 0 and at most 86400'),
        (BASE + "sandbox: yes\n", 3, '"sandbox" must be true or false'),
        (BASE + "client: cladue-code\n", 3, "there is no client 'cladue-code'; did you mean claude-code?"),
        (
            BASE + "expected:\n  effect: blok\n",
            4,
            '"effect" must be proceed, block, ask, defer, feedback, continue or stop',
        ),
        (BASE + "expected:\n  stderr-contains: b\n", 4, '"stderr-contains" must be a list of texts'),
        (BASE + "expected:\n  clients:\n    kodex: block\n", 5, "there is no client 'kodex'; did you mean codex?"),
        (BASE + "expected: 2\n", 3, '"expected" must hold keys with values'),
        (BASE + "input:\n  overrides: [a]\n", 4, '"overrides" must be keys with values'),
        (BASE + "input:\n  overrides:\n    a..b: 1\n", 5, "'a..b' is not a path: a key is missing between two dots"),
        (
            BASE + "input:\n  verdict: 1\n",
            4,
            '"verdict" must be text or keys with values',
        ),
        (
            BASE + "expected:\n  matched: false\n  exit-code: 2\n",
            5,
            "exit-code cannot be expected of a hook that must not run (matched: false)",
        ),
        ("- a\n", 1, "the file must hold keys with values"),
        ("", 1, "the file must hold keys with values"),
        ("name: a\nname: b\nevent: stop\n", 1, "the key name appears twice"),
    ],
)
def test_a_mistake_has_its_line_and_says_what_is_right(tmp_path: Path, text: str, line: int, why: str) -> None:
    assert mistakes(read(tmp_path, text)) == [(line, why)]


def test_text_that_is_no_yaml_has_a_line_and_no_other_complaint(tmp_path: Path) -> None:
    [(line, why)] = mistakes(read(tmp_path, "name: a\nevent: b: c\n"))
    assert line == 2
    assert "needs quotes" in why


def test_all_mistakes_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    assert len(mistakes(read(tmp_path, "name: A\nevnt: stop\nhook-index: x\n"))) == 4


def test_a_broken_file_keeps_the_name_that_it_has(tmp_path: Path) -> None:
    assert read(tmp_path / "a", "name: a\nevent: stop\nx: 1\n").name == "a"
    assert read(tmp_path / "b", "[").name == "one"


def test_a_name_may_be_used_once(tmp_path: Path) -> None:
    suite = package(tmp_path, {}, dict.fromkeys(("1", "2"), "event: stop\nname: same\n"))
    assert [case.file.stem for case in suite.cases] == ["1"]
    assert mistakes(suite.broken[0]) == [(2, "the name same is taken by hooks/tests/cases/1.yaml:2")]


def test_other_files_are_no_cases(tmp_path: Path) -> None:
    write(tmp_path, {"hooks/tests/cases/a.yml": "name: a\nevent: stop\n", "hooks/tests/cases/README.md": "Hello"})
    assert [case.name for case in read_suite(tmp_path).everything] == ["a"]


# --- the test config


def config(folder: Path, content: object) -> Suite:
    files = {"hooks/tests/test-config.json": content}
    return package(folder, {}, {"one": "name: a\nevent: stop\n"}, **files)


def test_the_config_holds_for_the_cases_beside_it(tmp_path: Path) -> None:
    suite = config(tmp_path, {"version": 1, "timeout": 5, "env": {"A": "b"}, "network": True})
    found = suite.cases[0].folder.config
    assert (found.timeout, found.env, found.network) == (5, {"A": "b"}, True)
    assert suite.cases[0].seconds == 5


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ({}, 'there is no "version"'),
        ({"timeout": 3}, 'there is no "version"'),
        ({"version": 2}, '"version" must be 1'),
        ({"version": 1, "timeout": "5"}, '"timeout" must be a number above 0'),
        ({"version": 1, "env": {"A": 1}}, '"A" must be text'),
        ({"version": 1, "env": []}, '"env" must be keys with values'),
        ({"version": 1, "tiemout": 3}, '"tiemout" is not a setting here'),
        ("{", ""),
    ],
)
def test_a_wrong_config_is_told_and_nothing_runs_without_it(tmp_path: Path, content: object, why: str) -> None:
    suite = config(tmp_path, content)
    [broken] = suite.everything
    assert broken.name == "test-config.json"
    assert why in mistakes(broken)[0][1]
    assert mistakes(broken)[0][0] >= 1


# --- the package


def test_the_package_is_found_from_every_folder_inside(tmp_path: Path) -> None:
    package(tmp_path, {}, {"one": "name: a\nevent: stop\n"})
    (tmp_path / "src" / "deep").mkdir(parents=True)
    for inside in (".", "src/deep", "hooks", "hooks/tests/cases", "hooks/tests/cases/one.yaml"):
        assert find_package(tmp_path / inside) == tmp_path


def test_cases_may_be_in_two_places_with_a_config_each(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            ".anyhook/tests/cases/a.yaml": "name: a\nevent: stop\n",
            ".anyhook/tests/test-config.json": {"version": 1, "timeout": 7},
            "hooks/tests/cases/b.yaml": "name: b\nevent: stop\n",
        },
    )
    assert {case.name: case.seconds for case in read_suite(tmp_path).cases} == {"a": 7, "b": 30}


def test_without_cases_the_places_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"hooks/tests/cases/\*\.yaml or \.anyhook/tests/cases"):
        find_package(tmp_path)
