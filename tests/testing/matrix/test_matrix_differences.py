"""The matrix over ``examples/client-differences`` shows what the recordings of the real clients document.

Every entry quotes its document; where ``conformance/recordings`` is beside this checkout, the quote is looked up.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from anyhook.model.outcome import Effect
from anyhook.testing.cases.case_files import read_suite
from anyhook.testing.matrix.play import Matrix, play_matrix
from tests.checkout import CONFORMANCE, ROOT

pytestmark = pytest.mark.long

PACKAGE = ROOT / "examples" / "client-differences"
RECORDINGS = CONFORMANCE / "recordings"


class Documented(NamedTuple):
    """A difference from Claude Code that was seen in a real client."""

    case: str
    client: str
    effect: str
    reason: str
    quote: str
    """From the client's semantics.md."""


DIFFERENCES = (
    # codex/semantics.md, "Exit codes"
    Documented(
        "silent-refusal", "codex", "proceed", "exit 2 with empty stderr is a failed hook, the tool runs",
        "exit 2, empty stderr (even with reason on stdout, or deny JSON) | **failed: tool runs**",
    ),
    Documented(
        "deny-with-exit-1", "codex", "proceed", "with exit 1 JSON is not read: it is a failed hook, the tool runs",
        "exit 1 / other, with or without deny JSON | failed: tool runs",
    ),
    Documented(
        "refused-compaction", "codex", "proceed", "exit 2 does not block on PreCompact, the context is compacted",
        "failed, compaction goes on",
    ),
    # codex/semantics.md, "JSON on stdout (exit 0)"
    Documented(
        "deny-with-extra-key", "codex", "proceed", "the unknown key note voids the reply, the tool runs",
        "any unknown key, top level or nested | invalid: **deny/block ignored, tool runs**",
    ),
    Documented(
        "deny-without-reason", "codex", "proceed",
        "the reply is void: hookSpecificOutput.permissionDecision is not accepted without reason beside it, "
        "the tool runs",
        "deny with no/empty reason; `decision:block` with no reason | **failed, tool runs**",
    ),
    Documented(
        "ask", "codex", "proceed",
        "the reply is void: hookSpecificOutput.permissionDecision cannot be 'ask', the tool runs",
        'permissionDecision `allow` alone, `ask` | failed "unsupported permissionDecision:allow/ask", tool runs',
    ),
    Documented(
        "end-of-turn", "codex", "proceed", "continue: false is not supported, the tool runs",
        '`continue:false` PreToolUse / stopReason / suppressOutput | failed "unsupported", tool runs',
    ),
    # codex/semantics.md, "Payload"
    Documented(
        "looks-for-file-path", "codex", "proceed",
        "the script looks for file_path, and the payload has nothing like it",
        'apply_patch as `tool_name:"apply_patch"`, `tool_input:{"command": patch text}`',
    ),
    # gemini-cli/semantics.md, "Exit codes"
    Documented(
        "silent-refusal", "gemini-cli", "proceed", "exit 2 without any output is a failed hook, the tool runs",
        "exit 2, no output | **tool runs**",
    ),
    Documented(
        "status-three", "gemini-cli", "block", "every exit status above 1 blocks, also 3, the tool does not run",
        "exit 3 (any other than 0, 1) + text | **blocked** like 2",
    ),
    Documented(
        "missing-program", "gemini-cli", "block", "every exit status above 1 blocks, also 127, the tool does not run",
        "exit 127 / 126 (not found, not executable; shell writes stderr) | **blocked**",
    ),
    Documented(
        "allow-with-exit-2", "gemini-cli", "proceed",
        "JSON decides, whatever the exit status, and exit 2 counts for nothing, the tool runs",
        "any exit code + JSON (stdout, or stderr if stdout empty) | **JSON decides, exit code ignored**",
    ),
    # gemini-cli/semantics.md, "JSON"
    Documented(
        "deny", "gemini-cli", "proceed", "reads decision, not hookSpecificOutput.permissionDecision, the tool runs",
        "`permissionDecision` (Claude/Codex style) deny | **ignored, tool runs**",
    ),
    Documented(
        "deny-in-other-words", "gemini-cli", "block",
        "the reply counts, which Claude Code voids: decision cannot be 'deny', the tool does not run",
        "decision deny or block (BeforeTool) | blocked",
    ),
    # gemini-cli/semantics.md, "Events and config" and "Payload"
    Documented(
        "subagent-gate", "gemini-cli", "proceed", "has no event like SubagentStop, the subagent stops",
        "11 events, all fired: SessionStart BeforeAgent PreCompress",
    ),
    Documented(
        "looks-for-bash", "gemini-cli", "proceed",
        "the payload names the tool run_shell_command, and the script looks for Bash: it exits with 0, not 2",
        "BeforeTool: tool_name (native: run_shell_command, write_file, read_file, replace",
    ),
    # copilot-cli/semantics.md, sections 2 to 4
    Documented(
        "crashing-guard", "copilot-cli", "block",
        "a hook that fails (exit 1) counts as a refusal, the tool does not run",
        "**exit 1, 3, 127, killed, missing cwd** | **denied, fail closed",
    ),
    Documented(
        "end-of-turn", "copilot-cli", "proceed", "continue: false is ignored, the tool runs",
        "`continue:false`, systemMessage | ignored | ignored",
    ),
    Documented(
        "looks-for-file-path", "copilot-cli", "proceed",
        "the script looks for file_path, and the payload calls it tool_input.path",
        "so Claude scripts reading `tool_input.file_path` get nothing",
    ),
    Documented(
        "refused-prompt", "copilot-cli", "proceed", "exit 2 does not block on UserPromptSubmit, the prompt is sent",
        "userPromptSubmitted | warning only, prompt proceeds",
    ),
    Documented(
        "stop-gate", "copilot-cli", "proceed", "exit 2 does not block on Stop, the agent stops",
        "agentStop | **warning only: does not block**",
    ),
    Documented(
        "complaint-after-write", "copilot-cli", "proceed",
        "exit 2 does not block on PostToolUse, the model is not told",
        "postToolUse | warning | logged | ignored",
    ),
    Documented(
        "refused-permission", "copilot-cli", "ask",
        "reads behavior, not hookSpecificOutput.decision.behavior, the user is asked",
        "`hookSpecificOutput.decision` **in both faces**",
    ),
    # qwen-code/semantics.md
    Documented(
        "silent-refusal", "qwen-code", "proceed", "exit 2 with empty stderr is a failed hook, the tool runs",
        "exit 2 without stderr | **tool runs**, even with text on stdout",
    ),
    Documented(
        "deny-then-allow", "qwen-code", "proceed",
        "of several decisions (deny then allow) the last one counts, the tool runs",
        "**Later hook's permissionDecision overwrites an earlier one: deny then allow RUNS**",
    ),
    Documented(
        "deny-on-stderr", "qwen-code", "block",
        "JSON on stderr is read when stdout is empty, the tool does not run",
        "exit 0 + deny JSON on stderr blocks",
    ),
    Documented(
        "end-of-turn", "qwen-code", "block",
        "continue: false is a refusal, not the end of the turn, the tool does not run",
        "continue:false PreToolUse | tool not run, model sees stopReason, **agent continues**",
    ),
    Documented(
        "complaint-after-write", "qwen-code", "proceed",
        "exit 2 does not block on PostToolUse, the model is not told",
        "PostToolUse exit 2 / block | no effect on what the model sees",
    ),
    Documented(
        "looks-for-bash", "qwen-code", "proceed",
        "the payload names the tool run_shell_command, and the script looks for Bash: it exits with 0, not 2",
        "tool names native (run_shell_command)",
    ),
)  # fmt: skip


