"""JSON that a hook prints and its client, or every client, does not read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.lint.script_output import script_output
from anyhook.model.codes import Severity
from tests.lint.projects import PLACES, codes, flat, found, groups, guard, hook


def says(data: Any) -> str:
    return f"echo '{json.dumps(data)}'"


def nested(**answer: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **answer}}


DENY = nested(permissionDecision="deny", permissionDecisionReason="no")


@pytest.mark.parametrize(
    ("client", "answer"),
    [
        ("gemini-cli", DENY),
        ("claude-code", {"permissionDecision": "deny"}),
        ("claude-code", {"decision": "deny", "reason": "no"}),
        ("claude-code", {"permission": "deny"}),
        ("claude-code", {"hookSpecificOutput": {"permissionDecision": "deny"}}),
        ("codex", nested(permissionDecision="ask", permissionDecisionReason="?")),
        ("codex", {**DENY, "suppressOutput": True}),
        ("codex", nested(permissionDecision="deny")),
        ("copilot-cli", DENY),
        ("copilot-cli", {"decision": "block", "reason": "no"}),
        ("cursor", DENY),
        ("windsurf", DENY),
    ],
)
def test_a_refusal_that_gets_lost(client: str, answer: dict[str, Any], tmp_path: Path) -> None:
    (problem,) = found(tmp_path, guard(client, says(answer)), "A006")
    assert problem.severity is Severity.ERROR
    assert "discards the refusal" in problem.text


@pytest.mark.parametrize(
    ("client", "answer"),
    [
        ("claude-code", DENY),
        ("claude-code", {"decision": "block", "reason": "no"}),
        ("codex", DENY),
        ("gemini-cli", {"decision": "deny", "reason": "no"}),
        ("qwen-code", DENY),
        ("copilot-cli", {"permissionDecision": "deny", "permissionDecisionReason": "no"}),
        ("cursor", {"permission": "deny", "user_message": "no"}),
        ("claude-code", {"continue": True}),
        ("claude-code", {"systemMessage": "hello"}),
    ],
)
def test_an_answer_that_is_read(client: str, answer: dict[str, Any], tmp_path: Path) -> None:
    assert codes(tmp_path, guard(client, says(answer))) & {"A004", "A006"} == set()


def test_copilot_reads_the_nested_form_on_pascal_case_events(tmp_path: Path) -> None:
    files = {PLACES["copilot-cli"]: flat("PreToolUse", hook(says(DENY)))}
    assert found(tmp_path, files, "A006") == []


def test_a_new_input_that_gets_lost(tmp_path: Path) -> None:
    answer = nested(permissionDecision="allow", updatedInput={"command": "ls"})
    (problem,) = found(tmp_path, guard("qwen-code", says(answer)), "A006")
    assert problem.severity is Severity.WARNING
    assert "discards the new input" in problem.text


def test_variables_in_the_answer_do_not_hide_it(tmp_path: Path) -> None:
    command = 'echo "{\\"permissionDecision\\": \\"deny\\", \\"n\\": $COUNT, \\"why\\": \\"$WHY\\"}"'
    assert len(found(tmp_path, guard("claude-code", command), "A006")) == 1


@pytest.mark.parametrize("command", [says(DENY) + " > log", says(DENY) + " | jq .", "x=$(" + says(DENY) + ")"])
def test_what_is_not_printed_is_no_answer(command: str, tmp_path: Path) -> None:
    assert found(tmp_path, guard("gemini-cli", command), "A006") == []


def test_keys_that_no_client_reads(tmp_path: Path) -> None:
    (problem,) = found(tmp_path, guard("claude-code", says({"block": True, "message": "no"})), "A004")
    assert problem.severity is Severity.ERROR
    assert '"block", "message"' in problem.text
    (problem,) = found(tmp_path, guard("claude-code", says({"feedback": "no"}) + " >&2; exit 2"), "A004")
    assert problem.severity is Severity.NOTE


@pytest.mark.parametrize(
    ("client", "script", "count"),
    [
        ("gemini-cli", 'print(json.dumps({"permissionDecision": "deny"}))', 1),
        ("gemini-cli", 'print(json.dumps({"decision": "deny"}))', 0),
        ("gemini-cli", 'print(json.dumps({"permissionDecision": "deny"}))\nsys.exit(2)', 0),
        ("gemini-cli", "print(json.dumps({'permissionDecision': d, 'decision': d}))", 0),
        ("windsurf", 'print(json.dumps({"decision": "block"}))', 1),
        ("claude-code", 'print(json.dumps({"permissionDecision": "deny"}))', 1),
        ("gemini-cli", "print('hello')", 0),
    ],
)
def test_a_script_that_answers_another_client(client: str, script: str, count: int, tmp_path: Path) -> None:
    assert len(found(tmp_path, {**guard(client, "python3 ./a.py"), "a.py": script}, "A006")) == count


def test_a_decision_in_the_command_line(tmp_path: Path) -> None:
    assert len(found(tmp_path, guard("claude-code", says(DENY)), "A007")) == 1
    assert found(tmp_path, guard("claude-code", "python3 guard.py"), "A007") == []


def test_only_what_is_printed_on_the_event_counts(tmp_path: Path) -> None:
    files = {PLACES["claude-code"]: groups("SessionStart", hook("echo hello"), hook("echo '{not json'"))}
    assert codes(tmp_path, files) & {"A004", "A006", "A007"} == set()


PROSE = '#!/usr/bin/env python3\n"""Answers with permissionDecision: deny."""\n# {"permissionDecision": "deny"}\n'


@pytest.mark.parametrize(
    ("name", "script"),
    [
        ("a.py", PROSE + "print('{}')\n"),
        ("a.sh", '#!/bin/sh\n# prints {"permissionDecision": "deny"}\necho ok\n'),
        ("a.js", "// permissionDecision: 'deny'\nconst log = {decision: answer}; console.log(1)\n"),
        ("b.py", "import json\nrow = {'permission': level}\nprint(json.dumps(row))\n"),
    ],
)
def test_words_in_comments_are_no_answer(name: str, script: str, tmp_path: Path) -> None:
    assert not found(tmp_path, {**guard("gemini-cli", f"python3 {name}"), name: script}, "A006")


def test_a_script_that_prints_a_foreign_answer(tmp_path: Path) -> None:
    script = "import json\nprint(json.dumps({'hookSpecificOutput': {'permissionDecision': 'deny'}}))\n"
    assert found(tmp_path, {**guard("gemini-cli", "python3 a.py"), "a.py": script}, "A006")


@pytest.mark.parametrize(
    ("script", "count"),
    [
        ('echo \'{"decision": "block", "reason": "more"}\'', 1),
        ('echo \'{"hookSpecificOutput": {"decision": "block"}}\'', 0),
        ('. ./lib.sh\necho \'{"decision": "block"}\' | wrap', 0),
        ('echo \'{"decision": "block"}\'; exit 2', 0),
    ],
    ids=["at the top", "nested", "wrapped elsewhere", "by exit status"],
)
def test_a_script_that_decides_in_the_wrong_place(script: str, count: int, tmp_path: Path) -> None:
    """VS Code reads the decision of a Stop hook below hookSpecificOutput alone."""
    files = {".github/hooks/a.json": {"hooks": {"Stop": [hook("sh a.sh", osx="sh a.sh")]}}, "a.sh": f"{script}\n"}
    assert len(found(tmp_path, files, "A006")) == count


@pytest.mark.parametrize(
    ("script", "count"),
    [
        ('print({"decision": "block"})', 1),
        ("print(\n    {'decision': 'block'}\n)", 1),
        ('print(json.dumps({"decision": "block"}))', 0),
        ('print({"decision": "block"}, file=sys.stderr)', 0),
        ('# print({"decision": "block"})\nprint(json.dumps({"decision": "block"}))', 0),
    ],
)
def test_a_script_that_prints_a_dictionary(script: str, count: int, tmp_path: Path) -> None:
    files = {PLACES["claude-code"]: groups("Stop", hook("python3 a.py")), "a.py": f"{script}\n"}
    assert len(found(tmp_path, files, "A004")) == count


VSCODE_STOP = {".github/hooks/a.json": {"hooks": {"Stop": [hook("python3 a.py", osx="python3 a.py")]}}}


@pytest.mark.parametrize(
    ("script", "count"),
    [
        ('print(json.dumps({"decision": "block"}))', 1),
        ('json.dump({"decision": "block"}, sys.stdout)', 1),
        ('reply = {"decision": "block", "reason": why()}\nprint(json.dumps(reply))', 1),
        ('reply = {"decision": "block"}\nreply["hookSpecificOutput"] = x\nprint(json.dumps(reply))', 0),
        ('reply = {"decision": "block"}\nreply |= x\nprint(json.dumps(reply))', 0),
        ('reply = {"decision": "block"}\nreply.update(x)\nprint(json.dumps(reply))', 0),
        ('print(json.dumps({"decision": "block", **more}))', 0),
        ('print(json.dumps({"decision": "block"}), file=sys.stderr)', 0),
        ('print(json.dumps({"hookSpecificOutput": {"hookEventName": "Stop", "decision": "block"}}))', 0),
        ('print(json.dumps({"decision": "block"}))\nsys.exit(2)', 0),
        ('print json.dumps({"decision": "block"})', 0),
    ],
)
def test_a_python_script_that_decides_in_the_wrong_place(script: str, count: int, tmp_path: Path) -> None:
    """As the same reply in a command: VS Code reads the decision below hookSpecificOutput."""
    assert len(found(tmp_path, {**VSCODE_STOP, "a.py": f"import json, sys\n{script}\n"}, "A006")) == count


BROKEN = '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",}}'


@pytest.mark.parametrize(
    ("name", "script", "count"),
    [
        ("a.sh", f"#!/bin/sh\n[ -t 0 ] && exit\necho '{BROKEN}'\n", 1),
        ("a.sh", f"cat <<'E'\n{BROKEN}\nE\n", 1),
        ("a.py", f"import sys\nprint('{BROKEN}')\n", 1),
        ("a.js", f"console.log('{BROKEN}')\n", 1),
        ("a.sh", f"echo '{BROKEN.replace(',}', '}')}'\n", 0),
        ("a.sh", f"echo '{BROKEN}' > log; echo '{BROKEN}' | sed s/,}}/}}/\n", 0),
        ("a.sh", "echo '{\"time\": 1,}'\n", 0),
        ("a.py", f"import sys\nprint('{BROKEN}', file=sys.stderr)\n", 0),
        ("a.py", f"print('{BROKEN}'.replace(',', ''))\n", 0),
    ],
)
def test_a_script_whose_reply_is_not_json(name: str, script: str, count: int, tmp_path: Path) -> None:
    program = {"a.sh": "sh", "a.py": "python3", "a.js": "node"}[name]
    files = {".github/hooks/a.json": {"hooks": {"PreToolUse": [hook(f"{program} {name}")]}}, name: script}
    assert len(found(tmp_path, files, "A004", "copilot-vscode")) == count


@given(st.text(alphabet="{}[]()'\":,=\n #printjsodm.=a\\$`", max_size=80), st.sampled_from([".sh", ".py", ".js"]))
def test_no_script_is_too_odd_to_be_read(text: str, suffix: str) -> None:
    assert all(output.data is None or isinstance(output.data, dict) for output in script_output(text, suffix))


def test_text_that_the_client_does_not_read(tmp_path: Path) -> None:
    reminder = hook("echo 'remember the tests'")
    (problem,) = found(tmp_path / "a", {PLACES["claude-code"]: groups("PostToolUse", reminder)}, "A008")
    assert problem.fix == "print JSON with hookSpecificOutput.additionalContext"
    for event in ("SessionStart", "UserPromptSubmit"):
        assert not found(tmp_path / event, {PLACES["claude-code"]: groups(event, reminder)}, "A008")
    assert not found(tmp_path / "b", {PLACES["gemini-cli"]: groups("AfterTool", reminder)}, "A008")
    for command in ("echo x >> log", "echo x >&2", "npm test; echo done", says(DENY), "echo x | tee log"):
        assert not found(tmp_path / "c", guard("claude-code", command), "A008")


def test_an_allowance_that_is_not_read_loses_nothing(tmp_path: Path) -> None:
    script = '#!/bin/bash\necho \'{"decision": "VALUE"}\'\nexit 0\n'
    files = guard("cursor", "bash .cursor/a.sh")
    assert not found(tmp_path / "a", {**files, ".cursor/a.sh": script.replace("VALUE", "allow")}, "A006")
    assert found(tmp_path / "b", {**files, ".cursor/a.sh": script.replace("VALUE", "deny")}, "A006")


@pytest.mark.parametrize(
    "command",
    [
        'echo \'{decision: "block", "reason": "no"}\'',
        'echo \'{"decision": "block", "reason": "no",}\'',
        'printf \'{"decision": "block" "reason": "no"}\\n\'',
        "cat <<'E'\n{\"decision\": 'block'}\nE\n",
    ],
)
def test_a_reply_that_is_not_json(command: str, tmp_path: Path) -> None:
    (problem,) = found(tmp_path, guard("claude-code", command), "A004")
    assert "not valid JSON" in problem.text


@pytest.mark.parametrize(
    "command",
    [
        'echo \'{"decision": "block", "reason": "no"}\'',
        'printf \'{"decision": "block", "reason": "a\\nb"}\\n\'',
        'printf "{\\"decision\\": \\"block\\", \\"reason\\": \\"no\\"}\\n"',
        'echo "{\\"decision\\": \\"block\\", \\"reason\\": $WHY}"',
        'echo \'{"decision": "block",\'; echo \'"reason": "no"}\'',
        "echo '{a} is a set'",
        "echo '{\"decision\": block}' >> log",
    ],
)
def test_replies_that_are_json_or_may_be(command: str, tmp_path: Path) -> None:
    assert not found(tmp_path, guard("claude-code", command), "A004")


def test_a_reply_in_a_file_that_is_written_for_many_clients(tmp_path: Path) -> None:
    """rulesync runs no hooks: which client reads the reply, its file does not say."""
    deny = """echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}'"""
    assert "A006" not in codes(tmp_path / "a", {".rulesync/hooks.json": flat("preToolUse", {"command": deny})})
    nonsense = {".rulesync/hooks.json": flat("preToolUse", {"command": """echo '{"verdict": "no"}'"""})}
    (problem,) = found(tmp_path / "b", nonsense, "A004")
    assert problem.fix == "write it as the clients read it that run the hook"


def test_the_hint_is_about_what_is_lost(tmp_path: Path) -> None:
    context = """echo '{"additional_context": "run the tests"}'"""
    (problem,) = found(tmp_path, {PLACES["claude-code"]: groups("SessionStart", hook(context))}, "A006")
    assert problem.fix == "Claude Code reads hookSpecificOutput.additionalContext on SessionStart"
