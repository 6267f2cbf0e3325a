"""Several hooks' JSON as one object, for clients that merge it before they read it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anyhook.dialects.stages import Printout, Printouts
from anyhook.model.cause import CauseKind
from anyhook.model.outcome import Status

Object = Mapping[str, Any]
Words = Mapping[str, str]


def objects_of(given: Printouts, of_text: Words, of_refusal: Words, of_failure: Words) -> list[Object]:
    """What the client takes each run's output for: its JSON, or the object that it makes of its text.

    In the words for a text, ``{text}`` is replaced by it.
    """
    found = (_object_of(given, printout, of_text, of_refusal, of_failure) for printout in given.runs)
    return [each for each in found if each is not None]


def _object_of(given: Printouts, it: Printout, of_text: Words, of_refusal: Words, of_failure: Words) -> Object | None:
    if it.run.status is Status.TIMED_OUT or it.run.exit_code is None:
        return it.spelled
    if it.found.fault is not None:
        return None
    if it.found.value is not None:
        overlaid = it.is_blocked and given.bound.profile.exits.keeps_reply
        return {**it.found.value, **of_refusal} if overlaid else it.found.value
    only_stderr = it.run.exit_code == 2 and given.bound.profile.exits.needs == "stderr"
    text = it.printed.stderr.strip() if only_stderr else it.printed.any_text
    if it.is_blocked or (text and it.status is CauseKind.EXIT_IGNORED):  # the event ignores it, the merging does not
        return _filled(of_refusal, text)
    if not text:
        return None
    return {**_filled(of_failure if it.run.exit_code else of_text, text), **(it.spelled or {})}


def _filled(words: Words, text: str) -> Object:
    return {key: value.replace("{text}", text) for key, value in words.items()}


def later_keys_win(objects: Sequence[Object], nested: str = "") -> dict[str, Any]:
    """One object of several, in the order of the hooks; those under the key ``nested`` are merged key by key, too."""
    one: dict[str, Any] = {}
    for each in objects:
        for key, value in each.items():
            earlier = one.get(key)
            is_merged = key == nested and isinstance(earlier, dict) and isinstance(value, Mapping)
            one[key] = {**earlier, **value} if is_merged and isinstance(earlier, dict) else value
    return one


def join_texts(one: dict[str, Any], objects: Sequence[Object], *path: str) -> None:
    """Put all texts at a path into the object, joined by line breaks."""
    if not (texts := [text for each in objects if (text := text_at(each, *path))]):
        return
    for key in path[:-1]:
        below = one.get(key)
        one[key] = one = dict(below) if isinstance(below, Mapping) else {}
    one[path[-1]] = "\n".join(texts)


def keep_strongest(one: dict[str, Any], objects: Sequence[Object], *groups: frozenset[str]) -> None:
    """Put the strongest of the decisions into the object; the groups of words for them are in that order."""
    one.pop("decision", None)
    said = [word for each in objects if isinstance(word := each.get("decision"), str)]
    strongest = next((word for group in groups for word in said if word in group), None)
    if strongest is not None:
        one["decision"] = strongest


def stop_if_any(one: dict[str, Any], objects: Sequence[Object]) -> list[str]:
    """Put ``continue: false`` of any hook into the object; the reasons for it are returned."""
    for key in ("continue", "stopReason"):
        one.pop(key, None)
    stopping = [each for each in objects if each.get("continue") is False]
    if stopping:
        one["continue"] = False
    return [text for each in stopping if (text := text_at(each, "stopReason"))]


def text_at(value: Any, *path: str) -> str:
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, str) else ""
