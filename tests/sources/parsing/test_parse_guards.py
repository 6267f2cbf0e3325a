"""Tables of anyhook.toml as hooks, with their places."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.dialects import dialect
from anyhook.dialects.places import FileKind
from anyhook.model.document import QuirkKind
from anyhook.model.hooks import FateState, Guard, HookSet, RuleCommand
from anyhook.model.origin import Scope
from anyhook.project.inventory import hooks_for_project
from anyhook.project.package_hooks import PackageHooks
from anyhook.sources.discover import Roots
from anyhook.sources.parsing.parse_guards import parse_guards, parse_rules
from anyhook.sources.settings import TABLES


def hooks_of(folder: Path, text: str) -> HookSet:
    folder.mkdir(exist_ok=True)
    (folder / "anyhook.toml").write_text(text)
    nowhere = folder / "nowhere"
    return hooks_for_project("universal", Roots(project=folder, home=nowhere, system=nowhere))


def test_a_guard_is_a_hook_with_its_settings_and_its_place(tmp_path: Path) -> None:
    hooks = hooks_of(tmp_path, '# mine\n\n[guards.shell]\nlevel = "ask"\nfamilies = { git = "off" }\n')
    (rule,) = hooks.rules
    (action,) = rule.actions
    assert isinstance(action, Guard)
    assert (rule.event, rule.matcher) == ("PreToolUse", None)
    assert rule.kinds == ("shell", "edit", "fetch", "mcp")
    assert (action.guard, action.settings) == ("shell", {"level": "ask", "families": {"git": "off"}})
    assert action.fail_closed
    assert (Path(action.origin.file).name, action.origin.line) == ("anyhook.toml", 3)
    assert action.summary() == "shell guard (level = ask, families = git: off)"
    assert hooks.problems == ()


def test_mistakes_have_a_place_and_the_guard_still_runs(tmp_path: Path) -> None:
    text = '[guards.shell]\nlevle = "off"\n[guards.shell.families]\ngti = "off"\n\n[guards.shel]\n'
    hooks = hooks_of(tmp_path, text)
    found = [(problem.code, problem.origin.line, problem.text, problem.fix) for problem in hooks.problems]
    assert found == [
        ("F012", 2, '"levle" is not a setting here', "did you mean level?"),
        ("F012", 4, '"families" has no "gti"', "did you mean git?"),
        ("F012", 6, "there is no guard shel", "did you mean shell?"),
    ]
    ((action,),) = [rule.actions for rule in hooks.rules]
    assert action.fate.state is FateState.ACTIVE
    assert isinstance(action, Guard)
    assert action.settings == {"families": {}}


def test_a_guard_that_is_off_is_shown_as_disabled(tmp_path: Path) -> None:
    ((action,),) = [rule.actions for rule in hooks_of(tmp_path, '[guards.shell]\nlevel = "off"\n').rules]
    assert (action.fate.state, action.fate.why) == (FateState.DISABLED, "its level is off")


@pytest.mark.parametrize("text", ["", '[models]\ndefault = "anthropic:x"\n', "[clients]\n# guards are elsewhere\n"])
def test_other_settings_are_no_hooks(tmp_path: Path, text: str) -> None:
    hooks = hooks_of(tmp_path, text)
    assert (hooks.rules, hooks.problems) == ((), ())
    assert PackageHooks(tmp_path).owner() is None


def test_guards_alone_make_a_package(tmp_path: Path) -> None:
    hooks_of(tmp_path, "[guards.shell]\n")
    assert PackageHooks(tmp_path).owner() == "universal"


def test_guards_beside_another_clients_hook_file_do_not_vanish_silently(tmp_path: Path) -> None:
    hooks_of(tmp_path, "[guards.shell]\n")
    (tmp_path / "hooks").mkdir()
    hook = '{"type": "command", "command": "true"}'
    text = f'{{"hooks": {{"PreToolUse": [{{"matcher": "Bash", "hooks": [{hook}]}}]}}}}'
    (tmp_path / "hooks" / "hooks.json").write_text(text)
    package = PackageHooks(tmp_path)
    assert package.owner() == "claude-code"
    (problem,) = package.of("claude-code").problems
    assert (Path(problem.origin.file).name, problem.severity, problem.text) == (
        "anyhook.toml",
        "error",
        "its hooks do not run, because hooks/hooks.json is written for Claude Code",
    )


def test_guards_in_a_folder_whose_name_ends_with_hooks(tmp_path: Path) -> None:
    folder = tmp_path / "my-hooks"
    hooks_of(folder, "[guards.shell]\n")
    assert PackageHooks(folder).owner() == "universal"


@pytest.mark.parametrize("text", ["guards = 1\n", "[guards]\nshell = 1\n"])
def test_what_is_no_table_is_reported(text: str) -> None:
    (quirk,) = parse_guards(text).quirks
    assert (quirk.kind, quirk.code) == (QuirkKind.LOST, "F012")


def test_broken_text_that_names_guards_is_reported(tmp_path: Path) -> None:
    hooks = hooks_of(tmp_path, "[guards.shell\n")
    assert [problem.code for problem in hooks.problems] == ["F001"]
    assert hooks_of(tmp_path, "[models\n").problems == ()


_KEYS = (
    "name",
    "on",
    "when",
    "then",
    "kind",
    "command",
    "content",
    "previous",
    "since",
    "at_least",
    "run",
    "replace",
    "by",
)
RULES = """\
rules:
  - name: no-main
    when: {kind: shell, command: git push *}
    then: block
  - on: [Stop, SubagentStop]
    then: blok
  - on: Stopp
    then: block
