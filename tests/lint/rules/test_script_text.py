"""The rules on commands, for the text of scripts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from anyhook.model.codes import Severity
from anyhook.model.problems import Problem
from tests.lint.projects import PLACES, found, groups, guard, hook

START = '"$CLAUDE_PROJECT_DIR"/hooks/a.sh'


def in_script(folder: Path, text: str, code: str, client: str = "claude-code", name: str = "a.sh") -> list[Problem]:
    """What is found in a script of a guard."""
    command = f"python3 hooks/{name}" if name.endswith(".py") else f"node hooks/{name}"
    files: dict[str, Any] = guard(client, f"bash hooks/{name}" if name.endswith(".sh") else command)
    return [p for p in found(folder, {**files, f"hooks/{name} 755": text}, code, client) if name in p.text]


SH = "#!/bin/bash\n"


def test_a_relative_path_in_a_script(tmp_path: Path) -> None:
    files = {**guard("claude-code", START), "hooks/a.sh 755": f"{SH}python3 tools/check.py\n"}
    (problem,) = found(tmp_path, files, "C005")
    assert problem.text.startswith("in a.sh: tools/check.py is relative")
    assert problem.fix == 'write "$CLAUDE_PROJECT_DIR/tools/check.py"'


@pytest.mark.parametrize(
    "text",
    [
        'cd "$CLAUDE_PROJECT_DIR"\npython3 tools/check.py\n',
        "if [ -f tools/check.py ]; then python3 tools/check.py; fi\n",
        'python3 "$(dirname "$0")/check.py"\n',
        'python3 "$CLAUDE_PROJECT_DIR/tools/check.py"\n',
        "# python3 tools/check.py\ntrue\n",
        "cat <<EOF\npython3 tools/check.py\nEOF\n",
    ],
)
def test_no_relative_path_in_a_script(text: str, tmp_path: Path) -> None:
    assert not found(tmp_path, {**guard("claude-code", START), "hooks/a.sh 755": SH + text}, "C005")


def test_a_client_that_starts_in_the_project_needs_no_full_path(tmp_path: Path) -> None:
    assert not in_script(tmp_path, f"{SH}python3 tools/check.py\n", "C005", "gemini-cli")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.sh", f'{SH}echo "$CLAUDE_TOOL_INPUT" | grep rm\n'),
        ("a.sh", f'{SH}run "$CLAUDE_WORKING_DIR"\n'),
        ("a.py", 'import os\nprint(os.environ["CLAUDE_TOOL_INPUT"])\n'),
        ("a.py", 'import os\nprint(os.environ.get("TOOL_NAME"))\n'),
        ("a.js", "console.log(process.env.CLAUDE_FILE_PATHS)\n"),
    ],
)
def test_a_variable_that_is_never_set_in_a_script(name: str, text: str, tmp_path: Path) -> None:
    (problem,) = in_script(tmp_path, text, "C007", name=name)
    assert problem.severity is Severity.WARNING
    assert problem.text.startswith(f"in {name}: ")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.sh", f'{SH}TOOL_NAME=$(jq -r .tool_name)\necho "$TOOL_NAME"\n'),
        ("a.sh", f'{SH}echo "${{CLAUDE_TOOL_INPUT:-$(cat)}}" "$CLAUDE_TOOL_INPUT"\n'),
        ("a.sh", f'{SH}if [ -n "$CURSOR_PROJECT_DIR" ]; then cd "$CURSOR_PROJECT_DIR"; fi\n'),
        ("a.sh", f'{SH}. ./env.sh\necho "$TOOL_NAME"\n'),
        ("a.sh", f"{SH}# $CLAUDE_TOOL_INPUT is not set\necho '$CLAUDE_TOOL_INPUT'\n"),
        ("a.sh", f'{SH}echo "$MY_OWN" "$HOME" "$CLAUDE_PROJECT_DIR"\n'),
        ("a.py", 'import os, sys\nprint(os.environ.get("CLAUDE_TOOL_INPUT") or sys.stdin.read())\n'),
        ("a.py", '# os.environ["CLAUDE_TOOL_INPUT"] is not set\nprint(1)\n'),
        ("a.js", "const text = process.env.TOOL_INPUT ?? require('fs').readFileSync(0, 'utf8')\n"),
    ],
)
def test_variables_of_a_script_that_are_set_or_the_user_s(name: str, text: str, tmp_path: Path) -> None:
    assert not in_script(tmp_path, text, "C007", name=name)


def test_a_variable_that_the_command_line_sets_for_its_script(tmp_path: Path) -> None:
    files = {**guard("claude-code", f"TOOL_NAME=x {START}"), "hooks/a.sh 755": f'{SH}echo "$TOOL_NAME"\n'}
    assert not found(tmp_path, files, "C007")


@pytest.mark.parametrize("text", ["{{TOOL_DIR}}/check --all\n", "python3 {KIT}/check.py\n", "{my-cli-command} --all\n"])
def test_a_placeholder_in_a_script(text: str, tmp_path: Path) -> None:
    assert in_script(tmp_path, SH + text, "C008")


@pytest.mark.parametrize(
    "text",
    [
        "docker ps --format '{{.Names}}'\n",
        "sed 's/{{NAME}}/x/' template > out\n",
        "cat <<EOF\n{{TOOL_DIR}}/check\nEOF\n",
        "# {{TOOL_DIR}}/check\ntrue\n",
        "echo {a,b}/c\n",
    ],
)
def test_no_placeholder_in_a_script(text: str, tmp_path: Path) -> None:
    assert not in_script(tmp_path, SH + text, "C008")


def test_a_script_that_says_it_blocks_and_never_does(tmp_path: Path) -> None:
    text = f'{SH}if grep -q rm; then\n  echo "Blocked: rm is dangerous" >&2\nfi\nexit 0\n'
    (problem,) = in_script(tmp_path, text, "A001")
    assert "always exits with 0" in problem.text
    assert problem.severity is Severity.NOTE


@pytest.mark.parametrize(
    "text",
    [
        'grep -q rm && { echo "Blocked" >&2; exit 2; }\nexit 0\n',
        'echo \'Blocked\' >&2\necho \'{"decision": "block", "reason": "no"}\'\nexit 0\n',
        'echo "formatted 3 files"\nexit 0\n',
        'set -e\necho "Blocked calls are logged"\ncheck\nexit 0\n',
        "# blocked\nexit 0\n",
        'echo "Blocked" >> log\nexit 0\n',
    ],
)
def test_scripts_that_can_block_or_do_not_want_to(text: str, tmp_path: Path) -> None:
    assert not in_script(tmp_path, SH + text, "A001")


@pytest.mark.parametrize(
    "text",
    [
        'CMD=$(jq -r .tool_input.command)\necho "{\\"permissionDecision\\": \\"deny\\", \\"why\\": \\"no $CMD\\"}"\n',
        'CMD=$(jq -r .tool_input.command)\nprintf \'{"decision": "block", "reason": "%s"}\' "$CMD"\n',
        'CMD=$(jq -r .tool_input.command)\ncat <<EOF\n{"decision": "block", "reason": "no ${CMD}"}\nEOF\n',
    ],
)
def test_a_decision_that_a_quote_breaks(text: str, tmp_path: Path) -> None:
    (problem,) = in_script(tmp_path, SH + text, "A007")
    assert "$CMD" in problem.text
    assert "jq -n --arg" in problem.fix


@pytest.mark.parametrize(
    "text",
    [
        'CMD=$(jq -r .tool_input.command)\njq -n --arg c "$CMD" \'{decision: "block", reason: $c}\'\n',
        'WHY=$(jq -Rs .)\necho "{\\"decision\\": \\"block\\", \\"reason\\": $WHY}"\n',
        'CMD=$(jq -r .tool_input.command)\necho "{\\"decision\\": \\"block\\", \\"reason\\": \\"no\\"}"\n',
        'CMD=$(jq -r .tool_input.command)\necho "{\\"seen\\": \\"$CMD\\"}" >> log\n',
        'N=3\necho "{\\"decision\\": \\"block\\", \\"reason\\": \\"$N files\\"}"\n',
    ],
)
def test_decisions_that_no_quote_breaks(text: str, tmp_path: Path) -> None:
    assert not in_script(tmp_path, SH + text, "A007")


def test_a_script_of_many_hooks_is_reported_once(tmp_path: Path) -> None:
    files = {
        PLACES["claude-code"]: groups("PreToolUse", hook(f"{START} one"), hook(f"{START} two")),
        "hooks/a.sh 755": f'{SH}echo "$CLAUDE_TOOL_INPUT"\n',
    }
    assert len(found(tmp_path, files, "C007")) == 1
