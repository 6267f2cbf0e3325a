"""The entries answer by themselves when anyhook does not: every client, open and closed, in real shells."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.deploy.target_files import writable_clients
from anyhook.dialects import profile
from anyhook.dialects.bound_event import bind_event
from anyhook.dialects.events import native_name, native_names
from anyhook.engine.interpret import interpret
from anyhook.engine.raw import RawResult
from anyhook.entries.command_entries import ANSWERED, EntryOptions, bridge, entry_line, entry_of, is_bridge
from anyhook.model.events import FoldRule
from anyhook.model.hooks import Command, HookSet, Rule
from anyhook.model.origin import Scope
from anyhook.model.outcome import Status

CLIENTS = tuple(dict.fromkeys((*writable_clients(Scope.PROJECT), *writable_clients(Scope.USER))))
TOOL_EVENTS = ("PreToolUse", "BeforeShellExecution")
BROKEN = {
    "missing": None,
    "crashing": "#!/bin/sh\necho 'Traceback (most recent call last):' >&2\nexit 1\n",
    "killed": "#!/bin/sh\nkill -9 $$\n",
    "too old": "#!/bin/sh\necho 'No such command exec' >&2\nexit 2\n",
    "killed in mid-answer": "#!/bin/sh\nprintf '{\"decision\": '\nkill -9 $$\n",
    "printing other things": "#!/bin/sh\necho 'Loading profile ...'\necho '{\"decision\": \"allow\"}'\nexit 1\n",
    "without its Python": "#!/nonexistent/python\n",
}
SHELLS = [shell for shell in ("sh", "bash", "dash", "zsh") if shutil.which(shell)]


def test_no_variable_of_an_entry_is_read_only_in_zsh() -> None:
    """Also told where zsh is not installed."""
    assert "status=" not in entry_line(profile("codex"), "PreToolUse", EntryOptions())


def gate_of(client: str) -> tuple[str, str]:
    """The event by which the client asks before a shell call, and its own name for it."""
    return next((event, native) for event in TOOL_EVENTS if (native := native_name(event, client)))


def run_line(shell: str, line: str, folder: Path, program: str | None) -> subprocess.CompletedProcess[bytes]:
    if program is not None:
        (folder / "anyhook").write_text(program)
        (folder / "anyhook").chmod(0o755)
    path = f"{folder}:/usr/bin:/bin"
    return subprocess.run(
        [shutil.which(shell) or shell, "-c", line], env={"PATH": path}, input=b"{}", capture_output=True
    )


def is_blocked(client: str, event: str, native: str, done: subprocess.CompletedProcess[bytes]) -> bool:
    """Whether the client takes what the process left behind for a refusal."""
    raw = RawResult(exit_code=done.returncode, stdout=done.stdout, stderr=done.stderr)
    run = interpret(bind_event(profile(client), event, native), Command(command="entry"), raw)
    assert not run.reply or not run.reply.invalid
    return run.status in (Status.BLOCKED, Status.FAILED_CLOSED)


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("client", CLIENTS)
def test_without_an_answer_the_action_goes_ahead_and_the_user_is_told(client: str, how: str, tmp_path: Path) -> None:
    event, native = gate_of(client)
    done = run_line("sh", entry_line(profile(client), native, EntryOptions()), tmp_path, BROKEN[how])
    assert done.returncode == 0
    assert not is_blocked(client, event, native, done)
    assert b"anyhook did not answer" in done.stdout + done.stderr


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("client", [name for name in CLIENTS if profile(name).blocks(gate_of(name)[0])])
def test_closed_it_is_blocked_with_the_reason(client: str, how: str, tmp_path: Path) -> None:
    event, native = gate_of(client)
    done = run_line("sh", entry_line(profile(client), native, EntryOptions(fail="closed")), tmp_path, BROKEN[how])
    assert is_blocked(client, event, native, done)
    assert b"anyhook did not answer" in done.stdout + done.stderr


def closing_events(client: str) -> list[tuple[str, str]]:
    """The events on which an entry that fails closed must block, and the client's names for them."""
    closed = [
        (event.name, native)
        for native, event in native_names(client).items()
        if event.fold in (FoldRule.DECISION, FoldRule.GATE)
    ]
    return [(event, native) for event, native in closed if bind_event(profile(client), event, native).can_block]


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("how", ["killed in mid-answer", "printing other things"])
def test_what_a_broken_anyhook_has_printed_does_not_open_any_entry(client: str, how: str, tmp_path: Path) -> None:
    for event, native in closing_events(client):
        done = run_line("sh", entry_line(profile(client), native, EntryOptions(fail="closed")), tmp_path, BROKEN[how])
        assert is_blocked(client, event, native, done), native
        assert b"allow" not in done.stdout
        assert b"Loading" not in done.stdout


