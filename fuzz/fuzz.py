"""Feeds made-up inputs to everything that reads what others have written: ``make fuzz MINUTES=5``.

Hypothesis makes the inputs, steered towards long outputs, and shrinks what it finds. A seed repeats a run. An
exception that is not documented is a finding: it is printed with a reproducer and stored in fuzz/findings/.

    python fuzz/fuzz.py [--minutes 1] [--seed 0] [--only NAME]
"""

from __future__ import annotations

import argparse
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings, target
from hypothesis import strategies as st

from anyhook.dialects import all_profiles, profile
from anyhook.dialects.bound_event import bind_payload
from anyhook.dialects.wire.payloads import decode_payload, payload_bytes
from anyhook.dialects.wire.replies import decode_reply
from anyhook.engine.condition import permission_rule_holds
from anyhook.engine.match import compile_matcher
from anyhook.model.events import Subject
from anyhook.model.payload import PreToolUse
from anyhook.record.redact import Redactor
from anyhook.serve.protocol import (
    PREFIX,
    SIZE,
    ProtocolError,
    decode_answer,
    decode_head,
    head_size,
    stdin_size,
    variables_of,
)
from anyhook.sources.parsing.parse_front_matter import parse_front_matter, parse_yaml
from anyhook.sources.parsing.parse_json import parse_json
from anyhook.sources.parsing.parse_python import parse_python
from anyhook.sources.parsing.parse_toml import parse_toml

FINDINGS = Path(__file__).parent / "findings"
EXAMPLES_PER_ROUND = 300
CLIENTS = sorted(each.name for each in all_profiles())
REDACTOR = Redactor({"DEPLOY_TOKEN": "q7Zk29-deploy"}, home="/home/ada", user="ada")

PIECES = st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        '"',
        "'",
        ":",
        ",",
        "=",
        "\n",
        "\t",
        " ",
        "\\",
        "#",
        "//",
        "/*",
        "*/",
        "---\n",
        "- ",
        "|",
        ">",
        "&a",
        "*a",
        "!!python/object",
        "hooks",
        "PreToolUse",
        "matcher",
        "command",
        "true",
        "null",
        "1e999",
        "-0",
        "9" * 30,
        "\ud800",
        "\0",
        "\ufeff",
        "\u2028",
        "def f(x):",
        "@hook('Stop')",
        "import x",
        "[[a]]",
        "a.b",
        '"""',
        "'''",
        "Bash(git *)",
        "^(a|b)+$",
        "(?=",
        "(?P<",
        "\\p{L}",
        "[^",
        "**",
        "mcp__.*",
        "TOKEN=",
        "password: ",
        "-----END PRIVATE KEY-----",
        "sk-",
        "<password>",
    ]
)
TEXTS = st.one_of(st.text(max_size=60), st.lists(st.one_of(PIECES, st.text(max_size=4)), max_size=25).map("".join))
KEYS = st.one_of(
    st.sampled_from(
        [
            "hook_event_name",
            "event",
            "session_id",
            "cwd",
            "tool_name",
            "tool_input",
            "tool_response",
            "prompt",
            "decision",
            "reason",
            "continue",
            "hookSpecificOutput",
            "permissionDecision",
            "updatedInput",
            "systemMessage",
            "permission",
            "hookEventName",
            "eventName",
            "toolName",
            "toolArgs",
            "command",
            "file_path",
            "additionalContext",
            "stopReason",
        ]
    ),
    st.text(max_size=8),
)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=12), PIECES),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=5)),
    max_leaves=12,
)
OBJECTS = st.dictionaries(KEYS, JSON, max_size=8)
BYTES = st.one_of(st.binary(max_size=80), OBJECTS.map(lambda value: repr(value).encode("utf-8", "replace")))


def _parse(parser: Callable[[str], Any]) -> Callable[[str], int]:
    return lambda text: len(parser(text).quirks)


def _payload(drawn: tuple[str, Any]) -> int:
    client, data = drawn
    payload, problems = decode_payload(profile(client), data)
    return len(problems) + len(payload_bytes(bind_payload(profile(client), payload), payload))


