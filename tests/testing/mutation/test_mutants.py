"""Which changes are made to the hooks of a package, and which of them its cases notice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anyhook.model.problems import UsageError
from anyhook.project.package_hooks import PackageHooks
from anyhook.testing.cases.case_files import read_suite
from anyhook.testing.mutation.mutant import Mutant
from anyhook.testing.mutation.mutants import mutants_of
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
GUARD = """\
from anyhook import deny, hook


@hook("PreToolUse", matcher="Bash|Shell")
def guard(event):
    name = event.command.split()[0]
    if name in ("rm", "mkfs") or event.command.startswith("dd"):
        return deny("ß: no")
    return None
"""
SCRIPT_OF_NODE = """\
const input = require("fs").readFileSync(0, "utf8");
if (/rm -rf|mkfs/.test(input)) {
  process.exit(2);
}
console.log('{"permissionDecision": "deny"}');
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
    emptied, inverted, silent = mutants(package)
    assert shown(emptied) == ("stop.py", 5, "finish does nothing")
    assert "def finish(event):\n    return None\n    if" in emptied.text
    assert 'if not (event.get("stop_hook_active")):' in inverted.text
    assert silent.text == FUNCTION.replace('return deny("go on")', "return None")


def test_a_function_with_alternatives(package: Path) -> None:
    (package / "hooks" / "hooks.json").unlink()
    (package / "hooks" / "guard.py").write_text(GUARD)
    found = mutants(package)
    assert {shown(mutant)[1:] for mutant in found} == {
        (4, "the matcher matches everything"),
        (4, "the alternative Bash is gone"),
        (4, "the alternative Shell is gone"),
        (5, "guard does nothing"),
        (7, 'the condition name in ("rm", "mkfs") or event.command.startswith("dd") is inverted'),
        (7, 'the alternative name in ("rm", "mkfs") is gone'),
        (7, 'the alternative event.command.startswith("dd") is gone'),
        (7, 'the alternative "rm" is gone'),
        (7, 'the alternative "mkfs" is gone'),
        (8, 'deny("ß: no") is not returned'),
    }
    for mutant in found:
        compile(mutant.text, "guard.py", "exec")
    assert any('if name in ("mkfs",) or' in mutant.text for mutant in found)


def test_other_words_for_a_command_and_other_actions(package: Path) -> None:
    """Copilot CLI has ``bash`` for ``command``; an HTTP hook has no command at all."""
    copilot = {"type": "command", "bash": "exit 2", "powershell": "exit 2"}
    (package / ".github/hooks").mkdir(parents=True)
    (package / ".github/hooks/guard.json").write_text(json.dumps({"version": 1, "hooks": {"preToolUse": [copilot]}}))
    http = {"matcher": "Bash", "hooks": [{"type": "http", "url": "http://localhost:1/"}]}
    (package / ".claude").mkdir()
    (package / ".claude/settings.json").write_text(json.dumps({"hooks": {"PreToolUse": [http]}}))
    sets = [PackageHooks(package).of(client) for client in ("copilot-cli", "claude-code")]
    found = {mutant.file.name: mutant for mutant in mutants_of(sets, package) if "nothing" in mutant.what}
    (changed,) = json.loads(found["guard.json"].text)["hooks"]["preToolUse"]
    assert changed == {"type": "command", "bash": "true", "powershell": "true"}
    (group,) = json.loads(found["settings.json"].text)["hooks"]["PreToolUse"]
    assert group["hooks"] == [{"type": "command", "command": "true"}]


def test_a_script_that_replies_and_one_in_another_language(package: Path) -> None:
    hook = {"type": "command", "command": 'node "${PACKAGE_ROOT}/hooks/guard.js"'}
    groups = [{"hooks": [hook, {"type": "command", "command": "/bin/sh /etc/profile"}]}]
    (package / "hooks" / "hooks.json").write_text(json.dumps({"version": 1, "hooks": {"pre-tool-use": groups}}))
    (package / "hooks" / "guard.js").write_text(SCRIPT_OF_NODE)
    found = [mutant for mutant in mutants(package) if mutant.file.name != "hooks.json"]
    assert [shown(mutant) for mutant in found] == [
        ("guard.js", 1, "the script is empty"),
        ("guard.js", 3, "the exit status 2 is 0"),
        ("guard.js", 5, "the reply deny is allow"),
        ("guard.js", 2, "the alternative rm -rf is gone"),
        ("guard.js", 2, "the alternative mkfs is gone"),
        ("guard.js", 2, "the condition /rm -rf|mkfs/.test(input) is inverted"),
    ]
    assert "if (!(/rm -rf|mkfs/.test(input))) {" in found[-1].text


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
