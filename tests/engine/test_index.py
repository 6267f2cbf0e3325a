"""The index finds what asking every rule would find, in the same order, however many rules there are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.dialects import NAMES, profile
from anyhook.dialects.events import native_names
from anyhook.engine.engine import Engine
from anyhook.engine.index import MAX_REMEMBERED, MAX_REMEMBERED_LENGTH
from anyhook.engine.plan import Plan
from anyhook.model.cause import CauseKind
from anyhook.model.hooks import Action, Command, Fate, FateState, HookSet, Rule
from anyhook.model.payload import AfterFileEdit, PreToolUse
from anyhook.model.payload_base import Payload

TOOLS = ("Bash", "Edit", "Write", "run_shell_command", "shell", "bash", "execute", "mcp__a__b", "Shell", "", "créer")
PLAIN = (None, "", "*", "Bash", "Bash|Edit", " Bash | Write ", "Bash, Edit", "shell", "Shell", "a|b|")
PATTERNS = ("^Ba", "[", "mcp__.*", "run_*")
MATCHERS = st.sampled_from(PLAIN + PATTERNS)
ACTIONS = st.builds(
    Command,
    command=st.sampled_from(["a", "b", "c"]),
    condition=st.sampled_from([None, None, None, "Bash(ls *)", "Bash(git *)"]),
    fate=st.sampled_from([Fate(), Fate(), Fate(), Fate(FateState.DISABLED, "switched off")]),
)


def payload(tool: str) -> PreToolUse:
    return PreToolUse(tool_name=tool, tool_input={"command": "ls -l"})


def runs(plan: Plan) -> list[tuple[Rule, Action, str]]:
    return [(hook.rule, hook.action, hook.why) for hook in plan.runs]


@pytest.mark.parametrize("client", NAMES)
@given(data=st.data())
def test_the_same_hooks_run_with_and_without_the_index(client: str, data: st.DataObject) -> None:
    natives = [name for name, event in native_names(client).items() if event.name == "PreToolUse"] or ["PreToolUse"]
    rules = st.builds(
        Rule,
        event=st.sampled_from(["PreToolUse", "PreToolUse", "PreToolUse", "Stop"]),
        native_event=st.sampled_from(natives),
        matcher=MATCHERS,
        actions=st.lists(ACTIONS, max_size=2).map(tuple),
    )
    engine = Engine(HookSet(dialect=client, rules=tuple(data.draw(st.lists(rules, max_size=8)))))
    for tool in data.draw(st.lists(st.sampled_from(TOOLS), max_size=4)):
        everything, quick = engine.plan(payload(tool)), engine.match(payload(tool))
        assert runs(everything) == runs(quick)
        assert (everything.order, everything.subject) == (quick.order, quick.subject)


def many(count: int, client: str = "claude-code") -> Engine:
    rules = (
        Rule(event="PreToolUse", native_event="PreToolUse", matcher=f"tool_{n}", actions=(Command(command=f"run {n}"),))
        for n in range(count)
    )
    return Engine(HookSet(dialect=client, rules=tuple(rules)))


def test_one_rule_of_thousands_is_found_by_its_name() -> None:
    engine = many(5_000)
    for number in (0, 2_500, 4_999, 2_500):
        assert [hook.action.summary() for hook in engine.match(payload(f"tool_{number}")).hooks] == [f"run {number}"]
    assert engine.match(payload("tool_5000")).hooks == ()


def test_more_names_than_are_remembered() -> None:
    engine = many(10)
    for number in range(MAX_REMEMBERED * 2):
        engine.match(payload(f"other_{number}"))
    assert len(engine.match(payload("tool_3")).runs) == 1


def test_a_condition_is_decided_for_every_event_anew() -> None:
    action = Command(command="a", condition="Edit(*.py)")
    rule = Rule(event="PreToolUse", native_event="PreToolUse", matcher="Edit", actions=(action,))
    engine = Engine(HookSet(dialect="claude-code", rules=(rule,)))
    for path, count in (("/a/b.py", 1), ("/a/b.txt", 0), ("/a/c.py", 1)):
        event = PreToolUse(tool_name="Edit", tool_input={"file_path": path}, cwd="/a")
        assert len(engine.match(event).runs) == len(engine.plan(event).runs) == count


def test_a_subject_too_long_to_be_remembered_is_matched_all_the_same() -> None:
    rule = Rule(event="AfterFileEdit", native_event="afterFileEdit", matcher=r"\.py$", actions=(Command(command="a"),))
    engine = Engine(HookSet(dialect="cursor", rules=(rule,)))
    path = "/" + "x" * MAX_REMEMBERED_LENGTH + ".py"
    event: Payload = AfterFileEdit(file_path=path)
    assert len(engine.match(event).runs) == len(engine.plan(event).runs)


def test_an_event_without_rules_has_an_empty_plan() -> None:
    assert many(3).match(Payload(event="Stop")).hooks == ()


def test_what_is_unreachable_depends_on_the_profile_of_the_engine() -> None:
    rule = Rule(event="PreToolUse", native_event="preToolUse", matcher="Shell", actions=(Command(command="true"),))
    hooks = HookSet(dialect="claude-code", rules=(rule,))
    (skipped,) = Engine(hooks).plan(payload("Shell")).skips
    assert skipped.why == "never matches: Claude Code has no tool called Shell"
    assert skipped.cause is CauseKind.NOT_LOADED
    assert len(Engine(hooks, profile("cursor")).plan(payload("Shell")).runs) == 1
