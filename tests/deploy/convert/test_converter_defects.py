"""Known defects of other converters (``shared/peers/FEATURES.md``, by their numbers there): we do not have them."""

from __future__ import annotations

import pytest

from anyhook.dialects import dialect, profile
from anyhook.dialects.bound_event import bind_event
from anyhook.dialects.translation.translate import translate_payload, translate_reply
from anyhook.dialects.wire.answers import encode_reply
from anyhook.engine.interpret import interpret
from anyhook.engine.match import matcher_for, seen_tool
from anyhook.engine.raw import RawResult
from anyhook.model.codes import Severity
from anyhook.model.outcome import Status
from anyhook.model.output import Decision, Reply
from anyhook.model.payload import PreToolUse
from tests.deploy.convert.conversions import CLAUDE, convert, only, rule, rules_of, run, told


@pytest.mark.parametrize(("to", "tool"), [("cursor", "Shell"), ("copilot-cli", "bash")])
def test_defect_1_a_guard_on_bash_matches_the_shell_tool_of_every_client(to: str, tool: str) -> None:
    """rulesync copies ``Bash`` into files of clients that call it Shell or bash, so the guard never matches."""
    new, _ = only(convert(to, rule("PreToolUse", run(), matcher="Bash")))
    variant = profile(to).variant(new.native_event)
    assert matcher_for(profile(to), new).matches(*seen_tool(variant.matching, tool))


@pytest.mark.parametrize(("to", "tools"), [("cursor", ["Write"]), ("copilot-cli", ["create", "edit", "apply_patch"])])
def test_defect_1_a_guard_on_writing_matches_the_tools_that_write(to: str, tools: list[str]) -> None:
    new, _ = only(convert(to, rule("PreToolUse", run(), matcher="Write|Edit")))
    variant = profile(to).variant(new.native_event)
    assert all(matcher_for(profile(to), new).matches(*seen_tool(variant.matching, tool)) for tool in tools)


def test_defect_2_a_dropped_guard_is_an_error_and_no_warning_is_wrong() -> None:
    """rulesync drops guards with exit status 0, and warns of skipped hooks that it wrote."""
    dropped = convert("codex", rule("PreToolUse", run(), matcher="WebFetch"))
    assert dropped.rules == ()
    assert dropped.loses_a_guard
    written = convert("copilot-cli", rule("PreToolUse", run(), matcher="Bash"))
    assert written.rules
    assert not [loss for loss in written.losses if "left out" in loss.text or "not carried" in loss.text]


def test_defect_10_seconds_do_not_become_milliseconds() -> None:
    """Gemini CLI's own migrator copies 30 (seconds) into a field that counts milliseconds."""
    converted = convert("gemini-cli", rule("PreToolUse", run(timeout_ms=30_000), matcher="Bash"))
    (group,) = dialect("gemini-cli").write(converted.rules)["hooks"]["BeforeTool"]
    assert group["hooks"][0]["timeout"] == 30_000


def test_defect_10_an_event_that_the_target_lacks_is_not_written_unmapped() -> None:
    """It writes ``SubagentStop`` into Gemini's file, where nothing has that name."""
    converted = convert("gemini-cli", rule("SubagentStop", run()))
    assert dialect("gemini-cli").write(converted.rules)["hooks"] == {}
    assert converted.loses_a_guard


def test_defect_12_a_gate_does_not_become_an_epilogue() -> None:
    """apm maps Stop to Gemini's SessionEnd, where nothing can be kept from ending."""
    new, _ = only(convert("gemini-cli", rule("Stop", run())))
    assert new.native_event == "AfterAgent"
    assert profile("gemini-cli").blocks(new.event)
    assert convert("windsurf", rule("Stop", run())).rules == ()


def test_defect_12_copilot_s_prompt_event_has_its_real_name() -> None:
    """apm writes ``userPromptSubmit``; Copilot's names are these."""
    own, _ = only(convert("copilot-cli", rule("pre-prompt", run(), client="universal"), source="universal"))
    assert own.native_event == "userPromptSubmitted"
    assert only(convert("copilot-cli", rule("UserPromptSubmit", run())))[0].native_event == "UserPromptSubmit"