"""


def test_rules_are_hooks(tmp_path: Path) -> None:
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks" / "rules.yaml").write_text(RULES)
    hooks = hooks_of(tmp_path, '[[rule]]\non = "UserPromptSubmit"\nwhen = { content = "x" }\nthen = "block"\n')
    shown = [
        (
            rule.event,
            rule.kinds,
            action.summary(),
            str(action.fate.state),
            Path(action.origin.file).name,
            action.origin.line,
        )
        for rule in hooks.rules
        for action in rule.actions
    ]
    assert shown == [
        ("UserPromptSubmit", (), "block (content x)", "active", "anyhook.toml", 1),
        ("PreToolUse", ("shell",), "no-main: block (kind shell, command git push *)", "active", "rules.yaml", 2),
        ("Stop", (), "blok", "dropped", "rules.yaml", 5),
        ("SubagentStop", (), "blok", "dropped", "rules.yaml", 5),
    ]
    assert [(problem.origin.line, problem.text) for problem in hooks.problems] == [
        (6, "\"then\" cannot be 'blok'"),
        (7, "universal hooks have no event Stopp"),
    ]
    assert PackageHooks(tmp_path).owner() == "universal"


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("{on: [PreToolUse, PermissionRequest], then: ask}", ""),
        ("{on: PermissionRequest, then: rewrite, replace: a, by: b}", ""),
        ("{on: PostToolUse, when: {kind: edit, command: x, path: y}, then: block}", ""),
        ("{on: [UserPromptSubmit, PreCompact, Stop, SubagentStop], then: block}", ""),
        ("{on: [SessionStart, Notification, SessionEnd], then: warn, message: x}", ""),
        ("{on: SessionStart, then: run, run: x}", ""),
        ("{on: Stop, when: {kind: shell}, then: block}", "Stop is not about a tool; leave kind out"),
        ("{on: [PreToolUse, Stop], when: {command: x}, then: block}", "Stop is not about a tool; leave command out"),
        (
            "{on: UserPromptSubmit, when: {path: x}, then: block}",
            "UserPromptSubmit is not about a tool; leave path out",
        ),
        ("{on: Stop, then: allow}", "allow has no effect on Stop; write PreToolUse or PermissionRequest as on"),
        (
            "{on: PostToolUse, then: ask}",
            "ask has no effect on PostToolUse; write PreToolUse or PermissionRequest as on",
        ),
        (
            "{on: UserPromptSubmit, then: rewrite, replace: a, by: b}",
            "rewrite has no effect on UserPromptSubmit; write PreToolUse or PermissionRequest as on",
        ),
        ("{on: SessionStart, then: block}", "block has no effect on SessionStart; write context, warn or run as then"),
        ("{on: Notification, then: block}", "block has no effect on Notification; write context, warn or run as then"),
    ],
)
def test_what_a_rule_can_do_on_an_event(rule: str, expected: str) -> None:
    found = {f"{quirk.text}; {quirk.fix}" for quirk in parse_rules(f"rules: [{rule}]").quirks}
    assert found == ({expected} if expected else set())


@pytest.mark.parametrize(
    ("event", "condition", "text"),
    [
        ("UserPromptSubmit", 'command = "git push *"', "UserPromptSubmit is not about a tool"),
        ("Stop", 'path = "src/**"', "Stop is not about a tool"),
        ("Notification", 'content = "x"', "Notification has no text to search"),
    ],
)
def test_a_condition_that_the_event_cannot_meet(event: str, condition: str, text: str) -> None:
    (quirk,) = parse_guards(
        f'[[rule]]\non = "{event}"\nwhen = {{ {condition} }}\nthen = "warn"\nmessage = "x"\n'
    ).quirks
    assert (quirk.text, quirk.fix) == (text, f"leave {condition.partition(' ')[0]} out")


@pytest.mark.parametrize("text", ["- a\n", "rules: 1\n", "rule: []\n", "rules:\n  - x\n"])
def test_what_is_no_list_of_rules_is_reported(text: str) -> None:
    assert [quirk.code for quirk in parse_rules(text).quirks] == ["F012"]


def test_the_tables_of_settings_define_no_hooks() -> None:
    assert parse_guards("".join(f"[{name}]\n" for name in TABLES)).data is None
    assert parse_guards("[models.aliases]\n[ 'clients' ]\n[broken").quirks != ()
    assert parse_guards("[models.aliases\n").quirks == ()  # who reads the settings reports it


def test_guards_alone_need_no_settings() -> None:
    code = (
        "import sys; from anyhook.sources.parsing.parse_guards import parse_guards;"
        "parse_guards('[guards.shell]\\n[[rule]]\\n'); assert 'anyhook.sources.settings' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def reported(path: Path, text: str) -> list[str]:
    """Every problem of a file: its line, text and remedy."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    roots = Roots(project=path.parents[path.name == "rules.yaml"], home=path.parent / "no", system=path.parent / "no")
    problems = hooks_for_project("universal", roots).problems
    assert {Path(problem.origin.file).name for problem in problems} == {path.name}
    return [f"{problem.origin.line}: {problem.text}; {problem.fix}" for problem in problems]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("- a\n", '1: the file has no "rules"; write rules: and below it a list'),
        ("rule: []\n", '1: the file has no "rules"; write rules: and below it a list'),
        ("\nrules: 1\n", '2: "rules" must be a list; write each rule as an item: - then: block'),
        ("rules:\n", '1: "rules" must be a list; write each rule as an item: - then: block'),
        ("rules:\n  - x\n", "2: a rule must be a table; write its settings: on, when, then"),
        ("rules:\n- then: block\nversion: 1\n", '3: "version" is not a setting here; leave it out'),
        ("rules: []\nrules:\n- then: block\n", '2: "rules" is given twice; merge the two into one'),
        ("rules:\n- then: block\n  then: allow\n", '3: "then" is given twice; leave one of them out'),
        ("rules:\n- then: ask\n- when: {kind: edit, kind: read}\n  then: block\n",
         '3: "kind" is given twice; leave one of them out'),
        ("rules:\n- then: block\n  on: []\n", '3: "on" is empty; give it a value, or leave on out'),
        ("rules:\n- then: block\n  on: 1\n", '3: "on" must be text, or a list of texts; correct the value'),
        ("rules:\n- on: Stop\n  then: block\n  when:\n", '4: "when" must be a table; correct the value'),
        ("rules:\n- on: [Stop, Stopp]\n  then: block\n", "2: universal hooks have no event Stopp; did you mean Stop?"),
        ("rules:\n- {name: a, then: ask}\n- {name: b, then: ask}\n- name: a\n  then: block\n",
         "4: the rule in line 2 is called a, too; give one of them another name"),
        ("rules:\n- {then: block, when: {path: *.py}}\n",
         "2: found undefined alias '.py': a value that starts with * needs quotes; "
         "anyhook ignores the whole file; correct the syntax at this place"),
        ("rules:\n- {then: block, when: {branch: !main}}\n",
         "2: while scanning a tag, expected ' ', but found '}': a value that starts with ! needs quotes; "
         "anyhook ignores the whole file; correct the syntax at this place"),
    ],
)  # fmt: skip
def test_mistakes_in_a_file_of_rules(tmp_path: Path, text: str, problem: str) -> None:
    assert reported(tmp_path / "hooks" / "rules.yaml", text) == [problem]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("rule = 1\n", '1: "rule" must be a list; write [[rule]]'),
        ("[rule]\nthen = 'block'\n", '1: "rule" must be a list; write [[rule]]'),
        ("\n[[rules]]\nthen = 'block'\n", '2: "rules" is not a setting here; write [[rule]]'),
        ("[[Rule]]\nthen = 'block'\n", '1: "Rule" is not a setting here; write [[rule]]'),
        ("[guard.shell]\n", '1: "guard" is not a setting here; write [guards.NAME]'),
        ("[gaurds.shell]\n", '1: "gaurds" is not a setting here; did you mean guards?'),
        ("[models]\n[[ruel]]\n", '2: "ruel" is not a setting here; did you mean rule?'),
        ("[jornal]\n", '1: "jornal" is not a setting here; did you mean journal?'),
        ("[[rule]]\nthen = 'block'\nwhen.kind = 'shel'\n", "3: \"kind\" cannot be 'shel'; did you mean shell?"),
    ],
)
def test_mistakes_in_settings(tmp_path: Path, text: str, problem: str) -> None:
    assert reported(tmp_path / "anyhook.toml", text) == [problem]