def test_a_refusal_is_an_exit_status_where_that_is_honoured() -> None:
    """A login shell may print something of its own before the entry, after which JSON is not read."""
    closed = EntryOptions(fail="closed")
    assert entry_line(profile("claude-code"), "PreToolUse", closed).endswith("exit 2")
    assert entry_line(profile("claude-code"), "PermissionRequest", closed).endswith("exit 0")  # recorded: 2 is ignored
    assert entry_line(profile("copilot-cli"), "preToolUse", closed).endswith(
        "exit 0"
    )  # it denies on 2 without the reason


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("status", [0, 1, 2])
def test_every_shell_relays_an_answer(shell: str, status: int, tmp_path: Path) -> None:
    program = f"#!/bin/sh\nprintf said\nprintf told >&2\nexit {ANSWERED + status}\n"
    done = run_line(shell, entry_line(profile("codex"), "PreToolUse", EntryOptions(fail="closed")), tmp_path, program)
    assert (done.returncode, done.stdout, done.stderr) == (status, b"said", b"told")


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_takes_over_from_a_missing_program(shell: str, tmp_path: Path) -> None:
    done = run_line(shell, entry_line(profile("codex"), "PreToolUse", EntryOptions(fail="closed")), tmp_path, None)
    assert done.returncode == 2
    assert b"anyhook did not answer" in done.stderr


@pytest.mark.parametrize("client", CLIENTS)
def test_an_agent_may_always_stop_without_anyhook(client: str, tmp_path: Path) -> None:
    native = native_name("Stop", client)
    if native is None:
        pytest.skip("the client has no such event")
    done = run_line("sh", entry_line(profile(client), native, EntryOptions(fail="closed")), tmp_path, None)
    assert not is_blocked(client, "Stop", native, done)


words = st.text(st.characters(codec="utf-8", exclude_characters="\0\n\r"), min_size=1).filter(
    lambda text: " --answered " not in text and text.strip() == text
)


clients = st.sampled_from([(), ("anyhook-client",), ("/my tools/python", "-I", "-S", "/x/client.py")])


@given(
    client=clients, folder=words, fail=st.sampled_from(["open", "closed"]), source=st.sampled_from(["", "claude-code"])
)
def test_an_entry_can_be_read_back(client: tuple[str, ...], folder: str, fail: str, source: str) -> None:
    entry = EntryOptions(client=client, package=folder, fail="closed" if fail == "closed" else "open", source=source)
    action = Command(command=entry_line(profile("codex"), "Stop", entry))
    assert is_bridge(action)
    assert entry_of(action) == entry


@pytest.mark.parametrize("line", ["echo anyhook exec", "./guard.sh --client codex", "anyhook check"])
def test_other_commands_are_not_ours(line: str) -> None:
    assert not is_bridge(Command(command=line))
    assert entry_of(Command(command=line)) is None


def test_what_looks_like_an_entry_but_cannot_be_split_is_none() -> None:
    assert entry_of(Command(command="anyhook exec --client 'x")) is None


def hooks_on(event: str, native: str, **more: object) -> HookSet:
    rule = Rule(event=event, native_event=native, actions=(Command(command="./x.sh", **more),))  # type: ignore[arg-type]
    return HookSet(dialect="universal", rules=(rule,))


def test_an_entry_has_time_for_the_hook_and_for_anyhook() -> None:
    (rule,) = bridge(hooks_on("PreToolUse", "pre-tool-use", timeout_ms=10_000), profile("codex"), EntryOptions()).rules
    assert rule.actions[0].timeout_ms == 15_000


def test_windsurf_gets_all_its_events_before_a_tool() -> None:
    bridged = bridge(hooks_on("PreToolUse", "pre-tool-use"), profile("windsurf"), EntryOptions())
    assert {rule.native_event for rule in bridged.rules} == {
        "pre_read_code",
        "pre_write_code",
        "pre_run_command",
        "pre_mcp_tool_use",
    }
    assert [(loss.severity, loss.text.partition(": ")[0]) for loss in bridged.losses] == [
        ("warning", "the hook hears only of some tools")
    ]


def test_a_guard_on_an_event_that_a_client_lacks_is_an_error() -> None:
    bridged = bridge(hooks_on("PreToolUse", "pre-tool-use"), profile("agent-sdk"), EntryOptions())
    assert bridged.rules
    bridged = bridge(hooks_on("UserPromptSubmit", "user-prompt-submit"), profile("openhands"), EntryOptions())
    assert all(loss.severity != "note" for loss in bridged.losses)
    bridged = bridge(hooks_on("Stop", "stop"), profile("windsurf"), EntryOptions())
    assert ([loss.severity for loss in bridged.losses], bridged.rules) == (["error"], ())


def test_a_word_with_a_blank_is_quoted() -> None:
    line = entry_line(profile("codex"), "Stop", EntryOptions(program="/opt/my tools/anyhook"))
    assert shlex.split(line.partition("$(")[2])[0] == "/opt/my tools/anyhook"