@pytest.mark.parametrize("source", ["gemini-cli", "code-agent"])
def test_defect_12_milliseconds_are_not_read_as_seconds(source: str) -> None:
    """apm reads every limit as seconds, and multiplies by 1000."""
    event = {"gemini-cli": "AfterTool", "code-agent": "PostToolUse"}[source]
    content = {"hooks": {event: [{"hooks": [{"type": "command", "command": "a", "timeout": 30_000}]}]}}
    converted = convert(CLAUDE, *rules_of(content, source), source=source)
    assert only(converted)[1].timeout_ms == 30_000


def test_defect_13_an_answer_that_openhands_does_not_read_is_told_in_its_own_words() -> None:
    """Claude's permissionDecision and decision: block are let through by OpenHands and reported as success."""
    converted = convert("openhands", rule("PreToolUse", run(), matcher="Bash"))
    assert "a block as JSON is not understood" in told(converted, Severity.WARNING)
    told_by_us = _translated("openhands", "terminal", Reply(decision=Decision.DENY, reason="no"))
    read = interpret(bind_event(profile("openhands"), "PreToolUse", "PreToolUse"), run(), told_by_us)
    assert read.status is Status.BLOCKED


@pytest.mark.parametrize(
    "reply",
    [
        Reply(decision=Decision.ASK, reason="sure?"),
        Reply(decision=Decision.DENY),
        Reply(decision=Decision.DENY, reason=""),
        Reply(stop=True, stop_reason="enough"),
        Reply(decision=Decision.DENY, reason="no", suppress=True, stop_reason="enough"),
    ],
)
def test_defect_14_a_refusal_is_never_void_for_codex(reply: Reply) -> None:
    """Codex takes ask, an empty reason, stopReason and suppressOutput for a failed hook, and the tool runs."""
    raw = _translated("codex", "Bash", reply)
    run_of_it = interpret(bind_event(profile("codex"), "PreToolUse", "PreToolUse"), run(), raw)
    assert run_of_it.status is Status.BLOCKED


def test_defect_14_a_bare_allow_is_no_failure_for_codex() -> None:
    raw = _translated("codex", "Bash", Reply(decision=Decision.ALLOW, reason="fine"))
    assert interpret(bind_event(profile("codex"), "PreToolUse", "PreToolUse"), run(), raw).status is Status.ALLOWED


def test_defect_14_what_codex_does_not_understand_is_in_the_report() -> None:
    converted = convert("codex", rule("PreToolUse", run(), matcher="Bash"))
    warnings = told(converted, Severity.WARNING)
    assert "a hook cannot make the client ask the user" in warnings
    assert "a block without a reason has no effect" in warnings


def test_defect_17_an_exit_status_that_would_not_block_is_an_error() -> None:
    """lefthook ends with 1, which blocks nothing in Claude Code. In Code Agent every status but 0 is a refusal."""
    hooks = rule("PreToolUse", run(), matcher="Bash", client="code-agent")
    codex = convert("codex", hooks, source="code-agent")
    assert "exit status 1 no longer blocks" in told(codex, Severity.ERROR)
    claude = convert(CLAUDE, hooks, source="code-agent")  # which can be told to block then
    assert only(claude)[1].fail_closed
    failed = interpret(bind_event(profile(CLAUDE), "PreToolUse", "PreToolUse"), only(claude)[1], RawResult(exit_code=1))
    assert failed.status is Status.FAILED_CLOSED


def test_defect_17_a_matcher_is_written() -> None:
    """Its entries have none, so they run on every tool."""
    for to in ("codex", "gemini-cli", "cursor", "copilot-cli", "qwen-code", "factory-droid", "kiro", "openhands"):
        assert only(convert(to, rule("PreToolUse", run(), matcher="Bash")))[0].matcher


def _translated(client: str, tool: str, reply: Reply) -> RawResult:
    """What a hook written for Claude Code leaves behind when anyhook translates its answer."""
    asked = PreToolUse(tool_name=tool, tool_input={"command": "rm -rf /"}, native_event="PreToolUse")
    given = translate_payload(asked, profile(client), profile(CLAUDE)).payload
    assert given is not None
    translated = translate_reply(reply, given, asked, profile(CLAUDE), profile(client)).reply
    sent = encode_reply(bind_event(profile(client), "PreToolUse", "PreToolUse"), translated)
    return RawResult(exit_code=sent.exit_code, stdout=sent.stdout, stderr=sent.stderr)