@pytest.mark.parametrize(
    ("rule", "state"),
    [
        ("{on: [Stop, Stopp], then: block}", FateState.DROPPED),  # half of a rule is another rule
        ("{on: Stop, then: block, then: block}", FateState.DROPPED),
        (
            "{on: Stop, name: a, then: block, message: x}",
            FateState.ACTIVE,
        ),  # the name of another rule costs none of the two
    ],
)
def test_which_mistakes_cost_a_rule(tmp_path: Path, rule: str, state: FateState) -> None:
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks" / "rules.yaml").write_text(f"rules:\n- {{on: Stop, name: a, then: block}}\n- {rule}\n")
    hooks = hooks_of(tmp_path, "")
    found = [(rule.event, action.fate.state) for rule in hooks.rules for action in rule.actions]
    assert found == [("Stop", FateState.ACTIVE), ("Stop", state)]
    assert len(hooks.problems) == 1


@pytest.mark.parametrize(
    ("rule", "shown"),
    [
        ({"then": "allow"}, "allow"),
        ({"then": "block", "name": "a", "when": {"kind": ["edit", "read"]}}, "a: block (kind edit read)"),
        ({"then": "rewrite", "replace": "^npm", "by": "pnpm"}, "rewrite ^npm to pnpm"),
        ({"then": "rewrite", "name": "a", "replace": "^npm", "by": "pnpm"}, "a: rewrite ^npm to pnpm"),
        ({"then": "rewrite", "by": "pnpm"}, "rewrite"),
        ({"then": "run", "run": ["x", "-y"]}, "run: x -y"),
        ({"then": "run", "name": "a", "run": "x -y", "when": {"path": "b"}}, "a: x -y (path b)"),
        ({"then": None, "when": None}, "no effect"),
    ],
)
def test_how_a_rule_is_shown(rule: dict[str, Any], shown: str) -> None:
    document = parse_rules(json.dumps({"rules": [rule]}), "hooks/rules.yaml")
    (read,) = dialect("universal").read(document, FileKind.HOOKS, Scope.PROJECT).rules
    assert [action.summary() for action in read.actions] == [shown]


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["block", "rewrite", "run", "Stop", "edit", "(", "**"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(st.sampled_from(_KEYS), _values, max_size=5), max_size=3))
def test_any_data_is_read_shown_and_checked(rules: list[Any]) -> None:
    """Whatever a file has, each rule is a hook that can be shown, or costs a problem with a remedy."""
    document = parse_rules(json.dumps({"rules": rules}), "hooks/rules.yaml")
    file = dialect("universal").read(document, FileKind.HOOKS, Scope.PROJECT)
    shown = [action.summary() for rule in file.rules for action in rule.actions]
    assert all(shown)
    assert all(problem.origin.line == 1 and problem.fix for problem in file.problems)
    assert len(shown) >= len(rules) or file.problems


