"""Several hooks' JSON as one object, for clients that merge it before they read it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anyhook.dialects.bound_event import BoundEvent
from anyhook.dialects.contract import BLOCKING_STATUS, Merging
from anyhook.dialects.stages import BLOCKED_BY_STATUS, Printed
from anyhook.dialects.wire.answers import encode_reply
from anyhook.dialects.wire.replies import decode_reply
from anyhook.engine.interpret import find_json, meaning_of_status
from anyhook.model.cause import CauseKind
from anyhook.model.lazyjson import load_json
from anyhook.model.outcome import Run, Status
from anyhook.model.output import Reply

Output = Mapping[str, Any]


def merged_reply(bound: BoundEvent, rule: Merging, runs: Sequence[Run]) -> Reply | None:
    """What the client reads in the merged output of these runs; None where there is nothing to merge."""
    try:
        outputs = [output for run in runs if (output := output_of(bound, rule, run)) is not None]
    except (ValueError, RecursionError):  # a function's reply that JSON cannot carry is read by itself
        return None
    if len(outputs) < (1 if rule.whenever else 2):
        return None
    if rule.fails_on_plain and any(_is_plain(output.get(rule.nested)) for output in outputs):
        return Reply()
    return decode_reply(bound, merged(rule, outputs))


def _is_plain(value: Any) -> bool:
    """Whether JavaScript looks for keys in a value, and cannot: what counts as false is passed over before."""
    return bool(value) and not isinstance(value, Mapping | list)


def output_of(bound: BoundEvent, rule: Merging, run: Run) -> Output | None:
    """What the client takes a run's output for: its JSON, or the object that it makes of text."""
    if run.status is Status.TIMED_OUT or run.exit_code is None:
        return _spelled(bound, run.reply)
    printed = Printed(run.stdout, run.stderr)
    found = find_json(bound, printed, run.exit_code)
    if found.fault is not None:
        return None
    exits = bound.profile.exits
    meaning = meaning_of_status(exits, bound.event, run.exit_code, printed)
    refuses = meaning in BLOCKED_BY_STATUS
    if found.value is not None:
        return {**found.value, **rule.of_refusal} if refuses and exits.json == "zero and two" else found.value
    text = printed.stderr.strip() if run.exit_code == BLOCKING_STATUS and exits.needs == "stderr" else printed.any_text
    if refuses or (text and meaning is CauseKind.EXIT_IGNORED):  # the event ignores it, the merging does not
        return _filled(rule.of_refusal, text)
    if not text:
        return None
    return {**_filled(rule.of_failure if run.exit_code else rule.of_text, text), **(_spelled(bound, run.reply) or {})}


def _filled(words: Mapping[str, str], text: str) -> Output:
    return {key: value.replace("{text}", text) for key, value in words.items()}


def _spelled(bound: BoundEvent, reply: Reply | None) -> Output | None:
    """A reply in the client's JSON."""
    if reply is None:
        return None
    said = load_json(encode_reply(bound, reply, is_process=False).stdout or b"{}")
    return said if isinstance(said, dict) else None


def merged(rule: Merging, outputs: Sequence[Output]) -> dict[str, Any]:
    """One object of several, which are in the order of the hooks."""
    one: dict[str, Any] = {}
    for output in outputs:
        for key, value in output.items():
            earlier = one.get(key)
            if key == rule.nested and isinstance(earlier, dict) and isinstance(value, Mapping):
                one[key] = {**earlier, **value}
            else:
                one[key] = value
    for path in rule.joined:
        if texts := [text for output in outputs if (text := _text(output, path))]:
            _put(one, path, "\n".join(texts))
    if rule.decisions:
        one.pop("decision", None)
        said = [output.get("decision") for output in outputs]
        strongest = next((word for group in rule.decisions for word in said if _is_in(word, group)), None)
        if strongest is not None:
            one["decision"] = rule.refusal if rule.refusal and strongest in rule.decisions[0] else strongest
    one |= {key: any(bool(output.get(key)) for output in outputs) for key in rule.any_true if key in one}
    if rule.stop != "later":
        _stop(one, rule, outputs)
    return one


def _stop(one: dict[str, Any], rule: Merging, outputs: Sequence[Output]) -> None:
    for key in ("continue", "stopReason"):
        one.pop(key, None)
    stopping = [output for output in outputs if output.get("continue") is False]
    if stopping:
        one["continue"] = False
        reasons = [text for output in stopping if (text := _text(output, ("stopReason",)))]
        if reasons:
            one["stopReason"] = reasons[-1] if rule.stop == "last reason" else "\n".join(reasons)


def _is_in(word: Any, group: frozenset[str]) -> bool:
    return isinstance(word, str) and word in group


def _text(output: Output, path: Sequence[str]) -> str:
    value: Any = output
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, str) else ""


def _put(one: dict[str, Any], path: Sequence[str], value: str) -> None:
    for key in path[:-1]:
        below = one.get(key)
        one[key] = one = dict(below) if isinstance(below, Mapping) else {}
    one[path[-1]] = value
