"""A proof with a small client in place of a real one: columns, reasons, and what a recorded hook file looks like."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from anyhook.model.outcome import Effect
from anyhook.project.project import Project
from anyhook.project.trusted_project import TrustedProject
from anyhook.prove.clients import driver
from anyhook.prove.installation import Installed
from anyhook.prove.namespace import NamespaceUnavailableError
from anyhook.prove.proof import prove_client
from anyhook.prove.proof.missing_entries import find_missing_entries, why_no_hook
from anyhook.prove.proof.observe import PlayReport, observe
from anyhook.prove.proof.played_cases import BUILT_IN, NotPlayed, PlayedCase, stage_cases
from anyhook.prove.proof.played_outcome import outcome_of
from anyhook.prove.proof.proof_report import as_data, as_junit, has_failed
from anyhook.prove.proof.prove_client import (
    ClientProof,
    Proof,
    cases_for,
    started_in,
    with_calls_after,
    without_client,
)
from anyhook.prove.proof.recorded_hooks import record_hooks
from anyhook.prove.report import HookCall, RunReport, SeenMessage, StepResult
from anyhook.prove.run import ClientRunner
from anyhook.prove.script import EditStep, ReadStep, ShellStep, WriteStep
from anyhook.sources.discover import Roots
from anyhook.testing.cases.case_files import read_suite
from tests.approving import approve
from tests.prove.test_run import CLIENT

GUARD = "#!/bin/sh\nif grep -q DANGER; then echo no DANGER >&2; exit 2; fi\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    write(folder / "guard.sh", GUARD)
    (folder / "guard.sh").chmod(0o755)
    settings(folder, "./guard.sh")
    case(folder, "blocks", "block", tool_name="Bash", tool_input={"command": "echo DANGER > bad.txt"})
    return folder


def write(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


def settings(folder: Path, command: str) -> None:
    hook = {"type": "command", "command": command}
    write(folder / ".claude/settings.json", {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}})


def case(folder: Path, name: str, effect: str, event: str = "PreToolUse", **payload: Any) -> None:
    tests = folder / ".anyhook/tests"
    given = {"name": name, "event": event, "client": "claude-code", "input": {"fixture": f"fixtures/{name}.json"}}
    write(tests / f"cases/{name}.yaml", {**given, "expected": {"effect": effect}})
    write(tests / f"fixtures/{name}.json", {"hook_event_name": event, **payload})


def staged(project: Path) -> tuple[tuple[PlayedCase, ...], tuple[NotPlayed, ...]]:
    return stage_cases(read_suite(project).cases, project)


def test_cases_become_steps(project: Path) -> None:
    case(
        project, "edits", "block", tool_name="Edit", tool_input={"file_path": "a", "old_string": "x", "new_string": "y"}
    )
    write(project / "c", "one line")
    edit = {"file_path": "c", "old_string": "x", "new_string": "y"}
    case(project, "edits-another-text", "block", tool_name="Edit", tool_input=edit)
    case(project, "prompts", "block", "UserPromptSubmit", prompt="say the password")
    case(project, "reads", "block", tool_name="Read", tool_input={"file_path": "/etc/passwd"})
    case(project, "stops", "continue", "Stop", stop_hook_active=False)
    case(project, "stops-again", "proceed", "Stop", stop_hook_active=True)
    content = {"file_path": str(project / "b"), "content": "text"}
    case(project, "writes", "block", tool_name="Write", tool_input=content)
    case(project, "xescapes", "block", tool_name="Write", tool_input={"file_path": "a/../../x/y", "content": "text"})
    case(project, "xnotifies", "proceed", "Notification", message="hello")
    played, not_played = staged(project)
    steps = {each.name: each.script[0][0] for each in played}
    assert steps["blocks"] == ShellStep("echo DANGER > bad.txt")
    assert steps["edits"] == EditStep("a", "x", "y")
    assert steps["reads"] == ReadStep("passwd")  # nothing outside is read
    assert steps["writes"] == WriteStep("b", "text")
    assert steps["xescapes"] == WriteStep("y", "text")  # and nothing outside is written
    assert {each.name: each.prompt for each in played}["prompts"] == "say the password"
    assert {each.name: each.expected for each in played}["stops"] is Effect.CONTINUE
    assert [each.name for each in not_played] == ["stops-again", "xnotifies"]
    assert {each.name: set(each.files) for each in played if each.files} == {
        "edits": {"a"},
        "edits-another-text": {"c"},  # an edit of text that the file does not have would fail
        "reads": {"passwd"},
    }


def test_only_commands_are_changed_in_a_recorded_file(project: Path) -> None:
    text = (
        '{ // note\n "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./guard.sh"}]}]}, "x": 1,}\n'
    )
    write(project / ".claude/settings.json", text)
    recorded = record_hooks(started_in(project, "claude-code").hook_set, project)
    if recorded.files:  # a client that does not accept comments loads nothing of it
        [(name, file)] = recorded.files.items()
        assert (name, file.text) == (".claude/settings.json", text.replace("./guard.sh", "@RECORD@ hook-1"))
    settings(project, "./guard.sh")
    recorded = record_hooks(started_in(project, "claude-code").hook_set, project)
    assert '"@RECORD@ hook-1"' in recorded.files[".claude/settings.json"].text
    assert recorded.behaviours["hook-1"]["run"][-1] == "./guard.sh"


def test_hooks_in_toml_are_recorded(tmp_path: Path) -> None:
    hook = (
        '[[hooks.PreToolUse]]\nmatcher = "Bash"\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "./guard.sh"\n'
    )
    write(tmp_path / ".codex/config.toml", f"# mine\n{hook}")
    recorded = record_hooks(started_in(tmp_path, "codex").hook_set, tmp_path)
    assert recorded.files[".codex/config.toml"].text == f"# mine\n{hook}".replace("./guard.sh", "@RECORD@ hook-1")


# --- played to a small client


@pytest.fixture
def runner() -> Iterator[ClientRunner]:
    try:
        with ClientRunner(protect=True) as made:
            yield made
    except NamespaceUnavailableError as error:
        pytest.skip(str(error))


def proved(
    runner: ClientRunner,
    project: Path,
    tmp_path: Path,
    *,
    blocks_when: str = "== 2",
    user_trust: bool = False,
    adds: str = "",
    changes: Mapping[str, str] | None = None,
) -> ClientProof:
    """``adds``: what the client adds to the result of a call; ``changes``: other text in its program."""
    program = tmp_path / "client"
    client = CLIENT.format(python=sys.executable).replace("== 2", blocks_when)
    for old, new in (changes or {}).items():
        assert old in client
        client = client.replace(old, new)
    program.write_text(client.replace('"content": text}', f'"content": text + {adds}}}') if adds else client)
    program.chmod(0o755)
    cases, not_played = staged(project)
    built_in = tuple(each for each in BUILT_IN if each.name == "a dangerous command")
    proof = Proof(
        project=project, home=tmp_path, cases=cases, not_played=not_played, built_in=built_in, user_trust=user_trust
    )
    return prove_client.prove_client(runner, Installed("claude-code", "0.0.1", program), proof)


def columns(proof: ClientProof) -> tuple[bool | None, bool | None, bool | None, str]:
    [hook] = proof.hooks
    return hook.loaded, hook.fired, hook.effect, hook.reason


def test_a_guard_that_blocks(runner: ClientRunner, project: Path, tmp_path: Path) -> None:
    proof = proved(runner, project, tmp_path)
    assert columns(proof) == (True, True, True, "")
    assert (proof.missed, has_failed(proof)) == ((), False)
    assert as_data([proof])["in_effect"] is True
    assert b'failures="0"' in as_junit([proof])


def test_a_client_that_ignores_the_reply(runner: ClientRunner, project: Path, tmp_path: Path) -> None:
    proof = proved(runner, project, tmp_path, blocks_when="== 99")
    assert columns(proof)[:3] == (True, True, False)
    assert "Claude Code went ahead; the hook said: no DANGER" in columns(proof)[3]
    assert has_failed(proof)
    assert b"the hook said: no DANGER" in as_junit([proof])


def test_a_client_that_does_not_trust_the_hook(runner: ClientRunner, project: Path, tmp_path: Path) -> None:
    """With the user's trust it plays the hook file as it is, without the recorder, and skips the hook."""
    proof = proved(runner, project, tmp_path, blocks_when='== 2 and hook != "./guard.sh"', user_trust=True)
    loaded, fired, effect, reason = columns(proof)
    assert (loaded, fired, effect) == (True, False, False)
    assert "does not trust it" in reason


