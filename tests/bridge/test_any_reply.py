"""No reply of a hook, whatever its shape, keeps a client from its answer, and none silences another hook's refusal."""

from __future__ import annotations

import asyncio
import functools
import itertools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from anyhook import Engine, HookSet, PreToolUse
from anyhook.bridge.answer_event import answer
from anyhook.bridge.join_replies import join_replies
from anyhook.bridge.prepare_event import prepare
from anyhook.bridge.read_call import Caller
from anyhook.dialects import NAMES, profile
from anyhook.dialects.bound_event import bind_payload
from anyhook.dialects.stages import FinishedRun
from anyhook.dialects.translation.translate import hook_payloads, translate_reply
from anyhook.dialects.wire.answers import encode_reply, reply_of
from anyhook.engine.fold import fold
from anyhook.engine.interpret import interpret
from anyhook.engine.raw import RawResult
from anyhook.entries.fail_mode import write_answer
from anyhook.model.hooks import Callback, Command, Rule
from anyhook.model.outcome import Effect
from anyhook.model.output import Decision, Reply
from tests.approving import approve
from tests.bridge.bridging import make_package, run_trusted, shell_call
from tests.effort import mostly_long
from tests.engine.answers import ACTIONS, CASES, bound, payload_for, raw_results


@pytest.mark.parametrize("client", NAMES)
@given(data=st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_every_reply_is_answered_to_every_client(client: str, data: st.DataObject) -> None:
    native = data.draw(st.sampled_from([native for name, native in CASES if name == client]))
    it = bound(client, native)
    raws = data.draw(st.lists(raw_results(client, native), min_size=1, max_size=3))
    ended = [FinishedRun(interpret(it, data.draw(ACTIONS), raw), place, place) for place, raw in enumerate(raws)]
    heard = payload_for(it.event)
    outcome = fold(it, heard, ended)
    assert encode_reply(it, reply_of(outcome)).exit_code in (0, 1, 2)
    for other in NAMES:
        target = profile(other)
        asks = structs.replace(heard, native_event="")
        for received in hook_payloads(asks, target, it.profile) or (heard,):
            reply = translate_reply(reply_of(outcome), received, asks, it.profile, target).reply
            sent = write_answer(bind_payload(target, asks), join_replies([reply, Reply()]))
            assert isinstance(sent.stdout, bytes)


DENY = Reply(decision=Decision.DENY, reason="guarded")
# Not Qwen Code, where a later allow wins (multi-pre-deny-allow), and not Gemini CLI, where a text in the place of an
# object ends the merging of what its hooks print.
STEADY = [
    (client, native)
    for client, native in CASES
    if client not in ("qwen-code", "gemini-cli") and bound(client, native).event == "PreToolUse"
]


@pytest.mark.parametrize(("client", "native"), STEADY)
@given(data=st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_no_reply_of_one_hook_lifts_the_refusal_of_another(client: str, native: str, data: st.DataObject) -> None:
    it, heard, hook = (
        bound(client, native),
        PreToolUse(tool_name="Bash", tool_input={"command": "ls"}),
        Command(command="guard"),
    )
    said = encode_reply(it, DENY)
    refusal = RawResult(exit_code=said.exit_code, stdout=said.stdout, stderr=said.stderr)
    if fold(it, heard, [FinishedRun(interpret(it, hook, refusal), 0, 0)]).tool_runs is not False:
        return  # the client lets no hook refuse this
    other = data.draw(raw_results(client, native))
    for pair in ((refusal, other), (other, refusal)):
        ended = [FinishedRun(interpret(it, hook, raw), place, place) for place, raw in enumerate(pair)]
        assert fold(it, heard, ended).tool_runs is False


ODD: tuple[Any, ...] = (None, True, 5, "x", [], ["deny"], {}, {"a": [1]})
"""A value of every type that JSON has."""


@pytest.mark.parametrize("client", mostly_long(NAMES, short=["gemini-cli"]))
def test_a_value_of_any_type_is_answered_in_every_place_of_every_event(client: str) -> None:
    """No event, key or type is left to chance, as above."""
    for native in (native for name, native in CASES if name == client):
        it = bound(client, native)
        answers = it.profile.answers
        paths = {field.path for field in answers.fields(it.event)} | set(answers.event_names)
        places = {path[:length] for path in paths for length in range(1, len(path) + 1)}
        for path, odd, status in itertools.product(sorted(places), ODD, (0, 1, 2, 127)):
            printed = json.dumps(functools.reduce(lambda inner, key: {key: inner}, reversed(path), odd)).encode()
            raw = RawResult(exit_code=status, stdout=printed, stderr=b"no")
            outcome = fold(it, payload_for(it.event), [FinishedRun(interpret(it, Command(command="true"), raw), 0, 0)])
            assert encode_reply(it, reply_of(outcome)).exit_code in (0, 1, 2), (native, path, odd, status)


@pytest.mark.parametrize("name", [["BeforeTool"], {"a": 1}, 5, True])
def test_an_event_name_of_a_wrong_type_does_not_hide_another_guard(tmp_path: Path, name: object) -> None:
    """Gemini CLI merges what its hooks print."""
    said = json.dumps({"hookSpecificOutput": {"hookEventName": name}})
    odd = f"#!/bin/sh\ncat > /dev/null\necho '{said}'\nexit 2\n"
    settings_file = tmp_path / "project" / ".gemini" / "settings.json"
    settings_file.parent.mkdir(parents=True)
    commands = [{"type": "command", "command": "./odd.sh"}, {"type": "command", "command": "./deny.sh"}]
    settings_file.write_text(json.dumps({"hooks": {"BeforeTool": [{"hooks": commands}]}}))
    deny = '#!/bin/sh\ncat > /dev/null\necho \'{"decision": "deny", "reason": "guarded"}\'\n'
    for script, text in (("odd.sh", odd), ("deny.sh", deny)):
        (tmp_path / "project" / script).write_text(text)
        (tmp_path / "project" / script).chmod(0o755)
    call = shell_call("ls", hook_event_name="BeforeTool", tool_name="run_shell_command")
    words = ("exec", "--client", "gemini-cli", "--from", "gemini-cli")
    done = run_trusted(tmp_path / "project", *words, stdin=call)
    assert json.loads(done.stdout)["decision"] == "deny", done
    assert "bug" not in done.stdout + done.stderr


# ------------------------------------------------------------------------------------- an exception in our own code


class Exploding(Mapping[str, Any]):
    """A reply whose reading fails in a way that nobody expects."""

    def __getitem__(self, key: str) -> Any:
        raise ArithmeticError("planted")

    def __iter__(self) -> Iterator[str]:
        raise ArithmeticError("planted")

    def __len__(self) -> int:
        return 1


UNFOLDABLE = Reply(context=5)  # type: ignore[arg-type]


@pytest.mark.parametrize("planted", [Exploding(), UNFOLDABLE])
@pytest.mark.parametrize("client", ["claude-code", "gemini-cli", "codex"])
def test_a_crash_for_one_hook_does_not_silence_another(client: str, planted: object) -> None:
    def outcome_of(*replies: object) -> Any:
        actions = tuple(Callback(function=lambda _, said=said: said) for said in replies)
        rule = Rule(event="PreToolUse", native_event="", actions=actions)
        engine = Engine(HookSet(dialect=client, rules=(rule,)))
        return engine.fire_sync(PreToolUse(tool_name="Bash", tool_input={"command": "ls"}))

    both = outcome_of(planted, DENY)
    assert both.effect is Effect.BLOCK
    assert "guarded" in [run.reason for run in both.runs]
    alone = outcome_of(planted)
    assert alone.effect is Effect.BLOCK, "a guard whose answer was lost was not asked"
    assert "bug in anyhook" in alone.problems[0].text


@pytest.mark.parametrize(("fail", "refuses"), [("guard", True), ("closed", True), ("open", False)])
def test_a_crash_for_one_package_does_not_silence_another(tmp_path: Path, fail: str, refuses: bool) -> None:
    package = make_package(tmp_path / "project")
    caller = Caller(cwd=approve(package), home=tmp_path, environment={"PATH": "/usr/bin:/bin"})
    options = {"--client": "claude-code", "--fail": fail}

    def sent(command: str, *, with_crash: bool) -> bytes:
        stdin = json.dumps(shell_call(command)).encode()
        prepared = prepare(options, caller, stdin)
        (asked,) = prepared.packages
        crashing = structs.replace(asked, hook_payload=SimpleNamespace(event="PreToolUse"))  # which no engine can fire
        packages = (crashing, asked) if with_crash else (asked,)
        return asyncio.run(answer(structs.replace(prepared, packages=packages), None, lambda _: None)).stdout

    assert b"deny" not in sent("ls", with_crash=False)
    assert b"deny" in sent("DANGER", with_crash=True)
    assert (b"deny" in sent("ls", with_crash=True)) is refuses
