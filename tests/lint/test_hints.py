"""The fix of a problem is the way of the client whose file it is: its variables, its tools, its keys."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from anyhook.dialects import profile
from anyhook.dialects.files.actions import keys_of
from anyhook.dialects.translation.tools import tool_names
from anyhook.model.problems import Problem
from tests.lint.projects import PLACES, TOOL_EVENTS, check, flat, found, groups, guard, hook

COMMANDS = (
    "bash hooks/a.sh",
    'run "$CLAUDE_TOOL_INPUT"',
    '"$SOME_PLUGIN_ROOT/a.sh"',
    '"$DROID_PLUGIN_ROOT/a.sh"',
    '"$GEMINI_PROJECT_DIR/a.sh"',
    '"$CLAUDE_PLUGIN_ROOT/a.sh"',
    "prettier {{file}}",
    "/home/ann/x.sh",
    "# a comment",
    "echo blocked; exit 1",
    "echo '{\"block\": true}'",
    'echo \'{"decision": "deny"}\'',
    'echo \'{"permission": "deny"}\'',
    "exit 2",
    "echo hello",
    "powershell -File a.ps1",
    "[[ -f x ]] && exit 2",
    "guard || true",
)
MATCHERS = ("Bash(git *)", "src/**/*.ts", "(", "Bash", "Shell", "run_shell_command", "/Edit/", "Edit|Write")


def with_matcher(client: str, matcher: str) -> dict[str, object]:
    event = TOOL_EVENTS.get(client, "PreToolUse")
    if client in {"copilot-cli", "cursor", "windsurf"}:
        return {PLACES[client]: flat(event, {"command": "x", "matcher": matcher})}
    return {PLACES[client]: groups(event, hook("x"), matcher=matcher)}


def problems(folder: Path, client: str) -> list[Problem]:
    files = [guard(client, command, timeoutMillis=5000, note=1) for command in COMMANDS]
    files += [with_matcher(client, matcher) for matcher in MATCHERS]
    return [p for i, file in enumerate(files) for p in check(folder / str(i), file, client).problems]


@pytest.mark.parametrize("client", PLACES)
def test_a_fix_names_only_what_the_client_has(client: str, tmp_path: Path) -> None:
    known = profile(client)
    execution, layout = known.execution, known.layout
    variables = {*execution.exports, *execution.substituted, "HOME"} - {*execution.plugin_exports}
    keys = {*keys_of(layout, "command"), *layout.group_keys, "type", "version", "hooks", "matcher"}
    others = {name for other in PLACES for name in tool_names(other)} - {*tool_names(client)}
    for problem in problems(tmp_path, client):
        fix = problem.fix
        named = set(re.findall(r"\$\{?([A-Z][A-Z_]+_(?:ROOT|DIR))", fix))
        assert named <= variables, (problem.code, fix)
        quoted = set(re.findall(r'"(\w+)"(?=\s*:)|write it as "(\w+)"|add "(\w+)"', fix))
        assert {key for several in quoted for key in several if key} <= keys, (problem.code, fix)
        if problem.code in {"M001", "M002", "M003", "M006", "M007"}:
            words = set(re.findall(r"\w+", fix.removeprefix(f"in {known.title} it is")))
            assert not words & others - {"test", "such", "as", "write", "list", "in", "or"}, (problem.code, fix)


def test_a_client_without_timeouts_has_no_key_for_one(tmp_path: Path) -> None:
    (problem,) = found(tmp_path, guard("windsurf", "x", timeoutSec=5), "T003")
    assert problem.fix == "remove it: this client has no timeout setting"


def test_the_hint_for_a_plugin_names_its_root(tmp_path: Path) -> None:
    for marker, root in ((".claude-plugin", "$CLAUDE_PLUGIN_ROOT"), (".codex-plugin", "$PLUGIN_ROOT")):
        files = {f"{marker}/plugin.json": {}, "hooks/hooks.json": groups("Stop", hook("/home/ann/x.sh"))}
        (problem,) = found(tmp_path / marker.strip("."), files, "C006")
        assert problem.fix == f"write the path from {root} or $HOME"
