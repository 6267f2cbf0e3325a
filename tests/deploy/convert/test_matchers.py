"""Matchers in another client's language: they match what they matched, and a remark says when they match more."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.deploy.convert.matchers import TargetRules, target_rules
from anyhook.deploy.convert.patterns import carry_pattern, literal, split_pattern, write_matchers
from anyhook.deploy.convert.selection import McpTools, select_tools
from anyhook.dialects import NAMES, dialect, profile
from anyhook.dialects.places import FileKind
from anyhook.dialects.profile import MatchMode, Otherwise
from anyhook.dialects.translation.tools import tool_names
from anyhook.engine.match import compile_matcher
from anyhook.model.codes import Severity
from anyhook.model.document import Format
from anyhook.model.events import Subject
from anyhook.model.origin import Scope
from anyhook.sources.load import parse
from tests.deploy.convert.conversions import CLAUDE, convert, rule, run, told

SEARCH = MatchMode(otherwise=Otherwise.SEARCH)


def placed(matcher: str | None, to: str, event: str = "PreToolUse", source: str = CLAUDE) -> TargetRules:
    return target_rules(rule(event, run(), matcher=matcher, client=source), profile(source), profile(to))


def matchers_of(matcher: str | None, to: str, event: str = "PreToolUse", source: str = CLAUDE) -> list[str | None]:
    return [place.matcher for place in placed(matcher, to, event, source).rules]


@pytest.mark.parametrize(
    ("matcher", "to", "written"),
    [
        ("Bash", "cursor", ["^Shell$"]),
        ("Bash", "gemini-cli", ["^run_shell_command$"]),
        ("Bash", "codex", ["Bash"]),
        ("Bash", "factory-droid", ["Execute"]),
        ("Bash", "openhands", ["terminal"]),
        ("Bash", "copilot-cli", ["Bash"]),  # PascalCase events see Claude's names
        ("Write|Edit", "gemini-cli", ["^(write_file|replace)$"]),
        ("Edit|Write", "gemini-cli", ["^(replace|write_file)$"]),
        ("^(Write|Edit)$", "cursor", ["^Write$"]),
        ("Write|Edit", "codex", ["apply_patch"]),
        ("Edit.*", "gemini-cli", ["^replace$"]),
        (".*Edit", "qwen-code", ["^(edit|notebook_edit)$"]),
        ("mcp__.*", "gemini-cli", ["mcp_.*"]),
        ("mcp__memory__.*", "gemini-cli", ["mcp_memory_.*"]),
        ("mcp__memory__.*", "kiro", ["@memory/.*"]),
        ("mcp__memory__store", "codex", ["mcp__memory__store"]),
        ("mcp__memory__store", "copilot-cli", ["memory-store"]),
        ("Bash|mcp__memory__.*", "codex", ["^(Bash|mcp__memory__.*)$"]),
        ("mcp__memory__.*", "agent-sdk", ["mcp__memory__*"]),
        ("Read|Write|Edit", "openhands", ["file_editor"]),
        (None, "gemini-cli", [None]),
        ("*", "copilot-cli", [None]),  # "*" is an invalid pattern there
        (".*", "cursor", [None]),
        ("", "universal", [None]),
        ("Bash", "universal", ["^Bash$"]),
        ("Bash", "copilot-vscode", [None]),
    ],
)
def test_tools_have_the_target_s_names(matcher: str | None, to: str, written: list[str | None]) -> None:
    assert matchers_of(matcher, to) == written


@pytest.mark.parametrize(
    ("source", "event", "matcher", "written"),
    [
        ("cursor", "preToolUse", "Shell", "Bash|PowerShell"),
        ("cursor", "preToolUse", "Write", "Write|Edit"),
        ("gemini-cli", "BeforeTool", "write_file|replace", "Write|Edit"),
        ("copilot-cli", "preToolUse", "bash|edit", "Bash|PowerShell|Edit"),
        ("copilot-cli", "PreToolUse", "Bash", "Bash|PowerShell"),
        ("codex", "PreToolUse", "Write", "Write|Edit"),  # an alias of apply_patch, which does both
        ("qwen-code", "PreToolUse", "Shell", "Bash|PowerShell"),
        ("gemini-cli", "BeforeTool", "mcp_memory_.*", "mcp__memory__.*"),
        ("kiro", "PreToolUse", "^@memory/store$", "mcp__memory__store"),
        ("cursor", "preToolUse", "^MCP:store$", "mcp__.*__store"),
        ("windsurf", "pre_run_command", None, "Bash|PowerShell"),
        ("windsurf", "pre_mcp_tool_use", None, "mcp__.*"),
        ("cursor", "beforeReadFile", None, "Read"),
    ],
)
def test_tools_come_back_under_claude_code_s_names(source: str, event: str, matcher: str | None, written: str) -> None:
    assert [place.matcher for place in placed(matcher, CLAUDE, event, source).rules] in ([written], [f"^{written}$"])


def test_windsurf_gets_an_event_for_each_kind_of_tool() -> None:
    rules = placed("Bash|Edit|mcp__memory__.*", "windsurf").rules
    assert [(place.native_event, place.matcher) for place in rules] == [
        ("pre_run_command", None), ("pre_write_code", None), ("pre_mcp_tool_use", None),
    ]  # fmt: skip
    everything = placed(None, "windsurf")
    assert [place.native_event for place in everything.rules] == [
        "pre_run_command", "pre_read_code", "pre_write_code", "pre_mcp_tool_use",
    ]  # fmt: skip


def test_a_client_without_a_matcher_runs_the_hook_more_often_and_it_is_said() -> None:
    (remark,) = placed("Bash", "copilot-vscode").remarks
    assert (remark.severity, remark.text.partition(": ")[0]) == (Severity.WARNING, "the hook also runs in other cases")


def test_a_tool_that_does_more_is_said() -> None:
    whys = [
        remark.text.partition(": ")[2]
        for remark in placed("Edit", "cursor").remarks
        if remark.severity is Severity.WARNING
    ]
    assert "Cursor's Write is also its write tool" in whys
    assert "Windsurf: no event is about Agent" in [
        remark.text.partition(": ")[2] for remark in placed("Agent", "windsurf").remarks
    ]


def test_a_part_of_a_name_is_not_taken_for_it_silently() -> None:
    """In a client that searches, ``Edit`` matches NotebookEdit; only what is named is converted."""
    placing = placed("Edit", CLAUDE, "pre-tool-use", "universal")
    assert [place.matcher for place in placing.rules] == ["Edit"]
    assert [remark.text.partition(": ")[0] for remark in placing.remarks] == ["Edit no longer matches NotebookEdit"]


def test_everything_but_something_becomes_everything() -> None:
    placing = placed("^(?!Read$).*", "gemini-cli")
    assert [place.matcher for place in placing.rules] == [None]
    assert placing.remarks[0].text.partition(": ")[2] == "^(?!Read$).* is everything but Read"


def test_a_matcher_that_nobody_can_take_apart_becomes_everything() -> None:
    placing = placed(".*delete.*", "gemini-cli")
    assert [place.matcher for place in placing.rules] == [None]
    assert "not known which tools" in placing.remarks[0].text


def test_a_tool_that_the_target_lacks_is_a_loss() -> None:
    alone = placed("Read", "codex")
    assert alone.rules == ()
    assert alone.remarks[0].severity is Severity.ERROR
    beside = placed("Bash|Read", "codex")
    assert [place.matcher for place in beside.rules] == ["Bash"]
    assert beside.remarks[0].text.partition(": ")[0] == "Read is left out of the matcher"


def test_a_name_that_nobody_knows_is_copied_and_said() -> None:
    placing = placed("LaunchRocket", "gemini-cli")
    assert [place.matcher for place in placing.rules] == ["^LaunchRocket$"]
    assert placing.remarks[0].severity is Severity.ERROR
    assert placed("LaunchRocket", "open-plugins").remarks == ()  # the same names of tools


# --- other subjects


def test_values_are_written_one_by_one_where_a_client_compares_whole_texts() -> None:
    assert matchers_of("startup|resume", "gemini-cli", "SessionStart") == ["startup", "resume"]


def test_a_value_that_the_target_never_sends_is_a_loss() -> None:
    placing = placed("startup|compact", "gemini-cli", "SessionStart")
    assert [place.matcher for place in placing.rules] == ["startup"]
    assert placing.remarks[0].text.partition(": ")[0] == "the hook no longer runs on compact"
    assert placed("compact", "gemini-cli", "SessionStart").rules == ()


def test_a_pattern_on_values_becomes_the_values_that_it_fits() -> None:
    assert matchers_of("^(start|res).*", "codex", "SessionStart") == ["resume|startup"]


def test_a_subject_that_the_target_does_not_compare_is_dropped_and_said() -> None:
    placing = placed("startup", "universal", "SessionStart")
    assert [place.matcher for place in placing.rules] == [None]
    assert placing.remarks[0].text.partition(": ")[0] == "the hook also runs in other cases"


def test_a_pattern_on_commands_survives_where_there_is_one() -> None:
    same = placed("curl|wget", "open-plugins", "beforeShellExecution", "cursor")
    assert [place.matcher for place in same.rules] == ["curl|wget"]
    (place,) = placed("curl|wget", "factory-droid", "beforeShellExecution", "cursor").rules
    assert (place.event, place.matcher, place.command_pattern) == ("PreToolUse", "Execute", "curl|wget")
    lost = placed("curl|wget", CLAUDE, "beforeShellExecution", "cursor")
    assert any("curl|wget is left out" in remark.text for remark in lost.remarks)


# --- patterns


def test_a_pattern_is_cut_at_its_alternatives() -> None:
    assert split_pattern("^(A|B)$", SEARCH) == ("^A$", "^B$")
    assert split_pattern("(?:A|B)", SEARCH) == ("A", "B")
    assert split_pattern("A|(B|C)x", SEARCH) == ("A", "(B|C)x")
    assert split_pattern("(A)|(B)", SEARCH) == ("(A)", "(B)")
    assert split_pattern("[|]", SEARCH) == ("[|]",)
    assert (literal("^Bash$"), literal("a\\.b"), literal("B.sh"), literal("")) == ("Bash", "a.b", None, None)


def test_mcp_servers_and_tools_are_told_apart() -> None:
    def selected(matcher: str) -> tuple[McpTools, ...]:
        return select_tools(profile(CLAUDE), rule("PreToolUse", run(), matcher=matcher)).mcp

    assert selected("mcp__.*") == (McpTools(),)
    assert selected("mcp__memory__.*") == (McpTools("memory"),)
    assert selected("mcp__.*__write.*") == (McpTools("*", "write*"),)
    assert selected("mcp__memory__store|mcp__git__.*") == (McpTools("memory", "store*"), McpTools("git"))
    assert selected("mcp__memory__store") == (McpTools("memory", "store"),)


def test_a_pattern_is_anchored_as_the_target_needs_it() -> None:
    full = MatchMode(otherwise=Otherwise.FULL)
    assert carry_pattern("git push", SEARCH, full) == ".*(git push).*"
    assert carry_pattern("git push", full, SEARCH) == "^(git push)$"
    assert carry_pattern("(?=x)", SEARCH, MatchMode(flavour="rust")) is None
    assert carry_pattern("x", SEARCH, MatchMode(otherwise=Otherwise.EXACT)) is None


NAMES_OF_TOOLS = sorted({tool for client in NAMES for tool in tool_names(client)} | {"mcp__a-b__c", "@s/t", "MCP:x"})


@given(
    st.lists(st.sampled_from(NAMES_OF_TOOLS), min_size=1, max_size=4, unique=True).map(tuple),
    st.sampled_from(NAMES).map(lambda name: profile(name).matching.mode),
)
def test_written_names_are_fitted_and_no_others(names: tuple[str, ...], mode: MatchMode) -> None:
    compiled = [compile_matcher(matcher, Subject.TOOL, mode) for matcher in write_matchers(names, (), mode)]
    for name in NAMES_OF_TOOLS:
        assert any(matcher.matches(name) for matcher in compiled) == (name in names)


PAIRS = [(source, target) for source in NAMES for target in NAMES if source != target]


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_a_tool_of_the_target_is_known_there(source: str, target: str) -> None:
    """Whatever the source is, a name that the target has is copied as it is and matches there."""
    for event in ("PreToolUse", "PostToolUse"):
        for native in profile(source).events.get(event, ()):
            for name in tool_names(target):
                converted = convert(target, rule(native, run(), matcher=name, client=source), source=source)
                assert not [loss for loss in converted.losses if "may match nothing" in loss.text], (native, name)


def test_a_name_that_neither_client_has_may_match_nothing() -> None:
    converted = convert("codex", rule("PreToolUse", run(), matcher="Frobnicate"))
    assert "Frobnicate may match nothing" in told(converted, Severity.ERROR)
    converted = convert("codex", rule("PreToolUse", run(), matcher="Frobnicate|view_image"))
    assert "Frobnicate may match nothing" in told(converted, Severity.WARNING)


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_what_is_written_has_hooks(source: str, target: str) -> None:
    """No conversion ends in a file without hooks that counts as success: without rules, the command exits with 1."""
    kinds = [s.kind for s in profile(target).sources if s.kind in (FileKind.HOOKS, FileKind.SETTINGS)]
    for names in profile(source).events.values():
        for native in names:
            converted = convert(target, rule(native, run(), client=source), source=source)
            if not converted.rules:
                assert converted.losses, native
                continue
            document = parse(json.dumps(dialect(target).write(converted.rules)), Format.JSON, "hooks.json")
            read = dialect(target).read(document, kinds[0] if kinds else FileKind.HOOKS, Scope.PROJECT)
            assert [action for r in read.rules for action in r.actions if action.is_loaded], native