def _called(entry: Documented) -> str:
    return f"{entry.client}-{entry.case}"


@pytest.fixture(scope="module")
def matrix() -> Matrix:
    suite = read_suite(PACKAGE)
    return play_matrix(suite, suite.everything)


@pytest.mark.parametrize("entry", DIFFERENCES, ids=_called)
def test_a_documented_difference_is_reproduced_with_its_reason(matrix: Matrix, entry: Documented) -> None:
    row = next(row for row in matrix.rows if row.case.name == entry.case)
    cell = row.cell(entry.client)
    assert cell is not None
    assert cell.effect is Effect(entry.effect)
    assert cell.effect is not row.effect
    assert entry.reason in cell.reason


@pytest.mark.parametrize("entry", DIFFERENCES, ids=_called)
def test_the_document_says_so(entry: Documented) -> None:
    document = RECORDINGS / entry.client / "semantics.md"
    assert entry.quote in document.read_text("utf-8")


@pytest.mark.parametrize(
    ("case", "client", "words"),
    [
        # gemini-cli/semantics.md: "updatedInput; additionalContext on BeforeTool | ignored"
        ("rewritten-command", "gemini-cli", "the new input is not used: hookSpecificOutput.updatedInput is not read"),
        ("context-before-tool", "gemini-cli", "hookSpecificOutput.additionalContext is not read on BeforeTool"),
        # qwen-code/semantics.md: "updatedInput, tool_input, additionalContext on PreToolUse | **ignored**"
        ("rewritten-command", "qwen-code", "the new input is not used: hookSpecificOutput.updatedInput is not read"),
        # copilot-cli/semantics.md, section 4: "sessionStart | warning | logged | ignored"
        ("context-at-start", "copilot-cli", "plain text on stdout is not for the model on SessionStart"),
        # copilot-cli/semantics.md, section 3: "**stderr is not shown to the model**"
        ("looks-for-bash", "copilot-cli", "the model is not told: stderr is not for the model on PreToolUse"),
    ],
)
def test_what_is_lost_though_the_effect_is_the_same_is_told(matrix: Matrix, case: str, client: str, words: str) -> None:
    row = next(row for row in matrix.rows if row.case.name == case)
    cell = row.cell(client)
    assert cell is not None
    assert cell.effect is row.effect
    assert any(words in text for text in cell.unheard)


def test_the_cases_state_all_differences_of_all_clients(matrix: Matrix) -> None:
    assert not surprises(matrix)


@pytest.mark.parametrize("native", [False, True])
def test_so_do_those_of_the_package_that_shows_testing(native: bool) -> None:
    suite = read_suite(ROOT / "examples" / "hooks-package")
    assert not surprises(play_matrix(suite, suite.everything, native=native))


def test_so_do_those_of_the_python_hooks() -> None:
    suite = read_suite(ROOT / "examples" / "python-hooks")
    assert not surprises(play_matrix(suite, suite.everything))


def surprises(matrix: Matrix) -> list[str]:
    """What is not as the cases say."""
    cells = [(row, cell) for row in matrix.rows for cell in row.cells if cell.status.fails]
    broken = [f"{broken.case.name}: {broken.problems}" for broken in matrix.broken]
    return [*broken, *(f"{row.case.name}, {cell.client}: {cell.effect}, {cell.reason}" for row, cell in cells)]
