"""Repairs: what they change, what they leave alone, and that a second run changes nothing."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anyhook.lint.fix import FixReport, Refused, apply_edits, fix_file, fix_paths
from anyhook.model.codes import CODES
from anyhook.model.origin import Origin
from anyhook.model.problems import Edit, Problem, problem
from anyhook.project.inventory import hooks_of_file
from anyhook.sources.load import Loader
from tests.effort import examples
from tests.lint.projects import PLACES, groups, hook, roots, write


def fix(folder: Path, files: dict[str, Any], **options: Any) -> FixReport:
    write(folder, files)
    return fix_paths([folder], roots(folder), **options)


def fixed_text(folder: Path, name: str, text: str) -> str:
    report = fix(folder, {name: text})
    assert report.refused == ()
    return (folder / name).read_bytes().decode("utf-8")


CASES = {
    "F002": (
        ".codex/hooks.json",
        '{\n  // why\n  "hooks": { /* x */\n    "Stop": [{"hooks": [{"type": "command", "command": "//"}]},],\n  }\n}',
        '{\n  "hooks": {\n    "Stop": [{"hooks": [{"type": "command", "command": "//"}]}]\n  }\n}',
    ),
    "F004": (".codex/hooks.json", '\ufeff{"hooks": {}}', '{"hooks": {}}'),
    "S001": (
        ".codex/hooks.json",
        '{\r\n\t"Stop": [\r\n\t\t{"hooks": []}\r\n\t]\r\n}',
        '{\r\n\t"hooks": {\r\n\t\t"Stop": [\r\n\t\t\t{"hooks": []}\r\n\t\t]\r\n\t}\r\n}',
    ),
    "S003": (
        ".claude/settings.json",
        '{"hooks": {"Stop": [{"matcher": "a\\"b", "type": "command", "command": "x"}]}}',
        '{"hooks": {"Stop": [{"matcher": "a\\"b", "hooks": [{"type": "command", "command": "x"}]}]}}',
    ),
    "S005": (
        ".cursor/hooks.json",
        '{\n    "hooks": {"stop": [{"command": "x"}]}\n}',
        '{\n    "version": 1,\n    "hooks": {"stop": [{"command": "x"}]}\n}',
    ),
    "S010": (
        ".claude-plugin/plugin.json",
        '{\n  "name": "p",\n  "hooks": "./hooks/hooks.json"\n}\n',
        '{\n  "name": "p"\n}\n',
    ),
    "K004": (
        ".codex/hooks.json",
        '{"hooks": {"Stop": [{"hooks": [{"command": "x"}]}]}}',
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}',
    ),
    "T001": (
        ".codex/hooks.json",
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": 30000}]}]}}',
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": 30}]}]}}',
    ),
    "T002": (
        ".gemini/settings.json",
        '{"hooks": {"AfterAgent": [{"hooks": [{"type": "command", "command": "x", "timeout": 5}]}]}}',
        '{"hooks": {"AfterAgent": [{"hooks": [{"type": "command", "command": "x", "timeout": 5000}]}]}}',
    ),
    "T003": (
        ".codex/hooks.json",
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout_ms": 5000}]}]}}',
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": 5}]}]}}',
    ),
    "C001": (
        ".claude/settings.json",
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "\\u0062 $CLAUDE_PROJECT_DIR/é.sh"}]}]}}',
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "\\u0062 \\"$CLAUDE_PROJECT_DIR/é.sh\\""}]}]}}',
    ),
}


def test_every_fixable_code_has_a_case() -> None:
    assert set(CASES) == {code for code, known in CODES.items() if known.fixable}


@pytest.mark.parametrize("code", CASES)
def test_a_repair(code: str, tmp_path: Path) -> None:
    name, before, after = CASES[code]
    write(tmp_path, {name: before})
    report = fix_paths([tmp_path], roots(tmp_path), select=[code])
    assert {p.code for file in report.fixed for p in file.problems} == {code}
    assert (tmp_path / name).read_bytes().decode("utf-8") == after
    assert report.left.problems == ()
    again = fix_paths([tmp_path], roots(tmp_path), select=[code])
    assert again.fixed == ()


def test_repairs_build_on_each_other(tmp_path: Path) -> None:
    text = '{"Stop": [{"command": "bash $CLAUDE_PROJECT_DIR/a.sh", "timeout": 5000}]}'
    result = fixed_text(tmp_path, ".codex/hooks.json", text)
    entry = {"type": "command", "command": 'bash "$CLAUDE_PROJECT_DIR/a.sh"', "timeout": 5}
    assert json.loads(result) == {"hooks": {"Stop": [{"hooks": [entry]}]}}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".codex/hooks.json", '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}'),
        (".codex/hooks.json", "// only a comment\n"),
        (".codex/hooks.json", '{"Stop": [], "note": 1, "SessionStart": []}'),
        (".claude/settings.json", '{"hooks": {"Stop": [{"script": "x"}]}}'),
        (".codex/hooks.json", '{"hooks": {"Stop": [{"hooks": [{"prompt": "x"}]}]}}'),
        (".codex/hooks.json", '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeOut": 5}]}]}}'),
        (
            ".codex/hooks.json",
            '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeoutSec": 5, "timeout": 6}]}]}}',
        ),
        (".claude-plugin/plugin.json", '{"name": "p", "hooks": ["./hooks/hooks.json", "./b.json"]}'),
    ],
)
def test_what_is_not_certain_is_left_alone(name: str, text: str, tmp_path: Path) -> None:
    assert fixed_text(tmp_path, name, text) == text


def test_other_formats_are_left_alone(tmp_path: Path) -> None:
    toml = '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "x"\ntimeout = 5000\n'
    assert fixed_text(tmp_path, ".codex/config.toml", toml) == toml


def test_the_mode_is_kept_and_nothing_is_left_behind(tmp_path: Path) -> None:
    name, before, after = CASES["T001"]
    write(tmp_path, {f"{name} 640": before})
    fix_paths([tmp_path], roots(tmp_path))
    assert (tmp_path / name).read_text(encoding="utf-8") == after
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o640
    assert [path.name for path in (tmp_path / ".codex").iterdir()] == ["hooks.json"]


def test_a_link_is_refused(tmp_path: Path) -> None:
    name, before, _ = CASES["T001"]
    write(tmp_path, {"real.json": before})
    (tmp_path / ".codex").mkdir()
    (tmp_path / name).symlink_to(tmp_path / "real.json")
    report = fix_paths([tmp_path], roots(tmp_path))
    assert report.fixed == ()
    assert [refused.why.startswith("it is a symbolic link") for refused in report.refused] == [True]
    assert (tmp_path / "real.json").read_text(encoding="utf-8") == before
    assert (tmp_path / name).is_symlink()


def test_a_file_that_changed_meanwhile_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"a.json": "[1, 2]"})
    edit = problem("T001", Origin(file="a.json"), "", edits=(Edit(1, 2, "5"),))
    outcome = fix_file(tmp_path / "a.json", "[1]", [edit], tmp_path)
    assert isinstance(outcome, Refused)
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == "[1, 2]"


def test_a_repair_that_breaks_the_file_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"a.json": "[1]"})
    edit = problem("T001", Origin(file="a.json"), "", edits=(Edit(0, 1, ""),))
    assert isinstance(fix_file(tmp_path / "a.json", "[1]", [edit], tmp_path), Refused)
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == "[1]"


def with_edits(*edits: Edit) -> Problem:
    return problem("T001", Origin(), "", edits=edits)


def test_edits_that_clash_wait() -> None:
    one, two = with_edits(Edit(1, 3, "x")), with_edits(Edit(2, 4, "y"), Edit(0, 0, "z"))
    assert apply_edits("abcdef", [one, two]) == ("axdef", (one,))
    here, there = with_edits(Edit(2, 2, "x")), with_edits(Edit(2, 2, "y"))
    assert apply_edits("abcd", [here, there]) == ("abxcd", (here,))
    apart = with_edits(Edit(0, 1, "x")), with_edits(Edit(2, 3, ""))
    assert apply_edits("abcd", apart) == ("xbd", apart)


entries = st.fixed_dictionaries(
    {
        "command": st.sampled_from(
            ["x", "bash $CLAUDE_PROJECT_DIR/a.sh", 'y "$CLAUDE_PROJECT_DIR"/b $CLAUDE_PROJECT_DIR', "é"]
        )
    },
    optional={
        "type": st.just("command"),
        "timeout": st.sampled_from([5, 5000, 1500, 30000, 0.5]),
        "timeoutSec": st.sampled_from([5, 90]),
        "matcher": st.sampled_from(["Bash", "", 'a"b']),
    },
)
events = st.dictionaries(
    st.sampled_from(["Stop", "PreToolUse", "SessionStart"]),
    st.lists(entries | st.fixed_dictionaries({"hooks": st.lists(entries, max_size=2)}), max_size=3),
    max_size=3,
)
contents = st.fixed_dictionaries({"hooks": events}, optional={"version": st.just(1)}) | events


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(contents, st.sampled_from([None, 2, "\t"]), st.sampled_from(["claude-code", "codex", "cursor"]))
def test_a_second_run_changes_nothing(tmp_path: Path, content: Any, indent: Any, client: str) -> None:
    file = tmp_path / PLACES[client]
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(content, indent=indent), encoding="utf-8")
    first = fix_paths([file], roots(tmp_path))
    assert first.refused == ()
    assert not [p for p in first.left.problems if p.edits]
    once = file.read_bytes()
    json.loads(once)
    assert fix_paths([file], roots(tmp_path)).fixed == ()
    assert file.read_bytes() == once
    file.unlink()


def test_ignored_codes_are_not_repaired(tmp_path: Path) -> None:
    files = {PLACES["codex"]: groups("Stop", hook("x", timeout=5000))}
    assert fix(tmp_path, files, ignore=["T"]).fixed == ()


def test_a_file_whose_client_is_a_guess_is_not_changed(tmp_path: Path) -> None:
    events = groups("PreToolUse", hook("true", timeout=5000))
    write(tmp_path, {"loose/my.json": events})
    path = tmp_path / "loose/my.json"
    assert fix_paths([path], roots(tmp_path)).fixed == ()
    assert fix_paths([path], roots(tmp_path), ["claude-code"]).fixed


def test_comments_that_hold_hooks_are_not_deleted(tmp_path: Path) -> None:
    text = '{"version": 1, "hooks": {"stop": [\n  // {"command": "old.sh"}\n  {"command": "true"}]}}'
    write(tmp_path, {".cursor/hooks.json": text})
    report = fix_paths([tmp_path], roots(tmp_path))
    assert "F002" in {p.code for p in report.left.problems}
    assert (tmp_path / ".cursor/hooks.json").read_text() == text
    for kept in ('"stop": [...],', "command: 'old.sh'", '"preToolUse": [', '"note": {"a": 1}'):
        write(tmp_path, {".cursor/hooks.json": text.replace('{"command": "old.sh"}', kept)})
        assert fix_paths([tmp_path], roots(tmp_path)).fixed == (), kept
    for remark in ("a remark", "note: this is why", "see https://example.org/a"):
        write(tmp_path, {".cursor/hooks.json": text.replace('{"command": "old.sh"}', remark)})
        assert fix_paths([tmp_path], roots(tmp_path)).fixed, remark


def loaded(file: Path, client: str) -> list[tuple[str, str, str, object]]:
    """The hooks that the client loads of a file: event, matcher, command without quotes, timeout."""
    (read,) = hooks_of_file(file, client, Loader())
    return [
        (rule.native_event, rule.matcher or "", action.summary().replace('"', ""), action.timeout_ms)
        for rule in read.hooks.rules
        for action in rule.actions
        if action.is_loaded
    ]


def commands_in(content: Any) -> list[str]:
    """Every command in a file, wherever it is, without quotes."""
    if isinstance(content, list):
        return [command for item in content for command in commands_in(item)]
    if not isinstance(content, dict):
        return []
    own = [content["command"].replace('"', "")] if isinstance(content.get("command"), str) else []
    return own + [command for item in content.values() for command in commands_in(item)]


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(contents, st.sampled_from(["claude-code", "codex", "cursor", "gemini-cli", "qwen-code"]))
def test_a_repair_loses_no_hook(tmp_path: Path, content: Any, client: str) -> None:
    """What was loaded still is, the same but for what was repaired; what is new was in the file before."""
    file = tmp_path / PLACES[client]
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(content), encoding="utf-8")
    before = loaded(file, client)
    report = fix_paths([file], roots(tmp_path))
    after = loaded(file, client)
    codes = {p.code for fixed in report.fixed for p in fixed.problems}
    assert not Counter(hook[:3] for hook in before) - Counter(hook[:3] for hook in after)
    if not codes & {"T001", "T002", "T003"}:
        assert not Counter(before) - Counter(after)
    if not codes & {"S001", "S003", "K004", "S005", "F002", "F004"}:
        assert len(after) == len(before)
    assert not Counter(hook[2] for hook in after) - Counter(commands_in(content))
    file.unlink()