def _reply(drawn: tuple[str, Any]) -> int:
    client, data = drawn
    decode_reply(bind_payload(profile(client), PreToolUse(tool_name="Bash", tool_input={})), data)
    return 0


def _matcher(drawn: tuple[str, str, str]) -> int:
    client, text, value = drawn
    matching = profile(client).matching
    matcher = compile_matcher(text, Subject.TOOL, matching.mode_for("PreToolUse"))
    return int(matcher.matches(value)) + len(matcher.why_not(value))


def _condition(drawn: tuple[str, str, str]) -> int:
    tool, rule, command = drawn
    payload = PreToolUse(tool_name=tool, tool_input={"command": command, "file_path": command})
    return int(permission_rule_holds(rule, payload))


def _redact(value: Any) -> int:
    hidden, number = REDACTOR.redact(value)
    again = REDACTOR.redact(hidden)[1]
    if again:
        raise AssertionError(f"redacting again finds {again} more in {hidden!r}")
    return number


def _protocol(data: bytes) -> int:
    sized = (head_size, data[: PREFIX.size].ljust(PREFIX.size)), (stdin_size, data[: SIZE.size].ljust(SIZE.size))
    for read, part in (*sized, (decode_head, data), (decode_answer, data), (variables_of, data)):
        try:
            read(part)
        except ProtocolError:  # documented
            continue
    return 0


CLIENT = st.sampled_from(CLIENTS)
TARGETS: dict[str, tuple[st.SearchStrategy[Any], Callable[[Any], int]]] = {
    "json": (TEXTS, _parse(parse_json)),
    "toml": (TEXTS, _parse(parse_toml)),
    "yaml": (TEXTS, _parse(parse_yaml)),
    "front-matter": (TEXTS.map(lambda text: f"---\n{text}\n---\n"), _parse(parse_front_matter)),
    "python": (TEXTS, _parse(parse_python)),
    "payload": (st.tuples(CLIENT, st.one_of(OBJECTS, BYTES)), _payload),
    "reply": (st.tuples(CLIENT, st.one_of(OBJECTS, BYTES)), _reply),
    "matcher": (st.tuples(CLIENT, TEXTS, st.text(max_size=20)), _matcher),
    "condition": (
        st.tuples(st.sampled_from(["Bash", "Edit", "PowerShell", "x"]), TEXTS.map("Bash({})".format), TEXTS),
        _condition,
    ),
    "redactor": (st.one_of(TEXTS, JSON), _redact),
    "protocol": (BYTES, _protocol),
}


def run_round(name: str, number: int) -> tuple[int, str]:
    """How many inputs one target was given, and what was found."""
    inputs, feed = TARGETS[name]
    seen: list[Any] = []

    @seed(number)
    @settings(
        max_examples=EXAMPLES_PER_ROUND,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.target, Phase.shrink),
    )
    @given(inputs)
    def once(value: Any) -> None:
        seen.append(value)
        target(float(feed(value)))

    try:
        once()
    except Exception:
        return len(seen), f"target {name}, seed {number}\ninput {seen[-1]!r}\n{traceback.format_exc(limit=-6)}"
    return len(seen), ""


def main() -> int:
    """Run all targets in turn until the time is over; the exit status is 1 after a finding."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    options.add_argument("--minutes", type=float, default=1.0)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--only", choices=TARGETS)
    given_options = options.parse_args()
    warnings.simplefilter("ignore")  # SyntaxWarning and FutureWarning of made-up code and patterns
    names = [given_options.only] if given_options.only else list(TARGETS)
    end = time.monotonic() + 60 * given_options.minutes
    number, total, found = given_options.seed, 0, set()
    while time.monotonic() < end:
        for name in names:
            inputs, finding = run_round(name, number)
            total += inputs
            if finding and name not in found:
                found.add(name)
                FINDINGS.mkdir(exist_ok=True)
                (FINDINGS / f"{name}-{number}.txt").write_text(finding, encoding="utf-8", errors="backslashreplace")
                print(f"FOUND {finding}\nagain: python fuzz/fuzz.py --only {name} --seed {number}\n")
        number += 1
    print(f"{total:,} inputs in {number - given_options.seed} rounds of {len(names)} targets; findings: {len(found)}")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
