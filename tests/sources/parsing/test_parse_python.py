"""parse_python: what @hook says, read from the text; the file itself is never run."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.dialects import dialect
from anyhook.dialects.places import FileKind
from anyhook.model.document import Document, Format, QuirkKind
from anyhook.model.hooks import FateState, HookFile, Python
from anyhook.model.origin import Scope
from anyhook.project.package_hooks import PackageHooks
from anyhook.project.project import Project
from anyhook.sources.discover import Roots
from anyhook.sources.parsing.parse_python import parse_python

BEGINNING = "from anyhook import deny, hook\n"
HOOK = 'from anyhook import hook\n\n@hook("Stop")\ndef again(event): ...\n'


def parse(text: str, beginning: str = BEGINNING) -> Document:
    return parse_python(beginning + dedent(text), "hooks/guard.py")


def read(text: str, beginning: str = BEGINNING) -> HookFile:
    return dialect("universal").read(parse(text, beginning), FileKind.HOOKS, Scope.PROJECT)


def only_problem(text: str) -> tuple[str, int, str]:
    [found] = read(text).problems
    assert found.fix
    return found.code, found.origin.line, found.text


# ------------------------------------------------------------------------------------------------------------ functions


def test_a_function_is_a_group_of_one_hook_at_its_decorator() -> None:
    document = parse(
        """
        # a comment with ünïcödé

        @hook("PreToolUse", matcher="Bash|Write", timeout=5)
        def guard(event):
            return deny("no")
        """
    )
    hook = {"type": "python", "function": "guard", "timeout": 5}
    assert document.data == {
        "version": 1,
        "hooks": {"pre-tool-use": [{"matcher": "Bash|Write", "hooks": [hook]}]},
    }
    group = ("hooks", "pre-tool-use", 0)
    assert document.position((*group, "hooks", 0)) == (5, 2)
    span = document.span((*group, "matcher"))
    assert document.text[span.start : span.end] == '"Bash|Write"'


def test_the_dialect_makes_actions_of_it() -> None:
    file = read('@hook("Stop", timeout=2.5)\nasync def again(event): ...')
    [rule] = file.rules
    [action] = rule.actions
    assert not file.problems
    assert (rule.event, rule.native_event, rule.matcher) == ("Stop", "stop", None)
    assert isinstance(action, Python)
    assert (action.function, action.timeout_ms, action.fate.state) == ("again", 2500, FateState.ACTIVE)
    assert (action.origin.file, action.origin.line) == ("hooks/guard.py", 2)
    assert action.summary() == "guard.py:again"


@pytest.mark.parametrize(
    ("beginning", "decorator"),
    [
        ("from anyhook import hook\n", "hook"),
        ("from anyhook import hook as on\n", "on"),
        ("from anyhook import *\n", "hook"),
        ("import anyhook\n", "anyhook.hook"),
        ("import anyhook as a\n", "a.hook"),
        ("try:\n    from anyhook import hook\nexcept ImportError:\n    raise\n", "hook"),
    ],
)
def test_the_decorator_is_known_by_where_it_comes_from(beginning: str, decorator: str) -> None:
    assert len(read(f'@{decorator}("stop")\ndef f(event): ...', beginning).rules) == 1


@pytest.mark.parametrize(
    "beginning", ["import pluggy\nhook = pluggy.HookimplMarker('x')\n", "from .anyhook import hook\n"]
)
def test_another_decorator_of_this_name_is_none_of_ours(beginning: str) -> None:
    assert parse('@hook("Stop")\ndef f(event): ...', beginning).data is None


def test_a_function_may_be_a_hook_of_several_events_and_stand_in_a_branch() -> None:
    file = read(
        """
        import sys
        if sys.platform != "win32":
            @hook("PreToolUse", matcher="Bash")
            @hook("PostToolUse", matcher="Bash")
            @hook("PreToolUse", matcher="Write")
            def guard(event, strict=False): ...
        """
    )
    assert [(rule.event, rule.matcher) for rule in file.rules] == [
        ("PreToolUse", "Bash"),
        ("PreToolUse", "Write"),
        ("PostToolUse", "Bash"),
    ]
    assert not file.problems


# ------------------------------------------------------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('@hook("Stop", timeout=LIMIT)\ndef f(event): ...', 2, "timeout is not a plain value"),
        ('@hook("Stop", matcher="a" + "b")\ndef f(event): ...', 2, "matcher is not a plain value"),
        ('@hook("Stop", timeout={1})\ndef f(event): ...', 2, "timeout is not a plain value"),
        ('@hook(\n    "Stop",\n    macher="Bash",\n)\ndef f(event): ...', 4, "hook has no setting macher"),
        ('@hook("Stop", **MORE)\ndef f(event): ...', 2, "** cannot be read without running the file"),
        ('@hook("Stop", "Bash")\ndef f(event): ...', 2, "hook takes one value without a name, the event"),
        ("@hook\ndef f(event): ...", 2, "this hook names no event"),
        ("@hook()\ndef f(event): ...", 2, "this hook names no event"),
        ("@hook(EVENT)\ndef f(event): ...", 2, "event is not a plain value"),
        ("@hook(5)\ndef f(event): ...", 2, "the event is not a text"),
        ('@hook("Stop")\ndef f(): ...', 2, "f cannot be called with an event alone"),
        ('@hook("Stop")\ndef f(event, *, must): ...', 2, "f cannot be called with an event alone"),
        ('class A:\n    @hook("Stop")\n    def f(self): ...', 3, "f is inside the class A, where it cannot be called"),
        ('def g():\n    @hook("Stop")\n    def f(e): ...', 3, "f is inside the function g, where it cannot be called"),
        ('@hook("Stop")\ndef f(e): ...\ndef f(e): ...', 2, "f is defined again in line 4, which replaces this one"),
        ('@hook("Stop")\n@hook("stop")\ndef f(e): ...', 3, "line 2 has the same hook for f"),
    ],
)
def test_what_cannot_be_known_without_running_the_file_costs_this_hook_only(text: str, line: int, said: str) -> None:
    assert only_problem(f"{text}\n") == ("F010", line, said)
    file = read(f'{text}\n\n@hook("SessionStart")\ndef other(event): ...\n')
    states = {action.summary(): action.fate.state for rule in file.rules for action in rule.actions}
    assert states.pop("guard.py:other") is FateState.ACTIVE
    assert FateState.ACTIVE not in states.values() or "defined again" in said or "the same" in said


def test_a_wrong_event_or_limit_is_what_it_is_in_every_file() -> None:
    assert only_problem('@hook("PreTolUse")\ndef f(event): ...')[0] == "E001"
    assert only_problem('@hook("TeammateIdle")\ndef f(event): ...')[0] == "E002"
    assert only_problem('@hook("Stop", timeout="soon")\ndef f(event): ...')[0] == "K007"
    assert only_problem('@hook("Stop", matcher=["Bash"])\ndef f(event): ...')[0] == "S008"


def test_none_is_as_good_as_nothing() -> None:
    assert not read('@hook("Stop", matcher=None, timeout=None)\ndef f(event): ...').problems


def test_a_syntax_error_loses_the_file_and_says_where() -> None:
    assert only_problem("x = 1\ndef f(:\n")[:2] == ("F001", 3)
    assert only_problem("return 5\n")[:2] == ("F001", 2)
    assert parse("\0").quirks[0].kind is QuirkKind.BROKEN
    assert parse("(" * 1000).quirks[0].kind is QuirkKind.BROKEN


def test_a_script_that_does_not_know_anyhook_is_not_even_parsed() -> None:
    document = parse_python("def broken(:\n", "hooks/script.py")
    assert (document.data, document.quirks, document.format) == (None, (), Format.PYTHON)


def test_a_byte_order_mark_and_other_line_ends_move_nothing() -> None:
    text = '\ufefffrom anyhook import hook\r\n\r\n@hook("Stop", matcher="é")\r\ndef f(event): ...\r\n'
    document = parse_python(text)
    assert document.position(("hooks", "stop", 0)) == (3, 2)
    span = document.span(("hooks", "stop", 0, "matcher"))
    assert text[span.start : span.end] == '"é"'


def test_a_type_of_hook_that_stands_in_json_is_refused_there(tmp_path: Path) -> None:
    (tmp_path / "hooks").mkdir()
    entry = '{"type": "python", "function": "f"}'
    (tmp_path / "hooks/hooks.json").write_text(f'{{"version": 1, "hooks": {{"stop": [{{"hooks": [{entry}]}}]}}}}')
    [found] = PackageHooks(tmp_path).of("universal").problems
    assert found.code == "K005"


# ----------------------------------------------------------------------------------------------------------- properties

PLAIN = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@given(st.text(), PLAIN, PLAIN)
def test_whatever_plain_values_a_decorator_has_are_read(event: str, matcher: Any, timeout: Any) -> None:
    try:
        source = f"@hook({event!r}, matcher={matcher!r}, timeout={timeout!r})\ndef f(event): ...\n"
        source.encode()
    except UnicodeEncodeError:
        return
    document = parse_python(BEGINNING + source)
    [[group]] = document.data["hooks"].values()
    assert group == {"matcher": matcher, "hooks": [{"type": "python", "function": "f", "timeout": timeout}]}
    assert not document.quirks
    dialect("universal").read(document, FileKind.HOOKS, Scope.PROJECT)


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    document = parse_python(f"import anyhook\n{text}")
    dialect("universal").read(document, FileKind.HOOKS, Scope.PROJECT)


@given(st.text(alphabet='@hook("Stp)\n =defx:,*\t'))
def test_nearly_python_can_be_read(text: str) -> None:
    dialect("universal").read(parse_python(BEGINNING + text), FileKind.HOOKS, Scope.PROJECT)


# -------------------------------------------------------------------------------------------------------- in a package


def test_files_of_hooks_are_found_and_others_are_not(tmp_path: Path) -> None:
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "a.py").write_text(HOOK)
    (hooks / "_helper.py").write_text(HOOK)
    (hooks / "script.py").write_text("print(1)\n")
    (hooks / "broken.py").write_text("from anyhook import hook\n(\n")
    [client] = Project(Roots(project=tmp_path, home=tmp_path / "home", system=tmp_path / "system")).readers
    assert client.name == "universal"
    assert [Path(file.path).name for file in client.files if file.rules or file.problems] == ["a.py", "broken.py"]


def test_a_package_of_functions_alone_is_a_universal_one(tmp_path: Path) -> None:
    assert PackageHooks(tmp_path).owner() is None
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks/a.py").write_text("print(1)\n")
    assert PackageHooks(tmp_path).owner() is None
    (tmp_path / "hooks/b.py").write_text(HOOK)
    package = PackageHooks(tmp_path)
    assert package.owner() == "universal"
    assert [rule.event for rule in package.of("universal").rules] == ["Stop"]


def test_a_hook_file_without_hooks_says_nothing_about_the_functions_beside_it(tmp_path: Path) -> None:
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks/a.py").write_text(HOOK)
    (tmp_path / ".claude-plugin").mkdir()
    (tmp_path / ".claude-plugin/plugin.json").write_text('{"name": "p"}')
    (tmp_path / "hooks/hooks.json").write_text('{"hooks": {}}')
    assert PackageHooks(tmp_path).owner() == "universal"