def test_the_anyhook_of_entries_knows_what_its_user_trusts(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANYHOOK_STATE_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    write(project / "hooks/hooks.json", {"version": 1, "hooks": {"stop": [{"hooks": [{"command": "true"}]}]}})
    TrustedProject(Project(Roots(project=project, home=tmp_path))).approve_all()
    write(tmp_path / "XDG_CONFIG_HOME/anyhook/allowed_signers", "alice ssh-ed25519 AAAA")
    found = prove_client._anyhook_trust()
    folder = tmp_path / "ANYHOOK_STATE_DIR"
    records = {f".local/state/anyhook/{path.relative_to(folder)}" for path in folder.glob("trust/*/*")}
    assert [path for path in records if "/repositories/" in path]
    assert {*found} == {*records, ".config/anyhook/allowed_signers"}


def test_an_entry_whose_hooks_are_not_trusted(runner: ClientRunner, project: Path, tmp_path: Path) -> None:
    """Also where the case expects that the call goes ahead, as it does without the hooks."""
    message = "anyhook: the hooks of x are not trusted yet"
    write(project / "anyhook", f"#!/bin/sh\ncat >/dev/null\necho '{json.dumps({'systemMessage': message})}'\n")
    (project / "anyhook").chmod(0o755)
    settings(project, "./anyhook exec --client claude-code")
    case(project, "blocks", "proceed", tool_name="Bash", tool_input={"command": "echo fine > good.txt"})
    *seen, reason = columns(proved(runner, project, tmp_path))
    assert seen == [True, True, False]
    assert reason.endswith(f"the hook said: {message}")


def test_an_entry_whose_hooks_are_trusted(runner: ClientRunner, project: Path, tmp_path: Path) -> None:
    """The client has another home folder and a copy of the project; this small one does not understand the answer."""
    write(project / "package.json", {"name": "guarded"})
    hook = {"type": "command", "command": '"${PACKAGE_ROOT}/guard.sh"'}
    write(project / "hooks/hooks.json", {"version": 1, "hooks": {"pre-tool-use": [{"hooks": [hook]}]}})
    write(project / "anyhook", f'#!/bin/sh\nexec {sys.executable} -m anyhook "$@"\n')
    (project / "anyhook").chmod(0o755)
    settings(project, "./anyhook exec --client claude-code")
    assert "not trusted yet" in columns(proved(runner, project, tmp_path))[-1]
    approve(project)
    assert columns(proved(runner, project, tmp_path))[-1].endswith("the hook said: no DANGER")


def test_an_entry_whose_hooks_were_asked(runner: ClientRunner, project: Path, tmp_path: Path) -> None:
    """It says so in the journal; what it says to people may begin with any word."""
    row = {"at": "2026-01-01T00:00:00Z", "client": "claude-code", "event": "PreToolUse"}
    for unasked, effect in ((False, True), (True, False)):
        line = json.dumps({**row, "unasked": unasked})
        journal = "$HOME/.local/state/anyhook/journal"
        script = f"mkdir -p {journal}; echo '{line}' >> {journal}/spool.jsonl; echo anyhook says no >&2; exit 2"
        write(project / "anyhook", f"#!/bin/sh\ncat >/dev/null\n{script}\n")
        (project / "anyhook").chmod(0o755)
        settings(project, "./anyhook exec --client claude-code")
        proof = proved(runner, project, tmp_path)
        assert columns(proof)[:3] == (True, True, effect), proof


SPEAKERS = {
    "context for the model": ('{"hookSpecificOutput": {"additionalContext": "giraffes\\nare tall"}}', True, False),
    "a message for the user": ('{"systemMessage": "lions"}', None, True),
    "text that means nothing": ("zebras", None, False),
}


@pytest.mark.parametrize("told", [True, False], ids=["the model is told", "the model is not told"])
@pytest.mark.parametrize("spoken", SPEAKERS)
def test_a_hook_that_only_says_something(
    runner: ClientRunner, project: Path, tmp_path: Path, spoken: str, told: bool
) -> None:
    text, effect, unseen = SPEAKERS[spoken]
    write(project / "guard.sh", f"#!/bin/sh\ncat >/dev/null\nprintf %s '{text}'\n")
    (project / ".anyhook/tests/cases/blocks.yaml").unlink()
    proof = proved(runner, project, tmp_path, adds="ran.stdout" if told else "")
    [hook] = proof.hooks
    is_context = effect is True
    if told and unseen:
        effect, unseen = True, False  # a client that gives it to the model
    assert (hook.fired, hook.effect, hook.unseen) == (True, told if is_context else effect, unseen), hook
    if is_context and not told:
        assert "did not give the model what the hook said: giraffes" in hook.reason
        assert has_failed(proof)
    if hook.unseen:
        assert hook.reason.endswith("what the hook said: lions")
    if is_context and told:
        assert proof.played[0].told == "giraffes\nare tall"


def test_what_was_played_is_shown(runner: ClientRunner, project: Path, tmp_path: Path) -> None:
    case(project, "fine", "proceed", tool_name="Bash", tool_input={"command": "echo fine > good.txt"})
    proof = proved(runner, project, tmp_path)
    shown = [(outcome.case, outcome.verb, outcome.played, outcome.told) for outcome in proof.played]
    assert shown == [
        ("blocks", "blocked", "echo DANGER > bad.txt", "no DANGER"),
        ("fine", "ran", "echo fine > good.txt", ""),
    ]
    [client] = as_data([proof])["clients"]
    assert client["played"][0]["effect"] == "block"
    assert (client["played"][0]["tool"], client["played"][0]["result"]) == ("Bash", "no DANGER\n")


def test_what_is_played_for_events_without_cases(project: Path, tmp_path: Path) -> None:
    hook = [{"hooks": [{"type": "command", "command": "./guard.sh"}]}]
    events = ("PreToolUse", "PostToolUse", "SessionStart")
    write(project / ".claude/settings.json", {"hooks": dict.fromkeys(events, hook)})
    cases, _ = staged(project)
    proof = Proof(project=project, home=tmp_path, cases=cases, built_in=BUILT_IN)
    played = cases_for(started_in(project, "claude-code"), proof)
    assert [each.name for each in played] == ["blocks", "a file was written", "a command has run", "a session starts"]
    before, after = (each for each in BUILT_IN if "written" in each.name)
    assert before.situation() == after.situation()  # played once


def test_feedback_after_a_call() -> None:
    """A hook that complains of what was done: whether the model was told, and a call that did not run."""
    [after, _] = (each for each in BUILT_IN if each.event == "PostToolUse")
    call = HookCall(
        name="x", event="PostToolUse", payload={}, cwd="", environment={}, started=0, seconds=0, exit_status=2,
        stderr="two tigers",
    )  # fmt: skip
    step = StepResult(0, after.script[0][0], "Write", True, "written")
    report = RunReport(client="claude-code", version="1", exit_status=0, seconds=1, tool_results=(step,))
    saw = ((), (SeenMessage("user", "hook error:   two tigers"),))
    fired = structs.replace(report, hooks_fired=(call,))
    told = structs.replace(fired, model_saw=saw)
    failed = structs.replace(report, tool_results=(structs.replace(step, ran=False, model_saw="no such folder"),))
    replaced = structs.replace(report, tool_results=(structs.replace(step, ran=None),))
    assert with_calls_after(replaced, "claude-code") == replaced
    assert with_calls_after(structs.replace(replaced, hooks_fired=(call,)), "claude-code") == fired
    plays = (
        PlayReport(case=after, report=each, seen=observe(after, each, driver("claude-code")))
        for each in (told, fired, failed)
    )
    verbs = [outcome_of(play, "claude-code").verb for play in plays]
    assert verbs == ["ran, and the model was told", "ran", "did not run"]


def test_a_script_that_is_not_executable(runner: ClientRunner, project: Path, tmp_path: Path) -> None:
    (project / "guard.sh").chmod(0o644)
    proof = proved(runner, project, tmp_path)
    assert columns(proof)[:3] == (True, True, False)
    assert "chmod +x" in columns(proof)[3]


def test_a_script_that_does_not_exist(runner: ClientRunner, project: Path, tmp_path: Path) -> None:
    settings(project, "./gurad.sh")
    proof = proved(runner, project, tmp_path)
    assert "the hook does not start" in columns(proof)[3]
    assert "gurad.sh" in columns(proof)[3]


def test_without_a_client_one_knows_what_is_loaded(project: Path, tmp_path: Path) -> None:
    proof = without_client("claude-code", Proof(project=project, home=tmp_path, cases=BUILT_IN), "no client here")
    assert columns(proof) == (True, None, None, "")
    assert (proof.obstacle, has_failed(proof)) == ("no client here", False)


# --- dead guards, lost files, missing entries

NO_HOOKS = {'settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"]': '"true"'}
"""A client that does not load the file."""
_OWN_RULE = '"Dangerous rm operation detected" if "rm -rf" in str(call) else "ok"'
REFUSES = {'subprocess.getoutput(call["input"]["command"])': _OWN_RULE}
"""A client that refuses some commands by its own rules."""


def test_a_refusal_of_the_client_itself_is_no_proof(runner: ClientRunner, project: Path, tmp_path: Path) -> None:
    """A command that the client runs shows that no hook is asked."""
    case(project, "blocks", "block", tool_name="Bash", tool_input={"command": "rm -rf /"})
    proof = proved(runner, project, tmp_path, changes={**NO_HOOKS, **REFUSES})
    assert [(each.case, each.verb) for each in proof.played] == [
        ("blocks", "refused by the client itself"),
        ("a forced push", "ran"),
    ]
    assert columns(proof) == (False, False, False, "Claude Code did not call it")
    assert (proof.missed, has_failed(proof)) == (("blocks",), True)
    assert "refused it by its own rules, which proves nothing of a hook" in proof.played[0].cause


def test_a_control_shows_that_a_hook_without_a_reason_refused(
    runner: ClientRunner, project: Path, tmp_path: Path
) -> None:
    write(project / "guard.sh", "#!/bin/sh\nexit 2\n")
    refused = {"ran.stderr if": '"Permission denied" if'}
    assert columns(proved(runner, project, tmp_path, changes=refused)) == (True, True, True, "")
    case(project, "blocks", "block", tool_name="Bash", tool_input={"command": "rm -rf /"})
    proof = proved(runner, project, tmp_path, changes={**refused, **REFUSES})
    assert columns(proof)[:3] == (True, True, False)
    assert has_failed(proof)


def without_cases(project: Path) -> None:
    (project / ".anyhook/tests/cases/blocks.yaml").unlink()


def test_a_guard_that_is_not_called_without_cases(runner: ClientRunner, project: Path, tmp_path: Path) -> None:
    """And what the client says of the file."""
    without_cases(project)
    complaint = f"{project}/.claude/settings.json (permissions.defaultMode): Invalid value"
    proof = proved(runner, project, tmp_path, changes={**NO_HOOKS, '"bye "': f'"{complaint}\\nbye "'})
    assert columns(proof) == (False, False, False, f"Claude Code did not call it: {complaint}")
    assert has_failed(proof)


@pytest.mark.parametrize("tool", ["Shell", "no_such_tool"])
def test_a_guard_with_a_wrong_matcher_without_cases(
    runner: ClientRunner, project: Path, tmp_path: Path, tool: str
) -> None:
    without_cases(project)
    hook = {"type": "command", "command": "./guard.sh"}
    write(project / ".claude/settings.json", {"hooks": {"PreToolUse": [{"matcher": tool, "hooks": [hook]}]}})
    proof = proved(runner, project, tmp_path, changes=NO_HOOKS)
    assert columns(proof)[:3] == (True, False, False)
    assert f"Claude Code has no tool called {tool}" in columns(proof)[3]
    assert has_failed(proof)


@pytest.mark.parametrize("tool", ["WebFetch", "mcp__github__push", "mcp__.*"])
def test_a_hook_of_tools_that_are_not_played_is_not_dead(
    runner: ClientRunner, project: Path, tmp_path: Path, tool: str
) -> None:
    without_cases(project)
    hook = {"type": "command", "command": "./guard.sh"}
    write(project / ".claude/settings.json", {"hooks": {"PreToolUse": [{"matcher": tool, "hooks": [hook]}]}})
    proof = proved(runner, project, tmp_path, changes=NO_HOOKS)
    assert columns(proof)[:3] == (True, None, None)
    assert not has_failed(proof)


def test_an_event_without_a_hook(runner: ClientRunner, project: Path, tmp_path: Path) -> None:
    write(project / ".claude/settings.json", {"hooks": {}})
    proof = proved(runner, project, tmp_path, changes=NO_HOOKS)
    assert (proof.missed, has_failed(proof)) == (("blocks",), True)
    assert proof.played[0].cause.startswith("Claude Code went ahead; no hook is configured for PreToolUse")
    assert b"no hook is configured for PreToolUse" in as_junit([proof])


def test_a_deployed_entry_that_was_deleted(tmp_path: Path) -> None:
    """The package has hooks on two events, and the client asks them on one."""
    hook = [{"hooks": [{"type": "command", "command": "./guard.sh"}]}]
    write(tmp_path / "hooks/hooks.json", {"hooks": {"pre-tool-use": hook, "post-tool-use": hook}})
    entry = {"type": "command", "command": "anyhook exec --client codex --event PostToolUse"}
    write(tmp_path / ".codex/hooks.json", {"hooks": {"PostToolUse": [{"hooks": [entry]}]}})
    [missing] = find_missing_entries(started_in(tmp_path, "codex"))
    assert (missing.event, missing.hooks) == ("PreToolUse", ("./guard.sh",))
    assert missing.why.endswith("write it: anyhook deploy --client codex")
    write(
        tmp_path / ".codex/hooks.json",
        {"hooks": {name: [{"hooks": [entry]}] for name in ("PostToolUse", "PreToolUse")}},
    )
    assert find_missing_entries(started_in(tmp_path, "codex")) == ()
    (tmp_path / ".codex/hooks.json").unlink()
    lost = find_missing_entries(started_in(tmp_path, "codex"))
    assert [missing.event for missing in lost] == ["PreToolUse", "PostToolUse"]


def test_a_client_with_hooks_of_its_own_needs_no_entry(tmp_path: Path) -> None:
    hook = [{"hooks": [{"type": "command", "command": "./guard.sh"}]}]
    write(tmp_path / "hooks/hooks.json", {"hooks": {"pre-tool-use": hook}})
    write(tmp_path / ".codex/hooks.json", {"hooks": {"PreToolUse": hook}})
    assert find_missing_entries(started_in(tmp_path, "codex")) == ()


def test_a_file_that_the_client_does_not_load_is_a_failure_without_any_case(tmp_path: Path) -> None:
    write(tmp_path / ".codex/hooks.json", "[")
    proof = Proof(project=tmp_path, home=tmp_path, cases=(), not_played=(), built_in=())
    assert has_failed(without_client("codex", proof, "it is not installed"))


def test_a_client_without_entries_asks_no_package(tmp_path: Path) -> None:
    codex = started_in(tmp_path, "codex")
    assert find_missing_entries(codex) == ()
    assert why_no_hook(codex, "PreToolUse") == "no hook is configured for PreToolUse"
