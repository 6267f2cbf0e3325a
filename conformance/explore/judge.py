"""Whether the engine does in a situation what the real client did."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import structs

from anyhook.dialects import profile
from conformance.explore.printed import words_of
from conformance.explore.rig import Observation
from conformance.explore.scenes import Scene
from conformance.explore.situations import Situation
from conformance.referee import differences, fire_in_process, stage_for

_LATER = 0.3
_COMMAND_OUTPUT = re.compile(r"<local-command-stdout>.*?</local-command-stdout>", re.DOTALL)
"""What a command such as /model shows to the user; the model gets a copy of it."""
_REASONS = ("-REASON-", "-STOP-REASON-", "-STDERR-")


def judged(
    situation: Situation, scene: Scene, seen: Observation, payload: Mapping[str, Any], usual_requests: int
) -> tuple[dict[str, Any], list[str]]:
    """What the client did, as the expectation of a vector, and how the engine differs from it."""
    for hooks in possible_ends(situation):
        outcome, ran = engine_side(structs.replace(situation, hooks=hooks).vector("explored", payload, {}))
        expected = expectation(situation, scene, seen, outcome, usual_requests)
        if scene.unawaited and seen.ran and tuple(ran[: len(seen.ran)]) == seen.ran:
            expected["ran"] = sorted(ran)
        if not scene.step and len(set(ran)) < len(ran) and set(ran) == set(seen.ran):
            del expected["ran"]  # the event may have come again, and so only which hooks ran was seen, not how often
        if not (wrong := differences(expected, outcome, ran, 0.0)):
            return expected, []
    return expected, wrong


def possible_ends(situation: Situation) -> Iterator[Mapping[str, Any]]:
    """The hooks as they are. Where the last to finish wins and none is slower than the others, any may have been it."""
    if _is_chance(situation) and len(situation.hooks) > 1:
        for name, behaviour in situation.hooks.items():
            yield {**situation.hooks, name: {**behaviour, "sleep": _LATER}}
    yield situation.hooks


def engine_side(vector: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[str]]:
    """The outcome, and the hooks that ran in their order."""
    with stage_for(vector) as (stage, filled):
        outcome = fire_in_process(filled, stage)
        return outcome, [mark.name.partition("~")[2] for mark in sorted(stage.marks.iterdir())]


def expectation(
    situation: Situation, scene: Scene, seen: Observation, outcome: Mapping[str, Any], usual_requests: int
) -> dict[str, Any]:
    """What was seen. Where one sight can be two effects, as a refusal and a question in a run without a person, the
    engine's own is taken if it is among them."""
    effects = possible_effects(situation, scene, seen, usual_requests)
    expected: dict[str, Any] = {"ran": sorted(seen.ran)}
    if effects:
        expected["effect"] = outcome["effect"] if outcome["effect"] in effects else effects[0]
    if scene.kind == "before" and expected.get("effect") == "stop":
        expected["tool_runs"] = bool(seen.made)
    if scene.rewrite:
        expected |= _rewritten(situation, seen, outcome)
    return expected | _heard(situation, scene, seen, outcome)


def possible_effects(situation: Situation, scene: Scene, seen: Observation, usual_requests: int) -> list[str]:
    """The effects that look like this; none where nothing can be seen."""
    if seen.failed_to_start:
        return []
    match scene.kind:
        case "before" | "permission":
            if seen.made:
                return ["stop"] if seen.ended else ["proceed"]
            return ["stop", "ask", "defer"] if seen.ended else ["block", "ask"]
        case "after":
            if seen.ended:
                return ["stop"]
            reasons = [word for word in words_of(situation.hooks) if any(part in word for part in _REASONS)]
            if any(word in seen.told for word in reasons):
                return ["feedback"]
            return ["proceed", "feedback"]
        case "task":
            if seen.ended:
                return ["stop"]
            sign = re.escape((scene.done or scene.refused).format(mark=situation.mark))
            is_told = re.search(rf"{sign}(?!\d)", seen.told) is not None  # mark-s1 is not mark-s10
            return ["proceed"] if is_told is bool(scene.done) else ["block"]
        case "prompt":
            return ["proceed"] if seen.requests else ["block", "stop"]
        case "stop":
            return ["continue"] if seen.requests > usual_requests else ["proceed", "stop"]
        case "agent stop":
            return ["continue"] if seen.requests > usual_requests else ["proceed", "stop"]
        case "start" | "agent start":
            return ["proceed"] if seen.requests >= usual_requests else ["stop", "block"]
        case "quiet" | "model":
            return []


def _rewritten(situation: Situation, seen: Observation, outcome: Mapping[str, Any]) -> dict[str, Any]:
    """The tool's input: told by the mark of the command that ran."""
    if not seen.made:
        return {}
    mark = sorted(seen.made)[-1]
    if mark == f"mark-{situation.mark}":
        return {"updated_input": None}
    used = outcome.get("updated_input")
    if isinstance(used, Mapping) and used.get("command") == f"touch {mark}":
        return {"updated_input": used}
    return {"updated_input": {"command": f"touch {mark}"}}


def _heard(situation: Situation, scene: Scene, seen: Observation, outcome: Mapping[str, Any]) -> dict[str, Any]:
    """The words that reached the model, in their order, and those that did not.

    Hooks that take the same time finish in any order: where that is the order of their words, the engine's is taken.
    """
    is_over = seen.ended or not seen.requests or (scene.kind == "stop" and outcome["effect"] == "stop")
    if is_over or scene.kind == "quiet":  # what Claude Code says to a stopped agent comes with the next prompt
        return {}
    told = _COMMAND_OUTPUT.sub("", seen.told)
    words = [word for word in words_of(situation.hooks) if "-OUTPUT-" not in word]
    heard = sorted((word for word in words if word in told), key=told.index)
    order = "\n".join(outcome.get("to_model") or ())
    if _is_chance(situation) and all(word in order for word in heard):
        heard.sort(key=order.index)
    silent = [word for word in words if word not in told]
    return ({"to_model": heard} if heard else {}) | ({"not_to_model": silent} if silent else {})


def _is_chance(situation: Situation) -> bool:
    """Whether it counts which hook finishes first, and no hook is slower than the others."""
    rules = profile(situation.client).folding
    by_end = "completion order" in rules.context or "last to finish" in (rules.reason, rules.rewrite_winner)
    return by_end and not any(behaviour.get("sleep") for behaviour in situation.hooks.values())
