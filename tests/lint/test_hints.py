"""The fix of a problem is the way of the client whose file it is: its variables, its tools, its keys."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from anyhook.dialects import profile
from anyhook.dialects.bound_event import bind_event
from anyhook.dialects.events import native_names
from anyhook.dialects.files.actions import keys_of
from anyhook.dialects.translation.tools import tool_names
from anyhook.engine.interpret import interpret
from anyhook.engine.raw import RawResult
from anyhook.lint.lint import check_paths
from anyhook.model.hooks import Command, Rule
from anyhook.model.outcome import Status
from anyhook.model.problems import Problem
from tests.hook_corpus import Projects, Sample, written_here
from tests.lint.projects import found, groups, guard, hook, roots
from tests.written_hooks import DIALECTS, write_hooks

SAMPLES = written_here()
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


def events(client: str) -> tuple[str, ...]:
    return tuple(event for event in ("PreToolUse", "BeforeShellExecution", "Stop") if event in profile(client).events)


def problems_of(
    folder: Path, client: str, event: str, command: str = "true", matcher: str | None = None
) -> list[Problem]:
    """What is wrong with a hook file of one hook, as its client reads it."""
    native = bind_event(profile(client), event).native_event
    write_hooks(
        folder, client, Rule(event=event, native_event=native, matcher=matcher, actions=(Command(command=command),))
    )
    (folder / ".git").mkdir()
    return list(check_paths([folder], roots(folder), [client], everything=True).problems)


def all_problems(folder: Path, client: str) -> list[tuple[str, Problem]]:
    files: list[tuple[str, str, str | None]] = [
        (event, command, None) for event in events(client) for command in COMMANDS
    ]
    files += [(event, "true", matcher) for event in events(client) for matcher in MATCHERS]
    return [
        (event, problem)
        for number, (event, command, matcher) in enumerate(files)
        for problem in problems_of(folder / str(number), client, event, command, matcher)
    ]


@pytest.mark.parametrize("client", DIALECTS)
def test_a_fix_names_only_what_the_client_has(client: str, tmp_path: Path) -> None:
    known = profile(client)
    execution, layout = known.execution, known.layout
    variables = {*execution.exports, *execution.substituted, "HOME"}
    variables -= set() if client == "open-plugins" else {*execution.plugin_exports}  # its packages are plugins
    keys = {*keys_of(layout, "command"), *layout.group_keys, "type", "version", "hooks", "matcher"}
    others = {name for other in DIALECTS for name in tool_names(other)} - {*tool_names(client)}
    for _, problem in all_problems(tmp_path, client):
        fix = problem.fix
        named = set(re.findall(r"\$\{?([A-Z][A-Z_]+_(?:ROOT|DIR))", fix))
        assert named <= variables, (problem.code, fix)
        quoted = set(re.findall(r'"(\w+)"(?=\s*:)|write it as "(\w+)"|add "(\w+)"', fix))
        assert {key for several in quoted for key in several if key} <= keys, (problem.code, fix)
        if problem.code in {"M001", "M002", "M003", "M006", "M007"}:
            words = set(re.findall(r"\w+", fix.removeprefix(f"in {known.title} it is")))
            assert not words & others - {"test", "such", "as", "write", "list", "in", "or"}, (problem.code, fix)


MATCHER_FIXES = (
    r"write (?:a list of names|the tool,) such as ([\w|]+)",
    r'write "matcher": "([^"]+)"',
    r"write ([\w|]+)(?:$|, and test)",
    r"in [\w ]+ it is (.+)",
    r"[\w ]+ sends (.+)",
)
PATH_FIXES = (r"write the path from (\$\S+)", r"\w has (\$.+)")


def proposed(problem: Problem, patterns: tuple[str, ...]) -> list[str]:
    """The texts that a fix proposes to write."""
    found = next(filter(None, (re.search(pattern, problem.fix) for pattern in patterns)), None)
    return re.split(r", | or ", found[1]) if found else []


@pytest.mark.parametrize("client", DIALECTS)
def test_what_a_fix_proposes_is_right_in_that_client(client: str, tmp_path: Path) -> None:
    """The proposed matcher, path or reply is put in place of the wrong one: nothing of that kind is wrong with it."""
    fixes = {(event, problem.code, problem.fix): problem for event, problem in all_problems(tmp_path / "wrong", client)}
    tried = 0
    for number, ((event, code, fix), problem) in enumerate(fixes.items()):
        folder = tmp_path / str(number)
        right: list[Problem] = []
        for text in proposed(problem, MATCHER_FIXES) if code.startswith("M") else ():
            right += problems_of(folder / text.replace("|", "_"), client, event, matcher=text)
            tried += 1
        for root in proposed(problem, PATH_FIXES) if code in {"C006", "C007"} else ():
            right += problems_of(folder / root.strip("$()").split()[0], client, event, f'"{root}/a.sh"')
            tried += 1
        for command in refusals(problem):
            right += problems_of(folder / str(len(command)), client, event, command)
            assert refuses(client, event, command), (code, fix, command)
            tried += 1
        about = {"M": {"M"}, "A": {"A002", "A004", "A005", "A006"}, "C": {"C006", "C007"}}[code[0]] if right else set()
        assert not [p for p in right if p.code in about or p.code[0] in about], (code, fix)
    assert tried


def refusals(problem: Problem) -> list[str]:
    """The commands that refuse as a fix says."""
    if problem.code not in {"A002", "A004", "A005", "A006"}:
        return []
    if "xit 2" in problem.fix or "exit with 2" in problem.fix:
        return ["echo why >&2; exit 2"]
    read = re.search(r" reads ([\w.]+)(?:: (\w+))? on (\S+?)(?:, only with (\w+))?$", problem.fix)
    if read is None:
        return []
    path, value, event, beside = read.groups()
    *above, key = path.split(".")
    reply: dict[str, object] = {key: value or "why"}
    if beside:
        reply[beside] = "why"
    for name in above:
        reply = {name: {"hookEventName": event, **reply}}
    return [f"echo '{json.dumps(reply)}'"]


def refuses(client: str, event: str, command: str) -> bool:
    """Whether the client takes what the command does for a refusal."""
    done = subprocess.run(["sh", "-c", command], capture_output=True, check=False)
    raw = RawResult(exit_code=done.returncode, stdout=done.stdout, stderr=done.stderr)
    run = interpret(bind_event(profile(client), event), Command(command=command), raw)
    return run.status is Status.BLOCKED


def test_a_client_without_timeouts_has_no_key_for_one(tmp_path: Path) -> None:
    (problem,) = found(tmp_path, guard("windsurf", "x", timeoutSec=5), "T003")
    assert problem.fix == "remove it: this client has no timeout setting"


def test_the_hint_for_a_plugin_names_its_root(tmp_path: Path) -> None:
    for marker, root in ((".claude-plugin", "$CLAUDE_PLUGIN_ROOT"), (".codex-plugin", "$PLUGIN_ROOT")):
        files = {f"{marker}/plugin.json": {}, "hooks/hooks.json": groups("Stop", hook("/home/ann/x.sh"))}
        (problem,) = found(tmp_path / marker.strip("."), files, "C006")
        assert problem.fix == f"write the path from {root} or $HOME"


@pytest.mark.parametrize("sample", [sample for sample in SAMPLES if sample.mistakes], ids=str)
def test_what_is_proposed_for_a_mistake_of_people_is_right(sample: Sample, tmp_path: Path) -> None:
    made = Projects(tmp_path / "projects", [sample])
    (made.bases[sample.file] / ".git").mkdir(exist_ok=True)
    for number, problem in enumerate(
        check_paths([made.files[sample.file]], roots(made.bases[sample.file]), everything=True).problems
    ):
        client = problem.origin.dialect
        if problem.code.startswith("E") and (guess := re.search(r"did you mean (\S+)\?", problem.fix)):
            assert guess[1] in native_names(client), problem
        path = re.fullmatch(r'write ("\$.+"|[\w./-]+)', problem.fix)
        if problem.code in {"C005", "C012"} and path and "PLUGIN_ROOT" not in path[1]:
            right = problems_of(tmp_path / str(number), client, events(client)[0], path[1])
            assert not {found.code for found in right} & {"C001", "C005", "C007", "C012"}, problem
