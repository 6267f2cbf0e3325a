"""Hooks for another client: what is written, and what the report says about the rest."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from anyhook.dialects import NAMES, dialect, profile
from anyhook.dialects.bound_event import is_guard
from anyhook.model.codes import Severity
from anyhook.model.hooks import Agent, Http, McpTool, OsCommands, Prompt, Rule
from tests.deploy.convert.conversions import CLAUDE, convert, only, rule, rules_of, run, told

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE


def converted_action(to: str, action: Any, event: str = "PostToolUse", source: str = CLAUDE) -> Any:
    return only(convert(to, rule(event, action, client=source), source=source))[1]


# --- events


@pytest.mark.parametrize(
    ("to", "event"),
    [
        ("codex", "Stop"),
        ("gemini-cli", "AfterAgent"),
        ("cursor", "stop"),
        ("universal", "stop"),
        ("copilot-cli", "Stop"),
        ("copilot-vscode", "Stop"),
    ],
)
def test_an_event_has_the_target_s_name(to: str, event: str) -> None:
    new, _ = only(convert(to, rule("Stop", run())))
    assert new.native_event == event


def test_copilot_s_own_events_are_used_for_scripts_that_are_not_claude_code_s() -> None:
    new, _ = only(convert("copilot-cli", rule("pre-tool-use", run(), client="universal"), source="universal"))
    assert new.native_event == "preToolUse"


def test_a_guard_on_an_event_that_the_target_lacks_is_an_error() -> None:
    converted = convert("windsurf", rule("Stop", run()))
    assert converted.rules == ()
    assert converted.loses_a_guard
    (loss,) = converted.losses
    assert (loss.severity, loss.about) == (ERROR, "Stop ./guard.sh")
    assert loss.text.partition(": ")[2] == "Windsurf has no event like Stop"
    assert loss.fix


def test_a_hook_that_only_looks_on_is_not_a_guard() -> None:
    converted = convert("windsurf", rule("SessionEnd", run()))
    assert told(converted, WARNING) == ["the hook is left out"]
    assert not converted.loses_a_guard
    background = rule("Stop", run(is_async=True))
    assert not is_guard(profile(CLAUDE), background, background.actions[0])
    assert not convert("windsurf", background).loses_a_guard


def test_a_guard_on_an_event_where_nothing_blocks_is_an_error() -> None:
    converted = convert("universal", rule("PreCompact", run()))
    assert "a block has no effect" in told(converted, ERROR)
    assert converted.rules  # it still looks on


def test_hooks_that_never_run_are_not_carried_over_but_noted() -> None:
    converted = convert("codex", rule("PreToolUse", run(), matcher="run_shell_command"))
    assert converted.rules == ()
    assert told(converted, NOTE) == ["the hook is left out"]
    assert "Claude Code has no tool called run_shell_command" in converted.losses[0].text


def test_the_same_client_gets_the_same_rules() -> None:
    rules = (rule("PreToolUse", run(timeout_ms=7), matcher="Bash"),)
    assert convert(CLAUDE, *rules).rules == rules


# --- time limits


@pytest.mark.parametrize(
    ("to", "written"),
    [("gemini-cli", 30_000), ("codex", 30), ("cursor", 30), ("qwen-code", 30), ("code-agent", 30_000), ("kiro", 30)],
)
def test_a_limit_is_written_in_the_target_s_unit(to: str, written: int) -> None:
    content = str(dialect(to).write(convert(to, rule("PreToolUse", run(timeout_ms=30_000))).rules))
    assert f"'timeout': {written}" in content


def test_a_default_that_is_shorter_is_written_out() -> None:
    converted = convert("gemini-cli", rule("PostToolUse", run()))
    assert only(converted)[1].timeout_ms == 600_000
    assert "the limit of 600 s is written out" in told(converted, NOTE)
    assert converted_action("codex", run()).timeout_ms is None  # the same default


def test_a_limit_is_rounded_up_and_never_cut_silently() -> None:
    codex = convert("codex", rule("PostToolUse", run(timeout_ms=1_500)))
    assert only(codex)[1].timeout_ms == 2_000
    assert "the limit is 2 s, not 1.5 s" in told(codex, NOTE)
    universal = convert("universal", rule("PostToolUse", run(timeout_ms=900_000)))
    assert only(universal)[1].timeout_ms == 300_000
    assert "the hook ends after 300 s, not 900 s" in told(universal, WARNING)


def test_a_limit_that_the_target_cannot_have_is_said() -> None:
    converted = convert("windsurf", rule("UserPromptSubmit", run(timeout_ms=5_000)))
    assert only(converted)[1].timeout_ms is None
    assert "the limit of 5 s is gone" in told(converted, WARNING)


def test_a_limit_of_nothing_becomes_one_that_the_target_loads() -> None:
    hooks = rule("AfterTool", run(timeout_ms=0), client="gemini-cli")
    assert only(convert("codex", hooks, source="gemini-cli"))[1].timeout_ms == 1_000


# --- commands


def test_variables_have_the_target_s_names() -> None:
    action = run('"${CLAUDE_PROJECT_DIR}"/a.sh "$CLAUDE_PROJECT_DIR" $HOME')
    assert converted_action("gemini-cli", action).command == action.command  # Gemini sets Claude's, too
    assert converted_action("factory-droid", action).command == action.command  # and so does Droid (droidA)
    assert converted_action("universal", action).command == '"${PACKAGE_ROOT}"/a.sh "$PACKAGE_ROOT" $HOME'


def test_a_plugin_s_folder_has_the_target_s_name() -> None:
    action = run("${CLAUDE_PLUGIN_ROOT}/a.sh")
    assert converted_action("cursor", action).command == "${CURSOR_PLUGIN_ROOT}/a.sh"
    assert converted_action("open-plugins", action).command == "${PLUGIN_ROOT}/a.sh"
    assert converted_action("gemini-cli", action).command == "${extensionPath}/a.sh"


def test_a_project_without_a_variable_is_a_dot() -> None:
    converted = convert("kiro", rule("PostToolUse", run('"$CLAUDE_PROJECT_DIR"/a.sh')))
    assert only(converted)[1].command == '"."/a.sh'
    assert "CLAUDE_PROJECT_DIR is written as a dot" in told(converted, NOTE)


def test_a_guard_whose_variable_nobody_sets_is_an_error() -> None:
    converted = convert("windsurf", rule("PreToolUse", run("${CLAUDE_PLUGIN_ROOT}/a.sh"), matcher="Bash"))
    assert "CLAUDE_PLUGIN_ROOT is empty, so the command may not work" in told(converted, ERROR)


def test_a_default_in_the_command_is_left_alone() -> None:
    action = run("${CLAUDE_PROJECT_DIR:-.}/a.sh")
    assert converted_action("kiro", action).command == action.command


def test_values_of_the_event_keep_their_meaning() -> None:
    hooks = rule("post-tool-use", run("prettier --write ${file}"), client="universal")
    assert only(convert("code-agent", hooks, source="universal"))[1].command == "prettier --write ${FILE_PATH}"
    assert "file is empty, so the command may not work" in told(convert(CLAUDE, hooks, source="universal"), WARNING)


def test_arguments_become_words_for_a_shell() -> None:
    action = run("node", args=("my script.js", "${CLAUDE_PROJECT_DIR}/a b", "it's"))
    written = converted_action("gemini-cli", action)
    assert written.command == "node 'my script.js' \"${CLAUDE_PROJECT_DIR}/a b\" 'it'\"'\"'s'"
    assert written.args is None
    assert converted_action("open-plugins", run("node", args=("a b",))).args == ("a b",)


def test_folder_and_variables_of_a_hook_move_into_its_command() -> None:
    hooks = rule("postToolUse", run("./a.sh", cwd="scripts", env={"MODE": "a b"}), client="copilot-cli")
    codex = convert("codex", hooks, source="copilot-cli")
    assert only(codex)[1].command == "export MODE='a b'; cd scripts || exit 1; ./a.sh"
    claude = only(convert(CLAUDE, hooks, source="copilot-cli"))[1]
    assert 'cd "${CLAUDE_PROJECT_DIR}/scripts" || exit 1' in claude.command
    vscode = only(convert("copilot-vscode", hooks, source="copilot-cli"))[1]
    assert (vscode.command, vscode.cwd, vscode.env) == ("./a.sh", "scripts", {"MODE": "a b"})


def test_commands_for_operating_systems_are_kept_where_they_can_be() -> None:
    variants = OsCommands(windows="guard.ps1", linux="./guard.sh", macos="./guard.sh")
    hooks = rule("preToolUse", run("", by_os=variants), client="copilot-cli")
    codex = only(convert("codex", hooks, source="copilot-cli"))[1]
    assert (codex.command, codex.by_os) == ("./guard.sh", OsCommands(windows="guard.ps1"))
    vscode = only(convert("copilot-vscode", hooks, source="copilot-cli"))[1]
    assert vscode.by_os == variants
    claude = convert(CLAUDE, hooks, source="copilot-cli")
    assert only(claude)[1].command == "./guard.sh"
    assert "Windows runs the command of the other systems" in told(claude, ERROR)


def test_a_command_for_windows_alone_is_not_given_to_everybody() -> None:
    hooks = rule("preToolUse", run("", by_os=OsCommands(windows="guard.ps1")), client="copilot-cli")
    converted = convert(CLAUDE, hooks, source="copilot-cli")
    assert converted.rules == ()
    assert told(converted, ERROR) == ["the hook is left out"]


def test_two_unixes_with_one_command_is_an_error_for_a_guard() -> None:
    hooks = rule("PreToolUse", run("", by_os=OsCommands(linux="./l.sh", macos="./m.sh")), client="copilot-vscode")
    converted = convert("copilot-cli", hooks, source="copilot-vscode")
    assert only(converted)[1].command == "./l.sh"
    assert "macOS runs the command that was for Linux" in told(converted, ERROR)


def test_another_shell_is_an_error_for_a_guard() -> None:
    converted = convert("codex", rule("PreToolUse", run(shell="powershell"), matcher="Bash"))
    assert "the command runs in /bin/bash, not in powershell" in told(converted, ERROR)
    assert "the shell is not named" in told(convert("codex", rule("PreToolUse", run(shell="bash"))), NOTE)


# --- settings


@pytest.mark.parametrize(
    ("more", "severity", "what"),
    [
        ({"status_message": "wait"}, NOTE, "the status message is gone"),
        ({"is_async": True}, WARNING, "the agent waits for the hook, and its reply counts"),
        ({"once": True}, WARNING, "the hook runs every time, not once"),
        ({"condition": "Bash(git push *)"}, WARNING, "the hook runs on every call, not only where its condition holds"),
        ({"extra": {"rewakeMessage": "x"}}, NOTE, "rewakeMessage is left out"),
    ],
)
def test_a_setting_that_the_target_lacks_is_said(more: dict[str, Any], severity: Severity, what: str) -> None:
    converted = convert("gemini-cli", rule("PreToolUse", run(**more), matcher="Bash"))
    assert what in told(converted, severity)
    content = dialect("gemini-cli").write(converted.rules)
    assert set(content["hooks"]["BeforeTool"][0]["hooks"][0]) == {"type", "command", "timeout"}


def test_settings_that_both_have_are_kept() -> None:
    action = run(is_async=True, status_message="wait", timeout_ms=5_000)
    kept = converted_action("codex", action)
    assert (kept.is_async, kept.status_message) == (True, "wait")
    assert converted_action("qwen-code", run(env={}, name=None, extra={"description": "d"})).extra == {
        "description": "d"
    }


def test_an_order_that_cannot_be_asked_for_is_said() -> None:
    hooks = rule("BeforeTool", run(), client="gemini-cli", sequential=True)
    assert only(convert("qwen-code", hooks, source="gemini-cli"))[0].sequential
    claude = convert(CLAUDE, hooks, source="gemini-cli")
    assert "the hooks run at the same time" in told(claude, WARNING)
    assert "the hooks run at the same time" not in told(convert("copilot-cli", hooks, source="gemini-cli"), WARNING)


# --- fail mode


def test_a_guard_that_must_fail_closed_and_cannot_is_an_error() -> None:
    converted = convert("codex", rule("PreToolUse", run(fail_closed=True), matcher="Bash"))
    assert "a hook that fails no longer blocks" in told(converted, ERROR)
    assert converted_action("cursor", run(fail_closed=True), "PreToolUse").fail_closed


def test_a_client_that_fails_closed_by_itself_is_said_and_kept() -> None:
    stricter = convert("copilot-cli", rule("PreToolUse", run(), matcher="Bash"))
    assert "a hook that fails now blocks" in told(stricter, WARNING)
    hooks = rule("preToolUse", run(), matcher="bash", client="copilot-cli")
    back = convert(CLAUDE, hooks, source="copilot-cli")
    assert only(back)[1].fail_closed
    assert "that a failing hook blocks is written out" in told(back, NOTE)
    assert not only(convert("copilot-cli", rule("PreToolUse", run(fail_closed=True))))[1].fail_closed


# --- other kinds of hooks


def test_prompts_and_agents_go_where_a_model_is_asked() -> None:
    prompt, agent = Prompt(prompt="Safe?"), Agent(prompt="Look around")
    assert converted_action("cursor", prompt, "PreToolUse").prompt == "Safe?"
    assert converted_action("open-plugins", agent, "PreToolUse").kind == "agent"
    for client in ("codex", "copilot-cli", "kiro"):  # not run there, or given to the agent as a prompt
        converted = convert(client, rule("PreToolUse", prompt))
        assert converted.rules == ()
        assert told(converted, ERROR) == ["the hook is left out"]


def test_a_prompt_that_is_submitted_is_no_verdict() -> None:
    hooks = rule("sessionStart", Prompt(prompt="Hello", purpose="submit"), client="copilot-cli")
    assert convert("universal", hooks, source="copilot-cli").rules == ()
    kiro = convert("kiro", hooks, source="copilot-cli")
    assert only(kiro)[1].prompt == "Hello"


def test_requests_and_mcp_calls_go_where_they_are_run() -> None:
    http = Http(url="https://example.com", headers={"A": "b"}, allowed_env=("TOKEN",))
    assert converted_action("qwen-code", http).headers == {"A": "b"}
    assert convert("gemini-cli", rule("PreToolUse", http)).loses_a_guard
    mcp = McpTool(server="s", tool="t", input={"x": 1})
    assert converted_action("codex", mcp).input == {"x": 1}


def test_a_kind_that_the_event_does_not_run_is_left_out() -> None:
    hooks = rule("session-start", Prompt(prompt="Hello"), client="universal")
    converted = convert(CLAUDE, hooks, source="universal")
    assert converted.rules == ()
    assert converted.losses[0].text.partition(": ")[2] == "Claude Code runs no prompt hooks on this event"


# --- what the hook's own code says


@pytest.mark.parametrize(
    ("to", "event", "severity", "what"),
    [
        ("codex", "PreToolUse", WARNING, "a block without a reason has no effect"),
        ("codex", "PreToolUse", WARNING, "a hook cannot make the client ask the user"),
        ("gemini-cli", "PreToolUse", WARNING, "a block as JSON is not understood"),
        ("copilot-cli", "Stop", WARNING, "exit status 2 no longer blocks"),
        ("cursor", "Stop", ERROR, "a block is not understood"),
        ("kiro", "Stop", ERROR, "a block has no effect"),
        ("antigravity", "PreToolUse", WARNING, "a hook without output blocks"),
        ("windsurf", "PreToolUse", WARNING, "the hook gets a payload with other names"),
    ],
)
def test_an_answer_that_the_target_reads_otherwise_is_said(to: str, event: str, severity: Severity, what: str) -> None:
    assert what in told(convert(to, rule(event, run(), matcher="Bash" if event == "PreToolUse" else None)), severity)


def test_only_fields_that_the_hook_may_read_are_named() -> None:
    shell = convert("copilot-cli", rule("PreToolUse", run(), matcher="Bash"))
    assert "the hook gets a payload with other names" not in told(shell, WARNING)
    (loss,) = [x for x in convert("codex", rule("PreToolUse", run(), matcher="Read|Edit")).losses if "writes" in x.text]
    assert loss.text.partition(": ")[2] == "Codex writes tool_input.command (a patch) for tool_input.file_path"


def test_nothing_is_said_between_clients_that_agree() -> None:
    hooks = rule("PreToolUse", run(timeout_ms=5_000), matcher="Bash")
    assert convert("factory-droid", hooks).losses == ()
    assert convert("open-plugins", hooks).losses == ()


def test_a_round_trip_between_clients_that_agree_gives_the_same_rules() -> None:
    hooks = (
        rule("PreToolUse", run(timeout_ms=5_000), matcher="Write|Edit"),
        rule("PostToolUse", run("./format.sh", timeout_ms=9_000), matcher="mcp__memory__.*"),
        rule("SessionStart", run("./hello.sh", timeout_ms=5_000)),
    )
    for client in ("open-plugins", "rulesync"):
        there = convert(client, *hooks)
        back = convert(CLAUDE, *there.rules, source=client)
        assert (there.losses, back.losses) == ((), ())
        spelled = tuple(structs.replace(new, matcher=old.matcher) for new, old in zip(back.rules, hooks, strict=True))
        assert spelled == hooks
        assert back.rules[0].matcher == "Write|Edit"


# --- files with parts for one client


def test_a_part_for_the_target_alone_replaces_the_shared_hooks() -> None:
    content = {
        "version": 1,
        "hooks": {"preToolUse": [{"matcher": "Bash", "command": "shared"}], "stop": [{"command": "stop"}]},
        "cursor": {"hooks": {"preToolUse": [{"matcher": "Shell", "command": "own"}]}},
        "kiro": {"hooks": {"preToolUse": [{"command": "kiro"}]}},
    }
    converted = convert("cursor", *rules_of(content, "rulesync"), source="rulesync")
    commands = {(new.native_event, new.matcher, action.summary()) for new in converted.rules for action in new.actions}
    assert commands == {("preToolUse", "Shell", "own"), ("stop", None, "stop")}
    assert told(converted, NOTE).count("the hook is left out") == 2


# --- what would be lost in the target's own reading


def test_a_hook_that_would_cost_the_target_its_file_is_left_out() -> None:
    converted = convert("rulesync", rule("PreToolUse", run("a\nb"), matcher="Bash"))
    assert converted.rules == ()
    assert converted.losses[-1].text.partition(": ")[2] == '"command" has a line break'
    assert converted.loses_a_guard


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_is_what_the_target_reads(name: str) -> None:
    hooks = (
        rule("PreToolUse", run(), matcher="Bash"),
        rule("UserPromptSubmit", run("./prompt.sh", timeout_ms=1_000)),
    )
    converted = convert(name, *hooks)
    read = rules_of(dialect(name).write(converted.rules), name)

    def shown(rules: tuple[Rule, ...]) -> list[tuple[Any, ...]]:
        return [
            (new.event, new.matcher, action.summary(), action.timeout_ms) for new in rules for action in new.actions
        ]

    assert shown(read) == shown(converted.rules)
