"""The daemon answers with the bytes that exec prints: for every case of the examples, and for generated events.

The recorded situations of ``conformance/vectors`` are in test_equivalence_of_vectors.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anyhook.dialects import profile
from anyhook.dialects.bound_event import bind_payload, bind_rule
from anyhook.dialects.events import native_name
from anyhook.dialects.wire.payloads import decode_payload, payload_bytes
from anyhook.model.problems import UsageError
from anyhook.testing.cases.case_files import CASES, find_package, read_suite
from anyhook.testing.runner import Runner, Trial
from anyhook.testing.sandbox import case_environment, copy_package
from anyhook.testing.scaffold.example_events import known_event, make_payload
from tests.checkout import ROOT
from tests.engine.answers import JSON
from tests.serve.both_ways import BothWays, Question, both_ways

pytestmark = pytest.mark.long

EXAMPLES = ROOT / "examples"
PACKAGES = sorted({find_package(folder) for folder in EXAMPLES.rglob(CASES) if folder.is_dir()})


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_every_case_of_the_examples_is_answered_alike(package: Path, ways: BothWays) -> None:
    root = ways.stage.top / package.name
    copy_package(package, root)
    home = Path(ways.stage.environment["HOME"])
    ways.approve(root)
    suite = read_suite(root)
    assert suite.cases
    assert not suite.broken
    with Runner(suite) as runner:
        for case in suite.cases:
            trial = runner.prepare(case)
            assert isinstance(trial, Trial)
            native_event = trial.rule.native_event
            variables = case_environment(ways.stage.environment, case.folder.config.env, root, home)
            question = Question(
                words=("--client", trial.client, "--from", trial.client, "--event", native_event),
                stdin=payload_bytes(bind_rule(profile(trial.client), trial.rule), trial.payload),
                cwd=root,
                environment={**ways.stage.environment, **variables},
            )
            own = ways.ask_exec(question).ran
            assert [ways.ask_daemon(question) for _ in range(2)] == [own, own], case.name


# --- generated events

RULES = """\
from anyhook import allow, ask, context, deny, hook, rewrite, stop


@hook("PreToolUse", matcher="Write|Edit")
def judge(event):
    match event.tool_input.get("wish"):
        case "deny":
            return deny(repr(event.tool_input.value))
        case "allow":
            return allow()
        case "ask":
            return ask("Is this meant?")
        case "context":
            return context(f"{event.tool_name} in {event.cwd}")
        case "rewrite":
            return rewrite({**event.tool_input.value, "more": 10**30})
        case "stop":
            return stop("enough")
        case "fail":
            raise ValueError(str(event.tool_input.value))


@hook("UserPromptSubmit")
async def remember(event):
    print("printed", event.prompt)
    return context(f"They said: {event.prompt}")


@hook("Stop")
def hold(event):
    return None if event.stop_hook_active else deny("There is more to do.")
"""
CLAUDE_HOOKS = {
    "PreToolUse": [
        {"hooks": [{"type": "command", "command": "echo no git >&2; exit 2", "if": "Bash(git *)"}]},
        {"matcher": "^mcp__.*", "hooks": [{"type": "command", "command": "cat"}]},
    ]
}
EVENTS = ("PreToolUse", "PreToolUse", "PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionStart")
CLIENTS = ("claude-code", "codex", "gemini-cli", "copilot-cli", "cursor", "code-agent", "universal")
VALUES = JSON | st.sampled_from([10**400, -(2**63), 1e308])
TEXTS = st.text(max_size=12)
TOOLS = ("Bash", "Bash", "Write", "Write", "Edit", "mcp__db__query", "Überall", "")
COMMANDS = ("ls", "git push", "forbidden", "echo; forbidden")
WISHES = ("deny", "allow", "ask", "context", "rewrite", "stop", "fail", "none")
INPUTS = st.fixed_dictionaries(
    {"command": st.sampled_from(COMMANDS) | TEXTS, "wish": st.sampled_from(WISHES)},
    optional={"file_path": VALUES, "content": VALUES},
)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "--from": st.sampled_from(["claude-code", "claude-code", "universal", "codex"]),
        "--fail": st.sampled_from(["open", "closed"]),
        "--answered": st.sampled_from(["0", "9", "90", "99"]),
    },
)


@st.composite
def payloads(draw: st.DrawFn, client: str, event: str, project: Path) -> bytes:
    """What a client sends for an event; at times with less, more or something else in it; at times only noise."""
    fields = {
        "session_id": draw(st.sampled_from(["", "one", "two"])),
        "cwd": draw(st.sampled_from([str(project), str(project), str(project / "hooks"), "/nowhere", "hooks", ""])),
        "tool_name": draw(st.sampled_from(TOOLS)),
        "tool_input": draw(INPUTS),
        "tool_response": draw(VALUES),
        "prompt": draw(TEXTS),
        "stop_hook_active": draw(st.booleans()),
    }
    payload = make_payload(known_event(event, client), fields, client)
    text = payload_bytes(bind_payload(profile(client), payload), payload)
    match draw(st.sampled_from(["whole", "whole", "whole", "changed", "cut", "noise"])):
        case "changed":
            data: dict[str, Any] = json.loads(text)
            for key in draw(st.sets(st.sampled_from(sorted(data)), max_size=3)):
                del data[key]
            data |= draw(st.dictionaries(st.sampled_from([*fields, *data]), VALUES, max_size=3))
            return json.dumps(data).encode()
        case "cut":
            return text[: draw(st.integers(0, len(text)))]
        case "noise":
            return draw(st.binary(max_size=40))
    return text


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), client=st.sampled_from(CLIENTS), event=st.sampled_from(EVENTS), options=OPTIONS)
def test_any_event_gets_the_same_bytes(
    ways: BothWays, data: st.DataObject, client: str, event: str, options: dict[str, str]
) -> None:
    """Each way is asked once: both count how often they have kept a session going."""
    project = ways.stage.project
    native = native_name(event, client) or ""
    named = data.draw(st.sampled_from([native, native, "", "Unheard"]))
    options |= {"--client": client} | ({"--event": named} if named else {})
    words = tuple(word for option in options.items() for word in option)
    stdin = data.draw(payloads(client, event, project))
    own = {"SECRET": data.draw(st.sampled_from(["", "open sesame", "ß"]))}
    question = Question(words, stdin, project, {**ways.stage.environment, **own})
    asked = ways.ask_daemon(question)
    cwd = decode_payload(profile(client), stdin, named)[0].cwd
    if isinstance(cwd, str) and cwd and not Path(cwd).is_absolute():
        assert asked is None, "only exec knows what that is relative to"
        return
    try:
        own_answer = ways.ask_exec(question).ran
    except UsageError:
        assert asked is None, "only exec can report wrong use"
    else:
        assert asked == own_answer


@pytest.fixture(scope="module")
def ways() -> Iterator[BothWays]:
    with both_ways() as made:
        made.stage.write("rules.py", RULES)
        made.stage.write("../.claude/settings.json", json.dumps({"hooks": CLAUDE_HOOKS}))
        made.approve(made.stage.project)
        yield made


# --- what exec leaves behind