def test_broken_yaml_is_reported(tmp_path: Path) -> None:
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks" / "rules.yaml").write_text("rules: [\n")
    assert [problem.code for problem in hooks_of(tmp_path, "").problems] == ["F001"]


def test_a_function_may_name_a_kind(tmp_path: Path) -> None:
    (tmp_path / "hooks").mkdir()
    text = 'from anyhook import hook\n\n\n@hook("PreToolUse", kind={})\ndef guard(event):\n    return None\n'
    file = tmp_path / "hooks" / "guard.py"
    file.write_text(text.format('["shell", "fetch"]'))
    assert [rule.kinds for rule in hooks_of(tmp_path, "").rules] == [("shell", "fetch")]
    file.write_text(text.format('"shel"'))
    hooks = hooks_of(tmp_path, "")
    assert [(problem.code, problem.text, problem.fix) for problem in hooks.problems] == [
        ("F010", "there is no kind 'shel' of tools", "did you mean shell?")
    ]
    assert [action.fate.state for rule in hooks.rules for action in rule.actions] == [FateState.DROPPED]


PREVIOUS = """\
rules:
  - name: tests-first
    when:
      kind: shell
      command: git commit *
      previous:
        - {kind: edit}
        - {command: pytest *, since: {kind: edit}, at_most: 0}
    then: block
  - name: note
    on: post-tool-use
    when: {kind: edit, previous: {on: pre-prompt, content: fast}}
    then: run
    run: [tools/note.sh, --short]
    timeout: 5
"""


def test_a_rule_is_asked_on_the_events_that_it_must_remember(tmp_path: Path) -> None:
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks" / "rules.yaml").write_text(PREVIOUS)
    hooks = hooks_of(tmp_path, "")
    assert hooks.problems == ()
    shown = {
        (rule.event, rule.kinds, type(action).__name__, bool(getattr(action, "settings", {}).get("remembers")))
        for rule in hooks.rules
        for action in rule.actions
    }
    assert shown == {
        ("PreToolUse", ("shell",), "DeclaredRule", False),
        ("PostToolUse", (), "DeclaredRule", True),  # a test may be started by any tool with a command
        ("PostToolUse", ("edit",), "RuleCommand", False),
        ("UserPromptSubmit", (), "DeclaredRule", True),
    }
    (command,) = [action for rule in hooks.rules for action in rule.actions if isinstance(action, RuleCommand)]
    assert (command.command, command.args, command.timeout_ms) == ("tools/note.sh", ("--short",), 5000)
    assert command.summary().startswith("note: tools/note.sh --short (kind edit, previous [")


@pytest.mark.parametrize(
    ("previous", "text"),
    [
        ("{ on = 'PreToolUze' }", "universal hooks have no event PreToolUze"),
        ("{ on = 'Stop', kind = 'shell' }", '"kind" is about a tool, and one of the events is not'),
        ("{ since = { on = ['PostToolUse', 'Stopp'] } }", "universal hooks have no event Stopp"),
    ],
)
def test_mistakes_in_previous_cost_the_rule(tmp_path: Path, previous: str, text: str) -> None:
    hooks = hooks_of(tmp_path, f"[[rule]]\nthen = 'block'\nwhen.previous = {previous}\n")
    assert {(problem.origin.line, problem.text) for problem in hooks.problems} == {(3, text)}
    assert {action.fate.state for rule in hooks.rules for action in rule.actions} == {FateState.DROPPED}
