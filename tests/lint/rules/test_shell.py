"""Commands and scripts that no shell can parse, that only bash or Windows has, or that split the event."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from anyhook.model.codes import Severity
from tests.lint.projects import PLACES, flat, found, guard, hook

needs_bash = pytest.mark.skipif(os.name != "posix" or not shutil.which("bash"), reason="bash parses the texts")


@needs_bash
@pytest.mark.parametrize(
    "command",
    [
        "echo 'don't stop'",
        "if true; then echo yes",
        "jq -r '.a | .b",
        "case x in a) true",
        "echo “hello there”",
    ],
)
def test_what_no_shell_can_parse(command: str, tmp_path: Path) -> None:
    (problem,) = found(tmp_path, guard("claude-code", command), "C013")
    assert problem.severity is Severity.ERROR


@needs_bash
@pytest.mark.parametrize(
    "command",
    [
        'echo "don\'t stop"',
        "if true; then echo yes; fi",
        "[[ $x =~ ^(a|b)$ ]] && diff <(a) <(b)",
        'echo "it says “hello”"',
        "echo !(a|b)",
        "cat <<'E'\n“text”\nE\n",
    ],
)
def test_what_bash_can_parse(command: str, tmp_path: Path) -> None:
    assert not found(tmp_path, guard("gemini-cli", command), "C013")


@needs_bash
def test_nothing_of_a_text_is_run(tmp_path: Path) -> None:
    target = tmp_path / "ran"
    found(tmp_path, guard("claude-code", f"(touch {target}); echo 'open"), "C013")
    assert not target.exists()


@needs_bash
def test_a_script_is_parsed_by_what_its_first_line_says(tmp_path: Path) -> None:
    command = guard("claude-code", '"$CLAUDE_PROJECT_DIR"/a.sh')
    assert found(tmp_path / "a", {**command, "a.sh 755": "#!/bin/bash\nif true; then\n"}, "C013")
    assert not found(tmp_path / "b", {**command, "a.sh 755": "#!/usr/bin/env zsh\nif true; then\n"}, "C013")


@pytest.mark.parametrize("command", ["[[ -f x ]] && rm x", "wc -l <<< text", "make &> log", 'echo "${x//a/b}"'])
def test_syntax_of_bash_where_sh_runs_it(command: str, tmp_path: Path) -> None:
    (problem,) = found(tmp_path / "a", guard("claude-code", command), "C014")
    assert "dash" in problem.text
    assert not found(tmp_path / "b", guard("gemini-cli", command), "C014")
    assert not found(tmp_path / "c", guard("claude-code", f"bash -c '{command}'"), "C014")


def test_syntax_of_bash_in_a_script_of_sh(tmp_path: Path) -> None:
    files = guard("gemini-cli", "sh a.sh")
    assert found(tmp_path / "a", {**files, "a.sh": "[[ -f x ]] && rm x\n"}, "C014")
    assert not found(tmp_path / "b", {**guard("gemini-cli", "bash a.sh"), "a.sh": "[[ -f x ]] && rm x\n"}, "C014")


@pytest.mark.parametrize("command", ["powershell -File a.ps1", "powershell.exe -c x", "cmd /c dir", "scripts/a.bat"])
def test_a_program_of_windows_alone(command: str, tmp_path: Path) -> None:
    assert found(tmp_path, guard("claude-code", command), "C015")


@pytest.mark.parametrize("command", ["cmd=1; echo $cmd", "pwsh -File a.ps1", "echo powershell", "cmd-runner x"])
def test_what_only_looks_like_windows(command: str, tmp_path: Path) -> None:
    assert not found(tmp_path, guard("claude-code", command), "C015")


def test_a_command_for_each_system_is_right(tmp_path: Path) -> None:
    entry = {"type": "command", "bash": "./a", "powershell": "powershell -File a.ps1"}
    assert not found(tmp_path, {PLACES["copilot-cli"]: flat("preToolUse", entry)}, "C015")


def test_a_part_of_the_event_without_quotes(tmp_path: Path) -> None:
    fill = "f=$(jq -r .tool_input.file_path); "
    (problem,) = found(tmp_path / "a", guard("claude-code", f"{fill}prettier $f"), "C017")
    assert problem.fix == 'write "$f"'
    assert not found(tmp_path / "b", guard("claude-code", f'{fill}prettier "$f"; g=$f; [[ $f == x ]]'), "C017")
    assert not found(tmp_path / "c", guard("claude-code", "f=$(pwd); prettier $f"), "C017")
    script = {**guard("gemini-cli", "bash a.sh"), "a.sh": f"#!/bin/bash\n{fill}\nprettier $f\n"}
    assert "a.sh" in found(tmp_path / "d", script, "C017")[0].text


FILL = "P=$(jq -r .prompt)\n"


@pytest.mark.parametrize(
    ("script", "shown"),
    [
        (f'{FILL}eval "$P"', "$P"),
        (f"{FILL}eval $P", "$P"),
        (f'{FILL}sh -c "echo $P"', "$P"),
        (f'{FILL}/bin/bash -lc "echo ${{P}}"', "$P"),
        (f'{FILL}if true; then bash -e -c "x; $P"; fi', "$P"),
        (f'{FILL}line="ls $P"\neval "$line"', "$line"),
        (f"{FILL}python3 -c \"print('$P')\"", "$P"),
        (f'{FILL}echo "$P" | sh', "$P"),
        ('eval "$(jq -r .tool_input.command)"', "the output of jq"),
        ("jq -r .tool_input.command | bash -s", "the output of jq"),
        ("bash -c 'P=$(jq -r .prompt); eval \"$P\"'", "$P"),
        ('P=`jq -r .prompt`\neval "$P"', "$P"),
        ('eval "`jq -r .prompt`"', "the output of jq"),
        (f'{FILL}ssh host "$P"', "$P"),
        (f"{FILL}ssh -vp 22 -i key me@host cd x '&&' $P", "$P"),
        (f'{FILL}source <(echo "$P")', "$P"),
        (f"{FILL}. <(printf '%s\\n' \"$P\")", "$P"),
        (f'{FILL}bash <(echo "$P")', "$P"),
        ("source <(jq -r .prompt)", "the output of jq"),
        (f'{FILL}bash <<< "$P"', "$P"),
        (f"{FILL}sudo bash -s <<< $P", "$P"),
        ('bash <<< "$(jq -r .prompt)"', "the output of jq"),
        (f'{FILL}timeout 5 sh -c "$P"', "$P"),
        (f"{FILL}python3 -Ic \"print('$P')\"", "$P"),
        (f'{FILL}node -p "$P"', "$P"),
        (f"{FILL}$P", "$P"),
        (f'{FILL}"${{P}}" --fix', "$P"),
    ],
)
def test_a_part_of_the_event_that_is_run_as_code(script: str, shown: str, tmp_path: Path) -> None:
    (problem,) = found(tmp_path / "a", guard("claude-code", script), "C019")
    assert problem.text.startswith(f"{shown} holds a part of the event")
    files = {".github/hooks/a.json": flat("Stop", hook("bash a.sh")), "a.sh": f"#!/bin/bash\n{script}\n"}
    (problem,) = found(tmp_path / "b", files, "C019", "copilot-vscode")
    assert problem.text.endswith("as code in a.sh: the event says what is run")


@pytest.mark.parametrize(
    "script",
    [
        f'{FILL}sh -c \'echo "$1"\' sh "$P"',
        f'{FILL}echo "$P" | grep x; printf %s "$P" | sh check.sh',
        f"{FILL}eval 'echo $P'",
        f'{FILL}eval "${{P@Q}}"',
        f'{FILL}eval "$(printf %q "$P")"',
        f'{FILL}q=$(printf %q "$P"); sh -c "echo $q"',
        'P=$(pwd); eval "$P"; sh -c "ls $HOME"',
        f'{FILL}"$P"/scripts/lint.sh',
        f'{FILL}ssh -i "$P" "$P" ls',
        f'{FILL}bash check.sh <<< "$P"; cat <<< "$P"; bash check.sh <(echo "$P")',
        f'{FILL}source ./lib.sh "$P"; diff <(echo "$P") x',
        f'{FILL}ssh host "ls ${{P@Q}}"',
        f'{FILL}python3 -c "print(1)" "$P"',
        'for p in $(jq -r ".files[]"); do echo "$p"; done',
        'eval "$(jq -r \'@sh "P=\\(.prompt)"\')"',
        "P=$(jq -r '.prompt | @sh')\neval \"echo $P\"",
    ],
)
def test_a_part_of_the_event_that_is_only_data(script: str, tmp_path: Path) -> None:
    assert not found(tmp_path, guard("claude-code", script), "C019")


def test_what_the_client_sets_from_the_event_is_part_of_it(tmp_path: Path) -> None:
    files = {
        ".github/hooks/a.json": flat("PostToolUse", hook("sh a.sh")),
        "a.sh": 'sh -c "fmt $TOOL_INPUT_FILE_PATH"\n',
    }
    (problem,) = found(tmp_path, files, "C019", "copilot-vscode")
    assert "$TOOL_INPUT_FILE_PATH" in problem.text


@pytest.mark.parametrize("client", ["claude-code", "qwen-code"])
def test_a_shell_that_most_systems_lack(client: str, tmp_path: Path) -> None:
    def hook(**more: object) -> dict[str, object]:
        entry = {"type": "command", "command": "Write-Output x", **more}
        return {PLACES[client]: {"hooks": {"PreToolUse": [{"hooks": [entry]}]}}}

    (problem,) = found(tmp_path / "a", hook(shell="powershell"), "C015")
    assert "only Windows always has" in problem.text
    assert "is not on the PATH" in problem.text
    assert not found(tmp_path / "b", hook(shell="bash"), "C015")
    assert not found(tmp_path / "c", hook(), "C015")
